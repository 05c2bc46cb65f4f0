//go:build js && wasm

// Command wasm is the WebAssembly program of the page without a server. worker.js starts it in each
// worker: in one it runs the game, and in the others, in the role brain, the computer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"syscall/js"

	"github.com/c4hat/c4hat/internal/dev/site"
)

// main connects the game to worker.js through these functions, in which each text is a string:
//
//	c4hat.answer(id, status, text)    the answer to a request
//	c4hat.show(text) .save(text) .finish(text)
//	c4hat.think(id, text) .forget(id) a question for the brain
//	c4hat.ask(id, method, path, text) a request; set by main
//	c4hat.reply(id, text, error)      the brain's answer; set by main
func main() {
	c4hat := js.Global().Get("c4hat")
	answer := func(id js.Value, status int, text []byte) { c4hat.Call("answer", id, status, string(text)) }
	if c4hat.Get("role").String() == "brain" {
		var brain site.Brain
		ask := map[string]func(context.Context, []byte) ([]byte, error){"think": brain.Answer, "v1/analyse": brain.Analyse}
		c4hat.Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
			go func() {
				text, err := ask[args[2].String()](context.Background(), []byte(args[3].String()))
				if err != nil {
					text, _ = json.Marshal(map[string]string{"error": err.Error()})
					answer(args[0], 400, text)
					return
				}
				answer(args[0], 200, text)
			}()
			return nil
		}))
	} else {
		play(c4hat, answer)
	}
	c4hat.Call("ready", string(site.You()))
	select {}
}

// play runs a game.
func play(c4hat js.Value, answer func(id js.Value, status int, text []byte)) {
	to := func(name string) func([]byte) {
		return func(text []byte) { c4hat.Call(name, string(text)) }
	}
	waiting := map[int]chan<- reply{}
	last := 0
	ask := func(ctx context.Context, question []byte) ([]byte, error) {
		last++
		id, answered := last, make(chan reply, 1)
		waiting[id] = answered
		defer delete(waiting, id)
		c4hat.Call("think", id, string(question))
		select {
		case a := <-answered:
			if a.err != "" {
				return nil, errors.New(a.err)
			}
			return []byte(a.text), nil
		case <-ctx.Done():
			c4hat.Call("forget", id)
			return nil, ctx.Err()
		}
	}
	c4hat.Set("reply", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if to := waiting[args[0].Int()]; to != nil {
			to <- reply{args[1].String(), args[2].String()}
		}
		return nil
	}))
	page := site.Page{Show: to("show"), Save: to("save"), Finish: to("finish"), Ask: ask}
	g, err := site.New(page, []byte(c4hat.Get("saved").String()), rand.Uint64())
	if err != nil {
		panic(err)
	}
	c4hat.Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go func() {
			id, method, path, body := args[0], args[1].String(), args[2].String(), []byte(args[3].String())
			if path == "v1/matches" {
				answer(id, 200, site.Past(body))
				return
			}
			status, text := g.Ask(context.Background(), method, path, body)
			answer(id, status, text)
		}()
		return nil
	}))
	go func() {
		if _, err := g.Run(context.Background()); err != nil {
			panic(err)
		}
	}()
}

type reply struct{ text, err string }
