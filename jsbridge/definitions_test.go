package jsbridge

import (
	"strings"
	"testing"
)

const (
	goodObservation = `{"description":"State","title":"The state","untrustedContent":true,"output":{"document":{"type":"string"}},"read":true,"when":true,"unavailableReason":true,"meta":{"a":1},"timeoutMs":100,"policies":[]}`
	goodAction      = `{"description":"Saves","effect":"navigation","input":{"document":{"type":"object"}},"output":{"document":{}},"idempotent":true,"reversible":false,"confirmation":"optional","audit":"full","precondition":true,"execute":true,"concurrency":{"mode":"key","key":"k","queueDepth":0},"unavailableReason":"Shut"}`
	goodReference   = `{"id":"domain:orders.cancel","path":"orders.cancel","title":"Cancel","description":"Cancels","effect":"server-mutation","inputSchema":{"type":"object","properties":{"order":{"type":"string"},"why":{"type":"string"}}},"outputSchema":{},"requiresApproval":true,"untrustedContent":true,"audit":"none"}`
	goodBinding     = `{"kind":"procedure-binding","ref":` + goodReference + `,"config":{"bind":true,"describe":true,"when":true,"overridableFields":["why"],"confirmation":"required","meta":{},"concurrency":{"mode":"capability"},"timeoutMs":5},"boundKeys":["order","why"],"lockedKeys":["order"],"contextLink":{"type":"app.page","instanceId":"p1"}}`
	goodDefinition  = `{"type":"app.form","instanceId":"f1","description":"A form","parent":{"type":"app.page"},"meta":{"area":"left"},"origin":"first-party","priority":3,"enabled":true,"policies":[{"name":"p","policy":9,"discovery":true,"authorize":true,"invoke":true}],"observations":{"state":` + goodObservation + `},"actions":{"save":` + goodAction + `},"procedures":[` + goodBinding + `]}`
)

func TestDefinitionWithEverything(t *testing.T) {
	p := newPage(t)
	p.answers[AskWhen] = says("true")
	p.answers[AskDiscovery] = says("")
	p.answers[AskDescribe] = says(`"Order o1"`)
	registry := p.registry("")
	p.register(registry, 1, goodDefinition)
	snapshot := p.do(OpSnapshot, registry, 0, "{}")
	for _, want := range []string{
		`"instanceId":"f1"`, `"parent":{"type":"app.page"`, `"meta":{"area":"left"}`, `"outputSchema":{"type":"string"}`,
		`"effect":"navigation","idempotent":true,"reversible":false,"confirmation":"optional"`,
		`"procedureId":"domain:orders.cancel"`, `"contextualNote":"Order o1"`, `"context":{"type":"app.page","instanceId":"p1"}`,
		`"boundFields":[{"path":"order","locked":true,"source":"ui-state"},{"path":"why","locked":false,"source":"ui-state"}]`,
	} {
		if !strings.Contains(snapshot, want) {
			t.Errorf("%s is not in %s", want, snapshot)
		}
	}
}

