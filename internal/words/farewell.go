package words

import (
	"fmt"

	"github.com/c4hat/c4hat/internal/game"
)

// What is said before a match, and when somebody stops playing. In these sentences resume is the
// command that resumes the match.

// MatchEnded says that a match was ended before anybody won it.
const MatchEnded = "the match was ended"

// MatchWaits says that a match was left for the menu, which resumes it.
const MatchWaits = "the match waits in the menu"

// The same, of a match that only this command played, and of one on the HAT.
const (
	NobodyWins = MatchEnded + ": nobody wins"
	EndedOnHAT = MatchEnded + " on the HAT"
	Replaced   = "your match was replaced by another on the HAT"
)

// What a terminal shows until a new match has a disc.
const (
	NotSaved      = "this match will not be saved"
	ReplacesSaved = "the first disc replaces your saved match"
)

// NoService says how a match is played on the HAT.
const NoService = "there is a Sense HAT, but its service is not running: sudo systemctl start c4hat"

// SavedMatch says how to resume a match that waits.
func SavedMatch(r game.Record, resume string) string {
	return fmt.Sprintf("there is a saved match (%s): %s resumes it", Terms(r), resume)
}

// WouldReplace says that a new match would replace a saved one at once.
func WouldReplace(r game.Record, resume string) string {
	return SavedMatch(r, resume) + ", and --force replaces it"
}

func YourMatch(r game.Record, resume string) string {
	return fmt.Sprintf("you have a saved match, played without the service:\n%s\n%s resumes it", Record(r), resume)
}

// HATGivenUp says that a new match has replaced the one on the HAT.
func HATGivenUp(r game.Record) string {
	return fmt.Sprintf("the match that was under way on the HAT was given up (%s)", Terms(r))
}

func Decided(command string) string { return command + " shows the discs that decided it" }

func Replays(command string) string { return command + " shows the match again" }

// Kept says how a match of this machine goes on.
func Kept(resume string) string { return "the match is kept: " + resume + " resumes it" }

// NotOver says that a saved match is not among those that are shown.
func NotOver(r game.Record) string {
	return fmt.Sprintf("the saved match (%s) is not over, and is not shown", Terms(r))
}

// GivenUpLater says that the last match is not shown, because it was given up.
func GivenUpLater(number int) string {
	return fmt.Sprintf("match %d was given up, and is not shown", number)
}

// NotKept says that a match cannot be resumed.
const NotKept = "this match was not kept"

// Continues says how a match on the HAT goes on.
func Continues(resume string) string {
	return "the match continues on the HAT: " + resume + " joins it again"
}
