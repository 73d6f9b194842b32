# Targets that call cargo or the programs. GNU Make 4 or later.
#
#   make              build engine and harness, then run a self-play SPRT of one heuristic
#   make build        build engine, harness and workshop
#   make EXE=path     build the engine as path, as OpenBench does (FEATURES=lab: tunable options; PGO=1: as make pgo)
#   EVALFILE=path     with either: embed this network instead of engine/networks/stretto.network
#   make help         list the other verbs
#   STRICT=1          with any verb: a step that is skipped is an error (exceptions: .ci/allowed-skips)

# Builds for this machine; `make RUSTFLAGS=` builds for any. All verbs that share the target folder
# use the same flags, because cargo rebuilds everything when they change.
RUSTFLAGS ?= -C target-cpu=native
export RUSTFLAGS

STRICT ?= 0
export STRICT

ifdef EVALFILE
override EVALFILE := $(abspath $(EVALFILE))
export EVALFILE
endif

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
STRETTO := $(TARGET)/release/stretto
HARNESS := $(TARGET)/release/harness
WORKSHOP := $(TARGET)/release/workshop

.DEFAULT_GOAL := all
.PHONY: all build programs engine run test test-data statistics-check test-namespaces check fmt fmt-check clippy doc links perft bench bench-check loom miri tsan fold instructions kernels results games fields areas release-check faults faults-apply fuzz \
    soak scripts endings tables network dist dist-check install uninstall cross pgo deny msrv mate-claims analysis-check gui-test clean help

# Off by default: two profiles would add noise to a test of two commits.
PGO ?= 0

ifdef EXE
ifeq ($(PGO),1)
all: pgo
else
all: engine
	mkdir -p "$$(dirname "$(EXE)")"
	cp -f "$(STRETTO)" "$(EXE)"
endif
else
all: programs
	$(MAKE) --no-print-directory run
endif

# The commit shown by `--version`. A change only links the small programs again.
build programs engine pgo: export STRETTO_COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)

# `make EXE=stretto FEATURES=lab` makes switches and tunables UCI options, to tune with OpenBench.
FEATURES ?=

build: programs ## build all three programs (release)
	$(CARGO) build --release --package stretto-workshop

programs: ## build engine and harness (release)
	$(CARGO) build --release --bin stretto --bin harness

engine: ## build the engine (release)
	$(CARGO) build --release --package stretto-engine $(if $(FEATURES),--features "$(FEATURES)")

run: ## run a self-play SPRT of late move reductions
	$(HARNESS) sprt configs/sprt/late-move-reductions.yaml

# Most tests wait for programs that they start, so more of them run at once than there are cores.
test: export RUST_TEST_THREADS ?= $(shell expr 3 '*' $$(getconf _NPROCESSORS_ONLN || echo 2))
test: ## run all tests
	$(CARGO) test --workspace --no-fail-fast

DATA ?= $(abspath ../shared/data)
test-data: ## run the tests that need larger collections (DATA=folder)
	STRETTO_TEST_DATA="$(abspath $(DATA))" $(CARGO) test --workspace --no-fail-fast -- --ignored with_data

statistics-check: ## simulate error rates, coverage and bias of the statistics with 5,000 runs each, for some minutes
	$(CARGO) test --release --package stretto-stats --test vectors -- --ignored --nocapture --exact simulations::simulated_statistics_are_nominal

test-namespaces: ## run the tests of full and read-only disks (needs user namespaces)
	$(CARGO) test --workspace --test resources -- --ignored with_namespaces

check: fmt-check clippy doc links areas test perft ## run everything that must pass before a commit

fmt: ## format the sources
	$(CARGO) fmt --all

fmt-check:
	$(CARGO) fmt --all --check

clippy: ## lint; warnings are errors
	$(CARGO) clippy --workspace --all-targets -- -D warnings

doc: ## build the reference, private items too; warnings are errors
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links -A rustdoc::invalid-html-tags" $(CARGO) doc --workspace --no-deps --document-private-items

links: ## check the links of all documents (needs python3)
	@if command -v python3 >/dev/null; then python3 scripts/links.py; else scripts/skip.sh links "python3 is not installed"; fi

perft: ## run the perft suites to full depth
	STRETTO_PERFT=full $(CARGO) test --release --package stretto-engine --test perft

bench: engine ## print the engine's signature: nodes and speed on fixed positions
	$(STRETTO) bench

bench-check: engine ## compare the signature with the Bench line of the last commit of the engine
	scripts/bench-check.sh "$(STRETTO)"

loom: ## check the concurrency models (separate target folder)
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$(TARGET)/loom" $(CARGO) test --release --package stretto-engine --test loom

# Sanitizers need a nightly toolchain and so their own target folders.
NIGHTLY := nightly
HAS_NIGHTLY = rustup component list --toolchain $(NIGHTLY) 2>/dev/null | grep -q "^$(1).*(installed)"
# Tests that fill whole tables or start a thousand threads would take hours.
MIRI_TESTS := tt::record tt::storage tt::table::tests::arbitrary threads::pool threads::control threads::result_board \
    eval::network::tests::all_kernels

miri: ## interpret the tests of the hash table, the pool and the kernels with Miri (needs nightly with miri)
	@if $(call HAS_NIGHTLY,miri); then \
	    RUSTFLAGS="-C target-feature=+avx2" MIRIFLAGS="-Zmiri-disable-isolation" PROPTEST_CASES=4 \
	        $(CARGO) +$(NIGHTLY) miri test --package stretto-engine --lib --target-dir "$(TARGET)/miri" -- $(MIRI_TESTS); \
	else scripts/skip.sh miri "Miri is not installed (rustup component add miri --toolchain $(NIGHTLY))"; fi

# The standard library is the toolchain's, which is not instrumented: engine/tests/tsan.txt. Our tests use more of it than
# the program does, and would report more false alarms.
TSAN_TARGET := x86_64-unknown-linux-gnu

tsan: ## run sessions with many searches under ThreadSanitizer (needs nightly)
	@if $(call HAS_NIGHTLY,rustc); then \
	    RUSTFLAGS="-Z sanitizer=thread -C unsafe-allow-abi-mismatch=sanitizer" $(CARGO) +$(NIGHTLY) build --target $(TSAN_TARGET) \
	        --profile checked --package stretto-engine --bin stretto --target-dir "$(TARGET)/tsan" && \
	    scripts/tsan.sh "$(TARGET)/tsan/$(TSAN_TARGET)/checked/stretto"; \
	else scripts/skip.sh tsan "the nightly toolchain is not installed (rustup toolchain install $(NIGHTLY) --profile minimal)"; fi

# Valgrind supports AVX2 but not AVX-512, so these builds are for plain x86-64-v3.
FOLD := $(TARGET)/fold
FOLD_FLAGS := -C target-cpu=x86-64-v3
CALLGRIND := valgrind --tool=callgrind --callgrind-out-file=/dev/null

fold: ## count instructions of the play search with and without switches (needs valgrind)
	RUSTFLAGS="$(FOLD_FLAGS)" $(CARGO) build --release --package stretto-engine --target-dir "$(FOLD)/with"
	RUSTFLAGS="$(FOLD_FLAGS) --cfg switches_removed" $(CARGO) build --release --package stretto-engine --target-dir "$(FOLD)/without"
	$(CALLGRIND) "$(FOLD)/with/release/stretto" bench 5 2>&1 | grep -E "nps|Collected"
	$(CALLGRIND) "$(FOLD)/without/release/stretto" bench 5 2>&1 | grep -E "nps|Collected"

KERNELS := $(FOLD)/with/release/examples/kernels

# Linked as a bench is (Cargo.toml).
BUILD_KERNELS := CARGO_PROFILE_RELEASE_LTO=fat RUSTFLAGS="$(FOLD_FLAGS)" $(CARGO) build --release --package stretto-engine --example kernels --target-dir "$(FOLD)/with"

kernels:
	$(BUILD_KERNELS)

# Counts of equal source and compiler agree within about 0.3 %. A change of the search that costs more
# instructions on purpose stores its counts with UPDATE=1 and so states the cost.
MAX_RISE := 1

# The build is not a call of make: `make -n` would run the line that contains it.
instructions: ## fail if an instruction count is over 1 % above the stored one (UPDATE=1 stores them; needs valgrind)
	@if ! command -v valgrind >/dev/null; then scripts/skip.sh instructions "valgrind is not installed"; \
	elif [ -z "$(UPDATE)" ] && ! grep -qxF "compiler: $$(rustc --version)" results/instructions.yaml; then \
	    scripts/skip.sh instructions "results/instructions.yaml has the counts of another compiler"; \
	else \
	    $(BUILD_KERNELS) && \
	    $(CARGO) run --quiet --package stretto-harness --example instructions -- \
	        "$(KERNELS)" results/instructions.yaml $(if $(UPDATE),--update,--max-rise $(MAX_RISE)); \
	fi

