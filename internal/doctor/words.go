package doctor

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/internal/quote"
)

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
		"{console}", f.console, "{gamma fix}", gammaFix,
		"{denied}", strings.Join(f.denied, " and "), "{groups}", strings.Join(f.join, ","),
		"{mode fix}", strings.Join(f.modeFixes, "; "), "{open error}", fmt.Sprint(f.openErr),
		"{holder}", holder, "{pid}", fmt.Sprint(f.holder),
		"{socket}", f.socket, "{version}", f.status.Machine.Version, "{status error}", fmt.Sprint(f.statusErr),
		"{missing}", strings.Join(f.missing(), " and "),
		"{configuration}", f.configuration.path, "{configuration error}", fmt.Sprint(f.configuration.err), "{devices}", f.configuration.devices,
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

// size returns an amount of disk space as text.
func size(bytes uint64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
