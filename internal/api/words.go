package api

import (
	"encoding/hex"
	"fmt"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

func readPhase(name string) (game.Phase, error) {
	for p := game.Attract; p <= game.Over; p++ {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("unknown phase %q", name)
}

// writeColours returns the colours of a frame in the classic palette.
func writeColours(f *game.Frame) (rows [8]string) {
	colours := light.New(light.Classic, light.Full).Frame(f)
	for y := range rows {
		row := make([]byte, 0, 8*7)
		for _, c := range colours[8*y : 8*y+8] {
			if len(row) > 0 {
				row = append(row, ' ')
			}
			row = hex.AppendEncode(row, []byte{c.R, c.G, c.B})
		}
		rows[y] = string(row)
	}
	return rows
}

func writeLEDs(f *game.Frame) (rows [8]string) {
	for y := range rows {
		var row [8]byte
		for x := range row {
			row[x] = f[8*y+x].Letter()
		}
		rows[y] = string(row[:])
	}
	return rows
}

func readLEDs(rows [8]string) (f game.Frame, err error) {
	for y, row := range rows {
		if len(row) != 8 {
			return f, fmt.Errorf("leds: row %d: want 8 letters", y+1)
		}
		for x := range row {
			led, ok := game.ParseLED(row[x])
			if !ok {
				return f, fmt.Errorf("leds: row %d: unknown letter %q", y+1, row[x])
			}
			f[8*y+x] = led
		}
	}
	return f, nil
}
