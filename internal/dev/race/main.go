// Race runs solvers in turn on the same positions and compares them. A solver is any
// program that reads positions, one per line, and answers each with a line
//
//	POSITION SCORE [NODES MICROSECONDS]
//
// as c4hat solve does. The solvers' own arguments should disable their books and clear
// their tables between positions.
//
//	race [-rounds 5] [-most 1000] -solver COMMAND [-solver COMMAND]... FILE...
//
// Each line of a FILE has a position and its score. For each file and solver, race prints two
// median times per position in µs and the number of wrong scores. The first is the CPU
// time of the process minus that of a run without positions; the second is the sum of the
// times in the answers, if any, which excludes the solver's work between positions.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("race: ")
	rounds := flag.Int("rounds", 5, "number of rounds; each solver runs once per round")
	most := flag.Int("most", 1000, "maximum number of positions per file")
	var solvers [][]string
	flag.Func("solver", "command of a solver, without quotes; may be repeated", func(command string) error {
		solvers = append(solvers, strings.Fields(command))
		return nil
	})
	flag.Parse()
	for _, file := range flag.Args() {
		lines, err := read(file, *most)
		if err == nil {
			err = race(os.Stdout, filepath.Base(file), lines, solvers, *rounds)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// read returns the fields of the first lines of a file.
func read(file string, most int) (lines [][]string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s: %q is not a position and its score", file, line)
		}
		if lines = append(lines, fields); len(lines) == most {
			break
		}
	}
	return lines, nil
}

func race(out io.Writer, name string, lines [][]string, solvers [][]string, rounds int) error {
	results := make([][]result, len(solvers))
	for range rounds {
		for i, solver := range solvers {
			idle, err := run(solver, nil)
			if err != nil {
				return err
			}
			r, err := run(solver, lines)
			if err != nil {
				return err
			}
			r.process -= idle.process
			results[i] = append(results[i], r)
		}
	}
	for i, solver := range solvers {
		median := func(f func(result) time.Duration) float64 {
			var all []time.Duration
			for _, r := range results[i] {
				all = append(all, f(r))
			}
			slices.Sort(all)
			return float64(all[len(all)/2].Nanoseconds()) / 1e3 / float64(len(lines))
		}
		own := "-"
		if results[i][0].timed {
			own = strconv.FormatFloat(median(func(r result) time.Duration { return r.own }), 'f', 2, 64)
		}
		fmt.Fprintf(out, "%s: %.2f µs, its own count %s, %d wrong: %s\n", name,
			median(func(r result) time.Duration { return r.process }), own, results[i][0].wrong, strings.Join(solver, " "))
	}
	return nil
}

// result is the result of one run of a solver.
type result struct {
	process, own time.Duration
	timed        bool // whether the answers have times
	wrong        int
}

func run(solver []string, lines [][]string) (r result, err error) {
	var in, out bytes.Buffer
	for _, fields := range lines {
		fmt.Fprintln(&in, fields[0])
	}
	cmd := exec.Command(solver[0], solver[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return result{}, fmt.Errorf("%s: %w", solver[0], err)
	}
	r.process = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	answers := bufio.NewScanner(&out)
	for _, fields := range lines {
		var answer []string
		for len(answer) < 2 && answers.Scan() {
			answer = strings.Fields(answers.Text())
		}
		if len(answer) < 2 || answer[0] != fields[0] || answer[1] != fields[1] {
			r.wrong++
		}
		if len(answer) >= 4 {
			if µs, err := strconv.ParseFloat(answer[3], 64); err == nil {
				r.timed = true
				r.own += time.Duration(µs * 1e3)
			}
		}
	}
	return r, nil
}
