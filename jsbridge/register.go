package jsbridge

import (
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/registry"
)

// plan is a definition that the script has written down once, for components that differ from it in nothing but
// their instance id and their functions.
type plan struct {
	blueprint *registry.Blueprint
	asks      []asks
	captures  bool // as in definition
}

// maxPlans bounds the plans that a registry keeps. A page whose definitions all differ needs none of them.
const maxPlans = 500

// register reads a definition and mounts it. Back comes "plan registrationId reason?", where plan is 0 when the
// definition cannot be mounted again.
func (s *surface) register(definition int32, text string) (string, error) {
	component, d, err := s.component(definition, text)
	if err != nil {
		return "", err
	}
	instance := component.InstanceID
	component.InstanceID = ""
	blueprint, err := s.registry.Prepare(component)
	if err != nil {
		return "", err
	}
	p := &plan{blueprint, d.asks, d.captures}
	h, err := s.mount(p, definition, instance)
	if err != nil {
		return "", err
	}
	number := int32(0)
	if !d.captures {
		number = s.keepPlan(p)
	}
	return strconv.Itoa(int(number)) + " " + mounted(h), nil
}

func (s *surface) keepPlan(p *plan) int32 {
	if len(s.plans) == maxPlans {
		clear(s.plans)
	}
	s.lastPlan++
	s.plans[s.lastPlan] = p
	return s.lastPlan
}

// mountAgain takes "plan instanceId" and mounts a definition that it has read before. Back comes "registrationId
// reason?", or nothing when the plan is not kept any more.
func (s *surface) mountAgain(definition int32, text string) (string, error) {
	number, instance, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return "", typeError("mount: " + number + " is not the number of a plan")
	}
	p := s.plans[int32(n)]
	if p == nil {
		return "", nil
	}
	h, err := s.mount(p, definition, instance)
	if err != nil {
		return "", err
	}
	return mounted(h), nil
}

func mounted(h *registry.Handle) string {
	if reason := h.Reason(); reason != "" {
		return h.RegistrationID() + " " + reason
	}
	return h.RegistrationID()
}

func (s *surface) mount(p *plan, definition int32, instance string) (*registry.Handle, error) {
	c := &component{s, definition, p.captures || s.judged}
	h, err := s.registry.Mount(p.blueprint, registry.Instance{
		ID: instance, Internal: c, Owner: c,
		Functions: func(i int) registry.Functions { return p.asks[i].functions(hook{c, int32(i)}) },
	})
	if err == nil && h.Status() == registry.Active {
		s.bridge.handles[definition] = h
		s.handles[definition] = struct{}{}
	}
	return h, err
}

// component is one registration of the page's, by the script's number for its definition.
type component struct {
	surface    *surface
	definition int32
	outlived   bool // something of it is asked after it has gone: who may be told of it
}

// Removed lets the script free what it keeps for the handlers.
func (c *component) Removed() {
	s := c.surface
	delete(s.bridge.handles, c.definition)
	delete(s.handles, c.definition)
	s.readers.forget(c.definition)
	everything := int32(1)
	if c.outlived {
		everything = 0
	}
	s.bridge.page.Tell(TellFreed, c.definition, everything, "")
}

// Forgotten lets the script free the rest.
func (c *component) Forgotten() {
	if c.outlived {
		c.surface.bridge.page.Tell(TellFreed, c.definition, 1, "")
	}
}
