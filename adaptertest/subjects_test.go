package adaptertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
	"github.com/pagewarden/pagewarden/toolset"
	"github.com/pagewarden/pagewarden/webmcp"
)

// direct is the port of a toolset in direct mode.
type direct struct {
	confirmations toolset.Confirmations
	registry      func(*registry.Registry) toolset.Registry // nil for the registry itself
	set           *toolset.Toolset
}

func (d *direct) Start(at adaptertest.Place) (err error) {
	var r toolset.Registry = at.Registry
	if d.registry != nil {
		r = d.registry(at.Registry)
	}
	d.set, err = toolset.New(r, toolset.Options{Consumer: at.Consumer, Confirmations: d.confirmations, Scope: at.Scope, Host: at.Host})
	return err
}

func (d *direct) Tools() ([]adaptertest.Tool, error) {
	list, err := d.set.Tools()
	if err != nil {
		return nil, err
	}
	capabilities := d.set.WireNameMap()
	var tools []adaptertest.Tool
	for _, tool := range list {
		tools = append(tools, adaptertest.Tool{
			Name: tool.Name, CapabilityID: capabilities[tool.Name], Description: tool.Description, InputSchema: tool.InputSchema,
			State: string(tool.State.JSON()), Ref: tool,
		})
	}
	return tools, nil
}

func (d *direct) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	tool.Ref.(toolset.Tool).Start(context.Background(), input, toolset.Call{InvocationID: call.ID, ConfirmationID: call.ConfirmationID}, answerTo(done))
}

func (d *direct) Stop() { d.set.Dispose() }

func answerTo(done func(adaptertest.Answer)) func(registry.Result) {
	return func(r registry.Result) { done(adaptertest.Answer{Output: r.Output, Error: r.Error}) }
}

// meta is the port of a toolset in meta mode: what surface_discover shows are its tools.
type meta struct {
	set   *toolset.Toolset
	verbs map[string]toolset.Tool
}

func (m *meta) Start(at adaptertest.Place) (err error) {
	m.set, err = toolset.New(at.Registry, toolset.Options{
		Consumer: at.Consumer, Mode: toolset.Meta, Topology: toolset.Embedded, Scope: at.Scope, Host: at.Host,
	})
	return err
}

// discovered is the part of a snapshot that the port reads.
type discovered struct {
	SurfaceVersion string
	Components     []struct {
		InstanceID            string
		Observations, Actions []offered
	}
	Procedures []offered
}

// offered is one capability of a snapshot.
type offered struct {
	CapabilityID, ProcedureID, Description, UnavailableReason, ContextualNote string
	InputSchema                                                               json.RawMessage

	instance, version string
	reads             bool
}

func (m *meta) Tools() ([]adaptertest.Tool, error) {
	verbs, err := m.set.Tools()
	if err != nil {
		return nil, err
	}
	m.verbs = map[string]toolset.Tool{}
	for _, verb := range verbs {
		m.verbs[verb.Name] = verb
	}
	var result registry.Result
	m.verbs["surface_discover"].Start(context.Background(), `{}`, toolset.Call{}, func(r registry.Result) { result = r })
	if result.Error != nil {
		return nil, result.Error
	}
	var found discovered
	if err := json.Unmarshal([]byte(result.Output), &found); err != nil {
		return nil, fmt.Errorf("reading what was discovered: %w", err)
	}
	var tools []adaptertest.Tool
	add := func(o offered) {
		o.version = found.SurfaceVersion
		tools = append(tools, adaptertest.Tool{
			CapabilityID: o.CapabilityID + o.ProcedureID, Description: o.Description, InputSchema: capability.JSON(o.InputSchema),
			State: o.UnavailableReason + o.ContextualNote, Ref: o,
		})
	}
	for _, c := range found.Components {
		for _, o := range c.Observations {
			o.instance, o.reads = c.InstanceID, true
			add(o)
		}
		for _, o := range c.Actions {
			o.instance = c.InstanceID
			add(o)
		}
	}
	for _, o := range found.Procedures {
		add(o)
	}
	return tools, nil
}

func (m *meta) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	o := tool.Ref.(offered)
	var arguments capability.ObjectWriter
	arguments.Text("capabilityId", tool.CapabilityID)
	arguments.OptionalText("instanceId", o.instance)
	verb := "surface_read"
	if !o.reads {
		verb = "surface_act"
		arguments.Raw("input", input)
		arguments.Text("surfaceVersion", o.version)
		arguments.OptionalText("invocationId", call.ID)
		arguments.OptionalText("confirmationId", call.ConfirmationID)
	}
	m.verbs[verb].Start(context.Background(), arguments.JSON(), toolset.Call{}, answerTo(done))
}

func (m *meta) Stop() { m.set.Dispose() }

// browser is the port of a WebMCP adapter: the page's model context, as an agent sees it.
type browser struct {
	style   webmcp.Style
	adapter *webmcp.Adapter
	tools   []webmcp.Tool
}

