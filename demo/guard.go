package demo

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// contentPolicy allows what the page needs and nothing inline. Compiling WebAssembly needs 'wasm-unsafe-eval', which
// does not allow eval of JavaScript.
const contentPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

// harden sets the headers that every response carries.
func harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// sameHost refuses requests for a host name that is not this server's.
func sameHost(hosts []string, next http.Handler) http.Handler {
	known := make([]string, len(hosts))
	for i, host := range hosts {
		known[i] = strings.Trim(strings.ToLower(host), "[]")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostName(r.Host); !isLoopback(host) && !slices.Contains(known, host) {
			writeError(w, refuse(CodeForbiddenHost, "", "This server does not answer under that host name."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func hostName(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	return strings.Trim(strings.ToLower(host), "[]")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sameOrigin refuses writes that a browser sends on behalf of another site.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := protection.Check(r); err != nil {
			writeError(w, refuse(CodeForbiddenOrigin, "", "Changes are accepted from this site only."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allow answers a wrong method in the API's own shape; ServeMux would answer in plain text.
func allow(method string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isHead := r.Method == http.MethodHead && method == http.MethodGet
		if r.Method != method && !isHead {
			w.Header().Set("Allow", method)
			writeError(w, refuse(CodeMethodNotAllowed, "", "Use %s here.", method))
			return
		}
		next.ServeHTTP(w, r)
	})
}
