package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/internal/quote"
)

// ReadAdmit reads the body of a request to show a digit.
func ReadAdmit(body []byte) (digit int, err error) {
	err = readObject(body, func(name string, value json.RawMessage) error {
		if name != "digit" {
			return fmt.Errorf("%s: unknown field, want digit", quote.Short(name))
		}
		if !readNumber(value, &digit) || digit < 1 || digit > 9 {
			return errors.New("digit: want a number from 1 to 9")
		}
		return nil
	})
	if err == nil && digit == 0 {
		err = errors.New(`want {"digit":7}`)
	}
	return digit, err
}
