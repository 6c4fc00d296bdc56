# `make help` lists the commands; each does all of its own set-up. The first one is `make demo`.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files '*.c' '*.h' | grep -v codebook_table.c)

.PHONY: demo test cross cross-32 cross-build cross-tests cross-bytes build python deb wheels dist rebuild-check try-packages try-wheels image deps deps-bench deps-compiler deps-cross deps-deb deps-docs deps-image deps-prove deps-python deps-test deps-web bench reproduce prove soak tables docs web web-tried help format install clean

# The paper's setting at a small horizon; `sotto simulate --help` has the options.
DEMO_METHODS = sotto,sotto-ols,ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,best-arm,ols,linucb,sgd,glm-ucb,random

# Where the quick page goes: a new directory for every build, because two pages never mix.
PAGE = build/page-$$(sha256sum build/release/sotto | cut -c 1-12)

demo: build ## compare methods, draw figures, crash a service, open a page
	@build/release/01_demo
	@echo && echo "ALL METHODS" && echo
	@build/release/sotto simulate --method $(DEMO_METHODS) --dim 2 --arms 10 --horizon 20000 \
		--epsilon 1 --seeds 10 --summary
	@echo && echo "THE PAPER, REPRODUCED" && echo
	@build/release/sotto reproduce --quick --out $(PAGE)
	@echo && echo "A SERVICE, AND A CRASH" && echo
	@examples/08_service.sh build/release
	@echo && echo "TAKE PART WITH YOUR OWN BROWSER" && echo
	@if $(MAKE) --no-print-directory web-tried >build/web.log 2>&1 && [ -e build/web/sotto-client/index.js ]; then \
		[ -e build/web/pages/uplot.js ] || echo "the dashboard of sottod cannot be built (build/web.log says why); 'make web build' tries again"; \
		examples/09_browser.sh build/release build/web; else \
		echo "the page cannot be built (build/web.log says why); 'make web' tries again"; fi

# Three tests more at a time than there are cores: many wait for a clock, a disk or a server.
test: deps-test web-tried preset-dev preset-asan preset-fuzz ## build without a warning, run every test
	@echo "== sanitized" && ctest --preset asan -j $$(($(JOBS) + 3))
	@echo "== fuzz: every decoder, a bounded run; all of src built by clang" && ctest --preset fuzz -j $$(($(JOBS) + 3))
	@echo "== all tests" && ctest --preset dev -j $$(($(JOBS) + 3))

# The other kind of machine, built here and run by qemu: 64-bit ARM on x86-64, x86-64 everywhere else. The tests of single
# files, among them those of golden bytes, and the same bytes from both binaries. `make soak-cross` does it part by part.
OTHER = $(if $(filter x86_64,$(shell uname -m)),aarch64,x86_64)
OTHER_IN_DEBIAN = $(if $(filter x86_64,$(OTHER)),amd64,arm64)
SAME_BYTES = python3 tests/measure/same_bytes.py --emulator "qemu-$(OTHER) -L /usr/$(OTHER)-linux-gnu -cpu max"
SLICE = 1,,1
cross: cross-build ## build and test for the other architecture (qemu)
	@$(MAKE) --no-print-directory cross-32
	@$(MAKE) --no-print-directory cross-tests
	@$(MAKE) --no-print-directory cross-bytes
	@$(MAKE) --no-print-directory cross-bytes SETTINGS="--random 600"

cross-build: deps-cross
	@$(MAKE) --no-print-directory preset-release preset-cross

# A board: core and client on 32-bit ARM, with their tests.
cross-32:
	@packaging/deps.sh build cross-armhf
	@packaging/foreign.sh armhf build/foreign-32 libcmocka-dev zlib1g-dev
	@$(MAKE) --no-print-directory preset-cross32
	@ctest --preset cross32 -j $(JOBS)

cross-tests:
	@ctest --preset cross -j $(JOBS) -I $(SLICE)

cross-bytes:
	@$(SAME_BYTES) $(SETTINGS) build/release/sotto build/cross/sotto

build: deps preset-release ## the programs and libraries, in build/release

web: deps deps-web ## modules, pages and package for browsers, in build/web
	@cmake --preset web >/dev/null 2>&1 && cmake --build --preset web -j $(JOBS)
	@node web/client/make.mjs build/web

# What can be had without the npm registry; tests of the rest are skipped.
web-tried: deps deps-web
	@cmake --preset web >/dev/null 2>&1 && cmake --build --preset web -j $(JOBS) -- -k 0 || echo "not all of it can be built: 'make web' tries again"
	@node web/client/make.mjs build/web || true

# The wheel, and a virtual environment that has it: build/wheel/python. Offline, with Debian's packages.
python: deps-python preset-wheel ## the Python package, in build/wheel/python
	@python/wheel.sh build/wheel

