package confirm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

const ttl = 2 * time.Minute

func start() time.Time { return time.UnixMilli(1_000_000) }

// desk is a store on a fake host, and everything that it told.
type desk struct {
	t testing.TB
	*Store
	host  *host.Fake
	steps []string // requested a, approved a … with the capability's last part
}

func newDesk(t testing.TB, change func(*Options)) *desk {
	d := &desk{t: t, host: host.NewFake(start())}
	options := Options{
		Host: d.host, TTL: ttl, MaxPending: 32, MaxPendingPerConsumer: 8,
		OnChange: func(c Change) {
			d.steps = append(d.steps, string(c.Step)+" "+strings.TrimPrefix(c.Pending.CapabilityID, "domain:"))
		},
	}
	if change != nil {
		change(&options)
	}
	d.Store = NewStore(options)
	return d
}

func binding(name string) Binding {
	return Binding{
		SurfaceID: "srf_1", RegistrationID: "reg_1", CapabilityID: "domain:" + name, ConsumerKey: "embedded:a",
		Input: `{"id":1}`, Effect: capability.Destructive,
	}
}

// ask makes a record that must be there.
func (d *desk) ask(b Binding) Pending {
	d.t.Helper()
	p, err := d.Request(b, "Do it?")
	if err != nil {
		d.t.Fatalf("requesting %s: %v", b.CapabilityID, err)
	}
	return p
}

// refused checks why evidence does not hold.
func (d *desk) refused(id string, b Binding, why string) {
	d.t.Helper()
	_, err := d.Consume(id, b, "")
	if err == nil || err.Code != capability.CodeConfirmationInvalid || err.Detail("reason") != why {
		d.t.Errorf("consuming: got %v, want the reason %s", err, why)
		return
	}
	want := capability.RetryNo
	if why == "expired" {
		want = capability.RetryWithConfirmation
	}
	if err.Retry != want {
		d.t.Errorf("%s: retry %s, want %s", why, err.Retry, want)
	}
}

func (d *desk) toldExactly(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.steps, want) {
		d.t.Errorf("told %q\nwant %q", d.steps, want)
	}
}

func TestRequestMakesAPendingRecord(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	want := Pending{
		ConfirmationID: p.ConfirmationID, CapabilityID: "domain:a", RegistrationID: "reg_1", ConsumerKey: "embedded:a",
		Effect: capability.Destructive, Summary: "Do it?", Input: `{"id":1}`,
		RequestedAt: start(), ExpiresAt: start().Add(ttl),
	}
	if p != want {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	if !strings.HasPrefix(p.ConfirmationID, "cnf_") || len(p.ConfirmationID) != len("cnf_")+22 {
		t.Errorf("id %q", p.ConfirmationID)
	}
	if got := d.Pending(); !slices.Equal(got, []Pending{want}) {
		t.Errorf("pending: %+v", got)
	}
	d.toldExactly("requested a")
}

func TestPendingJSON(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	p.ConfirmationID = "cnf_x"
	const want = `{"confirmationId":"cnf_x","capabilityId":"domain:a","registrationId":"reg_1","consumerKey":"embedded:a",` +
		`"effect":"destructive","summary":"Do it?","input":{"id":1},"requestedAt":"1970-01-01T00:16:40.000Z","expiresAt":"1970-01-01T00:18:40.000Z"}`
	if got := p.JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEqualRequestIsReused(t *testing.T) {
	d := newDesk(t, nil)
	first := d.ask(binding("a"))
	d.host.Advance(time.Second)
	again, err := d.Request(binding("a"), "Another text")
	if err != nil || again != first {
		t.Errorf("got %+v, %v, want the first record as it was", again, err)
	}
	d.toldExactly("requested a")
	for _, end := range []func(){
		func() { d.Resolve(first.ConfirmationID, true) },
		func() { d.ForceExpire(first.ConfirmationID) },
	} {
		end()
		next := d.ask(binding("a"))
		if next.ConfirmationID == first.ConfirmationID {
			t.Error("a record that is no longer pending was reused")
		}
		first = next
	}
}

// others differ from binding("a") in one member each.
func others() map[string]Binding {
	out := map[string]Binding{}
	for name, change := range map[string]func(*Binding){
		"surface":      func(b *Binding) { b.SurfaceID = "srf_2" },
		"registration": func(b *Binding) { b.RegistrationID = "reg_2" },
		"capability":   func(b *Binding) { b.CapabilityID = "domain:b" },
		"consumer":     func(b *Binding) { b.ConsumerKey = "embedded:b" },
		"input":        func(b *Binding) { b.Input = `{"id":2}` },
		"input type":   func(b *Binding) { b.Input = `{"id":"1"}` },
		"effect":       func(b *Binding) { b.Effect = capability.ExternalSideEffect },
	} {
		b := binding("a")
		change(&b)
		out[name] = b
	}
	return out
}

func TestEveryMemberOfTheBindingCounts(t *testing.T) {
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			p := d.ask(binding("a"))
			if d.ask(other).ConfirmationID == p.ConfirmationID {
				t.Error("a different request shares the record")
			}
			d.Resolve(p.ConfirmationID, true)
			d.refused(p.ConfirmationID, other, "mismatch")
			if _, err := d.Consume(p.ConfirmationID, binding("a"), ""); err != nil {
				t.Errorf("the mismatch used up the approval: %v", err)
			}
		})
	}
}

