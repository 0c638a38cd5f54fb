package adaptertest_test

import (
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/toolset"
)

// In a test, t is the test's own; the port (here the type direct) is what the adapter's author writes.
func ExampleTest() {
	t := &testing.T{}
	adaptertest.Test(t, adaptertest.Subject{
		New:    func() adaptertest.Adapter { return &direct{confirmations: toolset.TwoPhase} },
		Traits: adaptertest.Traits{TwoPhase: true},
	})
	fmt.Println("failed:", t.Failed())
	// Output:
	// failed: false
}

func ExampleChecks() {
	for _, check := range adaptertest.Checks() {
		fmt.Println(check.Name)
	}
	// Output:
	// consumer
	// scope
	// refresh
	// registration
	// version
	// identity
	// errors
	// confirmation
	// names
	// state
	// stop
}
