package hattest_test

import (
	"fmt"
	"image/color"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
)

func Example() {
	h := hattest.New()
	matrix, err := h.OpenMatrix()
	if err != nil {
		fmt.Println(err)
		return
	}
	joystick, err := h.OpenJoystick()
	if err != nil {
		fmt.Println(err)
		return
	}

	// The program under test: a dot that the joystick moves.
	h.Tap(hat.Down, hat.Right)
	var frame [64]color.RGBA
	x, y := 0, 0
	for range 4 {
		e, _ := joystick.ReadEvent()
		if e.Action != hat.Press {
			continue
		}
		switch e.Key {
		case hat.Down:
			y++
		case hat.Right:
			x++
		}
	}
	frame[y*8+x] = color.RGBA{R: 248, G: 252, A: 255}
	if err := matrix.WriteFrame(&frame); err != nil {
		fmt.Println(err)
	}
	fmt.Print(h.Letters())
	// Output:
	// ........
	// .Y......
	// ........
	// ........
	// ........
	// ........
	// ........
	// ........
}
