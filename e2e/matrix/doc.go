// Package matrix runs one suite of behaviours, end to end, in every revision of WebMCP that there is: in the Chromium
// builds of tools/chromium and in the machine's own, natively, and over polyfills. It prints a table of them at its end.
// And it compares what each revision does with the table of docs/webmcp.md.
//
// It needs `go run ./tools/setup browser matrix` and `make build`, and fails without.
package matrix
