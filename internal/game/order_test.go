package game

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files refer to each other only in the order that the package's documentation gives.
func TestFileOrder(t *testing.T) {
	fset := token.NewFileSet()
	doc, err := parser.ParseFile(fset, "event.go", nil, parser.ParseComments)
	must(t, err)
	lines := strings.Split(strings.TrimSpace(doc.Doc.Text()), "\n")
	order := strings.Fields(lines[len(lines)-1])
	var files []*ast.File
	for _, name := range order {
		file, err := parser.ParseFile(fset, name+".go", nil, 0)
		must(t, err)
		files = append(files, file)
	}
	if all, _ := filepath.Glob("*.go"); len(slices.DeleteFunc(all, func(f string) bool { return strings.HasSuffix(f, "_test.go") })) != len(files) {
		t.Errorf("the list %q lacks a file", order)
	}
	place := func(pos token.Pos) int {
		return slices.Index(order, strings.TrimSuffix(fset.Position(pos).Filename, ".go"))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}} // other packages do not matter
	pkg, _ := config.Check("game", fset, files, info)
	for ident, object := range info.Uses {
		if object.Pkg() == pkg && place(object.Pos()) > place(ident.Pos()) {
			t.Errorf("%v: %s is in a later file, %v", fset.Position(ident.Pos()), ident.Name, fset.Position(object.Pos()))
		}
	}
	if len(info.Uses) < 3000 {
		t.Errorf("only %d references", len(info.Uses))
	}
}

// nothing imports nothing.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }
