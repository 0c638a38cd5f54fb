package confirm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/host"
)

func TestAwaitOfWhatIsDecided(t *testing.T) {
	d := newDesk(t, nil)
	approved, consumed, denied, expired := d.ask(binding("a")), d.ask(binding("b")), d.ask(binding("c")), d.ask(binding("d"))
	d.Resolve(approved.ConfirmationID, true)
	d.Resolve(consumed.ConfirmationID, true)
	if _, err := d.Consume(consumed.ConfirmationID, binding("b"), ""); err != nil {
		t.Fatal(err)
	}
	d.Resolve(denied.ConfirmationID, false)
	d.ForceExpire(expired.ConfirmationID)
	for id, want := range map[string]Outcome{
		approved.ConfirmationID: Approved, consumed.ConfirmationID: Approved, denied.ConfirmationID: Denied,
		expired.ConfirmationID: Expired, "cnf_none": Expired,
	} {
		var got Outcome
		cancel := d.Await(id, func(o Outcome) { got = o })
		if got != want {
			t.Errorf("got %q, want %q at once", got, want)
		}
		cancel()
	}
}

func TestRecordIsWithdrawnWithItsLastWait(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	var told []Outcome
	tell := func(o Outcome) { told = append(told, o) }
	first, second := d.Await(p.ConfirmationID, tell), d.Await(p.ConfirmationID, tell)
	first()
	first() // once more changes nothing
	if len(d.Pending()) != 1 {
		t.Fatal("withdrawn while somebody waits")
	}
	third := d.Await(p.ConfirmationID, tell)
	second()
	third()
	d.refused(p.ConfirmationID, binding("a"), "expired")
	if len(told) != 0 {
		t.Errorf("those who cancelled were told %q", told)
	}
	if d.Resolve(p.ConfirmationID, true) {
		t.Error("a withdrawn record was approved")
	}
	d.toldExactly("requested a", "expired a")
}

func TestRecordThatNobodyWaitsOnLivesToItsEnd(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	d.host.Advance(ttl - 1)
	if !d.Resolve(p.ConfirmationID, true) {
		t.Error("the record was gone before its time")
	}
}

func TestCancelAfterTheDecisionChangesNothing(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	cancel := d.Await(p.ConfirmationID, func(Outcome) {})
	d.Resolve(p.ConfirmationID, true)
	cancel()
	if _, err := d.Consume(p.ConfirmationID, binding("a"), ""); err != nil {
		t.Errorf("the approval is gone: %v", err)
	}
}

func TestWaitsAreToldInOrderAndAfterTheStep(t *testing.T) {
	var d *desk
	var order []string
	d = newDesk(t, func(o *Options) {
		o.OnChange = func(c Change) { order = append(order, "step "+string(c.Step)) }
	})
	p := d.ask(binding("a"))
	for i := range 20 {
		d.Await(p.ConfirmationID, func(Outcome) { order = append(order, fmt.Sprint(i)) })
	}
	d.Resolve(p.ConfirmationID, true)
	want := []string{"step requested", "step approved"}
	for i := range 20 {
		want = append(want, fmt.Sprint(i))
	}
	if !slices.Equal(order, want) {
		t.Errorf("got %q", order)
	}
}

func TestStepsThatAStepCausesComeAfterIt(t *testing.T) {
	var d *desk
	var b Pending
	var order []string
	d = newDesk(t, func(o *Options) {
		o.OnChange = func(c Change) {
			if c.Step == StepApproved && c.Pending.CapabilityID == "domain:a" {
				d.Resolve(b.ConfirmationID, false)
			}
			order = append(order, string(c.Step)+" "+c.Pending.CapabilityID)
		}
	})
	a := d.ask(binding("a"))
	b = d.ask(binding("b"))
	d.Await(a.ConfirmationID, func(Outcome) { order = append(order, "wait a") })
	d.Resolve(a.ConfirmationID, true)
	want := []string{"requested domain:a", "requested domain:b", "approved domain:a", "wait a", "denied domain:b"}
	if !slices.Equal(order, want) {
		t.Errorf("got  %q\nwant %q", order, want)
	}
}

