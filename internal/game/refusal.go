package game

import (
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
)

// refusal is a blink that signals a refused key.
type refusal struct {
	since  time.Time
	blinks int
	shown  bool // false once the cursor or icon it was about is left
}

// refuse tells the sender of the event why it is refused, if it is.
func (t *step) refuse(err error) {
	if err != nil {
		t.effects = append(t.effects, Refused{err})
	}
}

// blink refuses a key at the HAT. Another refusal during the blink does not restart it:
// repeated presses would make it flash.
func (t *step) blink(blinks int, n Notice) {
	t.notice = n
	if t.refused.over(t.now) {
		t.refused = refusal{t.now, blinks, true}
	}
}

func (r refusal) over(now time.Time) bool {
	return now.Sub(r.since) >= time.Duration(r.blinks)*blink
}

func (r refusal) shows(now time.Time) bool { return r.shown && !r.over(now) }

func (r refusal) dark(now time.Time) bool { return r.shows(now) && blinkDark(r.since, now) }

// NoticeKind is what a [Notice] says.
type NoticeKind uint8

// The notices.
const (
	NoticeNone NoticeKind = iota
	NoticeFull
	NoticeNoColumn
	NoticeNoUndo
	NoticeNoHint
	NoticeThinking
	NoticeWrong
	NoticeNoMatch
	NoticeTaken
	NoticeTakenDisc
	NoticeFinal
)

// Notice says why something was refused, until the next key.
type Notice struct {
	Kind   NoticeKind
	Column int // from 0, if it is about one
}

var notices = [...]string{
	NoticeFull:      "column %d is full",
	NoticeNoColumn:  "there is no column %d",
	NoticeNoUndo:    "nothing to take back in this round yet",
	NoticeNoHint:    "no hint can be given here",
	NoticeThinking:  "no hint while the computer thinks",
	NoticeWrong:     "column %d does not win",
	NoticeNoMatch:   "no match to look back at yet",
	NoticeTaken:     "it is another client's turn",
	NoticeTakenDisc: "the disc is another client's",
	NoticeFinal:     "no disc can be taken back in this match",
}

// Refusal is the view's notice in words. Where a program runs, the seat that it holds is not
// another client's.
func (v *View) Refusal() string {
	turn := v.Game.Position().Turn()
	taken := turn.Other() // whose disc would be taken back
	if v.Computer != board.Empty {
		taken = v.Computer.Other()
	}
	switch {
	case v.Notice.Kind == NoticeTaken && v.Seats[turn-board.Red] == Program:
		return "it is the program's turn"
	case v.Notice.Kind == NoticeTakenDisc && v.Seats[taken-board.Red] == Program:
		return "the disc is the program's"
	}
	return v.Notice.String()
}

// String is the notice in words; it is empty if there is none.
func (n Notice) String() string {
	return strings.ReplaceAll(notices[n.Kind], "%d", strconv.Itoa(n.Column+1))
}
