package match_test

import (
	"fmt"

	"github.com/c4hat/c4hat/internal/match"
)

func ExampleParseLevel() {
	for _, word := range []string{"hard", "1", "ruthless"} {
		level, err := match.ParseLevel(word)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(int(level), level)
	}
	// Output:
	// 5 hard
	// 1 novice
	// must be novice, beginner, easy, medium, hard, perfect or 1 to 6
}
