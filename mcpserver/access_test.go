package mcpserver_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// guarded is a server that says "in" to whom it lets in.
func guarded(t *testing.T, a mcpserver.Access) http.Handler {
	t.Helper()
	h, err := a.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("in")) }))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask makes a request; headers are name and value in turn.
func ask(h http.Handler, method, host string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWhoIsLetIn(t *testing.T) {
	h := guarded(t, mcpserver.Access{Hosts: []string{"Box.local", "[fd00::1]", "192.0.2.7"}, Origins: []string{"https://app.example"}, Token: "s3cret"})
	const right = "Bearer s3cret"
	for _, tt := range []struct {
		name, host string
		headers    []string
		code       int
	}{
		{"a program", "127.0.0.1:80", []string{"Authorization", right}, 200},
		{"by name", "localhost", []string{"Authorization", right}, 200},
		{"by IPv6", "[::1]:80", []string{"Authorization", right}, 200},
		{"any loopback address", "127.9.9.9:80", []string{"Authorization", right}, 200},
		{"a given name", "box.LOCAL:80", []string{"Authorization", right}, 200},
		{"a given IPv6 address", "[fd00::1]:80", []string{"Authorization", right}, 200},
		{"a given address", "192.0.2.7", []string{"Authorization", right}, 200},
		{"a scheme in other letters", "localhost", []string{"Authorization", "bearer s3cret"}, 200},
		{"another host", "rebound.example:80", []string{"Authorization", right}, 403},
		{"a host that begins like ours", "localhost.evil.example", []string{"Authorization", right}, 403},
		{"no host", "", []string{"Authorization", right}, 403},
		{"an allowed page", "localhost", []string{"Authorization", right, "Origin", "https://app.example"}, 200},
		{"its own page", "localhost:81", []string{"Authorization", right, "Origin", "http://localhost:81"}, 200},
		{"a page of another port", "localhost:81", []string{"Authorization", right, "Origin", "http://localhost:82"}, 403},
		{"another page", "localhost", []string{"Authorization", right, "Origin", "https://evil.example"}, 403},
		{"a page that begins like it", "localhost", []string{"Authorization", right, "Origin", "https://app.example.evil.example"}, 403},
		{"a page without an origin", "localhost", []string{"Authorization", right, "Origin", "null"}, 403},
		{"two origins", "localhost", []string{"Authorization", right, "Origin", "https://app.example", "Origin", "https://app.example"}, 403},
		{"no token", "localhost", nil, 401},
		{"another token", "localhost", []string{"Authorization", "Bearer secret"}, 401},
		{"another scheme", "localhost", []string{"Authorization", "Basic s3cret"}, 401},
		{"two tokens", "localhost", []string{"Authorization", right, "Authorization", right}, 401},
	} {
		w := ask(h, "POST", tt.host, tt.headers...)
		if w.Code != tt.code || (w.Body.String() == "in") != (tt.code == 200) {
			t.Errorf("%s: got %d %q, want %d", tt.name, w.Code, w.Body, tt.code)
		}
		if strings.Contains(w.Body.String(), "s3cret") {
			t.Errorf("%s: the answer holds the token", tt.name)
		}
		if tt.code == 401 && w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: it does not say how to authenticate", tt.name)
		}
	}
	if w := ask(guarded(t, mcpserver.Access{}), "POST", "localhost"); w.Code != 200 {
		t.Errorf("without a token to ask for: %d", w.Code)
	}
}

// TestPreflight: the browser of an allowed page asks first, without a token; that of another page is told no.
func TestTheAddressIsAHost(t *testing.T) {
	for address, tt := range map[string]struct {
		host string
		code int
	}{
		"192.0.2.7:80":      {"192.0.2.7:80", 200},
		"Box.local:80":      {"box.local:80", 200},
		"[fd00::1]:80":      {"[fd00::1]:80", 200},
		"[fe80::1%eth0]:80": {"[fe80::1]:80", 200},
		":80":               {"box.local:80", 403},
		"0.0.0.0:80":        {"0.0.0.0:80", 403},
		"[::]:80":           {"[::]:80", 403},
		"nonsense":          {"nonsense", 403},
	} {
		given := mcpserver.Access{Hosts: []string{"other.local"}}
		h := guarded(t, given.At(address))
		if got := ask(h, "POST", tt.host).Code; got != tt.code {
			t.Errorf("at %s, %s gets %d; want %d", address, tt.host, got, tt.code)
		}
		if got := ask(h, "POST", "other.local").Code; got != 200 {
			t.Errorf("at %s, a given host gets %d", address, got)
		}
	}
}

func TestPreflight(t *testing.T) {
	h := guarded(t, mcpserver.Access{Origins: []string{"https://app.example"}, Token: "s3cret"})
	asks := []string{"Origin", "https://app.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version,mcp-session-id"}
	w := ask(h, "OPTIONS", "localhost", asks...)
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" || w.Header().Get("Vary") != "Origin" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	allowed := strings.ToLower(w.Header().Get("Access-Control-Allow-Headers"))
	for name := range strings.SplitSeq("authorization,content-type,mcp-protocol-version,mcp-session-id,last-event-id,accept", ",") {
		if !strings.Contains(allowed, name) {
			t.Errorf("%s may not be sent: %s", name, allowed)
		}
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if !strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), method) {
			t.Errorf("%s is not allowed", method)
		}
	}
	asks[1] = "https://evil.example"
	if w := ask(h, "OPTIONS", "localhost", asks...); w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another page gets %d %v", w.Code, w.Header())
	}
	if w := ask(h, "OPTIONS", "localhost", "Origin", "https://app.example"); w.Code != 401 {
		t.Errorf("what is no preflight gets %d", w.Code)
	}
	w = ask(h, "POST", "localhost", "Origin", "https://app.example", "Authorization", "Bearer s3cret")
	if w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("the page cannot read the answer: %v", w.Header())
	}
}

func TestAccessThatIsWrong(t *testing.T) {
	for field, a := range map[string]mcpserver.Access{
		"Hosts[1]":   {Hosts: []string{"box", "http://box"}},
		"Hosts[0]":   {Hosts: []string{"box:80"}},
		"Origins[0]": {Origins: []string{"app.example"}},
		"Origins[1]": {Origins: []string{"https://app.example", "https://app.example/"}},
		"Origins[2]": {Origins: []string{"https://a.example", "https://b.example", "*"}},
		"Token":      {Token: "two words"},
	} {
		_, err := a.Guard(http.NotFoundHandler())
		var wrong *mcpserver.AccessError
		if !errors.As(err, &wrong) || wrong.Field != field || strings.Contains(err.Error(), "two words") {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "127.0.0.1.example": false, "192.168.0.1": false, "localhost:80": false,
	} {
		if got := mcpserver.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) is %v", host, got)
		}
	}
}
