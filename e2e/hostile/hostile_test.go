package hostile

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// only narrows a run while one works on a finding.
var only = flag.String("targets", "", "patch only targets whose names match this regular expression")

// chosen reports that a case belongs to this run.
func chosen(c oneCase) bool { return regexp.MustCompile(*only).MatchString(c.Target) }

// TestRuntime attacks the shipped script. Whatever comes of an attack is a defect: a leak, another verdict, and the use
// of anything that was patched, since the script captures what it needs when it loads.
func TestRuntime(t *testing.T) {
	b := open(t, "/pagewarden.js")
	if len(b.Leaks) > 0 || b.Again != "" {
		t.Fatalf("without an attack: leaks %q; a second run differs: %s", b.Leaks, b.Again)
	}
	if len(b.Targets) < 100 || b.Lines < 300 {
		t.Fatalf("%d targets and %d lines of a transcript are less than there were", len(b.Targets), b.Lines)
	}
	for _, group := range []struct {
		name   string
		before bool
	}{{"once it has loaded", false}, {"before load is called", true}} {
		t.Run(group.name, func(t *testing.T) {
			rows := b.run(t, b.cases(func(c oneCase) bool { return chosen(c) && c.before() == group.before }))
			table("The shipped script, attacked "+group.name, rows)
			for _, r := range rows {
				if len(r.found) > 0 {
					t.Errorf("%s, %s, %s:\n\t%s", r.Target, r.Attacker, r.Time, strings.Join(r.found[:min(6, len(r.found))], "\n\t"))
				}
			}
		})
	}
}

// TestGoLoader attacks the same script over Go's own wasm_exec.js, which looks its built-ins up when it is called. A suite
// that does not find these leaks finds nothing.
func TestGoLoader(t *testing.T) {
	b := open(t, "/stock.js")
	if b.Again != "" {
		t.Fatalf("without an attack a second run differs: %s", b.Again)
	}
	for _, group := range []struct {
		name  string
		time  string
		leaky []string // what hands out the module's memory when it is patched
	}{
		{"once it has loaded", "fresh", []string{
			"DataView", "WebAssembly.Instance.prototype.exports", "WebAssembly.Memory.prototype.buffer",
		}},
		{"before load is called", "module", []string{
			"Crypto.prototype.getRandomValues", "DataView", "DataView.prototype.getFloat64", "DataView.prototype.getInt32",
			"DataView.prototype.getUint32", "DataView.prototype.setFloat64", "DataView.prototype.setUint32",
			"TextDecoder.prototype.decode", "Uint8Array", "WebAssembly.Instance.prototype.exports", "WebAssembly.Memory.prototype.buffer",
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			rows := b.run(t, b.cases(func(c oneCase) bool { return chosen(c) && c.Time == group.time && b.aboutMemory(c.Target) }))
			table("Go's own loader, attacked "+group.name, rows)
			for _, name := range group.leaky {
				if (*only == "" || chosen(oneCase{Target: name})) && !slices.ContainsFunc(rows, func(r row) bool { return r.Target == name && r.leaksMemory() }) {
					t.Errorf("patching %s hands out the module's memory, and the suite does not see it", name)
				}
			}
		})
	}
}

// TestSloppyScript takes the strict mode from the shipped script: its functions then tell whom they call their arguments.
func TestSloppyScript(t *testing.T) {
	b := open(t, "/sloppy.js")
	if !slices.ContainsFunc(b.Leaks, func(leak string) bool { return strings.Contains(leak, "caller on the stack") }) {
		t.Errorf("functions of sloppy mode give their arguments away, and the suite finds %q", b.Leaks)
	}
}
