package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/puzzle"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// puzzles are the flags of c4hat puzzle.
type puzzles struct {
	discs, count settings.Number
	seed         settings.Seed
	asJSON       bool
	fromMatches  bool
	settings.Places
}
