# The ways to use this repository; `make help` lists them. Each target first makes what it needs, so a fresh clone on
# a fresh machine starts with any of them. The logic is in tools/, in Go.

GO ?= go

# Version control stays out of the programs, so that the same files give the same bytes in every clone.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

.DEFAULT_GOAL := help
.PHONY: help setup build size run serve docs test check test-browser-unit cover conformance mutate bench fmt lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## get what this machine lacks: Chromium, a C compiler, Node packages, older Chromium builds (330 MB)
	@$(GO) run ./tools/setup

build: ## make dist/: the wasm, the scripts, their types (the first time it compresses for about a minute)
	@$(GO) run ./tools/setup node
	@$(GO) run ./tools/build

size: build ## print the sizes of the build beside their targets
	@$(GO) run ./tools/size

run: ## the main job: play a browser agent on the demo in Chromium (HEADED=1 shows the window)
	@echo 'setup        the first time, each step below compiles for a while before it speaks'
	@$(GO) run ./tools/setup browser node
	@$(GO) run ./tools/build -quick
	@echo 'play         compiling the demo, its database and the agent (long the first time)'
	@$(GO) run ./e2e/play

serve: ## serve the demo for a person and print how to open it
	@$(GO) run ./tools/setup node
	@$(GO) run ./tools/build -quick
	@echo 'Open this address in Chromium started with --enable-features=WebMCPTesting; Ctrl-C ends it:'
	@$(GO) run ./cmd/pagewarden serve

docs: ## build the documentation and serve it on this machine; prints the address, Ctrl-C ends it
	@$(GO) run ./tools/site -serve 127.0.0.1:8080

test: setup ## everything that CI runs (three quarters of an hour on 2 cores)
	@$(GO) run ./tools/build -quick -faults
	@$(GO) run ./tools/suite test

check: ## what is quick: format, vet, layout, the demo's contract, native tests the short way
	@$(GO) run ./tools/setup browser node
	@$(GO) run ./tools/build -quick
	@$(GO) run ./tools/suite check

test-browser-unit: ## Go unit tests inside Chromium
	@$(GO) run ./tools/setup browser node
	@$(GO) run ./tools/build -quick
	@$(GO) run ./tools/suite browser-unit

cover: ## coverage of the packages that decide; docs/testing.md explains what is left
	@$(GO) test -cover ./registry ./confirm ./policy ./schema

bench: ## Go benchmarks; then each operation in Node and Chromium beside its target, growth, start-up and memory
	@$(GO) run ./tools/setup browser node
	@$(GO) run ./tools/build -quick
	@$(GO) test -run='^$$' -bench=. -benchmem $$($(GO) list ./... | grep -v /e2e)
	@$(GO) run ./bench

conformance: ## write docs/conformance.md from its rule book, and docs/errors.md from the table of codes
	@$(GO) run ./tools/conformance

mutate: ## break the code in 216 places; each must be noticed
	@$(GO) run ./tools/mutate

fmt: ## format every Go file
	@$(GO) fmt ./...

lint: ## what needs no running: format, vet, staticcheck, types, layout, the demo's contract
	@$(GO) run ./tools/setup node
	@$(GO) run ./tools/suite lint

clean: ## remove what was made: dist/, .cache/, installed Node packages
	@rm -rf dist .cache tools/node/node_modules
