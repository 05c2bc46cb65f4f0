package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
)

// Inside runs a game without the HAT, until the context ends or serve returns. serve uses the game
// through the client. kept reports whether a match was saved that can be resumed.
func Inside(ctx context.Context, o Options, serve func(*socket.Client) error) (kept bool, err error) {
	k, state, err := o.open(ctx)
	if err != nil {
		return false, err
	}
	defer k.Close()
	l := session.New(state, session.Options{Computer: o.Computer, Keeper: k})
	server := o.server(k, l, nil, nil, slog.New(slog.DiscardHandler))
	l.Panels = []session.Panel{server}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	inside := socket.NewInside()
	go func() { _ = server.Serve(ctx, inside) }()
	go func() { cancel(serve(socket.Connect(inside.Dial))) }()
	state, err = l.Run(ctx)
	v := state.View(time.Now())
	return k.Close() && v.UnderWay && v.Begun(), err
}
