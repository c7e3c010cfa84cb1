# The developers' commands. Each target installs the packages that it needs.
SWIFT ?= swift
BIN = .build/release
# The subcommands that are also separate programs: nightjar-fit is the same as nightjar fit.
LINKS = ingest index fit rank evaluate publish report synthesize
# Links the program statically against the Swift runtime if the toolchain has a static runtime. The program then starts in
# half the time, and runs on machines without Swift. The build uses lld, because the default linker prints warnings about
# Foundation for each program.
STATIC = $(if $(wildcard $(shell $(SWIFT) -print-target-info | sed -n \
	's/.*"runtimeResourcePath": "\(.*\)".*/\1_static/p')),--static-swift-stdlib -Xswiftc -use-ld=lld)
# The person of the bundled exports whose list `make run` prints.
EXAMPLE ?= u0917
# The time for each parser in `make fuzz`.
SECONDS = 600
# The share of all faults that `make soak` injects, and the tests that inject them.
SHARE = 1
BAD_NIGHTS = SoakTests|KilledNight|SystemCallInjection|FullDisk|MemoryLimit|PowerCut|DamagedFile|MovedPeople|Adversarial|ClockTests
# The numbers of nights and people for `make year`, and the program of another version, which runs some of the nights. Without
# UPGRADE, this program is a copy of the installed program with another version number.
NIGHTS = 365
PEOPLE = 20000
UPGRADE =
# The numbers of users for `make bench`.
SIZES = 10000 20000 100000 1000000
# The folder with the downloaded data sets for `make quality`.
DATA =

.PHONY: help setup tools build install deb release release-test run report test pages lint sanitize soak year fuzz \
	memory bench quality instructions docs datasets clean

help:
	@echo 'make build         build the program into .build/release'
	@echo 'make install       install the program, man pages and completions below PREFIX=/usr/local (and DESTDIR)'
	@echo 'make deb           build a Debian package in .build/dist'
	@echo 'make release       build the package and a tarball, with checksums, in .build/dist'
	@echo 'make release-test  test both and the container image in clean Debian roots, and build there (as root; 10 minutes)'
	@echo 'make run           build, run Fusion on the bundled exports, and print one list'
	@echo 'make report        run and evaluate Fusion, and write reports/fusion.html and reports/index.html'
	@echo 'make test          run all tests with the programs of the release build'
	@echo 'make pages         run the commands of all pages with the release build, and compare their output'
	@echo 'make lint          check the format with swift format'
	@echo 'make sanitize      run all tests under the thread and address sanitizers (over half an hour)'
	@echo 'make soak          run the failure tests in full: kills, faults, full disks, power cuts; SHARE=0.1 shortens them to a tenth'
	@echo 'make year          simulate a year of nights of an app with the installed program; NIGHTS=30 PEOPLE=2000 is shorter'
	@echo 'make fuzz          run libFuzzer on each parser for SECONDS=600 (an hour in all); TARGET=csv selects one'
	@echo 'make memory        measure the peak memory of ingest for exports of 10 MB, 100 MB and 1 GB (5 minutes)'
	@echo 'make bench         compare each stage with Python peers, and write reports/benchmarks.md; SIZES="10000 100000"'
	@echo 'make quality       compare the lists with other recommenders on the data sets in DATA=DIR, and write reports/quality.md'
	@echo 'make instructions  count the instructions of each stage; fail if one needs 3% more than recorded'
	@echo 'make docs          build the documents as a site in .build/docs; fail on a dead link'
	@echo 'make datasets      write the bundled exports again, with the same bytes'
	@echo 'make clean         remove the build and all runs'

setup:
	@.ci/setup

tools:
	@.ci/tools

build: setup
	$(SWIFT) build -c release $(STATIC)
	@for command in $(LINKS); do ln -sfn nightjar $(BIN)/nightjar-$$command; done

PREFIX = /usr/local
install:
	@[ -x $(BIN)/nightjar ] || $(MAKE) build
	@.ci/install $(BIN)/nightjar '$(DESTDIR)' '$(PREFIX)'

deb: build
	@.ci/deb/build $(BIN)/nightjar

release: deb
	@.ci/tarball $(BIN)/nightjar

release-test:
	@.ci/release-test

run: build
	@echo
	@$(BIN)/nightjar run pipelines/fusion.yaml > /dev/null
	@echo
	@$(BIN)/nightjar show pipelines/fusion.yaml --user $(EXAMPLE) --list partners --top 3

# The report shows run 1 of an empty work directory, so that the committed page stays the same.
REPORT = .build/report
report: build
	@rm -rf $(REPORT)
	@$(BIN)/nightjar run pipelines/fusion.yaml --evaluate --as-of 2026-11-16T00:00:00Z --work $(REPORT)/var \
	  --set publish.store=sqlite:../$(REPORT)/serving.sqlite > /dev/null
	@$(BIN)/nightjar report pipelines/fusion.yaml --work $(REPORT)/var --out reports

# Tests start the programs of the release build thousands of times, because these programs start faster and users install
# them. The tests include the tests of `make pages`.
test: build tools
	$(SWIFT) build --build-tests
	@NIGHTJAR_PROGRAMS='$(CURDIR)/$(BIN)' SWIFT='$(SWIFT)' .ci/test

# The pages contain the output of the release build for the bundled exports.
pages: build tools
	$(SWIFT) build --build-tests
	NIGHTJAR_PROGRAMS='$(CURDIR)/$(BIN)' $(SWIFT) test --skip-build --filter DocumentedCommandsTests

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks

sanitize: setup tools
	$(SWIFT) test --sanitize=thread --scratch-path .build/thread
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/address

# Kills the programs of the release build, because users run these at night. The simulated month contains each kind of bad
# night once.
soak: build tools
	$(SWIFT) build --build-tests
	NIGHTJAR_SOAK=$(SHARE) NIGHTJAR_PROGRAMS='$(CURDIR)/$(BIN)' $(SWIFT) test --skip-build --filter '$(BAD_NIGHTS)'
	@.ci/year $(BIN)/nightjar --nights 30 --people 2000 --failures 10

year: build
	@$(MAKE) --no-print-directory install PREFIX=/usr/local DESTDIR='$(CURDIR)/.build/year'
	@.ci/year .build/year/usr/local/bin/nightjar --nights $(NIGHTS) --people $(PEOPLE) $(if $(UPGRADE),--upgrade '$(UPGRADE)')

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

# A C compiler is required, because pip compiles lightfm-next.
quality:
	@[ -n '$(DATA)' ] || { echo 'quality: name the folder with the data sets, for example make quality DATA=../data' >&2; exit 64; }
	@$(MAKE) --no-print-directory build .build/quality/installed
	@.build/quality/bin/python3 Benchmarks/quality/run.py --data '$(DATA)' --bin $(BIN)

.build/quality/installed: Benchmarks/quality/requirements.txt
	python3 -m venv .build/quality
	.build/quality/bin/pip install --quiet --disable-pip-version-check --requirement $<
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
