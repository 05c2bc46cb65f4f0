package game

// Refusal is the reason that the game refuses an event. Clients of the socket tell refusals apart by
// their codes.
type Refusal struct{ Code, Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// The refusals.
var (
	ErrUnderWay    = &Refusal{"under-way", "a match is under way"}
	ErrNoMatch     = &Refusal{"no-match", "no match is under way"}
	ErrBusy        = &Refusal{"busy", "earlier matches are still being written to the disk: try again"}
	ErrTaken       = &Refusal{"taken", "the seat is taken"}
	ErrComputers   = &Refusal{"computers", "the seat is the computer's"}
	ErrNoSeat      = &Refusal{"no-seat", "the token holds no seat in this match"}
	ErrNotYours    = &Refusal{"not-yours", "another client plays this side"}
	ErrNotNow      = &Refusal{"not-now", "the disc is not due"}
	ErrAdmitting   = &Refusal{"admitting", "another browser is asking to be admitted: try again when it has its answer"}
	ErrAdmitMatch  = &Refusal{"match", "a match is being played: pause it, then ask again"}
	ErrAdmitSoon   = &Refusal{"soon", "nobody admitted the last browsers: wait a while, then ask again"}
	ErrAdmitNobody = &Refusal{"digit", "the digit must be 1 to 9"}
)

// Refusals has all refusals.
var Refusals = []*Refusal{
	ErrUnderWay, ErrNoMatch, ErrBusy, ErrTaken, ErrComputers, ErrNoSeat, ErrNotYours, ErrNotNow,
	ErrAdmitting, ErrAdmitMatch, ErrAdmitSoon, ErrAdmitNobody,
}
