package contract

import "github.com/pagewarden/pagewarden/capability"

// SnapshotCommand is what an author runs when the contract and what is registered differ.
const SnapshotCommand = "pagewarden contract snapshot"

// Verify checks what Parse does not look at: every hash, that a capability id occurs once and a component type
// belongs to one declaration, and that each dependency is what was approved. The error is a *ManifestError that
// names the field.
func (m *Manifest) Verify() error {
	for i := range m.Capabilities {
		e := &m.Capabilities[i]
		if e.Admission != e.AdmissionHash() {
			return m.altered(i, "admission")
		}
		if e.Hash != e.EntryHash() {
			return m.altered(i, "hash")
		}
	}
	if clash := clashOf(m.Capabilities); clash != nil {
		return &ManifestError{capability.PathIndex("capabilities", clash.second) + "." + clash.field, clash.reason}
	}
	for i, d := range m.External {
		if d.Digest != d.ApprovedDigest {
			return &ManifestError{capability.PathIndex("external", i) + ".digest", d.Package + " is not what was approved: approve it anew or take it out"}
		}
	}
	if m.Hash != m.ManifestHash() {
		return &ManifestError{"hash", "does not fit the manifest, which was changed by hand: run " + SnapshotCommand}
	}
	return nil
}

func (m *Manifest) altered(i int, field string) error {
	e := &m.Capabilities[i]
	return &ManifestError{
		capability.PathIndex("capabilities", i) + "." + field,
		"does not fit what the entry of " + e.CapabilityID + " says, which was changed by hand: run " + SnapshotCommand,
	}
}
