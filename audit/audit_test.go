package audit_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
)

func at(ms int64) time.Time { return time.UnixMilli(ms) }

func TestEventJSON(t *testing.T) {
	tests := []struct {
		name  string
		event audit.Event
		want  capability.JSON
	}{
		{"what does not apply is absent", audit.Event{At: at(0), Type: audit.Registration, RegistrationID: "reg_1", AuthorityMode: "open"},
			`{"at":"1970-01-01T00:00:00.000Z","type":"registration","registrationId":"reg_1","authorityMode":"open"}`},
		{"times are UTC with milliseconds", audit.Event{At: at(1500).In(time.FixedZone("", 3600)), Type: audit.Unregistration},
			`{"at":"1970-01-01T00:00:01.500Z","type":"unregistration"}`},
		{"a start has no durations", audit.Event{At: at(0), Type: audit.InvocationStarted, CapabilityID: "view:a.b", InvocationID: "inv_1", ConsumerID: "embedded:anonymous", ClaimedName: "Helper"},
			`{"at":"1970-01-01T00:00:00.000Z","type":"invocation-started","capabilityId":"view:a.b","invocationId":"inv_1","consumerId":"embedded:anonymous","claimedName":"Helper"}`},
		{"a settlement has all three, zero or not", audit.Event{At: at(0), Type: audit.InvocationSettled, Status: "ok", Duration: 1200 * time.Millisecond, QueueWait: 200 * time.Millisecond},
			`{"at":"1970-01-01T00:00:00.000Z","type":"invocation-settled","status":"ok","durationMs":1200,"queueWaitMs":200,"executionMs":0}`},
		{"a late settlement too", audit.Event{At: at(0), Type: audit.LateSettlement, Status: "error", Execution: 2 * time.Second},
			`{"at":"1970-01-01T00:00:00.000Z","type":"late-settlement","status":"error","durationMs":0,"queueWaitMs":0,"executionMs":2000}`},
		{"an error has its code", audit.Event{At: at(0), Type: audit.RegistrationRejected, Status: "error", Code: capability.CodeTimeout},
			`{"at":"1970-01-01T00:00:00.000Z","type":"registration-rejected","status":"error","code":"TIMEOUT"}`},
		{"a payload of input alone", audit.Event{At: at(0), Type: audit.InvocationStarted, Input: `{"a":1}`},
			`{"at":"1970-01-01T00:00:00.000Z","type":"invocation-started","payload":{"input":{"a":1}}}`},
		{"a payload of output alone", audit.Event{At: at(0), Type: audit.InvocationStarted, Output: `null`},
			`{"at":"1970-01-01T00:00:00.000Z","type":"invocation-started","payload":{"output":null}}`},
		{"text that needs quoting", audit.Event{At: at(0), Type: audit.InvocationStarted, ClaimedName: "\"\n\u202e"},
			"{\"at\":\"1970-01-01T00:00:00.000Z\",\"type\":\"invocation-started\",\"claimedName\":\"\\\"\\n\u202e\"}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.event.JSON(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestEventString(t *testing.T) {
	e := audit.Event{Type: audit.InvocationSettled, CapabilityID: "view:a.b", ConsumerID: "test:t", Status: "error", Code: capability.CodeTimeout}
	if got, want := e.String(), "invocation-settled view:a.b test:t error TIMEOUT"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (audit.Event{Type: audit.Registration}).String(); got != "registration" {
		t.Errorf("got %q", got)
	}
}

// ids are the invocation ids of events, in their order.
func ids(events []audit.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.InvocationID)
	}
	return out
}

func TestMemoryKeepsTheNewest(t *testing.T) {
	m := audit.NewMemory(3)
	for i, want := range [][]string{
		{"0"}, {"0", "1"}, {"0", "1", "2"}, {"1", "2", "3"}, {"2", "3", "4"}, {"3", "4", "5"}, {"4", "5", "6"},
	} {
		m.Record(audit.Event{InvocationID: fmt.Sprint(i)})
		if got := ids(m.Events()); !slices.Equal(got, want) {
			t.Errorf("after %d: got %q, want %q", i, got, want)
		}
	}
}

func TestMemoryEventsAreTheCallers(t *testing.T) {
	m := audit.NewMemory(1)
	if got := m.Events(); got == nil || len(got) != 0 {
		t.Errorf("an empty trail is %#v", got)
	}
	m.Record(audit.Event{InvocationID: "a"})
	m.Events()[0].InvocationID = "changed"
	if got := m.Events()[0].InvocationID; got != "a" {
		t.Errorf("the sink shares its memory: %q", got)
	}
}

func TestMemoryCapacityByDefault(t *testing.T) {
	for _, capacity := range []int{0, -1} {
		m := audit.NewMemory(capacity)
		for i := range audit.DefaultCapacity + 1 {
			m.Record(audit.Event{InvocationID: fmt.Sprint(i)})
		}
		if got := m.Events(); len(got) != audit.DefaultCapacity || got[0].InvocationID != "1" {
			t.Errorf("capacity %d: keeps %d from %q", capacity, len(got), got[0].InvocationID)
		}
	}
}

func TestMemoryFromManyGoroutines(t *testing.T) {
	const writers, each = 8, 100
	m := audit.NewMemory(writers * each)
	var everybody sync.WaitGroup
	for range writers {
		everybody.Go(func() {
			for i := range each {
				m.Record(audit.Event{InvocationID: fmt.Sprint(i)})
				m.Events()
			}
		})
	}
	everybody.Wait()
	if got := len(m.Events()); got != writers*each {
		t.Errorf("kept %d", got)
	}
}

func TestLines(t *testing.T) {
	var lines []string
	sink := audit.Lines(func(line string) { lines = append(lines, line) })
	sink.Record(audit.Event{At: at(0), Type: audit.Registration, ClaimedName: "a\nb"})
	want := `pagewarden audit {"at":"1970-01-01T00:00:00.000Z","type":"registration","claimedName":"a\nb"}`
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("got %q", lines)
	}
}

func TestDiscard(t *testing.T) {
	audit.Discard().Record(audit.Event{})
	if audit.Discard() != audit.Discard() || audit.Discard() == audit.Sink(audit.NewMemory(0)) {
		t.Error("the sink that keeps nothing cannot be told from others")
	}
}
