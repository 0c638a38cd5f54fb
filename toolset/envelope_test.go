package toolset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
)

func TestEnvelopesThatAreRefused(t *testing.T) {
	p := newPage(t, meta)
	p.Register(p.list("main"))
	const target = `"capabilityId":"view:app.list.select"`
	for _, tt := range []struct{ tool, arguments, path, message string }{
		{discoverTool, `[]`, "", "must be an object"},
		{discoverTool, `"{}"`, "", "must be an object"},
		{discoverTool, `{`, "", "must be valid JSON, and is not at byte 1"},
		{discoverTool, `{"scopes":[]}`, "scopes", "is not an argument of surface_discover"},
		{discoverTool, `{"scope":"app"}`, "scope", "must be an array of prefixes"},
		{discoverTool, `{"scope":null}`, "scope", "must be an array of prefixes"},
		{discoverTool, `{"scope":[""]}`, "scope", "must hold strings that are not empty"},
		{discoverTool, `{"scope":["a",1]}`, "scope", "must hold strings that are not empty"},
		{discoverTool, `{"scope":[` + strings.Repeat(`"a",`, 100) + `"a"]}`, "scope", "must have at most 100 prefixes"},
		{discoverTool, `{"scope":["a"],"scope":["b"]}`, "scope", "must not be given twice"},
		{readTool, `{}`, "capabilityId", "is missing"},
		{readTool, `null`, "capabilityId", "is missing"},
		{readTool, `{"capabilityId":""}`, "capabilityId", "must not be empty; leave it out"},
		{readTool, `{"capabilityId":7}`, "capabilityId", "must be a string"},
		{readTool, `{` + target + `,"instanceId":null}`, "instanceId", "must be a string"},
		{readTool, `{` + target + `,"input":{}}`, "input", "is not an argument of surface_read"},
		{readTool, `{` + target + `,"__proto__":1}`, "__proto__", "is not an argument of surface_read"},
		{readTool, `{` + target + `,"a b":1}`, `["a b"]`, "is not an argument of surface_read"},
		{actTool, `{` + target + `}`, "input", "is missing"},
		{actTool, `{` + target + `,"ids":["a"],"input":{}}`, "ids", "is not an argument of surface_act"},
		{actTool, `{` + target + `,"input":null}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{` + target + `,"input":[]}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{` + target + `,"input":"ids"}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{` + target + `,"input":"[]"}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{` + target + `,"input":"{\"ids\":}"}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{"capabilityId":"view:app.list.rows","input":"ids"}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{"capabilityId":"view:app.none.none","input":"{}"}`, "input", "must be an object; pass {} when there is nothing to say"},
		{actTool, `{` + target + `,"input":{},"invocationId":""}`, "invocationId", "must not be empty; leave it out"},
		{actTool, `{` + target + `,"input":{},"surfaceVersion":3}`, "surfaceVersion", "must be a string"},
	} {
		r := p.call(p.tool(tt.tool), capability.JSON(tt.arguments))
		wantCode(t, r, capability.CodeInvalidInput)
		if r.Error == nil {
			continue
		}
		want := capability.InvalidInput([]capability.Issue{{Path: tt.path, Message: tt.message}}).Details
		if r.Error.Details != want {
			t.Errorf("%s of %s: the details are %s, want %s", tt.arguments, tt.tool, r.Error.Details, want)
		}
		if !strings.HasPrefix(r.Error.Message, "The arguments of "+tt.tool+" itself are not valid.") {
			t.Errorf("%s of %s: the message is %q", tt.arguments, tt.tool, r.Error.Message)
		}
		if got := strings.Contains(r.Error.Message, "Arguments of the capability belong inside input."); got != (tt.tool == actTool) {
			t.Errorf("%s of %s: the message is %q", tt.arguments, tt.tool, r.Error.Message)
		}
		id := map[string]string{discoverTool: "meta:surface.discover", readTool: "meta:surface.read", actTool: "meta:surface.act"}[tt.tool]
		if strings.Contains(tt.arguments, `"view:`) {
			id = "view:app.list.select"
			for _, other := range []string{"view:app.none.none", "view:app.list.rows"} {
				if strings.Contains(tt.arguments, other) {
					id = other
				}
			}
		}
		if r.CapabilityID != id || r.InvocationID == "" || r.SurfaceVersion != "1" {
			t.Errorf("%s of %s: the result is %s", tt.arguments, tt.tool, r.JSON())
		}
	}
	p.wantRan()
	if many := p.call(p.tool(readTool), manyMistakes()); strings.Count(string(many.Error.Details), "path") != 20 {
		t.Errorf("the mistakes are %s", many.Error.Details)
	}
}

// manyMistakes is an object of 500 members that nobody asked for.
func manyMistakes() capability.JSON {
	var o capability.ObjectWriter
	for i := range 500 {
		o.Int(fmt.Sprint("m", i), 1)
	}
	return o.JSON()
}