func TestBindingTextIsUnambiguous(t *testing.T) {
	quote := binding("a")
	quote.ConsumerKey = `embedded:a","effect":"destructive`
	if got := quote.text(); got == binding("a").text() || !strings.Contains(got, `\"`) {
		t.Errorf("got %s", got)
	}
	const want = `{"capabilityId":"domain:a","consumerKey":"embedded:a","effect":"destructive","effectiveInput":{"id":1},"registrationId":"reg_1","surfaceId":"srf_1"}`
	if got := binding("a").text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEvidence(t *testing.T) {
	t.Run("unknown", func(t *testing.T) {
		newDesk(t, nil).refused("cnf_none", binding("a"), "mismatch")
	})
	t.Run("pending", func(t *testing.T) {
		d := newDesk(t, nil)
		p := d.ask(binding("a"))
		_, err := d.Consume(p.ConfirmationID, binding("a"), "from the agent")
		if err == nil || err.Code != capability.CodeConfirmationRequired || err.Detail("confirmationId") != p.ConfirmationID ||
			err.Detail("summary") != "from the agent" || err.Detail("expiresAt") != capability.FormatTime(p.ExpiresAt) {
			t.Errorf("got %v %s", err, err.Details)
		}
	})
	t.Run("approved", func(t *testing.T) {
		d := newDesk(t, nil)
		p := d.ask(binding("a"))
		d.host.Advance(time.Second)
		if !d.Resolve(p.ConfirmationID, true) {
			t.Fatal("there was nothing to resolve")
		}
		d.host.Advance(time.Second)
		got, err := d.Consume(p.ConfirmationID, binding("a"), "")
		if want := (Approval{ID: p.ConfirmationID, ApprovedAt: start().Add(time.Second)}); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		d.refused(p.ConfirmationID, binding("a"), "consumed")
		d.toldExactly("requested a", "approved a", "consumed a")
	})
	t.Run("denied", func(t *testing.T) {
		d := newDesk(t, nil)
		p := d.ask(binding("a"))
		d.Resolve(p.ConfirmationID, false)
		d.refused(p.ConfirmationID, binding("a"), "denied")
		d.toldExactly("requested a", "denied a")
	})
	t.Run("expired", func(t *testing.T) {
		d := newDesk(t, nil)
		p := d.ask(binding("a"))
		d.host.Advance(ttl)
		d.refused(p.ConfirmationID, binding("a"), "expired")
		d.toldExactly("requested a", "expired a")
	})
}

func TestDecisionIsFinal(t *testing.T) {
	for _, approved := range []bool{true, false} {
		d := newDesk(t, nil)
		p := d.ask(binding("a"))
		d.Resolve(p.ConfirmationID, approved)
		for _, again := range []bool{true, false} {
			if d.Resolve(p.ConfirmationID, again) {
				t.Errorf("resolved %v, then %v", approved, again)
			}
		}
		if len(d.Pending()) != 0 {
			t.Error("a decided record is still pending")
		}
	}
	if newDesk(t, nil).Resolve("cnf_none", true) {
		t.Error("resolved a record that does not exist")
	}
}

func TestApprovalIsGoodUntilItsRecordExpires(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	d.host.Advance(ttl - time.Millisecond)
	d.Resolve(p.ConfirmationID, true)
	if got := d.stateOf(p.ConfirmationID); got != string(stateApproved) {
		t.Fatalf("got %s", got)
	}
	d.host.Advance(time.Millisecond)
	d.refused(p.ConfirmationID, binding("a"), "expired")
	d.toldExactly("requested a", "approved a", "expired a")
}

// stateOf is the state of a record after the clock was asked.
func (d *desk) stateOf(id string) string {
	d.Pending()
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.records[id].state)
}

