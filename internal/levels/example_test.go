package levels_test

import (
	"fmt"

	"github.com/c4hat/c4hat/internal/levels"
)

func ExampleParse() {
	for _, word := range []string{"hard", "5", "ruthless"} {
		level, err := levels.Parse(word)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(int(level), level)
	}
	// Output:
	// 5 hard
	// 5 hard
	// want novice, beginner, easy, medium, hard, perfect or 1 to 6
}
