package browser

import (
	"cmp"
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Report is what a page and its browser offer to an agent, and what is wrong
// with it.
type Report struct {
	// Browser is the product and version, Flag whether it was started with
	// WebMCP on.
	Browser string `json:"browser"`
	Flag    bool   `json:"flag"`
	// Page is what the page's own document has.
	Page Offer `json:"page"`
	// Frames is what its iframes have, by address.
	Frames []Offer `json:"frames"`
	// Ways are the ways to the page's tools, best first.
	Ways []Way `json:"ways"`
	// Tools are the tools, as Page.Tools gives them.
	Tools []Tool `json:"tools"`
	// Problems are what is wrong, the worst first; none if all is well.
	Problems []Problem `json:"problems"`
	// Failures are exceptions that nothing on the page caught, the first three.
	// They are no problems: what is offered works, and they may be why something
	// else is not offered.
	Failures []string `json:"failures"`
}

// Problem is one thing that keeps an agent from the page's tools.
type Problem struct {
	// Kind tells kinds apart: no-flag, insecure, no-webmcp, policy, uncallable,
	// refused, no-tools.
	Kind string `json:"kind"`
	// URL is the document that has the problem.
	URL string `json:"url"`
	// Text says what is wrong.
	Text string `json:"text"`
	// Remedy says what to do about it.
	Remedy string `json:"remedy"`
}

// refusal is a tool that the browser did not take.
type refusal struct{ Name, Error string }

// Diagnose opens url, gives it the time wait to register its tools, and reports.
// A page that settles earlier is not waited for: quiet is how long its list must
// stay the same.
//
// Errors: those of Open, and *GoneError.
func (b *Browser) Diagnose(ctx context.Context, url string, wait, quiet time.Duration) (Report, error) {
	p := b.newPage()
	defer p.Close()
	if err := p.attach(ctx); err != nil {
		return Report{}, p.explain(ctx, "opening a tab", err)
	}
	if err := p.takeNote(ctx); err != nil {
		return Report{}, p.explain(ctx, "preparing the tab", err)
	}
	if err := p.Navigate(ctx, url); err != nil {
		return Report{}, err
	}
	return p.report(ctx, wait, quiet)
}

//go:embed scripts/refusals.js
var refusalsScript string

// takeNote has every document of the page's process note what is refused.
func (p *Page) takeNote(ctx context.Context) error {
	joined, stop := join(p.ctx, ctx)
	defer stop()
	_, err := chromedp.Call(joined, cdppage.AddScriptToEvaluateOnNewDocument,
		cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: refusalsScript})
	return err
}

func (p *Page) report(ctx context.Context, wait, quiet time.Duration) (Report, error) {
	settling, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tools, err := p.SettledTools(settling, quiet)
	var none *NoWebMCPError
	if err != nil && !errors.As(err, &none) {
		return Report{}, err
	}
	offer, err := p.Offer(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Browser: p.browser.version, Flag: p.browser.flag, Page: offer, Frames: p.frameOffers(ctx),
		Ways: p.waysOf(offer), Tools: slices.Concat([]Tool{}, tools), Problems: []Problem{}, Failures: p.failures(),
	}
	r.judge()
	for _, refused := range p.refusals(ctx) {
		r.add("refused", offer.URL, fmt.Sprintf("the browser refused the tool %q: %s", refused.Name, refused.Error),
			"correct the tool, or the name of the one that has taken its place")
	}
	if len(r.Tools) == 0 && len(r.Problems) == 0 {
		r.add("no-tools", offer.URL, fmt.Sprintf("the page has registered no tools within %s", wait), p.whyNoTools())
	}
	return r, nil
}

// frameOffers asks the iframes; one that does not answer is left out.
func (p *Page) frameOffers(ctx context.Context) []Offer {
	offers := []Offer{}
	for _, r := range p.realms.all() {
		if r.at.session.isMain(r.at.frame) {
			continue
		}
		var offer Offer
		if raw, err := r.eval(ctx, offerScript); err == nil && json.Unmarshal(raw, &offer) == nil {
			offers = append(offers, offer)
		}
	}
	slices.SortFunc(offers, func(a, b Offer) int { return cmp.Compare(a.URL, b.URL) })
	return offers
}

// refusals reads what the documents have noted.
func (p *Page) refusals(ctx context.Context) []refusal {
	const script = `[...(globalThis[Symbol.for("pagewarden.refused")] ?? [])].map(([Name, { text: Error }]) => ({ Name, Error }))`
	all := []refusal{}
	for _, r := range p.realms.all() {
		var found []refusal
		if raw, err := r.eval(ctx, script); err == nil && json.Unmarshal(raw, &found) == nil {
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, func(a, b refusal) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (r *Report) add(kind, url, text, remedy string) {
	r.Problems = append(r.Problems, Problem{kind, url, text, remedy})
}

// judge finds what is wrong with what the documents have.
func (r *Report) judge() {
	o := r.Page
	switch {
	case !o.Present() && !o.Secure:
		r.add("insecure", o.URL, "the page is not a secure context, and browsers offer WebMCP in those alone",
			"serve it over https, or open it on http://localhost")
	case !o.Present() && !r.Flag:
		r.add("no-flag", o.URL, "WebMCP is off in this browser, as in any that is started without the flag",
			"start the browser with --enable-features="+webMCPFeature+", or load a polyfill in the page")
	case !o.Present():
		r.add("no-webmcp", o.URL, r.Browser+" does not have WebMCP", "use Chromium 147 or newer, or load a polyfill in the page")
	case o.Policy == "forbidden":
		r.add("policy", o.URL, "the page's permissions policy forbids tools",
			"send no Permissions-Policy header for tools, or one that allows them: tools=(self)")
	case len(r.Ways) == 0:
		r.add("uncallable", o.URL, "the page has a modelContext, but nothing here can call its tools",
			"if it is a polyfill, have it install its testing shim")
	}
	for _, frame := range r.Frames {
		if frame.Present() && frame.Policy == "forbidden" && o.Policy != "forbidden" {
			r.add("policy", frame.URL, "the iframe's permissions policy forbids tools",
				`if it is to have tools, give the iframe the attribute allow="tools"`)
		}
	}
}

// whyNoTools says what to look at when a page that could have tools has none.
func (p *Page) whyNoTools() string {
	if status := p.Status(); status >= 400 {
		return fmt.Sprintf("its server answered with HTTP %d, so check the address", status)
	}
	if failed := p.failures(); len(failed) > 0 {
		return "the page failed: " + failed[0]
	}
	return "it may register them later, or after something is done on it: wait longer, or do that first"
}

// failures are the first exceptions that nothing caught.
func (p *Page) failures() []string {
	const most = 3
	failed := []string{}
	for _, m := range p.Console() {
		if m.IsException() && len(failed) < most {
			failed = append(failed, m.Text)
		}
	}
	return failed
}
