// Package canonical gives every JSON value one text, and digests and compares values by it.
//
// The form is that of RFC 8785 with exact numbers: no white space, members sorted by the UTF-16 code units
// of their names, strings with the fewest escapes, and each number written from the exact decimal that it
// denotes, laid out as JavaScript lays out its numbers. For values that came from JavaScript it is RFC 8785
// to the byte; a number that a 64-bit float would round keeps all its digits.
package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"math"

	"github.com/pagewarden/pagewarden/capability"
)

// Encode is the canonical form of text. Texts of equal values give the same form, texts of different values
// different forms, and the form encodes to itself under limits that admit its length.
//
// The issue is what limits.Check finds, a name that occurs twice in one object, or a number whose canonical
// form the same check would refuse (0.000…1e-400).
func Encode(text capability.JSON, limits capability.ValueLimits) (capability.JSON, *capability.Issue) {
	e := encoder{text: string(text), limits: limits}
	if e.run() {
		return e.form(), nil
	}
	if e.issue != nil {
		return "", e.issue
	}
	if issue := limits.Check(text); issue != nil {
		return "", issue
	}
	return "", &capability.Issue{Message: "must be valid JSON"}
}

// Digest is the SHA-256 of the canonical form of text, as 64 lower-case hexadecimal digits. The issues are
// those of Encode.
func Digest(text capability.JSON, limits capability.ValueLimits) (string, *capability.Issue) {
	form, issue := Encode(text, limits)
	if issue != nil {
		return "", issue
	}
	return DigestForm(form), nil
}

// DigestForm is Digest for a text that is a canonical form, which the caller has to know.
func DigestForm(form capability.JSON) string {
	hash := sha256.New()
	var block [1024]byte // a form need not be copied whole to be hashed
	for len(form) > 0 {
		size := copy(block[:], form)
		hash.Write(block[:size])
		form = form[size:]
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Equal reports whether a and b denote the same value: numbers are compared as exact decimals, objects
// without regard to order. A text that Encode would refuse whatever the limits, absence among them, is equal
// to itself only, byte by byte.
func Equal(a, b capability.JSON) bool {
	if a == b {
		return true
	}
	limits := capability.ValueLimits{MaxBytes: math.MaxInt, MaxDepth: capability.DepthCeiling}
	first, issue := Encode(a, limits)
	if issue != nil {
		return false
	}
	second, issue := Encode(b, limits)
	return issue == nil && first == second
}
