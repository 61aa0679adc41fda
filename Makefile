# heed's front door. `make demo` and `make test` do everything a newcomer needs; see `make help`.
PRESET ?= release
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
GENERATOR := $(shell command -v ninja >/dev/null 2>&1 && echo -G Ninja)
FUZZ_SECONDS ?= 60
# The modules whose tests start threads.
ONLY ?= base search translate train
empty :=
space := $(empty) $(empty)
STRICT := $(if $(CI),-DHEED_WERROR=ON)
# $(call compile,TARGETS): only what the task at hand needs.
define compile
	@cmake --preset $(PRESET) $(GENERATOR) $(STRICT) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target $(1)
endef
# $(call run_tests,BUILD FOLDER): ends with the number of tests that passed, failed and were skipped.
run_tests = tools/run_tests.py $(1) -j $(JOBS)

.PHONY: all setup build demo test test-all test-resume test-web bench asan tsan headers no-unity sabotage fuzz tidy format format-check clean help

all: build ## set up and build build/heed (the default)

setup: ## install what the build needs (Debian packages)
	@tools/setup.sh build

build: setup
	$(call compile,heed)

demo: build ## the main job on the built-in corpus
	build/heed demo

test: setup ## every test of the release build
	$(call compile,all)
	$(call run_tests,build)

test-all: test test-web test-resume headers no-unity ## everything there is, in full: hours
	$(MAKE) asan
	$(MAKE) tsan ONLY=
	$(MAKE) fuzz
	$(MAKE) sabotage

test-resume: build ## kill training runs hundreds of times and compare what they end with
	tests/system/resume_test.py build 60

test-web: build ## the pages in a real browser (Debian's Chromium, headless)
	@tools/setup.sh web
	/usr/bin/python3 tests/system/web_test.py build

bench: setup ## speed of the kernels against the machine's limits, and of indexing
	$(call compile,bench_kernels)
	build/bench/bench_kernels

asan: setup ## the tests under the address and undefined-behavior sanitizers; SKIP=regex leaves some out
	@cmake --preset asan $(GENERATOR) > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0 \
	  $(call run_tests,build-asan) $(if $(SKIP),-E "$(SKIP)")

tsan: setup ## the modules that use threads under the thread sanitizer; ONLY="module ..." others, ONLY= every test
	@cmake --preset tsan $(GENERATOR) > /dev/null
	@cmake --build --preset tsan -j $(JOBS) --target $(if $(ONLY),$(ONLY:%=test_%),all)
	TSAN_OPTIONS="suppressions=$(CURDIR)/tools/tsan.supp allocator_may_return_null=1" \
	  $(call run_tests,build-tsan) $(if $(ONLY),-R "^($(subst $(space),|,$(strip $(ONLY))))$$")

headers: setup ## every header of src compiles on its own
	@cmake --preset $(PRESET) $(GENERATOR) $(STRICT) > /dev/null
	tools/check_headers.py build -j $(JOBS)

no-unity: setup ## build heed file by file, unoptimized: each file includes what it needs
	@cmake --preset no-unity $(GENERATOR) > /dev/null
	@cmake --build --preset no-unity -j $(JOBS) --target heed

sabotage: setup ## break the code on purpose in many places; each break must turn the tests red
	tools/sabotage.py

fuzz: setup ## each fuzz target for FUZZ_SECONDS (60) under the sanitizers
	@tools/setup.sh fuzz
	@cmake --preset fuzz $(GENERATOR) > /dev/null
	@cmake --build --preset fuzz -j $(JOBS) --target fuzz_targets
	@for target in build-fuzz/tests/fuzz/fuzz_*; do \
	  [ -x "$$target" ] && [ ! -d "$$target" ] || continue; \
	  name=$${target##*/fuzz_}; found=build-fuzz/corpus/$$name; mkdir -p "$$found"; \
	  [ ! -d "tests/fuzz/corpus/$$name" ] || cp "tests/fuzz/corpus/$$name"/* "$$found"; \
	  echo "fuzz: $$name for $(FUZZ_SECONDS) s"; \
	  "$$target" -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -artifact_prefix=build-fuzz/$$name- \
	    "$$found" > build-fuzz/$$name.log 2>&1 || { tail -n 60 build-fuzz/$$name.log; exit 1; }; \
	  grep '^Done' build-fuzz/$$name.log; \
	done

tidy: setup ## clang-tidy over src and apps
	@tools/setup.sh tidy
	@cmake --preset $(PRESET) $(GENERATOR) > /dev/null
	git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet

format: ## format every C++ file in place
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

format-check:
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run -Werror

clean: ## remove everything built
	rm -rf build build-debug build-asan build-tsan build-fuzz build-no-unity build-sabotage

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
