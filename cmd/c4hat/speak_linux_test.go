package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// c4hat speak says what the joystick does, and goes on after the service has died and come back.
func TestSpeak(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	speak := func() *program { return start(t, nil, "c4hat", "speak", "--socket", d.socket, "--engine", "lines") }
	voice := speak()
	said := 0
	hears := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			eventually(t, func() bool {
				at := strings.Index(voice.out.String()[said:], text+"\n")
				if at >= 0 {
					said += at + len(text)
				}
				return at >= 0
			}, func() string { return text + " is not said: " + voice.out.String() + voice.errs.String() })
		}
	}
	hears("nobody plays: a demo runs")
	d.tap(t, keyEnter)
	hears("menu: two players. left and right choose, a press confirms")
	d.tap(t, keyEnter)
	hears("red starts. left and right move, a press drops the disc, up pauses")
	d.tap(t, keyLeft)
	hears("3")
	d.press(t, game.Column{Col: 2}) // soon after a press, the joystick's next one drops nothing
	hears("red 3", "yellow's turn")
	d.until(t, "yellow's turn", func(v game.View) bool { return v.Phase == game.Aim && !v.Unsaved })
	d.kill(t)
	hears("the service has stopped: waiting for it")
	d.start(t)
	hears("the service is back", "the match goes on: red 0, yellow 0; 1 disc is on the board: red, column 3, row 1; yellow to move")
	d.tap(t, keyRight)
	hears("5")
	d.tap(t, keyUp)
	hears("pause: resume. left and right choose, a press confirms; left is read, which reads the board")
	d.tap(t, keyLeft)
	hears("read")
	other := speak()
	eventually(t, func() bool { return other.out.String() != "" }, other.errs.String)
	for p, s := range map[*program]syscall.Signal{voice: syscall.SIGTERM, other: syscall.SIGINT} { // systemd's, and Ctrl-C
		_ = p.Process.Signal(s)
		if err := p.Wait(); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	if strings.Contains(voice.errs.String(), "level=WARN") {
		t.Error(voice.errs.String())
	}
}
