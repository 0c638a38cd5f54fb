package adaptertest

import (
	"context"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// consumer: two adapters, each its own.
func (b *bench) consumer() error {
	if _, err := b.mount(b.box("a"), b.plant()); err != nil {
		return err
	}
	for _, id := range []string{"adaptertest-one", "adaptertest-two"} {
		b.forget()
		consumer := peer()
		consumer.ID = id
		a, err := b.start(consumer)
		if err != nil {
			return err
		}
		for _, capabilityID := range []string{boxLook, boxTouch} {
			tool, err := b.tool(a, capabilityID)
			if err != nil {
				return err
			}
			if _, err := b.wantOutput(a, tool, capability.EmptyObject, Call{}); err != nil {
				return err
			}
		}
		b.Registry.Invalidate()
		b.Settle()
		if _, err := b.tools(a); err != nil {
			return err
		}
		a.Stop()
		b.Settle()
		if err := b.onlySeen(consumer); err != nil {
			return err
		}
	}
	return nil
}

// onlySeen says who else looked or called.
func (b *bench) onlySeen(consumer capability.Consumer) error {
	seen := b.looks()
	for _, r := range b.runs() {
		seen = append(seen, r.consumer)
	}
	for _, other := range seen {
		if other.Key() != consumer.Key() || !slices.Equal(other.Grants, consumer.Grants) {
			return fmt.Errorf("it looked or called as %s %v, want %s %v", other.Key(), other.Grants, consumer.Key(), consumer.Grants)
		}
	}
	return nil
}

func (b *bench) scope() error {
	if _, err := b.mount(b.box("a"), b.plant()); err != nil {
		return err
	}
	for _, tt := range []struct {
		scope      []string
		box, plant bool
	}{
		{nil, true, true}, {[]string{"kit"}, true, true}, {[]string{"kit.box"}, true, false}, {[]string{"kit.plant", "kit.bo"}, false, true},
	} {
		a, err := b.start(peer(), tt.scope...)
		if err != nil {
			return err
		}
		tools, err := b.tools(a)
		if err != nil {
			return err
		}
		if offers(tools, boxTouch) != tt.box || offers(tools, purge) != tt.plant {
			return fmt.Errorf("with the scope %q it offers %s: %v, and %s: %v", tt.scope, boxTouch, offers(tools, boxTouch), purge, offers(tools, purge))
		}
		a.Stop()
		b.Settle()
	}
	return nil
}

func (b *bench) refresh() error {
	a, _, err := b.standing(b.box("a"))
	if err != nil {
		return err
	}
	defer a.Stop()
	if err := b.wantOffered(a, purge, false); err != nil {
		return err
	}
	handles, err := b.mount(b.plant())
	if err != nil {
		return err
	}
	b.Settle()
	if err := b.wantOffered(a, purge, true); err != nil {
		return fmt.Errorf("after it has come: %w", err)
	}
	handles[0].Unregister()
	b.Settle()
	if err := b.wantOffered(a, purge, false); err != nil {
		return fmt.Errorf("after it has gone: %w", err)
	}
	return nil
}

// wantOffered says whether the peer is offered a capability, if that is wrong.
func (b *bench) wantOffered(a Adapter, capabilityID string, want bool) error {
	tools, err := b.tools(a)
	if err == nil && offers(tools, capabilityID) != want {
		err = fmt.Errorf("%s is offered: %v, want %v", capabilityID, !want, want)
	}
	return err
}

// registration: within one turn a component goes and another comes in its place, so that the peer has not been told.
func (b *bench) registration() error {
	a, handles, err := b.standing(b.box("a"))
	if err != nil {
		return err
	}
	defer a.Stop()
	tool, err := b.tool(a, boxTouch)
	if err != nil {
		return err
	}
	handles[0].Unregister()
	if _, err := b.wantCode(a, tool, Call{}, capability.CodeUnmounted, capability.CodeStale); err != nil {
		return err
	}
	if handles, err = b.mount(b.box("a")); err != nil {
		return err
	}
	b.Settle()
	if tool, err = b.tool(a, boxTouch); err != nil {
		return err
	}
	handles[0].Unregister()
	if _, err := b.mount(b.box("a")); err != nil {
		return err
	}
	if b.subject.ResolvesAtCall {
		_, err = b.wantOutput(a, tool, capability.EmptyObject, Call{})
		return err
	}
	_, err = b.wantCode(a, tool, Call{}, capability.CodeStale)
	return err
}

// version: within one turn the surface moves, so that the peer has not been told.
func (b *bench) version() error {
	a, _, err := b.standing(b.box("a"), b.plant())
	if err != nil {
		return err
	}
	defer a.Stop()
	tool, err := b.tool(a, purge)
	if err != nil {
		return err
	}
	harmless, err := b.tool(a, boxTouch)
	if err != nil {
		return err
	}
	b.Registry.Invalidate()
	if _, err := b.wantCode(a, tool, Call{}, capability.CodeStale); err != nil {
		return err
	}
	_, err = b.wantOutput(a, harmless, capability.EmptyObject, Call{})
	return err
}

func (b *bench) identity() error {
	a, _, err := b.standing(b.box("a"))
	if err != nil {
		return err
	}
	defer a.Stop()
	tool, err := b.tool(a, boxTouch)
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := b.wantOutput(a, tool, `{"word":"one"}`, Call{}); err != nil {
			return err
		}
	}
	if len(b.runs()) != 2 || b.runs()[0].invocation == b.runs()[1].invocation {
		return fmt.Errorf("two calls without an identity were carried out %d times, want twice under two identities", len(b.runs()))
	}
	if b.subject.UnnamedCalls {
		return nil
	}
	for range 2 {
		if _, err := b.wantOutput(a, tool, `{"word":"two"}`, Call{ID: "adaptertest-1"}); err != nil {
			return err
		}
	}
	if len(b.runs()) != 3 {
		return fmt.Errorf("a call that was repeated under its identity was carried out %d times, want once", len(b.runs())-2)
	}
	_, err = b.wantCode(a, tool, Call{ID: "adaptertest-1"}, capability.CodeConflict)
	return err
}

