package jsbridge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// visitor is a guest on a page: its answers by what is asked of it.
type visitor struct {
	*page
	number   int32
	registry int32
	says     map[string]func(question string) (Answer, string)
	heard    []string // what it was asked and told
}

// newVisitor is a guest on a page with a registry, whose capability device.rename executes, predicts and reconciles.
func newVisitor(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{page: newPage(t), number: 7}
	v.registry = v.page.registry("")
	v.says = map[string]func(string) (Answer, string){
		"execute": gives(`{"version":"v2"}`), "authorize": gives("true"), "key": gives(`"one"`),
		"predict":   gives(`{"baseVersion":"v1","patch":[{"op":"replace","path":"/name","value":"new"}],"expiresAt":1800000010000}`),
		"reconcile": gives(`{"state":{"name":"new"},"version":"v2"}`),
	}
	v.answers[AskGuest] = func(a, _, _ int32, text string) (Answer, string) {
		if a != v.number {
			t.Errorf("guest %d was asked %s", a, text)
		}
		v.heard = append(v.heard, text)
		if answer := v.says[memberOf(text, "do")]; answer != nil {
			return answer(text)
		}
		return AnswerFailed, ""
	}
	return v
}

// gives is an answer that is there at once.
func gives(text string) func(string) (Answer, string) {
	return func(string) (Answer, string) { return AnswerValue, text }
}

// hesitates is an answer that comes later, or never.
func hesitates(string) (Answer, string) { return AnswerPending, "" }

// memberOf is a member of an object as text, without quotes.
func memberOf(object, name string) string {
	for _, m := range capability.JSON(object).Members() {
		if m.Name == name {
			return strings.Trim(string(m.Value), `"`)
		}
	}
	return ""
}

// wish is what the script writes for one.
func wishText(name string, given ...string) string {
	return `"` + name + "\"\n" + strings.Join(given, "\n") + "\n"
}

// wants carries out what must go well.
func (v *visitor) wants(name string, given ...string) string {
	v.t.Helper()
	return v.do(OpGuest, v.number, 0, wishText(name, given...))
}

// wantsIn is wants in the registry.
func (v *visitor) wantsIn(name string, given ...string) string {
	v.t.Helper()
	return v.do(OpGuest, v.number, v.registry, wishText(name, given...))
}

// renaming is the definition of device.rename with more members.
func renaming(more string) string {
	schema := `{"document":{"type":"object"}}`
	return `{"name":"device.rename","description":"Renames","input":` + schema + `,"output":` + schema + more + `}`
}

// tool defines a capability under number and gives the number of a tool of it.
func (v *visitor) tool(number, more, options string) string {
	v.t.Helper()
	v.wants("define", number, renaming(more))
	return memberOf(v.wantsIn("tool", number, "false", options), "tool")
}

// told are the values of what was answered to the guest, by ticket.
func (v *visitor) answeredTo(ticket string) (value string) {
	v.t.Helper()
	for _, text := range v.heard {
		if memberOf(text, "do") == "answered" && memberOf(text, "ticket") == ticket {
			if value != "" {
				v.t.Errorf("ticket %s has two answers", ticket)
			}
			value = text
		}
	}
	return value
}

// wantAnswer holds that the answer to a ticket contains want.
func (v *visitor) wantAnswer(ticket, want string) {
	v.t.Helper()
	if got := v.answeredTo(ticket); !strings.Contains(got, want) || want == "" && got != "" {
		v.t.Errorf("ticket %s was answered %s, want %s", ticket, got, want)
	}
}

func TestGuestCallsATool(t *testing.T) {
	v := newVisitor(t)
	tool := v.tool("1", `,"keyed":true`, `{"authorize":3,"resultMode":"output"}`)
	v.wants("call", tool, "5", `{"invocationId":"mine"}`, `{"name":"a"}`)
	v.wantAnswer("5", `"value":{"version":"v2"}`)
	asked := strings.Join(v.heard, "\n")
	for _, want := range []string{
		`{"do":"key","of":1,"input":{"name":"a"}}`, `{"do":"authorize","of":3,"input":{"name":"a"}}`,
		`{"do":"execute","of":1,"input":{"name":"a"},"invocationId":"one","consumer":{"id":"webmcp","kind":"webmcp","grants":["device.rename"]}}`,
	} {
		if !strings.Contains(asked, want) {
			t.Errorf("not asked %s in\n%s", want, asked)
		}
	}
	v.wants("close", tool)
	v.wants("close", tool)
	v.wantFailure(OpGuest, v.number, 0, wishText("call", tool, "6", "{}", "{}"), StatusDisposed, "")
	v.wantTables("guestItems 1", "surfaces 1")
}

