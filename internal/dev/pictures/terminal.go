package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
	"github.com/gdamore/tcell/v3/vt"
)

// These are the width and height of a terminal's cell, in pixels.
const cellWidth, cellHeight = 9, 18

// terminal returns a terminal's window with a view as SVG. Blocks are drawn as shapes, so
// that they join in any font.
func terminal(v game.View, width, height int) ([]byte, error) {
	size := vt.MockOptSize{X: vt.Col(width), Y: vt.Row(height)}
	screen, err := tcell.NewTerminfoScreenFromTty(vt.NewMockTerm(size), tcell.OptNegotiation(false), tcell.OptColors(1<<24))
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("LC_ALL", "C.UTF-8"); err != nil { // which tcell reads
		return nil, err
	}
	if err := screen.Init(); err != nil {
		return nil, err
	}
	panel := term.New(screen)
	defer panel.Close()
	if err := panel.Show(v); err != nil {
		return nil, err
	}

	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="monospace" font-size="15">
<rect width="%[1]d" height="%[2]d" rx="6" fill="#111"/>
`, width*cellWidth, height*cellHeight)
	for y := range height {
		row := make([]cell, width)
		for x := range row {
			text, style, _ := screen.Get(x, y)
			row[x].rune, _ = utf8.DecodeRuneInString(text)
			row[x].style = style
		}
		for x := 0; x < width; {
			end := x + 1
			for end < width && row[end].style == row[x].style {
				end++
			}
			drawRun(&svg, x, y, row[x:end])
			x = end
		}
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes(), nil
}

type cell struct {
	rune
	style tcell.Style
}

// drawRun draws cells of one style.
func drawRun(svg *bytes.Buffer, x, y int, cells []cell) {
	drawn := cells[0].style
	ink, paper := colourOf(drawn.GetForeground(), "#ccc"), colourOf(drawn.GetBackground(), "")
	if drawn.HasReverse() {
		ink, paper = "#111", "#ccc"
	}
	left, top := x*cellWidth, y*cellHeight
	if paper != "" {
		fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, len(cells)*cellWidth, cellHeight, paper)
	}
	var text strings.Builder
	for i, c := range cells {
		at := left + i*cellWidth
		switch r := c.rune; r {
		case '█', '▀', '▄':
			if i > 0 && cells[i-1].rune == r {
				break // the block drawn before is longer
			}
			n := 1
			for i+n < len(cells) && cells[i+n].rune == r {
				n++
			}
			block(svg, at, top, n, r, ink)
		case '●':
			fmt.Fprintf(svg, `<circle cx="%d" cy="%d" r="%d" fill="%s"/>`+"\n", at+cellWidth/2, top+cellHeight/2, cellWidth/2, ink)
		default:
			text.WriteRune(c.rune)
			continue
		}
		text.WriteByte(' ')
	}
	words := strings.TrimRight(text.String(), " ")
	if words == "" {
		return
	}
	style := ""
	if drawn.HasBold() {
		style += ` font-weight="bold"`
	}
	if drawn.HasDim() {
		style += ` opacity="0.6"`
	}
	fmt.Fprintf(svg, `<text x="%d" y="%d" textLength="%d" xml:space="preserve" fill="%s"%s>`, left, top+cellHeight*3/4, len(words)*cellWidth, ink, style)
	_ = xml.EscapeText(svg, []byte(words)) // a bytes.Buffer never fails
	svg.WriteString("</text>\n")
}

// block draws n full or half blocks.
func block(svg *bytes.Buffer, x, y, n int, r rune, ink string) {
	height := cellHeight
	if r != '█' {
		height /= 2
	}
	if r == '▄' {
		y += height
	}
	fmt.Fprintf(svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, n*cellWidth, height, ink)
}

// colourOf returns a terminal's colour for SVG; none is the default colour.
func colourOf(c color.Color, none string) string {
	if c == color.Default {
		return none
	}
	return fmt.Sprintf("#%06x", c.TrueColor().Hex())
}

// transcript returns what a listener presses and hears, with the seconds, as SVG.
func transcript(said []line) []byte {
	const width, pitch = 540, 24
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="15">
<rect width="%[1]d" height="%[2]d" rx="6" fill="#111"/>
`, width, (len(said)+2)*pitch)
	row := func(i int, at, key, text, ink string) {
		for column, words := range [3]string{at, key, text} {
			fmt.Fprintf(&svg, `<text x="%d" y="%d" fill="%s">`, [3]int{24, 110, 200}[column], (i+1)*pitch+4, ink)
			_ = xml.EscapeText(&svg, []byte(words)) // a bytes.Buffer never fails
			svg.WriteString("</text>\n")
		}
	}
	row(0, "seconds", "you press", "you hear", "#888")
	for i, l := range said {
		row(i+1, fmt.Sprintf("%.1f", l.at.Seconds()), l.key, l.text, "#eee")
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}