func TestCallbackThatPanicsReachesNobodyElse(t *testing.T) {
	var logged []string
	changes := 0
	d := newDesk(t, func(o *Options) {
		o.OnChange = func(Change) { changes++; panic("listener") }
		o.Log = func(text string) { logged = append(logged, text) }
	})
	p := d.ask(binding("a"))
	told := false
	d.Await(p.ConfirmationID, func(Outcome) { panic("waiter") })
	d.Await(p.ConfirmationID, func(Outcome) { told = true })
	d.Resolve(p.ConfirmationID, true)
	if !told || changes != 2 || len(logged) != 3 {
		t.Errorf("told %v, %d changes, logged %q", told, changes, logged)
	}
}

func TestEvictedRecordStillTellsThoseWhoWait(t *testing.T) {
	var d *desk
	var outcome Outcome
	flooding := false
	d = newDesk(t, func(o *Options) {
		o.OnChange = func(c Change) {
			if flooding || c.Step != StepApproved {
				return
			}
			flooding = true // pushes the record out before those who wait are told
			for i := range maxResolved + 1 {
				p, _ := d.Request(binding(fmt.Sprint("p", i)), "")
				d.Resolve(p.ConfirmationID, false)
			}
		}
	})
	p := d.ask(binding("a"))
	d.Await(p.ConfirmationID, func(o Outcome) { outcome = o })
	d.Resolve(p.ConfirmationID, true)
	if outcome != Approved {
		t.Errorf("told %q", outcome)
	}
}

// waiting starts a WaitFor in a flow of the fake host.
func (d *desk) waiting(ctx context.Context, id string) *Outcome {
	outcome := new(Outcome)
	d.host.Go(func() { *outcome = d.WaitFor(ctx, id) })
	return outcome
}

func TestWaitForOnALoop(t *testing.T) {
	d := newDesk(t, nil)
	a, b, c := d.ask(binding("a")), d.ask(binding("b")), d.ask(binding("c"))
	scope := host.NewScope(context.Background())
	onA, onB, onC := d.waiting(context.Background(), a.ConfirmationID), d.waiting(context.Background(), b.ConfirmationID), d.waiting(scope, c.ConfirmationID)
	if *onA != "" || *onB != "" || *onC != "" {
		t.Fatal("did not wait")
	}
	d.Resolve(a.ConfirmationID, true)
	scope.Cancel(errors.New("left"))
	d.host.Settle()
	if *onA != Approved || *onB != "" || *onC != Expired {
		t.Errorf("got %q %q %q", *onA, *onB, *onC)
	}
	d.refused(c.ConfirmationID, binding("c"), "expired")
	d.host.Advance(ttl)
	if *onB != Expired {
		t.Errorf("got %q", *onB)
	}
}

func newNative(change func(*Options)) *Store {
	options := Options{Host: host.Native(), TTL: ttl, MaxPending: 32, MaxPendingPerConsumer: 32}
	if change != nil {
		change(&options)
	}
	return NewStore(options)
}

func mustRequest(t *testing.T, s *Store, name string) string {
	t.Helper()
	p, err := s.Request(binding(name), "")
	if err != nil {
		t.Fatal(err)
	}
	return p.ConfirmationID
}

func TestWaitForNatively(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newNative(nil)
		ids := []string{mustRequest(t, s, "a"), mustRequest(t, s, "b"), mustRequest(t, s, "c"), mustRequest(t, s, "d")}
		ctx, cancel := context.WithCancel(context.Background())
		got := make([]Outcome, len(ids))
		for i, id := range ids {
			go func() { got[i] = s.WaitFor(ctx, id) }()
		}
		synctest.Wait()
		s.Resolve(ids[0], true)
		s.Resolve(ids[1], false)
		synctest.Wait()
		if want := []Outcome{Approved, Denied, "", ""}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		cancel()
		synctest.Wait()
		if want := []Outcome{Approved, Denied, Expired, Expired}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if pending := s.Pending(); len(pending) != 0 {
			t.Errorf("cancelled waits left %d pending", len(pending))
		}
	})
}

