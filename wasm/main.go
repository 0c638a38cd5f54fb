//go:build js && wasm

// Command wasm is the runtime that the page's script loads.
package main

import (
	"runtime/debug"

	"github.com/pagewarden/pagewarden/jsbridge"
)

// gcPercent lets the heap grow to five times what lives in it before it is collected: a page's live heap is a few
// megabytes, and collecting it less often is worth them.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	jsbridge.Start()
	select {} // the script calls the exports from here on
}
