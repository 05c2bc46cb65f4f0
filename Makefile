# Run make for a list of targets. Building c4hat needs only Go.

GO ?= go
VERSION := $(shell internal/dev/release/version)
LDFLAGS := -s -w $(if $(VERSION),-X main.release=$(VERSION))
BUILD := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)'

PREFIX ?= /usr/local

.PHONY: help play build test test-long test-race test-386 test-arm test-kernel e2e e2e-long e2e-full e2e-arm64 previous bench bench-once bench-solver race-solvers levels book prove pictures fuzz soak lint vulncheck cross deb test-deb site test-browser release test-release install uninstall clean c4hat modules first go

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

play: c4hat ## build c4hat and play; no HAT needed
	@exec ./c4hat play $(ARGS)

build: modules c4hat ## build ./c4hat for this machine, its manual pages, completions and menu entry
	@internal/dev/release/share

modules: first go # all that share needs too: a network that fails later would cost half an hour
	@$(GO) list -deps -test ./cmd/c4hat ./internal/dev/pictures >/dev/null

first: # before go, which may have to load the right Go
	@test -x c4hat || echo "building c4hat: the first time takes half a minute on a PC, and up to half an hour on a Pi"

# Go needs 190 MB for temporary files, and on Debian 13 /tmp is in memory, of which a small Pi has little.
c4hat: first go
	@mkdir -p build/tmp
	@GOTMPDIR=$(CURDIR)/build/tmp $(BUILD) -o c4hat ./cmd/c4hat

# Go's default limit of ten minutes a package is too short for slow machines, the race
# detector and emulation. Most parallel tests wait for a program that plays at human speed, so they
# do not need a core each. Vet runs in make lint.
TEST := $(GO) test -vet=off -timeout 1h -parallel 8

# Packages that start goroutines.
CONCURRENT = $(filter-out $(THINKING) $(STORE),$(shell $(GO) list -f '{{range .GoFiles}}{{$$.Dir}}/{{.}} {{end}}{{range .TestGoFiles}}{{$$.Dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$.Dir}}/{{.}} {{end}}' ./... | \
	xargs grep -l -e '^[[:space:]]*go [a-z]' -e '\.Go[^A-Za-z]' | xargs dirname | sort -u))
# Of these, most tests only think, in one goroutine, and the race detector makes that ten times slower.
THINKING = $(CURDIR)/board/solver $(CURDIR)/internal/computer
# These tests try every moment on a disk, without a goroutine.
STORE = $(CURDIR)/internal/store
ALONE = ^Test(Crash|Faults|LateIsBounded|Flipped|Last$$|Blocks|RoundTrip)

# With RACES=1, what make test-race runs does not run once more without the race detector.
ifdef RACES
test: test-race
	$(TEST) $(filter-out $(CONCURRENT),$(shell $(GO) list -f '{{.Dir}}' ./...))
	$(TEST) -run '^($(LONG))$$' $(sort $(dir $(SHORT)))
else
test: go ## run all tests, including long ones
	$(TEST) ./...
endif