// errors compares what the peer gets with what the registry says.
func (b *bench) errors() error {
	a, _, err := b.standing(b.box("a"))
	if err != nil {
		return err
	}
	defer a.Stop()
	expect := func(capabilityID string, input capability.JSON, want *capability.Error) error {
		tool, err := b.tool(a, capabilityID)
		if err != nil {
			return err
		}
		return b.wantError(a, tool, input, want)
	}
	if err := expect(boxFail, capability.EmptyObject, failure()); err != nil {
		return err
	}
	const wrong capability.JSON = `{"word":7,"other":true}`
	if err := expect(boxTouch, wrong, b.said(registry.Request{CapabilityID: boxTouch, Input: wrong})); err != nil {
		return err
	}
	gate, err := b.tool(a, boxGate)
	if err != nil {
		return err
	}
	b.tell(true, "")
	return b.wantError(a, gate, capability.EmptyObject, capability.NotAvailable(gateReason))
}

// said is the error with which the registry itself answers.
func (b *bench) said(q registry.Request) (said *capability.Error) {
	b.Registry.Start(context.Background(), q, registry.InvokeOptions{Consumer: peer()}, func(r registry.Result) { said = r.Error })
	b.Settle()
	return said
}

// wantError makes a call, and says what of an error did not arrive.
func (b *bench) wantError(a Adapter, tool Tool, input capability.JSON, want *capability.Error) error {
	answer, err := b.call(a, tool, input, Call{})
	got := answer.Error
	switch {
	case err != nil:
		return err
	case got == nil, got.Code != want.Code, got.Retry != want.Retry, got.Details != want.Details:
		return fmt.Errorf("a call of %s ended with %s, want %s", tool.CapabilityID, answer.text(), want.JSON())
	}
	return nil
}
