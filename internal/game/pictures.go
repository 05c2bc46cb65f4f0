package game

import "github.com/c4hat/c4hat/board"

// picture is an 8×8 icon in the letters of [LED.Letter]. A child can tell them apart.
type picture [side]string

var (
	twoPicture = picture{
		"........",
		".RR..YY.",
		".RR..YY.",
		"........",
		".RR..YY.",
		"RRRRYYYY",
		"RRRRYYYY",
		"RRRRYYYY",
	}
	// A robot, over as many lit bars as its level has.
	computerPicture = picture{
		"...LL...",
		".LLLLLL.",
		".LWLLWL.",
		".LLLLLL.",
		".L.LL.L.",
		".LLLLLL.",
		"........",
		"........",
	}
	fullPicture = picture{
		"..RRRR..",
		".RR..RR.",
		".RR..RR.",
		"..RRRR..",
		".BB..BB.",
		".BB..BB.",
		".BB..BB.",
		"..BBBB..",
	}
)

// lookPicture is an eye: the menu's page for looking back.
var lookPicture = picture{
	"........",
	"........",
	"..LLLL..",
	".L.BB.L.",
	"L..BB..L",
	".L.BB.L.",
	"..LLLL..",
	"........",
}

// puzzlePicture is a light bulb, over as many lit bars as the puzzle has discs.
var puzzlePicture = picture{
	"..YYYY..",
	".YYYYYY.",
	".YYYYYY.",
	".YYYYYY.",
	"..YYYY..",
	"..LLLL..",
	"...LL...",
	"........",
}

func (s *State) drawMenu(f *Frame) {
	m := s.menu
	second := discLED(s.menuSetup().Rules, board.Yellow)
	switch {
	case m.entry == entryLook:
		drawPicture(f, &lookPicture)
	case m.entry == entryPuzzle:
		drawPicture(f, &puzzlePicture)
		if m.second {
			drawBars(f, m.discs(), LEDYellow)
		}
	case m.entry == entryFull && !m.second:
		drawPicture(f, &fullPicture)
	case m.entry == entryTwo || m.second && m.level() == 0:
		drawPicture(f, &twoPicture)
		for i, l := range f {
			if l == LEDYellow {
				f[i] = second
			}
		}
	default:
		drawPicture(f, &computerPicture)
		if m.second {
			drawBars(f, int(m.level()), second)
		}
	}
}

// drawBars draws bars below a picture.
func drawBars(f *Frame, n int, l LED) {
	for bar := range n {
		f[8*(side-1)+1+bar] = l
	}
}

var choicePictures = [choices]picture{
	choiceResume: {
		".W......",
		".WWW....",
		".WWWWW..",
		".WWWWWWW",
		".WWWWWWW",
		".WWWWW..",
		".WWW....",
		".W......",
	},
	choiceUndo: {
		"...Y....",
		"..YY....",
		".YYYYYY.",
		"..YY...Y",
		"...Y...Y",
		".......Y",
		"......Y.",
		"..YYYY..",
	},
	choiceHint: {
		"..LLLL..",
		".LL..LL.",
		".....LL.",
		"....LL..",
		"...LL...",
		"...LL...",
		"........",
		"...LL...",
	},
	choiceEnd: {
		"RR....RR",
		"RRR..RRR",
		".RRRRRR.",
		"..RRRR..",
		"..RRRR..",
		".RRRRRR.",
		"RRR..RRR",
		"RR....RR",
	},
}

// digits are 1 to 9: the points, in the colour of the player who has them; what a browser
// is admitted by; and puzzles solved in a row.
var digits = [...]picture{
	{
		"...LL...",
		"..LLL...",
		".LLLL...",
		"...LL...",
		"...LL...",
		"...LL...",
		"...LL...",
		".LLLLLL.",
	},
	{
		"..LLLL..",
		".LL..LL.",
		".....LL.",
		"....LL..",
		"...LL...",
		"..LL....",
		".LL.....",
		".LLLLLL.",
	},
	{
		".LLLLL..",
		".....LL.",
		".....LL.",
		"..LLLL..",
		".....LL.",
		".....LL.",
		".....LL.",
		".LLLLL..",
	},
	{
		"....LL..",
		"...LLL..",
		"..L.LL..",
		".L..LL..",
		".LLLLLL.",
		"....LL..",
		"....LL..",
		"....LL..",
	},
	{
		".LLLLLL.",
		".LL.....",
		".LL.....",
		".LLLLL..",
		".....LL.",
		".....LL.",
		".LL..LL.",
		"..LLLL..",
	},
	{
		"..LLLL..",
		".LL.....",
		".LL.....",
		".LLLLL..",
		".LL..LL.",
		".LL..LL.",
		".LL..LL.",
		"..LLLL..",
	},
	{
		".LLLLLL.",
		".....LL.",
		"....LL..",
		"....LL..",
		"...LL...",
		"...LL...",
		"..LL....",
		"..LL....",
	},
	{
		"..LLLL..",
		".LL..LL.",
		".LL..LL.",
		"..LLLL..",
		".LL..LL.",
		".LL..LL.",
		".LL..LL.",
		"..LLLL..",
	},
	{
		"..LLLL..",
		".LL..LL.",
		".LL..LL.",
		".LL..LL.",
		"..LLLLL.",
		".....LL.",
		".....LL.",
		"..LLLL..",
	},
}

// MaxPoints is the highest number of points that can win a match.
const MaxPoints = 3

// startingPicture is an hourglass.
var startingPicture = picture{
	".LLLLLL.",
	"..L..L..",
	"..LYYL..",
	"...LL...",
	"...LL...",
	"..L..L..",
	"..LYYL..",
	".LLLLLL.",
}

// Starting is the picture for the time before there is a game: its match is still being read.
func Starting() (f Frame) {
	drawPicture(&f, &startingPicture)
	return f
}

func drawPicture(f *Frame, p *picture) {
	for y, line := range p {
		for x := range side {
			f[8*y+x], _ = ParseLED(line[x])
		}
	}
}

// drawDigit draws a number of points, from 1, on a dark frame.
func drawDigit(f *Frame, n int, l LED) {
	for y, line := range digits[n-1] {
		for x := range side {
			if line[x] != '.' {
				f[8*y+x] = l
			}
		}
	}
}

// drawEquals draws an equals sign over the middle of a board, dark between its lines.
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
