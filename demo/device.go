package demo

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what the store accepts.
const (
	// MaxBatch is the largest number of devices that one call may enable or disable.
	MaxBatch = 50
	// MaxName is the longest device name, in characters.
	MaxName = 80
	// MaxReason is the longest reason for disabling, in characters.
	MaxReason = 200
	// MaxQuery is the longest search text, in characters.
	MaxQuery = 80

	maxID   = 64
	maxCity = 80
)

// Status is what a device last reported about itself. It says nothing about whether the device is enabled.
type Status string

// The three statuses.
const (
	Online      Status = "online"
	Offline     Status = "offline"
	Maintenance Status = "maintenance"
)

// Device is one row of the devices table, and the shape of a device in the API's JSON.
type Device struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Status   Status `json:"status"`
	City     string `json:"city"`
	Firmware string `json:"firmware"`
	// LastSeen is ISO 8601 in UTC with milliseconds; as text it sorts in time order.
	LastSeen string `json:"lastSeen"`
	Enabled  bool   `json:"enabled"`
	// DisabledReason is what was given when the device was disabled; empty when it is enabled.
	DisabledReason string `json:"disabledReason,omitempty"`
	// Version starts at 1 and grows with every change.
	Version int64 `json:"version"`
}

// Filter narrows a list of devices. Zero fields admit everything.
type Filter struct {
	Status Status `json:"status,omitempty" jsonschema:"only devices that last reported this"`
	City   string `json:"city,omitempty" jsonschema:"only devices in this city"`
	// Query is looked for in id, name, city and firmware, ignoring case.
	Query string `json:"q,omitempty" jsonschema:"only devices with this text in id, name, city or firmware"`
}

func (f Filter) check() error {
	known := []Status{"", Online, Offline, Maintenance}
	switch {
	case !slices.Contains(known, f.Status):
		return refuse(CodeInvalidInput, "status", "Status must be online, offline or maintenance.")
	case utf8.RuneCountInString(f.City) > maxCity:
		return refuse(CodeInvalidInput, "city", "City may have at most %d characters.", maxCity)
	case utf8.RuneCountInString(f.Query) > MaxQuery:
		return refuse(CodeInvalidInput, "q", "The search text may have at most %d characters.", MaxQuery)
	}
	return nil
}

// cleanName returns the name as it will be stored, or why it cannot be.
func cleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	length := utf8.RuneCountInString(name)
	if length < 1 || length > MaxName {
		return "", refuse(CodeInvalidInput, "name", "A name has 1 to %d characters.", MaxName)
	}
	return name, checkText("name", name)
}

func checkReason(reason string) error {
	if utf8.RuneCountInString(reason) > MaxReason {
		return refuse(CodeInvalidInput, "reason", "A reason has at most %d characters.", MaxReason)
	}
	return checkText("reason", reason)
}

// checkText refuses what could make a text look different from what it is: control characters, and format characters
// such as the ones that reverse the reading direction.
func checkText(field, text string) error {
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
		return refuse(CodeInvalidInput, field, "Control and format characters are not allowed.")
	}
	return nil
}
