package hat_test

import (
	"context"
	"errors"
	"image/color"
	"log"

	"github.com/c4hat/c4hat/hat"
)

// One LED, on a HAT that is mounted upside down.
func ExampleOpenMatrix() {
	matrix, err := hat.OpenMatrix(&hat.Opts{Rotate: 180})
	if err != nil {
		log.Fatal(err) // one line: what is missing, and what to do
	}
	defer matrix.Close() // dark
	frame := [64]color.RGBA{0: {R: 248, A: 255}}
	if err := matrix.WriteFrame(&frame); err != nil {
		log.Print(err)
	}
}

// Presses for as long as the program runs, however often the HAT is unplugged.
func ExampleAwaitStick() {
	ctx := context.Background()
	for {
		stick, err := hat.AwaitStick(ctx, nil, func(err error) { log.Print(err) })
		if err != nil {
			log.Fatal(err)
		}
		for err == nil {
			var e hat.Event
			if e, err = stick.ReadEvent(); err == nil {
				log.Print(e.Key, " ", e.Action)
			}
		}
		stick.Close()
		if !errors.Is(err, hat.ErrGone) {
			log.Fatal(err)
		}
	}
}
