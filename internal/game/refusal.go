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
	shown  bool // false once the cursor or the selected icon has moved
}

// refuse sends err to the sender of the event, unless err is nil.
func (t *step) refuse(err error) {
	if err != nil {
		t.effects = append(t.effects, Refused{err})
	}
}

// blink shows that a key was refused: the cursor or the icon blinks once, or twice if the notice
// names a column. A blink that has not ended is not restarted, because repeated presses would then
// make the LEDs flash.
func (t *step) blink(n Notice) {
	t.notice = n
	if !t.refused.over(t.now) {
		return
	}
	t.refused = refusal{t.now, 1, true}
	if n.NamesColumn() {
		t.refused.blinks = 2
	}
}

func (r refusal) over(now time.Time) bool {
	return now.Sub(r.since) >= time.Duration(r.blinks)*blink
}

func (r refusal) shows(now time.Time) bool { return r.shown && !r.over(now) }

func (r refusal) dark(now time.Time) bool { return r.shows(now) && blinkDark(r.since, now) }

// NoticeKind is the reason that a [Notice] gives, as a word that programs can compare.
type NoticeKind string

// The notices.
const (
	NoticeNone      NoticeKind = ""
	NoticeFull      NoticeKind = "full"
	NoticeNoColumn  NoticeKind = "no-column"
	NoticeNoUndo    NoticeKind = "no-undo"
	NoticeNoHint    NoticeKind = "no-hint"
	NoticeThinking  NoticeKind = "thinking"
	NoticeWrong     NoticeKind = "wrong"
	NoticeNoMatch   NoticeKind = "no-match"
	NoticeTaken     NoticeKind = "taken"
	NoticeTakenDisc NoticeKind = "taken-disc"
	NoticeFinal     NoticeKind = "final"
)

// Notice says why a key was refused. It lasts until the next key press.
type Notice struct {
	Kind   NoticeKind
	Column int // from 0, if the notice names one
}

var notices = map[NoticeKind]string{
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

// NamesColumn reports whether the notice is about a column.
func (n Notice) NamesColumn() bool { return strings.Contains(notices[n.Kind], "%d") }

// Refusal returns the view's notice in words. If a program holds the seat, the words say "program"
// instead of "another client".
func (v *View) Refusal() string {
	turn := v.Game.Position().Turn()
	taken := turn.Other() // the player whose disc Undo would take back
	if v.Computer != board.Empty {
		taken = v.Computer.Other()
	}
	switch {
	case v.Notice.Kind == NoticeTaken && v.Seats[turn-board.Red].Holder != "":
		return "it is the program's turn"
	case v.Notice.Kind == NoticeTakenDisc && v.Seats[taken-board.Red].Holder != "":
		return "the disc is the program's"
	}
	return v.Notice.String()
}

// String returns the notice in words. It is empty for [NoticeNone] and for unknown kinds.
func (n Notice) String() string {
	return strings.ReplaceAll(notices[n.Kind], "%d", strconv.Itoa(n.Column+1))
}
