package main

import (
	"context"
	"slices"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

type device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	On   bool   `json:"on"`
}

// application is the state behind the surface.
type application struct {
	signedIn func()

	mu       sync.Mutex
	user     string
	devices  []device
	selected []string
}

func (a *application) currentUser() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.user
}

type signIn struct {
	Name string `json:"name" jsonschema:"who signs in"`
}

// sessionPanel binds the component that everybody sees.
func sessionPanel(app *application) (*registry.Component, error) {
	return registry.Bind(sessionContract(), registry.Binding{
		Actions: map[string]registry.Acting{"signIn": {Execute: registry.TypedProcedure(app.signIn)}},
	})
}

func (a *application) signIn(_ context.Context, in signIn, _ *registry.Call) (registry.None, error) {
	a.mu.Lock()
	a.user = in.Name
	a.mu.Unlock()
	a.signedIn()
	return registry.None{}, nil
}

type selection struct {
	IDs []string `json:"ids" jsonschema:"the devices to select"`
}

// disabling is the input of the server operation. The agent gives the reason; the page adds the rest.
type disabling struct {
	IDs    []string `json:"ids"`
	Reason string   `json:"reason"`
}

// deviceTable binds the component that only who is signed in sees, and the server operation that it offers.
func deviceTable(app *application) (*registry.Component, error) {
	disable, err := registry.BindProcedure(disableContract(), registry.ProcedureConfig{
		Bind: registry.TypedBind(func() (selection, error) { return selection{app.selection()}, nil }),
	})
	if err != nil {
		return nil, err
	}
	return registry.Bind(tableContract(), registry.Binding{
		Policies:     []policy.Policy{policy.Authenticated("user")},
		Observations: map[string]registry.Reading{"list": {Read: registry.TypedRead(app.list)}},
		Actions: map[string]registry.Acting{"select": {
			Execute: registry.TypedProcedure(app.selectDevices), Precondition: registry.TypedPrecondition(app.canSelect),
		}},
		Procedures: []registry.ProcedureBinding{disable},
	})
}

func (a *application) list(context.Context, *registry.Call) ([]device, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.devices), nil
}

func (a *application) selection() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.selected)
}

func (a *application) canSelect(in selection, _ *registry.Call) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range in.IDs {
		if !slices.ContainsFunc(a.devices, func(d device) bool { return d.ID == id }) {
			return registry.Refuse("There is no such device. List the devices first.", `{"missing":`+capability.Quote(id)+`}`)
		}
	}
	return nil
}

func (a *application) selectDevices(_ context.Context, in selection, _ *registry.Call) (registry.None, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.selected = in.IDs
	return registry.None{}, nil
}

// disable stands for the server.
func (a *application) disable(_ context.Context, in disabling, _ *registry.Call) (registry.None, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.devices {
		if slices.Contains(in.IDs, a.devices[i].ID) {
			a.devices[i].On = false
		}
	}
	return registry.None{}, nil
}
