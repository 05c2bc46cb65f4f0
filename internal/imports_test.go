// Package internal_test enforces the import rules. They keep each package small enough to
// be understood, tested and used alone.
package internal_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/c4hat/c4hat/"

// rule is what a package may import.
type rule struct {
	ours   []string // the only packages of this module that it may import
	others []string // the only packages of other modules, including those below them
	never  []string // forbidden packages of the standard library, including those below them
	why    string
}

var rules = map[string]rule{
	"board": {
		never: []string{"os", "io", "log", "time", "image", "net", "sync", "context", "syscall"},
		why:   "has the rules of the game, for any program; it depends on nothing else",
	},
	"doc/examples/gobot": {
		ours: []string{"board"},
		why:  "is an example of a program that plays",
	},
	"hat": {
		others: []string{"periph.io/x/conn", "golang.org/x/sys"},
		why:    "drives the HAT, for any program that opens the bus itself",
	},
	"hat/emulator": {
		ours: []string{"hat"},
		why:  "opens the emulator of the desktop as hat opens a HAT",
	},
	"hat/hattest": {
		ours:   []string{"hat"},
		others: []string{"periph.io/x/conn"},
		why:    "simulates a HAT in memory, for tests of programs that use hat",
	},
	"internal/computer/analysis": {
		ours:  []string{"board", "internal/words", "board/solver", "internal/game"},
		never: []string{"os", "net", "time", "sync"},
		why:   "finds the score of each disc of a game, and makes puzzles, for commands, the HAT and the page in the browser",
	},
	"board/solver": {
		ours:  []string{"board", "board/solver/book"},
		never: []string{"os", "net"},
		why:   "finds the score of a position",
	},
	"board/solver/book": {
		never: []string{"os", "net", "time"},
		why:   "looks positions up in the opening book, which makebook computes",
	},
	"internal/dev/makebook": {
		ours: []string{"board", "board/solver", "board/solver/book"},
		why:  "computes the book with the solver, which itself uses the book",
	},
	"internal/dev/prove": {
		ours:  []string{"board", "board/solver"},
		never: []string{"net"},
		why:   "solves empty boards, and merges the answers of other machines",
	},
	"internal/dev/race": {
		never: []string{"net"},
		why:   "compares solvers; it runs each of them, including c4hat, as a program",
	},
	"internal/match": {
		ours:  []string{"board"},
		never: []string{"os", "log", "net", "sync", "context", "syscall"},
		why:   "has the terms and the moves of a match, and its JSON: the same in the game, in files, on the socket and for the page",
	},
	"internal/game": {
		ours:  []string{"board", "internal/match"},
		never: []string{"os", "io", "log", "net", "sync", "context", "syscall", "image"},
		why:   "is the game: a pure state machine that turns time and events into effects",
	},
	"internal/game/gametest": {
		ours: []string{"internal/game"},
		why:  "plays a game that a program under test must show",
	},
	"internal/dev/golden": {
		why: "compares the output of tests with files",
	},
	"internal/service/doctor": {
		ours:   []string{"hat", "internal/command/cli", "internal/service/socket", "internal/words", "internal/command/settings", "internal/front/speech", "internal/service/vtconsole"},
		others: []string{"github.com/spf13/pflag", "golang.org/x/sys", "periph.io/x/conn"},
		why:    "checks the HAT and the service from outside",
	},
	"internal/dev/release/pack": {
		never: []string{"net", "os/exec", "os/user"},
		why:   "packs files into an archive that is the same on every machine",
	},
	"internal/session": {
		ours: []string{"internal/game"},
		why:  "runs the game and its panels, without knowing their devices",
	},
	"internal/dev/pipes": {
		why: "has a network in memory for tests with a fake clock",
	},
	"internal/dev/socketdir": {
		why: "creates folders for sockets in tests",
	},
	"internal/dev/try": {
		why: "ends a test whose preparation fails, or whose tools are missing",
	},
	"internal/store": {
		ours:   []string{"internal/game", "internal/match"},
		others: []string{"github.com/gofrs/flock"},
		why:    "saves the game's matches in a folder",
	},
	"internal/front/bot": {
		ours:   []string{"board", "internal/command/cli", "internal/game", "internal/words", "internal/session"},
		others: []string{"golang.org/x/sys"},
		never:  []string{"net"},
		why:    "lets programs play, in a match here or of the service, and leaves no process behind",
	},
	"internal/computer/tournament": {
		ours:  []string{"board", "board/solver", "internal/computer/analysis", "internal/command/cli", "internal/computer", "internal/game", "internal/match", "internal/front/bot", "internal/words"},
		never: []string{"net", "os/exec"},
		why:   "lets players play each other, and works through lists of positions and games",
	},
	"internal/front/hatpanel": {
		ours:   []string{"hat", "internal/game"},
		others: []string{"golang.org/x/time"},
		why:    "is the front of the HAT: it opens the matrix and the joystick, shows, and opens them again; it has the colours",
	},
	"internal/front/term": {
		ours:   []string{"board", "internal/game", "internal/words", "internal/front/hatpanel"},
		others: []string{"github.com/gdamore/tcell", "golang.org/x/sys", "golang.org/x/term"},
		why:    "is the panel for a terminal",
	},
	"internal/command/settings": {
		ours:   []string{"board", "hat", "internal/command/cli", "internal/game", "internal/match", "internal/front/hatpanel", "internal/words", "internal/front/speech"},
		others: []string{"github.com/pelletier/go-toml", "github.com/spf13/pflag", "periph.io/x/conn", "periph.io/x/host"},
		why:    "reads the settings from flags and the configuration file",
	},
	"internal/dev/pictures": {
		ours:   []string{"board", "internal/computer", "internal/game", "internal/match", "internal/front/hatpanel", "internal/front/speech", "internal/front/term"},
		others: []string{"github.com/gdamore/tcell"},
		never:  []string{"net"},
		why:    "renders pictures of what the program shows, with the program's own code",
	},
	"internal/words": {
		ours:  []string{"board", "internal/game", "internal/match"},
		never: []string{"os", "io", "log", "net", "time", "sync", "context", "syscall"},
		why:   "has every sentence about a game, for terminals, text, commands and the page in the browser",
	},
	"internal/front/speech": {
		ours: []string{"internal/game", "internal/words"},
		why:  "says what happens in a game, through the engines of the machine",
	},
	"internal/front/console": {
		ours: []string{"board", "internal/computer/analysis", "internal/command/cli", "internal/game", "internal/words"},
		why:  "plays and shows the game as text",
	},
	"internal/command/cli": {
		ours:   []string{"internal/session"},
		others: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
		why:    "has what all commands share",
	},
	"internal/service/socket": {
		ours:   []string{"board", "internal/service/api", "internal/game", "internal/front/hatpanel", "internal/match", "internal/session", "internal/words"},
		others: []string{"github.com/coreos/go-systemd", "golang.org/x/time"},
		why:    "serves the socket, and passes requests to the game",
	},
	"internal/service/link": {
		ours: []string{"board", "internal/game", "internal/service/socket", "internal/session", "internal/words"},
		why:  "plays another machine's match, through ssh",
	},
	"internal/service/vtconsole": {
		ours:   []string{"hat"},
		others: []string{"golang.org/x/sys"},
		why:    "keeps the kernel's text console off the matrix",
	},
	"internal/service/web": {
		ours:   []string{"internal/computer/analysis", "internal/service/socket", "internal/match", "internal/words", "board/solver", "internal/service/api"},
		others: []string{"golang.org/x/time"},
		why:    "serves the page over the network, and passes browsers' requests to the game",
	},
	"internal/computer": {
		ours:  []string{"board", "internal/computer/analysis", "internal/game", "internal/match", "board/solver"},
		never: []string{"os", "net", "time"},
		why:   "is the computer, in a program or in a browser; its searches are limited by the number of positions, not by time, so that a seed reproduces a game on any machine",
	},
	"internal/dev/site": {
		ours:  []string{"board", "internal/computer/analysis", "internal/computer", "internal/game", "internal/session", "internal/words", "board/solver", "internal/match", "internal/service/api"},
		never: []string{"net"},
		why:   "runs the game in a page without a server; importing net would make the page too large to download",
	},
	"internal/dev/site/cut": {
		ours: []string{"board/solver/book"},
		why:  "writes the solver's book without its last plies",
	},
	"internal/service/api": {
		ours:  []string{"board", "internal/game", "internal/front/hatpanel", "internal/words", "internal/match"},
		never: []string{"os", "net", "syscall"},
		why:   "encodes and decodes the game's JSON, for the socket and for the page without a server",
	},
}

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.GoFiles) == 0 || strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "internal/dev/e2e") {
			continue // cmd puts all packages together, and e2e tests the program from outside
		}
		r, ok := rules[name]
		if !ok {
			t.Errorf("%s has no rule: add what it may import, and why", name)
			continue
		}
		for _, bad := range broken(p.Imports, r) {
			t.Errorf("%s imports %s: %s", name, bad, r.why)
		}
		for _, own := range r.ours {
			if !slices.Contains(p.Imports, module+own) {
				t.Errorf("%s may import %s but does not: remove it from the rule", name, own)
			}
		}
	}
}

