// Package cpu is the computer: it chooses columns at a level, and scores columns for hints.
// It uses no clock: its searches are limited in positions, so that a seed repeats a game on
// any machine.
package cpu
