package audit_test

import (
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/audit"
)

func ExampleMemory() {
	trail := audit.NewMemory(2)
	for _, id := range []string{"view:a.one", "view:a.two", "view:a.three"} {
		trail.Record(audit.Event{Type: audit.InvocationStarted, CapabilityID: id})
	}
	for _, event := range trail.Events() {
		fmt.Println(event)
	}
	// Output:
	// invocation-started view:a.two
	// invocation-started view:a.three
}

func ExampleLines() {
	sink := audit.Lines(func(line string) { fmt.Println(line) })
	sink.Record(audit.Event{At: time.UnixMilli(0), Type: audit.Registration, RegistrationID: "reg_1"})
	// Output: pagewarden audit {"at":"1970-01-01T00:00:00.000Z","type":"registration","registrationId":"reg_1"}
}
