package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// attempt is what a page saw of one load: what its runtime answered, or why there is none, and what the script wrote
// to the console meanwhile.
type attempt struct {
	Value string
	Error string
	Told  []string
}

// openLoading opens the page on which loads are tried.
func openLoading(t *testing.T) tab {
	t.Helper()
	p := open(t, "loading/page.html")
	p.Until("globalThis.loading !== undefined")
	return p
}

// attempt loads what the JavaScript expression gives.
func (p tab) attempt(expression string) attempt {
	p.T.Helper()
	return see[attempt](p, "loading.attempt(async () => ("+expression+"))")
}

// mustWork fails unless the load gave a runtime that works, and wrote nothing.
func (a attempt) mustWork(t *testing.T) {
	t.Helper()
	if a.Value != "here" || len(a.Told) > 0 {
		t.Errorf("the load gave %+v", a)
	}
}

// mustFail fails unless the load gave an error that begins with where it looked and matches the pattern, and wrote nothing.
func (a attempt) mustFail(t *testing.T, where, pattern string) {
	t.Helper()
	start := "pagewarden: loading " + where + " failed: "
	if !strings.HasPrefix(a.Error, start) || !regexp.MustCompile(pattern).MatchString(strings.TrimPrefix(a.Error, start)) {
		t.Errorf("the error is %q; want %q and %s", a.Error, start, pattern)
	}
	if len(a.Told) > 0 || a.Value != "" {
		t.Errorf("besides, the load gave %q and wrote %q", a.Value, a.Told)
	}
}

// TestLoadTakes tries whatever the API says a page may load from, and what hosting does to it on the way.
func TestLoadTakes(t *testing.T) {
	p := openLoading(t)
	for name, expression := range map[string]string{
		"an address":               `"/pagewarden.wasm"`,
		"an address with a query":  `"/pagewarden.wasm?v=7#part"`,
		"an absolute address":      `location.origin + "/pagewarden.wasm"`,
		"a relative address":       `"../pagewarden.wasm"`,
		"a URL":                    `new URL("/pagewarden.wasm", location.href)`,
		"a URL of a frame":         `await inFrame((frame) => new frame.URL("/pagewarden.wasm", location.href))`,
		"a redirected address":     `"/wrong/moved.wasm"`,
		"a compressed file":        `"/wrong/gzip.wasm"`,
		"a blob's address":         `URL.createObjectURL(new Blob([await bytes()], { type: "application/wasm" }))`,
		"a data address":           `await dataAddress()`,
		"a response":               `await fetch("/pagewarden.wasm")`,
		"a made response":          `new Response(await bytes(), { headers: { "content-type": "application/wasm" } })`,
		"a stored response":        `await stored()`,
		"a response of a frame":    `await inFrame((frame) => frame.fetch("/pagewarden.wasm"))`,
		"an ArrayBuffer":           `await bytes()`,
		"a typed array":            `new Uint8Array(await bytes())`,
		"a part of a larger array": `within(await bytes())`,
		"a buffer of a frame":      `await inFrame(async (frame) => (await frame.fetch("/pagewarden.wasm")).arrayBuffer())`,
		"a module":                 `await WebAssembly.compile(await bytes())`,
		"a copied module":          `structuredClone(await WebAssembly.compile(await bytes()))`,
		"a module of a frame":      `await inFrame(async (frame) => frame.WebAssembly.compile(await bytes()))`,
	} {
		t.Run(name, func(t *testing.T) { p.attempt(expression).mustWork(t) })
	}
}

// TestWrongTypeLoadsWithOneWarning serves the module as something else.
func TestWrongTypeLoadsWithOneWarning(t *testing.T) {
	p := openLoading(t)
	for name, mime := range map[string]string{
		"octets": "application/octet-stream", "untyped": "", "text": "text/plain", "parameter": "application/wasm; charset=utf-8", "capitals": "Application/WASM",
	} {
		t.Run(name, func(t *testing.T) {
			a := p.attempt(fmt.Sprintf(`"/wrong/%s.wasm"`, name))
			want := fmt.Sprintf(`warn pagewarden: serve the module as application/wasm and not as "%s", so that it compiles while it comes`, mime)
			if a.Value != "here" || !slices.Equal(a.Told, []string{want}) {
				t.Errorf("the load gave %+v; want the warning %q and nothing else", a, want)
			}
		})
	}
}