// TestDefects spoils one thing of a good definition at a time: old is replaced by spoilt.
func TestDefects(t *testing.T) {
	for _, c := range []struct{ old, spoilt, code, want string }{
		{`"type":"app.form"`, `"type":5`, "INVALID_DEFINITION", "type must be a string"},
		{`"type":"app.form"`, `"type":"App"`, "INVALID_ID", "type"},
		{`"instanceId":"f1"`, `"instanceId":""`, "INVALID_DEFINITION", "instanceId"},
		{`"instanceId":"f1"`, `"instanceId":"f 1"`, "INVALID_ID", "instanceId"},
		{`"description":"A form"`, `"description":""`, "INVALID_DEFINITION", "description"},
		{`"description":"A form"`, `"description":null`, "INVALID_DEFINITION", "description"},
		{`"description":"A form"`, `"colour":null`, "INVALID_DEFINITION", "colour"},
		{`"parent":{"type":"app.page"}`, `"parent":"app.page"`, "INVALID_DEFINITION", "parent"},
		{`"parent":{"type":"app.page"}`, `"parent":{"type":"app.page","x":1}`, "INVALID_DEFINITION", "x"},
		{`"parent":{"type":"app.page"}`, `"parent":{"type":[]}`, "INVALID_DEFINITION", "parent.type"},
		{`"meta":{"area":"left"}`, `"meta":[]`, "INVALID_DEFINITION", "meta"},
		{`"origin":"first-party"`, `"origin":"other"`, "INVALID_DEFINITION", "origin"},
		{`"priority":3`, `"priority":3.5`, "INVALID_DEFINITION", "priority"},
		{`"priority":3`, `"priority":1e12`, "INVALID_DEFINITION", "priority"},
		{`"enabled":true`, `"enabled":"yes"`, "INVALID_DEFINITION", "enabled"},
		{`"policies":[{`, `"policies":[5,{`, "INVALID_DEFINITION", "polic"},
		{`"policies":[{"name":"p","policy":9,"discovery":true,"authorize":true,"invoke":true}]`, `"policies":{}`, "INVALID_DEFINITION", "polic"},
		{`"policies":[{"name":"p"`, `"policies":[{"name":5`, "INVALID_DEFINITION", "name"},
		{`"policies":[{"name":"p"`, `"policies":[{"name":""`, "INVALID_DEFINITION", "name"},
		{`"discovery":true`, `"discovery":1`, "INVALID_DEFINITION", "discovery"},
		{`"observations":{"state":`, `"observations":[],"x":{"state":`, "INVALID_DEFINITION", "observations"},
		{`"state":{`, `"state":5,"more":{`, "INVALID_DEFINITION", "state"},
		{`"state":{`, `"not a name":{`, "INVALID_ID", "not a name"},
		{`"title":"The state"`, `"title":5`, "INVALID_DEFINITION", "title"},
		{`"untrustedContent":true,"output"`, `"untrustedContent":1,"output"`, "INVALID_DEFINITION", "untrustedContent"},
		{`"output":{"document":{"type":"string"}}`, `"output":5`, "INVALID_DEFINITION", "output"},
		{`"output":{"document":{"type":"string"}}`, `"output":{"document":{"type":"string"},"x":1}`, "INVALID_DEFINITION", "x"},
		{`"output":{"document":{"type":"string"}}`, `"output":{"document":5}`, "UNSUPPORTED_SCHEMA", "output"},
		{`"output":{"document":{"type":"string"}}`, `"output":{"document":{},"parse":"x"}`, "INVALID_DEFINITION", "parse"},
		{`"read":true`, `"read":false`, "INVALID_DEFINITION", "read"},
		{`"read":true`, `"read":1`, "INVALID_DEFINITION", "read"},
		{`"when":true,"unavailableReason":true`, `"when":"x"`, "INVALID_DEFINITION", "when"},
		{`"unavailableReason":true`, `"unavailableReason":5`, "INVALID_DEFINITION", "unavailableReason"},
		{`"timeoutMs":100`, `"timeoutMs":-1`, "INVALID_DEFINITION", "timeoutMs"},
		{`"timeoutMs":100`, `"timeoutMs":"100"`, "INVALID_DEFINITION", "timeoutMs"},
		{`"timeoutMs":100`, `"timeoutMs":1e300`, "INVALID_DEFINITION", "timeoutMs"},
		{`"effect":"navigation"`, `"effect":5`, "INVALID_DEFINITION", "effect"},
		{`"effect":"navigation"`, `"effect":"destructive"`, "PLANE_VIOLATION", "effect"},
		{`"input":{"document":{"type":"object"}}`, `"input":{"document":{"not":{}}}`, "UNSUPPORTED_SCHEMA", "input"},
		{`"input":{"document":{"type":"object"}},`, ``, "INVALID_DEFINITION", "input"},
		{`"idempotent":true`, `"idempotent":"no"`, "INVALID_DEFINITION", "idempotent"},
		{`"confirmation":"optional"`, `"confirmation":"maybe"`, "INVALID_DEFINITION", "confirmation"},
		{`"audit":"full"`, `"audit":"all"`, "INVALID_DEFINITION", "audit"},
		{`"execute":true`, `"execute":null`, "INVALID_DEFINITION", "execute"},
		{`"concurrency":{"mode":"key","key":"k"`, `"concurrency":{"mode":"key"`, "INVALID_DEFINITION", "concurrency"},
		{`"mode":"key"`, `"mode":"all"`, "INVALID_DEFINITION", "concurrency"},
		{`"queueDepth":0`, `"queueDepth":-1`, "INVALID_DEFINITION", "concurrency"},
		{`"queueDepth":0`, `"queueDepth":0.5`, "INVALID_DEFINITION", "queueDepth"},
		{`"queueDepth":0`, `"depth":0`, "INVALID_DEFINITION", "depth"},
		{`"actions":{"save":`, `"actions":{"state":`, "DUPLICATE_CAPABILITY", "state"},
		{`"procedures":[`, `"procedures":[5,`, "INVALID_DEFINITION", "procedures[0]"},
		{`"procedures":[` + goodBinding + `]`, `"procedures":{}`, "INVALID_DEFINITION", "procedures"},
		{`"kind":"procedure-binding"`, `"kind":"other"`, "INVALID_DEFINITION", "procedures[0].kind: must be procedure-binding; give what bind of the declared procedure gives"},
		{`"priority":3`, `"priority":3,"bind":null`, "INVALID_DEFINITION", "register what bind({ … }) of the declaration gives"},
		{`"kind":"procedure-binding"`, `"kind":"procedure-binding","x":1`, "INVALID_DEFINITION", "x"},
		{`"ref":` + goodReference, `"ref":5`, "INVALID_DEFINITION", "ref"},
		{`"ref":` + goodReference + `,`, ``, "INVALID_DEFINITION", "ref"},
		{`"id":"domain:orders.cancel"`, `"id":"domain:other"`, "INVALID_DEFINITION", "id"},
		{`"path":"orders.cancel","title":"Cancel"`, `"path":"orders.cancel","x":1`, "INVALID_DEFINITION", "x"},
		{`"requiresApproval":true`, `"requiresApproval":"no"`, "INVALID_DEFINITION", "requiresApproval"},
		{`"effect":"server-mutation"`, `"effect":"local-state"`, "PLANE_VIOLATION", "effect"},
		{`"config":{`, `"config":{"x":1,`, "INVALID_DEFINITION", "x"},
		{`"config":{`, `"config":[],"y":{`, "INVALID_DEFINITION", "procedures[0]"},
		{`"overridableFields":["why"]`, `"overridableFields":"why"`, "INVALID_DEFINITION", "overridableFields"},
		{`"overridableFields":["why"]`, `"overridableFields":[5]`, "INVALID_DEFINITION", "overridableFields"},
		{`"lockedKeys":["order"]`, `"lockedKeys":[]`, "INVALID_DEFINITION", "lockedKeys"},
		{`"lockedKeys":["order"]`, `"lockedKeys":["order","why"]`, "INVALID_DEFINITION", "lockedKeys"},
		{`"boundKeys":["order","why"]`, `"boundKeys":["order","why","other"]`, "INVALID_DEFINITION", "other"},
		{`"contextLink":{"type":"app.page","instanceId":"p1"}`, `"contextLink":5`, "INVALID_DEFINITION", "contextLink"},
		{`"contextLink":`, `"reducedInputSchema":{"type":"object"},"contextLink":`, "INVALID_DEFINITION", "educedInput"},
		{`"boundKeys":["order","why"],"lockedKeys":["order"]`, `"boundFields":[{"path":"order","locked":true}]`, "INVALID_DEFINITION", "procedures[0].boundFields: takes the place of"},
		{`"lockedKeys":["order"]`, `"boundFields":[{"path":"order","locked":true}]`, "INVALID_DEFINITION", "procedures[0].boundFields: takes the place of"},
		{`"overridableFields":["why"],`, `"boundFields":[],`, "INVALID_DEFINITION", "boundFields"},
	} {
		t.Run(c.spoilt, func(t *testing.T) {
			if strings.Count(goodDefinition, c.old) == 0 {
				t.Fatalf("%s is not in the good definition", c.old)
			}
			p := newPage(t)
			registry := p.registry("")
			text := strings.Replace(goodDefinition, c.old, c.spoilt, 1)
			p.wantFailure(OpRegister, registry, 1, text, StatusDefinition, `"code":"`+c.code+`","message":"[`+c.code+`] `)
			p.wantFailure(OpRegister, registry, 1, text, StatusDefinition, c.want)
			p.wantTables("surfaces 1")
			if version := p.do(OpVersion, registry, 0, ""); version != "0" {
				t.Errorf("the version is %s", version)
			}
		})
	}
}

