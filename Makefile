# Run make for a list of targets. Building c4hat needs only Go.

GO ?= go
VERSION := $(shell internal/dev/release/version)
PREFIX ?= /usr/local
export GO PREFIX DESTDIR DEB_ARCHS SYSTEMS

TARGETS := $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\# .*/\1/p' Makefile)
.PHONY: $(TARGETS) c4hat modules first go

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 14

play: c4hat ## build c4hat and play; no HAT needed
	@exec ./c4hat play $(ARGS)

build: modules c4hat ## build ./c4hat for this machine, its manual pages, completions and menu entry
	@internal/dev/release/share

modules: first go # all that share needs too: a network that fails later would cost half an hour
	@$(GO) list -deps -test ./cmd/c4hat ./internal/dev/pictures >/dev/null

first: # before go, which may have to load the right Go
	@test -x c4hat || echo "building c4hat: the first time takes half a minute on a PC, and up to half an hour on a Pi"

# Go needs 190 MB for temporary files, and on Debian 13 /tmp is in memory, of which a small Pi has little. The dot
# hides them from go commands that run meanwhile.
c4hat: first go
	@mkdir -p build/.tmp
	@GOTMPDIR=$(CURDIR)/build/.tmp CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w $(if $(VERSION),-X main.release=$(VERSION))' -o c4hat ./cmd/c4hat

# Go's limit of ten minutes a package is too short for slow machines. Most parallel tests wait for a program
# that plays at human speed, so they do not need a core each. Vet runs in make lint.
TEST := $(GO) test -vet=off -timeout 1h -parallel 8

test: go ## run all tests
	$(TEST) ./...

test-race: go ## run all tests, and the packages that start goroutines under the race detector; needs a C compiler
	@internal/dev/race-tests

lint: go ## run gofmt, vet and staticcheck, and look at go.mod
	@internal/dev/lint

FUZZTIME ?= 5s
fuzz: go ## run every fuzz target for FUZZTIME (5s)
	@internal/dev/fuzz $(FUZZTIME)

bench: go ## run the benchmarks, or those in PKG; on a quiet machine
	$(GO) test -run '^$$' -bench . -benchmem $(or $(PKG),./...)

levels: go ## play a thousand games between each level and the one below it, and between perfect and every level
	$(GO) test ./internal/computer -run 'TestTable|NeverErrs' -games 1000 -count 1 -v -timeout 0

soak: go ## play a hundred thousand matches in one process, and look for leaks
	$(GO) test ./cmd/c4hat -run 'TestSoak$$' -matches 100000 -count 1 -v -timeout 0

BOOK_STATE ?= $(HOME)/.cache/c4hat-book
book: go ## compute the solver's opening book; takes hours, and resumes from the folder BOOK_STATE
	$(GO) run ./internal/dev/makebook $(ARGS) $(BOOK_STATE) board/solver/book/7x6.book

pictures: go ## render the README's pictures; look at them afterwards
	$(GO) run ./internal/dev/pictures doc/pictures

cross: go ## build for every system or SYSTEMS, and test the rules and the solver as 32-bit programs; needs qemu-user
	@internal/dev/cross

deb: build ## build the Debian package for this machine, or for DEB_ARCHS='arm64 armhf amd64', into build/
	@internal/dev/deb/build

test-deb: ## install, upgrade, remove and purge the packages of make deb in a clean Debian; as root
	@internal/dev/deb/test

e2e: ## test the package of make deb on a Debian SYSTEM (13, 12 or 13-full) in QEMU, or the tests RUN; as root
	@internal/dev/e2e/run '$(or $(SYSTEM),13)' '$(RUN)'

test-browser: go ## test the page in Chromium, or in BROWSER=firefox; needs Debian's chromium or firefox-esr
	cd internal/dev/e2e/browser && $(TEST) -count=1 . -browser $(or $(BROWSER),chromium)

site: go ## build the page without a server, with the game as WebAssembly, into build/site
	@internal/dev/site/build build/site

release: go ## build every package and archive into build/release; signs the checksums with SIGNING_KEY, an SSH key
	@internal/dev/release/build $(if $(filter command,$(origin VERSION)),$(VERSION))

test-release: go ## build the release of the last commit twice, in different folders, and compare
	@internal/dev/release/test

release-test: go ## run every test that there is, for hours, before a release; as root
	@internal/dev/release/all

install: ## install what make build built, and start the service now and at boot; as root
	@internal/dev/release/install

uninstall: ## remove what make install installed; as root
	@internal/dev/release/install remove

clean: ## remove what was built
	rm -rf c4hat build

# Distributions ship old versions of Go, whose own error message is long. A Go that can download the
# right toolchain reports this toolchain's version here.
go:
	@version=$$($(GO) version) || { echo "c4hat needs Go 1.26 or newer: see https://go.dev/dl" >&2; exit 1; }; \
	minor=$$(echo "$$version" | sed -n 's/.*go1\.\([0-9][0-9]*\).*/\1/p'); \
	test "$${minor:-99}" -ge 26 || { echo "c4hat needs Go 1.26 or newer, this is $$version: see https://go.dev/dl" >&2; exit 1; }
