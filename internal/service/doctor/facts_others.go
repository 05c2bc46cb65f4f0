//go:build !linux

package doctor

import (
	"context"
	"runtime"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/pflag"
)

// collect finds nothing to check without Linux.
func collect(context.Context, *settings.Settings, *pflag.FlagSet) facts {
	return facts{"os": runtime.GOOS}
}
