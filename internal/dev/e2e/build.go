//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
	"github.com/c4hat/c4hat/internal/dev/e2e/plan"
)

// initPackage is the guest's first process. It is always built for the kernel's architecture; the
// programs it runs may be built for another architecture.
const initPackage = "github.com/c4hat/c4hat/internal/dev/e2e/guest/init"

// initramfs builds everything the guest needs and writes it to a file in dir.
func (g *Guest) initramfs(ctx context.Context, k *kernel.Kernel, dir string) (string, error) {
	a := newArchive()
	p := plan.Plan{
		Args:    append([]string{"-test.v=test2json", "-test.timeout=" + g.Timeout.String()}, g.Args...),
		Results: machineFor(k.System.Arch).device,
	}
	for _, line := range g.Modules {
		name, params, _ := strings.Cut(line, " ")
		modules, err := k.Modules(ctx, name)
		if err != nil {
			return "", err
		}
		planned := a.modules(modules)
		if last := len(planned) - 1; last >= 0 { // else it is built into the kernel
			planned[last].Params = params
		}
		p.Modules = append(p.Modules, planned...)
	}
	if err := a.plan(p); err != nil {
		return "", err
	}
	for name, host := range g.Files {
		b, err := os.ReadFile(host)
		if err != nil {
			return "", err
		}
		a.add(name, b)
	}
	b := builder{ctx: ctx, dir: dir, archive: a}
	b.add("/init", k.System.Arch, "build", initPackage)
	b.add(plan.Test, g.GOARCH, "test", "-c", "-tags=guest", g.Package)
	for name, pkg := range g.Programs {
		b.add(name, g.GOARCH, "build", pkg)
	}
	if b.err != nil {
		return "", b.err
	}
	return a.write(dir)
}

// modules adds modules to the archive and returns them for the plan.
func (a *archive) modules(modules []kernel.Module) (planned []plan.Module) {
	for _, m := range modules {
		file := "/modules/" + m.Name + ".ko"
		a.add(file, m.Code)
		planned = append(planned, plan.Module{Path: file})
	}
	return planned
}

func (a *archive) plan(p plan.Plan) error {
	order, err := json.Marshal(p)
	if err == nil {
		a.add(plan.Path, order)
	}
	return err
}

func (a *archive) write(dir string) (file string, err error) {
	file = filepath.Join(dir, "initramfs")
	return file, os.WriteFile(file, a.bytes(), 0o644)
}

// builder adds static Go programs to an archive, until the first error.
type builder struct {
	ctx     context.Context
	dir     string
	archive *archive
	err     error
}

// add runs the go command; the last argument is the package. 32-bit ARM means ARMv6, as
// in the packages.
func (b *builder) add(name, goarch string, args ...string) {
	if b.err != nil {
		return
	}
	out := filepath.Join(b.dir, "program")
	last := len(args) - 1
	args = append(args[:last:last], "-ldflags=-s -w", "-o", out, args[last])
	cmd := exec.CommandContext(b.ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch, "GOARM=6")
	if text, err := cmd.CombinedOutput(); err != nil {
		b.err = fmt.Errorf("%s: %w\n%s", cmd, err, text)
		return
	}
	var body []byte
	if body, b.err = os.ReadFile(out); b.err == nil {
		b.archive.add(name, body)
	}
}