# Programs given on the command line (STRETTO=path HARNESS=path KERNELS=path) are used as they are.
given = $(findstring command,$(origin $(1)))
RESULTS = python3 scripts/results.py $(1) --stretto "$(STRETTO)" --harness "$(HARNESS)" --workshop "$(WORKSHOP)" --kernels "$(KERNELS)" --cargo "$(CARGO)"

results: $(if $(call given,STRETTO),,build) $(if $(call given,KERNELS),,kernels) ## measure the cheap figures of results/README.md again (ROWS="bench perft": only these; needs python3 3.11)
	$(call RESULTS,measure $(ROWS))

games: ## write the counts of results/games.tsv into the tables of the results (needs python3 3.11)
	python3 scripts/games.py

fields: ## write the fields of all configuration files into configs/README.md
	UPDATE=1 $(CARGO) test --package stretto-workshop --lib -- --exact cli::fields::configs_page_has_the_fields_of_the_schemas

areas: ## check that results/areas.toml covers each source file, and that the tables of figures and games are up to date (needs python3 3.11)
	@if command -v python3 >/dev/null; then python3 scripts/results.py areas && python3 scripts/games.py --check; else scripts/skip.sh areas "python3 is not installed"; fi

release-check: ## fail while an area that a figure depends on has changed since its measurement (needs python3 3.11 and the history)
	@python3 scripts/results.py check
	@python3 scripts/networks.py --check
	@version=$$(sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml | head -n 1); \
	newest=$$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1); \
	test "$$newest" = "$$version" || { echo "CHANGELOG.md: the newest version is $$newest, that of Cargo.toml $$version"; exit 1; }
	@$(CARGO) metadata --locked --format-version 1 >/dev/null

fuzz: ## fuzz every parser, ten minutes or ten million inputs each (FUZZ_SECONDS=, FUZZ_INPUTS=, FUZZ_TARGET=)
	FUZZ_SECONDS="$(FUZZ_SECONDS)" FUZZ_INPUTS="$(FUZZ_INPUTS)" FUZZ_TARGET="$(FUZZ_TARGET)" \
	    $(CARGO) test --package stretto-workshop --test fuzz -- --ignored --nocapture --exact all_for_long

faults: ## plant each fault of tests/faults and check that the test it names fails (FAULTS="names"; half an hour on two cores)
	python3 scripts/faults.py run $(FAULTS)

faults-apply: ## check that the faults still apply
	@if command -v python3 >/dev/null; then python3 scripts/faults.py apply; else scripts/skip.sh faults-apply "python3 is not installed"; fi

soak: ## send random commands to the engine for an hour, with assertions (SOAK_SECONDS=n)
	SOAK_SECONDS="$(or $(SOAK_SECONDS),3600)" \
	    $(CARGO) test --profile checked --package stretto-engine --test uci_process -- --ignored --nocapture --exact soak::soak

endings: ## play 2,000 endings of four pieces at 10 ms per move, with and without tables (needs Syzygy tables)
	STRETTO_TEST_DATA="$(abspath $(DATA))" $(CARGO) test --release --package stretto-engine --test tablebases -- --ignored --nocapture --exact play::two_thousand_endgames_are_played_to_their_result

scripts: ## run 10,000 random UCI scripts at 1 to 8 threads, with assertions (SCRIPTS=n)
	SCRIPTS="$(or $(SCRIPTS),10000)" \
	    $(CARGO) test --profile checked --package stretto-engine --test uci_process -- --ignored --nocapture --exact soak::scripts

GENERATIONS ?= 10
network: build ## train the embedded network again, from the first generation on; takes days, and resumes (GENERATIONS=n)
	scripts/network.sh $(WORKSHOP) configs/network $(GENERATIONS)

# The embedded network of an earlier commit, for matches between builds: `make target/networks/c88eb40.network`.
$(TARGET)/networks/%.network:
	mkdir -p "$(@D)"
	git show "$*:engine/networks/stretto.network" > "$@.tmp" && mv "$@.tmp" "$@"

TABLES := $(TARGET)/tables

