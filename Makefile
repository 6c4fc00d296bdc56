# The two commands are `make demo` and `make test`; each does all of its own set-up.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files '*.c' '*.h' | grep -v codebook_table.c)

.PHONY: demo test build deps deps-test bench soak format install clean

demo: build
	@build/release/01_demo

test: deps-test
	@cmake --preset dev && cmake --build --preset dev -j $(JOBS)
	@cmake --preset asan && cmake --build --preset asan -j $(JOBS)
	@cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS)
	@echo "== sanitized: unit, golden and statistical tests" && ctest --preset asan -j $(JOBS)
	@echo "== fuzz: every decoder, a bounded run; the whole tree built by clang" && ctest --preset fuzz
	@echo "== all tests" && ctest --preset dev -j $(JOBS)

build: deps
	@cmake --preset release && cmake --build --preset release -j $(JOBS)

deps:
	@packaging/deps.sh build

deps-test:
	@packaging/deps.sh build test

bench: deps
	@cmake --preset bench && cmake --build --preset bench -j $(JOBS)
	@build/bench/bench_round

# Long versions of what `make test` does briefly.
soak: deps-test
	@cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS)
	@SOTTO_FUZZ_SECONDS=600 ctest --preset fuzz --timeout 1200
	@cmake --preset dev && cmake --build --preset dev -j $(JOBS)
	@SOTTO_SOAK=1 ctest --preset dev -R statistical --timeout 7200

format:
	@clang-format -i $(SOURCES)

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
