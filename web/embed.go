// Package web holds the browser side of pagewarden: the page script, its type declarations and the demo page. In Go
// it does one thing, giving access to the demo page's files. The built runtime (pagewarden.js, pagewarden.wasm) is
// not among them: it is read from a dist folder at run time.
package web

import (
	"embed"
	"io/fs"
)

//go:embed demo demo/.pagewarden/contract.json
var files embed.FS

// Demo returns the demo page's files, with index.html at the root. The file system is read-only and needs nothing on
// disk.
func Demo() fs.FS {
	sub, err := fs.Sub(files, "demo")
	if err != nil {
		// The name is a constant and valid, so this cannot happen.
		panic("opening the embedded demo page: " + err.Error())
	}
	return sub
}
