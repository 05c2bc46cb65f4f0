package link

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"

	"github.com/c4hat/c4hat/internal/socket"
)

// Answer serves the other end of a line, on the standard streams of a command that ssh has
// started. It passes requests to the service until the line breaks or the context ends.
func Answer(ctx context.Context, in io.Reader, out io.Writer, service *socket.Client) error {
	if _, err := service.Status(ctx); err != nil {
		return err
	}
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	server := http.Server{
		Handler: &httputil.ReverseProxy{
			Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "c4hat" },
			Transport:     service,
			FlushInterval: -1, // so that each event is sent at once
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
				w.WriteHeader(http.StatusServiceUnavailable)
				_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			},
		},
		Protocols: http2(), HTTP2: &pings,
		ErrorLog: log.New(io.Discard, "", 0), // protocol errors are the other end's fault
	}
	defer server.Close()
	l := socket.NewInside()
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		if over, err := l.Dial(ctx); err == nil {
			carry(end, over, in, out)
		}
	}()
	if err := server.Serve(l); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
