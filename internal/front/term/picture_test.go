package term

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
)

// In pictures of several sizes each pixel has the letter of its colour: the board is a plate (#) with a round hole
// for each cell, and the last disc has a hole in its middle.
func TestPixels(t *testing.T) {
	var out strings.Builder
	for _, size := range [][2]int{{40, 12}, {80, 21}, {80, 17}, {80, 24}, {120, 40}} {
		for _, r := range []board.Rules{board.Standard, board.FullMatrix, {Columns: 5, Rows: 4, Connect: 4}} {
			for _, console := range []bool{false, true} {
				p, screen := simulate(t, size[0], size[1], "")
				p.console = console
				s, now := state(t, game.Config{Setup: game.Setup{Rules: r}}, drops("4453")...)
				_ = p.Show(s.View(now))
				fmt.Fprintf(&out, "== %v in %dx%d, console %v\n", r, size[0], size[1], console)
				pic := p.picture()
				letters := map[color.Color]string{
					color.Default: " ", pic.colours[inkNone]: ".", pic.colours[inkPlate]: "#", pic.colours[game.LEDRed]: "R", pic.colours[discColour(r)]: "Y",
				}
				for y := range 2 * pic.height {
					line := ""
					for x := range pic.width {
						line += cmp.Or(letters[pixel(screen, pic.left+x, pic.top, y)], "?")
					}
					out.WriteString(line + "\n")
				}
			}
		}
	}
	golden.Check(t, "testdata/pixels.golden", out.String())
}

// pixel returns the colour of half a cell of the screen, y half cells below top.
func pixel(screen tcell.Screen, x, top, y int) color.Color {
	cell, style, _ := screen.Get(x, top+y/2)
	if cell == "█" || cell == "●" || cell == "▀" && y%2 == 0 || cell == "▄" && y%2 == 1 {
		return style.GetForeground()
	}
	return style.GetBackground()
}

func discColour(r board.Rules) game.LED {
	if r.FillsMatrix() {
		return game.LEDBlue
	}
	return game.LEDYellow
}

// In every palette and in terminals of all kinds, the colours of discs, plate and holes differ, and no rune on the
// screen has the colour of its background.
func TestColoursDiffer(t *testing.T) {
	for i := range 3 * 3 * 2 * 2 {
		size, r := [][2]int{{40, 12}, {80, 17}, {80, 24}}[i%3], []board.Rules{board.Standard, board.FullMatrix}[i/3%2]
		console, colours := i/6%2 == 1, []int{256, 16, 8}[i/12]
		var available []color.Color
		for i := range colours {
			available = append(available, color.PaletteColor(i))
		}
		for _, palette := range hatpanel.Palettes() {
			p, screen := simulate(t, size[0], size[1], "")
			p.screen, p.console = depth{screen, colours}, console
			p.Colours = hatpanel.NewColours(palette, hatpanel.Full)
			s, now := state(t, game.Config{Setup: game.Setup{Rules: r}}, drops("44")...)
			_ = p.Show(s.View(now))
			pic, found := p.picture(), map[color.Color]ink{}
			for _, i := range []ink{inkNone, ink(game.LEDRed), ink(discColour(r)), inkPlate} {
				c := color.Find(pic.colours[i], available)
				if other, ok := found[c]; ok && !(pic.dots && i == inkPlate) {
					t.Errorf("%s, %d colours, %v: inks %d and %d are %v", palette, colours, r, i, other, c)
				}
				found[c] = i
			}
			for i := range size[0] * size[1] {
				cell, style, _ := screen.Get(i%size[0], i/size[0])
				front, back := style.GetForeground(), style.GetBackground()
				if cell != " " && cell != "█" && front.Valid() && back.Valid() && color.Find(front, available) == color.Find(back, available) {
					t.Errorf("%s, %d colours, %v, console %v, %v: %s at %d is invisible", palette, colours, size, console, r, cell, i)
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
