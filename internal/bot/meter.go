package bot

import "time"

// meter decides when a program is late, so that a busy machine makes none late. In an interval at whose end all
// its processes sleep, all time counts; otherwise the processor time that they used.
type meter struct {
	limit, every time.Duration
	used         time.Duration // the processor time until the last interval
	counted      time.Duration
	ticks        int // intervals
}

// most is how many times the limit may pass, whatever the meter counts.
const most = 10

// late ends an interval, and reports whether the program has taken too long.
func (m *meter) late(used time.Duration, awake bool) bool {
	if m.ticks == 0 || !awake { // before the first interval, it is not known what was used
		m.counted += m.every
	} else {
		m.counted += max(0, min(m.every, used-m.used))
	}
	m.used, m.ticks = used, m.ticks+1
	return m.counted >= m.limit || time.Duration(m.ticks)*m.every >= most*m.limit
}
