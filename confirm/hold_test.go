package confirm

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// hold makes a held record that must be new; ended counts how often its owner is told of its end.
func (d *desk) hold(b Binding, note capability.JSON) (p Pending, ended *int) {
	d.t.Helper()
	ended = new(int)
	p, fresh, err := d.Hold(b, "Click it?", Hold{Note: note, Ended: func() { *ended++ }})
	if err != nil || !fresh {
		d.t.Fatalf("holding %s: fresh %v, %v", b.CapabilityID, fresh, err)
	}
	return p, ended
}

func TestHeldRecordIsDecidedByItsOwnerOnly(t *testing.T) {
	for name, approved := range map[string]bool{"approved": true, "denied": false} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			p, ended := d.hold(binding("a"), `{"n":1}`)
			if !p.Held || !slices.Equal(d.Pending(), []Pending{p}) {
				t.Errorf("pending: %+v", d.Pending())
			}
			for _, answer := range []bool{true, false} {
				if d.Resolve(p.ConfirmationID, answer) {
					t.Fatalf("a host UI answered %v", answer)
				}
			}
			var outcome Outcome
			d.Await(p.ConfirmationID, func(o Outcome) {
				if outcome = o; *ended != 1 {
					t.Error("those who wait were told before the owner")
				}
			})
			if !d.Decide(p.ConfirmationID, approved) || string(outcome) != name {
				t.Errorf("the owner's answer gave %q", outcome)
			}
			if d.Decide(p.ConfirmationID, !approved) {
				t.Error("a second answer counted")
			}
			d.toldExactly("requested a", name+" a")
			if *ended != 1 {
				t.Errorf("the owner was told %d times", *ended)
			}
		})
	}
}

func TestOwnerDecidesNoOtherRecord(t *testing.T) {
	d := newDesk(t, nil)
	p := d.ask(binding("a"))
	if d.Decide(p.ConfirmationID, true) || d.Decide("cnf_none", true) {
		t.Error("a record that nobody holds was decided")
	}
	if p.Held {
		t.Error("it says that it is held")
	}
}

func TestNoteComesBackWithTheApproval(t *testing.T) {
	d := newDesk(t, nil)
	p, _ := d.hold(binding("a"), `{"n":1}`)
	again, fresh, err := d.Hold(binding("a"), "Another text", Hold{Note: `{"n":2}`, Ended: func() { t.Error("the second owner was told") }})
	if err != nil || fresh || again != p {
		t.Errorf("got %+v, fresh %v, %v, want the first record as it was", again, fresh, err)
	}
	d.Decide(p.ConfirmationID, true)
	approval, refused := d.Consume(p.ConfirmationID, binding("a"), "")
	if refused != nil || approval.Note != `{"n":1}` {
		t.Errorf("got %+v, %v", approval, refused)
	}
}

func TestOwnerIsToldOfEveryEnd(t *testing.T) {
	for name, end := range map[string]func(*desk, Pending){
		"time":             func(d *desk, _ Pending) { d.host.Advance(ttl) },
		"a test":           func(d *desk, p Pending) { d.ForceExpire(p.ConfirmationID) },
		"its registration": func(d *desk, p Pending) { d.VoidRegistration(p.RegistrationID) },
		"its surface":      func(d *desk, _ Pending) { d.ExpireAll() },
		"its last wait":    func(d *desk, p Pending) { d.Await(p.ConfirmationID, func(Outcome) {})() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			p, ended := d.hold(binding("a"), "")
			end(d, p)
			if *ended != 1 {
				t.Errorf("the owner was told %d times", *ended)
			}
			if d.Decide(p.ConfirmationID, true) {
				t.Error("it was approved after its end")
			}
			d.toldExactly("requested a", "expired a")
		})
	}
}

func TestHeldRecordsCountAgainstTheLimit(t *testing.T) {
	d := newDesk(t, func(o *Options) { o.MaxPendingPerConsumer = 1 })
	d.hold(binding("a"), "")
	_, fresh, err := d.Hold(binding("b"), "", Hold{})
	if err == nil || err.Code != capability.CodeRateLimited || fresh {
		t.Errorf("got %v, fresh %v", err, fresh)
	}
}

func TestHeldPendingJSON(t *testing.T) {
	d := newDesk(t, nil)
	p, _ := d.hold(binding("a"), "")
	if got := string(p.JSON()); !strings.HasSuffix(got, `,"decidedBy":"control"}`) {
		t.Errorf("got %s", got)
	}
}