// TestFailedLoadSaysWhereAndWhy serves what cannot work. Each time the same page loads soundly afterwards.
func TestFailedLoadSaysWhereAndWhy(t *testing.T) {
	p := openLoading(t)
	p.Expected = []string{"/wrong/", "http://127.0.0.1:9/", "Fetch API cannot load", "blob:"} // the browser's own words about addresses
	for name, pattern := range map[string]string{
		"missing":          `^the server answered 404$`,
		"refused":          `^the server answered 403$`,
		"failing":          `^the server answered 502$`,
		"page":             `magic.* \(served as "text/html; charset=utf-8"\)$`,
		"lying":            `magic.* \(served as "application/wasm"\)$`,
		"gzip-unlabelled":  `magic.* \(served as "application/wasm"\)$`,
		"empty":            `fell off end|empty`,
		"empty-octets":     `empty.* \(served as "application/octet-stream"\)$`,
		"truncated":        `past end of the module`,
		"truncated-octets": `past end of the module`,
		"lost":             `Network error`,
		"lost-octets":      `Failed to fetch`,
		"foreign":          `^the script is of build [0-9a-f]{32} and the module of build none: serve the two files of one build`,
	} {
		t.Run(name, func(t *testing.T) {
			address := "/wrong/" + name + ".wasm"
			p.attempt(fmt.Sprintf("%q", address)).mustFail(t, address, pattern)
			p.attempt(`"/pagewarden.wasm"`).mustWork(t)
		})
	}
	const given = "the given module"
	const needs = `^load needs \{ wasm \}: a URL, a Response, bytes or a WebAssembly.Module$`
	for name, c := range map[string]struct{ expression, where, pattern string }{
		"nobody there":            {`"http://127.0.0.1:9/x.wasm"`, "http://127.0.0.1:9/x.wasm", `^Failed to fetch; is the server up, and may this page read from it \(CORS, connect-src\)\?$`},
		"a scheme that is none":   {`"nonsense://x"`, "nonsense://x", `^Failed to fetch; is the server up`},
		"an address that is none": {`"http://["`, "http://[", `URL`},
		"a blob that is gone":     {`(() => { const url = URL.createObjectURL(new Blob([])); URL.revokeObjectURL(url); return url; })()`, `blob:.*`, `Failed to fetch`},
		"an opaque response":      {`Response.error()`, given, `^is the server up, and may this page read from it`},
		"a response without body": {`new Response(null, { status: 204 })`, given, `empty.* \(served as ""\)$`},
		"a response that is read": {`await (async () => { const r = await fetch("/wrong/right.wasm"); await r.arrayBuffer(); return r; })()`, `.*/wrong/right.wasm`, `already read`},
		"nothing":                 {`undefined`, given, needs},
		"null":                    {`null`, given, needs},
		"an object":               {`({})`, given, needs},
		"a request":               {`new Request("/pagewarden.wasm")`, given, needs},
		"a blob":                  {`new Blob([await bytes()])`, given, needs},
		"a promise":               {`{ then: 1 }`, given, needs},
		"a location":              {`location`, given, needs},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.attempt(c.expression)
			found := regexp.MustCompile(`^pagewarden: loading (` + strings.ReplaceAll(c.where, "[", `\[`) + `) failed: `).FindStringSubmatch(a.Error)
			if found == nil {
				t.Fatalf("the error is %q; want one about %s", a.Error, c.where)
			}
			a.mustFail(t, found[1], c.pattern)
		})
	}
	p.attempt(`"/pagewarden.wasm"`).mustWork(t)
}

func TestLoadCanBeTriedAgain(t *testing.T) {
	p := openLoading(t)
	p.Expected = []string{"/wrong/late.wasm"}
	address := fresh("/wrong/late.wasm")
	p.attempt(fmt.Sprintf("%q", address)).mustFail(t, address, `^the server answered 404$`)
	p.attempt(fmt.Sprintf("%q", address)).mustWork(t)
	if n := fixture.wrong.Requests(address); n != 2 {
		t.Errorf("the file was asked for %d times", n)
	}
}

// TestOtherOrigin loads from another origin, which must say by CORS that the page may read.
func TestOtherOrigin(t *testing.T) {
	p := openLoading(t)
	p.Expected = []string{"CORS policy", "/wrong/right.wasm", "net::ERR_FAILED"}
	other := strings.Replace(fixture.URL, "127.0.0.1", "localhost", 1)
	address := other + "/wrong/right.wasm"
	p.attempt(fmt.Sprintf("%q", address)).mustFail(t, address, `^Failed to fetch; is the server up, and may this page read from it \(CORS, connect-src\)\?$`)
	p.attempt(fmt.Sprintf(`await fetch(%q, { mode: "no-cors" })`, address)).mustFail(t, "the given module", `^is the server up, and may this page read from it`)
	p.attempt(fmt.Sprintf("%q", address+"?cors")).mustWork(t)
}

