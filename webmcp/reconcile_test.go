package webmcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

func TestTranscriptOfEachStyle(t *testing.T) {
	for kind, want := range map[Style][]string{
		ByName:   {"add view_a__poke", "add view_b__poke", "", "remove view_a__poke, add view_a__poke", "remove view_a__poke", "remove view_b__poke"},
		BySignal: {"add view_a__poke", "add view_b__poke", "", "remove view_a__poke, add view_a__poke", "remove view_a__poke", "remove view_b__poke"},
		WholeSet: {"replace view_a__poke", "replace view_a__poke view_b__poke", "", "replace view_a__poke view_b__poke", "replace view_b__poke", "replace"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			p := newPage(t, kind)
			a := p.register(p.button("a"))
			p.start()
			p.wantTold(want[0])

			p.register(p.button("b"))
			p.host.Settle()
			p.wantTold(want[1])

			p.registry.Invalidate()
			p.host.Settle()
			p.wantTold(want[2])

			a.Unregister()
			a = p.register(p.button("a"))
			p.host.Settle()
			p.wantTold(want[3])

			a.Unregister()
			p.host.Settle()
			p.wantTold(want[4])

			p.adapter.Stop()
			p.wantTold(want[5])
			p.wantTools("")
			p.adapter.Stop()
			p.host.Turn()
			p.wantTold("")
		})
	}
}

func TestManyChangesOfOneTurnAreOneReconcile(t *testing.T) {
	p := newPage(t, WholeSet)
	p.start()
	for i := range 50 {
		p.register(p.button(fmt.Sprintf("w%02d", i)))
	}
	p.host.Settle()
	if got := len(p.context.log); got != 1 {
		t.Errorf("the browser was told %d times of 50 components, want once", got)
	}
	if len(p.context.tools) != 50 {
		t.Errorf("%d tools, want 50", len(p.context.tools))
	}
}

func TestRemountsLeaveOneSet(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		for _, promised := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " promised ", promised), func(t *testing.T) {
				p := newPage(t, kind)
				p.context.promised = promised
				handle := p.register(p.widget("w", ""))
				p.start()
				for range 50 {
					handle.Unregister()
					handle = p.register(p.widget("w", ""))
					p.host.Settle()
					p.context.answer()
					p.host.Settle()
					p.wantTools("view_w__look view_w__poke")
				}
				p.context.answer()
				p.host.Turn()
				if status := p.adapter.Status(); len(status.Registered) != 2 || len(status.Refused) != 0 {
					t.Errorf("status %s, want two registered tools and no refusal", status.JSON())
				}
				answer := p.call("view_w__poke", `{"a":1}`)
				wantOK(t, answer, `{"a":1}`)
				if len(p.logged) != 0 {
					t.Errorf("log %q, want none", p.logged)
				}
			})
		}
	}
}

func TestRemountsOfOneTurnAreOneReplacement(t *testing.T) {
	p := newPage(t, BySignal)
	handle := p.register(p.button("w"))
	p.start()
	p.context.told()
	for range 50 {
		handle.Unregister()
		handle = p.register(p.button("w"))
	}
	p.host.Settle()
	p.wantTold("remove view_w__poke, add view_w__poke")
	p.wantTools("view_w__poke")
}

func TestReconcileDuringAReconcileRunsAfterIt(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		t.Run(string(kind), func(t *testing.T) {
			p := newPage(t, kind)
			p.register(p.button("a"))
			p.register(p.button("b"))
			var handle *registry.Handle
			p.context.during = func() {
				handle = p.register(p.button("c"))
				p.host.Settle() // the browser runs the page's microtasks in the middle of its answer
			}
			p.start()
			p.wantTools("view_a__poke view_b__poke view_c__poke")
			p.context.during = func() { p.adapter.Stop() }
			handle.Unregister()
			p.host.Settle()
			p.wantTools("")
		})
	}
}

