package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/c4hat/c4hat/internal/socket"
)

// greeting is the first line that Answer writes. The shell that starts the command may print
// something before it.
const greeting = "c4hat link 1\n"

const maxBody = 4 << 10 // the longest body of a request, in bytes, as on the service's socket

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
		Handler: pass{service}, Protocols: http2(), HTTP2: &pings,
		ErrorLog: log.New(io.Discard, "", 0), // protocol errors are the other end's fault
	}
	defer server.Close()
	if err := server.Serve(&listener{stream: &stream{in, out, ctx, end}}); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// pass passes requests to the service.
type pass struct{ service *socket.Client }

func (p pass) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return
	}
	answer, err := p.service.Seated(r.Header.Get(socket.TokenHeader)).Forward(r.Context(), r.Method, r.URL.RequestURI(), body)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprint(err)})
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	w.WriteHeader(answer.StatusCode)
	rc := http.NewResponseController(w)
	for buf := make([]byte, 8<<10); ; {
		_ = rc.Flush() // so that each event is sent at once
		n, err := answer.Body.Read(buf)
		if _, lost := w.Write(buf[:n]); err != nil || lost != nil {
			return
		}
	}
}