// TestInputThatIsAString is read as the object in it only where the target takes an object and nothing else.
func TestInputThatIsAString(t *testing.T) {
	p := newPage(t, meta)
	c := p.list("main")
	for name, document := range map[string]capability.JSON{
		"text": `{"type":"string"}`, "either": `{"type":["object","string"]}`, "anything": `{}`, "only": `{"type":["object"]}`,
	} {
		c.Actions = append(c.Actions, registry.Action{
			Name: name, Description: "Takes it", Effect: capability.LocalState, Input: registry.Schema{Document: document}, Execute: p.runs(name),
		})
	}
	p.Register(c)
	for _, tt := range []struct{ name, input, ran string }{
		{"select", `"{\"ids\":[\"\\u00e4\"]}"`, `select {"ids":["\u00e4"]}`},
		{"select", `"  {} "`, `select   {} `},
		{"only", `"{}"`, `only {}`},
		{"text", `"{}"`, `text "{}"`},
		{"either", `"{}"`, `either "{}"`},
		{"anything", `"{}"`, `anything "{}"`},
		{"anything", `[1]`, `anything [1]`},
		{"anything", `null`, `anything null`},
		{"anything", `{"a":1}`, `anything {"a":1}`},
	} {
		p.ran, p.logs = nil, nil
		r := p.call(p.tool(actTool), capability.JSON(`{"capabilityId":"view:app.list.`+tt.name+`","input":`+tt.input+`}`))
		wantOK(t, r, `"done"`)
		p.wantRan(tt.ran)
		if repaired := tt.name == "select" || tt.name == "only"; p.told("wrote the input of view:app.list."+tt.name+" as a string") != repaired {
			t.Errorf("%s: developers were told %q", tt.name, p.logs)
		}
	}
}

// TestEnvelopesAreCheckedAgainstTheirSchemas: what the verbs refuse by hand is what their published schemas refuse.
func TestEnvelopesAreCheckedAgainstTheirSchemas(t *testing.T) {
	p := newPage(t, meta)
	p.Register(p.list("main"))
	limits := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: 64}
	schemas := map[string]*schema.Schema{}
	for _, tool := range p.tools() {
		s, err := schema.Parse(tool.InputSchema, schema.Limits{MaxBytes: 1 << 14, MaxDepth: 8})
		if err != nil {
			t.Fatalf("the schema of %s: %v", tool.Name, err)
		}
		schemas[tool.Name] = s
	}
	members := rapid.SampledFrom([]string{"capabilityId", "instanceId", "input", "invocationId", "confirmationId", "surfaceVersion", "scope", "x"})
	values := rapid.SampledFrom([]capability.JSON{
		`""`, `"view:app.list.rows"`, `"view:app.list.select"`, `"main"`, `{}`, `{"ids":[]}`, `[]`, `["app"]`, `[""]`, `[1]`, `null`, `true`, `7`,
	})
	rapid.Check(t, func(rt *rapid.T) {
		var o capability.ObjectWriter
		for _, name := range rapid.SliceOfNDistinct(members, 0, 6, rapid.ID[string]).Draw(rt, "members") {
			o.Raw(name, values.Draw(rt, name))
		}
		name := rapid.SampledFrom([]string{discoverTool, readTool, actTool}).Draw(rt, "tool")
		decoded, issue := limits.Decode(o.JSON())
		if issue != nil {
			rt.Fatal(issue)
		}
		valid := len(schemas[name].Validate(decoded)) == 0
		r := p.call(p.tool(name), o.JSON())
		refused := r.Error != nil && strings.HasPrefix(r.Error.Message, "The arguments of "+name+" itself") && !strings.Contains(string(r.Error.Details), "must name an observation")
		if refused == valid {
			rt.Fatalf("%s of %s: valid by its schema: %v; the result is %s", o.JSON(), name, valid, r.JSON())
		}
	})
}

// FuzzEnvelope: whatever a model sends, there is one result, and it is well formed.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"scope":["app"]}`, `{"capabilityId":"view:app.list.select","input":"{}"}`, `{"capabilityId":"domain:\u0000"}`, `[[[[`, "\xff"} {
		f.Add(0, seed)
		f.Add(2, seed)
	}
	f.Fuzz(func(t *testing.T, which int, arguments string) {
		p := newPage(t, meta)
		p.Register(p.list("main"))
		tool := p.tools()[uint(which)%3]
		r := p.call(tool, capability.JSON(arguments))
		limits := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: 64}
		if issue := limits.Check(r.JSON()); issue != nil {
			t.Fatalf("the result is not JSON: %v", issue)
		}
		if r.Error != nil {
			if info, known := r.Error.Code.Info(); !known || !slices.Contains(info.Retry, r.Error.Retry) {
				t.Fatalf("the error is %s", r.Error.JSON())
			}
		}
		p.wantRan(p.ran...)
	})
}
