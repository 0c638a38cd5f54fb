package adaptertest

import (
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// hardPaths are ids of server operations whose names are long, need escapes, or come out the same.
func hardPaths() []string {
	return []string{
		"kit.a_b", "kit.a b", "kit.a-b", "kit.a/b", "kit.a:.b", "kit.a.:b", "kit.a..b",
		"kit." + strings.Repeat("long", 20) + ".a", "kit." + strings.Repeat("long", 20) + ".b", "kit.grüße",
	}
}

// names: two boxes with capabilities of the same ids, and server operations with hard ones.
func (b *bench) names() error {
	plant := &registry.Component{Type: "kit.plant", Description: "A plant"}
	for _, path := range hardPaths() {
		plant.Procedures = append(plant.Procedures, registry.ProcedureBinding{Ref: registry.ProcedureRef{
			Path: path, Description: "Does it", Effect: capability.ServerQuery, Input: registry.Schema{Document: `{"type":"object"}`},
		}})
	}
	a, _, err := b.standing(b.box("a"), b.box("b_c-d"), plant)
	if err != nil {
		return err
	}
	defer a.Stop()
	tools, err := b.tools(a)
	if err != nil {
		return err
	}
	if err := checkNames(tools); err != nil {
		return err
	}
	reached := map[string]bool{}
	for _, tool := range tools {
		if tool.CapabilityID == boxFail || tool.CapabilityID == boxAsk {
			continue
		}
		output, err := b.wantOutput(a, tool, capability.EmptyObject, Call{})
		if err != nil {
			return err
		}
		what, _ := output.Text()
		if id, _, _ := strings.Cut(what, " at "); id != tool.CapabilityID {
			return fmt.Errorf("%s stands for %s in the map, and calls %s", tool.Name, tool.CapabilityID, what)
		}
		reached[what] = true
	}
	for _, what := range []string{boxTouch + " at a", boxTouch + " at b_c-d", boxLook + " at a", boxLook + " at b_c-d"} {
		if !reached[what] {
			return fmt.Errorf("no tool calls %s", what)
		}
	}
	for _, path := range hardPaths() {
		if !reached["domain:"+path] {
			return fmt.Errorf("no tool calls domain:%s", path)
		}
	}
	return nil
}

// maxName is what model providers accept.
const maxName = 64

func checkNames(tools []Tool) error {
	seen := map[string]string{}
	for _, tool := range tools {
		switch other, twice := seen[tool.Name]; {
		case tool.Name == "" && tools[0].Name == "":
			continue
		case twice:
			return fmt.Errorf("%s is called %q, and so is %s", tool.CapabilityID, tool.Name, other)
		case tool.Name == "" || len(tool.Name) > maxName || strings.ContainsFunc(tool.Name, unsafe):
			return fmt.Errorf("%s is called %q, which is not 1 to %d characters of [A-Za-z0-9_-]", tool.CapabilityID, tool.Name, maxName)
		}
		seen[tool.Name] = tool.CapabilityID
	}
	return nil
}

func unsafe(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// state: a gate shuts and opens, and a note changes.
func (b *bench) state() error {
	b.tell(false, firstNote)
	a, _, err := b.standing(b.box("a"), b.plant())
	if err != nil {
		return err
	}
	defer a.Stop()
	open, err := b.stable(a)
	if err != nil {
		return err
	}
	b.tell(true, secondNote)
	b.Registry.Invalidate()
	b.Settle()
	shut, err := b.stable(a)
	if err != nil {
		return err
	}
	if err := sameTexts(open, shut); err != nil {
		return err
	}
	if err := b.shutGate(a); err != nil {
		return err
	}
	b.tell(false, secondNote)
	b.Registry.Invalidate()
	b.Settle()
	again, err := b.stable(a)
	if err != nil {
		return err
	}
	if _, back := again[boxGate]; !back {
		return fmt.Errorf("%s is not offered though it is available again", boxGate)
	}
	return sameTexts(open, again)
}

// stable is what the peer may keep, by capability.
func (b *bench) stable(a Adapter) (map[string]string, error) {
	tools, err := b.tools(a)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, tool := range tools {
		text := tool.Name + "\n" + tool.Description + "\n" + string(tool.InputSchema)
		for _, volatile := range []string{gateReason, firstNote, secondNote} {
			if strings.Contains(text, volatile) {
				return nil, fmt.Errorf("%s says %q where only what is stable belongs", tool.CapabilityID, volatile)
			}
		}
		texts[tool.CapabilityID] = text
	}
	return texts, nil
}

// sameTexts compares what is offered both times.
func sameTexts(before, after map[string]string) error {
	for id, text := range before {
		if now, there := after[id]; there && now != text {
			return fmt.Errorf("%s said\n%s\nand now\n%s", id, text, now)
		}
	}
	return nil
}

// shutGate holds an adapter to how it shows what cannot be used now.
func (b *bench) shutGate(a Adapter) error {
	tools, err := b.tools(a)
	if err != nil {
		return err
	}
	if b.subject.OmitsUnavailable {
		if offers(tools, boxGate) {
			return fmt.Errorf("%s is offered though it is unavailable", boxGate)
		}
		return nil
	}
	for id, want := range map[string]string{boxGate: gateReason, purge: secondNote} {
		tool, err := b.tool(a, id)
		if err != nil {
			return err
		}
		if !strings.Contains(tool.State, want) {
			return fmt.Errorf("the state of %s is %q and does not say %q", id, tool.State, want)
		}
	}
	return nil
}
