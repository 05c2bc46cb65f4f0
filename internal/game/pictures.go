package game

import "image/color"

// picture is an 8×8 icon in the letters of [Letter], to be told apart by a child.
type picture [side]string

var (
	twoPicture = picture{
		".RR..YY.",
		".RR..YY.",
		"........",
		"RRRRYYYY",
		"RRRRYYYY",
		".RR..YY.",
		".RR..YY.",
		".RR..YY.",
	}
	// A robot, over as many lit bars as its level has.
	computerPicture = picture{
		"...WW...",
		".WWWWWW.",
		".WGWWGW.",
		".WWWWWW.",
		".W.WW.W.",
		".WWWWWW.",
		"........",
		"........",
	}
	fullPicture = picture{
		"WWWWWWWW",
		"W......W",
		"W.R....W",
		"W.R.B..W",
		"W.B.R..W",
		"W.BRRB.W",
		"W.RBBR.W",
		"WWWWWWWW",
	}
)

func (s *State) drawPage(f *Frame) {
	switch level := s.page.level(); {
	case level > 0:
		drawPicture(f, &computerPicture)
		for bar := range level {
			f[8*(side-1)+1+bar] = yellow
		}
	case s.page == pageFull:
		drawPicture(f, &fullPicture)
	default:
		drawPicture(f, &twoPicture)
	}
}

var choicePictures = [choices]picture{
	choiceResume: {
		".G......",
		".GGG....",
		".GGGGG..",
		".GGGGGGG",
		".GGGGGGG",
		".GGGGG..",
		".GGG....",
		".G......",
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
		"..WWWW..",
		".WW..WW.",
		".....WW.",
		"....WW..",
		"...WW...",
		"...WW...",
		"........",
		"...WW...",
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

// digits are the points, in whatever colour has won them.
var digits = [...]picture{
	{
		"...WW...",
		"..WWW...",
		".WWWW...",
		"...WW...",
		"...WW...",
		"...WW...",
		"...WW...",
		".WWWWWW.",
	},
	{
		"..WWWW..",
		".WW..WW.",
		".....WW.",
		"....WW..",
		"...WW...",
		"..WW....",
		".WW.....",
		".WWWWWW.",
	},
	{
		".WWWWW..",
		".....WW.",
		".....WW.",
		"..WWWW..",
		".....WW.",
		".....WW.",
		".....WW.",
		".WWWWW..",
	},
}

// MaxPoints is the most that a match can be played to: what there is a digit for.
const MaxPoints = len(digits)

func drawPicture(f *Frame, p *picture) {
	for y, line := range p {
		for x := range side {
			f[8*y+x] = paint(line[x])
		}
	}
}

// drawDigit draws a number of points, from 1, over a dark frame.
func drawDigit(f *Frame, n int, c color.RGBA) {
	for y, line := range digits[n-1] {
		for x := range side {
			if line[x] != '.' {
				f[8*y+x] = c
			}
		}
	}
}
