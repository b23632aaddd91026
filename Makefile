# Everything a newcomer or CI needs; each target does its own set-up.

SHELL := /bin/bash
export REGATE_ADDRESS ?= 127.0.0.1:8181

.PHONY: help demo test fmt clippy tests policies setup bench fuzz stop

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: setup ## set up, build, serve on loopback, send real calls, leave it running
	cargo build --release --locked
	demo/run

stop: ## stop what the demo left running
	demo/stop

test: setup fmt clippy tests policies ## everything that CI runs

setup: ## the Docker engine, the sandbox image, the Python clients, OPA and what tests make networks with
	sandbox/setup
	tests/serve/setup
	tests/mcp/setup
	tests/opa/setup

fmt: ## formatting
	cargo fmt --check

clippy: ## lints
	cargo clippy --locked --workspace --all-targets --features regate-agent/agent -- -D warnings

tests: ## unit, property, Docker, ledger, wire and client tests
	cargo test --locked --workspace

policies: ## the shipped bundle's lint and tests
	cargo run --locked --quiet -- policy check --policies policies
	cargo run --locked --quiet -- policy test --policies policies

bench: ## ratios of speed
	cargo bench --locked

FUZZ_SECONDS ?= 120
FUZZ_TARGETS ?= bytes tokens document

fuzz: ## hostile sources against the facts, hostile frames against their reader, FUZZ_SECONDS each
	command -v cargo-fuzz > /dev/null || cargo install cargo-fuzz --locked
	fuzz/seed
	for target in $(FUZZ_TARGETS); do \
		cargo +nightly fuzz run $$target --release -- -dict=fuzz/python.dict \
			-max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -max_len=65536 || exit 1; \
	done
	cd sandbox/agent && cargo +nightly fuzz run frames --release -- \
		-max_total_time=$(FUZZ_SECONDS) -timeout=20
