package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema/infer"
)

// The ids of what the server does with devices. A page's requests and an agent's calls of them go through the same
// registry, which validates and authorizes both.
const (
	ListDevices    = "domain:devices.list"
	GetDevice      = "domain:devices.get"
	DisableDevices = "domain:devices.disable"
	EnableDevices  = "domain:devices.enable"
	RenameDevice   = "domain:devices.rename"
)

// Types that say more in a schema than their Go type does: see schemas.
type (
	deviceID   string
	deviceIDs  []string
	deviceName string
	revision   int64
)

type deviceList struct {
	Total   int      `json:"total"`
	Devices []Device `json:"devices"`
}

type changedDevices struct {
	Devices []Device `json:"devices"`
}

type oneDevice struct {
	Device Device `json:"device"`
}

type getting struct {
	ID deviceID `json:"id"`
}

type disabling struct {
	IDs    deviceIDs `json:"ids" jsonschema:"the devices to disable, all or none"`
	Reason string    `json:"reason,omitempty" jsonschema:"why, in at most 200 characters"`
}

type enabling struct {
	IDs deviceIDs `json:"ids" jsonschema:"the devices to enable, all or none"`
}

type renaming struct {
	ID      deviceID   `json:"id"`
	Name    deviceName `json:"name"`
	Version revision   `json:"version,omitzero" jsonschema:"the version that was read: the device is renamed only if it has not changed since"`
}

// schemas are those of the types of which their Go type does not tell all.
func schemas() *infer.Options {
	bounds := map[reflect.Type]string{
		reflect.TypeFor[Status]():     fmt.Sprintf(`{"type":"string","enum":["%s","%s","%s"]}`, Online, Offline, Maintenance),
		reflect.TypeFor[deviceID]():   fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d}`, maxID),
		reflect.TypeFor[deviceIDs]():  fmt.Sprintf(`{"type":"array","items":{"type":"string","minLength":1,"maxLength":%d},"minItems":1,"maxItems":%d,"uniqueItems":true}`, maxID, MaxBatch),
		reflect.TypeFor[deviceName](): fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d}`, MaxName),
		reflect.TypeFor[revision]():   `{"type":"integer","minimum":1}`,
	}
	types := map[reflect.Type]capability.JSON{}
	for t, document := range bounds {
		types[t] = capability.JSON(document)
	}
	return &infer.Options{Types: types}
}

// Limits of the domain's registry.
const (
	maxListBytes    = 256 << 10 // the list of all devices is larger than what agents are given by default
	rememberedCalls = 5000      // of all agents, so that a retry of any of them does nothing twice
	parallelCalls   = 16
	waitingCalls    = 1000
	callTimeout     = 30 * time.Second
)

// NewDomain makes the registry of what the server does with devices: the procedures above, over the store, with schemas
// of the demo's own Go types. What an agent disables through a bridge a person must confirm; the page asks its own
// person. log gets changes and internal errors; nil means none. The caller disposes the registry.
func NewDomain(store *Store, log *slog.Logger) (*registry.Registry, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	limits := capability.DefaultLimits()
	limits.MaxOutputBytes, limits.DedupeCacheSize = maxListBytes, rememberedCalls
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}), // the server is its own author
		Limits:    &limits,
	})
	if err != nil {
		return nil, fmt.Errorf("making the demo's domain: %w", err)
	}
	component, err := (&domain{store, log}).component()
	if err == nil {
		_, err = r.Register(component)
	}
	if err != nil {
		r.Dispose()
		return nil, fmt.Errorf("making the demo's domain: %w", err)
	}
	return r, nil
}

// domain carries the procedures out.
type domain struct {
	store *Store
	log   *slog.Logger
}

