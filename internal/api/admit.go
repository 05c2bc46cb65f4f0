package api

import "errors"

// ReadAdmit reads the body of a request to show a digit.
func ReadAdmit(body []byte) (digit int, err error) {
	_, err = fields{"digit": number(&digit, 1, 9)}.read(body)
	if err == nil && digit == 0 {
		err = errors.New(`want {"digit":7}`)
	}
	return digit, err
}