func TestGuestAnswersLater(t *testing.T) {
	v := newVisitor(t)
	for _, name := range []string{"execute", "authorize", "recall", "remember"} {
		v.says[name] = hesitates
	}
	tool := v.tool("1", `,"keyed":true,"stored":true`, `{"authorize":1}`)
	v.wants("call", tool, "5", `{}`, `{}`)
	for _, answer := range []string{"true", "", `{"version":"v3"}`, ""} {
		v.wantAnswer("5", "")
		v.do(OpSettle, v.lastTicket(), int32(AnswerValue), answer)
	}
	v.wantAnswer("5", `"outcome":"committed"`)
	v.says["recall"] = gives(`{"output":{"version":"kept"}}`)
	other := newVisitor(t)
	other.says["recall"] = v.says["recall"]
	tool = other.tool("1", `,"keyed":true,"stored":true`, `{}`)
	other.wants("call", tool, "5", `{}`, `{}`)
	other.wantAnswer("5", `"output":{"version":"kept"}`)
	v.wantTables("guestItems 2", "surfaces 1")
}

func TestGuestGivesUpWhatIsWithdrawn(t *testing.T) {
	for _, waiting := range []string{"authorize", "recall", "remember", "execute"} {
		v := newVisitor(t)
		v.says["recall"], v.says["remember"] = gives(""), gives("")
		v.says[waiting] = hesitates
		tool := v.tool("1", `,"keyed":true,"stored":true`, `{"authorize":1}`)
		v.wants("call", tool, "5", `{"aborted":false}`, `{}`)
		v.wantAnswer("5", "")
		if waiting == "remember" { // the work is done, and its output kept, as far as the page does that in time
			v.pass(keepTime)
			v.wantAnswer("5", `"outcome":"committed"`)
			continue
		}
		v.wants("cancel", "5")
		v.wantAnswer("5", `"code":"cancelled"`)
		if told := strings.Join(v.told, "\n"); !strings.Contains(told, fmt.Sprintf("%d %d 0", TellAbort, v.lastTicket())) && waiting != "authorize" {
			t.Errorf("%s was not aborted: %s", waiting, told)
		}
		v.do(OpSettle, v.lastTicket(), int32(AnswerValue), "true")
		v.wantTables("guestItems 2", "surfaces 1")
	}
	v := newVisitor(t)
	tool := v.tool("1", "", "{}")
	v.wants("call", tool, "5", `{"aborted":true}`, `{}`)
	v.wantAnswer("5", `"code":"cancelled"`)
}

func TestGuestPredicts(t *testing.T) {
	v := newVisitor(t)
	v.wants("define", "1", renaming(`,"predicts":true`))
	store := v.wants("store", `{"state":{"name":"old"},"version":"v1"}`)
	listener := v.wants("listen", store)
	v.says["execute"] = hesitates
	v.wantsIn("execute", "1", store, "5", `{"predictionId":"p","now":1800000000000}`, `{"name":"new"}`)
	if got, want := v.wants("snapshot", store), `{"state":{"name":"new"},"version":"v1","authoritativeVersion":"v1","activePredictionIds":["p"]}`; got != want {
		t.Errorf("the snapshot is %s", got)
	}
	v.do(OpSettle, v.lastTicket(), int32(AnswerValue), `{"version":"v2"}`)
	v.wantAnswer("5", `"outcome":"committed","predictionId":"p"`)
	asked := strings.Join(v.heard, "\n")
	snapshot := `{"state":{"name":"old"},"version":"v1","authoritativeVersion":"v1","activePredictionIds":[]}`
	for _, want := range []string{
		`{"do":"predict","of":1,"input":{"name":"new"},"snapshot":` + snapshot + `,"version":"v1","now":1800000000000}`,
		`{"do":"reconcile","of":1,"input":{"name":"new"},"output":{"version":"v2"},"previous":` + snapshot,
		`{"do":"event","listener":` + listener + `,"event":{"type":"predicted","predictionId":"p"}}`,
		`{"do":"event","listener":` + listener + `,"event":{"type":"committed","predictionId":"p"}}`,
	} {
		if !strings.Contains(asked, want) {
			t.Errorf("not asked %s in\n%s", want, asked)
		}
	}
	v.wants("ignore", store, listener)
	v.wants("ignore", store, listener)
	v.wants("drop", store)
	v.wantTables("guestItems 1", "surfaces 1")
}

func TestGuestPredictionEndsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		then func(v *visitor)
		want string
	}{
		"cancelled while it executes": {func(v *visitor) { v.wants("cancel", "5") }, `"outcome":"rolled-back"`},
		"cancelled while it reconciles": {func(v *visitor) {
			v.says["reconcile"] = hesitates
			v.do(OpSettle, v.lastTicket(), int32(AnswerValue), `{"version":"v2"}`)
			v.wants("cancel", "5")
		}, `"outcome":"rolled-back"`},
		"expired": {func(v *visitor) {
			v.pass(11 * time.Second)
			v.do(OpSettle, v.lastTicket(), int32(AnswerValue), `{"version":"v2"}`)
		}, `"outcome":"expired"`},
		"reconciled to nothing": {func(v *visitor) {
			v.says["reconcile"] = gives("")
			v.do(OpSettle, v.lastTicket(), int32(AnswerValue), `{"version":"v2"}`)
		}, `"outcome":"rolled-back"`},
		"disposed": {func(v *visitor) { v.do(OpDispose, v.registry, 0, "") }, `"outcome":"rolled-back"`},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisitor(t)
			v.says["execute"] = hesitates
			v.wants("define", "1", renaming(`,"predicts":true`))
			store := v.wants("store", `{"state":{"name":"old"},"version":"v1"}`)
			v.wantsIn("execute", "1", store, "5", `{"aborted":false}`, `{}`)
			c.then(v)
			v.turn()
			v.wantAnswer("5", c.want)
			if got := v.wants("snapshot", store); !strings.Contains(got, `"activePredictionIds":[]`) {
				t.Errorf("left is %s", got)
			}
		})
	}
}

// TestGuestStore carries out every operation on a store; its rules are tested in package predict.
func TestGuestStore(t *testing.T) {
	v := newVisitor(t)
	store := v.wants("store", `{"state":{"name":"old"},"version":"v1"}`)
	v.wants("listen", store)
	const patch = `{"baseVersion":"v1","patch":[{"op":"remove","path":"/name"}],"expiresAt":5000}`
	for _, c := range []struct {
		wish  string
		given []string
		want  string
	}{
		{"predict", []string{`"a"`, patch, "4000.5"}, `"predicted"`},
		{"predict", []string{`"b"`, patch, "5000"}, `"expired"`},
		{"expire", []string{"4999"}, `[]`},
		{"expire", []string{"5000"}, `["a"]`},
		{"expire", nil, `[]`},
		{"predict", []string{`"c"`, patch, "1"}, `"predicted"`},
		{"rollback", []string{`"c"`}, `"rolled-back"`},
		{"rollback", []string{`"c"`}, `"missing"`},
		{"predict", []string{`"d"`, patch, "1"}, `"predicted"`},
		{"commit", []string{`"d"`, `{"state":7,"version":"v2"}`, "2", `{"reconciliation":"manual"}`}, `"committed"`},
		{"snapshot", nil, `{"state":7,"version":"v2","authoritativeVersion":"v2","activePredictionIds":[]}`},
	} {
		if got := v.wants(c.wish, append([]string{store}, c.given...)...); got != c.want {
			t.Errorf("%s %s gives %s, want %s", c.wish, c.given, got, c.want)
		}
	}
	if len(v.heard) != 6 {
		t.Errorf("heard %d events: %s", len(v.heard), v.heard)
	}
	v.wants("drop", store)
	for _, wish := range []string{"rollback", "commit", "predict", "expire", "snapshot", "listen", "drop"} {
		v.wantFailure(OpGuest, v.number, 0, wishText(wish, store, `"a"`), StatusType, "no such store")
	}
	v.wantTables("surfaces 1")
}

