package jsbridge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// answeringPage answers the questions of built-in policies by the name of the function and notes what it is told.
type answeringPage struct {
	silentPage
	functions map[string]func() (Answer, string)
	host      string // the key that the host context has
	told      *[]string
}

func (p answeringPage) Ask(q Question, _, _, _ int32, text string) (Answer, string) {
	switch q {
	case AskHost:
		return AnswerValue, fmt.Sprint(text == p.host)
	case AskPolicy:
		function, _, _ := strings.Cut(text, "\n")
		if answer := p.functions[function]; answer != nil {
			return answer()
		}
		return AnswerFailed, ""
	}
	return AnswerValue, ""
}

func (p answeringPage) Tell(n News, a, b int32, text string) {
	if p.told != nil {
		*p.told = append(*p.told, fmt.Sprintf("%d %d %d %s", n, a, b, text))
	}
}

func bridgeTo(page Page) *Bridge { return opened(New(page, silentPage{})) }

// opened is b with an open authority that production may use, number 1.
func opened(b *Bridge) *Bridge {
	b.Do(OpAuthority, 0, 1, "")
	return b
}

// numberOf is the number that the script finds for a function.
func numberOf(t *testing.T, b *Bridge, name string) int32 {
	t.Helper()
	_, back := b.Do(OpCompute, 0, 0, "")
	var table struct{ Functions, Dev, Own []string }
	if err := json.Unmarshal([]byte(back), &table); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(slices.Concat(table.Functions, table.Dev, table.Own), name)
	if at < 0 {
		t.Fatalf("the table has no function %s", name)
	}
	return int32(at + 1)
}

func TestTableOfTheScript(t *testing.T) {
	b := bridgeTo(silentPage{})
	status, back := b.Do(OpCompute, 0, 0, "")
	if status != StatusOK || capability.JSON(back).Kind() != '{' {
		t.Fatalf("the table is %v %s", status, back)
	}
	var table struct {
		Policies []string
		Values   map[string]any
		Shapes   map[string]map[string]string
		Texts    map[string]any
	}
	if err := json.Unmarshal([]byte(back), &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Policies) != 7 || len(table.Values) != 4 || len(table.Texts) < 10 {
		t.Errorf("the table is incomplete: %s", back)
	}
	for name, fields := range table.Shapes {
		for field, how := range fields {
			if kind, shape, nested := strings.Cut(how, ":"); nested && table.Shapes[shape] == nil {
				t.Errorf("%s.%s is written by shape %q, which there is not", name, field, shape)
			} else if !strings.Contains("dftrspikoel", kind) || len(kind) != 1 {
				t.Errorf("%s.%s is written as %q, which the script does not know", name, field, kind)
			}
		}
	}
}

func TestComputeRefusesUnknownFunctions(t *testing.T) {
	b := bridgeTo(silentPage{})
	for _, n := range []int32{-1, 10_000} {
		if status, back := b.Do(OpCompute, n, 0, "{}"); status != StatusType {
			t.Errorf("function %d gave %v %q", n, status, back)
		}
	}
}

func TestComputeRefusesWhatIsNoJSON(t *testing.T) {
	b := bridgeTo(silentPage{})
	for _, name := range []string{"formatDomainCapabilityId", "digestJson", "canonicalJson"} {
		for _, text := range []string{"no JSON\n", "!no JSON\n", "{\n", "5\n!no JSON\n"} {
			if status, back := b.Do(OpCompute, numberOf(t, b, name), 0, text); status != StatusType {
				t.Errorf("%s gave %v %s for %q", name, status, back, text)
			}
		}
	}
}

// asWritten is { "0": value, … } as the script writes arguments.
func asWritten(arguments capability.JSON) string {
	var lines [5]string
	for _, member := range arguments.Members() {
		name, wrong := strings.CutPrefix(member.Name, "!")
		i, _ := strconv.Atoi(name)
		lines[i] = string(member.Value)
		if wrong {
			lines[i] = "!" + lines[i]
		}
	}
	return strings.Join(lines[:], "\n")
}

