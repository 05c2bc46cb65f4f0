package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReport feeds guest output to another process of this test binary and checks that process's
// report.
func TestReport(t *testing.T) {
	// This is the output of a test binary with -test.v=test2json: ^V marks the test framework's
	// lines.
	const (
		passes = "^V=== RUN   TestA\n^V=== RUN   TestA/inner\n^V--- PASS: TestA/inner (0.00s)\n^V--- PASS: TestA (0.01s)\n"
		skips  = "^V=== RUN   TestB\n    b_test.go:7: not today\n^V--- SKIP: TestB (0.00s)\n"
		fails  = "^V=== RUN   TestC\n^V=== RUN   TestC/inner\n    c_test.go:9: got 1\n^V--- FAIL: TestC/inner (0.00s)\n^V--- FAIL: TestC (0.01s)\n"
		dies   = "^V=== RUN   TestD\npanic: oh\n"
	)
	for name, c := range map[string]struct {
		guest string
		ok    bool
		want  []string
	}{
		"passes":    {passes + skips + "^VPASS\n\nguest ended: passed\n", true, []string{"PASS: TestReplay ", "PASS: TestReplay/TestA ", "PASS: TestReplay/TestA/inner ", "SKIP: TestReplay/TestB ", "not today"}},
		"fails":     {fails + passes + "^VFAIL\n\nguest ended: exit status 1\n", false, []string{"FAIL: TestReplay/TestC ", "FAIL: TestReplay/TestC/inner ", "c_test.go:9: got 1", "PASS: TestReplay/TestA ", "exit status 1"}},
		"panics":    {passes + dies + "\nguest ended: exit status 2\n", false, []string{"PASS: TestReplay/TestA ", "FAIL: TestReplay/TestD ", "panic: oh", "ended within", "exit status 2"}},
		"crashes":   {passes + dies, false, []string{"PASS: TestReplay/TestA ", "FAIL: TestReplay/TestD ", "crashed"}},
		"exits":     {passes + "^V=== RUN   TestD\nguest ended: passed\n", false, []string{"PASS: TestReplay/TestA ", "FAIL: TestReplay/TestD ", "ended within"}},
		"only skip": {skips + "^VPASS\n\nguest ended: passed\n", false, []string{"SKIP: TestReplay/TestB ", "no test"}},
		"no test":   {"testing: warning: no tests to run\n^VPASS\n\nguest ended: passed\n", false, []string{"no test"}},
		"no start":  {"guest ended: load module /modules/x.ko: invalid argument\n", false, []string{"load module"}},
		"nothing":   {"", false, []string{"crashed"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestReplay$", "-test.v")
			cmd.Env = append(os.Environ(), replay+"=1")
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(c.guest, "^V", "\x16"))
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.ok {
				t.Errorf("ended with %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q missing", want)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

const replay = "C4HAT_E2E_REPLAY"

// TestReplay is not a test but the other process of TestReport.
func TestReplay(t *testing.T) {
	if os.Getenv(replay) == "" {
		t.SkipNow()
	}
	r, err := convert(os.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.verdict(report(t, "", r.events)); err != nil {
		t.Error(err)
	}
}
