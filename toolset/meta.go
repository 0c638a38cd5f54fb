package toolset

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/registry"
)

// metaTools are the three tools of meta mode.
func (t *Toolset) metaTools() []Tool {
	var tools []Tool
	for _, v := range verbs() {
		tools = append(tools, Tool{toolset: t, Spec: &Spec{
			Name: v.name, Description: v.text, InputSchema: v.schema(), State: State{Available: true}, CapabilityID: v.capabilityID,
		}})
	}
	return tools
}

// startVerb calls one of the three tools.
func (t *Toolset) startVerb(ctx context.Context, capabilityID string, arguments capability.JSON, call Call, done func(registry.Result)) {
	for _, v := range verbs() {
		if v.capabilityID != capabilityID {
			continue
		}
		e, issues := v.read(orEmpty(arguments), t.registry.Limits())
		if call.InputIssue != (capability.Issue{}) {
			issues = []capability.Issue{call.InputIssue}
		}
		e.adopt(call)
		if len(issues) > 0 {
			done(t.refuse(v, e, issues))
			return
		}
		v.run(t, ctx, v, e, done)
		return
	}
	done(t.answer(call.Identity(), capabilityID, capability.NotFound()))
}

// refuse is the answer to arguments that are not what the verb declares.
func (t *Toolset) refuse(v verb, e envelope, issues []capability.Issue) registry.Result {
	target := e.capabilityID
	if target == "" {
		target = v.capabilityID
	}
	return t.answer(e.invocationID, target, capability.InvalidArguments(v.name, v.hint, issues))
}

// discover is surface_discover.
func (t *Toolset) discover(ctx context.Context, v verb, e envelope, done func(registry.Result)) {
	if ctx.Err() != nil {
		done(t.answer(e.invocationID, v.capabilityID, capability.Cancelled(capability.NotStarted)))
		return
	}
	shown := narrow(t.options.Scope, e.scope)
	options := registry.SnapshotOptions{Consumer: t.options.Consumer, Scope: shown.scope}
	if budget := t.options.Budget; budget != nil {
		options.MaxComponents, options.MaxBytes = budget.MaxComponents, budget.MaxBytes
	}
	snapshot, err := t.registry.Snapshot(options)
	if err != nil {
		done(t.answer(e.invocationID, v.capabilityID, capability.Disposed(capability.NotStarted)))
		return
	}
	if shown.nothing {
		snapshot.Components, snapshot.Procedures, snapshot.DroppedComponents = nil, nil, 0
	}
	snapshot.RejectedScopes = shown.rejected
	result := t.answer(e.invocationID, v.capabilityID, nil)
	result.Output, result.SurfaceVersion = snapshot.JSON(), snapshot.SurfaceVersion
	done(result)
}

// read is surface_read. It never runs what does more than read, whatever it is called with: a host may trust the verb.
func (t *Toolset) read(ctx context.Context, v verb, e envelope, done func(registry.Result)) {
	targets := t.registry.Targets(t.options.Consumer, e.capabilityID, e.instanceID)
	for _, target := range targets {
		if target.Kind != capability.Observation {
			issue := capability.Issue{Path: "capabilityId", Message: "must name an observation; " + actName + " calls actions and procedures"}
			done(t.refuse(v, e, []capability.Issue{issue}))
			return
		}
	}
	t.startOn(ctx, targets, e, e.request(), done)
}

// act is surface_act.
func (t *Toolset) act(ctx context.Context, v verb, e envelope, done func(registry.Result)) {
	targets := t.registry.Targets(t.options.Consumer, e.capabilityID, e.instanceID)
	request := e.request()
	input, repaired, ok := fit(e.input, targets, t.registry.Limits())
	if !ok {
		issue := capability.Issue{Path: "input", Message: "must be an object; pass {} when there is nothing to say"}
		done(t.refuse(v, e, []capability.Issue{issue}))
		return
	}
	if repaired {
		t.log(fmt.Sprintf("the model wrote the input of %s as a string; it was read as the object in it", e.capabilityID))
	}
	request.Input = input
	t.startOn(ctx, targets, e, request, done)
}

// startOn makes a call of the one target that there is. With none or several the registry says what is wrong.
func (t *Toolset) startOn(ctx context.Context, targets []registry.Target, e envelope, request registry.Request, done func(registry.Result)) {
	if len(targets) == 1 {
		request.RegistrationID, request.InstanceID = targets[0].RegistrationID, ""
	}
	t.calls.Start(ctx, consent.Call{Request: request, Issued: e.request()}, done)
}
