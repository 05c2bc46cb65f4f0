package game

import "github.com/c4hat/c4hat/internal/match"

// A match has one shape everywhere; see package match.
type (
	Record = match.Record
	Setup  = match.Setup
)

// MaxPoints is the highest number of points that can win a match.
const MaxPoints = match.MaxPoints

// Errors of a setup.
var (
	ErrNoLine  = match.ErrNoLine
	ErrPoints  = match.ErrPoints
	ErrOpening = match.ErrOpening
	ErrLevel   = match.ErrLevel
)
