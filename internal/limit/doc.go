// Package limit divides connections, streams and requests among the users of a server, so
// that none of them can keep the others out.
package limit