func TestCallInFlightKeepsItsToolForOneTask(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		for _, how := range []string{"unregister", "remount", "unavailable", "stop"} {
			t.Run(string(kind)+" "+how, func(t *testing.T) {
				p := newPage(t, kind)
				open := true
				waits := &latch{page: p, stubborn: true}
				c := p.button("w", waits.action, func(a *registry.Action) {
					a.Effect = capability.Navigation // ends only by its handler
					a.When = func() (bool, error) { return open, nil }
				})
				handle := p.register(c)
				p.start()
				old := *p.context.find("view_w__poke")
				first := p.call("view_w__poke", `{}`)
				p.context.told()
				switch how {
				case "unregister":
					handle.Unregister()
				case "remount":
					handle.Unregister()
					p.register(c)
				case "unavailable":
					open = false
					p.adapter.Refresh()
				case "stop":
					p.adapter.Stop()
				}
				p.host.Turn()
				p.wantTold("")
				if p.context.find("view_w__poke").Token != old.Token {
					t.Fatal("the tool was replaced while its call ran")
				}
				waits.open()
				p.host.Settle()
				wantOK(t, first, `{"done":true}`)
				p.wantTold("") // not in any microtask after settlement
				p.host.Turn()
				if now := p.context.find("view_w__poke"); how != "remount" && now != nil {
					t.Errorf("the tool is still there one task after its call")
				} else if how == "remount" && (now == nil || now.Token == old.Token) {
					t.Errorf("the tool was not replaced one task after its call")
				}
			})
		}
	}
}

func TestToolKeptForACallRefusesOthersProperly(t *testing.T) {
	p := newPage(t, BySignal)
	waits := &latch{page: p, stubborn: true}
	c := p.button("w", waits.action, func(a *registry.Action) { a.Effect = capability.Navigation })
	handle := p.register(c)
	p.start()
	first := p.call("view_w__poke", `{}`)
	handle.Unregister()
	p.register(c)
	p.host.Settle()
	second := p.call("view_w__poke", `{}`)
	wantCode(t, second, capability.CodeStale, "registration-replaced")
	waits.open()
	wantOK(t, first, `{"done":true}`)
}

func TestLatePromiseResurrectsNothing(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal} {
		for _, lands := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " lands late ", lands), func(t *testing.T) {
				p := newPage(t, kind)
				p.context.promised, p.context.lands = true, lands
				handle := p.register(p.button("w"))
				p.start()
				handle.Unregister()
				p.host.Settle()
				p.context.answer()
				p.host.Turn()
				p.wantTools("")

				p.register(p.button("w"))
				p.host.Settle()
				p.adapter.Stop()
				p.context.answer()
				p.host.Turn()
				p.wantTools("")
				if got := p.adapter.Status().Registered; len(got) != 0 {
					t.Errorf("registered %v after stop, want none", got)
				}
			})
		}
	}
}

func TestSuccessorOfAnUnansweredTool(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal} {
		for _, lands := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " lands late ", lands), func(t *testing.T) {
				p := newPage(t, kind)
				p.context.promised, p.context.lands = true, lands
				handle := p.register(p.button("w"))
				p.start()
				handle.Unregister()
				p.register(p.button("w"))
				p.host.Settle()
				for range 3 {
					p.context.answer() // the first one's failure must not remove the second
					p.host.Turn()
				}
				p.wantTools("view_w__poke")
				answer := p.call("view_w__poke", `{"a":2}`)
				wantOK(t, answer, `{"a":2}`)
				if got := p.adapter.Status().JSON(); !strings.Contains(string(got), `"registered":[{"name":"view_w__poke","capabilityId":"view:w.poke"}],"refused":[]`) {
					t.Errorf("status %s", got)
				}
			})
		}
	}
}

func TestRefusalStopsNoOtherAndIsTriedAgain(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		for _, promised := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " promised ", promised), func(t *testing.T) {
				p := newPage(t, kind)
				p.context.promised = promised
				p.context.refuse = func(tool Tool) error {
					if tool.Name == "view_b__poke" {
						return errors.New("NotAllowedError")
					}
					return nil
				}
				for _, componentType := range []string{"a", "b", "c"} {
					p.register(p.button(componentType))
				}
				p.start()
				p.context.answer()
				p.wantTools("view_a__poke view_c__poke")
				status := string(p.adapter.Status().JSON())
				if !strings.Contains(status, `"refused":[{"name":"view_b__poke","capabilityId":"view:b.poke","error":"`) || !strings.Contains(status, "NotAllowedError") {
					t.Errorf("status %s, want the refusal", status)
				}
				p.adapter.Refresh()
				p.host.Settle()
				p.context.answer()
				if len(p.logged) != 1 {
					t.Errorf("log %q, want one line for a refusal that stays the same", p.logged)
				}
				p.context.refuse = nil
				p.adapter.Refresh()
				p.host.Settle()
				p.context.answer()
				if len(p.context.tools) != 3 || len(p.adapter.Status().Refused) != 0 {
					t.Errorf("tools %s, refused %v, want all three", p.context.names(), p.adapter.Status().Refused)
				}
			})
		}
	}
}