// broken returns the imports that a rule forbids.
func broken(imports []string, r rule) (bad []string) {
	for _, path := range imports {
		own, ours := strings.CutPrefix(path, module)
		var allowed bool
		switch {
		case ours:
			allowed = slices.Contains(r.ours, own)
		case strings.Contains(strings.Split(path, "/")[0], "."):
			allowed = slices.ContainsFunc(r.others, below(path))
		default:
			allowed = !slices.ContainsFunc(r.never, below(path))
		}
		if !allowed {
			bad = append(bad, path)
		}
	}
	return bad
}

func below(path string) func(parent string) bool {
	return func(parent string) bool { return path == parent || strings.HasPrefix(path, parent+"/") }
}

// broken finds forbidden imports: TestImports can fail.
func TestBrokenImports(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		want       bool
	}{
		{"board", "os", true},
		{"board", "os/signal", true},
		{"board", "image/draw", true},
		{"board", "math/bits", false},
		{"board", module + "internal/game", true},
		{"internal/game", module + "board", false},
		{"internal/game", module + "hat", true},
		{"internal/game", "image/color", true},
		{"internal/game", "image/draw", true},
		{"internal/game", "github.com/gdamore/tcell/v3", true},
		{"internal/game", "log/slog", true},
		{"board", "image/color", true},
		{"board", "golang.org/x/sys/cpu", true},
		{"internal/session", "periph.io/x/host/v3", true},
		{"internal/session", module + "hat", true},
		{"internal/session", module + "internal/front/hatpanel", true},
		{"internal/front/hatpanel", module + "hat", false},
		{"internal/front/hatpanel", module + "internal/session", true},
		{"internal/front/term", "periph.io/x/host/v3/rpi", true},
		{"internal/front/term", "golang.org/x/term", false},
		{"hat", "periph.io/x/host/v3", true},
		{"hat", "periph.io/x/conn/v3", false},
		{"hat", module + "internal/game", true},
	} {
		if got := len(broken([]string{tt.path}, rules[tt.name])) > 0; got != tt.want {
			t.Errorf("%s importing %s: broken is %v, want %v", tt.name, tt.path, got, tt.want)
		}
	}
}

// The game starts no goroutine and reads no clock.
func TestGameIsPure(t *testing.T) {
	files, err := filepath.Glob("game/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%v: starts a goroutine", set.Position(n.Pos()))
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" {
					switch n.Sel.Name {
					case "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick":
						t.Errorf("%v: uses time.%s", set.Position(n.Pos()), n.Sel.Name)
					}
				}
			}
			return true
		})
	}
}
