// Package demo is the demo application of pagewarden: a real server over a real database, with an agent-ready page in
// front of it, and a small shop beside it. The pages are embedded from package web, the runtime comes from a dist folder,
// the devices and the shop's cart live in SQLite.
//
// The server trusts nothing that the page says. Whatever an agent or a person does there arrives as an ordinary
// request and is checked here again.
package demo

import (
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/web"
)

// Config is what a server needs.
type Config struct {
	// Store holds the devices and the shop. Required.
	Store *Store
	// Domain carries out what is asked about devices: NewDomain makes it, over the same store. Required.
	Domain *registry.Registry
	// Dist holds the built runtime: pagewarden.js, pagewarden.mjs, pagewarden.wasm, their .br siblings and the
	// optional scripts. Nil means that those paths are 404 and the page runs without agent tools.
	Dist fs.FS
	// Hosts are the host names under which the server answers, without port, in addition to localhost and loopback
	// addresses. A request for any other is refused, so that a foreign name that resolves to this machine gets nothing.
	Hosts []string
	// Log gets changes and internal errors. Nil means none.
	Log *slog.Logger
	// Rehearsal lets whoever can write to this server make renames slow, fail and conflict. It is for developers and
	// tests; without it the paths are 404.
	Rehearsal bool
}

// server is what handlers share. All but the stage is set once and then only read.
type server struct {
	store  *Store
	domain *registry.Registry
	log    *slog.Logger
	page   fs.FS
	dist   fs.FS
	stage  stage
}

// NewServer returns the demo's handler:
//
//	GET  /                          the page and its files, then the files of Dist
//	GET  /api/devices               ?status= &city= &q=     { total, devices }
//	GET  /api/devices/{id}          { device }
//	POST /api/devices/disable       { ids, reason? }        { devices }
//	POST /api/devices/enable        { ids }                 { devices }
//	POST /api/devices/{id}/rename   { name, version? }      { device }
//	GET  /api/products              ?q=                     { total, products }
//	GET  /api/cart                                          { cart }
//	POST /api/cart/add              { productId, quantity } { cart }
//	POST /api/cart/clear            {}                      { cart }
//	GET  /api/rehearsal                                     { rehearsal }, with Config.Rehearsal
//	POST /api/rehearsal             { times, delayMs, hold, fail, conflict }   { rehearsal }
//
// Every refusal under /api is { error: { code, message, field? } }.
func NewServer(config Config) http.Handler {
	s := &server{store: config.Store, domain: config.Domain, log: config.Log, page: web.Demo(), dist: config.Dist}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.path, allow(r.method, r.handle))
	}
	if config.Rehearsal {
		mux.Handle("GET /api/rehearsal", s.api(s.rehearsal))
		mux.Handle("POST /api/rehearsal", s.api(s.setRehearsal))
	}
	mux.Handle("/api/", apiFunc(s.unknown))
	mux.HandleFunc("/", s.serveFile)
	return harden(sameHost(config.Hosts, sameOrigin(mux)))
}

type route struct {
	method, path string
	handle       http.Handler
}

func (s *server) routes() []route {
	return []route{
		{http.MethodGet, "/api/devices", s.api(s.list)},
		{http.MethodGet, "/api/devices/{id}", s.api(s.get)},
		{http.MethodPost, "/api/devices/disable", s.api(s.disable)},
		{http.MethodPost, "/api/devices/enable", s.api(s.enable)},
		{http.MethodPost, "/api/devices/{id}/rename", s.api(s.rename)},
		{http.MethodGet, "/api/products", s.api(s.products)},
		{http.MethodGet, "/api/cart", s.api(s.cart)},
		{http.MethodPost, "/api/cart/add", s.api(s.addToCart)},
		{http.MethodPost, "/api/cart/clear", s.api(s.clearCart)},
	}
}
