// Package site serves the demo for the end-to-end programs and tests: on a free loopback port, over a database of its
// own, with the runtime that `make build` left in dist/.
package site

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/pagewarden/pagewarden/demo"
	"github.com/pagewarden/pagewarden/registry"
)

// Demo is a running demo server.
type Demo struct {
	// URL is the page's address, with a slash at its end.
	URL string
	// Store is the server's database, for looking at what the page's requests have done.
	Store *demo.Store

	server *http.Server
	data   string
	domain *registry.Registry
}

// Serve starts the demo of the checkout at root. wrap, if not nil, is put around the server's handler. The caller must
// Close the demo.
func Serve(ctx context.Context, root string, wrap func(http.Handler) http.Handler) (_ *Demo, err error) {
	dist, err := Dist(root)
	if err != nil {
		return nil, err
	}
	d := &Demo{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.data, err = os.MkdirTemp("", "pagewarden-demo-"); err != nil {
		return nil, fmt.Errorf("making a folder for the database: %w", err)
	}
	if d.Store, err = demo.Open(ctx, d.data); err != nil {
		return nil, err
	}
	if d.domain, err = demo.NewDomain(d.Store, nil); err != nil {
		return nil, err
	}
	handler := demo.NewServer(demo.Config{Store: d.Store, Domain: d.domain, Dist: dist, Rehearsal: true})
	if wrap != nil {
		handler = wrap(handler)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening on a free port: %w", err)
	}
	d.URL = "http://" + listener.Addr().String() + "/"
	d.server = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go d.server.Serve(listener) // ends when the server is closed
	return d, nil
}

// Close stops the server and removes its database.
func (d *Demo) Close() error {
	var errs []error
	if d.server != nil {
		errs = append(errs, d.server.Close())
	}
	if d.domain != nil {
		d.domain.Dispose()
	}
	if d.Store != nil {
		errs = append(errs, d.Store.Close())
	}
	if d.data != "" {
		errs = append(errs, os.RemoveAll(d.data))
	}
	return errors.Join(errs...)
}
