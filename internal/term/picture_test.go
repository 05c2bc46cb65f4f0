package term

import (
	"fmt"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
)

// pixels returns the colours of the half cells of a screen.
func pixels(t *testing.T, screen tcell.Screen) (at [][]color.Color) {
	t.Helper()
	width, height := screen.Size()
	at = make([][]color.Color, 2*height)
	for i := range width * height {
		cell, style, _ := screen.Get(i%width, i/width)
		upper, lower := style.GetBackground(), style.GetBackground()
		switch cell {
		case "█":
			upper, lower = style.GetForeground(), style.GetForeground()
		case "▀":
			upper = style.GetForeground()
		case "▄":
			lower = style.GetForeground()
		}
		at[i/width*2] = append(at[i/width*2], upper)
		at[i/width*2+1] = append(at[i/width*2+1], lower)
	}
	return at
}

// region is an area of connected pixels of one colour.
type region struct {
	colour                   color.Color
	left, top, right, bottom int
	pixels                   int
}

// regions returns the regions inside a rectangle, except those of the colour but.
func regions(at [][]color.Color, left, top, right, bottom int, but color.Color) (all []region) {
	seen := map[[2]int]bool{}
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			if seen[[2]int{x, y}] || at[y][x] == but {
				continue
			}
			r := region{at[y][x], x, y, x, y, 0}
			todo := [][2]int{{x, y}}
			seen[todo[0]] = true
			for len(todo) > 0 {
				p := todo[0]
				todo = todo[1:]
				r.pixels++
				r.left, r.right = min(r.left, p[0]), max(r.right, p[0]+1)
				r.top, r.bottom = min(r.top, p[1]), max(r.bottom, p[1]+1)
				for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
					q := [2]int{p[0] + d[0], p[1] + d[1]}
					if q[0] < left || q[0] >= right || q[1] < top || q[1] >= bottom || seen[q] || at[q[1]][q[0]] != r.colour {
						continue
					}
					seen[q] = true
					todo = append(todo, q)
				}
			}
			all = append(all, r)
		}
	}
	return all
}

// At every size and on every board, the picture is a plate with a round hole for each cell, and no
// two holes touch.
func TestPlate(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 17}, {80, 24}, {100, 30}, {120, 40}, {200, 60}} {
		for _, r := range []board.Rules{board.Standard, board.FullMatrix, {Columns: 5, Rows: 4, Connect: 4}} {
			name := fmt.Sprintf("%v, %v", size, r)
			p, screen := simulate(t, size[0], size[1], "")
			s, now := state(t, game.Config{Setup: game.Setup{Rules: r}}, drops("4453")...)
			_ = p.Show(words.With(s.View(now)))
			l := p.layout()
			if l.small {
				if size[1] >= 24 {
					t.Errorf("%s: the picture is small", name)
				}
				continue
			}
			pic := p.picture(l)
			bottom := 2 * (l.top + l.height)
			top := 2*l.top + l.edge()
			right := l.left + l.columns*l.stepX() + l.gapX
			all := regions(pixels(t, screen), l.left, top, right, bottom, pic.colours[inkPlate])
			counts := map[color.Color]int{}
			for _, a := range all {
				width, height := a.right-a.left, a.bottom-a.top
				if a.colour == pic.colours[inkNone] && width < l.high { // in the marked disc
					counts[color.Default]++
					continue
				}
				counts[a.colour]++
				if width != l.wide || height != l.high || a.pixels >= width*height {
					t.Fatalf("%s: no round disc of %d: %+v", name, l.high, a)
				}
				if 3*width > 5*height {
					t.Errorf("%s: a disc of %dx%d", name, width, height)
				}
			}
			for led, lit := range s.View(now).Frame {
				x, y, ok := pic.middle(led)
				want := pic.colours[lit]
				if lit == game.LEDEmpty {
					want = pic.colours[inkNone]
				}
				if at := pixels(t, screen); ok && led != pic.last && at[2*y][x] != want && at[2*y+1][x] != want {
					t.Errorf("%s: LED %d is %v, want %v", name, led, at[2*y][x], want)
				}
			}
			second := discColour(r)
			cursor := 0 // how many LEDs of the board's top row show the cursor
			if r.Rows == board.MaxSide {
				cursor = countOf(s.View(now).Frame, game.LEDRed) - 2
			}
			want := map[color.Color]int{
				pic.colours[game.LEDRed]: 2 + cursor, pic.colours[second]: 2, color.Default: 1,
				pic.colours[inkNone]: r.Columns*r.Rows - 4 - cursor,
			}
			for colour, n := range want {
				if counts[colour] != n {
					t.Errorf("%s: %d of %v, want %d", name, counts[colour], colour, n)
				}
			}
		}
	}
}

