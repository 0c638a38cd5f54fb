//go:build js && wasm

// Command wasm is the runtime that the page's script loads.
package main

import "github.com/pagewarden/pagewarden/jsbridge"

func main() {
	jsbridge.Start()
	select {} // the script calls the exports from here on
}
