package solver

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

var labFiles = flag.String("lab", "", "files")
var labN = flag.Int("n", 0, "lines")

func TestLab(t *testing.T) {
	if *labFiles == "" {
		t.Skip()
	}
	s := New(Options{Table: env("TABLE", 64) << 20})
	for _, file := range strings.Split(*labFiles, ",") {
		f, err := os.Open("/work/lab/" + file)
		if err != nil {
			f, err = os.Open("/work/shared/positions/" + file)
			if err != nil {
				t.Fatal(err)
			}
		}
		sc := bufio.NewScanner(f)
		n, bad := 0, 0
		var total time.Duration
		nodes := uint64(0)
		for sc.Scan() && (*labN == 0 || n < *labN) {
			var mv string
			var want int
			fmt.Sscan(sc.Text(), &mv, &want)
			if mv == "-" {
				mv = ""
			}
			p, err := board.Parse(board.Standard, mv)
			if err != nil {
				t.Fatal(err)
			}
			s.Reset()
			t0 := time.Now()
			r, err := s.Solve(context.Background(), p)
			total += time.Since(t0)
			nodes += r.Nodes
			n++
			if r.Score != want || err != nil {
				bad++
				if bad < 4 {
					fmt.Println("BAD", mv, r.Score, want, err)
				}
			}
		}
		fmt.Printf("%-12s n=%d bad=%d mean %10.3f us  nodes %10.1f  %.1f Mn/s\n", file, n, bad, float64(total.Nanoseconds())/1000/float64(n), float64(nodes)/float64(n), float64(nodes)/total.Seconds()/1e6)
	}
}

func env(n string, d int) int {
	var v int
	if _, err := fmt.Sscan(os.Getenv(n), &v); err == nil {
		return v
	}
	return d
}
