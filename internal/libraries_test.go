package internal_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every exported name of the packages for other programs is documented.
func TestLibraryDocs(t *testing.T) {
	for _, folder := range []string{"../board", "../hat", "../hat/hattest"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, "has no files", err)
		}
		source := make(map[string]string)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source[file] = string(text)
		}
		for _, name := range undocumented(t, source) {
			t.Errorf("%s: %s has no documentation", folder, name)
		}
	}
}

// undocumented returns the exported names without documentation in a package. source has the text
// of the package's files by path. A name in a group may share the group's comment; a field may have
// a line comment.
func undocumented(t *testing.T, source map[string]string) (names []string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for path, text := range source {
		// The files for systems without a HAT have the same names.
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_others.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, "p")
	if err != nil {
		t.Fatal(err)
	}
	say := func(name, doc string) {
		if strings.TrimSpace(doc) == "" {
			names = append(names, name)
		}
	}
	values := func(groups []*doc.Value) {
		for _, v := range groups {
			say(strings.Join(v.Names, ", "), v.Doc)
		}
	}
	funcs := func(of string, list []*doc.Func) {
		for _, f := range list {
			say(of+f.Name, f.Doc)
		}
	}
	say("the package", p.Doc)
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, typ := range p.Types {
		say(typ.Name, typ.Doc)
		values(typ.Consts)
		values(typ.Vars)
		funcs("", typ.Funcs)
		funcs(typ.Name+".", typ.Methods)
		for _, spec := range typ.Decl.Specs {
			fields, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range fields.Fields.List {
				for _, name := range f.Names {
					if name.IsExported() {
						say(typ.Name+"."+name.Name, f.Doc.Text()+f.Comment.Text())
					}
				}
			}
		}
	}
	return names
}

// undocumented finds names without documentation: TestLibraryDocs can fail.
func TestUndocumented(t *testing.T) {
	got := undocumented(t, map[string]string{"p.go": `package p

type T struct {
	A int
	B int // said
	c int
}

// U is said.
type U struct {
	// T is said.
	T T
}

func F() {}
func (T) M() {}
func (U) m() {}

// G is said.
func G() {}

const X = 1

// Said of both.
const (
	Y = 1
	Z = 2
)
`})
	const want = "the package X F T T.M T.A"
	if strings.Join(got, " ") != want {
		t.Errorf("undocumented are %q, want %q", got, want)
	}
}
