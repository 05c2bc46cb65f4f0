// Package server is the common part of the socket's server and the page's server. It divides
// connections, streams and requests among users, so that no user can keep the others out. It
// reads requests, and answers in JSON or with a stream of events.
package httplimit