func TestFunctions(t *testing.T) {
	const noJSON = `{"path":"a","message":"must be JSON, and is a function"}`
	for _, test := range []struct {
		name      string
		arguments capability.JSON
		want      string
		status    Status
	}{
		{"parseCapabilityId", `{"0":"view:a.b.c"}`, `{"plane":"view","componentType":"a.b","name":"c"}`, StatusOK},
		{"parseCapabilityId", `{"0":"domain:x"}`, `{"plane":"domain","path":"x"}`, StatusOK},
		{"parseCapabilityId", `{"!0":` + noJSON + `}`, "", StatusOK},
		{"formatViewCapabilityId", `{"0":"a","1":"b"}`, `"view:a.b"`, StatusOK},
		{"formatViewCapabilityId", `{"0":"a"}`, "formatViewCapabilityId: the name is required", StatusType},
		{"formatViewCapabilityId", `{"0":"a","1":5}`, "formatViewCapabilityId: the name must be a string", StatusType},
		{"formatViewCapabilityId", `{"!0":` + noJSON + `,"1":"b"}`, "formatViewCapabilityId: the component type a: must be JSON, and is a function", StatusType},
		{"formatDomainCapabilityId", `{"0":"x/y"}`, `"domain:x/y"`, StatusOK},
		{"isValidComponentType", `{"0":"a.b"}`, "true", StatusOK},
		{"isValidInstanceId", `{}`, "false", StatusOK},
		{"isValidCapabilityName", `{"0":7}`, "false", StatusOK},
		{"encodeWireNameForInstance", `{"0":"view:a.b","1":"x","2":0}`, `"view_a__b_at_x"`, StatusOK},
		{"encodeWireNameForInstance", `{"0":"view:a.b","2":0.5}`, "encodeWireNameForInstance: encodeWireNameForInstance.2 must be a whole number", StatusType},
		{"decodeWireName", `{"0":"view_a__b"}`, `"view:a.b"`, StatusOK},
		{"decodeWireName", `{"0":"other"}`, "", StatusOK},
		{"assignWireNames", `{"0":[{"id":"view:a.b"},{"id":"view:a.b"}]}`, `{"names":["view_a__b","view_a__b"],"byName":{"view_a__b":{"id":"view:a.b"}}}`, StatusOK},
		{"assignWireNames", `{"0":[{"id":5}]}`, "assignWireNames: entries[0].id must be a string", StatusType},
		{"jsonDeepEqual", `{"0":{"a":1,"b":2},"1":{"b":2.0,"a":1}}`, "true", StatusOK},
		{"jsonDeepEqual", `{"0":1,"!1":` + noJSON + `}`, "false", StatusOK},
		{"canonicalJson", `{"0":{"b":1,"a":2}}`, `"{\"a\":2,\"b\":1}"`, StatusOK},
		{"canonicalJson", `{}`, "canonicalJson: the value is required", StatusType},
		{"digestJson", `{"0":{}}`, `"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"`, StatusOK},
		{"validateJsonSchemaDocument", `{"0":{"type":"string"}}`, `{"ok":true}`, StatusOK},
		{"validateJsonSchemaDocument", `{"!0":` + noJSON + `}`, `{"ok":false,"reason":"a: must be JSON, and is a function"}`, StatusOK},
		{"validateJsonSchemaDocument", `{"0":{},"1":{"maxSchemaBytes":1}}`, `"ok":false`, StatusOK},
		{"validateJsonSchemaDocument", `{"0":{},"1":{"other":1}}`, "no such limit", StatusType},
		{"validateValueAgainstSchema", `{"0":5,"1":{"$ref":"#/$defs/a"},"2":{"$defs":{"a":{"type":"string"}}},"3":"x"}`, `[{"path":"x","message":`, StatusOK},
		{"validateValueAgainstSchema", `{"0":"s","1":{"$ref":"#/$defs/a","$defs":{"a":{"type":"number"}}},"2":{"$defs":{"a":{"type":"string"}}}}`, "[]", StatusOK},
		{"validateValueAgainstSchema", `{"!0":` + noJSON + `,"1":{},"3":"x"}`, `[{"path":"x.a","message":"must be JSON, and is a function"}]`, StatusOK},
		{"validateValueAgainstSchema", `{"1":{}}`, `[{"path":"","message":"must be JSON, and is undefined"}]`, StatusOK},
		{"validateValueAgainstSchema", `{"0":1,"1":{"oneOf":[]}}`, "oneOf", StatusType},
		{"serializeSurfaceSnapshot", `{"0":{"surfaceId":"s","components":[{"registrationId":"r"}],"procedures":[{"registrationId":"r"},5]}}`, `<reg#1>`, StatusOK},
		{"serializeSurfaceSnapshot", `{"0":[]}`, "must be an object", StatusType},
		{"matchesScope", `{"0":"a.b","1":["a"]}`, "true", StatusOK},
		{"matchesScope", `{"0":"a.b","1":"a"}`, "an array of strings", StatusType},
		{"issues", `{"0":{"0":{"message":"m","path":{"0":"rows","1":2,"2":"a b"}}}}`, `[{"path":"rows[2][\"a b\"]","message":"m"}]`, StatusOK},
		{"webTool", `{"0":{"id":"clear_cart","description":"Clears","destructive":true,"safeResponse":false,"annotations":{"own":1}}}`, `{"annotations":{"own":1,"destructiveHint":true,"untrustedContentHint":true,"consequentialHint":true},"effect":"destructive","untrusted":true,"document":""}`, StatusOK},
		{"webTool", `{"0":{"id":"clear cart","description":"Clears"}}`, "[INVALID_ID] id: a tool's id is 1 to 121", StatusDefinition},
		{"webTool", `{"0":{"id":"a","description":"Clears","readOnly":"yes"}}`, "readOnly must be true or false", StatusDefinition},
		{"webTool", `{"0":[]}`, "must be an object", StatusDefinition},
		{"webTool", `{"!0":` + noJSON + `}`, "a: must be JSON, and is a function", StatusDefinition},
		{"webToolResult", `{"0":"text"}`, `{"content":[{"type":"text","text":"text"}]}`, StatusOK},
		{"webToolResult", `{}`, `{"content":[]}`, StatusOK},
		{"webToolResult", `{"!0":` + noJSON + `}`, `\"code\":\"failed\"`, StatusOK},
		{"webToolResult", `{"0":{"content":[{}]}}`, `\"code\":\"failed\"`, StatusOK},
		{"webToolError", `{"0":"sold_out","1":"None left."}`, `{"content":[{"type":"text","text":"{\"code\":\"sold_out\",\"message\":\"None left.\"}"}],"isError":true}`, StatusOK},
		{"webToolError", `{"0":"sold_out"}`, "the message is required", StatusType},
		{"webToolPayload", `{"0":"sold_out","1":"None left."}`, `{"code":"EXECUTION_FAILED","message":"None left.","retry":"no","details":{"reason":"handler-error","code":"sold_out"}}`, StatusOK},
		{"webToolGone", `{}`, `\"code\":\"CAPABILITY_NOT_FOUND\"`, StatusOK},
		{"webToolPayload", `{"0":5,"1":""}`, "the code must be a string", StatusType},
		{"webToolOutcome", `{"0":{"status":"ok","output":"text"}}`, `{"content":[{"type":"text","text":"text"}]}`, StatusOK},
		{"webToolOutcome", `{"0":{"status":"error","error":{"code":"CONFIRMATION_INVALID","message":"No.","retry":"no","details":{"reason":"denied"}}}}`, `\"code\":\"denied\"`, StatusOK},
		{"webToolOutcome", `{"0":{"status":"error","error":{"code":5}}}`, "no payload", StatusType},
		{"webToolOutcome", `{"0":5}`, "must be an object", StatusType},
		{"issues", `{"0":{}}`, `[{"path":"","message":"was refused"}]`, StatusOK},
	} {
		b := bridgeTo(silentPage{})
		status, back := b.Do(OpCompute, numberOf(t, b, test.name), 0, asWritten(test.arguments))
		if status != test.status || back != test.want && (test.want == "" || !strings.Contains(back, test.want)) {
			t.Errorf("%s(%s) gave %v %s; want %v %s", test.name, test.arguments, status, back, test.status, test.want)
		}
	}
}

func TestValidateRegistersNothing(t *testing.T) {
	b := bridgeTo(silentPage{})
	const good = `{"type":"a","description":"A","actions":{"go":{"description":"Goes","effect":"local-state","execute":true,"input":{"document":{}}}}}`
	for range 2 {
		if status, back := b.Do(OpValidate, 1, 0, good); status != StatusOK || back != "" {
			t.Fatalf("a good definition gave %v %s", status, back)
		}
	}
	if status, back := b.Do(OpValidate, 1, 0, strings.Replace(good, "local-state", "destructive", 1)); status != StatusDefinition || !strings.Contains(back, "PLANE_VIOLATION") {
		t.Errorf("a bad definition gave %v %s", status, back)
	}
}