// TestGuestsFail: whatever the page answers, the call ends.
func TestGuestsFail(t *testing.T) {
	for question, answers := range map[string][]string{
		"key": {"5", "", "{}"}, "recall": {"5", "[]"}, "predict": {"", "5", `{"baseVersion":5}`, `{"baseVersion":"v1","patch":[],"expiresAt":"soon"}`},
		"reconcile": {"", "5", `{"state":1}`, `{"state":1,"version":5}`}, "authorize": {"false", `"true"`, "1", ""}, "execute": {"5"},
	} {
		for _, answer := range append(answers, "fails") {
			v := newVisitor(t)
			v.says["recall"], v.says["remember"] = gives(""), gives("")
			v.says[question] = gives(answer)
			if answer == "fails" {
				v.says[question] = nil
			}
			v.wants("define", "1", renaming(`,"predicts":true,"keyed":true,"stored":true`))
			store := v.wants("store", `{"state":{"name":"old"},"version":"v1"}`)
			v.wantsIn("execute", "1", store, "1", `{"authorize":1}`, "{}")
			if got := v.answeredTo("1"); !strings.Contains(got, `"activePredictionIds":[]`) || strings.Contains(got, `"outcome":"committed","predictionId"`) {
				t.Errorf("%s answered by %s gives %s", question, answer, got)
			}
		}
	}
}

func TestGuestTellsTheTime(t *testing.T) {
	v := newVisitor(t)
	v.wants("define", "1", renaming(`,"predicts":true`))
	store := v.wants("store", `{"state":{"name":"old"},"version":"v1"}`)
	v.says["now"] = gives("1800000020000")
	v.wantsIn("execute", "1", store, "5", `{"clock":true}`, `{}`)
	v.wantAnswer("5", `"outcome":"expired"`)
	for i, broken := range []string{`"noon"`, "1e300", "", "null"} {
		v.says["now"] = gives(broken)
		ticket := fmt.Sprint(10 + i)
		v.wantsIn("execute", "1", store, ticket, `{"clock":true}`, `{}`)
		v.wantAnswer(ticket, `"outcome":`)
	}
}

func TestGuestToolForMCP(t *testing.T) {
	v := newVisitor(t)
	v.wants("define", "1", renaming(""))
	back := v.wantsIn("tool", "1", "true", `{"capabilities":["device.rename"]}`)
	if !strings.Contains(back, `"mcp":{"name":"device.rename","description":"Renames","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{}}`) {
		t.Errorf("the tool is %s", back)
	}
	v.wants("call", memberOf(back, "tool"), "5", "{}", `!{"path":"a","message":"is a function"}`)
	v.wantAnswer("5", `"isError":true`)
	v.wantAnswer("5", `input_invalid`)
	v.wants("call", memberOf(back, "tool"), "6", "{}", "{}")
	v.wantAnswer("6", `"structuredContent":{"version":"v2"}`)
}

func TestGuestParsesForItself(t *testing.T) {
	v := newVisitor(t)
	definition := strings.Replace(renaming(""), `"input":{`, `"input":{"parses":true,`, 1)
	v.wants("define", "1", definition)
	tool := memberOf(v.wantsIn("tool", "1", "false", "{}"), "tool")
	for i, c := range []struct{ parsed, want string }{
		{`{"value":{"name":"trimmed"}}`, `"outcome":"committed"`}, {`{"issues":[{"path":"name","message":"is taken"}]}`, "input_invalid"},
		{`{"issues":[]}`, "input_invalid"}, {"", "input_invalid"}, {"5", "input_invalid"},
	} {
		v.says["parse"] = gives(c.parsed)
		ticket := fmt.Sprint(i + 1)
		v.wants("call", tool, ticket, "{}", `{"name":" a "}`)
		v.wantAnswer(ticket, c.want)
	}
	if asked := strings.Join(v.heard, "\n"); !strings.Contains(asked, `{"do":"parse","of":1,"input":{"name":" a "},"schema":"input"}`) ||
		!strings.Contains(asked, `"do":"execute","of":1,"input":{"name":"trimmed"}`) {
		t.Errorf("asked %s", asked)
	}
}

