package webmcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

func TestToolsSayWhatTheirCapabilitiesDeclare(t *testing.T) {
	p := newPage(t, ByName, func(o *Options) { o.ExposedTo = []string{"https://agent.example"} })
	c := p.widget("devices.table", "")
	c.Actions[0].Title = "Poke it"
	c.Actions[0].UntrustedContent = true
	p.register(c)
	p.register(p.purge())
	p.start()
	want := strings.Join([]string{
		`{"name":"domain_purge","description":"Purges","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"consequentialHint":true}}`,
		`{"name":"view_devices__table__look","description":"Looks","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"annotations":{"readOnlyHint":true}}`,
		`{"name":"view_devices__table__poke","title":"Poke it","description":"Pokes","inputSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"additionalProperties":false},"annotations":{"untrustedContentHint":true}}`,
	}, "\n")
	var got []string
	for _, name := range []string{"domain_purge", "view_devices__table__look", "view_devices__table__poke"} {
		tool := p.context.find(name)
		if tool == nil {
			t.Fatalf("no tool %s among %s", name, p.context.names())
		}
		if len(tool.ExposedTo) != 1 || tool.Owner != p.adapter {
			t.Errorf("%s is exposed to %v by %p", name, tool.ExposedTo, tool.Owner)
		}
		got = append(got, string(tool.JSON()))
	}
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("tools:\n%s\nwant:\n%s", text, want)
	}
}

func TestReadOnlyHintFollowsTheEffect(t *testing.T) {
	for effect, want := range map[capability.Effect]string{
		capability.ServerQuery:        `{"readOnlyHint":true}`,
		capability.ServerMutation:     `{}`,
		capability.ExternalSideEffect: `{"consequentialHint":true}`,
	} {
		p := newPage(t, ByName)
		c := p.purge()
		c.Procedures[0].Ref.Effect = effect
		p.register(c)
		p.start()
		if got := p.context.find("domain_purge").Annotations.JSON(); string(got) != want {
			t.Errorf("%s: annotations %s, want %s", effect, got, want)
		}
	}
}

func TestUnavailableCapabilitiesHaveNoTool(t *testing.T) {
	p := newPage(t, ByName)
	open := true
	c := p.widget("w", "")
	c.Actions[0].When = func() (bool, error) { return open, nil }
	handle := p.register(c)
	p.start()
	p.wantTools("view_w__look view_w__poke")
	open = false
	p.adapter.Refresh()
	p.host.Settle()
	p.wantTools("view_w__look")
	disabled := false
	if err := handle.Update(registry.Update{Enabled: &disabled}); err != nil {
		t.Fatal(err)
	}
	p.host.Settle()
	p.wantTools("")
}

func TestInstancesOfOneTypeAreQualifiedWhetherAvailableOrNot(t *testing.T) {
	p := newPage(t, ByName)
	off := p.button("w")
	off.InstanceID, off.Disabled = "b", true
	on := p.button("w")
	on.InstanceID = "a"
	p.register(on)
	second := p.register(off)
	p.start()
	p.wantTools("view_w__poke_at_a")
	second.Unregister()
	p.host.Settle()
	p.wantTools("view_w__poke")
}

func TestProceduresOfSeveralReferences(t *testing.T) {
	reference := func(p *page, componentType, instance string) *registry.Component {
		c := p.purge()
		c.Type, c.InstanceID = componentType, instance
		return c
	}
	p := newPage(t, ByName)
	p.register(reference(p, "a", "one"))
	p.register(reference(p, "b", "two"))
	p.start()
	p.wantTools("domain_purge_at_one domain_purge_at_two")

	p = newPage(t, ByName)
	first := p.register(reference(p, "a", ""))
	second := p.register(reference(p, "b", ""))
	p.start()
	names := p.context.names()
	for _, handle := range []*registry.Handle{first, second} {
		if !strings.Contains(names, "domain_purge_at_"+handle.RegistrationID()) {
			t.Errorf("%s names no tool of %s", names, handle.RegistrationID())
		}
	}
}

func TestScopeOfTheOptionsWinsOverTheHosts(t *testing.T) {
	for name, test := range map[string]struct {
		options, host SnapshotContext
		want          string
	}{
		"neither":               {want: "view_a__poke view_b__poke"},
		"host":                  {host: SnapshotContext{Scope: []string{"a"}}, want: "view_a__poke"},
		"options win":           {options: SnapshotContext{Scope: []string{"b"}}, host: SnapshotContext{Scope: []string{"a"}}, want: "view_b__poke"},
		"an empty scope is one": {options: SnapshotContext{Scope: []string{}}, host: SnapshotContext{Scope: []string{"a"}}, want: "view_a__poke view_b__poke"},
		"field by field":        {options: SnapshotContext{MaxComponents: 1}, host: SnapshotContext{Scope: []string{"b"}, MaxComponents: 2}, want: "view_b__poke"},
		"budget":                {options: SnapshotContext{MaxComponents: 1}, want: "view_a__poke"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, ByName, func(o *Options) { o.Snapshot = test.options })
			p.register(p.button("a"))
			p.register(p.button("b"))
			if err := p.adapter.Start(Host{Registry: p.registry, Consumer: browserAgent, Snapshot: test.host}); err != nil {
				t.Fatal(err)
			}
			p.wantTools(test.want)
		})
	}
}

func TestCurationSkipsAndDescribes(t *testing.T) {
	var seen []string
	description := "Pokes gently"
	p := newPage(t, ByName, func(o *Options) {
		o.Expose = func(d Descriptor) (Exposure, error) {
			seen = append(seen, string(d.Kind)+" "+string(d.JSON()))
			switch {
			case d.CapabilityID == "view:a.poke":
				return Exposure{Description: description}, nil
			case d.CapabilityID == "view:b.poke":
				return Exposure{Skip: true}, nil
			case d.CapabilityID == "view:c.poke":
				return Exposure{}, errors.New("curator is ill")
			case d.CapabilityID == "view:d.poke":
				panic("curator is worse")
			}
			return Exposure{}, nil
		}
	})
	for _, componentType := range []string{"a", "b", "c", "d", "e"} {
		p.register(p.button(componentType))
	}
	p.start()
	p.wantTools("view_a__poke view_e__poke")
	if got := p.context.find("view_a__poke").Description; got != description {
		t.Errorf("description %q, want %q", got, description)
	}
	if len(seen) != 5 || !strings.HasPrefix(seen[0], `action {"capabilityId":"view:a.poke","name":"poke"`) {
		t.Errorf("the hook saw %q", seen)
	}
	if log := strings.Join(p.logged, "\n"); strings.Count(log, "exposeCapability failed") != 2 {
		t.Errorf("log %q, want the two failures", log)
	}
	p.context.told()
	description = "Pokes hard"
	p.adapter.Refresh()
	p.host.Settle()
	p.wantTold("remove view_a__poke, add view_a__poke")
}

func TestCatalogIsTheSameBytesWhileNothingChanges(t *testing.T) {
	p := newPage(t, WholeSet)
	for _, componentType := range []string{"m", "b", "z", "a"} {
		p.register(p.widget(componentType, ""))
	}
	p.register(p.purge())
	texts := map[string]bool{}
	for range 10 {
		p.start()
		text := ""
		for _, tool := range p.context.tools {
			text += string(tool.JSON()) + "\n"
		}
		texts[text] = true
		p.adapter.Stop()
	}
	if len(texts) != 1 {
		t.Errorf("%d different catalogs, want one", len(texts))
	}
}
