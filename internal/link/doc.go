// Package link plays one match on two machines. Each machine's service plays the match, and the
// link holds the seat of the other machine's player. It carries the discs over a connection,
// called a line: the standard streams of a command that the user's ssh runs on the other
// machine.
//
// The link does not rely on what it has sent before. It compares what the two services show, and
// drops the disc that one of them lacks, by its number. So each disc falls exactly once, however
// often the line breaks.
package link
