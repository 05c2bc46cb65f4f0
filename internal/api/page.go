package api

import (
	"errors"

	"github.com/c4hat/c4hat/board"
)

// You tells a page what it may do. It is the first event in a stream from the page's server.
type You struct {
	Press  bool     `json:"press"`
	Pair   bool     `json:"pair"`  // whether it may ask to be paired
	Alone  bool     `json:"alone"` // whether there is no HAT, so that only browsers move the cursor
	Host   string   `json:"host"`  // the name of the machine
	Levels []string `json:"levels"`
}

// ReadAnalyse reads the body of a request for an analysis of a game on the standard board: the
// moves and who starts. from is the number of plies at the start of the game that are not analysed:
// those of its opening.
func ReadAnalyse(body []byte) (g board.Game, from int, err error) {
	played, starts, starter := "", "red", board.Empty
	_, err = fields{
		"moves": moves(&played), "starts": text(&starts, "red or yellow"), "from": number(&from, 0, board.MaxSide*board.MaxSide),
	}.read(body)
	if err == nil {
		starter, err = SeatOf(board.Standard, "starts", starts)
	}
	if err == nil {
		g, err = board.ParseGame(board.Standard, starter, played)
	}
	if position := g.Position(); err == nil && from > position.Ply() {
		err = errors.New("from: the game has fewer plies")
	}
	return g, from, err
}
