package words

import "github.com/c4hat/c4hat/internal/game"

var dark = screen{title: darkTitle, help: keys("any key continues", "q quit")}

const darkLEDs = "the LEDs are dark"

func darkTitle(v *game.View) string {
	if v.UnderWay {
		return "a match waits: " + darkLEDs
	}
	return "nobody plays: " + darkLEDs
}
