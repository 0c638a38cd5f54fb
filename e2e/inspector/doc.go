// Package inspector tests the panel for developers in a real browser, as a person uses it: by mouse and keyboard, seen
// through what the browser offers to assistive technology.
package inspector