# The tests of CONCURRENT that -short shortens or leaves out, and their files.
SHORT = $(shell grep -l 'testing\.Short' $(wildcard $(CONCURRENT:%=%/*_test.go)))
LONG = $(shell awk -F '[[:punct:][:space:]]+' '/^func Test/ { name = $$2 } /testing\.Short/ { print name }' $(SHORT) | sort -u | paste -sd'|')

# By default every program under the race detector sleeps for a second before it ends. The detector
# watches the rules and the solver in the last line alone: elsewhere that would take most of the time.
RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 $(TEST) -race -short
UNWATCHED := -gcflags='github.com/c4hat/c4hat/board/...=-race=false'
test-race: go ## run the short tests of packages with goroutines under the race detector; needs a C compiler
	$(RACE) $(UNWATCHED) $(CONCURRENT)
	$(RACE) $(UNWATCHED) -skip '$(ALONE)' $(STORE)
	$(RACE) -run 'Threads$$|Cancel|Progress' $(THINKING)

# As a 32-bit program, c4hat itself plays in the guest of make test-kernel. SKIP is a pattern of tests
# that take long.
SKIP ?=
test-386: go ## run the short tests of packages with arithmetic or bytes as 32-bit programs; on amd64
	CGO_ENABLED=0 GOARCH=386 $(TEST) -short -skip '^($(SKIP))$$' ./board/... ./hat/... $(addprefix ./internal/,analysis api computer game levels light match settings socket store tournament)

test-arm: go ## run the short tests of the rules and the solver as on the first Pi; needs qemu-user
	CGO_ENABLED=0 GOARCH=arm GOARM=6 $(TEST) -short -skip '^($(SKIP))$$' -exec qemu-arm ./board ./board/solver

# The corpora of the fuzz targets run with the tests.
test-long: test-386 test-arm ## run all of what every change is tested with in part, and each fuzz target for a moment
	$(MAKE) fuzz FUZZTIME=300x FUZZ_AT_ONCE=2
	$(TEST) -count=1 ./internal/bot -run 'TestInterleavings$$' -runs 1000

# Raspberry Pi OS is Debian 13 today, and Debian 12 on many cards.
SYSTEMS ?= 12 13

test-kernel: $(SYSTEMS:%=test-kernel-%) ## run the tests on real kernels in QEMU, of Debian 12 and 13 or SYSTEMS=13; needs root the first time
test-kernel-%: go
	$(GO) run ./internal/dev/e2e/prepare kernel $*
	$(TEST) -tags kernel -count=1 ./internal/dev/e2e -system $*

# A machine waits half of its time, so three share two cores; it is never late by its own clock.
E2E := $(GO) test -tags 'kernel machine' -count=1 -p 1 -parallel 3 -timeout 2h -v

# DEB= tests the package that is in build already.
DEB ?= deb
e2e: $(SYSTEMS:%=e2e-%) ## test the package in QEMU on Debian 12 and 13, or on SYSTEMS=13; as root
e2e-%: $(DEB)
	$(GO) run ./internal/dev/e2e/prepare machine $*
	$(E2E) ./internal/dev/e2e ./internal/dev/e2e/machine -system $*

e2e-long: $(SYSTEMS:%=e2e-long-%) e2e-full ## run e2e three times, then an upgrade, twenty power cuts, fifty reboots and ten boots
e2e-long-%: deb previous
	$(GO) run ./internal/dev/e2e/prepare machine $*
	$(E2E) -count=3 ./internal/dev/e2e -system $*
	$(E2E) -count=3 -skip 'PowerCuts|Boot' ./internal/dev/e2e/machine -system $* -presses 100 -floods 10s
	$(E2E) -run 'PowerCuts|Boot|Upgrade' ./internal/dev/e2e/machine -system $* -cuts 20 -reboots 50 -boots 10 -previous $(CURDIR)/build/previous.deb

e2e-full: $(DEB) ## test a prepared card and the engines for speech on Debian 13 in QEMU; as root
	$(GO) run ./internal/dev/e2e/prepare machine 13-full
	$(E2E) -run 'Card|Engines|UserVoice' ./internal/dev/e2e/machine -system 13-full

previous: go ## build the package of 0.3.0 for PCs, as build/previous.deb
	rm -rf build/previous
	mkdir -p build/previous
	git archive 77565b2c | tar -x -C build/previous
	$(MAKE) -C build/previous deb
	cp build/previous/build/c4hat_*_amd64.deb build/previous.deb
	rm -rf build/previous

e2e-arm64: deb ## test the Pis' packages on an arm64 kernel, and the one for arm64 on Debian 13, in QEMU; as root
	$(GO) run ./internal/dev/e2e/prepare machine 13-arm64
	$(TEST) -tags kernel_arm64 -count=1 ./internal/dev/e2e
	$(E2E) -run '^Test(Appliance|PowerCuts)$$/^(boot|match)$$' ./internal/dev/e2e/machine -system 13-arm64 -cuts 1

bench: go ## run the benchmarks; on a quiet machine
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-once: go ## run one round of each short benchmark
	$(GO) test -vet=off -short -run '^$$' -bench . -benchtime 1x -skip 'Still|Idle' $$(grep -rl '^func Benchmark' --include='*_test.go' . | xargs dirname | sort -u)

bench-solver: go ## solve positions, each with an empty table; on a quiet machine
	$(GO) test -run '^$$' -bench 'Solve|Cancel' ./board/solver

# SOLVERS are commands, separated by semicolons; FILES contain positions and scores.
FILES ?= board/solver/testdata/*.positions
race-solvers: c4hat ## race c4hat and other SOLVERS on FILES; downloads nothing; on a quiet machine
	@IFS=';'; for solver in $$SOLVERS; do set -- "$$@" -solver "$$solver"; done; unset IFS; \
	$(GO) run ./internal/dev/race -solver "./c4hat solve --fresh --no-book" "$$@" $(FILES)

levels: go ## play a thousand games between each level and the one below it, and between perfect and every level
	$(GO) test ./internal/computer -run "TestTable|NeverErrs" -games 1000 -count 1 -v -timeout 0

# New fuzz targets are found automatically. Before Go 1.27 the end of FUZZTIME may be reported as a
# failure (go.dev/issue/75804), on a line without a file: then the target runs again.
FUZZTIME ?= 5s
FUZZ_AT_ONCE ?= 1
fuzz: go ## run every fuzz target for FUZZTIME (5s), FUZZ_AT_ONCE (1) at a time
	@grep -r '^func Fuzz' --include='*_test.go' . | sed 's|/[^/]*:func \(Fuzz[^(]*\).*| \1|; s|\(.*\) \(.*\)|\2 \1|' | sort -k 2 | \
	xargs -P $(FUZZ_AT_ONCE) -n 2 sh -c 'log=$$(mktemp); trap "rm -f $$log" EXIT; \
		for try in 1 2 3; do \
			echo "$$1 $$0"; \
			$(GO) test -vet=off -run "^$$" -fuzz "^$$0\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$1" </dev/null 2>&1 | tee "$$log"; \
			grep -q "^ok" "$$log" && exit; \
			grep -qx "    context deadline exceeded" "$$log" || exit 255; \
		done; exit 255'

soak: go ## play a hundred thousand matches in one process, and look for leaks
	$(GO) test ./cmd/c4hat -run 'TestSoak$$' -matches 100000 -count 1 -v -timeout 0

# BOOK_STATE is a folder for the intermediate results.
BOOK_STATE ?= $(HOME)/.cache/c4hat-book
book: go ## compute the solver's opening book; takes hours, and resumes if stopped
	$(GO) run ./internal/dev/makebook $(ARGS) $(BOOK_STATE) board/solver/book/7x6.book

# PROOFS is a file for the results; BOARDS are others than the usual ones.
PROOFS ?= $(HOME)/.cache/c4hat-proofs
prove: go ## solve the empty boards from 4x4 to 7x7, and compare with published results; resumes if stopped
	$(GO) run ./internal/dev/prove boards $(PROOFS) $(BOARDS)

pictures: go ## render the README's pictures; look at them afterwards
	$(GO) run ./internal/dev/pictures doc/pictures

lint: go ## run gofmt, vet and staticcheck, also for systems without a HAT
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=internal/dev/tools/go.mod staticcheck ./...
	$(GO) tool -modfile=internal/dev/tools/go.mod staticcheck -tags 'kernel machine guest' ./internal/dev/e2e/... ./internal/pi
	GOOS=darwin GOARCH=arm64 $(GO) vet -trimpath ./...
	GOOS=windows GOARCH=amd64 $(GO) vet -trimpath ./...
	GOOS=js GOARCH=wasm $(GO) vet ./internal/site/...
	cd internal/dev/e2e/browser && $(GO) vet .

vulncheck: go ## look for known vulnerabilities in what c4hat uses; asks vuln.go.dev
	$(GO) tool -modfile=internal/dev/tools/go.mod govulncheck ./...

# Every Pi since the first runs arm64, or armv6 with hardware floating point.
cross: go ## build for every system, into build/
	GOOS=linux GOARCH=amd64 $(BUILD) -o build/c4hat-linux-amd64 ./cmd/c4hat
	GOOS=linux GOARCH=arm64 $(BUILD) -o build/c4hat-linux-arm64 ./cmd/c4hat
	GOOS=linux GOARCH=arm GOARM=6 $(BUILD) -o build/c4hat-linux-armv6 ./cmd/c4hat
	GOOS=darwin GOARCH=arm64 $(BUILD) -o build/c4hat-darwin-arm64 ./cmd/c4hat
	GOOS=windows GOARCH=amd64 $(BUILD) -o build/c4hat-windows-amd64.exe ./cmd/c4hat

# This machine's package; make deb DEB_ARCHS='arm64 armhf amd64' builds all.
DEB_ARCHS ?= $(or $(shell dpkg --print-architecture 2>/dev/null),amd64)
test-deb e2e-% e2e-long-%: DEB_ARCHS = arm64 armhf amd64
deb: build ## build the Debian package for this machine, or for DEB_ARCHS, into build/
	@DEB_ARCHS='$(DEB_ARCHS)' internal/dev/deb/build

test-deb: deb ## install, upgrade, remove and purge the packages in a clean Debian; as root
	@internal/dev/deb/test

site: go ## build the page without a server, with the game as WebAssembly, into build/site
	@internal/site/build build/site

# One match is also played in the other browser.
BROWSER ?= chromium
test-browser: go ## test the page in Chromium or BROWSER=firefox; needs Debian's chromium and firefox-esr
	cd internal/dev/e2e/browser && $(TEST) -count=1 . -browser $(BROWSER)

release: go ## build every package and archive into build/release; signs the checksums with an SSH key, SIGNING_KEY=FILE
	@SIGNING_KEY="$(SIGNING_KEY)" internal/dev/release/build $(if $(filter command,$(origin VERSION)),$(VERSION))

test-release: go ## build the release of the last commit twice, in different folders, and compare
	@internal/dev/release/test

# Root may not have Go, so install builds nothing: run make build, then sudo make install. systemd
# and udev read /usr/local/lib as well as /usr/lib, where the package installs the same files.
install: ## install what make build built, and start the service now and at boot; as root
	@test -x c4hat -a -d build/share || { echo "nothing is built yet: run make build first" >&2; exit 1; }
	install -D -m 755 c4hat $(DESTDIR)$(PREFIX)/bin/c4hat
	@for unit in c4hat.service c4hat-web.service c4hat-web.socket c4hat-speech.service; do \
		install -D -m 644 systemd/$$unit $(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit || exit; done
	install -D -m 644 systemd/user/c4hat-speech.service $(DESTDIR)$(PREFIX)/lib/systemd/user/c4hat-speech.service
	install -D -m 644 systemd/c4hat.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/c4hat.conf
	install -D -m 644 systemd/60-c4hat.rules $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-c4hat.rules
	@find build/share -type f -printf '%P\n' | while read -r f; do \
		install -D -m 644 "build/share/$$f" "$(DESTDIR)$(PREFIX)/share/$$f" || exit; done
	@if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then \
		systemd-sysusers $(PREFIX)/lib/sysusers.d/c4hat.conf && \
		udevadm control --reload && udevadm trigger --subsystem-match=input --subsystem-match=vtconsole && \
		systemctl daemon-reload && systemctl enable c4hat.service && systemctl restart c4hat.service; fi

uninstall: ## remove what make install installed; as root
	@if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then \
		systemctl disable --now c4hat-speech.service c4hat-web.socket c4hat-web.service c4hat.service; fi
	rm -f $(DESTDIR)$(PREFIX)/bin/c4hat $(DESTDIR)$(PREFIX)/lib/systemd/system/c4hat.service \
		$(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/,system/c4hat-web.service system/c4hat-web.socket \
			system/c4hat-speech.service user/c4hat-speech.service) \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d/c4hat.conf $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-c4hat.rules \
		$(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1/c4hat.1.gz man/man1/c4hat-*.1.gz man/man5/c4hat-config.5.gz \
			bash-completion/completions/c4hat zsh/site-functions/_c4hat fish/vendor_completions.d/c4hat.fish \
			applications/c4hat.desktop icons/hicolor/*/apps/c4hat.*)
	@if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then udevadm control --reload; systemctl daemon-reload; fi

clean: ## remove what was built
	rm -rf c4hat build

# Distributions ship old versions of Go, whose own error message is long. A Go that can download the
# right toolchain reports this toolchain's version here.
go:
	@version=$$($(GO) version) || { echo "c4hat needs Go 1.26 or newer: see https://go.dev/dl" >&2; exit 1; }; \
	minor=$$(echo "$$version" | sed -n 's/.*go1\.\([0-9][0-9]*\).*/\1/p'); \
	test "$${minor:-99}" -ge 26 || { echo "c4hat needs Go 1.26 or newer, this is $$version: see https://go.dev/dl" >&2; exit 1; }
