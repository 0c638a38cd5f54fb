package browser

import (
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
)

// webMCPFeature is the Chromium feature that puts modelContext into pages.
const webMCPFeature = "WebMCPTesting"

// flag is one command-line flag of the browser; a flag without a value is on.
type flag struct {
	name  string
	value string
}

// option translates the flag for chromedp.
func (f flag) option() chromedp.ExecAllocatorOption {
	if f.value == "" {
		return chromedp.Flag(f.name, true)
	}
	return chromedp.Flag(f.name, f.value)
}

// flags lists the flags of a start, in a fixed order. Flags of the caller come
// last, so that they win; features add up instead.
func (o Options) flags(root bool) []flag {
	list := []flag{
		{name: "no-first-run"},
		{name: "no-default-browser-check"},
		{name: "disable-background-networking"},
		{name: "disable-component-update"},
		{name: "disable-sync"},
	}
	if root {
		list = append(list, flag{name: "no-sandbox"})
	}
	features := []string{}
	if !o.NoWebMCP {
		features = append(features, webMCPFeature)
	}
	for _, text := range o.ExtraFlags {
		f := parseFlag(text)
		if f.name == "enable-features" {
			features = append(features, strings.Split(f.value, ",")...)
			continue
		}
		list = append(list, f)
	}
	if len(features) > 0 {
		list = append(list, flag{name: "enable-features", value: strings.Join(slices.Compact(features), ",")})
	}
	return list
}

// parseFlag reads "--name", "--name=value" and both without the dashes.
func parseFlag(text string) flag {
	name, value, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	return flag{name: name, value: value}
}
