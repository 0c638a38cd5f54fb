// Package contract is the reviewed set of capabilities that a surface may ever expose, and the authority
// that admits only what is in it.
package contract

import (
	"errors"

	"github.com/pagewarden/pagewarden/capability"
)

// Mode says what kind of authority a registry has.
type Mode string

// ModeOpen is an authority that admits everything.
const ModeOpen Mode = "open"

// Authority is what a registry asks before it admits a registration. Only this package makes one.
type Authority struct {
	mode              Mode
	allowInProduction bool
}

// OpenOptions loosen an open authority.
type OpenOptions struct {
	// AllowInProduction lets a production registry use it.
	AllowInProduction bool
}

// NewOpenAuthority makes an authority that admits everything, for trying things out. A registry that uses
// it says so in its authorityMode.
func NewOpenAuthority(options OpenOptions) *Authority {
	return &Authority{mode: ModeOpen, allowInProduction: options.AllowInProduction}
}

// Mode is the authority's mode.
func (a *Authority) Mode() Mode { return a.mode }

// CheckEnvironment reports why a registry in env may not use the authority.
func (a *Authority) CheckEnvironment(env capability.Environment) error {
	if a.mode == ModeOpen && env == capability.Production && !a.allowInProduction {
		return errors.New("an open authority admits every capability and is refused in production: " +
			"use a reviewed contract, or make it with AllowInProduction (allowInProduction: true) to say that this is meant")
	}
	return nil
}
