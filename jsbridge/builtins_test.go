package jsbridge

import (
	"fmt"
	"strings"
	"testing"
)

func TestPoliciesAreCheckedWhenMade(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"kind":"authenticated","serial":1}`, "authenticated"},
		{`{"kind":"authenticated","serial":1,"0":{"key":"person"}}`, "authenticated"},
		{`{"kind":"hasPermission","serial":1,"0":"save","1":true}`, "has-permission(save)"},
		{`{"kind":"tenantBoundary","serial":1,"0":{"current":true,"expected":true}}`, "tenant-boundary"},
		{`{"kind":"environment","serial":1,"0":["test"]}`, "environment"},
		{`{"kind":"rateLimit","serial":1,"0":{"limit":1,"windowMs":1000}}`, "rate-limit"},
		{`{"kind":"requireConfirmation","serial":1,"0":{"if":true,"summary":true}}`, "require-confirmation"},
		{`{"kind":"audit","serial":1,"0":true,"1":"full"}`, "audit"},
		{`{"kind":"other","serial":1}`, `! "other" is not a built-in policy`},
		{`{"kind":"authenticated","serial":1,"0":{"keys":"x"}}`, "! authenticated: keys is not an option"},
		{`{"kind":"authenticated","serial":1,"1":5}`, "! authenticated: 1 is not an option"},
		{`{"kind":"authenticated","serial":1,"0":{"key":5}}`, "! authenticated.key must be a string"},
		{`{"kind":"hasPermission","serial":1,"1":true}`, "! hasPermission: the name of the permission is required"},
		{`{"kind":"hasPermission","serial":1,"0":"a","2":1}`, "! hasPermission: 2 is not an option"},
		{`{"kind":"tenantBoundary","serial":1,"0":{"current":true}}`, "! tenantBoundary: current and expected must be functions"},
		{`{"kind":"environment","serial":1,"0":[]}`, "! environment: want an array of development, production or test"},
		{`{"kind":"environment","serial":1,"0":["x"]}`, `! environment: "x" is not development, production or test`},
		{`{"kind":"rateLimit","serial":1,"0":{"limit":0,"windowMs":5}}`, "! rateLimit: want { limit, windowMs }, both at least 1"},
		{`{"kind":"rateLimit","serial":1,"0":{"limit":1.5,"windowMs":5}}`, "! rateLimit.limit must be a whole number"},
		{`{"kind":"audit","serial":1,"1":"some"}`, "! audit: the level must be none, metadata or full"},
		{`5`, "! policy must be an object"},
	} {
		status, back := bridgeTo(silentPage{}).Do(OpCheckPolicy, 0, 0, test.text)
		if status != StatusOK {
			back = "! " + back
		}
		if back != test.want {
			t.Errorf("%s gave %s; want %s", test.text, back, test.want)
		}
	}
}

// votes is what a built-in policy decides for a page that answers as given.
func votes(t *testing.T, page answeringPage, builtIn, context string) string {
	t.Helper()
	status, back := bridgeTo(page).Do(OpVote, 0, 0, fmt.Sprintf(`{"policies":[{"policy":7,"builtIn":%s}],"context":%s}`, builtIn, context))
	if status != StatusOK {
		t.Fatalf("voting gave %v %s", status, back)
	}
	return back
}

func giving(answer Answer, text string) func() (Answer, string) {
	return func() (Answer, string) { return answer, text }
}

func TestBuiltInPoliciesAskThePage(t *testing.T) {
	const expose, hide = `{"decision":"expose"}`, `{"decision":"hide"}`
	permission := `{"kind":"hasPermission","serial":1,"0":"save","1":true}`
	for answer, want := range map[string]string{"true": expose, "false": hide, "": hide, "1": hide, `"true"`: hide, "{}": hide} {
		page := answeringPage{functions: map[string]func() (Answer, string){"1": giving(AnswerValue, answer)}}
		if got := votes(t, page, permission, "{}"); got != want {
			t.Errorf("a check that gives %q: %s; want %s", answer, got, want)
		}
	}
	for _, answer := range []Answer{AnswerFailed, AnswerThrown, AnswerNotJSON, AnswerPending} {
		page := answeringPage{functions: map[string]func() (Answer, string){"1": giving(answer, "")}}
		if got := votes(t, page, permission, "{}"); got != hide {
			t.Errorf("a check that answers %v: %s", answer, got)
		}
	}
	grants := `{"kind":"hasPermission","serial":1,"0":"save"}`
	if got := votes(t, answeringPage{}, grants, `{"consumer":{"id":"a","kind":"test","grants":["save"]}}`); got != expose {
		t.Errorf("a grant gave %s", got)
	}
	if got := votes(t, answeringPage{host: "person"}, `{"kind":"authenticated","serial":1,"0":{"key":"person"}}`, "{}"); got != expose {
		t.Errorf("a person who is there gave %s", got)
	}
	if got := votes(t, answeringPage{host: "person"}, `{"kind":"authenticated","serial":1}`, "{}"); got != hide {
		t.Errorf("no user gave %s", got)
	}
	if got := votes(t, answeringPage{}, `{"kind":"environment","serial":1,"0":["test"]}`, `{"environment":"test"}`); got != expose {
		t.Errorf("the environment gave %s", got)
	}
	if got := votes(t, answeringPage{}, `{"kind":"environment","serial":1,"0":["test"]}`, "{}"); got != hide {
		t.Errorf("production by default gave %s", got)
	}
}

func TestTenantsAreComparedAsThePageWritesThem(t *testing.T) {
	const boundary = `{"kind":"tenantBoundary","serial":1,"0":{"current":true,"expected":true}}`
	for _, test := range []struct {
		current, expected string
		exposed           bool
	}{
		{`"a"`, `"a"`, true}, {`"b"`, `"a"`, false}, {"", `"a"`, false}, {`"a"`, "", true}, {`"a"`, "null", true}, {"7", "7", true}, {"7", "8", false}, {"", "{}", false},
	} {
		page := answeringPage{functions: map[string]func() (Answer, string){
			"current": giving(AnswerValue, test.current), "expected": giving(AnswerValue, test.expected),
		}}
		if got := votes(t, page, boundary, "{}"); strings.Contains(got, "expose") != test.exposed {
			t.Errorf("%s in %s: %s", test.current, test.expected, got)
		}
	}
}

func TestOneRateLimitForEachObject(t *testing.T) {
	s := &surface{bridge: bridgeTo(silentPage{})}
	read := func(serial int) *fields {
		f, err := decodeObject("policy", fmt.Sprintf(`{"kind":"rateLimit","serial":%d,"0":{"limit":1,"windowMs":1000}}`, serial))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for serial := range maxRates + 10 {
		for range 2 {
			if _, err := s.builtIn(read(serial), 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kept := len(s.bridge.rates.policies); kept != maxRates || len(s.bridge.rates.order) != maxRates {
		t.Errorf("%d rate limits are kept in %d places", kept, len(s.bridge.rates.order))
	}
	if _, err := s.builtIn(read(maxRates+100), 0); err != nil || len(s.bridge.rates.policies) != maxRates {
		t.Errorf("looking at a policy kept it: %v", err)
	}
}

func TestVoteChecksItsContext(t *testing.T) {
	for text, want := range map[string]string{
		`{"policies":[]}`:                                      "evaluateDiscovery: the context must be an object",
		`{"policies":[5],"context":{}}`:                        "an array of policies",
		`{"policies":[],"context":{"consumer":{"id":""}}}`:     "context.consumer must be",
		`{"policies":[{"builtIn":{"kind":"x"}}],"context":{}}`: "not a built-in policy",
	} {
		if status, back := bridgeTo(silentPage{}).Do(OpVote, 0, 0, text); status != StatusType || !strings.Contains(back, want) {
			t.Errorf("%s gave %v %s; want %s", text, status, back, want)
		}
	}
}

// TestTrailOfThePage shows where audit events go: to the page's sink, to the console in development, else nowhere.
func TestTrailOfThePage(t *testing.T) {
	const component = `{"type":"a","description":"A","observations":{"one":{"description":"One","read":true,"output":{"document":{}}}}}`
	for _, test := range []struct{ options, want string }{
		{`"environment":"test","audit":true`, fmt.Sprintf("%d 1 0 {", TellAudit)},
		{`"environment":"development"`, fmt.Sprintf("%d 1 1 audit {", TellLog)},
		{`"environment":"test"`, ""},
	} {
		var told []string
		b := bridgeTo(answeringPage{told: &told})
		if status, back := b.Do(OpCreateRegistry, 0, 0, `{"authority":1,"options":{`+test.options+`}}`); status != StatusOK {
			t.Fatal(back)
		}
		if status, back := b.Do(OpRegister, 1, 1, component); status != StatusOK {
			t.Fatal(back)
		}
		all := strings.Join(told, "\n")
		if test.want == "" && strings.Contains(all, "registration") || !strings.Contains(all, test.want) {
			t.Errorf("with %s the page was told %q; want %s", test.options, all, test.want)
		}
		if status, back := b.Do(OpExplain, 1, 0, `{}`); status != StatusOK || !strings.Contains(back, `"outcome":"expose"`) {
			t.Errorf("explaining gave %v %s", status, back)
		}
		if _, back := b.Do(OpOffering, 1, 1, `{"capabilityId":"view:a.one"}`); !strings.Contains(back, `"surfaceVersion":"1"`) {
			t.Errorf("capturing gave %s", back)
		}
		if status, back := b.Do(OpOffering, 1, 1, `{"capabilityId":"view:a.two"}`); status != StatusType || !strings.Contains(back, "sees 0") {
			t.Errorf("capturing nothing gave %v %s", status, back)
		}
		if _, back := b.Do(OpOffering, 1, 0, `{"capabilityId":"view:a.two"}`); back != "{}" {
			t.Errorf("nothing to resolve gave %s", back)
		}
	}
}
