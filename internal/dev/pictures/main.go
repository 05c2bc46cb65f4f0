// Pictures renders the README's pictures: moments of the game, from the same views and
// with the same palettes as the LEDs.
//
//	go run ./internal/dev/pictures FOLDER
//
// or the icon for a desktop's menu, in every size:
//
//	go run ./internal/dev/pictures -icons FOLDER
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	write := render
	if len(os.Args) == 3 && os.Args[1] == "-icons" {
		write = writeIcons
	} else if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pictures [-icons] FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// render writes every picture into a folder.
func render(folder string) error {
	for _, s := range scenes {
		file, err := s.file()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, s.name), file, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// file returns the scene's SVG: the LEDs, the terminal, or what a listener hears.
func (s *scene) file() ([]byte, error) {
	var st stage
	s.script(&st)
	switch {
	case st.err != nil:
		return nil, st.err
	case st.said != nil:
		return transcript(st.said), nil
	case s.width > 0:
		return terminal(st.shots[0].view, s.width, s.height)
	}
	return film(st.shots), nil
}
