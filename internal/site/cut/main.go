// Command cut writes the opening book without its last plies to standard output: the page
// without a server is downloaded, and has no room for all of it.
package main

import (
	"log"
	"os"

	"github.com/c4hat/c4hat/internal/solver/book"
)

// lastPly is the last with entries. Later positions are solved in a second or two even in a
// browser.
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
