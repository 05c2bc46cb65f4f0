package settings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Text returns a configuration file with every key, its meaning and its default. Every line starts
// with margin. In lines that set a key, mark follows.
func Text(flags *pflag.FlagSet, margin, mark string) string {
	var b strings.Builder
	for i, t := range Tables() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s[%s] # %s\n", margin, t.Name, t.About)
		for _, key := range t.Keys {
			f := flags.Lookup(key)
			fmt.Fprintf(&b, "%s# %s\n", margin, strings.Join(KeyWords(f), "\n"+margin+"# "))
			fmt.Fprintf(&b, "%s%s%s\n", margin, mark, KeyLine(f))
		}
	}
	return b.String()
}

// KeyWords returns the meaning of a key and, if only certain words are allowed, a list of them.
func KeyWords(f *pflag.Flag) []string {
	_, usage := pflag.UnquoteUsage(f)
	if v, ok := f.Value.(*Choice); ok {
		return []string{usage, "(" + orList(v.Choices) + ")"}
	}
	return []string{usage}
}

// KeyLine returns the line that sets a key to its default.
func KeyLine(f *pflag.Flag) string {
	if _, err := strconv.Atoi(f.DefValue); err == nil {
		return f.Name + " = " + f.DefValue
	}
	return fmt.Sprintf("%s = %q", f.Name, f.DefValue)
}
