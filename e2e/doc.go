// Package e2e holds the end-to-end tests: the built runtime in a real Chromium, on pages of testdata and on the demo,
// seen through the DevTools protocol as an agent sees it. They need `make build` and a Chromium, and fail without.
package e2e