func TestGuestMistakes(t *testing.T) {
	v := newVisitor(t)
	v.wants("define", "1", renaming(""))
	store := v.wants("store", `{"state":1,"version":"v1"}`)
	for _, c := range []struct {
		text   string
		status Status
		want   string
	}{
		{"", StatusType, "the name is required"},
		{"5\n", StatusType, "must be a string"},
		{wishText("settle"), StatusType, "there is no settle"},
		{wishText("snapshot", "99"), StatusType, "there is no such store"},
		{wishText("snapshot", `!{"path":"","message":"is a function"}`), StatusType, "snapshot: is a function"},
		{wishText("store"), StatusType, "the state is required"},
		{wishText("store", `{"version":"v1"}`), StatusType, "state must be given"},
		{wishText("predict", store, "5", "{}"), StatusType, "the id must be a string"},
		{wishText("predict", store, `"p"`, `{"baseVersion":"v1","patch":5}`), StatusType, "patch: must be an array"},
		{wishText("predict", store, `"p"`, `{"baseVersion":"v1","patch":[]}`, `"now"`), StatusType, "milliseconds since 1970"},
		{wishText("commit", store, `"p"`, `{"state":1,"version":"v1"}`, "", `{"reconciliation":5}`), StatusType, "reconciliation must be a string"},
		{wishText("commit", store, `"p"`, `{"state":1,"version":"v1"}`, "", `{"reconciliation":"no"}`), StatusType, "reconciliation"},
		{wishText("expire", store, "1e300"), StatusType, "milliseconds since 1970"},
		{wishText("tool", "1", "false", "{}"), StatusType, "a registry is required"},
		{wishText("execute", "1", store, "1", "{}", "{}"), StatusType, "a registry is required"},
		{wishText("call", "99", "1", "{}", "{}"), StatusDisposed, ""},
		{wishText("define", "2", `!{"path":"a","message":"is a function"}`), StatusDefinition, "is a function"},
		{wishText("define", "2", `{"name":5}`), StatusDefinition, "name must be a string"},
		{wishText("define", "2", "5"), StatusDefinition, "must be an object"},
		{wishText("define", "2", renaming(`,"budget":{"calls":1,"windowMs":1,"more":1}`)), StatusDefinition, "budget.more"},
	} {
		v.wantFailure(OpGuest, v.number, 0, c.text, c.status, c.want)
	}
	v.wantFailure(OpGuest, v.number, 99, wishText("tool", "1", "false", "{}"), StatusDisposed, "")
	for text, want := range map[string]string{
		wishText("tool", "9", "false", "{}"): "no such capability", wishText("tool", "1", "false", `{"store":99}`): "no such store",
		wishText("tool", "1", "false", `{"consumer":{"id":"a"}}`): "consumer", wishText("tool", "1", "false", `{"resultMode":"all"}`): "resultMode",
		wishText("execute", "1", "99", "1", "{}", "{}"): "no such store", wishText("execute", "1", store, "1", `{"now":"noon"}`, "{}"): "milliseconds",
		wishText("execute", "1", store, "1", `{"predictionId":""}`, "{}"): "predictionId", wishText("execute", "9", store, "1", "{}", "{}"): "no such capability",
	} {
		v.wantFailure(OpGuest, v.number, v.registry, text, StatusType, want)
	}
	large := `{"state":"` + strings.Repeat("a", 5<<20) + `","version":"v1"}`
	if back := v.wants("store", large); !strings.Contains(back, `"tooLarge":"state: has`) {
		t.Errorf("too large a state gives %s", back)
	}
	if back := v.wantsIn("tool", "1", "false", `{"maxReceiptBytes":0}`); !strings.Contains(back, "tooLarge") {
		t.Errorf("receipts of no bytes give %s", back)
	}
}

// TestGuestFaults: what is found out after the operation has begun comes with the answer.
func TestGuestFaults(t *testing.T) {
	v := newVisitor(t)
	v.tool("1", "", "{}")
	v.wants("define", "2", renaming(""))
	store := v.wants("store", `{"state":1,"version":"v1"}`)
	v.wantsIn("execute", "2", store, "1", "{}", "{}")
	v.wantAnswer("1", `"fault":{"code":"DUPLICATE_CAPABILITY"`)
	v.wantsIn("execute", "1", store, "2", `{"predictionId":"`+strings.Repeat("a", 300)+`"}`, "{}")
	v.wantAnswer("2", `"fault":{"message":"id: a prediction's id`)
}

func TestGuestsLeaveWithTheirRegistry(t *testing.T) {
	v := newVisitor(t)
	v.tool("1", "", "{}")
	v.wants("define", "2", renaming(""))
	if back := v.wants("undefine", "2"); back != "true" {
		t.Errorf("a capability that is nowhere is %s", back)
	}
	if back := v.wants("undefine", "1"); back != "false" {
		t.Errorf("a capability that can be called is %s", back)
	}
	v.wantTables("guestItems 2", "surfaces 1")
	v.do(OpDispose, v.registry, 0, "")
	if last := v.heard[len(v.heard)-1]; last != `{"do":"forget","of":1}` {
		t.Errorf("told %s", last)
	}
	v.wantTables()
	v.wantFailure(OpGuest, v.number, 0, wishText("call", "1", "6", "{}", "{}"), StatusDisposed, "")
}
