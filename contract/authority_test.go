package contract_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

func newAuthorities(t testing.TB, pin string) (*contract.Authorities, *[]string) {
	t.Helper()
	said := &[]string{}
	s, err := contract.NewAuthorities(pin, func(text string) { *said = append(*said, text) })
	if err != nil {
		t.Fatal(err)
	}
	return s, said
}

func mustAdmit(t testing.TB, s *contract.Authorities, m *contract.Manifest) *contract.Authority {
	t.Helper()
	a, err := s.Admitting(m.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestModes(t *testing.T) {
	m := mustCompile(t, table())
	a, err := contract.NewAuthority(m.JSON(), contract.PinPrefix+m.Hash)
	if err != nil || a.Mode() != contract.ModeContract || a.Hash() != m.Hash {
		t.Errorf("got %v, %v", a, err)
	}
	if open := contract.NewOpenAuthority(contract.OpenOptions{}); open.Mode() != contract.ModeOpen || open.Hash() != "" {
		t.Errorf("got %v", open)
	}
	if _, err := contract.NewAuthority("{}", ""); err == nil {
		t.Error("an empty object makes an authority")
	}
	if _, err := contract.NewAuthority(m.JSON(), "md5-1"); err == nil {
		t.Error("any text is a pin")
	}
}

func TestPinsHaveOneForm(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	for _, pin := range []string{hash, "sha256-", "sha256-" + hash[1:], "sha256-" + strings.ToUpper(hash), "sha512-" + hash, "sha256-" + hash + " "} {
		if _, err := contract.NewAuthorities(pin, nil); err == nil || !strings.Contains(err.Error(), "pinning the contract: want sha256-") {
			t.Errorf("%q: got %v", pin, err)
		}
	}
}

func TestOpenAuthorityInProduction(t *testing.T) {
	for _, env := range []capability.Environment{"", capability.Production} {
		if err := contract.NewOpenAuthority(contract.OpenOptions{}).Use(env); err == nil || !strings.Contains(err.Error(), "allowInProduction") {
			t.Errorf("%q: got %v", env, err)
		}
		if err := contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}).Use(env); err != nil {
			t.Errorf("%q: got %v", env, err)
		}
	}
	for _, env := range []capability.Environment{capability.Development, capability.Test} {
		if err := contract.NewOpenAuthority(contract.OpenOptions{}).Use(env); err != nil {
			t.Errorf("%q: got %v", env, err)
		}
	}
}

// TestPinned: with a pin only that manifest makes an authority, correct hashes or not.
func TestPinned(t *testing.T) {
	reviewed, forged := mustCompile(t, table()), mustCompile(t, table(), disable())
	s, said := newAuthorities(t, contract.PinPrefix+reviewed.Hash)
	for range 2 {
		if err := mustAdmit(t, s, reviewed).Use(capability.Production); err != nil {
			t.Error(err)
		}
	}
	_, err := s.Admitting(forged.JSON())
	var typed *contract.ManifestError
	if !errors.As(err, &typed) || typed.Where != "hash" || !strings.Contains(typed.Reason, forged.Hash+", and this runtime is pinned to "+reviewed.Hash) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Open(contract.OpenOptions{AllowInProduction: true}); err == nil || !strings.Contains(err.Error(), "pinned to a contract") {
		t.Errorf("got %v", err)
	}
	if len(*said) > 0 {
		t.Errorf("it says %q", *said)
	}
}

// TestUnpinned: the first manifest that production uses is the only one there, and somebody is told.
func TestUnpinned(t *testing.T) {
	first, forged := mustCompile(t, table()), mustCompile(t, table(), disable())
	s, said := newAuthorities(t, "")
	a, b := mustAdmit(t, s, first), mustAdmit(t, s, forged)
	for _, env := range []capability.Environment{capability.Development, capability.Test} {
		if err := errors.Join(b.Use(env), a.Use(env)); err != nil || len(*said) > 0 {
			t.Fatalf("%s: got %v, %q", env, err, *said)
		}
	}
	if err := errors.Join(a.Use(""), a.Use(capability.Production), mustAdmit(t, s, first).Use("")); err != nil {
		t.Fatal(err)
	}
	if len(*said) != 1 || !strings.Contains((*said)[0], "nothing pins the contract") || !strings.Contains((*said)[0], `data-contract="sha256-`+first.Hash+`"`) {
		t.Errorf("it says %q", *said)
	}
	err := b.Use(capability.Production)
	var typed *contract.ManifestError
	if !errors.As(err, &typed) || typed.Where != "hash" || !strings.Contains(typed.Reason, forged.Hash+", and production uses the contract "+first.Hash) {
		t.Errorf("got %v", err)
	}
	open, err := s.Open(contract.OpenOptions{AllowInProduction: true})
	if err != nil || open.Use(capability.Production) == nil || open.Use(capability.Test) != nil {
		t.Errorf("an open authority beside a contract: %v", err)
	}
}

