package doctor

import (
	"cmp"
	"slices"
)

// check examines one thing. If its result is not good, and a check that it requires has failed, the
// report says only that this check was skipped.
type check struct {
	name     string
	requires []string // names of earlier checks
	results  []result // the first one whose when is true applies; if none applies, nothing is reported
}

// result is a possible finding. The replacer of [facts.words] replaces words in braces in its texts.
type result struct {
	state State
	when  func(*facts) bool // nil: always
	text  string
	fix   string
	skip  string // why checks that require this one are skipped; empty if they are not
}

// checks returns all checks in the order of the report: causes come before their effects.
func checks() []check { return append(hatChecks(), systemChecks()...) }

// find returns the index of the result that applies, or -1 if none does.
func (c *check) find(f *facts) int {
	return slices.IndexFunc(c.results, func(r result) bool { return r.when == nil || r.when(f) })
}

func diagnose(checks []check, f *facts) (all Report) {
	words := f.words()
	skip := map[string]string{} // reasons by check
	for _, c := range checks {
		var r result
		if i := c.find(f); i >= 0 {
			r = c.results[i]
		}
		reason := ""
		for _, name := range c.requires {
			reason = cmp.Or(reason, skip[name])
		}
		switch {
		case r.state == good:
		case reason != "":
			skip[c.name] = reason
			r = result{state: note, text: "skipped: " + reason}
		case r.state == "":
			continue
		default:
			skip[c.name] = r.skip
		}
		all = append(all, Finding{c.name, r.state, words.Replace(r.text), words.Replace(r.fix)})
	}
	return all
}
