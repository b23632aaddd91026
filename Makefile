# Everything a newcomer or CI needs; each target does its own set-up.

SHELL := /bin/bash
export REGATE_ADDRESS ?= 127.0.0.1:8181

.PHONY: help demo test fmt clippy tests policies setup bench stop

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: setup ## set up, build, serve on loopback, send real calls, leave it running
	cargo build --release --locked
	demo/run

stop: ## stop what the demo left running
	demo/stop

test: setup fmt clippy tests policies ## everything that CI runs

setup: ## the Docker engine, the sandbox image, the Python clients and OPA
	sandbox/setup
	tests/mcp/setup
	tests/opa/setup

fmt: ## formatting
	cargo fmt --check

clippy: ## lints
	cargo clippy --locked --all-targets -- -D warnings

tests: ## unit, property, Docker, ledger, wire and client tests
	cargo test --locked

policies: ## the shipped bundle's lint and tests
	cargo run --locked --quiet -- policy check --policies policies
	cargo run --locked --quiet -- policy test --policies policies

bench: ## ratios of speed
	cargo bench --locked
