package words

import "github.com/c4hat/c4hat/internal/game"

// The screens on which nobody plays.
var (
	demo      = screen{title: always("nobody plays: a demo runs"), help: keys("Enter opens the menu", "q quit")}
	dark      = screen{title: darkTitle, help: keys("any key continues", "q quit")}
	admission = screen{title: always("a browser asks to play"), keys: always("up refuses"), help: keys("joystick: set the page's digit, press", "q quit")}
	over      = screen{title: always("the game has ended")}
)

const darkLEDs = "the LEDs are dark"

func darkTitle(v *game.View) string {
	if v.UnderWay {
		return "a match waits: " + darkLEDs
	}
	return "nobody plays: " + darkLEDs
}
