// Package server is what the socket's server and the page's share: connections, streams and
// requests divided among users, so that none of them can keep the others out; requests read,
// and answered in JSON or with a stream of events.
package server
