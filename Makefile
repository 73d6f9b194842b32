# Verbs only; what they run is cargo, the engine or the harness. GNU Make 4 or later.
#
#   make              build both in release form, then a self-play SPRT of one heuristic to its verdict
#   make EXE=path     build only the engine, as path (what OpenBench calls; FEATURES=lab for a build to be tuned)
#   EVALFILE=path     with either: the network to build in, instead of engine/networks/stretto.network
#   make help         the other verbs

# Tuned to this machine; `make RUSTFLAGS=` builds for any. Cargo rebuilds everything when the flags change, so
# every verb that shares the target folder uses the same ones.
RUSTFLAGS ?= -C target-cpu=native
export RUSTFLAGS

ifdef EVALFILE
override EVALFILE := $(abspath $(EVALFILE))
export EVALFILE
endif

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
STRETTO := $(TARGET)/release/stretto
HARNESS := $(TARGET)/release/harness

.DEFAULT_GOAL := all
.PHONY: all build engine run test check fmt fmt-check clippy doc perft bench loom fold instructions fuzz soak scripts endings tables dist pgo deny gui-test clean help

ifdef EXE
all: engine
	mkdir -p "$$(dirname "$(EXE)")"
	cp -f "$(STRETTO)" "$(EXE)"
else
all: build
	$(MAKE) --no-print-directory run
endif

# What `--version` says of the source; only the two small programs are linked anew when it changes.
build engine pgo: export STRETTO_COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)

# `make EXE=stretto FEATURES=lab` builds an engine whose switches and tunables are UCI options, for tuning by OpenBench.
FEATURES ?=

build: ## both programs in release form
	$(CARGO) build --release --bin stretto --bin harness

engine: ## only the engine in release form
	$(CARGO) build --release --package stretto $(if $(FEATURES),--features "$(FEATURES)")

run: ## the main job: are late moves worth a shallower search first?
	$(HARNESS) sprt configs/sprt/late-move-reductions.yaml

test: ## every test
	$(CARGO) test --workspace

check: fmt-check clippy doc test perft ## what must be clean before a commit

fmt: ## format the sources
	$(CARGO) fmt --all

fmt-check:
	$(CARGO) fmt --all --check

clippy: ## lints, warnings are errors
	$(CARGO) clippy --workspace --all-targets -- -D warnings

doc: ## documentation, warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

perft: ## count every position of the perft suites to full depth
	STRETTO_PERFT=full $(CARGO) test --release --package stretto --test perft

bench: engine ## the engine's signature: nodes and speed on fixed positions
	$(STRETTO) bench

loom: ## the concurrency models, in every interleaving of a few preemptions, the slot in all (own target folder: other flags)
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$(TARGET)/loom" $(CARGO) test --release --package stretto --test loom

# Under valgrind, which knows AVX2 but not AVX-512, so the flags are those of a plain x86-64-v3.
FOLD := $(TARGET)/fold
FOLD_FLAGS := -C target-cpu=x86-64-v3
CALLGRIND := valgrind --tool=callgrind --callgrind-out-file=/dev/null

fold: ## instructions of the play search, and of a build without the switches (needs valgrind)
	RUSTFLAGS="$(FOLD_FLAGS)" $(CARGO) build --release --package stretto --target-dir "$(FOLD)/with"
	RUSTFLAGS="$(FOLD_FLAGS) --cfg switches_removed" $(CARGO) build --release --package stretto --target-dir "$(FOLD)/without"
	$(CALLGRIND) "$(FOLD)/with/release/stretto" bench 5 2>&1 | grep -E "nps|Collected"
	$(CALLGRIND) "$(FOLD)/without/release/stretto" bench 5 2>&1 | grep -E "nps|Collected"

instructions: ## instructions of small pieces of work beside the stored counts (UPDATE=1 stores them; needs valgrind)
	@if command -v valgrind >/dev/null; then \
	    RUSTFLAGS="$(FOLD_FLAGS)" $(CARGO) build --release --package stretto --example kernels --target-dir "$(FOLD)/with" && \
	    $(CARGO) run --quiet --package stretto-harness --bin harness -- instructions \
	        "$(FOLD)/with/release/examples/kernels" results/instructions.yaml $(if $(UPDATE),--update); \
	else echo "no instructions counted: valgrind is not on this machine"; fi

fuzz: ## bad input of every sort, ten minutes or ten million inputs each (FUZZ_SECONDS=, FUZZ_INPUTS=, FUZZ_TARGET=)
	FUZZ_SECONDS="$(FUZZ_SECONDS)" FUZZ_INPUTS="$(FUZZ_INPUTS)" FUZZ_TARGET="$(FUZZ_TARGET)" \
	    $(CARGO) test --package stretto-harness --test fuzz -- --ignored --nocapture --exact all_for_long

soak: ## an hour of random commands against the engine, assertions on (SOAK_SECONDS=n for another time)
	SOAK_SECONDS="$(or $(SOAK_SECONDS),3600)" \
	    $(CARGO) test --profile checked --package stretto --test uci_process -- --ignored --nocapture --exact soak::soak

endings: ## 2,000 endings of four men at ten milliseconds a move, bare and with tables (Syzygy's play the defence)
	$(CARGO) test --release --package stretto --test tablebases -- --ignored --nocapture --exact play::two_thousand_endings

scripts: ## 10,000 random UCI scripts at 1 to 8 threads, assertions on (SCRIPTS=n for another number)
	SCRIPTS="$(or $(SCRIPTS),10000)" \
	    $(CARGO) test --profile checked --package stretto --test uci_process -- --ignored --nocapture --exact soak::scripts

TABLES := $(TARGET)/tables

tables: build ## all tables of three and four men, made, checked, compared with those in the engine and with Syzygy's (SYZYGY=folder)
	$(HARNESS) tb embed
	$(HARNESS) tb generate 4 --verify --out "$(TABLES)"
	$(HARNESS) tb verify 4 --tables "$(TABLES)"
ifdef SYZYGY
	$(HARNESS) tb compare 4 --tables "$(TABLES)" --syzygy "$(SYZYGY)"
	$(HARNESS) tb compare 4 --metric dtz --syzygy "$(SYZYGY)"
endif

dist: ## release files for this kind of machine: tarball, Debian package, checksums, licences, list of parts (DIST=folder)
	TARGET="$(TARGET)" DIST="$(or $(DIST),$(TARGET)/dist)" scripts/dist.sh

pgo: ## the engine once more, compiled by a profile of its own searches (EXE=path, FEATURES=; needs rustup's llvm-tools)
	TARGET="$(TARGET)" EXE="$(EXE)" FEATURES="$(FEATURES)" CARGO="$(CARGO)" scripts/pgo.sh

deny: ## licences, advisories and duplicates of all crates (needs cargo-deny)
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check; \
	else echo "not checked: cargo-deny is not on this machine (cargo install cargo-deny)"; fi

gui-test: engine ## the engine driven by python-chess: play, analysis, Chess960, pondering (needs python3 with chess)
	@if python3 -c "import chess" 2>/dev/null; then python3 scripts/gui_test.py "$(STRETTO)"; \
	else echo "not tested: python-chess is not on this machine (pip install chess)"; fi

clean: ## remove what was built; results stay
	$(CARGO) clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16
