// Package cpu is the computer as a player and a judge: from a position and a level
// to a column, and what the columns are worth. It knows no clock: how much it looks
// at is counted in positions, so that a seed repeats a game on any machine.
package cpu
