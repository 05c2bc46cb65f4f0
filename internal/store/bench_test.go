package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

func BenchmarkSave(b *testing.B) {
	for name, d := range map[string]func() (disk, string){
		"disk":   func() (disk, string) { return osDisk{}, b.TempDir() },
		"memory": func() (disk, string) { return newFakeDisk(), dir },
	} {
		b.Run(name, func(b *testing.B) {
			d, dir := d()
			s := begin(dir, d, noon)
			steps := scripts(b)["long"][:20]
			for i := 0; b.Loop(); i++ {
				must(b, steps[i%len(steps)].call(s))
			}
		})
	}
}

func BenchmarkHistory(b *testing.B) {
	const entries = 100_000 // the matches of many years
	var text bytes.Buffer
	steps := scripts(b)["long"]
	for i := 0; i < entries; {
		for _, step := range steps {
			if step.finish {
				i++
				step.match.ID = fmt.Sprintf("20261120-%06d", i)
				line, err := encodeFinished(match.Finished{Record: step.match, Abandoned: step.abandoned, Ended: noon()})
				must(b, err)
				text.Write(line)
			}
		}
	}
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, historyName), text.Bytes(), 0o600))
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			n := 0
			for _, err := range History(dir) {
				must(b, err)
				n++
			}
			if n != entries {
				b.Fatal(n)
			}
		}
	})
	b.Run("last", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range history(osDisk{}, dir, 10) {
				must(b, err)
				n++
			}
			if n != 10 {
				b.Fatal(n)
			}
		}
	})
	b.Run("finish", func(b *testing.B) {
		s := mustOpen(b, dir, quiet)
		for i := 0; b.Loop(); i++ {
			m := steps[1].match
			m.ID = fmt.Sprint("new-", i)
			must(b, s.finish(m, true))
		}
		must(b, s.close())
	})
	b.Run("start", func(b *testing.B) {
		s := mustOpen(b, dir, quiet)
		must(b, s.put(steps[1].match))
		must(b, s.close())
		for b.Loop() {
			s := mustOpen(b, dir, quiet)
			if _, ok := s.resumes(); !ok {
				b.Fatal("no match")
			}
			b.StopTimer()
			must(b, s.close())
			b.StartTimer()
		}
	})
}
