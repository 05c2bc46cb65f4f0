package link

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// To notice a lost connection, each end sends a ping after a silence of pingAfter, and waits
// pingTime for the answer.
const (
	pingAfter = 5 * time.Second
	pingTime  = 5 * time.Second
)

var pings = http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTime}

// http2 returns the connection's protocol: many requests at a time over one stream of bytes.
func http2() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// stream is a net.Conn over the standard streams of a command. It is closed when its context ends.
type stream struct {
	io.Reader
	io.Writer
	life context.Context
	end  func() // ends life
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil {
		_ = s.Close()
	}
	return n, err
}

func (s *stream) Close() error {
	s.end()
	return nil
}

func (*stream) LocalAddr() net.Addr              { return &net.UnixAddr{Name: "link", Net: "unix"} }
func (*stream) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "link", Net: "unix"} }
func (*stream) SetDeadline(time.Time) error      { return nil }
func (*stream) SetReadDeadline(time.Time) error  { return nil }
func (*stream) SetWriteDeadline(time.Time) error { return nil }

// transport returns a transport that makes requests over a stream until the stream is closed.
func transport(s *stream) *http.Transport {
	var once sync.Once
	return &http.Transport{
		Protocols: http2(), HTTP2: &pings, DisableCompression: true,
		ResponseHeaderTimeout: pingAfter + pingTime,
		DialContext: func(context.Context, string, string) (conn net.Conn, err error) {
			err = errors.New("the connection is lost")
			once.Do(func() { conn, err = s, nil })
			return conn, err
		},
	}
}

// listener is a net.Listener that accepts only its stream, and ends with it.
type listener struct {
	*stream
	once sync.Once
}

func (l *listener) Accept() (conn net.Conn, err error) {
	l.once.Do(func() { conn = l.stream })
	if conn != nil {
		return conn, nil
	}
	<-l.life.Done()
	return nil, net.ErrClosed
}

func (l *listener) Addr() net.Addr { return l.LocalAddr() }