# What people install, of the last commit: docs/install.md. SIGN names the key that signs a release.
deb: deps-deb deps-web ## Debian packages of the last commit, in build/deb
	@packaging/deb.sh "$$(packaging/dist.sh build/deb)" build/deb && ls build/deb/*.deb

wheels: deps-deb deps-python deps-compiler ## wheels for both architectures, in build/wheels
	@packaging/wheels.sh build/wheels

dist: deps-deb deps-python deps-compiler deps-web ## a release of the last commit, in build/dist; SIGN=KEY signs it
	@mkdir -p build/deb && PACKAGES=$(CURDIR)/build/deb SIGN=$(SIGN) packaging/release.sh build/dist && ls build/dist

rebuild-check: dist ## build the release again, compare the bytes
	@packaging/rebuild.sh build/dist build/rebuild

# Installs the packages into a new Debian root, as root, and tries them there, beside those of another version and under systemd.
try-packages: deb
	@DEB_CFLAGS_APPEND=-O0 DEB_BUILD_OPTIONS=noautodbgsym packaging/deb.sh build/deb/sotto-*.tar.gz build/next 0.99.0
	@packaging/try.sh build/deb build/root build/next
	@packaging/try-unit.sh build/deb build/root

# The same for the wheels of both architectures, by pip.
try-wheels: wheels
	@for wheel in build/wheels/*.whl; do packaging/try-wheel.sh "$$wheel" build/root-"$$(basename "$${wheel##*linux_}" .whl)" || exit 1; done

# As root: builds the image, runs its service and reads the objects of packaging/kustomize.
image: deps-image deps-docs deps-web ## the image of sottod, in build/image
	@packaging/image.sh build/image

# The service is measured beside nginx, under the load of wrk; devices and the fleet at both.
bench: deps-bench preset-bench ## measure speed and memory
	@build/bench/bench_round && echo && build/bench/bench_publish && echo && build/bench/bench_watch && echo && build/bench/bench_privacy && echo && build/bench/bench_methods
	@echo && build/bench/bench_dataset && echo && build/bench/bench_journal build/bench
	@echo && build/bench/bench_intake && echo && build/bench/bench_steps && echo && build/bench/bench_fold
	@echo && python3 bench/front.py build/bench && echo && python3 bench/service.py build/bench
	@echo && python3 bench/pause.py build/bench
	@echo && python3 bench/cluster.py build/bench && echo && python3 bench/experiments.py build/bench 1200 100 15 build/bench/experiments.csv
	@echo && python3 bench/floods.py build/bench && echo && python3 bench/abuse.py build/bench
	@echo && build/bench/bench_device build/bench && echo && python3 bench/device.py build/bench
	@echo && python/wheel.sh build/bench >/dev/null && python3 bench/python.py build/bench

# The paper's horizons: more than an hour on two cores. Goes on where it was stopped.
reproduce: build ## the paper at its own horizons: about 3 hours on one core
	@build/release/sotto reproduce --full --out $(PAGE)-full

# Long versions of what `make test` does briefly: `make soak` runs all pieces to their end, `make soak-NAME` one
# (fuzz, threads, crashes, ...) for at most an hour. Both go on where they were stopped.
soak: deps-test ## all long tests, many hours; soak-NAME: one, for an hour
	@python3 tests/measure/soak.py

soak-%: deps-test
	@python3 tests/measure/soak.py $*

# The contracts of the choice of a codeword and the theorems about its weights: also a piece of the soak. docs/privacy.md,
# section 17.
prove: deps-prove ## prove the integers of the choice of a codeword (Frama-C, Coq)
	@tests/prove/prove.sh

deps:
	@packaging/deps.sh build

deps-cross: deps-compiler
	@packaging/foreign.sh $(OTHER_IN_DEBIAN) build/foreign libcmocka-dev zlib1g-dev libsqlite3-dev libjansson-dev \
		libmicrohttpd-dev libpq-dev libcurl4-openssl-dev

# A compiler for the other architecture.
deps-compiler:
	@packaging/deps.sh build cross-$(OTHER_IN_DEBIAN)

deps-bench:
	@packaging/deps.sh build bench python

deps-python:
	@packaging/deps.sh build python

deps-test: ## install the Debian packages that tests need
	@packaging/deps.sh build test python

deps-deb:
	@packaging/deps.sh deb

deps-image:
	@packaging/deps.sh image

deps-prove:
	@packaging/deps.sh prove

deps-docs:
	@packaging/deps.sh docs

# What compiles to WebAssembly and runs it; without it tests of modules are skipped.
deps-web:
	@packaging/deps.sh web

# Configures and builds one preset of CMakePresets.json in build/PRESET.
preset-%: deps
	@cmake --preset $* >/dev/null && cmake --build --preset $* -j $(JOBS)

# Pages, and tables in pages, that are made from the code and from measurements; a test compares.
tables: ## write the tables of all pages from research/*.csv
	@python3 tests/measure/settings.py --write
	@python3 tests/measure/tables.py

docs: deps-docs ## pages and API reference as a site, in build/site
	@python3 packaging/site.py build/site

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile | expand -t 17

format: ## apply clang-format
	@packaging/deps.sh format
	@clang-format -i $(SOURCES)

install: build ## install to PREFIX, /usr/local by default
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build
