// Package dialog tests the confirmation dialog in a real Chromium, with a person who sees, clicks and types through the
// browser itself.
package dialog
