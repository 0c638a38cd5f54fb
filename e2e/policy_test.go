package e2e

import (
	"net/http"
	"regexp"
	"testing"
)

// TestPoliciesThatAllow opens pages whose Content-Security-Policy lets the runtime be: none needs 'unsafe-eval'.
func TestPoliciesThatAllow(t *testing.T) {
	for name, policy := range map[string]string{
		"own scripts":          "script-src 'self' 'wasm-unsafe-eval'",
		"next to nothing":      "default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
		"scripts with a nonce": "script-src 'nonce-once' 'wasm-unsafe-eval'",
		"a strict policy":      "script-src 'nonce-once' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'",
		"Trusted Types":        "script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'",
		"evaluation too":       "script-src 'self' 'unsafe-eval'",
	} {
		t.Run(name, func(t *testing.T) {
			got := openUnder(t, policy).seen()
			if got.Value != "here" || len(got.Told) > 0 {
				t.Errorf("the page saw %+v", got)
			}
			got.Later.mustWork(t)
		})
	}
}

// TestPoliciesThatForbid opens pages whose policy does not: the error says what to add, and the page goes on.
func TestPoliciesThatForbid(t *testing.T) {
	for name, c := range map[string]struct{ policy, pattern string }{
		"no WebAssembly":            {"script-src 'self'", `Content Security Policy.* \(served as "application/wasm"\); the page's Content-Security-Policy needs 'wasm-unsafe-eval'$`},
		"no WebAssembly by default": {"default-src 'self' data:", `; the page's Content-Security-Policy needs 'wasm-unsafe-eval'$`},
		"no connections":            {"connect-src 'none'", `^Failed to fetch; is the server up, and may this page read from it \(CORS, connect-src\)\?$`},
	} {
		t.Run(name, func(t *testing.T) {
			p := openUnder(t, c.policy)
			p.Expected = []string{"Content Security Policy", "pagewarden: loading ", "CORS policy", "net::ERR_FAILED"}
			got := p.seen()
			const start = "pagewarden: loading /pagewarden.wasm failed: "
			if !regexp.MustCompile("^"+start).MatchString(got.Error) || !regexp.MustCompile(c.pattern).MatchString(got.Error[len(start):]) {
				t.Errorf("the error is %q; want %q and %s", got.Error, start, c.pattern)
			}
			if len(got.Told) != 1 || got.Told[0] != "error "+got.Error {
				t.Errorf("the console was told %q; want the error, once", got.Told)
			}
			got.Later.mustFail(t, "/pagewarden.wasm", c.pattern)
		})
	}
}

// TestPolicyIsNamedWhateverIsLoaded tries the ways of loading that do not stream, under a policy that forbids them.
func TestPolicyIsNamedWhateverIsLoaded(t *testing.T) {
	p := openUnder(t, "script-src 'self'")
	p.Expected = []string{"Content Security Policy", "pagewarden: loading "}
	p.seen()
	const pattern = `; the page's Content-Security-Policy needs 'wasm-unsafe-eval'$`
	for expression, where := range map[string]string{
		`"/wrong/octets.wasm"`:                                                "/wrong/octets.wasm",
		`await (await fetch("/pagewarden.wasm")).arrayBuffer()`:               "the given module",
		`new Response(await (await fetch("/pagewarden.wasm")).arrayBuffer())`: "the given module",
	} {
		see[attempt](p, "tryAgain(async () => ("+expression+"))").mustFail(t, where, pattern)
	}
}

// TestSandboxedPage loads in a page that has no origin: the server would have to let any origin read the module.
func TestSandboxedPage(t *testing.T) {
	for query, want := range map[string]string{
		"":      "pagewarden: loading /wrong/right.wasm failed: Failed to fetch; is the server up, and may this page read from it (CORS, connect-src)?",
		"?cors": "loaded",
	} {
		p := paste(t, `<script src="/pagewarden.js" data-wasm="/wrong/right.wasm`+query+`"></script>
			<script>PageWarden.ready.then(() => "loaded", (error) => error.message).then((seen) => (globalThis.seen = seen));</script>`,
			http.Header{"Content-Security-Policy": {"sandbox allow-scripts"}})
		p.Expected = []string{"pagewarden: loading ", "CORS policy", "net::ERR_FAILED"}
		p.Until("globalThis.seen !== undefined")
		if got := see[string](p, "seen"); got != want {
			t.Errorf("%q: the page saw %q; want %q", query, got, want)
		}
	}
}

// openUnder opens a page with a script tag that loads, under a policy.
func openUnder(t *testing.T, policy string) tab {
	t.Helper()
	return paste(t, `<script nonce="once" src="/loading/record.js"></script>
		<script nonce="once" src="/pagewarden.js" data-wasm="/pagewarden.wasm"></script>
		<script nonce="once" type="module" src="/loading/tag.js"></script>`, http.Header{"Content-Security-Policy": {policy}})
}

// seen waits until the page has looked at its script tag.
func (p tab) seen() tag {
	p.T.Helper()
	p.Until("globalThis.seen !== undefined")
	return see[tag](p, "seen")
}
