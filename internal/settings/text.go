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
			_, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, "%s# %s\n%[1]s%[3]s%s\n", margin, usage, mark, KeyLine(f))
		}
	}
	return b.String()
}

// KeyLine returns the line that sets a key to its default.
func KeyLine(f *pflag.Flag) string {
	if _, err := strconv.Atoi(f.DefValue); err == nil {
		return f.Name + " = " + f.DefValue
	}
	return fmt.Sprintf("%s = %q", f.Name, f.DefValue)
}
