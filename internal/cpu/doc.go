// Package cpu is the computer player: it chooses columns at a level, and scores columns for
// hints. It uses no clock: searches are limited by the number of positions, so that the same seed
// gives the same game on every machine.
package cpu