// TestClockDecidesWithoutTimers runs on a clock of its own, which no timer follows.
func TestClockDecidesWithoutTimers(t *testing.T) {
	looks := map[string]func(*desk, Pending) bool{
		"pending": func(d *desk, p Pending) bool { return len(d.Pending()) == 0 },
		"resolve": func(d *desk, p Pending) bool { return !d.Resolve(p.ConfirmationID, true) },
		"await": func(d *desk, p Pending) (expired bool) {
			d.Await(p.ConfirmationID, func(o Outcome) { expired = o == Expired })
			return
		},
		"request":   func(d *desk, p Pending) bool { return d.ask(binding("a")).ConfirmationID != p.ConfirmationID },
		"force":     func(d *desk, p Pending) bool { return !d.ForceExpire(p.ConfirmationID) },
		"consume":   func(d *desk, p Pending) bool { d.refused(p.ConfirmationID, binding("a"), "expired"); return true },
		"void":      func(d *desk, p Pending) bool { d.VoidRegistration("reg_other"); return len(d.steps) == 2 },
		"expireAll": func(d *desk, p Pending) bool { d.ExpireAll(); return len(d.steps) == 2 },
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			now := start()
			d := newDesk(t, func(o *Options) { o.Now = func() time.Time { return now } })
			p := d.ask(binding("a"))
			now = p.ExpiresAt
			if !look(d, p) {
				t.Error("the record was not found expired")
			}
			if d.steps[1] != "expired a" {
				t.Errorf("told %q", d.steps)
			}
		})
	}
}

func TestTimerTellsThoseWhoWait(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	var got Outcome
	d.Await(p.ConfirmationID, func(o Outcome) { got = o })
	d.host.Advance(ttl - 1)
	if got != "" {
		t.Fatalf("told %q too early", got)
	}
	d.host.Advance(1)
	if got != Expired {
		t.Errorf("told %q", got)
	}
}

func TestTimerThatComesTooEarlyComesAgain(t *testing.T) {
	d := newDesk(t, nil)
	slow := func() time.Time { return start().Add(d.host.Now().Sub(start()) / 2) } // half as fast as the host's timers
	d.options.Now = slow
	p := d.ask(binding("a"))
	var got Outcome
	d.Await(p.ConfirmationID, func(o Outcome) { got = o })
	d.host.Advance(ttl)
	if got != "" {
		t.Fatalf("told %q, though the clock has not come so far", got)
	}
	d.host.Advance(ttl + time.Millisecond)
	if got != Expired {
		t.Errorf("told %q", got)
	}
}

