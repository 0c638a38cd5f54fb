package confirm_test

import (
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/host"
)

func ExampleStore() {
	store := confirm.NewStore(confirm.Options{
		Host: host.Native(), TTL: time.Minute, MaxPending: 32, MaxPendingPerConsumer: 8,
		OnChange: func(change confirm.Change) { fmt.Println("event:", change.Step) },
	})
	binding := confirm.Binding{
		SurfaceID: "srf_1", RegistrationID: "reg_1", CapabilityID: "domain:devices/disable",
		ConsumerKey: "embedded:anonymous", Input: `{"id":"d1"}`, Effect: capability.Destructive,
	}
	pending, err := store.Request(binding, "Switch the heater off?")
	if err != nil {
		fmt.Println(err)
		return
	}
	store.Resolve(pending.ConfirmationID, true) // a person's click

	other := binding
	other.Input = `{"id":"d2"}`
	for _, b := range []confirm.Binding{other, binding, binding} {
		if _, err := store.Consume(pending.ConfirmationID, b, ""); err != nil {
			fmt.Println(err.Code, err.Details)
		}
	}
	// Output:
	// event: requested
	// event: approved
	// CONFIRMATION_INVALID {"reason":"mismatch"}
	// event: consumed
	// CONFIRMATION_INVALID {"reason":"consumed"}
}
