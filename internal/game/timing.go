package game

import "time"

// How long things take. Nothing blinks faster than three times a second, so that
// nobody is hurt by it: blinking is half a period dark, half lit, dark first.
const (
	blinkHalf = 250 * time.Millisecond
	blink     = 2 * blinkHalf

	fallRow     = 30 * time.Millisecond  // a row of a fall through the standard screen
	fallRowFull = 100 * time.Millisecond // where the top row is in play
	demoRow     = 100 * time.Millisecond

	// A disc rests on the ground for what is left of this: the second tap of a
	// nervous thumb must not skip the cheer either.
	minFallTime = dropWindow

	// A turn begins when the disc before it is on the disk: who has seen it land finds
	// it again after a power cut. Beyond this a disk is too slow to be waited for.
	saveTime = time.Second

	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond
	hintTime    = 5 * time.Second

	holdEvery = 150 * time.Millisecond // a held key repeats no faster
	menuIdle  = 60 * time.Second

	demoPace = 1500 * time.Millisecond // from one disc of the demo to the next
	demoRest = 3 * time.Second         // after its rounds
)

// blinkDark says whether something that blinks since a moment is dark now.
func blinkDark(since, now time.Time) bool {
	return now.Sub(since)/blinkHalf%2 == 0
}

// nextEdge is the first moment after now that lies a whole number of periods
// after the start.
func nextEdge(start time.Time, period time.Duration, now time.Time) time.Time {
	return start.Add((now.Sub(start)/period + 1) * period)
}
