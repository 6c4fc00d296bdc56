# The two commands are `make demo` and `make test`; each does all of its own set-up.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files '*.c' '*.h' | grep -v codebook_table.c)

.PHONY: demo test cross cross-build cross-tests cross-bytes build python deps deps-bench deps-cross deps-python deps-test deps-wasm bench reproduce soak format install clean

# The paper's setting at a small horizon; `sotto simulate --help` has the options.
DEMO_METHODS = sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,best-arm,ols,linucb,sgd,glm-ucb,random

# Where the quick page goes: a new folder for every build, because two pages never mix.
PAGE = build/page-$$(sha256sum build/release/sotto | cut -c 1-12)

demo: build
	@build/release/01_demo
	@echo && echo "ALL METHODS" && echo
	@build/release/sotto simulate --method $(DEMO_METHODS) --dim 2 --arms 10 --horizon 20000 \
		--epsilon 1 --seeds 10 --summary
	@echo && echo "THE PAPER, REPRODUCED" && echo
	@build/release/sotto reproduce --quick --out $(PAGE)
	@echo && echo "A SERVICE, AND A CRASH" && echo
	@examples/08_service.sh build/release

# Two tests more at a time than there are cores: many wait for a clock, a disk or a server.
test: deps-test preset-dev preset-asan preset-fuzz
	@echo "== sanitized" && ctest --preset asan -j $$(($(JOBS) + 2))
	@echo "== fuzz: every decoder, a bounded run; all of src built by clang" && ctest --preset fuzz -j $$(($(JOBS) + 2))
	@echo "== all tests" && ctest --preset dev -j $$(($(JOBS) + 2))

# The other kind of machine, built here and run by qemu: 64-bit ARM on x86-64, x86-64 everywhere else. The tests of single
# files, among them those of golden bytes, and the same bytes from both binaries. `make soak-cross` does it part by part.
OTHER = $(if $(filter x86_64,$(shell uname -m)),aarch64,x86_64)
OTHER_IN_DEBIAN = $(if $(filter x86_64,$(OTHER)),amd64,arm64)
SAME_BYTES = python3 tests/measure/same_bytes.py --emulator "qemu-$(OTHER) -L /usr/$(OTHER)-linux-gnu -cpu max"
SLICE = 1,,1
cross: cross-build
	@$(MAKE) --no-print-directory cross-tests
	@$(MAKE) --no-print-directory cross-bytes
	@$(MAKE) --no-print-directory cross-bytes SETTINGS="--random 600"

cross-build: deps-cross
	@$(MAKE) --no-print-directory preset-release preset-cross

cross-tests:
	@ctest --preset cross -j $(JOBS) -I $(SLICE)

cross-bytes:
	@$(SAME_BYTES) $(SETTINGS) build/release/sotto build/cross/sotto

build: deps preset-release

# The wheel, and a virtual environment that has it: build/release/python. Offline, with Debian's packages.
python: deps-python preset-release
	@python/wheel.sh build/release

# The service is measured beside nginx, under the load of wrk; devices and the fleet at both.
bench: deps-bench preset-bench
	@build/bench/bench_round && echo && build/bench/bench_publish && echo && build/bench/bench_watch && echo && build/bench/bench_privacy && echo && build/bench/bench_methods
	@echo && build/bench/bench_dataset && echo && build/bench/bench_journal build/bench
	@echo && build/bench/bench_intake && echo && build/bench/bench_steps && echo && build/bench/bench_fold
	@echo && python3 bench/front.py build/bench && echo && python3 bench/service.py build/bench
	@echo && python3 bench/cluster.py build/bench
	@echo && python3 bench/abuse.py build/bench
	@echo && build/bench/bench_device build/bench && echo && python3 bench/device.py build/bench
	@echo && python/wheel.sh build/bench >/dev/null && python3 bench/python.py build/bench

# The paper's horizons: more than an hour on two cores. Goes on where it was stopped.
reproduce: build
	@build/release/sotto reproduce --full --out $(PAGE)-full

# Long versions of what `make test` does briefly: `make soak` runs all pieces to their end, `make soak-NAME` one
# (fuzz, threads, crashes, ...) for at most an hour. Both go on where they were stopped.
soak: deps-test
	@python3 tests/measure/soak.py

soak-%: deps-test
	@python3 tests/measure/soak.py $*

deps:
	@packaging/deps.sh build

deps-cross:
	@packaging/deps.sh build cross-$(OTHER_IN_DEBIAN)
	@packaging/foreign.sh $(OTHER_IN_DEBIAN) build/foreign libcmocka-dev zlib1g-dev libsqlite3-dev libjansson-dev \
		libmicrohttpd-dev libpq-dev libcurl4-openssl-dev

deps-bench:
	@packaging/deps.sh build bench python

deps-python:
	@packaging/deps.sh build python

deps-test:
	@packaging/deps.sh build test python

# What the test of terms in WebAssembly needs; without it that test is skipped.
deps-wasm:
	@packaging/deps.sh wasm

# Configures and builds one preset of CMakePresets.json in build/PRESET.
preset-%: deps
	@cmake --preset $* >/dev/null && cmake --build --preset $* -j $(JOBS)

format:
	@packaging/deps.sh format
	@clang-format -i $(SOURCES)

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
