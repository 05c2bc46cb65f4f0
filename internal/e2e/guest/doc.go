// Package guest holds the tests, behind the build tag "guest", that show what kernel and
// stand-in do with a HAT: what the rest of the kernel tests builds upon. They are run by
// internal/e2e and nowhere else, since they need a machine of their own.
package guest