tables: build ## generate and verify all tables of up to four pieces; compare with the embedded ones, Syzygy and Gaviota (SYZYGY=folder, GAVIOTA=folder)
	$(WORKSHOP) tb embed
	$(WORKSHOP) tb generate 4 --verify --out "$(TABLES)"
	$(WORKSHOP) tb verify 4 --tables "$(TABLES)"
ifdef SYZYGY
	$(WORKSHOP) tb compare 4 --tables "$(TABLES)" --syzygy "$(SYZYGY)"
	$(WORKSHOP) tb compare 4 --metric dtz --syzygy "$(SYZYGY)"
endif
ifdef GAVIOTA
	$(WORKSHOP) tb compare 4 --tables "$(TABLES)" --gaviota "$(GAVIOTA)"
endif

dist: ## make the release files for Linux and Windows: archives, Debian packages, checksums, licences, SBOMs in CycloneDX (DIST=folder, TRIPLES=, LEVELS=)
	TARGET="$(TARGET)" DIST="$(or $(DIST),$(TARGET)/dist)" CARGO="$(CARGO)" scripts/dist.sh

dist-check: ## make the release files in two folders and compare them (TRIPLES=, LEVELS=)
	scripts/dist-check.sh

PREFIX ?= /usr/local
DESTDIR ?=

# Without cargo, as root may be, the programs must be built already.
install: $(if $(shell command -v $(CARGO)),build) ## install programs, manual pages, completions and licence (PREFIX=/usr/local, DESTDIR=)
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh install "$(TARGET)/release"

uninstall: ## remove what install wrote (PREFIX=, DESTDIR=)
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh uninstall

cross: ## check, build and run for other systems, as far as the installed tools allow (TRIPLES="targets")
	CROSS="$(TARGET)/cross" CARGO="$(CARGO)" scripts/cross.sh

pgo: ## build the engine with profile-guided optimisation (EXE=path, FEATURES=; needs rustup's llvm-tools)
	TARGET="$(TARGET)" EXE="$(EXE)" FEATURES="$(FEATURES)" CARGO="$(CARGO)" scripts/pgo.sh

# Checks crates of other systems as well, so they are fetched first. Advisories are skipped if their
# database cannot be fetched.
deny: ## check licences, advisories, duplicates and sources of all crates (needs cargo-deny)
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
	    scripts/skip.sh deny "cargo-deny is not installed (cargo install cargo-deny)"; \
	elif ! $(CARGO) fetch --locked --quiet; then scripts/skip.sh deny "the crates cannot be fetched"; \
	elif $(CARGO) deny fetch db >/dev/null 2>&1; then $(CARGO) deny check; \
	else $(CARGO) deny check bans licenses sources && \
	    scripts/skip.sh advisories "the database cannot be fetched"; fi

msrv: ## check the workspace with the minimum Rust version of Cargo.toml (needs rustup)
	@scripts/msrv.sh "$(TARGET)"

ENDINGS := $(TARGET)/endings

mate-claims: build ## search 600 won endings of three pieces; fail on a claimed mate without proof (needs python3 with chess)
	@if python3 -c "import chess" 2>/dev/null; then \
	    rm -rf "$(ENDINGS)" && mkdir -p "$(ENDINGS)" && \
	    scripts/endings.py --workshop "$(WORKSHOP)" KRvK KQvK KPvK > "$(ENDINGS)/won.epd" && \
	    for nodes in 5000 50000; do \
	        "$(HARNESS)" -q suite "$(ENDINGS)/won.epd" --nodes $$nodes --strict --out "$(ENDINGS)/$$nodes" || exit 1; \
	    done; \
	else scripts/skip.sh mate-claims "python-chess is not installed (pip install chess)"; fi

analysis-check: ## check the last lines of stopped searches: one iteration, legal, no false mate (DATA=folder: more published mates)
	STRETTO_TEST_DATA="$(wildcard $(DATA))" \
	    $(CARGO) test --release --package stretto-engine --test search -- --ignored --nocapture --exact analysis::analysis_check

gui-test: engine ## drive the engine with python-chess: play, analysis, Chess960, pondering (needs python3 with chess)
	@if python3 -c "import chess" 2>/dev/null; then python3 scripts/gui_test.py "$(STRETTO)"; \
	else scripts/skip.sh gui-test "python-chess is not installed (pip install chess)"; fi

clean: ## remove the builds; results stay
	$(CARGO) clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24
