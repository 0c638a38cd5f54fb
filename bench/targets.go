package main

// target is what one row of rows.js should take at most, in u of each engine: a share of what the best JavaScript
// implementation of the same system takes.
type target struct {
	id       string
	name     string
	node     bounds
	chromium bounds
}

type bounds struct {
	theirs, most float64
}

func targets() []target {
	return []target{
		{"register-100", "register and unregister 100 components", bounds{12, 6}, bounds{20, 10}},
		{"register-1000", "register and unregister 1000", bounds{112, 56}, bounds{147, 73}},
		{"snapshot-100", "snapshot of 100 components, warm", bounds{0.65, 0.65}, bounds{0.86, 0.86}},
		{"tools-300", "direct tools of 300 components, fresh", bounds{10.5, 5.2}, bounds{14.2, 7.1}},
		{"invoke", "action invoke, no-op handler", bounds{0.26, 0.13}, bounds{0.45, 0.22}},
		{"invoke-policies", "action invoke, two built-in policies", bounds{0.55, 0.27}, bounds{1.37, 0.68}},
		{"observe", "observation invoke", bounds{0.15, 0.10}, bounds{0.27, 0.18}},
		{"digest", "digestJson of a 32 kB value", bounds{11.7, 4.0}, bounds{14.8, 5.2}},
	}
}

// curveNames are the operations of the growth table, by their ids in rows.js.
func curveNames() map[string]string {
	return map[string]string{
		"register":         "register and unregister all",
		"snapshot":         "snapshot, nothing changed",
		"snapshot-changed": "one comes and goes, snapshot after each",
		"tools":            "direct tools, fresh toolset",
		"invoke":           "one action invoke",
		"reconcile":        "one comes and goes, WebMCP follows",
	}
}

// The targets of a page's start, as a multiple of an empty Go program's, and of the memory, in bytes.
const (
	startMost  = 3.5
	startAim   = 3.0
	memoryMost = 16_000_000
)
