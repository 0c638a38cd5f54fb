package mcpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Access says which HTTP requests are let in. The zero Access lets in what comes to this machine's own names from
// programs, and from pages of this very server.
type Access struct {
	// Hosts are names under which the server answers beside localhost and loopback addresses, without port. A request
	// for any other is refused, so that a foreign name that resolves to this machine gets nothing.
	Hosts []string
	// Origins are those of other sites whose pages may call, such as "https://app.example". Browsers say where a page
	// comes from; what is no browser says nothing, and is not held back by this.
	Origins []string
	// Token is what every call must carry as "Authorization: Bearer TOKEN"; "" asks for none.
	Token string
}

// At is the Access of a server that listens on the address: it answers under the address's host too, unless that is left
// out or stands for all of the machine's.
func (a Access) At(address string) Access {
	host, _, err := net.SplitHostPort(address)
	host, _, _ = strings.Cut(host, "%") // the zone of an address is of this machine alone
	if ip, _ := netip.ParseAddr(host); err == nil && host != "" && !ip.IsUnspecified() {
		a.Hosts = append(slices.Clone(a.Hosts), host)
	}
	return a
}

// AccessError says what of an Access is wrong.
type AccessError struct {
	// Field is Hosts[i], Origins[i] or Token.
	Field string
	// Problem is a sentence about it. It does not hold a token.
	Problem string
}

// Error is "guarding the server: " with the field and the problem.
func (e *AccessError) Error() string { return "guarding the server: " + e.Field + ": " + e.Problem }

// Guard lets through to next what the Access allows. The rest gets 403 (host or origin) or 401 (token), as text. It
// answers preflight requests itself, which carry no token.
func (a Access) Guard(next http.Handler) (http.Handler, error) {
	g := &guard{origins: slices.Clone(a.Origins), next: next}
	for i, host := range a.Hosts {
		if host == "" || strings.ContainsAny(host, "/:@ ") && net.ParseIP(strings.Trim(host, "[]")) == nil {
			return nil, &AccessError{fmt.Sprintf("Hosts[%d]", i), fmt.Sprintf("%q is not the name of a host, without scheme and port", host)}
		}
		g.hosts = append(g.hosts, strings.Trim(strings.ToLower(host), "[]"))
	}
	for i, origin := range a.Origins {
		if !isOrigin(origin) {
			return nil, &AccessError{fmt.Sprintf("Origins[%d]", i), fmt.Sprintf("%q is not an origin such as https://app.example", origin)}
		}
	}
	if a.Token != "" {
		if strings.ContainsFunc(a.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, &AccessError{"Token", "must be of visible ASCII characters, without spaces"}
		}
		digest := sha256.Sum256([]byte(a.Token))
		g.token = digest[:]
	}
	return g, nil
}

// isOrigin reports whether a browser would write an origin like that.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.Host != "" && u.Scheme+"://"+u.Host == text && text == strings.ToLower(text)
}

type guard struct {
	hosts   []string
	origins []string
	token   []byte // SHA-256, nil for none
	next    http.Handler
}

// ServeHTTP decides in the order in which a mistake does harm: whose name, whose page, whose token.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	switch {
	case !g.knowsHost(r.Host):
		http.Error(w, "This server does not answer under that host name.", http.StatusForbidden)
	case len(r.Header.Values("Origin")) > 1, origin != "" && !g.knowsOrigin(origin, r.Host):
		http.Error(w, "Pages of that origin may not call this server.", http.StatusForbidden)
	case origin != "" && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
		preflight(w.Header(), origin)
		w.WriteHeader(http.StatusNoContent)
	case !g.knowsToken(r.Header.Values("Authorization")):
		share(w.Header(), origin)
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "A bearer token is required, and this is not it.", http.StatusUnauthorized)
	default:
		share(w.Header(), origin)
		g.next.ServeHTTP(w, r)
	}
}

func (g *guard) knowsHost(hostPort string) bool {
	host := hostOf(hostPort)
	return host != "" && (IsLoopback(host) || slices.Contains(g.hosts, host))
}

// knowsOrigin reports whether a page of that origin may call: those that were allowed, and the server's own, whose host
// has been found to be one of the server's.
func (g *guard) knowsOrigin(origin, host string) bool {
	own := origin == "http://"+strings.ToLower(host) || origin == "https://"+strings.ToLower(host)
	return own || slices.Contains(g.origins, origin)
}

// knowsToken compares digests, so that the time that it takes says nothing about the token.
func (g *guard) knowsToken(given []string) bool {
	if g.token == nil {
		return true
	}
	if len(given) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	digest := sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(digest[:], g.token) == 1
}

// share lets the page read the answer, and the session's id in it.
func share(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	if origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	}
}

// preflight lets the page's browser send what MCP needs.
func preflight(h http.Header, origin string) {
	share(h, origin)
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id")
	h.Set("Access-Control-Max-Age", "600")
}

// hostOf is the host of a Host header or an address, in lower case, without port and brackets.
func hostOf(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	return strings.Trim(strings.ToLower(host), "[]")
}

// IsLoopback reports whether a host, given as name or address without port, can only be this machine.
func IsLoopback(host string) bool {
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
