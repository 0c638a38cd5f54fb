package consent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/registry"
)

// TestRetryOfAConfirmedCall by an agent that lost the answer gets the stored result, once, twice, and during the wait.
func TestRetryOfAConfirmedCall(t *testing.T) {
	d := newDesk(t, nil)
	q := d.open("x")
	first, during := d.start(consent.Call{Request: q}), d.start(consent.Call{Request: q})
	d.Registry().Invalidate()
	d.Approve()
	d.Registry().Invalidate()
	for _, a := range []*answer{first, during, d.start(consent.Call{Request: q})} {
		a.want("1")
	}
	other := q
	other.Input = `{"wide":false}`
	d.start(consent.Call{Request: other}).want("INVOCATION_CONFLICT id-reused-with-different-request")
	d.start(consent.Call{Request: q}).want("1") // the conflict has changed nothing
	other = q
	other.SurfaceVersion = d.Registry().Version()
	d.start(consent.Call{Request: other}).want("INVOCATION_CONFLICT id-reused-with-different-request")
}

// TestRetryWithoutAName cannot be told from a new call.
func TestRetryWithoutAName(t *testing.T) {
	d := newDesk(t, nil)
	for _, want := range []string{"1", "2"} {
		a := d.start(consent.Call{Request: d.open("")})
		d.Approve()
		a.want(want)
	}
}

// TestRetryOfWhatIsNotStored begins anew.
func TestRetryOfWhatIsNotStored(t *testing.T) {
	d := newDesk(t, nil, once())
	q := d.open("x")
	a := d.start(consent.Call{Request: q})
	d.Approve()
	a.want("RATE_LIMITED rate")
	a = d.start(consent.Call{Request: q})
	d.Approve()
	a.want("1")
}

// TestIssued: what an adapter adds to a call stays what it was when the call is retried.
func TestIssued(t *testing.T) {
	d := newDesk(t, nil)
	issued := registry.Request{InvocationID: "x", CapabilityID: "view:house.door.open", Input: `{"wide":true}`}
	call := func() *answer {
		q := issued
		q.RegistrationID = d.CaptureRef("view:house.door.open").RegistrationID
		return d.start(consent.Call{Request: q, Issued: issued})
	}
	a := call()
	d.Approve()
	a.want("1")
	d.handle.Unregister()
	d.handle = d.Register(d.door())
	call().want("1")
	issued.InvocationID = "y"
	a = call()
	d.Approve()
	a.want("2")
}

// TestMemoryIsBounded by the registry's limits: as many calls, as long.
func TestMemoryIsBounded(t *testing.T) {
	d := newDesk(t, nil, limited(func(l *capability.Limits) { l.DedupeCacheSize, l.DedupeCacheTTL = 2, time.Minute }))
	confirmed := func(q registry.Request) {
		t.Helper()
		a := d.start(consent.Call{Request: q})
		d.Approve()
		a.want(fmt.Sprint(d.ran))
	}
	first := d.open("a")
	for _, id := range []string{"a", "b", "c"} {
		confirmed(d.open(id))
	}
	confirmed(first) // forgotten, so it is a new call
	if d.ran != 4 {
		t.Fatalf("it ran %d times", d.ran)
	}
	d.clock.Advance(2 * time.Minute)
	if confirmed(first); d.ran != 5 {
		t.Errorf("it ran %d times", d.ran)
	}
}

// TestIDsThatAreTooLong are refused, and not remembered.
func TestIDsThatAreTooLong(t *testing.T) {
	d := newDesk(t, nil)
	issued := d.open(strings.Repeat("x", 200))
	q := issued
	q.InstanceID = "default"
	d.start(consent.Call{Request: q, Issued: issued}).want("INVALID_INPUT")
}
