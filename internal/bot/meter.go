package bot

import (
	"fmt"
	"time"
)

// meter counts the time that a program takes for an answer, so that a busy machine makes no program
// late. It divides the time into intervals. An interval at whose end all the program's processes
// sleep counts in full. Otherwise only the processor time that they used counts, and not the time in
// which they waited for the processor or the disk, because other programs had it.
type meter struct {
	limit, every time.Duration
	began, last  time.Time
	used         time.Duration // the processor time of the program's processes until last
	counted      time.Duration // until last
	ticks        int           // intervals until last
	rival        time.Duration // the processor time of the rival's processes at the first of them
}

// most is how many times the limit may pass, whatever the meter counts.
const most = 10

// newMeter returns a meter of a program that may take a time since began. The intervals suit programs
// that take moveTime for a move.
func newMeter(limit, moveTime time.Duration, began time.Time) *meter {
	return &meter{limit: limit, every: max(moveTime/10, 20*time.Millisecond), began: began, last: began}
}

// late ends an interval, and reports whether the program has taken too long.
func (m *meter) late(p *process) bool {
	used, awake := p.usage()
	return m.count(time.Now(), used, awake)
}

func (m *meter) count(now time.Time, used time.Duration, awake bool) (late bool) {
	passed := now.Sub(m.last)
	switch {
	case m.ticks == 0, !awake: // before the first interval, it is not known what was used
		m.counted += min(passed, m.every) // if this process had to wait too, more has passed
	default:
		m.counted += max(0, min(passed, used-m.used))
	}
	m.last, m.used, m.ticks = now, used, m.ticks+1
	return m.counted >= m.limit || time.Duration(m.ticks)*m.every >= most*m.limit
}

// took returns the count at an answer. Quick answers cost no look at the processes.
func (m *meter) took(p *process) time.Duration {
	if m.ticks == 0 {
		return time.Since(m.began)
	}
	m.late(p)
	return m.counted
}

// waited returns how long the program did nothing that counts.
func (m *meter) waited() time.Duration { return m.last.Sub(m.began) - m.counted }

// String says what was counted, and what was not.
func (m *meter) String() string {
	const tenth = 100 * time.Millisecond
	text := min(m.limit, max(m.counted, tenth).Round(tenth)).String()
	if waited := m.waited(); waited > max(m.limit/2, time.Second) {
		text += fmt.Sprintf(", not counting %v of waiting for the busy machine", waited.Round(tenth))
	}
	return text
}
