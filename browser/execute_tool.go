package browser

import (
	_ "embed" // the script
	"strconv"
	"strings"
)

//go:embed scripts/execute-tool.js
var executeToolScript string

// newExecuteTool is the ways ByExecuteToolString and ByExecuteToolObject: they
// differ in the form of the input alone.
func newExecuteTool(p *Page, asObject bool) way {
	return newInPage(p, strings.ReplaceAll(executeToolScript, "AS_OBJECT ?", strconv.FormatBool(asObject)+" ?"))
}