func (d *domain) component() (*registry.Component, error) {
	list, err := procedure(ListDevices, "Lists the devices that pass a filter, all of them without one", capability.ServerQuery, d, d.list)
	get, err2 := procedure(GetDevice, "Gives one device", capability.ServerQuery, d, d.get)
	disable, err3 := procedure(DisableDevices, "Disables devices, with a reason, in one step", capability.Destructive, d, d.disable)
	enable, err4 := procedure(EnableDevices, "Enables devices that are disabled, in one step", capability.ServerMutation, d, d.enable)
	rename, err5 := procedure(RenameDevice, "Gives a device another name", capability.ServerMutation, d, d.rename)
	disable.Policies = []policy.Policy{policy.RequireConfirmation(policy.Raise{If: viaBridge})}
	return &registry.Component{
		Type: "devices.domain", Description: "The devices, on the server",
		Procedures: []registry.ProcedureBinding{list, get, disable, enable, rename},
	}, errors.Join(err, err2, err3, err4, err5)
}

// viaBridge reports whether nobody but the bridge itself could have asked a person.
func viaBridge(ctx *policy.InvokeContext) bool { return ctx.Consumer.Kind == capability.BridgeConsumer }

// procedure is a function of the server as a capability; its types are the schemas.
func procedure[In, Out any](
	id, description string, effect capability.Effect, d *domain, execute func(context.Context, In, *registry.Call) (Out, error),
) (registry.ProcedureBinding, error) {
	input, err := infer.Schema[In](schemas())
	output, err2 := infer.Schema[Out](schemas())
	depth := waitingCalls
	run := registry.TypedProcedure(func(ctx context.Context, in In, call *registry.Call) (Out, error) {
		out, err := execute(ctx, in, call)
		return out, d.refusal(ctx, id, err)
	})
	return registry.ProcedureBinding{
		Ref: registry.ProcedureRef{
			Path: id[len("domain:"):], Description: description, Effect: effect, Input: input, Output: output, UntrustedContent: true,
		},
		Local:       &registry.Local{Execute: run},
		Concurrency: registry.Concurrency{Mode: registry.Parallel, Max: parallelCalls, QueueDepth: &depth},
		Common:      registry.Common{Timeout: callTimeout},
	}, errors.Join(err, err2)
}

// refusal is the store's error as a caller gets it: what it can act on whole, and nothing of the rest.
func (d *domain) refusal(ctx context.Context, id string, err error) error {
	var refused *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refused):
		if !errors.Is(err, context.Canceled) {
			d.log.ErrorContext(ctx, "a procedure failed", "id", id, "err", err)
		}
		return err
	case refused.Code == CodeInvalidInput:
		return capability.InvalidInput([]capability.Issue{{Path: refused.Field, Message: refused.Message}})
	}
	var details capability.ObjectWriter
	details.Text("code", string(refused.Code))
	details.OptionalText("field", refused.Field)
	return registry.Refuse(refused.Message, details.JSON())
}

func (d *domain) list(ctx context.Context, filter Filter, _ *registry.Call) (deviceList, error) {
	devices, err := d.store.List(ctx, filter)
	return deviceList{len(devices), devices}, err
}

func (d *domain) get(ctx context.Context, in getting, _ *registry.Call) (oneDevice, error) {
	device, err := d.store.Get(ctx, string(in.ID))
	return oneDevice{device}, err
}

func (d *domain) disable(ctx context.Context, in disabling, call *registry.Call) (changedDevices, error) {
	devices, err := d.store.Disable(ctx, in.IDs, in.Reason)
	if err == nil {
		d.log.InfoContext(ctx, "devices disabled", "ids", in.IDs, "reason", in.Reason, "by", call.Consumer.Key())
	}
	return changedDevices{devices}, err
}

func (d *domain) enable(ctx context.Context, in enabling, call *registry.Call) (changedDevices, error) {
	devices, err := d.store.Enable(ctx, in.IDs)
	if err == nil {
		d.log.InfoContext(ctx, "devices enabled", "ids", in.IDs, "by", call.Consumer.Key())
	}
	return changedDevices{devices}, err
}

func (d *domain) rename(ctx context.Context, in renaming, call *registry.Call) (oneDevice, error) {
	device, err := d.store.Rename(ctx, string(in.ID), string(in.Name), int64(in.Version))
	if err == nil {
		d.log.InfoContext(ctx, "device renamed", "id", device.ID, "version", device.Version, "by", call.Consumer.Key())
	}
	return oneDevice{device}, err
}