func TestLimits(t *testing.T) {
	t.Run("of one consumer", func(t *testing.T) {
		d := newDesk(t, nil)
		other := binding("other")
		other.ConsumerKey = "embedded:b"
		d.ask(other)
		d.host.Advance(time.Second)
		for i := range 8 {
			d.ask(binding(fmt.Sprint("p", i)))
			d.host.Advance(time.Second)
		}
		d.limited(binding("more"), ttl-8*time.Second)
		if d.ask(binding("p3")).CapabilityID != "domain:p3" {
			t.Error("an equal request needs no room")
		}
		other.CapabilityID = "domain:fine"
		d.ask(other)
		d.host.Advance(ttl - 8*time.Second)
		d.ask(binding("more"))
	})
	t.Run("of the surface", func(t *testing.T) {
		d := newDesk(t, func(o *Options) { o.MaxPending = 3 })
		var first Pending
		for i := range 3 {
			b := binding("p")
			b.ConsumerKey = fmt.Sprint("embedded:", i)
			if p := d.ask(b); i == 0 {
				first = p
			}
		}
		d.limited(binding("more"), ttl)
		d.Resolve(first.ConfirmationID, false)
		d.ask(binding("more"))
	})
	t.Run("of zero", func(t *testing.T) {
		d := newDesk(t, func(o *Options) { o.MaxPending = 0 })
		d.limited(binding("a"), ttl)
	})
}

// limited checks that there is no room for b, and that nothing is left of the attempt.
func (d *desk) limited(b Binding, wait time.Duration) {
	d.t.Helper()
	before, told := len(d.Pending()), len(d.steps)
	_, err := d.Request(b, "")
	if err == nil || err.Code != capability.CodeRateLimited || err.Detail("reason") != "queue-full" {
		d.t.Fatalf("got %v", err)
	}
	if want := fmt.Sprintf(`"retryAfterMs":%d}`, wait.Milliseconds()); !strings.HasSuffix(string(err.Details), want) {
		d.t.Errorf("got %s, want %s", err.Details, want)
	}
	if len(d.Pending()) != before || len(d.steps) != told {
		d.t.Error("the refused request left a record")
	}
}

func TestResolvedRecordsAreBounded(t *testing.T) {
	d := newDesk(t, nil)
	end := func(i int, approved bool) string {
		p := d.ask(binding(fmt.Sprint("p", i)))
		d.Resolve(p.ConfirmationID, approved)
		return p.ConfirmationID
	}
	first := end(0, false)
	for i := 1; i < maxResolved; i++ {
		end(i, false)
	}
	d.refused(first, binding("p0"), "denied")
	end(maxResolved, false)
	d.refused(first, binding("p0"), "mismatch")
	if len(d.records) != maxResolved || len(d.resolved) != maxResolved {
		t.Errorf("%d records, %d resolved", len(d.records), len(d.resolved))
	}
}

func TestApprovalThatIsForgottenIsSaidToExpire(t *testing.T) {
	d := newDesk(t, nil)
	unused := d.ask(binding("unused"))
	d.Resolve(unused.ConfirmationID, true)
	for i := range maxResolved {
		p := d.ask(binding(fmt.Sprint("p", i)))
		d.Resolve(p.ConfirmationID, false)
	}
	d.refused(unused.ConfirmationID, binding("unused"), "mismatch")
	if last := d.steps[len(d.steps)-1]; last != "expired unused" {
		t.Errorf("the last step is %q", last)
	}
}

