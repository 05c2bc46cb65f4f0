package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestLogForTheJournal(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "8:1234")
	var out strings.Builder
	log := NewLog(&out)
	log.Info("the matrix is there", "device", "fb1")
	log.Warn("waiting", "reason", errors.New("gone\nfor good"))
	log.With("part", "stick").Error("stuck")
	log.Debug("not said")
	const want = `<6>msg="the matrix is there" device=fb1
<4>msg=waiting reason="gone\nfor good"
<3>msg=stuck part=stick
`
	if out.String() != want {
		t.Errorf("logged\n%swant\n%s", out.String(), want)
	}
}

func TestLogForPeople(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "")
	var out strings.Builder
	NewLog(&out).Warn("waiting")
	if got := out.String(); !strings.HasPrefix(got, "time=") || !strings.HasSuffix(got, " level=WARN msg=waiting\n") {
		t.Error(got)
	}
}
