package contract

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// JSON is the manifest in canonical form: the same manifest gives the same bytes everywhere.
func (m *Manifest) JSON() capability.JSON { return form(m.members(true)) }

// File is the text of .pagewarden/contract.json: JSON and a final newline.
func (m *Manifest) File() []byte { return append([]byte(m.JSON()), '\n') }

// Seal computes every hash anew: the admission and the hash of each entry, then that of the manifest.
// Dependencies are sorted by package and source.
func (m *Manifest) Seal() {
	slices.SortFunc(m.External, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Source, b.Source))
	})
	for i := range m.Capabilities {
		e := &m.Capabilities[i]
		e.Admission = e.AdmissionHash()
		e.Hash = e.EntryHash()
	}
	m.Hash = m.ManifestHash()
}

// ManifestHash is the SHA-256 of the canonical manifest without its hash, 64 lower-case hex digits.
func (m *Manifest) ManifestHash() string { return canonical.DigestForm(form(m.members(false))) }

// EntryHash is the SHA-256 of the canonical entry without its hash and origin, 64 lower-case hex digits.
func (e *Entry) EntryHash() string {
	o := e.members()
	o.Text("admission", e.Admission)
	return canonical.DigestForm(form(o))
}

// AdmissionHash is the SHA-256, as 64 lower-case hex digits, of what a registry sees of the capability in
// canonical form: capabilityId, kind, title, description, componentDescription, effect, inputSchema,
// outputSchema, untrustedContent, audit and boundFields, each left out where the entry has none. The audit
// level is the effect's default where the entry gives none, and bound fields are sorted by path.
func (e *Entry) AdmissionHash() string {
	var o capability.ObjectWriter
	sorted := *e
	sorted.BoundFields = byPath(e.BoundFields)
	sorted.seen(&o)
	o.OptionalText("audit", string(e.effectiveAudit()))
	return canonical.DigestForm(form(o))
}

// effectiveAudit is the audit level in force; "" for what a registry never audits by level.
func (e *Entry) effectiveAudit() capability.AuditLevel {
	if e.Kind == capability.Observation || e.Kind == KindExternal {
		return ""
	}
	return cmp.Or(e.Audit, e.Effect.Defaults().Audit)
}

// effectiveConfirmation is the confirmation level in force.
func (e *Entry) effectiveConfirmation() capability.Confirmation {
	return e.Effect.Defaults().Confirmation.Stronger(e.Confirmation)
}

// members is the manifest as an object, with its hash or without.
func (m *Manifest) members(hashed bool) capability.ObjectWriter {
	var o, completeness capability.ObjectWriter
	completeness.Text("status", proven)
	o.Int("formatVersion", FormatVersion)
	o.Text("compiler", m.Compiler)
	o.Raw("targets", capability.ArrayOf(m.Targets, capability.Quote))
	o.Raw("capabilities", capability.ArrayOf(m.Capabilities, Entry.json))
	o.Raw("external", capability.ArrayOf(m.External, Dependency.json))
	o.Raw("completeness", completeness.JSON())
	if hashed {
		o.Text("hash", m.Hash)
	}
	return o
}

// proven is the only status of completeness: there is no list of what could not be resolved.
const proven = "proven"

func (e Entry) json() capability.JSON {
	o := e.members()
	o.Text("origin", e.Origin)
	o.Text("admission", e.Admission)
	o.Text("hash", e.Hash)
	return o.JSON()
}

// members is the entry as an object, without its hashes and origin.
func (e *Entry) members() capability.ObjectWriter {
	var o capability.ObjectWriter
	o.Text("declaration", e.Declaration)
	e.seen(&o)
	o.OptionalText("confirmation", string(e.Confirmation))
	o.OptionalText("audit", string(e.Audit))
	if len(e.Policies) > 0 {
		o.Raw("policies", capability.ArrayOf(e.Policies, PolicyRef.json))
	}
	if len(e.Tags) > 0 {
		o.Raw("tags", capability.ArrayOf(e.Tags, capability.Quote))
	}
	return o
}

// seen adds what a registry sees too, but for the audit level.
func (e *Entry) seen(o *capability.ObjectWriter) {
	o.Text("capabilityId", e.CapabilityID)
	o.Text("kind", string(e.Kind))
	o.OptionalText("title", e.Title)
	o.Text("description", e.Description)
	o.OptionalText("componentDescription", e.ComponentDescription)
	o.Text("effect", string(e.Effect))
	o.Raw("inputSchema", e.InputSchema)
	o.Raw("outputSchema", e.OutputSchema)
	if e.UntrustedContent {
		o.Bool("untrustedContent", true)
	}
	if len(e.BoundFields) > 0 {
		o.Raw("boundFields", capability.ArrayOf(e.BoundFields, BoundField.json))
	}
}

func (b BoundField) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("path", b.Path)
	o.Bool("locked", b.Locked)
	return o.JSON()
}

func (p PolicyRef) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", p.Name)
	o.OptionalText("phase", p.Phase)
	return o.JSON()
}

func (d Dependency) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("package", d.Package)
	o.Text("source", d.Source)
	o.Text("route", d.Route)
	o.Text("digest", d.Digest)
	o.Text("approvedDigest", d.ApprovedDigest)
	return o.JSON()
}

// manifestLimits bound a manifest before anything is built from it.
func manifestLimits() capability.ValueLimits {
	return capability.ValueLimits{MaxBytes: 16 << 20, MaxDepth: capability.DepthCeiling}
}

// form is the canonical form of what this package writes. What it is written from has been checked, so an issue is
// a defect of this package; a manifest that was put together without the checks gets a form that no hash fits.
func form(o capability.ObjectWriter) capability.JSON {
	limits := capability.ValueLimits{MaxBytes: math.MaxInt, MaxDepth: capability.DepthCeiling}
	text, issue := canonical.Encode(o.JSON(), limits)
	if issue != nil {
		return capability.Quote(fmt.Sprintf("not canonical: %v", issue))
	}
	return text
}
