package predict

import (
	"context"
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
)

// mount is a capability in the registry.
type mount struct {
	*Capability
	desk   *Desk
	input  *schema.Schema
	output *schema.Schema
	handle *registry.Handle // nil until it is registered; under the desk's lock
	known  bool             // the registry has answered; as above
	early  []func()         // calls that came before that; as above
}

// whenKnown runs a call once the registry has answered for the capability: while one flow registers it, others have it.
func (m *mount) whenKnown(call func()) {
	m.desk.mu.Lock()
	known := m.known
	if !known {
		m.early = append(m.early, call)
	}
	m.desk.mu.Unlock()
	if known {
		call()
	}
}

// runEarly runs what came before the registry had answered.
func (m *mount) runEarly() {
	m.desk.mu.Lock()
	early := m.early
	m.early = nil
	m.desk.mu.Unlock()
	for _, call := range early {
		call()
	}
}

// parse reads the schemas, for what is decided before the registry is asked.
func (m *mount) parse(l capability.Limits) (err error) {
	limits := schema.Limits{MaxBytes: l.MaxSchemaBytes, MaxDepth: l.MaxSchemaDepth}
	if m.input, err = schema.Parse(m.d.Input.Document, limits); err != nil {
		return defect(registry.UnsupportedSchema, "input", "%v", err)
	}
	if m.output, err = schema.Parse(m.d.Output.Document, limits); err != nil {
		return defect(registry.UnsupportedSchema, "output", "%v", err)
	}
	return nil
}

func (m *mount) givesObjects() bool { return m.output.RequiresObject() }

// component is what is registered. The policies are in their order: authorize is the outermost, and a dry run ends
// inside all of them.
func (m *mount) component() *registry.Component {
	policies := []policy.Policy{m.gate(), policy.HasPermission(m.d.Token, nil)}
	if m.d.Budget != nil {
		policies = append(policies, policy.RateLimit(m.d.Budget.Calls, m.d.Budget.Window))
	}
	policies = append(policies, m.dryEnd())
	return &registry.Component{
		Type: ComponentType, InstanceID: instanceID(m.d.Name), Description: "A capability of this page",
		Procedures: []registry.ProcedureBinding{{
			Ref: registry.ProcedureRef{
				Path: m.d.Name, Description: m.d.Description, Input: m.d.Input, Output: m.d.Output, Effect: m.effect,
				UntrustedContent: m.untrusted(),
			},
			Confirmation: m.d.Confirmation,
			Local:        &registry.Local{Execute: m.execute},
			Common:       registry.Common{Policies: policies, Timeout: m.d.Timeout},
		}},
	}
}

// instanceID is a name as an instance id: each name has its own.
func instanceID(name string) string {
	id := strings.ReplaceAll(strings.ReplaceAll(name, "_", "_u"), ".", "_d") // a Replacer costs 30 kB of wasm
	if len(id) > capability.MaxIDLength {
		return canonical.DigestForm(capability.Quote(name))
	}
	return id
}

// gate asks what the call's projection adds, before every other policy of the capability.
func (m *mount) gate() policy.Policy {
	return policy.Policy{Name: "authorize", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
		key := callKey{ctx.Consumer.Key(), ctx.InvocationID}
		m.desk.note(key, (*trace).begin)
		if authorize := m.desk.traces.given(key).authorize; authorize != nil && !authorize.admits(ctx) {
			return capability.NotAuthorized("client")
		}
		err := next()
		if err == nil {
			m.desk.pass(key, PolicyStage)
		}
		return err
	}}
}

// dryEnd ends a dry run once every policy has let it pass, and before anybody is asked to confirm it.
func (m *mount) dryEnd() policy.Policy {
	return policy.Policy{Name: "dry-run", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
		key := callKey{ctx.Consumer.Key(), ctx.InvocationID}
		if !m.desk.traces.given(key).dryRun {
			return next()
		}
		m.desk.pass(key, PolicyStage)
		m.desk.traces.note(key, func(t *trace) { t.foretold = true })
		return capability.PreconditionFailed("This was a dry run: nothing has been executed.", "")
	}}
}

// execute is the handler, inside the capability's own store of outputs.
func (m *mount) execute(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	key := callKey{call.Consumer.Key(), call.InvocationID}
	m.desk.pass(key, ApprovalStage)
	stored, remember, err := m.recall(ctx, input)
	if err != nil {
		return "", err
	}
	m.desk.pass(key, IdempotencyStage)
	if remember == nil {
		m.desk.traces.note(key, func(t *trace) { t.recalled = true })
		return stored, nil
	}
	output, err := m.d.Execute(ctx, input, call)
	if err != nil {
		return "", err
	}
	m.desk.pass(key, ExecuteStage)
	remember(output)
	return output, nil
}

// recall gives the output that an earlier call with the same key left, or how to leave one.
func (m *mount) recall(ctx context.Context, input capability.JSON) (output capability.JSON, remember func(capability.JSON), err error) {
	i := m.d.Idempotency
	if i == nil || i.Store == nil {
		return "", func(capability.JSON) {}, nil
	}
	key, err := m.key(input)
	if err != nil {
		return "", nil, err
	}
	output, found, err := i.Store.Get(ctx, key)
	if err != nil {
		return "", nil, fmt.Errorf("looking up an earlier output of %s: %w", m.d.Name, err)
	}
	if found {
		return output, nil, nil
	}
	return "", func(output capability.JSON) {
		if err := i.Store.Put(context.Background(), key, output); err != nil {
			m.desk.log(fmt.Sprintf("keeping the output of %s: %v", m.d.Name, err))
		}
	}, nil
}

// key is the identity of a call with that valid input.
func (m *mount) key(input capability.JSON) (key string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
		if err == nil && (key == "" || capability.Length(key) > capability.MaxIDLength) {
			err = fmt.Errorf("must have 1 to %d characters", capability.MaxIDLength)
		}
		if err != nil {
			err = fmt.Errorf("making the idempotency key of %s: %w", m.d.Name, err)
		}
	}()
	return m.d.Idempotency.Key(input)
}

// validated is input as the handler would get it; ok is false when the pipeline will refuse it.
func (m *mount) validated(input capability.JSON) (value capability.JSON, ok bool) {
	if input.Absent() {
		input = capability.EmptyObject
	}
	l := m.desk.registry.Limits()
	decoded, issue := capability.ValueLimits{MaxBytes: l.MaxInputBytes, MaxDepth: l.MaxInputDepth}.Decode(input)
	if issue != nil || input.Kind() != '{' {
		return "", false
	}
	if m.d.Input.Parse == nil {
		return input, len(m.input.Validate(decoded)) == 0
	}
	defer func() {
		if recover() != nil {
			value, ok = "", false
		}
	}()
	value, issues := m.d.Input.Parse(input)
	return value, len(issues) == 0
}