func TestVoidRegistration(t *testing.T) {
	d := newDesk(t, nil)
	approved, pending := d.ask(binding("approved")), d.ask(binding("pending"))
	denied, consumed := d.ask(binding("denied")), d.ask(binding("consumed"))
	elsewhere := binding("elsewhere")
	elsewhere.RegistrationID = "reg_2"
	stays := d.ask(elsewhere)
	d.Resolve(approved.ConfirmationID, true)
	d.Resolve(denied.ConfirmationID, false)
	d.Resolve(consumed.ConfirmationID, true)
	if _, err := d.Consume(consumed.ConfirmationID, binding("consumed"), ""); err != nil {
		t.Fatal(err)
	}
	d.VoidRegistration("reg_1")
	d.refused(approved.ConfirmationID, binding("approved"), "expired")
	d.refused(pending.ConfirmationID, binding("pending"), "expired")
	d.refused(denied.ConfirmationID, binding("denied"), "denied")
	d.refused(consumed.ConfirmationID, binding("consumed"), "consumed")
	if got := d.Pending(); len(got) != 1 || got[0] != stays {
		t.Errorf("pending: %+v", got)
	}
	again := binding("approved")
	again.RegistrationID = "reg_1b"
	d.refused(approved.ConfirmationID, again, "mismatch")
}

func TestExpireAllSettlesEverybody(t *testing.T) {
	const many = 10_000 // more than are remembered
	d := newDesk(t, func(o *Options) { o.MaxPending, o.MaxPendingPerConsumer = many, many })
	outcomes := map[Outcome]int{}
	for i := range many {
		p := d.ask(binding(fmt.Sprint("p", i)))
		d.Await(p.ConfirmationID, func(o Outcome) { outcomes[o]++ })
	}
	d.ExpireAll()
	if outcomes[Expired] != many || len(outcomes) != 1 {
		t.Errorf("outcomes %v", outcomes)
	}
	if len(d.Pending()) != 0 || len(d.records) != maxResolved || len(d.byBinding) != 0 || len(d.pendingOf) != 0 {
		t.Errorf("left %d pending, %d records", len(d.Pending()), len(d.records))
	}
	d.host.Advance(2 * ttl) // the timers of all have been stopped or find nothing
	if len(d.steps) != 2*many {
		t.Errorf("told %d steps", len(d.steps))
	}
}

func TestForceExpire(t *testing.T) {
	d := newDesk(t, nil)
	pending, approved, denied := d.ask(binding("a")), d.ask(binding("b")), d.ask(binding("c"))
	d.Resolve(approved.ConfirmationID, true)
	d.Resolve(denied.ConfirmationID, false)
	for id, want := range map[string]bool{
		pending.ConfirmationID: true, approved.ConfirmationID: true, denied.ConfirmationID: false, "cnf_none": false,
	} {
		if got := d.ForceExpire(id); got != want {
			t.Errorf("%s: got %v", id, got)
		}
	}
	d.refused(pending.ConfirmationID, binding("a"), "expired")
	d.refused(approved.ConfirmationID, binding("b"), "expired")
}

func TestPendingIsOldestFirstAndACopy(t *testing.T) {
	d := newDesk(t, nil)
	for _, name := range []string{"c", "a", "b"} {
		d.ask(binding(name))
	}
	got := d.Pending()
	got[0].Summary = "changed"
	var names []string
	for _, p := range d.Pending() {
		names = append(names, p.CapabilityID)
		if p.Summary == "changed" {
			t.Error("the store shares its records")
		}
	}
	if want := []string{"domain:c", "domain:a", "domain:b"}; !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
}

func TestSeveralAreIndependent(t *testing.T) {
	d := newDesk(t, nil)
	stuck, a, b := d.ask(binding("stuck")), d.ask(binding("a")), d.ask(binding("b"))
	var got []string
	for _, p := range []Pending{stuck, a, b} {
		d.Await(p.ConfirmationID, func(o Outcome) { got = append(got, p.CapabilityID+" "+string(o)) })
	}
	d.Resolve(b.ConfirmationID, false)
	d.Resolve(a.ConfirmationID, true)
	if want := []string{"domain:b denied", "domain:a approved"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if len(d.Pending()) != 1 {
		t.Error("the stuck one is gone")
	}
}
