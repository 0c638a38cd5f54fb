package capability

import (
	"fmt"
	"strings"
)

// MaxIDLength is the most characters that any id may have, in UTF-16 code units as JavaScript counts.
const MaxIDLength = 128

// Plane says which side of the application a capability acts on.
type Plane string

const (
	// View is the plane of mounted components: what the user sees.
	View Plane = "view"
	// Domain is the plane of server operations.
	Domain Plane = "domain"
)

// ID names a capability: "view:" component type "." name, or "domain:" path.
// The zero ID is not valid.
type ID struct {
	Plane Plane
	// ComponentType is set on the view plane only, for example "devices.table".
	ComponentType string
	// Name is the capability's name on the view plane, the opaque path on the domain plane.
	Name string
}

// ParseID reads an id in its text form. The error names the rule that the text breaks.
func ParseID(text string) (ID, error) {
	if Length(text) > MaxIDLength {
		return ID{}, fmt.Errorf("a capability id has at most %d characters", MaxIDLength)
	}
	plane, rest, found := strings.Cut(text, ":")
	switch {
	case found && plane == string(Domain):
		return DomainID(rest)
	case found && plane == string(View):
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return ID{}, fmt.Errorf("a view capability id is view:COMPONENT-TYPE.NAME")
		}
		return ViewID(rest[:dot], rest[dot+1:])
	}
	return ID{}, fmt.Errorf(`a capability id starts with "view:" or "domain:"`)
}

// ViewID makes the id of an observation or an action from a component type and a name.
func ViewID(componentType, name string) (ID, error) {
	if !IsComponentType(componentType) {
		return ID{}, fmt.Errorf("a component type is lower-case segments [a-z][a-z0-9-]* joined by dots, at most %d characters", MaxIDLength)
	}
	if !IsName(name) {
		return ID{}, fmt.Errorf("a capability name is [a-z][A-Za-z0-9]*, at most %d characters", MaxIDLength)
	}
	return checkLength(ID{Plane: View, ComponentType: componentType, Name: name})
}

// DomainID makes the id of a server operation from its path, which is opaque and not empty.
func DomainID(path string) (ID, error) {
	if path == "" {
		return ID{}, fmt.Errorf("a domain capability id needs a path after the colon")
	}
	if !isWellFormed(path) {
		return ID{}, fmt.Errorf("a domain path is valid UTF-8 without control characters")
	}
	return checkLength(ID{Plane: Domain, Name: path})
}

func checkLength(id ID) (ID, error) {
	if Length(id.String()) > MaxIDLength {
		return ID{}, fmt.Errorf("a capability id has at most %d characters", MaxIDLength)
	}
	return id, nil
}

// String is the text form that ParseID reads.
func (id ID) String() string {
	if id.Plane == Domain {
		return "domain:" + id.Name
	}
	return "view:" + id.ComponentType + "." + id.Name
}

// IsComponentType reports whether text is a component type: segments of [a-z][a-z0-9-]* joined by dots.
func IsComponentType(text string) bool {
	if text == "" || len(text) > MaxIDLength {
		return false
	}
	atStart := true
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case atStart && !isLower(c):
			return false
		case c == '.':
			atStart = true
			continue
		case !isLower(c) && !isDigit(c) && c != '-':
			return false
		}
		atStart = false
	}
	return !atStart
}

// IsName reports whether text is a capability name: [a-z][A-Za-z0-9]*.
func IsName(text string) bool {
	if text == "" || len(text) > MaxIDLength || !isLower(text[0]) {
		return false
	}
	for i := 1; i < len(text); i++ {
		if !isAlphanumeric(text[i]) {
			return false
		}
	}
	return true
}

// IsInstanceID reports whether text is an instance id: one or more of [A-Za-z0-9_-].
func IsInstanceID(text string) bool {
	if text == "" || len(text) > MaxIDLength {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// DefaultInstanceID is the instance id of a component that gives none.
const DefaultInstanceID = "default"

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
