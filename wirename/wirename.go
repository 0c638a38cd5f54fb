// Package wirename turns capability ids into names that model providers accept for tools, and back.
//
// A name has at most MaxLength characters of [A-Za-z0-9_-]. Ordinary ids have readable names from which the
// id can be read back; longer and odder ones end in a hash. Names of one catalog are given out together, by
// Assign, which sees to it that no two are the same; the map that it returns is the authority on what a name
// means. (Source: adapters.md, Wire names.)
package wirename

import (
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// MaxLength is the most characters that a name has.
const MaxLength = 64

// MaxLevel is the highest level that a name can be encoded at.
const MaxLevel = 3

const instanceMark = "_at_"

// Encode is the name of a capability that is not qualified by an instance, at level 0. The error says what
// is wrong with the id.
func Encode(id string) (string, error) { return EncodeForInstance(id, "", 0) }

// EncodeForInstance is the name of a capability of one instance, or of none when instanceID is "".
//
// Level 0 is the raw name where that fits and the id has no "_" and no character that a name cannot hold;
// otherwise, and at the levels 1 to MaxLevel always, the name is shortened to a prefix of the raw name,
// "_0_", and a hash of 7 + 2·level characters. The error says what is wrong with an argument.
func EncodeForInstance(id, instanceID string, level int) (string, error) {
	if level < 0 || level > MaxLevel {
		return "", fmt.Errorf("encoding a wire name: level %d is not from 0 to %d", level, MaxLevel)
	}
	if err := check(id, instanceID); err != nil {
		return "", fmt.Errorf("encoding a wire name: %w", err)
	}
	return encode(Entry{id, instanceID}, level), nil
}

func check(id, instanceID string) error {
	if _, err := capability.ParseID(id); err != nil {
		return fmt.Errorf("reading id %q: %w", id, err)
	}
	if instanceID != "" && !capability.IsInstanceID(instanceID) {
		return fmt.Errorf("instance id %q is not one or more of [A-Za-z0-9_-], at most %d", instanceID, capability.MaxIDLength)
	}
	return nil
}

func encode(entry Entry, level int) string {
	raw, faithful := raw(entry)
	if level == 0 && faithful && len(raw) <= MaxLength {
		return raw
	}
	return shorten(raw, "_0_"+hash(entry, level))
}

// shorten is as much of raw as fits before tail, and tail.
func shorten(raw, tail string) string { return raw[:min(len(raw), MaxLength-len(tail))] + tail }

// raw is the name before any shortening. It is faithful unless the id has an "_" of its own or a character
// that no name can hold, which is written as one "-" for each UTF-16 code unit.
func raw(entry Entry) (name string, faithful bool) {
	var b strings.Builder
	b.Grow(len(entry.ID) + len(instanceMark) + len(entry.InstanceID) + 8) // 8 for dots
	faithful = true
	for _, r := range entry.ID {
		switch {
		case r == ':':
			b.WriteByte('_')
		case r == '.':
			b.WriteString("__")
		case isNameRune(r):
			b.WriteByte(byte(r))
			faithful = faithful && r != '_'
		default:
			b.WriteString("--"[:capability.Length(string(r))])
			faithful = false
		}
	}
	if entry.InstanceID != "" {
		b.WriteString(instanceMark + entry.InstanceID)
	}
	return b.String(), faithful
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// Decode is the id whose name is name. ok is false where the name does not tell: it is shortened, qualified
// by an instance, not a name that Encode gives, or an "_" in it could mean two things. It is for people and logs: a
// path with "::" has the name of the one with "." in its place, so what a tool stands for is what Assign's map says.
func Decode(name string) (id string, ok bool) {
	plane, rest, found := strings.Cut(name, "_")
	if !found || len(name) > MaxLength || strings.Contains(name, "___") {
		return "", false
	}
	segments := strings.Split(rest, "__")
	for _, segment := range segments {
		if segment == "" || strings.Contains(segment, "_") {
			return "", false
		}
	}
	id = plane + ":" + strings.Join(segments, ".")
	if again, err := Encode(id); err != nil || again != name {
		return "", false
	}
	return id, true
}
