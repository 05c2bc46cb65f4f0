// Command cut writes the opening book, without its last plies, to standard output. Browsers
// download this smaller book with the page without a server; the whole book would be too large.
package main

import (
	"log"
	"os"

	"github.com/c4hat/c4hat/board/solver/book"
)

// lastPly is the last ply with entries in the smaller book. Later positions are solved in a second
// or two even in a browser.
const lastPly = 10

func main() {
	cut, err := book.Cut(lastPly)
	if err == nil {
		_, err = os.Stdout.Write(cut)
	}
	if err != nil {
		log.Fatal(err)
	}
}
