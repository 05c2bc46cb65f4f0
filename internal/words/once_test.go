package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	inserted = regexp.MustCompile(`%(\[\d\])?[a-z]|\$\{[^}]*\}`) // what a sentence inserts, in Go and in JavaScript
	quoted   = regexp.MustCompile("'[^'\\n]*'|\"[^\"\\n]*\"|`[^`]*`")
	word     = regexp.MustCompile(`[a-z]{2,}`)
)

// parts returns the parts of a text between what it inserts, if they have three words or more, or two
// if nothing is inserted.
func parts(text string) (all []string) {
	split := inserted.Split(strings.ToLower(text), -1)
	least := min(3, 1+len(split))
	for _, part := range split {
		if part = strings.Trim(part, " ,;:.()"); strings.Contains(part, " ") && len(word.FindAllString(part, -1)) >= least {
			all = append(all, part)
		}
	}
	return all
}

// literals returns the strings in a file of Go or JavaScript.
func literals(t *testing.T, file string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".js" {
		for _, literal := range quoted.FindAllString(string(text), -1) {
			all = append(all, literal[1:len(literal)-1])
		}
		return all
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			all = append(all, text)
		}
		return true
	})
	return all
}

// Each sentence about a game occurs once in the source.
func TestOnce(t *testing.T) {
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sentences := map[string]string{}
	for _, file := range own {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, literal := range literals(t, file) {
			for _, part := range parts(literal) {
				if at, ok := sentences[part]; ok {
					t.Errorf("%q is in %s and in %s", part, at, file)
				}
				sentences[part] = file
			}
		}
	}
	err = filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(file)
		switch {
		case err != nil:
			return err
		case d.Name() == "board" || d.Name() == "e2e" || file == "../../build": // a public package, programs that only tests run, and no source
			return fs.SkipDir
		case d.IsDir() || ext != ".go" && ext != ".js" || strings.HasSuffix(file, "_test.go") || filepath.Base(filepath.Dir(file)) == "words":
			return nil
		}
		for _, literal := range literals(t, file) {
			if strings.Contains(literal, "\n") && filepath.Ext(file) == ".go" {
				continue // a page of help
			}
			for _, part := range parts(literal) {
				for own := range sentences {
					if part == own || len(strings.Fields(own)) > 3 && strings.Contains(part, own) {
						t.Errorf("%s says %q, as package words does", file, own)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sentences) < 50 {
		t.Errorf("only %d sentences", len(sentences))
	}
	t.Log(len(sentences))
}
