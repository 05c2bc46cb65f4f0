package gametest

import (
	"strings"
	"sync"
)

// Log is what a program has written so far. It may be read while the program runs.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *Log) Len() int { return len(l.String()) }
