package hat_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"log"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"periph.io/x/conn/v3/display"
)

// This program lights one LED of a HAT that is mounted upside down.
func ExampleOpenMatrix() {
	matrix, err := hat.OpenMatrix(nil)
	if err != nil {
		log.Fatal(err) // one line that says what is missing and what to do
	}
	defer matrix.Close() // turns off the LEDs
	frame := [64]color.RGBA{0: {R: 248, A: 255}}
	if err := errors.Join(matrix.Rotate(180), matrix.WriteFrame(&frame)); err != nil {
		log.Print(err)
	}
}

// This program drives a HAT without kernel drivers, over a bus of periph.io. Here the bus is in memory.
func ExampleI2C() {
	board := hattest.NewBoard()
	h := hat.I2C{Open: board.Open} // with a HAT: host.Init, and i2creg.Open("") in a function
	matrix, err := h.OpenMatrix()
	if err != nil {
		log.Fatal(err)
	}
	defer matrix.Close()
	joystick, err := h.OpenJoystick()
	if err != nil {
		log.Fatal(err)
	}
	defer joystick.Close()

	if err := matrix.WriteFrame(&[64]color.RGBA{0: {R: 248}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("red, top left:", board.LEDs()[0], "of 31")
	board.Press(hat.Middle)
	e, err := joystick.ReadEvent()
	fmt.Println(e.Key, e.Action, err)
	// Output:
	// red, top left: 31 of 31
	// middle press <nil>
}

// This program logs key events for as long as it runs, even if the HAT is missing at first, or
// unplugged and plugged in again.
func ExampleJoystick_ReadEvent() {
	for ; ; time.Sleep(time.Second) {
		joystick, err := hat.OpenJoystick(nil)
		if err != nil {
			log.Print(err)
			continue
		}
		for err == nil {
			var e hat.Event
			if e, err = joystick.ReadEvent(); err == nil {
				log.Print(e.Key, " ", e.Action)
			}
		}
		joystick.Close()
	}
}

// A frame is 64 colours, row by row from the top left. Here the HAT is in memory.
func ExampleMatrix_WriteFrame() {
	h := hattest.New()
	matrix, err := h.OpenMatrix() // with a HAT: hat.OpenMatrix(nil)
	if err != nil {
		log.Fatal(err)
	}
	var frame [64]color.RGBA
	for y := range 8 {
		for x := range 8 {
			if x == y {
				frame[y*8+x] = color.RGBA{R: 248, A: 255}
			}
		}
	}
	if err := matrix.WriteFrame(&frame); err != nil {
		log.Fatal(err)
	}
	fmt.Print(h.Letters())
	_ = matrix.Close()
	fmt.Print(h.Letters()[:9])
	// Output:
	// R.......
	// .R......
	// ..R.....
	// ...R....
	// ....R...
	// .....R..
	// ......R.
	// .......R
	// ........
}

// Images are drawn as on any display of periph.io.
func ExampleMatrix_Draw() {
	h := hattest.New()
	matrix, err := h.OpenMatrix()
	if err != nil {
		log.Fatal(err)
	}
	defer matrix.Close()
	var screen display.Drawer = matrix
	blue := image.NewUniform(color.RGBA{B: 248, A: 255})
	white := image.NewUniform(color.White)
	if err := screen.Draw(screen.Bounds(), blue, image.Point{}); err != nil {
		log.Fatal(err)
	}
	if err := screen.Draw(image.Rect(2, 3, 6, 5), white, image.Point{}); err != nil {
		log.Fatal(err)
	}
	fmt.Print(h.Letters())
	// Output:
	// BBBBBBBB
	// BBBBBBBB
	// BBBBBBBB
	// BBWWWWBB
	// BBWWWWBB
	// BBBBBBBB
	// BBBBBBBB
	// BBBBBBBB
}