func TestWaitForExpiresNatively(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newNative(nil)
		began := time.Now()
		if got := s.WaitFor(context.Background(), mustRequest(t, s, "a")); got != Expired {
			t.Errorf("got %q", got)
		}
		if waited := time.Since(began); waited != ttl {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestWaitForWithAContextThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := newNative(nil)
	id := mustRequest(t, s, "a")
	if got := s.WaitFor(ctx, id); got != Expired {
		t.Errorf("got %q", got)
	}
	if len(s.Pending()) != 0 {
		t.Error("the record was not withdrawn")
	}
}

// TestHammer lets everybody do everything at once and checks what must hold at any time: an approval is
// used at most once, every wait ends once, and nothing but what is allowed is remembered.
func TestHammer(t *testing.T) {
	const records, rounds = 8, 300
	var approvedOnce, consumedOnce, waitsEnded, waitsBegun atomic.Int64
	s := newNative(func(o *Options) {
		o.OnChange = func(c Change) {
			if c.Step == StepApproved {
				approvedOnce.Add(1)
			}
		}
	})
	var gun, everybody sync.WaitGroup
	gun.Add(1)
	work := func(f func(id string, b Binding)) {
		everybody.Go(func() {
			gun.Wait()
			for i := range rounds {
				b := binding(fmt.Sprint("p", i%records))
				p, err := s.Request(b, "")
				if err != nil {
					t.Errorf("no room for %d records: %v", records, err)
					return
				}
				f(p.ConfirmationID, b)
			}
		})
	}
	for range 2 {
		work(func(id string, _ Binding) { s.Resolve(id, true) })
		work(func(id string, b Binding) {
			if _, err := s.Consume(id, b, ""); err == nil {
				consumedOnce.Add(1)
			}
		})
		work(func(id string, _ Binding) {
			waitsBegun.Add(1)
			s.Await(id, func(Outcome) { waitsEnded.Add(1) })
		})
	}
	work(func(id string, _ Binding) { s.ForceExpire(id) })
	work(func(id string, _ Binding) { s.VoidRegistration("reg_1") })
	work(func(id string, _ Binding) { s.Pending() })
	gun.Done()
	everybody.Wait()
	s.ExpireAll()
	if consumedOnce.Load() > approvedOnce.Load() {
		t.Errorf("%d approvals were consumed %d times", approvedOnce.Load(), consumedOnce.Load())
	}
	if waitsEnded.Load() != waitsBegun.Load() {
		t.Errorf("%d waits ended, %d began", waitsEnded.Load(), waitsBegun.Load())
	}
	if len(s.records) > maxResolved || len(s.pending) != 0 || len(s.byBinding) != 0 {
		t.Errorf("left %d records, %d pending, %d bindings", len(s.records), len(s.pending), len(s.byBinding))
	}
}

func TestDoubleApprovalRunsOnce(t *testing.T) {
	s := newNative(nil)
	for range 200 {
		b := binding("a")
		id := mustRequest(t, s, "a")
		var approved, consumed atomic.Int64
		var everybody sync.WaitGroup
		for range 4 {
			everybody.Go(func() {
				if s.Resolve(id, true) {
					approved.Add(1)
				}
				if _, err := s.Consume(id, b, ""); err == nil {
					consumed.Add(1)
				}
			})
		}
		everybody.Wait()
		if approved.Load() != 1 || consumed.Load() != 1 {
			t.Fatalf("approved %d times, consumed %d times", approved.Load(), consumed.Load())
		}
	}
}
