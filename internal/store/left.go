package store

import (
	"log/slog"

	"github.com/c4hat/c4hat/internal/game"
)

// Left returns the match in a folder that can be resumed; ok is false if there is none or it
// cannot be read. Like [History] it takes no lock and changes nothing.
func Left(dir string) (m game.Record, ok bool) {
	s := &Store{dir: dir, log: slog.New(slog.DiscardHandler), disk: osDisk{}}
	m, err := s.read(matchName)
	if err != nil {
		return m, false
	}
	e, err := s.recorded(m.ID)
	return m, err == nil && e.ID == "" // otherwise the program ended in the middle of Finish
}
