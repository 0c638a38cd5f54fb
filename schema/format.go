package schema

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Formats are the values that the keyword format may have. All are asserted, on strings only:
//
//   - date-time: RFC 3339 with upper or lower case T and Z, an offset or Z, any number of decimals of a
//     second; leap seconds (…:60) are not accepted.
//   - date: RFC 3339 full-date, YYYY-MM-DD, a day that exists.
//   - uuid: 8-4-4-4-12 hexadecimal digits in either case, any version.
//   - email: an RFC 5321 mailbox in ASCII with a dot-string before the @ (at most 64 bytes) and a host name or
//     an address in brackets after it, at most 254 bytes; no quoted names, no comments, no display name.
//   - uri: RFC 3986 with a scheme; only the characters that it allows, so that spaces and letters outside
//     ASCII must be percent-encoded.
func Formats() []string { return []string{"date-time", "date", "uuid", "email", "uri"} }

// errFormat stands for any mistake: the issue names the format, never the value.
var errFormat = errors.New("does not have the format")

// formatNamed is the check that the library calls for a format, nil when there is no such format.
func formatNamed(name string) func(value any) error {
	var accepts func(string) bool
	switch name {
	case "date-time":
		accepts = isDateTime
	case "date":
		accepts = isDate
	case "uuid":
		accepts = isUUID
	case "email":
		accepts = isEmail
	case "uri":
		accepts = isURI
	default:
		return nil
	}
	return func(value any) error {
		if s, ok := value.(string); ok && !accepts(s) {
			return errFormat
		}
		return nil
	}
}

// formatPhrase ends the sentence "must be …".
func formatPhrase(name string) string {
	switch name {
	case "date-time":
		return "a date and time with an offset, such as 2026-01-31T12:00:00Z"
	case "date":
		return "a date, such as 2026-01-31"
	case "uuid":
		return "a UUID, such as 123e4567-e89b-12d3-a456-426614174000"
	case "email":
		return "an e-mail address, such as name@example.com"
	}
	return "an absolute URI, such as https://example.com/path"
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime leaves most to time.Parse, which is laxer than RFC 3339 in places: it takes a comma before the
// decimals, an hour of one digit, and an offset of 24 hours.
func isDateTime(s string) bool {
	if len(s) < len("2026-01-31T12:00:00Z") || s[13] != ':' || strings.Contains(s, ",") {
		return false
	}
	if offset := s[len(s)-len("+00:00"):]; offset[0] != ':' && offset[3] == ':' && offset[1:3] > "23" {
		return false
	}
	_, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return err == nil
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	if !found || len(s) > 254 || len(local) > 64 {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || !onlyOf(atom, "!#$%&'*+-/=?^_`{|}~") {
			return false
		}
	}
	if literal, bracketed := strings.CutPrefix(domain, "["); bracketed {
		return isAddressLiteral(literal)
	}
	return isHostName(domain)
}

// isAddressLiteral accepts what follows the [ of user@[192.0.2.1] or user@[IPv6:2001:db8::1].
func isAddressLiteral(s string) bool {
	s, closed := strings.CutSuffix(s, "]")
	six, isSix := strings.CutPrefix(s, "IPv6:")
	address, err := netip.ParseAddr(six)
	return closed && err == nil && address.Zone() == "" && address.Is4() != isSix
}

func isHostName(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || !onlyOf(label, "-") || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

// onlyOf reports whether s has only ASCII letters, digits and the bytes of others.
func onlyOf(s, others string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return true
}

// isURI checks the characters, which url.Parse does not, and leaves the structure to it.
func isURI(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return false
		}
	}
	if !onlyOf(s, "-._~:/?#[]@!$&'()*+,;=%") || strings.Count(s, "#") > 1 {
		return false
	}
	parsed, err := url.Parse(s)
	if err != nil || !parsed.IsAbs() {
		return false
	}
	if strings.Count(s, "[") != strings.Count(parsed.Host, "[") || strings.Count(s, "]") != strings.Count(parsed.Host, "]") {
		return false
	}
	if !strings.Contains(parsed.Host, "[") {
		return !strings.Contains(parsed.Hostname(), ":")
	}
	address, err := netip.ParseAddr(parsed.Hostname())
	return err == nil && address.Is6()
}
