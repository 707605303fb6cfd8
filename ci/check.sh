#!/usr/bin/env bash
# Everything that needs no GPU: formatting, lints, house rules, dependency policy, tests.
# Run it from anywhere; it needs Rust, a C compiler and the crates registry (or a filled cargo cache).
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

# cargo-deny is a tool, not a dependency: taken from PATH, else built once beside the target directory's other tools.
DENY_VERSION=0.20.2
tools="${CARGO_TARGET_DIR:-target}/tools"
deny() {
    if command -v cargo-deny >/dev/null; then
        cargo-deny "$@"
        return
    fi
    if [ ! -x "$tools/bin/cargo-deny" ]; then
        cargo install --quiet --locked cargo-deny --version "$DENY_VERSION" --root "$tools"
    fi
    "$tools/bin/cargo-deny" "$@"
}

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --locked --all-targets --profile checked -- -D warnings

step "house rules"
cargo xtask tidy

step "dependency policy"
cargo fetch --locked
deny deny --offline check bans licenses sources
# Advisories come from a database that is fetched over the network; without it nothing is known about them.
if advisories=$(deny deny check advisories 2>&1); then
    echo "advisories: none"
elif grep -q "failed to fetch advisory database" <<<"$advisories"; then
    echo "advisories: could not check (the advisory database cannot be fetched from here)"
else
    printf '%s\n' "$advisories"
    exit 1
fi

step "tests, the long ones too: they build the programs, damage them, and measure"
cargo xtask test --slow

step "a measured proof"
cargo xtask measure --single-proof --cache "${CARGO_TARGET_DIR:-target}/check-cache"
