package contract

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
)

// FormatVersion is the only version of a manifest that this package writes and reads.
const FormatVersion = 1

// Version is the release that a manifest's compiler names.
const Version = "0.1.0"

// Compiler is what Compile writes as the compiler of a manifest.
const Compiler = "pagewarden/" + Version

// KindExternal is the kind of a tool that no registry backs, beside the kinds of package capability.
const KindExternal capability.Kind = "external"

// FirstParty is the origin of what the project itself declares. A dependency's is PackageOrigin and its name.
const FirstParty = "first-party"

// PackageOrigin begins the origin of what an approved dependency declares: package:NAME.
const PackageOrigin = "package:"

// Web is the target of every manifest so far.
const Web = "web"

// Manifest is the reviewed set of capabilities (contract.md, Manifest). Compile makes one from declarations,
// Parse reads one. Whoever changes one calls Seal before JSON or File.
type Manifest struct {
	// Compiler is "pagewarden/" and the version that wrote the manifest.
	Compiler string
	// Targets are what the surface runs on, [web] so far.
	Targets []string
	// Capabilities are sorted by capability id in what Compile makes.
	Capabilities []Entry
	// External are the dependencies that contribute declarations, sorted by package in what Seal leaves.
	External []Dependency
	// Hash is of the rest of the manifest.
	Hash string
}

// Entry is one capability of a manifest. An empty field is absent in the JSON.
type Entry struct {
	// Declaration is where it is declared: PATH#NAME, relative to the project, with slashes.
	Declaration string
	// CapabilityID is "view:…", "domain:…" or "external:…".
	CapabilityID string
	// Kind is observation, action, procedure or external.
	Kind  capability.Kind
	Title string
	// Description is for the agent; required.
	Description string
	Effect      capability.Effect
	// InputSchema and OutputSchema are JSON Schemas in canonical form; a procedure's input schema is the whole one,
	// bound fields included. An observation has no input, and must have an output.
	InputSchema, OutputSchema capability.JSON
	// Confirmation is the level in force without policies: the highest of the effect's default and what is declared.
	// It is absent for an observation; elsewhere an absent level is the effect's default.
	Confirmation     capability.Confirmation
	UntrustedContent bool
	// Audit is the level in force; absent for observations and external tools, elsewhere the effect's default.
	Audit capability.AuditLevel
	// ComponentDescription is the component's, of observations and actions only.
	ComponentDescription string
	// BoundFields are the input members that the page supplies, of procedures only, sorted by path in what Compile
	// makes.
	BoundFields []BoundField
	// Policies must be present where the capability is registered, sorted by name and phase in what Compile makes.
	Policies []PolicyRef
	// Tags are for reviewers and tools, sorted in what Compile makes.
	Tags []string
	// Origin is FirstParty or PackageOrigin and a name.
	Origin string
	// Admission is the hash of what a registry sees of the capability: AdmissionHash.
	Admission string
	// Hash is of the rest of the entry but Origin: EntryHash.
	Hash string
}

// BoundField is a top-level member of a procedure's input that the page supplies.
type BoundField struct {
	Path string
	// Locked means that the agent may not supply it instead.
	Locked bool
}

// PolicyRef names a policy that must be present, and the phase in which it must take part: discovery,
// authorize, invoke, or "" for any.
type PolicyRef struct {
	Name, Phase string
}

// String is NAME, or NAME in PHASE.
func (p PolicyRef) String() string {
	if p.Phase == "" {
		return p.Name
	}
	return p.Name + " in phase " + p.Phase
}

// Dependency is a package that declares capabilities and was approved by its digest.
type Dependency struct {
	// Package is its name in the package manager.
	Package string
	// Source says which of its modules or sidecar was read, relative to the project.
	Source string
	// Route is RouteSidecar or RouteSource.
	Route string
	// Digest is of what was read, ApprovedDigest what was approved; both are 64 lower-case hex digits, and equal in
	// a manifest that makes an authority.
	Digest, ApprovedDigest string
}

// The routes by which a dependency's declarations are read.
const (
	RouteSidecar = "sidecar"
	RouteSource  = "source"
)

// ManifestError says what is wrong with a manifest. Where is the field, for example capabilities[2].effect.
type ManifestError struct {
	Where  string
	Reason string
}

// Error is "contract manifest: WHERE: REASON".
func (e *ManifestError) Error() string {
	if e.Where == "" {
		return "contract manifest: " + e.Reason
	}
	return "contract manifest: " + e.Where + ": " + e.Reason
}

// DeclarationError says what is wrong with one declaration that Compile was given. Several come joined
// (errors.Join), in the order of the declarations.
type DeclarationError struct {
	// Declaration is its Declaration field as given.
	Declaration string
	// CapabilityID is the capability that is meant, "" for the component as a whole.
	CapabilityID string
	// Field is the field that is wrong, for example input or boundFields[0].path; "" for the whole.
	Field  string
	Reason string
}

// Error is "declaration, capability, field: reason".
func (e *DeclarationError) Error() string {
	where := fmt.Sprintf("%q", e.Declaration)
	if e.CapabilityID != "" {
		where += ", " + e.CapabilityID
	}
	if e.Field != "" {
		where += ", " + e.Field
	}
	return "contract declaration " + where + ": " + e.Reason
}
