package browser

import _ "embed" // the script

//go:embed scripts/testing.js
var testingScript string

// newTesting is the way ByTesting.
func newTesting(p *Page) way { return newInPage(p, testingScript) }
