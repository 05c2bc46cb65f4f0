//go:build !linux

package bot

import "syscall"

// Here nobody knows what a program uses, so all time counts, and there are no limits.

func (p *Program) usage() (u usage) { return u }

func (p *Program) limit() {}

func dieWithParent(*syscall.SysProcAttr) {}
