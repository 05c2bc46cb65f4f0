//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package store

const nonblock = 0

// tryLock does nothing: nothing keeps two programs of one user from overwriting each other's match.
func (f osFile) tryLock() error { return nil }

// syncDir does nothing: these systems cannot open a folder to sync it.
func (osDisk) syncDir(string) error { return nil }