// TestModuleOfAnotherBuild mixes a script with modules of other builds: one that differs in nothing but its id, and a
// real one. Neither is started, and the load is not repeated.
func TestModuleOfAnotherBuild(t *testing.T) {
	p := openLoading(t)
	const pattern = `^the script is of build ([0-9a-f]{32}) and the module of build ([0-9a-f]{32}): serve the two files of one build, and clear what a cache kept$`
	other := fresh("/wrong/other.wasm")
	for _, address := range []string{other, "/faults/pagewarden.wasm"} {
		a := p.attempt(fmt.Sprintf("%q", address))
		a.mustFail(t, address, pattern)
		found := regexp.MustCompile(strings.TrimPrefix(pattern, "^")).FindStringSubmatch(a.Error)
		if found == nil || found[1] == found[2] {
			t.Errorf("%s: %q does not name two builds", address, a.Error)
		}
	}
	if n := fixture.wrong.Requests(other); n != 1 {
		t.Errorf("the module was asked for %d times", n)
	}
	p.attempt(`"/pagewarden.wasm"`).mustWork(t)
}

// TestLoadsAtOnce starts several loads in one turn: each is a runtime of its own.
func TestLoadsAtOnce(t *testing.T) {
	p := openLoading(t)
	got := see[struct {
		Same   bool
		Values []string
	}](p, `(async () => {
		const loads = [1, 2, 3].map(() => loading.load({ wasm: "/pagewarden.wasm" }));
		const runtimes = await Promise.all(loads);
		return { same: new Set(runtimes).size !== 3, values: await Promise.all(runtimes.map(loading.use)) };
	})()`)
	if got.Same || !slices.Equal(got.Values, []string{"here", "here", "here"}) {
		t.Errorf("the loads gave %+v", got)
	}
}

// tag is what a page whose script tag has data-wasm saw.
type tag struct {
	Value  string
	Error  string
	Told   []string
	Global []string
	Later  attempt
}

// TestScriptTag loads by the attributes of the script's tag. With an address that fails, ready rejects, the console is
// told once, and the page can load from elsewhere.
func TestScriptTag(t *testing.T) {
	for name, c := range map[string]struct{ attributes, failure string }{
		"absent":           {``, `waits`},
		"empty":            {`data-wasm=""`, `waits`},
		"an address":       {`data-wasm="/pagewarden.wasm"`, ``},
		"with a query":     {`data-wasm="/pagewarden.wasm?v=1&amp;w=2"`, ``},
		"relative":         {`data-wasm="../pagewarden.wasm"`, ``},
		"deferred":         {`defer data-wasm="/pagewarden.wasm"`, ``},
		"asynchronous":     {`async data-wasm="/pagewarden.wasm"`, ``},
		"missing":          {`data-wasm="/wrong/missing.wasm"`, `^pagewarden: loading /wrong/missing.wasm failed: the server answered 404$`},
		"of another build": {`data-wasm="/wrong/other.wasm?tag"`, `^pagewarden: loading /wrong/other.wasm\?tag failed: the script is of build `},
	} {
		t.Run(name, func(t *testing.T) {
			p := paste(t, `<script src="/loading/record.js"></script><script `+c.attributes+` src="/pagewarden.js"></script>
				<script type="module" src="/loading/tag.js"></script>`, nil)
			p.Expected = []string{"/wrong/", "pagewarden: loading "}
			got := p.seen()
			if !slices.Equal(got.Global, []string{"PageWarden"}) {
				t.Errorf("the script left %q on the page", got.Global)
			}
			switch c.failure {
			case "":
				if got.Value != "here" || len(got.Told) > 0 {
					t.Errorf("the page saw %+v", got)
				}
			case "waits":
				if got.Value != "waits" || len(got.Told) > 0 {
					t.Errorf("the page saw %+v; want that ready waits", got)
				}
			default:
				if !regexp.MustCompile(c.failure).MatchString(got.Error) || !slices.Equal(got.Told, []string{"error " + got.Error}) {
					t.Errorf("the page saw %+v; want %s, and on the console once", got, c.failure)
				}
			}
			got.Later.mustWork(t)
		})
	}
}
