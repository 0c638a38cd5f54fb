package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// asServer is the environment variable that makes the test binary a server over stdio, for tests that need a process.
const asServer = "PAGEWARDEN_TEST_STDIO"

// TestMain fails when anything is left running.
func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(serveStdio())
	}
	goleak.VerifyTestMain(m)
}

// largeLimits are limits for values of several megabytes.
func largeLimits(o *registry.Options) {
	limits := capability.DefaultLimits()
	limits.MaxInputBytes, limits.MaxOutputBytes = 20<<20, 20<<20
	o.Limits = &limits
}

// serveStdio is a server whose one tool prints what it should not, and gives its input back.
func serveStdio() int {
	options := registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test}
	largeLimits(&options)
	r, err := registry.New(options)
	if err != nil {
		return 2
	}
	_, err = r.Register(&registry.Component{Type: "house.lamp", Description: "A lamp", Actions: []registry.Action{{
		Name: "echo", Description: "Says it again", Effect: capability.LocalState, Input: registry.Schema{Document: anyObject},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			fmt.Println("a line that a handler prints")
			fmt.Print("and half a line")
			return input, nil
		},
	}}})
	if err != nil {
		return 2
	}
	s, err := mcpserver.New(r, mcpserver.Options{ConsumerID: "process"})
	if err != nil {
		return 2
	}
	transport := mcpserver.Stdio()
	fmt.Println("printed between the beginning and the first message")
	if err := s.Run(context.Background(), transport); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
