// Package link plays one match on two machines. Each machine's service plays it, with the
// other's seat taken by the link, which carries the discs over a line: the standard streams of
// a command that the user's ssh runs on the other machine.
//
// The link trusts no memory of what it has sent. It compares what the two services show, and
// drops the disc that one of them lacks, by its number: however often the line breaks, a disc
// falls once.
package link
