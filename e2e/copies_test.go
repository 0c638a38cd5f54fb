package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// echo is the tool of the surface that the pages of loading offer.
const echo = "view_page__text__echo"

// copies is what a page with several copies of the script saw.
type copies struct {
	Calls   [][]string
	Refused [][]struct {
		registered
		Error string
	}
	Surfaces int
	Told     []string
}

func openCopies(t *testing.T, tags string) tab {
	t.Helper()
	p := paste(t, `<script src="/loading/record.js"></script>`+tags+`<script type="module" src="/loading/copies.js"></script>`, nil)
	p.Until("globalThis.offerFromEach !== undefined")
	return p
}

// TestScriptTwice puts two classic scripts on a page: the first is kept, whatever the build of the second, and only its
// module is asked for.
func TestScriptTwice(t *testing.T) {
	for name, second := range map[string]string{"the same build": "/pagewarden.js", "another build": "/faults/pagewarden.js"} {
		t.Run(name, func(t *testing.T) {
			module := fresh("/wrong/right.wasm")
			p := openCopies(t, fmt.Sprintf(`<script src="/pagewarden.js" data-wasm="%s"></script><script src="%s" data-wasm="%s"></script>`, module, second, module))
			see[any](p, "offerFromEach()")
			p.Have(echo)
			callOnce(p)
			got := see[copies](p, "report()")
			if want := [][]string{{"once"}}; !slices.EqualFunc(got.Calls, want, slices.Equal) {
				t.Errorf("the calls ran as %q; want %q", got.Calls, want)
			}
			if want := []string{"warn pagewarden: the script is on this page twice; the first copy is kept"}; !slices.Equal(got.Told, want) {
				t.Errorf("the console was told %q; want %q", got.Told, want)
			}
			if n := fixture.wrong.Requests(module); n != 1 {
				t.Errorf("the module was asked for %d times", n)
			}
		})
	}
}

func callOnce(p tab) {
	p.T.Helper()
	if result := p.call(echo, `{"text":"once"}`); result.IsError() || result.Value() != `"once"` {
		p.T.Errorf("the call gave %s", result.Raw)
	}
}

// TestTwoRuntimes loads twice, from one script, from the script and the module, and from two builds, and offers the same
// surface from both runtimes: they are isolated, the browser lists each tool once, a call runs once, and the second
// adapter says why its tool is not there.
func TestTwoRuntimes(t *testing.T) {
	const tag = `<script src="/pagewarden.js" data-wasm="/pagewarden.wasm"></script>`
	for name, second := range map[string]string{
		"one script":        `{ wasm: "/pagewarden.wasm" }`,
		"script and module": `{ script: "/pagewarden.mjs", wasm: "/pagewarden.wasm" }`,
		"two builds":        `{ script: "/faults/pagewarden.mjs", wasm: "/faults/pagewarden.wasm" }`,
	} {
		t.Run(name, func(t *testing.T) {
			p := openCopies(t, tag)
			see[any](p, "offerFromEach("+second+")")
			p.Have(echo)
			p.Until("settled()")
			callOnce(p)
			got := see[copies](p, "report()")
			if want := [][]string{{"once"}, {}}; !slices.EqualFunc(got.Calls, want, slices.Equal) {
				t.Errorf("the calls ran as %q; want %q", got.Calls, want)
			}
			if len(got.Refused) != 2 || len(got.Refused[0]) != 0 || len(got.Refused[1]) != 1 || got.Refused[1][0].Name != echo || !strings.Contains(got.Refused[1][0].Error, "InvalidStateError") {
				t.Errorf("the adapters refuse %+v; want the second's tool, with the browser's words", got.Refused)
			}
			if want := []string{"warn pagewarden: webmcp: the browser refused the tool " + echo + " of view:page.text.echo: InvalidStateError: Duplicate tool name"}; !slices.Equal(got.Told, want) {
				t.Errorf("the console was told %q; want %q", got.Told, want)
			}
			if got.Surfaces != 2 {
				t.Errorf("there are %d surfaces", got.Surfaces)
			}
			if code := see[string](p, "throwAcross()"); code != "RATE_LIMITED" {
				t.Errorf("an error of the other runtime's class is %s", code)
			}
			for _, refusal := range see[[]string](p, "mixUp()") {
				if !strings.Contains(refusal, "of this runtime") {
					t.Errorf("an object of the other runtime: %q", refusal)
				}
			}
			see[any](p, "(surfaces[0].registry.dispose(), surfaces[1].registry.invalidate())") // refused tools are tried again when something changes
			p.Until("adapters[1].status().registered.length === 1")
			p.Have(echo)
			callOnce(p)
			if got := see[copies](p, "report()"); !slices.Equal(got.Calls[1], []string{"once"}) {
				t.Errorf("after the first went, the calls ran as %q", got.Calls)
			}
		})
	}
}
