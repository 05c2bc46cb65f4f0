package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// request returns the text of an HTTP request.
func request(method, path, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: c4hat\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", method, path, len(body), body)
}

// enter connects to the socket.
func (s *soak) enter() net.Conn {
	c, err := s.door.Dial(context.Background())
	if err != nil {
		s.t.Error(err)
	}
	return c
}

// ask makes a request and returns the status of the response.
func (s *soak) ask(method, path, body string) (status int, err error) {
	c := s.enter()
	defer c.Close()
	go io.WriteString(c, request(method, path, body)) // a pipe has no buffer
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// visit is one client, which connects, makes requests and disconnects.
func (s *soak) visit() {
	n, some := s.rng.IntN(20), time.Duration(s.rng.IntN(10000))*time.Millisecond
	key := []string{"left", "right", "up", "middle", "undo", "hint", "pause"}[s.rng.IntN(7)]
	points := 1 + s.rng.IntN(3)
	many := s.played()%5000 == 0
	ask := func(method, path, body string, statuses ...int) {
		status, err := s.ask(method, path, body)
		for _, want := range statuses {
			if status == want && err == nil {
				return
			}
		}
		s.t.Errorf("%s %s %s: status %d, %v", method, path, body, status, err)
	}
	s.visitors.Go(func() {
		time.Sleep(some / 4)
		switch {
		case n < 3:
			ask("GET", "/v1/status", "", 200)
		case n < 6:
			ask("POST", "/v1/press", fmt.Sprintf(`{"key":%q}`, key), 200)
		case n < 8:
			ask("POST", "/v1/press", `{"column":4}`, 200)
		case n == 8:
			ask("POST", "/v1/match", fmt.Sprintf(`{"points":%d,"computer":"red","level":1}`, points), 201, 409)
		case n == 9:
			ask("POST", "/v1/match", fmt.Sprintf(`{"force":true,"board":"5x4","points":%d,"first":"random"}`, points), 201)
		case n == 10:
			ask("DELETE", "/v1/match", "", 200, 404)
		case n == 11:
			ask("POST", "/v1/press", `{"column":"four"}`, 400)
		case n < 15: // follows the events for a while
			c := s.enter()
			go io.WriteString(c, request("GET", "/v1/events", ""))
			_ = c.SetReadDeadline(time.Now().Add(some))
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		case n == 15: // stays connected, but does not read
			c := s.enter()
			go io.WriteString(c, request("GET", "/v1/events", ""))
			_, _ = io.CopyN(io.Discard, c, 1000)
			time.Sleep(some)
			c.Close()
		case n == 16: // sends nothing, or half a request
			c := s.enter()
			_, _ = io.WriteString(c, "GET /v1/sta"[:points])
			time.Sleep(some)
			c.Close()
		}
		if many { // read the whole history
			ask("GET", "/v1/matches?last=3", "", 200)
		}
	})
}
