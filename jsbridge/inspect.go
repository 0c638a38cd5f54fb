package jsbridge

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/explain"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
)

// validate reports the first structural defect of a definition, as a registration would.
func (b *Bridge) validate(definition int32, text string) error {
	component, _, err := (&surface{bridge: b}).component(definition, text)
	if err != nil {
		return err
	}
	if b.scratch == nil {
		authority := contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true})
		if b.scratch, err = registry.New(registry.Options{Host: b.loop, Authority: authority}); err != nil {
			return fmt.Errorf("validating a definition: %w", err)
		}
	}
	return b.scratch.Validate(component)
}

// vote is what a list of policies comes to for a context that the page gives: text is { policies, context },
// back comes { decision, reason? }.
func (b *Bridge) vote(text string) (string, error) {
	f, err := decodeObject("evaluateDiscovery", text)
	if err != nil {
		return "", err
	}
	s := &surface{bridge: b}
	policies := s.policies(f, "policies")
	c := f.object("context")
	if f.err != nil {
		return "", f.err
	}
	if c == nil {
		return "", typeError("evaluateDiscovery: the context must be an object")
	}
	c.where = "context"
	ctx := &policy.Context{
		CapabilityID: c.text("capabilityId"), Plane: capability.Plane(c.text("plane")), Kind: capability.Kind(c.text("kind")),
		Effect: capability.Effect(c.text("effect")), RegistrationID: c.text("registrationId"), Consumer: consumerOf(c),
		Environment: capability.Environment(c.text("environment")), Host: s.hostContext(), Now: b.loop.Now,
	}
	if meta := c.object("meta"); meta != nil {
		ctx.ComponentMeta, ctx.CapabilityMeta = meta.raw("component"), meta.raw("capability")
	}
	if ctx.Environment == "" {
		ctx.Environment = capability.Production
	}
	if c.err != nil {
		return "", c.err
	}
	decided := policy.Discover(policies, ctx)
	var o capability.ObjectWriter
	o.Text("decision", string(decided.Decision))
	o.OptionalText("reason", decided.Reason)
	return string(o.JSON()), nil
}

// explain is the report of package explain; text is { consumer? }.
func (s *surface) explain(text string) (string, error) {
	f, err := decodeObject("explainSurface", text)
	if err != nil {
		return "", err
	}
	consumer := consumerOf(f)
	if f.err != nil {
		return "", f.err
	}
	report, err := explain.Explain(s.registry, consumer)
	if err != nil {
		return "", err
	}
	return string(report.JSON()), nil
}

// offering is the request for a capability as a consumer sees it: text is { consumer?, capabilityId, instanceId? }.
// To capture gives { capabilityId, registrationId, surfaceVersion } and is an error unless there is exactly one;
// otherwise it is { registrationId } where there is exactly one, else {}.
func (s *surface) offering(capture bool, text string) (string, error) {
	f, err := decodeObject("request", text)
	if err != nil {
		return "", err
	}
	options := registry.SnapshotOptions{Consumer: consumerOf(f)}
	id, instance := f.text("capabilityId"), f.text("instanceId")
	if f.err != nil {
		return "", f.err
	}
	snapshot, err := s.registry.Snapshot(options)
	if err != nil {
		return "", err
	}
	ids := testsurface.Offering(snapshot, id, instance)
	var o capability.ObjectWriter
	if len(ids) == 1 {
		o.Text("registrationId", ids[0])
	} else if capture {
		return "", typeError(fmt.Sprintf("capturing %s: the consumer sees %d of it", id, len(ids)))
	}
	if capture {
		o.Text("capabilityId", id)
		o.Text("surfaceVersion", snapshot.SurfaceVersion)
	}
	return string(o.JSON()), nil
}
