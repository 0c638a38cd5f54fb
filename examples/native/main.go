// Command native is a whole surface in a Go program without a page: two components, a policy, a server
// operation that a person confirms on the terminal, and the audit trail of it all. The agent is a script of
// calls.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run plays the script and gives the exit code: 0, 1 when the surface cannot be set up, or 2 for wrong arguments. With
// -contract FILE it writes the contract there and plays nothing.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("native", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("contract", "", "write the contract to this `file` and stop")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *file != "" {
		if err := writeContract(*file); err != nil {
			fmt.Fprintln(stderr, "native:", err)
			return 1
		}
		return 0
	}
	return playScript(stdin, stdout, stderr)
}

// writeContract compiles the declarations.
func writeContract(file string) error {
	compiled, err := contract.Compile(declarations()...)
	if err != nil {
		return fmt.Errorf("writing the contract: %w", err)
	}
	return os.WriteFile(file, compiled.File(), 0o644)
}

func playScript(stdin io.Reader, stdout, stderr io.Writer) int {
	app := &application{devices: []device{{ID: "d1", Name: "Lamp", On: true}, {ID: "d2", Name: "Heater", On: true}}}
	trail := audit.NewMemory(0)
	r, err := newSurface(app, trail)
	if err != nil {
		fmt.Fprintln(stderr, "native:", err)
		return 1
	}
	defer r.Dispose()
	agent := &agent{registry: r, out: stdout, answers: bufio.NewScanner(stdin)}
	agent.play()

	fmt.Fprintln(stdout, "\nAudit trail")
	for _, event := range trail.Events() {
		fmt.Fprintln(stdout, " ", event)
	}
	return 0
}

// newSurface makes the registry and mounts the two components.
func newSurface(app *application, trail audit.Sink) (*registry.Registry, error) {
	authority, err := contract.NewAuthority(capability.JSON(manifest), "") // built in, so nothing has to pin it
	if err != nil {
		return nil, err
	}
	r, err := registry.New(registry.Options{
		Authority:   authority,
		Environment: capability.Test,
		Context:     func() policy.Host { return policy.HostMap{"user": app.currentUser()} },
		Audit:       trail,
	})
	if err != nil {
		return nil, err
	}
	r.SetExecutor(registry.Procedures{"devices/disable": registry.TypedProcedure(app.disable)})
	app.signedIn = r.Invalidate
	for _, bind := range []func(*application) (*registry.Component, error){sessionPanel, deviceTable} {
		component, err := bind(app)
		if err != nil {
			return nil, err
		}
		if _, err := r.Register(component); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// agent makes the calls that an agent would make, and prints what it gets.
type agent struct {
	registry *registry.Registry
	out      io.Writer
	answers  *bufio.Scanner
}

func (a *agent) play() {
	a.call("view:devices.table.list", "") // hidden: nobody is signed in
	a.call("view:session.panel.signIn", `{"name":"Ada"}`)
	a.call("view:devices.table.list", "")
	a.call("view:devices.table.select", `{"ids":["d2","d9"]}`)
	a.call("view:devices.table.select", `{"ids":["d2"]}`)
	a.call("domain:devices/disable", `{"reason":"It is warm"}`)
	a.call("view:devices.table.list", "")
}

// call makes one call, and once more with the evidence when a person must confirm it.
func (a *agent) call(id string, input capability.JSON) {
	fmt.Fprintln(a.out, "->", id, input)
	request := registry.Request{CapabilityID: id, Input: input}
	result := a.registry.Invoke(context.Background(), request, registry.InvokeOptions{})
	if result.Error != nil && result.Error.Code == capability.CodeConfirmationRequired {
		a.decide()
		request.ConfirmationID = result.Error.Detail("confirmationId")
		result = a.registry.Invoke(context.Background(), request, registry.InvokeOptions{})
	}
	if result.OK() {
		fmt.Fprintln(a.out, "<- ok", result.Output)
	} else {
		fmt.Fprintln(a.out, "<-", result.Error.Code, result.Error.Details)
	}
}

// decide is the person's side: it shows what is pending and takes nothing but "y" for a yes.
func (a *agent) decide() {
	confirmations := a.registry.Confirmations()
	for _, pending := range confirmations.Pending() {
		fmt.Fprintf(a.out, "\n   %s (%s) asks for %s\n   %s\n   Approve? [y/N] ",
			pending.ConsumerKey, pending.Effect, pending.CapabilityID, pending.Summary)
		approved := a.answers.Scan() && a.answers.Text() == "y"
		confirmations.Resolve(pending.ConfirmationID, approved)
		fmt.Fprintln(a.out)
	}
}
