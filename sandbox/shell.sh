# shellcheck shell=bash
# Words that the set-up scripts share. To be sourced, never run.

# Says what is being done. On stderr, so that what a script answers stays apart from it.
say() { printf 'sandbox: %s\n' "$*" >&2; }

# Says why the set-up cannot go on, and ends it.
fail() { say "$*"; exit 1; }

# Runs a command as root, by sudo where the caller is not root. The proxies of the caller's
# environment go along: packages are fetched through them.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo --preserve-env=http_proxy,https_proxy,no_proxy "$@"
    else
        fail "this needs root, and there is no sudo: $*"
    fi
}

# Whether an engine answers. Bounded: a daemon that hangs must not hang the set-up.
engine_answers() {
    command -v docker >/dev/null && timeout 10 docker version >/dev/null 2>&1
}

# Installs distribution packages, quietly unless it fails.
install_packages() {
    command -v apt-get >/dev/null || fail "no apt-get here; install by hand: $*"
    say "installing $*"
    quietly as_root apt-get update
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "$@"
}

# Runs a command and shows its output only where it fails.
quietly() {
    local output
    if ! output=$("$@" 2>&1); then
        printf '%s\n' "$output" >&2
        fail "this failed: $*"
    fi
}

# The label of an image that says which inputs it was made of; empty where there is no image.
inputs_of() {
    docker image inspect --format '{{index .Config.Labels "regate.inputs"}}' "$1" 2>/dev/null || true
}
