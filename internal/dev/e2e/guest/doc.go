// Package guest holds the tests with the build tag "guest": of the kernel, of the stand-in, and of
// c4hat on both. They take over a whole machine, so only internal/dev/e2e runs them, in a guest.
package guest
