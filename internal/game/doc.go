// Package game is the whole behaviour of c4hat as a pure state machine. Its input is events and the
// time; its output is the next state, a picture and effects.
//
//	attract → menu → aim → fall → (cheer → score → [victory] → clear) → aim …
//
// The package reads no clock, starts no goroutine and touches no device, so a test can check every
// moment of a game. [State.StepFrom] takes an event, [State.View] returns what to show, and
// [State.Next] says when the picture will change by itself, so that the caller can sleep until
// then.
//
// Each file refers only to itself and to files before it in this list:
//
//	event pictures state seats menu turn match look puzzle admission draw view keys step
package game
