package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// dependency is a package under node_modules that something of the contract comes from.
type dependency struct {
	name string
	// sources are its modules that declarations rest on, by their path within the package.
	sources map[string]*node
	// declares are its own declarations, sidecar the entries of the contract that it ships. A package that ships one is
	// not searched for declarations.
	declares *drafts
	sidecar  []contract.Entry
	// digest is over every file that was read, by its path within the package.
	digest string
	files  map[string]string // route by path within the package
}

// dependencies gathers what comes from packages: sidecars of all that the graph contains, declarations in the modules of
// those without one, and constants that declarations took from them.
func (c *compilation) dependencies(found []declared) ([]*dependency, error) {
	all := map[string]*dependency{}
	for name, root := range c.packages() {
		d := &dependency{name: name, sources: map[string]*node{}, declares: c.drafts(), files: map[string]string{}}
		if err := c.readSidecar(d, root); err != nil {
			return nil, err
		}
		all[name] = d
	}
	for _, f := range found {
		if d := all[f.m.dependency]; d != nil && d.sources[ContractFile] == nil {
			if d.declares.add(f) {
				c.consulted(f.m)
			}
			c.notes = append(c.notes, d.declares.problems...)
			d.declares.problems = nil
		}
	}
	for name, modules := range c.contributed {
		for _, path := range slices.Sorted(maps.Keys(modules)) {
			m := c.modules[path]
			if known := all[name].sources[m.inside]; known != nil && known.path != m.node.path {
				c.problems = append(c.problems, Problem{
					File: m.node.path, Message: "is of another copy of " + name + " than " + known.path + ", and declarations come from both",
					Fix: "have one copy of it (npm dedupe)",
				})
				continue
			}
			all[name].sources[m.inside] = m.node
		}
	}
	return c.digested(all)
}

// packages are the folders of the packages in the graph, by name. Of two copies the first counts.
func (c *compilation) packages() map[string]string {
	roots := map[string]string{}
	for _, path := range c.graph.paths() {
		name, inside := packageOf(path)
		if name != "" && roots[name] == "" {
			roots[name] = strings.TrimSuffix(path, inside)
		}
	}
	return roots
}

// readSidecar reads the contract that a package ships, if it ships one.
func (c *compilation) readSidecar(d *dependency, root string) error {
	content, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(root), filepath.FromSlash(ContractFile)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading a dependency's contract: %w", err)
	}
	d.sources[ContractFile] = &node{path: root + ContractFile}
	m, err := contract.Parse(capability.JSON(content))
	if err == nil {
		err = m.Verify()
	}
	if err != nil {
		c.problems = append(c.problems, Problem{
			File: root + ContractFile, Message: "the contract that the dependency " + d.name + " ships is damaged: " + err.Error(), Fix: "install it anew, or tell its authors",
		})
		return nil
	}
	d.sidecar = m.Capabilities
	return nil
}

// digested computes the digests, and leaves out packages that contribute nothing.
func (c *compilation) digested(all map[string]*dependency) ([]*dependency, error) {
	var list []*dependency
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		var o capability.ObjectWriter
		for _, inside := range slices.Sorted(maps.Keys(d.sources)) {
			content, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(d.sources[inside].path)))
			if err != nil {
				return nil, fmt.Errorf("reading a dependency: %w", err)
			}
			sum := sha256.Sum256(content)
			o.Text(inside, hex.EncodeToString(sum[:]))
			d.files[inside] = routeOf(inside)
		}
		if len(d.files) == 0 {
			continue
		}
		digest, issue := canonical.Digest(o.JSON(), capability.ValueLimits{MaxBytes: 1 << 24, MaxDepth: 2})
		if issue != nil {
			return nil, fmt.Errorf("digesting %s: %s", name, issue.Message)
		}
		d.digest = digest
		list = append(list, d)
	}
	return list, nil
}

func routeOf(inside string) string {
	if inside == ContractFile {
		return contract.RouteSidecar
	}
	return contract.RouteSource
}

// approved reports whether the dependency is what was approved; if not, that is a problem.
func (c *compilation) approved(d *dependency) bool {
	approved := c.Approved[d.name]
	if approved == d.digest {
		return true
	}
	p := Problem{File: ContractFile, Fix: fmt.Sprintf("review it, then approve it: %s --allow %s=%s", contract.SnapshotCommand, d.name, d.digest)}
	if approved == "" {
		p.Message = "the dependency " + d.name + " is not approved, and contributes " + d.contributes()
	} else {
		p.Message = fmt.Sprintf("the dependency %s was approved and has changed since: approved as %s, now %s; it contributes %s", d.name, approved, d.digest, d.contributes())
	}
	c.problems = append(c.problems, p)
	return false
}

// contributes lists what a dependency brings, for whoever has to approve it.
func (d *dependency) contributes() string {
	ids := []string{}
	for _, e := range d.sidecar {
		ids = append(ids, e.CapabilityID)
	}
	for key := range d.declares.written {
		if key[1] != "" {
			ids = append(ids, key[1])
		}
	}
	if len(ids) == 0 {
		return "constants that declarations use"
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}

// entries are what the sidecar brings, as entries of this project's contract.
func (d *dependency) entries() []contract.Entry {
	list := slices.Clone(d.sidecar)
	for i := range list {
		list[i].Declaration = d.name + "/" + list[i].Declaration
		list[i].Origin = contract.PackageOrigin + d.name
	}
	return list
}

// records are the dependency's lines in the manifest: one for each file that was read.
func (d *dependency) records() []contract.Dependency {
	var list []contract.Dependency
	for inside, route := range d.files {
		list = append(list, contract.Dependency{
			Package: d.name, Source: d.name + "/" + inside, Route: route, Digest: d.digest, ApprovedDigest: d.digest,
		})
	}
	return list
}

// merge adds what sidecars bring to a manifest, and seals it again.
func merge(m *contract.Manifest, approved []*dependency) error {
	for _, d := range approved {
		m.Capabilities = append(m.Capabilities, d.entries()...)
		m.External = append(m.External, d.records()...)
	}
	slices.SortStableFunc(m.Capabilities, func(a, b contract.Entry) int { return cmp.Compare(a.CapabilityID, b.CapabilityID) })
	m.Seal()
	return m.Verify()
}
