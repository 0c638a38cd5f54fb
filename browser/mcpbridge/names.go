package mcpbridge

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/browser"
)

// maxName is how long a name may be that every model provider takes.
const maxName = 64

// outwardNames gives the tools of a page the names that clients see; names[i] is
// that of tools[i]. No two are the same, each has 1 to 64 of [A-Za-z0-9_-].
//
// A tool of the page itself keeps a name that is such a name already. Any other
// gets what fits of its name and a hash of the whole of it and its frame. So a
// name depends on its tool alone, not on what else there is or came first, and
// never passes from one tool to another. Only tools of equal names in frames of
// equal addresses are told apart by their order.
func outwardNames(tools []browser.Tool) []string {
	names := make([]string, len(tools))
	taken := map[string]bool{}
	for i, t := range tools {
		if t.Frame.Main && isSafe(t.Name) {
			names[i] = t.Name
			taken[t.Name] = true
		}
	}
	for i, t := range tools {
		if names[i] == "" {
			names[i] = free(taken, clean(t.Name), "_"+fingerprint(t))
			taken[names[i]] = true
		}
	}
	return names
}

// free is the first name of that beginning and end that is not taken.
func free(taken map[string]bool, start, end string) string {
	name := start[:min(len(start), maxName-len(end))] + end
	for n := 2; taken[name]; n++ {
		numbered := end + "_" + strconv.Itoa(n)
		name = start[:min(len(start), maxName-len(numbered))] + numbered
	}
	return name
}

func isSafe(name string) bool { return name != "" && len(name) <= maxName && clean(name) == name }

// clean puts an underscore in place of everything that a name may not hold.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// fingerprint is what tells tools apart whose names look the same.
func fingerprint(t browser.Tool) string {
	const digits = 8
	where := ""
	if !t.Frame.Main {
		where = shown(t.Frame.URL)
	}
	sum := sha256.Sum256([]byte(t.Name + "\x00" + where))
	return hex.EncodeToString(sum[:])[:digits]
}

// shown is an address without what may change with each visit, or be secret:
// the query, the fragment, and a password.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// origin is the scheme, host and port of an address, "" when it has none.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
