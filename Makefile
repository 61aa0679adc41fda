# `make demo` and `make test` are all that a newcomer needs; `make help` lists the rest.
PRESET ?= release
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
GENERATOR := $(shell command -v ninja >/dev/null 2>&1 && echo -G Ninja)
FUZZ_SECONDS ?= 60
MINUTES ?= 10
PREFIX ?= /usr/local
empty :=
space := $(empty) $(empty)
# $(call targets,MODULES) and $(call tests,MODULES): what builds and what selects the tests of these modules; all if there are none
targets = --target $(if $(1),$(patsubst %,test_%,$(1)),all)
tests = $(if $(1),-R "^($(subst $(space),|,$(strip $(1))))(_[0-9])?$$")
# What `make tsan` runs by default: the tests that start threads (tests/CMakeLists.txt).
TSAN_ONLY = $(if $(filter undefined,$(origin ONLY)),threads,$(ONLY))
STRICT := $(if $(CI),-DHEED_WERROR=ON)
# $(call compile,TARGETS)
define compile
	@cmake --preset $(PRESET) $(GENERATOR) $(STRICT) > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target $(1)
endef
# $(call run_tests,BUILD FOLDER): runs the tests, then prints how many passed, failed and were skipped.
run_tests = tools/run_tests.py $(1) -j $(JOBS)

.PHONY: all setup build mpi demo install deb tarball bench-api pictures model test test-all test-resume test-web test-serve test-documents test-cluster test-shards torture bench bench-serve asan tsan no-unity sabotage fuzz tidy format format-check clean help

all: build ## install dependencies and build build/heed (the default)

setup: ## install the Debian packages that the build needs, if any are missing
	@tools/setup.sh build

build: setup
	$(call compile,heed)

mpi: setup ## install Open MPI and build build/heed-mpi, which `mpirun -n N build/heed train …` runs on several machines
	@tools/setup.sh cluster
	@cmake --preset $(PRESET) $(GENERATOR) $(STRICT) -DHEED_MPI=ON > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target heed heed-mpi

demo: build ## train and translate on the built-in corpus
	build/heed demo

install: build ## install program, library, headers, Python package, docs and small model below PREFIX (/usr/local)
	$(call compile,install_files)
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(abspath $(PREFIX))"

deb: build ## build Debian packages in build/packages
	@tools/setup.sh packages
	$(call compile,install_files)
	tools/packages.py deb build build/packages

tarball: build ## build a tarball in build/packages that can be unpacked anywhere
	$(call compile,install_files)
	tools/packages.py tarball build build/packages

pictures: build ## draw the pictures of the docs again, with the model in models/
	@tools/setup.sh web
	tools/docs_images.py

model: build ## train models/pocket-en-de.safetensors again; takes minutes
	HEED_CPU=avx2 build/heed demo --threads 2 --out build/model
	cp build/model/model.safetensors models/pocket-en-de.safetensors

test: setup ## run every test on the release build
	$(call compile,all)
	$(call run_tests,build)

test-all: test test-web test-serve test-documents test-resume test-cluster no-unity ## every check below as well; takes hours
	$(MAKE) asan
	$(MAKE) tsan ONLY=
	$(MAKE) fuzz
	$(MAKE) torture MINUTES=60
	$(MAKE) sabotage

test-resume: build ## kill training runs hundreds of times, resume them and compare the final models
	tests/system/resume_test.py build 60

test-web: build ## test the HTML pages in a browser (headless Chromium)
	@tools/setup.sh web
	/usr/bin/python3 tests/system/web_test.py build

test-serve: build ## test the server's web page in a browser, and the server with clients of others (npm)
	@tools/setup.sh serve
	tests/system/clients_test.py build
	/usr/bin/python3 tests/system/page_test.py build

test-documents: build ## open translated documents in other programs: LibreOffice, msgfmt, xmllint
	@tools/setup.sh documents
	tests/system/document_files_test.py build

test-cluster: mpi ## train in several processes that are killed, started wrongly and connected by slow networks
	tests/system/cluster_test.py build

test-shards: build ## translate 50,000 lines with processes that are killed at random; part of test-cluster
	tests/system/shards_test.py build 50000 10

test-cluster: test-shards

torture: build ## disturb heed in every way for MINUTES (10): kills, failing calls, full disks, hostile files; the next call goes on
	@tools/setup.sh torture
	tools/torture.py --minutes $(MINUTES)

bench: setup ## measure kernels against the machine's limits, and the speed of reading text
	$(call compile,bench_kernels)
	build/bench/bench_kernels

bench-api: setup ## compare the speed of the C++, C and Python APIs with that of the command line
	$(call compile,heed libheed)
	bench/api.py build

bench-serve: setup ## measure the server: speed, overload, attackers, disturbances; QUICK=1 on a busy machine
	@tools/setup.sh load
	$(call compile,heed serve_load)
	bench/serve/run.py $(if $(QUICK),--quick)

asan: setup ## run the tests with the address and undefined-behavior sanitizers; ONLY="MODULE..." runs those modules
	@cmake --preset asan $(GENERATOR) > /dev/null
	@cmake --build --preset asan -j $(JOBS) $(call targets,$(ONLY))
	ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tools/lsan.supp:print_suppressions=0 \
	  $(call run_tests,build-asan) $(call tests,$(ONLY))

tsan: setup ## run the tests that start threads with the thread sanitizer; ONLY="MODULE..." runs those modules, ONLY= every test
	@cmake --preset tsan $(GENERATOR) > /dev/null
	@cmake --build --preset tsan -j $(JOBS) $(call targets,$(TSAN_ONLY))
	TSAN_OPTIONS="suppressions=$(CURDIR)/tools/tsan.supp allocator_may_return_null=1" \
	  $(call run_tests,build-tsan) $(call tests,$(TSAN_ONLY))

no-unity: setup ## compile every source and header on its own: each includes what it needs
	@cmake --preset no-unity $(GENERATOR) > /dev/null
	tools/check_includes.py build-no-unity -j $(JOBS)

sabotage: setup ## plant faults in the code, one at a time; the tests must catch each of them
	seq $(JOBS) | xargs -P $(JOBS) -I{} tools/sabotage.py --part {}/$(JOBS)

fuzz: setup ## run each fuzz target for FUZZ_SECONDS (60) with the sanitizers
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

tidy: setup ## run clang-tidy on src and apps
	@tools/setup.sh tidy
	@cmake --preset $(PRESET) $(GENERATOR) > /dev/null
	git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet

format: ## format every C++ file in place
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

format-check:
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run -Werror

clean: ## remove all build folders
	rm -rf build build-debug build-asan build-tsan build-fuzz build-no-unity build-sabotage*

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
