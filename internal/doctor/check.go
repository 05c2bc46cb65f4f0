package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/quote"
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

// words returns the replacements for the words in braces in the texts of the checks.
func (f *facts) words() *strings.Replacer {
	model := strings.Replace(f.model, "no Raspberry", "not a Raspberry", 1)
	if f.model != "no Raspberry Pi" && !f.pi() {
		model += ", not a Raspberry Pi"
	}
	holder := strings.TrimSuffix(fmt.Sprintf("process %d (%s)", f.holder, f.holderName), " ()")
	gammaFix := "c4hat dark"
	if f.running() {
		gammaFix = "sudo systemctl restart c4hat"
	}
	words := []string{
		"{os}", f.os, "{release}", f.release, "{model}", model, "{product}", f.product,
		"{client}", f.overlay.client, "{config.txt}", f.overlay.config,
		"{unloaded}", strings.Join(f.drivers.unloaded, " "), "{unknown}", strings.Join(f.drivers.unknown, ", "),
		"{matrix}", f.matrix.path, "{joystick}", f.joystick.path,
		"{screens}", list(f.matrix.others), "{inputs}", list(f.joystick.others),
		"{gamma fix}", gammaFix,
		"{denied}", strings.Join(f.denied, " and "), "{groups}", strings.Join(f.join, ","),
		"{mode fix}", strings.Join(f.modeFixes, "; "), "{open error}", fmt.Sprint(f.openErr),
		"{holder}", holder, "{pid}", fmt.Sprint(f.holder), "{python}", fmt.Sprint(f.python),
		"{socket}", f.socket, "{version}", f.status.Machine.Version, "{status error}", fmt.Sprint(f.statusErr),
		"{missing}", strings.Join(f.missing(), " and "),
		"{configuration}", f.configuration.path, "{configuration error}", fmt.Sprint(f.configuration.err), "{devices}", f.configuration.devices,
		"{engine}", f.speech.engine, "{card}", f.speech.card,
		"{own}", f.own.path, "{own.free}", size(f.own.free), "{system}", f.system.path, "{system.free}", size(f.system.free),
	}
	// The names of devices, processes and files may contain unprintable characters.
	for i := range words {
		words[i] = quote.Clean(words[i])
	}
	return strings.NewReplacer(words...)
}

// list returns up to four of the other devices as text.
func list(others []string) string {
	const most = 4
	if len(others) > most {
		return strings.Join(others[:most], ", ") + fmt.Sprintf(" and %d more", len(others)-most)
	}
	return cmp.Or(strings.Join(others, ", "), "there are none")
}

func size(bytes uint64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
