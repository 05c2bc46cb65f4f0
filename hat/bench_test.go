package hat

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// The benchmark also reports the writes to the device. The device is in memory; the benchmarks for
// Linux include the time in the kernel.
func BenchmarkWriteFrame(b *testing.B) {
	for name, change := range map[string]uint8{"changed": 0x80, "unchanged": 0} {
		b.Run(name, func(b *testing.B) {
			m, mem := newMemory(b, &Opts{Rotate: 90})
			frame := randomFrame(rand.New(rand.NewPCG(5, 6)))
			must(b, m.WriteFrame(&frame))
			mem.writes = 0
			b.ReportAllocs()
			for b.Loop() {
				frame[63].G ^= change
				must(b, m.WriteFrame(&frame))
			}
			b.ReportMetric(float64(mem.writes)/float64(b.N), "writes/op")
		})
	}
}

func BenchmarkReadEvent(b *testing.B) {
	s := joystickOf(b, 90, endless{bytes.Join([][]byte{
		record(evKey, 103, 1), record(evSyn, synReport, 0),
		record(evKey, 103, 2), record(evSyn, synReport, 1),
		record(evKey, 103, 0), record(evSyn, synReport, 0),
	}, nil)})
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.ReadEvent()
		must(b, err)
	}
}
