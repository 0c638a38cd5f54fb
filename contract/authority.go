// Package contract is the reviewed set of capabilities that a surface may ever expose: declarations, the manifest
// that they compile to, the authority that admits only what is in it, and the gateway for tools that no registry
// backs. (Source: contract.md.)
//
// A program declares a Component or a Procedure, writes what Compile makes of its declarations to a file, has that
// reviewed, makes an Authority of it with NewAuthority, and gives that to registry.New. registry.Bind and
// registry.BindProcedure join a declaration with its handlers. examples/native is a whole program.
package contract

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
)

// Mode says what kind of authority a registry has.
type Mode string

// The modes.
const (
	// ModeOpen is of an authority that admits everything.
	ModeOpen Mode = "open"
	// ModeContract is of an authority that admits what its manifest holds.
	ModeContract Mode = "contract"
)

// PinPrefix begins a pin; the manifest's hash follows.
const PinPrefix = "sha256-"

// Authorities are those of one runtime: of a page's script, or of a program. It keeps what they must agree on.
type Authorities struct {
	pin  string // the hash of the only manifest, "" for none
	warn func(text string)

	mu   sync.Mutex
	sole string // the hash of the manifest that production uses, when nothing pins it
}

// NewAuthorities starts a runtime. With a pin ("sha256-" and the hash of the reviewed manifest) only that manifest
// makes an authority. Without one ("") the first manifest that production uses is the only one there, and warn,
// which may be nil, is told that nothing pins it. The error is a pin of another form.
func NewAuthorities(pin string, warn func(text string)) (*Authorities, error) {
	if warn == nil {
		warn = func(string) {}
	}
	hash, ok := strings.CutPrefix(pin, PinPrefix)
	if pin != "" && !(ok && IsHash(hash)) {
		return nil, fmt.Errorf("pinning the contract: want %s and the 64 lower-case hexadecimal digits of its hash", PinPrefix)
	}
	return &Authorities{pin: hash, warn: warn}, nil
}

// Admitting makes an authority of a manifest's JSON: of a copy, after every check of Parse and Verify. The error is a
// *ManifestError that names the field.
func (s *Authorities) Admitting(manifest capability.JSON) (*Authority, error) {
	m, right, err := parse(manifest)
	if err != nil {
		return nil, err
	}
	if err := m.verify(right); err != nil {
		return nil, err
	}
	if s.pin != "" && m.Hash != s.pin {
		return nil, &ManifestError{"hash", fmt.Sprintf("is %s, and this runtime is pinned to %s: load it with the pin of the reviewed contract", m.Hash, s.pin)}
	}
	return newAuthority(s, m), nil
}

// Open makes an authority that admits everything. It is an error where a contract is pinned.
func (s *Authorities) Open(options OpenOptions) (*Authority, error) {
	if s.pin != "" {
		return nil, errors.New("an open authority admits every capability, and this runtime is pinned to a contract")
	}
	return &Authority{home: s, allowInProduction: options.AllowInProduction}, nil
}

// OpenOptions loosen an open authority.
type OpenOptions struct {
	// AllowInProduction lets a production registry use it.
	AllowInProduction bool
}

// Authority is what a registry asks before it admits a registration. Only this package makes one, and nothing changes
// it. It is safe for concurrent use.
type Authority struct {
	home              *Authorities
	hash              string // the manifest's, "" without one
	tools             *Tools // what is admitted without a manifest; nil, with no hash, for an open authority
	allowInProduction bool
	entries           map[string]*admittable // by capability id
	components        map[string][]string    // what is declared of a component type, in the manifest's order
}

// NewAuthority is Admitting in a runtime of its own. pin may be "": what is built into a program cannot be changed
// without the program.
func NewAuthority(manifest capability.JSON, pin string) (*Authority, error) {
	home, err := NewAuthorities(pin, nil)
	if err != nil {
		return nil, err
	}
	return home.Admitting(manifest)
}

// NewOpenAuthority makes an authority that admits everything, for trying things out, in a runtime of its own. A
// registry that uses it says so in its authorityMode.
func NewOpenAuthority(options OpenOptions) *Authority {
	return &Authority{home: &Authorities{warn: func(string) {}}, allowInProduction: options.AllowInProduction}
}

func newAuthority(home *Authorities, m *Manifest) *Authority {
	a := &Authority{home: home, hash: m.Hash, entries: make(map[string]*admittable, len(m.Capabilities)), components: map[string][]string{}}
	for _, e := range m.Capabilities {
		a.entries[e.CapabilityID] = &admittable{entry: e}
		if component := e.componentType(); component != "" {
			a.components[component] = append(a.components[component], e.CapabilityID)
		}
	}
	return a
}

// Mode is the authority's mode.
func (a *Authority) Mode() Mode {
	if a.hash == "" && a.tools == nil {
		return ModeOpen
	}
	return ModeContract
}

// Hash is that of the manifest, "" for an authority without one.
func (a *Authority) Hash() string { return a.hash }

// Use is asked by who is about to work under the authority in env; what is neither development nor test is production. The error says why that is not
// to be: an open authority in production, or there a manifest that nothing pins while another one is in use.
func (a *Authority) Use(env capability.Environment) error {
	if env == capability.Development || env == capability.Test || a.tools != nil {
		return nil
	}
	if a.Mode() == ModeOpen && !a.allowInProduction {
		return errors.New("an open authority admits every capability and is refused in production: " +
			"use a reviewed contract, or make it with AllowInProduction (allowInProduction: true) to say that this is meant")
	}
	return a.home.settle(a.hash)
}

// settle makes the manifest with that hash production's only one.
func (s *Authorities) settle(hash string) error {
	if s.pin != "" {
		return nil
	}
	s.mu.Lock()
	sole := s.sole
	if sole == "" {
		s.sole = hash
	}
	s.mu.Unlock()
	switch {
	case sole != "" && hash == "":
		return errors.New("an open authority admits every capability and is refused in production beside a contract")
	case sole != "" && sole != hash:
		return &ManifestError{"hash", fmt.Sprintf("is %s, and production uses the contract %s already; the first is the only one where nothing pins it", hash, sole)}
	case sole == "" && hash != "":
		s.warn("nothing pins the contract: give the script tag data-contract=\"" + PinPrefix + hash + "\", or load with that contract")
	}
	return nil
}
