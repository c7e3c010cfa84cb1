# Everything a person does with Nightjar by hand. Each target sets up what it needs.
SWIFT ?= swift
BIN = .build/release
# The programs hold Swift's libraries in themselves, where the toolchain has these to link: each starts in half the time, and
# runs where there is no Swift. By lld, as the usual linker has a warning for each program about what Foundation calls.
STATIC = $(if $(wildcard $(shell $(SWIFT) -print-target-info | sed -n \
	's/.*"runtimeResourcePath": "\(.*\)".*/\1_static/p')),--static-swift-stdlib -Xswiftc -use-ld=lld)
# One invented person of the bundled exports, shown at the end of `make run`.
EXAMPLE ?= u0917
# How long `make fuzz` tries each parser.
SECONDS = 600
# How much of the soak `make soak` does, and which tests are in it.
SHARE = 1
BAD_NIGHTS = SoakTests|KilledNight|SystemCallInjection|FullDisk|MemoryLimit|PowerCut|MovedPeople|Adversarial|ClockTests
# How many users `make bench` has.
SIZES = 10000 20000 100000 1000000

.PHONY: help setup tools charts build run report test lint sanitize soak fuzz memory bench instructions \
	docs datasets clean

help:
	@echo 'make run        build, run Fusion on the bundled exports, show one person'"'"'s list'
	@echo 'make report     Fusion, evaluated, and its morning report: reports/fusion.html and reports/index.html'
	@echo 'make test       all tests'
	@echo 'make lint       the format, strictly'
	@echo 'make sanitize   all tests under the thread and the address sanitizer (over half an hour)'
	@echo 'make soak       bad nights in full: kills, faults at system calls, full disks, power cuts; SHARE=0.1 for a tenth'
	@echo 'make fuzz       hostile bytes for each parser, SECONDS=600 each, TARGET=csv for one (an hour in all)'
	@echo 'make memory     peak memory of ingest for exports of 10 MB, 100 MB and 1 GB (5 minutes)'
	@echo 'make bench      each stage beside its peers in Python, SIZES="10000 100000"; writes reports/benchmarks.md'
	@echo 'make instructions  counts the instructions of each stage; more than 3 % above the committed counts fail'
	@echo 'make docs       the documents as a site, in .build/docs; a dead link fails'
	@echo 'make datasets   write the bundled exports anew; the bytes stay the same'
	@echo 'make clean      remove the build and all runs'

setup:
	@.ci/setup

tools:
	@.ci/tools

build: setup
	$(SWIFT) build -c release $(STATIC)

run: build
	@echo
	@$(BIN)/nightjar run pipelines/fusion.yaml > /dev/null
	@echo
	@$(BIN)/nightjar show pipelines/fusion.yaml --user $(EXAMPLE) --list partners --top 3

charts:
	@.ci/charts

# A run of its own, so that the committed page stays the same: run 1 of a work directory that begins empty.
REPORT = .build/report
report: build charts
	@rm -rf $(REPORT)
	@$(BIN)/nightjar run pipelines/fusion.yaml --evaluate --as-of 2026-11-16T00:00:00Z --work $(REPORT)/var \
	  --set publish.store=sqlite:../$(REPORT)/serving.sqlite > /dev/null
	@$(BIN)/nightjar-report pipelines/fusion.yaml --work $(REPORT)/var --out reports

test: setup tools
	$(SWIFT) build --build-tests
	@SWIFT='$(SWIFT)' .ci/test

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

sanitize: setup tools
	$(SWIFT) test --sanitize=thread --scratch-path .build/thread
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/address

# The programs are those of the release build: what is killed is what runs at night.
soak: build tools
	$(SWIFT) build --build-tests
	NIGHTJAR_SOAK=$(SHARE) NIGHTJAR_PROGRAMS='$(CURDIR)/$(BIN)' $(SWIFT) test --skip-build --filter '$(BAD_NIGHTS)'

fuzz: setup
	@SWIFT='$(SWIFT)' SECONDS_EACH='$(SECONDS)' TARGET='$(TARGET)' .ci/fuzz

memory: build
	@Benchmarks/memory.sh

bench: build .build/bench/installed
	@PATH="$(CURDIR)/.build/bench/bin:$$PATH" python3 Benchmarks/run.py --bin $(BIN) --sizes $(SIZES)

.build/bench/installed: Benchmarks/requirements.txt
	python3 -m venv .build/bench
	.build/bench/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

instructions: build
	@python3 Benchmarks/instructions.py --bin $(BIN)

docs:
	@.ci/docs

datasets: build
	$(BIN)/nightjar synthesize --like fusion --users 2000 --swipes 53000 --seed 42 --out datasets/fusion --force
	$(BIN)/nightjar synthesize --like fixit --users 1500 --jobs 8000 --seed 42 --out datasets/fixit --force
	$(BIN)/nightjar synthesize --like finding-friends --users 1500 --seed 42 --out datasets/finding-friends --force
	$(BIN)/nightjar synthesize --like madra --users 1500 --swipes 7000 --seed 42 --out datasets/madra --force
	$(BIN)/nightjar synthesize --like funkify --users 1200 --follows 5000 --seed 42 --out datasets/funkify --force

clean:
	rm -rf .build var