func TestOpenBeforeAContract(t *testing.T) {
	s, said := newAuthorities(t, "")
	open, err := s.Open(contract.OpenOptions{AllowInProduction: true})
	if err != nil || open.Use("") != nil || len(*said) > 0 {
		t.Fatalf("got %v, %q", err, *said)
	}
	if err := mustAdmit(t, s, mustCompile(t, table())).Use(""); err != nil || open.Use("") == nil {
		t.Errorf("got %v, and the open authority goes on", err)
	}
}

// TestOneManifestWins: two that come at once in production.
func TestOneManifestWins(t *testing.T) {
	s, err := contract.NewAuthorities("", nil)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	outcomes := make([]error, 8)
	for i := range outcomes {
		other := table()
		other.Description = fmt.Sprint("Table ", i)
		a := mustAdmit(t, s, mustCompile(t, other))
		wait.Go(func() { outcomes[i] = a.Use("") })
	}
	wait.Wait()
	won := 0
	for _, err := range outcomes {
		if err == nil {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d manifests are the only one: %v", won, outcomes)
	}
}

// offers are what a registry would offer that is just as table declares.
func offers() []contract.Offer {
	phases := map[string][]string{"authenticated": {"discovery", "authorize"}, "rate-limit": {"authorize"}}
	has := func(name, phase string) bool {
		list, found := phases[name]
		for _, p := range list {
			found = found && phase == "" || p == phase
		}
		return found
	}
	return []contract.Offer{
		{Seen: contract.Seen{
			CapabilityID: "view:devices.table.selection", Kind: capability.Observation, Title: "Selection", Description: "What is selected",
			ComponentDescription: "The table of devices", Effect: capability.Read, OutputSchema: object, UntrustedContent: true, Audit: capability.AuditNone,
		}, Confirmation: capability.Never, HasPolicy: has},
		{Seen: contract.Seen{
			CapabilityID: "view:devices.table.selectRows", Kind: capability.Action, Description: "Select rows",
			ComponentDescription: "The table of devices", Effect: capability.LocalState, InputSchema: object, Audit: capability.AuditMetadata,
		}, Confirmation: capability.Never, HasPolicy: has},
	}
}

func authority(t testing.TB) *contract.Authority {
	t.Helper()
	s, _ := newAuthorities(t, "")
	return mustAdmit(t, s, mustCompile(t, table(), disable(), weather()))
}

func TestAdmitsByContent(t *testing.T) {
	a := authority(t)
	reordered := capability.JSON(`{ "required": ["ids"], "additionalProperties": false, "properties": {"ids": {"items": {"type": "string"}, "type": "array"}}, "type": "object" }`)
	for i := range 3 {
		o := offers()
		if i == 1 { // another form of the same schema, after the first was remembered, and before it comes again
			o[1].InputSchema = reordered
		}
		if err := a.Admit("devices.table", o); err != nil {
			t.Errorf("round %d: %v", i, err)
		}
	}
	procedure := contract.Offer{Confirmation: capability.Required, Seen: contract.Seen{
		CapabilityID: "domain:devices.disable", Kind: capability.Procedure, Description: "Disable devices", Effect: capability.Destructive,
		InputSchema: object, OutputSchema: "{}", Audit: capability.AuditFull, BoundFields: []contract.BoundField{{Path: "ids", Locked: true}, {Path: "a"}},
	}}
	if err := a.Admit("devices.panel", []contract.Offer{procedure}); err != nil {
		t.Error(err)
	}
	unsorted := mustCompile(t, disable())
	slices.Reverse(unsorted.Capabilities[0].BoundFields)
	unsorted.Seal()
	s, _ := newAuthorities(t, "")
	if err := mustAdmit(t, s, unsorted).Admit("devices.panel", []contract.Offer{procedure}); err != nil {
		t.Errorf("bound fields in another order: %v", err)
	}
	if err := contract.NewOpenAuthority(contract.OpenOptions{}).Admit("x", []contract.Offer{{}}); err != nil {
		t.Errorf("an open authority: %v", err)
	}
}

func TestAdmitNamesTheFieldThatDiffers(t *testing.T) {
	selection, selectRows := 0, 1
	for _, test := range []struct {
		of     int
		change func(o *contract.Offer)
		field  string
		reason string
	}{
		{selection, func(o *contract.Offer) { o.CapabilityID = "view:devices.table.other" }, "", "is not in the contract"},
		{selection, func(o *contract.Offer) { o.Kind = capability.Action }, "kind", `'observation', and this is 'action'`},
		{selection, func(o *contract.Offer) { o.Title = "" }, "title", `says 'Selection', and this is nothing`},
		{selection, func(o *contract.Offer) { o.Description = "What is selected." }, "description", `'What is selected', and this is 'What is selected.'`},
		{selection, func(o *contract.Offer) { o.ComponentDescription += "!" }, "componentDescription", `devices!'`},
		{selection, func(o *contract.Offer) { o.Effect = capability.Navigation }, "effect", `'read', and this is 'navigation'`},
		{selection, func(o *contract.Offer) { o.InputSchema = "{}" }, "inputSchema", `nothing, and this is '{}'`},
		{selection, func(o *contract.Offer) { o.OutputSchema = "{}" }, "outputSchema", `and this is '{}'`},
		{selection, func(o *contract.Offer) { o.OutputSchema = "" }, "outputSchema", "and this is nothing"},
		{selection, func(o *contract.Offer) { o.OutputSchema = `{"a":1,"a":1}` }, "outputSchema", "must not be given twice"},
		{selection, func(o *contract.Offer) { o.UntrustedContent = false }, "untrustedContent", `'true', and this is 'false'`},
		{selection, func(o *contract.Offer) { o.BoundFields = []contract.BoundField{{Path: "x"}} }, "boundFields", `nothing, and this is '"x"'`},
		{selection, func(o *contract.Offer) { o.HasPolicy = nil }, "policies[0]", "asks for the policy authenticated, and there is none"},
		{selectRows, func(o *contract.Offer) { o.InputSchema = "nonsense" }, "inputSchema", "must be valid JSON"},
		{selectRows, func(o *contract.Offer) {
			o.InputSchema = capability.JSON(strings.Replace(object, `"array"`, `"array","maxItems":1e1`, 1))
		}, "inputSchema", `…`},
		{selectRows, func(o *contract.Offer) { o.Audit = capability.AuditNone }, "audit", `'metadata', and this is 'none'`},
		{selectRows, func(o *contract.Offer) { o.HasPolicy = func(name, phase string) bool { return phase == "" } }, "policies[1]", "rate-limit in phase authorize"},
		{selectRows, func(o *contract.Offer) {
			o.HasPolicy = func(name, phase string) bool { return name == "rate-limit" }
		}, "policies[0]", "authenticated"},
	} {
		a := authority(t)
		if err := a.Admit("devices.table", offers()); err != nil { // what was admitted before makes no difference
			t.Fatal(err)
		}
		changed := offers()
		test.change(&changed[test.of])
		err := a.Admit("devices.table", changed)
		var typed *contract.AdmissionError
		if !errors.As(err, &typed) || typed.CapabilityID != changed[test.of].CapabilityID || typed.Field != test.field ||
			!strings.Contains(typed.Reason, test.reason) || !strings.Contains(err.Error(), `run "pagewarden contract snapshot"`) {
			t.Errorf("%s: got %v, want %q", test.field, err, test.reason)
		}
	}
}

// TestLookAlikes: texts that a person cannot tell apart are different texts, and the error shows how.
func TestLookAlikes(t *testing.T) {
	c := table()
	c.Description = "Caf\u00e9"
	s, _ := newAuthorities(t, "")
	a := mustAdmit(t, s, mustCompile(t, c))
	for text, shown := range map[string]string{"Cafe\u0301": `'Cafe\u0301'`, "C\u0430f\u00e9": `'C\u0430f\u00e9'`, "Caf\u00e9\u200b": `'Caf\u00e9\u200b'`} {
		o := offers()
		o[0].ComponentDescription, o[1].ComponentDescription = text, text
		if err := a.Admit("devices.table", o); err == nil || !strings.Contains(err.Error(), `says 'Caf\u00e9', and this is `+shown) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	o := offers()
	o[0].ComponentDescription = "Caf\xe9"
	if err := a.Admit("devices.table", o); err == nil || !strings.Contains(err.Error(), "must be valid UTF-8") {
		t.Errorf("got %v", err)
	}
}

func TestLongTextsAreShownWhereTheyDiffer(t *testing.T) {
	c := table()
	c.Description = strings.Repeat("same ", 60) + "end"
	s, _ := newAuthorities(t, "")
	a := mustAdmit(t, s, mustCompile(t, c))
	o := offers()
	o[0].ComponentDescription = strings.Repeat("same ", 60) + "END" + strings.Repeat(" and on", 40)
	want := `says …'same same same same end', and this is …'same same same same END` + strings.Repeat(" and on", 8) + ` '…;`
	if err := a.Admit("devices.table", o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestStrongerConfirmationPassesAndWeakerDoesNot(t *testing.T) {
	levels := []capability.Confirmation{capability.Never, capability.Optional, capability.Required}
	for i, declared := range levels {
		c := table()
		c.Actions[0].Confirmation = declared
		s, _ := newAuthorities(t, "")
		a := mustAdmit(t, s, mustCompile(t, c))
		for j, offered := range levels {
			o := offers()
			o[1].Confirmation = offered
			err := a.Admit("devices.table", o)
			var typed *contract.AdmissionError
			if j < i && (!errors.As(err, &typed) || typed.Field != "confirmation") || j >= i && err != nil {
				t.Errorf("%s where %s is declared: %v", offered, declared, err)
			}
		}
	}
}

// TestLeavingOut: the binding of a component offers all that is declared of it.
func TestLeavingOut(t *testing.T) {
	a := authority(t)
	err := a.Admit("devices.table", offers()[:1])
	if err == nil || !strings.Contains(err.Error(), "view:devices.table.selectRows: the contract declares it, and this component leaves it out") {
		t.Errorf("got %v", err)
	}
	if err := a.Admit("devices.table", nil); err == nil {
		t.Error("a component without any of its capabilities was admitted")
	}
	if err := a.Admit("devices.other", nil); err != nil {
		t.Errorf("another component: %v", err)
	}
}
