// Package link plays one match on two machines. Each machine's service plays the match, and the
// link holds the seat of the other machine's player. It carries the discs over a connection,
// called a line: the standard streams of a command that the user's ssh runs on the other
// machine.
//
// The link does not rely on what it has sent before. It compares what the two services show. If one
// of them lacks a disc, the link drops the disc there, by its number in the match. So each disc
// falls exactly once, however often the line breaks.
package link
