package matrix

import (
	"slices"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/tools/chromium"
)

// host is one revision of WebMCP as the suite has it: a browser, and what its pages load before anything else.
type host struct {
	// name heads the host's column.
	name string
	// build is the downloaded browser, nil for the machine's own.
	build *chromium.Item
	// flag starts the browser with WebMCP on.
	flag bool
	// scripts are loaded first, by their paths on the suite's server.
	scripts []string
	// way is how the suite's agent calls.
	way browser.Way
	// style is what the adapter must find: by-name, by-signal or whole-set.
	style string
	// hints says which annotations come back: none, two (readOnly, untrustedContent) or all.
	hints string
	// titled reports that titles come back.
	titled bool
	// sees reports that a tool sees that its caller has given up.
	sees bool
	// client reports that `execute` gets one with requestUserInteraction.
	client bool
}

const (
	oldPolyfill = "/polyfill-2.js"
	newPolyfill = "/polyfill-5.js"
	shimOption  = "/shim-option.js"
)

// native is a downloaded build with the flag.
func native(name string, way browser.Way, style string) host {
	builds := chromium.Builds()
	at := slices.IndexFunc(builds, func(i chromium.Item) bool { return i.Alias == "chromium-"+name })
	return host{name: name, build: &builds[at], flag: true, way: way, style: style}
}

// systemMajor is the oldest revision that the machine's own browser may be.
const systemMajor = 156

// hosts are the columns of the table.
func hosts() []host {
	c147 := native("147", browser.ByTesting, "by-name")
	c147.hints = "none"
	c148 := native("148", browser.ByTesting, "by-signal")
	c148.hints = "none"
	c149 := native("149", browser.ByTesting, "by-signal")
	c149.hints = "none"
	c152 := native("152", browser.ByDevTools, "by-signal")
	c152.hints, c152.titled = "two", true
	c153 := native("153", browser.ByDevTools, "by-signal")
	c153.hints, c153.titled, c153.sees = "two", true, true
	system := host{name: "system", flag: true, way: browser.ByDevTools, style: "by-signal", hints: "all", titled: true, sees: true}
	old := host{name: "polyfill 2", scripts: []string{shimOption, oldPolyfill}, way: browser.ByTesting, style: "by-name", hints: "none", client: true}
	set := old
	set.name, set.style, set.scripts = "2 as a set", "whole-set", []string{shimOption, oldPolyfill, "/narrow.js"}
	fresh := host{name: "polyfill 5", scripts: []string{newPolyfill}, way: browser.ByExecuteToolString, style: "by-signal", hints: "two", titled: true}
	return []host{c147, c148, c149, c152, c153, system, old, set, fresh, withClient(c147), withClient(system)}
}

// withClient is a native host whose page gives tools the client of the draft.
func withClient(h host) host {
	h.name += " + client"
	h.scripts = append(slices.Clone(h.scripts), "/client.js")
	h.client = true
	return h
}

// notApplicable lists, by behaviour, the hosts that cannot have it; docs/webmcp.md ("The matrix") has the same list, and
// nothing else may be left out.
func notApplicable() map[string][]string {
	old := []string{"polyfill 2", "2 as a set"}
	early := []string{"147", "147 + client", "148", "149"}
	polyfills := append(slices.Clone(old), "polyfill 5")
	noProtocol := slices.Concat(early, polyfills)
	return map[string][]string{
		"signal on abort":        slices.Concat(early, []string{"152"}, polyfills),
		"typed refusal":          old,
		"whole error payload":    old,
		"protocol: call":         noProtocol,
		"protocol: abort":        noProtocol,
		"requestUserInteraction": allBut("147 + client", "system + client", "polyfill 2", "2 as a set"),
		"provideContext":         allBut(old...),
	}
}

// allBut are the hosts without those: what only they have, no later Chromium has got so far.
func allBut(names ...string) []string {
	var rest []string
	for _, h := range hosts() {
		if !slices.Contains(names, h.name) {
			rest = append(rest, h.name)
		}
	}
	return rest
}
