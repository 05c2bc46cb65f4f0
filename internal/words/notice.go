package words

import (
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
)

var notices = map[game.NoticeKind]string{
	game.NoticeFull:      "column %d is full",
	game.NoticeNoColumn:  "there is no column %d",
	game.NoticeNoUndo:    "nothing to take back in this round yet",
	game.NoticeNoHint:    "no hint can be given here",
	game.NoticeClosed:    "the hint is closed: the next press drops the disc",
	game.NoticeNotDue:    "too early for column %d",
	game.NoticeThinking:  "no hint while the computer thinks",
	game.NoticeWrong:     "column %d does not win",
	game.NoticeNoMatch:   "no match to look back at yet",
	game.NoticeTaken:     "it is not your turn",
	game.NoticeTakenDisc: "the disc is not yours",
	game.NoticeFirst:     "nothing comes before this",
	game.NoticeLast:      "nothing comes after this",
}

// Notice says why a key was refused. It is empty for [game.NoticeNone] and for unknown kinds.
func Notice(n game.Notice) string {
	return strings.ReplaceAll(notices[n.Kind], "%d", strconv.Itoa(n.Column))
}
