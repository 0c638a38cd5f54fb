package predict_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// sound is a definition with what is required.
func sound() predict.Definition {
	return predict.Definition{
		Name: "cart.add", Description: "Adds to the cart",
		Input: registry.Schema{Document: `{"type":"object"}`}, Output: registry.Schema{Document: `{"type":"object"}`},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "{}", nil },
	}
}

func TestDefineRefuses(t *testing.T) {
	predicts := func(predict.Foresight) (predict.Prediction, error) { return predict.Prediction{}, nil }
	for _, test := range []struct {
		name, where string
		change      func(*predict.Definition)
	}{
		{"no name", "name", func(d *predict.Definition) { d.Name = "" }},
		{"a capital", "name", func(d *predict.Definition) { d.Name = "Cart" }},
		{"a digit first", "name", func(d *predict.Definition) { d.Name = "1cart" }},
		{"a slash", "name", func(d *predict.Definition) { d.Name = "cart/add" }},
		{"a long name", "name", func(d *predict.Definition) { d.Name = strings.Repeat("a", 122) }},
		{"no description", "description", func(d *predict.Definition) { d.Description = " " }},
		{"a long token", "capability", func(d *predict.Definition) { d.Token = strings.Repeat("a", 129) }},
		{"no input", "input", func(d *predict.Definition) { d.Input = registry.Schema{} }},
		{"no output", "output", func(d *predict.Definition) { d.Output = registry.Schema{} }},
		{"no execute", "execute", func(d *predict.Definition) { d.Execute = nil }},
		{"predict alone", "reconcile", func(d *predict.Definition) { d.Predict = predicts }},
		{"reconcile alone", "reconcile", func(d *predict.Definition) { foreseen(d); d.Predict = nil }},
		{"a negative time", "timeoutMs", func(d *predict.Definition) { d.Timeout = -1 }},
		{"idempotency without a key", "idempotency.key", func(d *predict.Definition) { d.Idempotency = &predict.Idempotency{} }},
		{"a budget of nothing", "budget", func(d *predict.Definition) { d.Budget = &predict.Budget{Window: time.Second} }},
		{"a budget without a window", "budget", func(d *predict.Definition) { d.Budget = &predict.Budget{Calls: 1} }},
		{"a path", "reads", func(d *predict.Definition) { d.Reads = []string{"cart", "/cart"} }},
		{"a long path", "writes", func(d *predict.Definition) { d.Writes = []string{strings.Repeat("a", 129)} }},
		{"a scope", "scope", func(d *predict.Definition) { d.Scope = "world" }},
		{"a reconciliation", "reconciliation", func(d *predict.Definition) { d.Reconciliation = "guess" }},
		{"a confirmation", "confirmation", func(d *predict.Definition) { d.Confirmation = "always" }},
		{"annotations", "annotations", func(d *predict.Definition) { d.Annotations = `[]` }},
		{"no JSON", "annotations", func(d *predict.Definition) { d.Annotations = `{` }},
		{"many annotations", "annotations", func(d *predict.Definition) {
			d.Annotations = capability.JSON(`{"a":"` + strings.Repeat("x", 2048) + `"}`)
		}},
		{"reads and destroys", "annotations.readOnlyHint", func(d *predict.Definition) { d.Annotations = `{"readOnlyHint":true,"destructiveHint":true}` }},
		{"reads outside", "annotations.readOnlyHint", func(d *predict.Definition) { d.Annotations = `{"readOnlyHint":true,"openWorldHint":true}` }},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := sound()
			test.change(&d)
			_, err := predict.Define(d)
			defect, ok := registry.IsDefinitionError(err)
			if !ok || defect.Where != test.where {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDefine(t *testing.T) {
	d := sound()
	d.Reads = []string{"cart", "user:1/x", "cart"}
	c, err := predict.Define(d)
	if err != nil {
		t.Fatal(err)
	}
	d.Reads[0] = "changed"
	same(t, "the object", string(c.JSON()), `{"tool":{"name":"cart.add","description":"Adds to the cart","capability":"cart.add",`+
		`"inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{}},`+
		`"surface":{"scope":"page","reads":["cart","user:1/x"],"writes":[],"reconciliation":"manual"}}`)
	same(t, "the id", c.CapabilityID(), "domain:cart.add")
	same(t, "whether it predicts", c.Predicts(), false)
	for annotations, want := range map[capability.JSON]capability.Effect{
		"": capability.ServerMutation, `{}`: capability.ServerMutation, `{"readOnlyHint":true}`: capability.ServerQuery,
		`{"destructiveHint":true,"openWorldHint":true}`: capability.Destructive, `{"openWorldHint":true}`: capability.ExternalSideEffect,
		`{"readOnlyHint":false,"destructiveHint":false}`: capability.ServerMutation,
	} {
		d.Annotations = annotations
		c, err := predict.Define(d)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the effect of "+string(annotations), c.Effect(), want)
	}
}

func TestLongNamesRegister(t *testing.T) {
	p := newPage(t)
	for _, name := range []string{"a" + strings.Repeat(".", 120), "a" + strings.Repeat("_", 120), "a.b", "a_b", "a_db"} {
		a := p.call(p.tool(p.named(name), predict.ToolOptions{}), lamp, predict.Call{})
		same(t, name, a.Receipt.OK, true)
	}
}

func TestMCPTool(t *testing.T) {
	p := newPage(t)
	make := func(change func(*predict.Definition), tokens ...string) *predict.MCPTool {
		tool, err := p.desk.MCPTool(p.rename(change), predict.ToolOptions{Capabilities: tokens})
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	tool := make(func(d *predict.Definition) { d.Annotations = `{"idempotentHint":true}` }, "device.rename")
	text := string(tool.JSON())
	for _, part := range []string{`{"name":"device.rename","description":"Renames a device","inputSchema":{"type":"object"`, `"outputSchema":{"type":"object"`, `"annotations":{"idempotentHint":true}}`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
	a := p.call(tool.Tool, lamp, predict.Call{})
	same(t, "a result", string(tool.Result(a)), `{"content":[{"type":"text","text":"{\"version\":\"v2\"}"}],"structuredContent":{"version":"v2"},"_meta":{"pagewarden/receipt":`+string(a.Receipt.JSON())+`}}`)

	asks := make(func(d *predict.Definition) { d.Name, d.Confirmation = "asks", capability.Required }, "asks")
	a = p.call(asks.Tool, lamp, predict.Call{})
	result := asks.Result(a)
	same(t, "the flag of an error", member(result, "isError"), capability.JSON("true"))
	same(t, "its structured content", member(result, "structuredContent"), capability.JSON(""))
	id, _ := member(member(result, "_meta"), predict.ConfirmationMeta).Text()
	same(t, "the confirmation", id, a.Result.Error.Detail("confirmationId"))

	plain := make(func(d *predict.Definition) {
		d.Name, d.Output.Document = "plain", `{"type":"string"}`
		d.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return `"done"`, nil }
	}, "plain")
	same(t, "a schema that MCP does not take", strings.Contains(string(plain.JSON()), "outputSchema"), false)
	same(t, "a text", member(plain.Result(p.call(plain.Tool, lamp, predict.Call{})), "content"), capability.JSON(`[{"type":"text","text":"\"done\""}]`))
}

func TestAuthorityOfWhatIsDefined(t *testing.T) {
	home, err := contract.NewAuthorities("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defined := contract.NewTools()
	authority, err := home.Defining(defined)
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(t, func(o *registry.Options) { o.Authority = authority })
	for name, change := range map[string]func(*predict.Definition){
		"plain":       func(*predict.Definition) {},
		"destructive": func(d *predict.Definition) { d.Annotations = `{"destructiveHint":true,"untrustedContentHint":true}` },
		"confirmed":   func(d *predict.Definition) { d.Confirmation = capability.Required },
		"reading":     func(d *predict.Definition) { d.Annotations = `{"readOnlyHint":true}` },
	} {
		c := p.rename(func(d *predict.Definition) { change(d); d.Name = name })
		if _, err := p.desk.WebMCPTool(c, predict.ToolOptions{}); err == nil {
			t.Errorf("%s is admitted before it is defined", name)
		}
		if err := defined.Add(c.Offer()); err != nil {
			t.Error(err)
		}
		if _, err := p.desk.WebMCPTool(c, predict.ToolOptions{}); err != nil {
			t.Error(err)
		}
	}
}