func TestNamesOfOthersAreNeverTouched(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal} {
		p := newPage(t, kind)
		p.context.tools = []Tool{{Name: "view_a__poke", Token: "foreign"}, {Name: "other", Token: "foreign"}}
		handle := p.register(p.button("a"))
		p.register(p.button("b"))
		p.start()
		p.wantTools("view_a__poke other view_b__poke")
		handle.Unregister()
		p.host.Settle()
		p.adapter.Stop()
		p.wantTools("view_a__poke other")
		if strings.Contains(p.context.told(), "remove view_a__poke") {
			t.Errorf("%s: a name that is not the adapter's was removed", kind)
		}
	}
}

func TestPolyfillThatArrivesLate(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		there, looks := false, 0
		var p *page
		p = newPage(t, kind, func(o *Options) {
			o.Find = func() ModelContext {
				looks++
				if !there {
					return nil
				}
				return p.context
			}
		})
		p.register(p.button("w"))
		p.start()
		if got := string(p.adapter.Status().JSON()); got != `{"supported":false,"surface":"none","registered":[],"refused":[]}` {
			t.Errorf("status %s without a model context", got)
		}
		there = true
		p.registry.Invalidate()
		p.host.Settle()
		p.wantTools("view_w__poke")
		if got := p.adapter.Status(); !got.Supported || got.Surface != kind {
			t.Errorf("status %s", got.JSON())
		}
		p.adapter.Refresh()
		p.host.Settle()
		if looks != 2 {
			t.Errorf("looked %d times, want no more once one was found", looks)
		}
	}
}

func TestWithoutAModelContextNothingIsLogged(t *testing.T) {
	p := newPage(t, ByName, func(o *Options) { o.Find = nil })
	p.register(p.button("w"))
	p.start()
	p.host.Turn()
	p.adapter.Stop()
	if len(p.logged) != 0 {
		t.Errorf("log %q, want none", p.logged)
	}
}

func TestStartRefuses(t *testing.T) {
	p := newPage(t, ByName)
	for name, h := range map[string]Host{
		"registry": {Consumer: browserAgent},
		"consumer": {Registry: p.registry},
	} {
		if err := p.adapter.Start(h); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("starting without a %s: %v", name, err)
		}
	}
	p.register(p.button("w"))
	p.start()
	if err := p.adapter.Start(Host{Registry: p.registry, Consumer: browserAgent}); !errors.Is(err, ErrStarted) {
		t.Errorf("starting twice: %v", err)
	}
	p.wantTold("add view_w__poke")
}

func TestRestart(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.button("w"))
	p.start()
	old := *p.context.find("view_w__poke")
	p.adapter.Stop()
	p.start()
	p.wantTools("view_w__poke")
	wantCode(t, p.callTool(old, `{}`), capability.CodeNotFound)
	wantOK(t, p.call("view_w__poke", `{}`), `{}`)
}

func TestRestartWhileACallOfTheFirstRunIsInFlight(t *testing.T) {
	p := newPage(t, BySignal)
	waits := &latch{page: p, stubborn: true}
	p.register(p.button("w", waits.action))
	p.start()
	old := p.context.find("view_w__poke").Token
	first := p.call("view_w__poke", `{}`)
	p.adapter.Stop()
	p.start()
	p.host.Turn()
	if p.context.find("view_w__poke").Token != old {
		t.Fatal("the tool went while its call ran")
	}
	waits.open()
	wantOK(t, first, `{"done":true}`)
	p.host.Turn()
	p.wantTools("view_w__poke")
	if p.context.find("view_w__poke").Token == old {
		t.Error("the tool of the first run is still there")
	}
}

func TestDisposedRegistryOffersNothing(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.button("w"))
	p.start()
	p.registry.Dispose()
	p.adapter.Refresh()
	p.host.Settle()
	p.wantTools("")
}

func TestPanicOfTheBrowserLocksNothing(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.button("w"))
	p.context.during = func() { panic("browser") }
	func() {
		defer func() { _ = recover() }()
		p.start()
	}()
	p.register(p.button("x"))
	p.host.Settle()
	if p.context.find("view_x__poke") == nil {
		t.Errorf("tools %s, want the one that came after the panic", p.context.names())
	}
}
