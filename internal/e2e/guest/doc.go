// Package guest holds the tests, with the build tag "guest", of the kernel, the stand-in
// and c4hat on them. They need a machine of their own: only internal/e2e runs them.
package guest
