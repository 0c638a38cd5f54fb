//go:build js && wasm

// Command wasm is the runtime that the page's script loads.
package main

import "github.com/pagewarden/pagewarden/jsbridge"

// buildID is set by the build; the script refuses a module of another build.
var buildID = "development"

func main() {
	jsbridge.Start(buildID)
	select {} // the script calls the exports from here on
}
