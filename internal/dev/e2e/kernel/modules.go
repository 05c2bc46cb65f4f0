//go:build linux

package kernel

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Module is a kernel module ready to be loaded.
type Module struct {
	Name string // with underscores, as the kernel names it
	Code []byte // the .ko file, unpacked, without its signature
}

// Modules returns the named modules and their dependencies, in load order. Modules that are built
// into the kernel are left out.
func (k *Kernel) Modules(ctx context.Context, names ...string) ([]Module, error) {
	s := search{files: map[string]string{}, done: map[string]bool{}}
	if err := s.index(k); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := s.add(ctx, name); err != nil {
			return nil, err
		}
	}
	return s.found, nil
}

type search struct {
	files map[string]string // module → file
	done  map[string]bool   // found, or built in
	found []Module
}

func (s *search) index(k *Kernel) error {
	root := filepath.Join(k.dir, "lib/modules", k.Release)
	if !exists(root) { // since Debian 13
		root = filepath.Join(k.dir, "usr/lib/modules", k.Release)
	}
	err := filepath.WalkDir(filepath.Join(root, "kernel"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.files[moduleName(path)] = path
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	for _, module := range standins() {
		s.files[module] = k.standin(module)
	}
	builtin, err := os.ReadFile(filepath.Join(root, "modules.builtin"))
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	for path := range strings.Lines(string(builtin)) {
		s.done[moduleName(path)] = true
	}
	return nil
}

func (s *search) add(ctx context.Context, name string) error {
	name = moduleName(name)
	if s.done[name] {
		return nil
	}
	s.done[name] = true
	path, ok := s.files[name]
	if !ok {
		return fmt.Errorf("kernel: no module %s", name)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	// Since Debian 13 each module is compressed.
	if filepath.Ext(path) == ".xz" {
		if code, err = pipe(ctx, code, "xz"); err != nil {
			return err
		}
	}
	code = unsigned(code)
	needs, err := depends(code)
	if err != nil {
		return fmt.Errorf("kernel: module %s: %w", name, err)
	}
	for _, need := range needs {
		if err := s.add(ctx, need); err != nil {
			return err
		}
	}
	s.found = append(s.found, Module{Name: name, Code: code})
	return nil
}

// unsigned removes a module's signature (kernel/module/signing.c), which takes an emulated kernel half a
// second to verify.
func unsigned(code []byte) []byte {
	signed, ok := bytes.CutSuffix(code, []byte("~Module signature appended~\n"))
	const info = 12 // bytes of struct module_signature; the last four are the signature's length
	if !ok || len(signed) < info {
		return code
	}
	code = signed[:len(signed)-info]
	return code[:max(0, len(code)-int(binary.BigEndian.Uint32(signed[len(signed)-4:])))]
}

// moduleName turns a path such as "kernel/drivers/i2c/i2c-stub.ko.xz" into "i2c_stub":
// file names have hyphens or underscores, the kernel's names only underscores.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(strings.TrimSpace(path)), ".")
	return strings.ReplaceAll(name, "-", "_")
}

// depends returns a module's dependencies: the entry "depends=a,b" of its section
// .modinfo, a list of strings that end with a zero byte.
func depends(code []byte) ([]string, error) {
	file, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	section := file.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("no section .modinfo")
	}
	info, err := section.Data()
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(info), "\x00") {
		if list, ok := strings.CutPrefix(entry, "depends="); ok && list != "" {
			return strings.Split(list, ","), nil
		}
	}
	return nil, nil
}
