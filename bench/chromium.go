package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pagewarden/pagewarden/browser"
)

// chromium measures in a browser of its own, with pages of a server on this machine.
func (r *report) chromium(ctx context.Context, root string, s settings) (err error) {
	if err := built(root); err != nil {
		return err
	}
	site, err := serve(ctx, root)
	if err != nil {
		return err
	}
	defer site.Close()
	b, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	e, err := measureRows(ctx, b, site.URL, s.plan)
	if err != nil {
		return err
	}
	e.Name = b.Version()
	r.Engines = append(r.Engines, e)
	r.Start, err = measureStart(ctx, b, site.URL, s.starts)
	return err
}

func measureRows(ctx context.Context, b *browser.Browser, site string, p plan) (e engine, err error) {
	wanted, err := json.Marshal(p)
	if err != nil {
		return e, err
	}
	page, err := b.Open(ctx, site+"/bench/rows.html")
	if err != nil {
		return e, err
	}
	defer page.Close()
	found, err := page.Eval(ctx, fmt.Sprintf("measureAll(%s)", wanted))
	if err != nil {
		return e, fmt.Errorf("%w (console: %v)", err, page.Console())
	}
	return e, json.Unmarshal(found, &e)
}

// measureStart loads the two pages in turn. The first load of each fills the browser's own caches and does not count.
func measureStart(ctx context.Context, b *browser.Browser, site string, loads int) (*start, error) {
	page, err := b.Open(ctx, site+"/bench/empty.html")
	if err != nil {
		return nil, err
	}
	defer page.Close()
	s := &start{}
	for i := range loads + 1 {
		for _, one := range []struct {
			page string
			into *[]float64
		}{{"runtime", &s.Runtime}, {"empty", &s.Empty}} {
			took, err := startOf(ctx, page, site+"/bench/"+one.page+".html")
			if err != nil {
				return nil, err
			}
			if i > 0 {
				*one.into = append(*one.into, took)
			}
		}
	}
	return s, nil
}

func startOf(ctx context.Context, page *browser.Page, url string) (milliseconds float64, err error) {
	if err := page.Navigate(ctx, url); err != nil {
		return 0, err
	}
	found, err := page.Eval(ctx, "started")
	if err != nil {
		return 0, fmt.Errorf("%w (console: %v)", err, page.Console())
	}
	return milliseconds, json.Unmarshal(found, &milliseconds)
}
