package jsbridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

func weatherTool() contract.ExternalTool {
	return contract.ExternalTool{
		Declaration: "a.js#a", ID: "external:weather", Description: "The weather", Input: `{"type":"object"}`, Effect: capability.ServerQuery,
	}
}

// declaredForm is the contract of what the harness registers by form.
func declaredForm() contract.Component {
	return contract.Component{Declaration: "a.js#form", Type: "app.form", Description: "A form", Actions: []contract.Action{{
		Name: "save", Input: "{}", Effect: capability.LocalState, Common: contract.Common{Description: "Saves"},
	}}}
}

func manifestOf(t *testing.T, declarations ...contract.Declaration) *contract.Manifest {
	t.Helper()
	m, err := contract.Compile(declarations...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// admitting is the number of the authority of a manifest.
func (p *page) admitting(m *contract.Manifest) string {
	p.t.Helper()
	number, hash, _ := strings.Cut(p.do(OpAuthority, 0, 0, string(m.JSON())), " ")
	if hash != m.Hash {
		p.t.Errorf("the authority has the hash %q, want %s", hash, m.Hash)
	}
	return number
}

func TestAuthoritiesAreNumbers(t *testing.T) {
	p := newPage(t)
	m := manifestOf(t, declaredForm())
	for i := range 3 {
		if open, strict, own := p.open(), p.do(OpAuthority, 0, 0, ""), p.admitting(m); open != "1" || strict != "2 " || own != "3" {
			t.Errorf("round %d: got %s, %q, %s", i, open, strict, own)
		}
	}
	p.wantFailure(OpAuthority, 0, 0, `{}`, StatusType, "contract manifest: formatVersion: is absent")
	for _, number := range []string{"0", "4", "-1", `"1"`, "null", "1.5"} {
		p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":`+number+`,"options":{}}`, StatusType, "authority")
	}
}

func TestRegisteringUnderAContract(t *testing.T) {
	p := newPage(t)
	own := p.admitting(manifestOf(t, declaredForm()))
	var made struct {
		Registry      int32
		AuthorityMode string
	}
	p.decode(p.do(OpCreateRegistry, 0, 0, `{"authority":`+own+`,"options":{"environment":"test"}}`), &made)
	if made.AuthorityMode != "contract" {
		t.Errorf("got %+v", made)
	}
	definition := `{"type":"app.form","description":"A form","actions":{"save":{"description":"Saves","effect":"local-state","input":{"document":{}},"execute":true}}}`
	p.do(OpRegister, made.Registry, 1, definition)
	p.wantFailure(OpRegister, made.Registry, 2, strings.Replace(definition, "Saves", "Sends", 1), StatusDefinition,
		"[INVALID_DEFINITION] view:app.form.save, description: the contract says")
}

func TestPin(t *testing.T) {
	m := manifestOf(t, declaredForm())
	p := newPage(t)
	p.wantFailure(OpPin, 0, 0, "", StatusType, "sha256-")
	p.wantFailure(OpPin, 0, 0, "sha256-1", StatusType, "pinning the contract")
	p.do(OpPin, 0, 0, contract.PinPrefix+m.Hash)
	p.admitting(m)
	p.wantFailure(OpAuthority, 0, 1, "", StatusType, "pinned to a contract")
	p.wantFailure(OpAuthority, 0, 0, string(manifestOf(t).JSON()), StatusType, "is pinned to "+m.Hash)
	p.wantFailure(OpPin, 0, 0, contract.PinPrefix+m.Hash, StatusType, "given once")
}

func TestUnpinnedProductionIsTold(t *testing.T) {
	p := newPage(t)
	own, other := p.admitting(manifestOf(t, declaredForm())), p.admitting(manifestOf(t))
	for range 2 {
		p.do(OpCreateRegistry, 0, 0, `{"authority":`+own+`,"options":{}}`)
	}
	p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":`+other+`,"options":{}}`, StatusType, "production uses the contract")
	p.wantTold(TellLog, 1)
	if !strings.Contains(p.told[0], "nothing pins the contract") {
		t.Errorf("told %q", p.told)
	}
}

func TestManyAuthorities(t *testing.T) {
	p := newPage(t)
	for i := range maxAuthorities {
		p.do(OpAuthority, 0, 0, string(sealedAs(t, i).JSON()))
	}
	p.wantFailure(OpAuthority, 0, 0, string(sealedAs(t, maxAuthorities).JSON()), StatusType, "at most 64 authorities")
	p.do(OpAuthority, 0, 0, string(sealedAs(t, 5).JSON()))
}

// sealedAs is an empty manifest that differs from others by its number.
func sealedAs(t *testing.T, number int) *contract.Manifest {
	t.Helper()
	m := manifestOf(t)
	m.Compiler = fmt.Sprint("test/", number)
	m.Seal()
	return m
}

func TestGatewayOfThePage(t *testing.T) {
	p := newPage(t)
	p.admitting(manifestOf(t, weatherTool()))
	const weather = `{"id":"external:weather","description":"The weather","effect":"server-query","input":{"type":"object"}}`
	p.do(OpGateway, 1, 0, `{"environment":"test"}`)
	p.do(OpExpose, 1, 0, `[`+weather+`]`)
	p.do(OpExpose, 1, 0, `[]`)
	for text, want := range map[string]string{
		`[` + weather + `,` + weather + `]`:                                  "tool 1: external_weather is the name of another one",
		`[` + strings.Replace(weather, `"The w`, `"A w`, 1) + `]`:            "external:weather, description: the contract says",
		`[` + strings.Replace(weather, `server-query`, `anything`, 1) + `]`:  "effect: want one of",
		`[` + strings.Replace(weather, `{"type":"object"}`, `true`, 1) + `]`: "inputSchema: must be a JSON object",
	} {
		p.wantFailure(OpExpose, 1, 0, text, StatusDefinition, want)
	}
	for text, want := range map[string]string{
		`[1]`: "tool must be an object", `[`: "must be valid JSON", `[{"id":7}]`: "tool.id must be a string",
		`[{"id":"external:a","kind":"tool"}]`: `tool external:a: unknown field "kind"`,
	} {
		p.wantFailure(OpExpose, 1, 0, text, StatusType, want)
	}
	p.wantFailure(OpExpose, 2, 0, `[]`, StatusType, "an authority is required")
	p.wantFailure(OpGateway, 2, 0, `{}`, StatusType, "an authority is required")
	p.wantFailure(OpGateway, 1, 0, `{"environment":7}`, StatusType, "environment must be a string")
	p.wantFailure(OpGateway, 1, 0, `{"mode":7}`, StatusType, "mode is not an option")
	p.wantFailure(OpGateway, 1, 0, `[]`, StatusType, "must be an object")
}
