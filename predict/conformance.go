package predict

import (
	"context"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
)

// Case is one call that a conformance run makes.
type Case struct {
	// Name is the case's, for its check.
	Name string
	// Capability is the name of the one that is called.
	Capability string
	Input      capability.JSON
	// Verdict is the expected one; "" is CommittedVerdict.
	Verdict Verdict
	// Assert, when set, says what is wrong with the answer.
	Assert func(Answer) error
}

// Conformance configures a conformance run. Every field may be left out.
type Conformance struct {
	// Target is what to register with; without one the run shows how the capabilities do without.
	Target Target
	// Registration configures the tools.
	Registration ToolOptions
	Cases        []Case
}

// Check is one thing that a conformance run has looked at.
type Check struct {
	Name string
	OK   bool
	// Detail says what is wrong.
	Detail string
}

// ConformanceReport is what a conformance run has found.
type ConformanceReport struct {
	Supported  bool
	Registered []string
	Failed     []Failure
	Checks     []Check
}

// OK reports whether every check is.
func (r *ConformanceReport) OK() bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.OK })
}

// JSON is the report as an object: { supported, registered, failed, checks: [{ name, ok, detail? }] }.
func (r *ConformanceReport) JSON() capability.JSON {
	report := Registration{Supported: r.Supported, Registered: r.Registered, Failed: r.Failed}
	var o capability.ObjectWriter
	for _, member := range report.JSON().Members() {
		o.Raw(member.Name, member.Value)
	}
	o.Raw("checks", capability.ArrayOf(r.Checks, func(c Check) capability.JSON {
		var o capability.ObjectWriter
		o.Text("name", c.Name)
		o.Bool("ok", c.OK)
		o.OptionalText("detail", c.Detail)
		return o.JSON()
	}))
	return o.JSON()
}

// The checks that every run makes, beside "case: " and the name of each case.
const (
	CheckDescriptors  = "unique descriptors"
	CheckDegradation  = "safe degradation"
	CheckRegistration = "registration"
	CheckCleanup      = "clean-up"
)

// maxDetail is the most characters of a check's detail.
const maxDetail = 512

// RunConformance checks capabilities as an author's test: that their names are their own, that a page without an object
// for tools is left alone, that each registers, that the cases hold, and that everything is removed again, whatever
// happened before.
func (d *Desk) RunConformance(ctx context.Context, capabilities []*Capability, c Conformance) *ConformanceReport {
	r := &ConformanceReport{}
	r.check(CheckDescriptors, uniqueNames(capabilities))
	r.check(CheckDegradation, d.degrades(ctx, capabilities, c))
	registration := d.RegisterWebMCP(ctx, capabilities, c.Target, c.Registration)
	func() {
		defer registration.Cleanup()
		r.Supported, r.Registered, r.Failed = registration.Supported, registration.Registered, registration.Failed
		r.check(CheckRegistration, registration.problem())
		for _, each := range c.Cases {
			r.check("case: "+each.Name, d.runCase(ctx, capabilities, each, c.Registration))
		}
	}()
	r.check(CheckCleanup, d.cleaned(registration, c.Target))
	return r
}

func (r *ConformanceReport) check(name string, problem error) {
	check := Check{Name: name, OK: problem == nil}
	if problem != nil {
		check.Detail = capability.Cut(problem.Error(), maxDetail)
	}
	r.Checks = append(r.Checks, check)
}

func uniqueNames(capabilities []*Capability) error {
	seen := map[string]bool{}
	for _, c := range capabilities {
		if seen[c.d.Name] {
			return fmt.Errorf("%s is the name of two capabilities", c.d.Name)
		}
		seen[c.d.Name] = true
	}
	return nil
}

// degrades looks at how the capabilities do where there is nothing to register with.
func (d *Desk) degrades(ctx context.Context, capabilities []*Capability, c Conformance) error {
	r := d.RegisterWebMCP(ctx, capabilities, nil, c.Registration)
	defer r.Cleanup()
	if r.Supported || len(r.Registered) > 0 || len(r.Failed) > 0 {
		return fmt.Errorf("without an object to register with the report is %s", r.JSON())
	}
	return nil
}

// problem is the first failure.
func (r *Registration) problem() error {
	if len(r.Failed) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", r.Failed[0].Name, r.Failed[0].Error)
}

// runCase calls one capability. What a case's own code panics with is its failure.
func (d *Desk) runCase(ctx context.Context, capabilities []*Capability, c Case, options ToolOptions) (problem error) {
	defer func() {
		if cause := recover(); cause != nil {
			problem = fmt.Errorf("the case panicked: %v", cause)
		}
	}()
	at := slices.IndexFunc(capabilities, func(other *Capability) bool { return other.d.Name == c.Capability })
	if at < 0 {
		return fmt.Errorf("there is no capability %s", c.Capability)
	}
	tool, err := d.WebMCPTool(capabilities[at], options)
	if err != nil {
		return err
	}
	defer tool.Close()
	answer := tool.Execute(ctx, c.Input, Call{})
	want := c.Verdict
	if want == "" {
		want = CommittedVerdict
	}
	if answer.Receipt.Verdict != want {
		return fmt.Errorf("the outcome is %s, not %s: %s", answer.Receipt.Verdict, want, answer.Receipt.JSON())
	}
	if c.Assert != nil {
		return c.Assert(answer)
	}
	return nil
}

// cleaned looks at whether the registration left a name taken.
func (d *Desk) cleaned(r *Registration, target Target) error {
	for _, name := range r.Registered {
		if !d.names.reserve(target, name) {
			return fmt.Errorf("%s is still registered", name)
		}
		d.names.release(target, name)
	}
	return nil
}
