package game

import "github.com/c4hat/c4hat/board"

// sheet has icons of 8×8 LEDs side by side, with a space between them, in the letters of
// [LED.Letter]. Even a small child must be able to tell the icons apart.
type sheet [side]string

// menuSheet has an icon for each [entry]: people, a robot, an 8, an eye and a light bulb.
var menuSheet = sheet{
	"........ ...LL... ..RRRR.. ........ ..YYYY..",
	".RR..YY. .LLLLLL. .RR..RR. ........ .YYYYYY.",
	".RR..YY. .LWLLWL. .RR..RR. ..LLLL.. .YYYYYY.",
	"........ .LLLLLL. ..RRRR.. .L.BB.L. .YYYYYY.",
	".RR..YY. .L.LL.L. .BB..BB. L..BB..L ..YYYY..",
	"RRRRYYYY .LLLLLL. .BB..BB. .L.BB.L. ..LLLL..",
	"RRRRYYYY ........ .BB..BB. ..LLLL.. ...LL...",
	"RRRRYYYY ........ ..BBBB.. ........ ........",
}

// firstSheet has an icon for each [board.First]: an arrow at a player's disc, an arrow between both
// players' discs, a sad face and a die.
var firstSheet = sheet{
	".RRR.... ....YYY. .RR..YY. ..LLLL.. LLLLLLLL",
	".RRR.... ....YYY. .RR..YY. .L....L. L.LLLL.L",
	".RRR..YY RR..YYY. ........ L.L..L.L LLLLLLLL",
	"......YY RR...... ..L..L.. L......L LLL..LLL",
	"..L..... .....L.. .LL..LL. L..LL..L LLL..LLL",
	".LLL.... ....LLL. LLLLLLLL L.L..L.L LLLLLLLL",
	"LLLLL... ...LLLLL .LL..LL. .L....L. L.LLLL.L",
	"..L..... .....L.. ..L..L.. ..LLLL.. LLLLLLLL",
}

// pauseSheet has an icon for each [choice].
var pauseSheet = sheet{
	".W...... ...Y.... ..LLLL.. RR....RR",
	".WWW.... ..YY.... .LL..LL. RRR..RRR",
	".WWWWW.. .YYYYYY. .....LL. .RRRRRR.",
	".WWWWWWW ..YY...Y ....LL.. ..RRRR..",
	".WWWWWWW ...Y...Y ...LL... ..RRRR..",
	".WWWWW.. .......Y ...LL... .RRRRRR.",
	".WWW.... ......Y. ........ RRR..RRR",
	".W...... ..YYYY.. ...LL... RR....RR",
}

// digitSheet has the digits from 1 to 9: for points, for puzzles solved in a row, and for admitting
// a browser.
var digitSheet = sheet{
	"...LL... ..LLLL.. .LLLLL.. ....LL.. .LLLLLL. ..LLLL.. .LLLLLL. ..LLLL.. ..LLLL..",
	"..LLL... .LL..LL. .....LL. ...LLL.. .LL..... .LL..... .....LL. .LL..LL. .LL..LL.",
	".LLLL... .....LL. .....LL. ..L.LL.. .LL..... .LL..... ....LL.. .LL..LL. .LL..LL.",
	"...LL... ....LL.. ..LLLL.. .L..LL.. .LLLLL.. .LLLLL.. ....LL.. ..LLLL.. .LL..LL.",
	"...LL... ...LL... .....LL. .LLLLLL. .....LL. .LL..LL. ...LL... .LL..LL. ..LLLLL.",
	"...LL... ..LL.... .....LL. ....LL.. .....LL. .LL..LL. ...LL... .LL..LL. .....LL.",
	"...LL... .LL..... .....LL. ....LL.. .LL..LL. .LL..LL. ..LL.... .LL..LL. .....LL.",
	".LLLLLL. .LLLLLL. .LLLLL.. ....LL.. ..LLLL.. ..LLLL.. ..LL.... ..LLLL.. ..LLLL..",
}

const maxDigit = 9

// startingSheet is an hourglass.
var startingSheet = sheet{
	".LLLLLL.",
	"..L..L..",
	"..LYYL..",
	"...LL...",
	"...LL...",
	"..L..L..",
	"..LYYL..",
	".LLLLLL.",
}

// Starting returns the picture to show while the saved match is being read, before there is a game.
func Starting() (f Frame) {
	startingSheet.draw(&f, 0)
	return f
}

// draw draws one icon of the sheet; icons are numbered from 0.
func (s *sheet) draw(f *Frame, icon int) {
	for y, line := range s {
		for x := range side {
			f[8*y+x], _ = ParseLED(line[(side+1)*icon+x])
		}
	}
}

// drawDigit draws a digit from 1; numbers above 9 become a 9.
func drawDigit(f *Frame, n int, l LED) {
	digitSheet.draw(f, min(n, maxDigit)-1)
	replace(f, LEDPlain, l)
}

func replace(f *Frame, from, to LED) {
	for i, l := range f {
		if l == from {
			f[i] = to
		}
	}
}

// drawMenu draws the icon of the selected entry. On a second page, a row of LEDs shows the
// computer's level, or how many discs the puzzles take to win.
func (s *State) drawMenu(f *Frame) {
	m := s.menu
	icon, bars := m.entry, 0
	second := discLED(s.menuSetup().Rules, board.Yellow)
	lit := second
	switch {
	case !m.second:
	case m.entry == entryPuzzle:
		bars, lit = m.discs(), LEDYellow
	case m.level() == 0:
		icon = entryTwo
	default:
		icon, bars = entryComputer, int(m.level())
	}
	if icon == entryFirst {
		firstSheet.draw(f, int(m.first))
	} else {
		menuSheet.draw(f, int(icon))
	}
	if icon == entryTwo || icon == entryFirst {
		replace(f, LEDYellow, second)
	}
	for bar := range bars {
		f[8*(side-1)+1+bar] = lit
	}
}

// drawEquals draws an equals sign over the middle of a board. The LEDs between its lines are dark.
func drawEquals(f *Frame, r board.Rules) {
	left := min(1, (r.Columns-1)/4)
	low, high := max((r.Rows-1)/2-1, 0), min(r.Rows/2+1, r.Rows-1)
	for col := left; col < r.Columns-left; col++ {
		for row := low; row <= high; row++ {
			f[cell(col, row)] = LEDDark
		}
		f[cell(col, low)], f[cell(col, high)] = LEDPlain, LEDPlain
	}
}
