package socket

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// Some time after a rush of connections, its memory is returned to the system, once, even if
// nothing else happens. The test counts the forced garbage collections: each return forces one.
func TestMemoryAfterRush(t *testing.T) {
	collections := func() uint32 {
		synctest.Wait()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, game.Config{})
		l := newPipes()
		defer servePipes(t, g.options(t), l)()
		before := collections()
		for status := 200; status == 200; {
			conn := l.dial()
			defer conn.Close()
			status, _ = talk(t, conn, askStatus)
		}
		if n := collections() - before; n != 0 {
			t.Errorf("collected %d times in the rush", n)
		}
		time.Sleep(20 * time.Second)
		if n := collections() - before; n != 1 {
			t.Errorf("collected %d times after the rush, want 1", n)
		}
		time.Sleep(time.Hour)
		if n := collections() - before; n != 1 {
			t.Errorf("collected %d times in the hour after the rush, want 1", n)
		}
	})
}
