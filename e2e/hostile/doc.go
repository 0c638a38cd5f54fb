// Package hostile holds the suite of hostile page scripts: in a real Chromium, each of some hundred built-ins is
// patched in turn with a recorder, a thrower and a liar, and the runtime must come to the verdicts of an unpatched
// page and give nothing of its own to what was patched. It needs `make build` and a Chromium, and fails without.
package hostile