// TestDeclaredFields: a binding of a contract has its bound fields in place of keys, and needs no path.
func TestDeclaredFields(t *testing.T) {
	declared := strings.NewReplacer(
		`"boundKeys":["order","why"],"lockedKeys":["order"]`, `"boundFields":[{"path":"order","locked":true},{"path":"why","locked":false}]`,
		`"overridableFields":["why"],`, ``, `"path":"orders.cancel",`, ``,
	).Replace(goodDefinition)
	p := newPage(t)
	p.answers[AskWhen], p.answers[AskDiscovery], p.answers[AskDescribe] = says("true"), says(""), says(`"Note"`)
	registry := p.registry("")
	p.register(registry, 1, declared)
	snapshot := p.do(OpSnapshot, registry, 0, "{}")
	const want = `"boundFields":[{"path":"order","locked":true,"source":"ui-state"},{"path":"why","locked":false,"source":"ui-state"}]`
	if !strings.Contains(snapshot, want) || !strings.Contains(snapshot, `"procedureId":"domain:orders.cancel"`) {
		t.Errorf("got %s", snapshot)
	}
	for old, c := range map[string]struct{ spoilt, want string }{
		`[{"path":"order","locked":true},`: {`{"path":"order","locked":true},"x":[`, "boundFields: must be an array"},
		`{"path":"order","locked":true}`:   {`7`, "boundFields[0]: must be { path, locked }"},
		`"path":"order"`:                   {`"name":"order"`, "boundFields[0]: unknown field"},
		`"locked":true`:                    {`"locked":1`, "locked must be true or false"},
		`"bind":true,`:                     {``, "config.bind: bound keys need a bind function"},
	} {
		text := strings.Replace(strings.Replace(declared, `"instanceId":"f1"`, `"instanceId":"f2"`, 1), old, c.spoilt, 1)
		p.wantFailure(OpRegister, registry, 2, text, StatusDefinition, c.want)
	}
	none := strings.Replace(declared, `"boundFields":[{"path":"order","locked":true},{"path":"why","locked":false}]`, `"boundFields":[]`, 1)
	p.wantFailure(OpRegister, registry, 2, none, StatusDefinition, "config.bind: is for the declared bound fields, of which there are none")
}

func TestCheckSchema(t *testing.T) {
	p := newPage(t)
	p.do(OpCheckSchema, 0, 0, `{"type":"object"}`)
	for _, text := range []string{`{"not":{}}`, `5`, `{`, "", `{"pattern":"(?=x)"}`, strings.Repeat(`{"items":`, 100) + "{}" + strings.Repeat("}", 100)} {
		p.wantFailure(OpCheckSchema, 0, 0, text, StatusDefinition, "UNSUPPORTED_SCHEMA")
	}
}
