package webmcp

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/host"
)

// target is what a token says: in which run of which adapter the tool was registered, and for what.
type target struct {
	run            string
	registrationID string
	capabilityID   string
}

// newRunKey is what the tokens of one run begin with: nobody can guess it, and no other run of any adapter
// has it.
func newRunKey(h host.Host) string {
	var random [16]byte
	h.Random(random[:])
	return hex.EncodeToString(random[:])
}

// newToken is the text "run.number registrationId capabilityId".
func newToken(run string, number uint64, registrationID, capabilityID string) Token {
	return Token(run + "." + strconv.FormatUint(number, 10) + " " + registrationID + " " + capabilityID)
}

// parse reads the text of newToken; ok is false for any other.
func (t Token) parse() (target, bool) {
	fields := strings.SplitN(string(t), " ", 3) // an id of the domain plane may hold spaces
	if len(fields) != 3 {
		return target{}, false
	}
	run, _, _ := strings.Cut(fields[0], ".")
	return target{run: run, registrationID: fields[1], capabilityID: fields[2]}, true
}
