package browser

import (
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto"
)

// Offer is what a document has of WebMCP.
type Offer struct {
	// URL is the document's address.
	URL string `json:"url"`
	// Secure reports a secure context: https, or http on localhost.
	Secure bool `json:"secure"`
	// Document and Navigator say where modelContext is.
	Document  bool `json:"document"`
	Navigator bool `json:"navigator"`
	// Native reports that the browser itself made it, and no script.
	Native bool `json:"native"`
	// Methods are those of modelContext that WebMCP knows in any revision.
	Methods []string `json:"methods"`
	// Testing reports navigator.modelContextTesting.
	Testing bool `json:"testing"`
	// ExecuteTool is the form in which executeTool takes an input, "string" or
	// "object"; "" without one.
	ExecuteTool string `json:"executeTool"`
	// Policy is what the permissions policy says of tools: "allowed",
	// "forbidden", or "unknown" where the browser has no such policy.
	Policy string `json:"policy"`
}

// Present reports that there is a modelContext.
func (o Offer) Present() bool { return o.Document || o.Navigator }

//go:embed scripts/offer.js
var offerScript string

// Offer returns what the page's main document has.
func (p *Page) Offer(ctx context.Context) (Offer, error) {
	const attempts, pause = 40, 50 * time.Millisecond
	var has Offer
	var err error
	for range attempts { // again when the page navigates meanwhile
		var raw json.RawMessage
		if raw, err = p.Eval(ctx, offerScript); err == nil {
			err = json.Unmarshal(raw, &has)
			break
		}
		var lost *cdproto.Error
		if !errors.As(err, &lost) {
			break
		}
		time.Sleep(pause)
	}
	if err != nil {
		return Offer{}, fmt.Errorf("looking for WebMCP in the page: %w", err)
	}
	return has, nil
}

// waysOf lists the ways that lead to the tools of a page with that offer, best
// first. The protocol knows of tools that the browser keeps alone.
func (p *Page) waysOf(has Offer) []Way {
	var list []Way
	if has.Present() && has.Native && p.devtools.available() {
		list = append(list, ByDevTools)
	}
	switch has.ExecuteTool {
	case "object":
		list = append(list, ByExecuteToolObject)
	case "string":
		list = append(list, ByExecuteToolString)
	}
	if has.Testing {
		list = append(list, ByTesting)
	}
	return list
}

// Ways returns the ways in which the page's tools can be reached now, best
// first.
func (p *Page) Ways(ctx context.Context) ([]Way, error) {
	has, err := p.Offer(ctx)
	if err != nil {
		return nil, err
	}
	return p.waysOf(has), nil
}

// Use settles on a way, which the page must have by the next call; "" stands for
// the best one that it has.
func (p *Page) Use(chosen Way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted, p.choice = chosen, choice{}
}

// choice is the way that was chosen for a document.
type choice struct {
	realm *realm
	way   way
}

// choose returns the way to the page's tools, which can change with each
// document.
func (p *Page) choose(ctx context.Context) (way, error) {
	main := p.realms.in(string(p.main.first()))
	p.mu.Lock()
	chosen, wanted := p.choice, p.wanted
	p.mu.Unlock()
	if main != nil && chosen.realm == main {
		return chosen.way, nil
	}
	has, err := p.Offer(ctx)
	if err != nil {
		return nil, err
	}
	ways := p.waysOf(has)
	if wanted != "" {
		ways = slices.DeleteFunc(ways, func(w Way) bool { return w != wanted })
	}
	if len(ways) == 0 {
		return nil, &NoWebMCPError{Offer: has, Version: p.browser.version, Flag: p.browser.flag, Wanted: wanted}
	}
	found := p.way(ways[0])
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted == wanted {
		p.choice = choice{main, found}
	}
	return found, nil
}

// chooseFor returns the way to call a tool with that input. Over DevTools,
// Chromium refuses member names beyond ASCII ("Invalid parameters", measured in
// 152, 153 and 156), so such an input goes by the next way, if there is one.
func (p *Page) chooseFor(ctx context.Context, input json.RawMessage) (way, error) {
	w, err := p.choose(ctx)
	if err != nil || w != way(p.devtools) || asciiNames(input) {
		return w, err
	}
	ways, err := p.Ways(ctx)
	if err != nil || len(ways) < 2 {
		return w, err
	}
	return p.way(ways[1]), nil
}

// way returns the page's one implementation of a way.
func (p *Page) way(name Way) way {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ways[name] == nil {
		switch name {
		case ByTesting:
			p.ways[name] = newTesting(p)
		default:
			p.ways[name] = newExecuteTool(p, name == ByExecuteToolObject)
		}
	}
	return p.ways[name]
}