func discColour(r board.Rules) game.LED {
	if r.FillsMatrix() {
		return game.LEDBlue
	}
	return game.LEDYellow
}

func countOf(f game.Frame, led game.LED) (n int) {
	for _, l := range f {
		if l == led {
			n++
		}
	}
	return n
}

// A larger window has a larger picture, in all kinds of terminals.
func TestPictureGrows(t *testing.T) {
	for _, r := range []board.Rules{board.Standard, board.FullMatrix} {
		for _, coarse := range []bool{false, true} {
			before := 0
			for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}, {300, 90}} {
				l := layoutFor(size[0], size[1], r, coarse)
				if l.wide*l.high <= before {
					t.Errorf("%v: discs of %d at %v, of %d before", r, l.high, size, before)
				}
				before = l.wide * l.high
			}
		}
	}
}

// The colours of discs, plate and holes differ in terminals of all kinds, in every palette.
func TestColoursDiffer(t *testing.T) {
	for _, colours := range []int{256, 16, 8} {
		var available []color.Color
		for i := range colours {
			available = append(available, color.PaletteColor(i))
		}
		for _, palette := range light.Palettes() {
			for _, r := range []board.Rules{board.Standard, board.FullMatrix} {
				p, screen := simulate(t, 80, 24, "")
				p.screen = depth{screen, colours}
				p.Colours = light.New(palette, light.Full)
				s, now := state(t, game.Config{Setup: game.Setup{Rules: r}}, drops("44")...)
				_ = p.Show(words.With(s.View(now)))
				pic := p.picture(p.layout())
				shown := []ink{inkNone, ink(game.LEDRed), ink(discColour(r))}
				if !pic.dots {
					shown = append(shown, inkPlate)
				}
				found := map[color.Color]ink{}
				for _, i := range shown {
					c := color.Find(pic.colours[i], available)
					if other, ok := found[c]; ok {
						t.Errorf("%s, %d colours, %v: inks %d and %d are %v", palette, colours, r, i, other, c)
					}
					found[c] = i
				}
			}
		}
	}
}

// Every mark on the screen can be seen, in terminals of all kinds.
func TestVisible(t *testing.T) {
	for _, colours := range []int{256, 16, 8} {
		var available []color.Color
		for i := range colours {
			available = append(available, color.PaletteColor(i))
		}
		for _, charset := range []string{"UTF-8", "US-ASCII"} {
			for _, size := range [][2]int{{40, 12}, {80, 17}, {80, 24}} {
				for _, r := range []board.Rules{board.Standard, board.FullMatrix} {
					p, screen := simulate(t, size[0], size[1], charset)
					p.screen = depth{screen, colours}
					s, now := state(t, game.Config{Setup: game.Setup{Rules: r}}, drops("44")...)
					_ = p.Show(words.With(s.View(now)))
					for i := range size[0] * size[1] {
						x, y := i%size[0], i/size[0]
						cell, style, _ := screen.Get(x, y)
						fg, bg := style.GetForeground(), style.GetBackground()
						if cell == " " || cell == "█" || !fg.Valid() || !bg.Valid() {
							continue
						}
						if color.Find(fg, available) == color.Find(bg, available) {
							t.Errorf("%d colours, %s, %v, %v: %s at %d, %d is invisible", colours, charset, size, r, cell, x, y)
						}
					}
				}
			}
		}
	}
}

// depth is a simulated terminal with a given number of colours.
type depth struct {
	tcell.Screen
	colours int
}

func (d depth) Colors() int { return d.colours }

// The last disc is marked while somebody thinks. After an undo, the disc before it is marked.
func TestLastDisc(t *testing.T) {
	for _, charset := range []string{"", "US-ASCII"} {
		for _, size := range [][2]int{{40, 12}, {80, 17}, {80, 24}, {120, 40}} {
			p, screen := simulate(t, size[0], size[1], charset)
			look := func(events ...game.Event) string {
				s, now := state(t, game.Config{}, events...)
				_ = p.Show(words.With(s.View(now)))
				pic := p.picture(p.layout())
				x, y, _ := pic.middle(ledAt(3, 0))
				if pic.small {
					x, y = pic.left+6, pic.top+7 // the bracket
				}
				cell, style, _ := screen.Get(x, y)
				return fmt.Sprint(cell, style)
			}
			if look(drops("41")...) == look(drops("4")...) {
				t.Errorf("%q, %v: the last disc is not marked", charset, size)
			}
			if look(append(drops("41"), game.Undo)...) != look(drops("4")...) {
				t.Errorf("%q, %v: no mark after undo", charset, size)
			}
		}
	}
}
