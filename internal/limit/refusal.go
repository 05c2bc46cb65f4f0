package limit

import "fmt"

// Refusal is an error with the status of its answer.
type Refusal struct {
	Status int
	reason string
}

func (r *Refusal) Error() string { return r.reason }

// Refuse returns a Refusal.
func Refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}