func (b *browser) Style() webmcp.Style { return b.style }

func (b *browser) Add(tool webmcp.Tool, settled func(error)) {
	if slices.ContainsFunc(b.tools, func(other webmcp.Tool) bool { return other.Name == tool.Name }) {
		settled(errors.New("InvalidStateError"))
		return
	}
	b.tools = append(b.tools, tool)
	settled(nil)
}

func (b *browser) Remove(tool webmcp.Tool) error {
	b.tools = slices.DeleteFunc(b.tools, func(other webmcp.Tool) bool { return other.Token == tool.Token })
	return nil
}

func (b *browser) Replace(tools []webmcp.Tool) error {
	b.tools = slices.Clone(tools)
	return nil
}

func (b *browser) Start(at adaptertest.Place) error {
	b.adapter = webmcp.New(webmcp.Options{Host: at.Host, Find: func() webmcp.ModelContext { return b }})
	return b.adapter.Start(webmcp.Host{Registry: at.Registry, Consumer: at.Consumer, Snapshot: webmcp.SnapshotContext{Scope: at.Scope}})
}

func (b *browser) Tools() ([]adaptertest.Tool, error) {
	capabilities := map[string]string{}
	for _, tool := range b.adapter.Status().Registered {
		capabilities[tool.Name] = tool.CapabilityID
	}
	var tools []adaptertest.Tool
	for _, tool := range b.tools {
		tools = append(tools, adaptertest.Tool{
			Name: tool.Name, CapabilityID: capabilities[tool.Name], Description: tool.Description, InputSchema: tool.InputSchema, Ref: tool,
		})
	}
	return tools, nil
}

func (b *browser) Call(tool adaptertest.Tool, input capability.JSON, _ adaptertest.Call, done func(adaptertest.Answer)) {
	called := tool.Ref.(webmcp.Tool)
	called.Owner.Call(called.Token, input, webmcp.CallOptions{}, func(result capability.JSON) { done(readResult(result)) })
}

// readResult is what an agent reads in the text of a result.
func readResult(result capability.JSON) adaptertest.Answer {
	var read struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal([]byte(result), &read); err != nil {
		panic(err)
	}
	text := capability.JSON(read.Content[0].Text)
	if !read.IsError {
		return adaptertest.Answer{Output: text}
	}
	var payload capability.Error
	for _, member := range text.Members() {
		value, _ := member.Value.Text()
		switch member.Name {
		case "code":
			payload.Code = capability.Code(value)
		case "retry":
			payload.Retry = capability.Retry(value)
		case "details":
			payload.Details = member.Value
		}
	}
	return adaptertest.Answer{Error: &payload}
}

func (b *browser) Stop() { b.adapter.Stop() }

// harness is the port of the test surface.
type harness struct {
	surface *testsurface.Surface
	host    host.Host
	scope   []string
	stopped bool
}

func (h *harness) Start(at adaptertest.Place) error {
	h.host, h.scope = at.Host, at.Scope
	h.surface = testsurface.New(fatal{}, testsurface.Options{Registry: at.Registry, Consumer: at.Consumer})
	return nil
}

// fatal is what the harness reports to.
type fatal struct{}

func (fatal) Helper()                           {}
func (fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (fatal) Cleanup(func())                    {}

func (h *harness) Tools() ([]adaptertest.Tool, error) {
	if h.stopped {
		return nil, nil
	}
	snapshot := h.surface.SnapshotWith(registry.SnapshotOptions{Scope: h.scope})
	var tools []adaptertest.Tool
	add := func(id, registrationID, description, state string, schema capability.JSON) {
		tools = append(tools, adaptertest.Tool{
			CapabilityID: id, Description: description, InputSchema: schema, State: state,
			Ref: registry.Request{CapabilityID: id, RegistrationID: registrationID, SurfaceVersion: snapshot.SurfaceVersion},
		})
	}
	for _, c := range snapshot.Components {
		for _, o := range c.Observations {
			add(o.CapabilityID, c.RegistrationID, o.Description, o.UnavailableReason, "")
		}
		for _, a := range c.Actions {
			add(a.CapabilityID, c.RegistrationID, a.Description, a.UnavailableReason, a.InputSchema)
		}
	}
	for _, p := range snapshot.Procedures {
		add(p.ProcedureID, p.RegistrationID, p.Description, strings.TrimSpace(p.UnavailableReason+" "+p.ContextualNote), p.InputSchema)
	}
	return tools, nil
}

func (h *harness) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	q := tool.Ref.(registry.Request)
	q.Input, q.InvocationID, q.ConfirmationID = input, call.ID, call.ConfirmationID
	begun := h.surface.Start(context.Background(), q)
	var look func()
	look = func() {
		if r := begun.Settled(); r != nil {
			answerTo(done)(*r)
		} else if !h.stopped {
			h.host.Task(look)
		}
	}
	look()
}

func (h *harness) Stop() {
	h.stopped = true
	h.surface.Dispose()
}
