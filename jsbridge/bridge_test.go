package jsbridge

import (
	"slices"
	"strings"
	"testing"
)

func TestOperationsOnWhatIsNotThere(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	for _, c := range []struct {
		name   string
		op     Op
		a      int32
		text   string
		status Status
		want   string
	}{
		{"a registry to ask", OpSnapshot, 99, "{}", StatusDisposed, ""},
		{"a registry to call", OpInvoke, 99, "{}", StatusDisposed, ""},
		{"a negative registry", OpRegister, -1, "{}", StatusDisposed, ""},
		{"an adapter to stop", OpStopAdapter, 99, "", StatusType, "adapter"},
		{"an adapter to ask", OpAdapterStatus, 99, "", StatusType, "adapter"},
		{"an operation", OpFault + 1, registry, "", StatusType, "unknown operation"},
		{"an operation 0", 0, registry, "", StatusType, "unknown operation"},
		{"a fault", OpFault, 1, "", StatusType, "no faults"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.wantFailure(c.op, c.a, 0, c.text, c.status, c.want)
		})
	}
	p.t = t
	for _, op := range []Op{OpSettle, OpNext, OpToolAdded, OpTimers, OpTasks, OpSoon} {
		p.do(op, 99, 0, "")
	}
	for _, op := range []Op{OpUnregister, OpUpdate, OpInvalidateHandle, OpHandleStatus} {
		if status := p.do(op, 99, 0, "{"); status != "unregistered" {
			t.Errorf("operation %d on a registration that is gone gave %q", op, status)
		}
	}
}

func TestTextsThatAreNoObjects(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	handle := p.register(registry, 1, form(""))
	ops := map[Op]int32{
		OpCreateRegistry: 0, OpSnapshot: registry, OpUpdate: handle, OpCheckAdapter: 0, OpStartAdapter: 1,
	}
	for op, a := range ops {
		for _, text := range []string{"", "null", "[]", `"text"`, "{", "{}x", "\xff", strings.Repeat("[", 1000), `{"a":` + strings.Repeat("[", 300)} {
			if op == OpStartAdapter {
				p.wantFailure(op, a, registry, text, StatusType, "")
				continue
			}
			if op == OpSnapshot && text == "" {
				continue // no options
			}
			p.wantFailure(op, a, 1, text, StatusType, "")
		}
	}
	for _, text := range []string{"", "[]", "{", "\xff", strings.Repeat("[", 1000)} {
		p.wantFailure(OpRegister, registry, 2, text, StatusDefinition, "INVALID_DEFINITION")
	}
	p.wantTables("handles 1", "surfaces 1")
}

func TestCreateRegistryChecksItsOptions(t *testing.T) {
	p := newPage(t)
	for options, want := range map[string]string{
		`{"environment":"staging"}`:       "staging",
		`{"environment":5}`:               "options.environment must be a string",
		`{"colour":null}`:                 "options.colour is not an option",
		`{"limits":{"fun":1}}`:            "fun",
		`{"limits":{"maxInputBytes":-5}}`: "maxInputBytes",
		`{"limits":5}`:                    "limits",
		`{"policies":[5]}`:                "polic",
		`{"policies":{}}`:                 "polic",
		`{"onDuplicateInstance":"merge"}`: "merge",
		`{"onRegister":"yes"}`:            "onRegister",
		`[]`:                              "options must be an object",
	} {
		p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":`+p.open()+`,"options":`+options+`}`, StatusType, want)
	}
	p.wantFailure(OpCreateRegistry, 0, 0, `{"options":{}}`, StatusType, "authority")
	p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":5,"options":{}}`, StatusType, "authority")
	p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":{}}`, StatusType, "authority")
	strict, _, _ := strings.Cut(p.do(OpAuthority, 0, 0, ""), " ")
	p.wantFailure(OpCreateRegistry, 0, 0, `{"authority":`+strict+`}`, StatusType, "production")
	p.wantTables()
}

func TestDisposedRegistry(t *testing.T) {
	p := newPage(t)
	p.answers[AskHandler] = func(int32, int32, int32, string) (Answer, string) { return AnswerPending, "" }
	registry := p.registry("")
	handle := p.register(registry, 1, form(""))
	p.call(registry, 1)
	p.do(OpDispose, registry, 0, "")
	p.wantResult(1, "CANCELLED")
	for _, op := range []Op{OpDispose, OpSnapshot, OpInvoke, OpRegister, OpVersion, OpPending, OpResolve, OpAwaitConfirmation, OpListen} {
		p.wantFailure(op, registry, 1, "{}", StatusDisposed, "")
	}
	if status := p.do(OpHandleStatus, handle, 0, ""); status != "unregistered" {
		t.Errorf("status is %s", status)
	}
	p.turn()
	p.wantTables()
}

func TestHandles(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	handle := p.register(registry, 7, form(""))
	if status := p.do(OpHandleStatus, handle, 0, ""); status != "active" {
		t.Errorf("status is %s", status)
	}
	p.do(OpUpdate, handle, 0, `{"enabled":false,"availability":{"save":{"available":false,"reason":"Not now"}}}`)
	p.wantFailure(OpUpdate, handle, 0, `{"colour":1}`, StatusType, "colour")
	p.wantFailure(OpUpdate, handle, 0, `{"enabled":1}`, StatusType, "enabled")
	p.wantFailure(OpUpdate, handle, 0, `{"availability":{"other":{"available":true}}}`, StatusType, "other")
	p.wantFailure(OpUpdate, handle, 0, `{"availability":{"save":5}}`, StatusType, "save")
	p.do(OpInvalidateHandle, handle, 0, "")
	if version := p.do(OpVersion, registry, 0, ""); version != "3" {
		t.Errorf("version is %s", version)
	}
	p.do(OpUnregister, handle, 0, "")
	p.do(OpUnregister, handle, 0, "")
	p.wantTold(TellFreed, 1)
	p.wantTables("surfaces 1")
}

func TestDuplicatesAndRefusalsAreAnswers(t *testing.T) {
	p := newPage(t)
	registry := p.registry(`,"onRegister":true`)
	p.answers[AskGuard] = says(`"accept"`)
	p.register(registry, 1, form(""))
	back := p.do(OpRegister, registry, 2, form(""))
	if !strings.HasSuffix(back, " duplicate") {
		t.Error(back)
	}
	for _, guard := range []answer{says(`"reject"`), says(`true`), says(""), fails()} {
		p.answers[AskGuard] = guard
		back := p.do(OpRegister, registry, 3, strings.Replace(form(""), "app.form", "app.other", 1))
		if !strings.HasSuffix(back, " guard") {
			t.Error(back)
		}
	}
	p.wantTables("handles 1", "surfaces 1")
}

func TestEventsCrossOnlyWhileSomebodyListens(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.turn()
	p.wantTold(TellEvent, 0)
	p.do(OpListen, registry, 1, "")
	p.do(OpListen, registry, 1, "")
	p.do(OpInvalidate, registry, 0, "")
	p.do(OpInvalidate, registry, 0, "")
	p.turn()
	p.wantTold(TellEvent, 1)
	p.do(OpListen, registry, 0, "")
	p.do(OpInvalidate, registry, 0, "")
	p.turn()
	p.wantTold(TellEvent, 1)
}

// TestPanicIsContained makes the page break its promise not to panic, in an operation and in a flow.
func TestPanicIsContained(t *testing.T) {
	p := newPage(t)
	registry := p.registry(`,"now":true`)
	p.register(registry, 1, form(""))
	p.answers[AskNow] = func(int32, int32, int32, string) (Answer, string) { panic("broken") }
	p.wantFailure(OpSnapshot, registry, 0, "{}", StatusInternal, "")
	p.wantTold(TellLog, 1)
	delete(p.answers, AskNow)
	var wake func()
	p.bridge.loop.Go(func() {
		waiter := p.bridge.loop.Waiter()
		wake = waiter.Wake
		waiter.Park()
		panic("in a flow")
	})
	wake()
	p.do(OpVersion, registry, 0, "") // not the operation's fault
	p.wantTold(TellLog, 2)
	p.answers[AskHandler] = says(`"saved"`)
	p.call(registry, 1)
	p.wantResult(1, `"saved"`)
}

// TestOperationsInsideQuestions calls the bridge from inside the page's code, as pages do.
func TestOperationsInsideQuestions(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(`,"concurrency":{"mode":"parallel","max":9}`))
	p.answers[AskHandler] = func(_, _, _ int32, text string) (Answer, string) {
		if strings.HasSuffix(text, "\ninner") {
			return AnswerValue, `"inner"`
		}
		p.do(OpInvoke, registry, 2, request(`{"capabilityId":"view:app.form.save","invocationId":"inner"}`))
		p.wantResult(2, `"inner"`)
		p.do(OpSnapshot, registry, 0, "{}")
		handle := p.register(registry, 2, strings.Replace(form(""), "app.form", "app.other", 1))
		p.do(OpUnregister, handle, 0, "")
		return AnswerValue, `"outer"`
	}
	p.call(registry, 1)
	p.wantResult(1, `"outer"`)
}

func TestSnapshotContext(t *testing.T) {
	p := newPage(t)
	p.answers[AskRoute] = says(`{"path":"/x","params":{"a":"1"}}`)
	p.answers[AskNow] = says("1500")
	registry := p.registry(`,"route":true,"now":true`)
	p.register(registry, 1, form(""))
	back := p.do(OpSnapshot, registry, 0, `{"scope":["app"],"consumer":{"id":"me","kind":"test","grants":["a"]},"budget":{"maxComponents":1,"maxBytes":9999},"includeUnavailable":false}`)
	for _, want := range []string{`"route":{"path":"/x","params":{"a":"1"}}`, `"capturedAt":"1970-01-01T00:00:01.500Z"`, `"type":"app.form"`} {
		if !strings.Contains(back, want) {
			t.Errorf("%s is not in %s", want, back)
		}
	}
	for _, bad := range []answer{says("5"), says(`{"path":5}`), says(""), fails()} {
		p.answers[AskRoute], p.answers[AskNow] = bad, bad
		if back := p.do(OpSnapshot, registry, 0, "{}"); strings.Contains(back, "route") {
			t.Error(back)
		}
	}
	p.wantFailure(OpSnapshot, registry, 0, `{"consumer":{"id":"","kind":"test"}}`, StatusType, "consumer")
	p.wantFailure(OpSnapshot, registry, 0, `{"consumer":{"id":"x","kind":"alien"}}`, StatusType, "consumer")
	p.wantFailure(OpSnapshot, registry, 0, `{"scope":"app"}`, StatusType, "scope")
	p.wantFailure(OpSnapshot, registry, 0, `{"budget":{"maxBytes":1.5}}`, StatusType, "maxBytes")
}

func TestConfirmations(t *testing.T) {
	p := newPage(t)
	p.answers[AskHandler] = says(`"saved"`)
	registry := p.registry("")
	p.register(registry, 1, form(`,"confirmation":"required"`))
	p.call(registry, 1)
	p.wantResult(1, "CONFIRMATION_REQUIRED")
	var pending []struct{ ConfirmationID string }
	p.decode(p.do(OpPending, registry, 0, ""), &pending)
	if len(pending) != 1 {
		t.Fatalf("%d are pending", len(pending))
	}
	id := pending[0].ConfirmationID
	p.do(OpAwaitConfirmation, registry, 50, id)
	p.do(OpAwaitConfirmation, registry, 51, id)
	p.do(OpCancelAwait, registry, 50, "")
	p.do(OpCancelAwait, registry, 50, "")
	p.wantTables("calls 1", "handles 1", "surfaces 1")
	if p.do(OpResolve, registry, 1, id) != "true" || p.do(OpResolve, registry, 1, id) != "false" {
		t.Error("a decision counted twice")
	}
	if !slices.Contains(p.told, "2 1 51 approved") {
		t.Errorf("told %q", p.told)
	}
	p.do(OpInvoke, registry, 2, request(`{"capabilityId":"view:app.form.save","input":{"n":1},"confirmationId":"`+id+`"}`))
	p.wantResult(2, `"saved"`)
	p.do(OpAwaitConfirmation, registry, 52, "cnf_unknown")
	if !slices.Contains(p.told, "2 1 52 expired") {
		t.Errorf("told %q", p.told)
	}
	p.wantTables("handles 1", "surfaces 1")
}

func TestInvokeChecksWhatIsAsked(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(""))
	for _, text := range []string{"", "{}", strings.Repeat("\n", 8)} {
		p.wantFailure(OpInvoke, registry, 1, text, StatusType, "invoke has too few lines")
	}
	for text, want := range map[string]string{
		`{"capabilityId":"\x"}`:                                                 "capabilityId",
		`{"capabilityId":"x` + "\x7f\xff" + `"}`:                                "capabilityId",
		`{"capabilityId":5}`:                                                    "capabilityId",
		`{"capabilityId":"x","timeoutMs":-1}`:                                   "timeoutMs",
		`{"capabilityId":"x","consumer":5}`:                                     "consumer",
		`{"capabilityId":"x","consumer":{"id":"a","kind":"b"}}`:                 "consumer",
		`{"capabilityId":"x","consumer":{"id":"a","kind":"test","grants":[5]}}`: "grants",
		`{"capabilityId":"x","inputIssue":5}`:                                   "inputIssue",
	} {
		p.wantFailure(OpInvoke, registry, 1, request(text), StatusType, want)
	}
	p.wantNoResult(1)
	p.do(OpInvoke, registry, 2, request(`{"capabilityId":"view:app.form.save","inputIssue":{"path":"a","message":"is a function"}}`))
	p.wantResult(2, "INVALID_INPUT")
	if !strings.Contains(p.results[2], `{"path":"a","message":"is a function"}`) {
		t.Error(p.results[2])
	}
	p.do(OpInvoke, registry, 3, request(`{"capabilityId":"view:app.form.save","aborted":true}`))
	p.wantResult(3, "CANCELLED")
	p.wantTables("handles 1", "surfaces 1")
}

// FuzzOperations feeds texts that no script writes to the operations that read one. None may panic.
func FuzzOperations(f *testing.F) {
	for _, text := range []string{form(""), `{}`, `{"capabilityId":"view:app.form.save"}`, `{"enabled":true}`, `[1,2]`, `{"scope":[]}`, `{"options":{}}`} {
		for _, op := range []Op{OpCreateRegistry, OpRegister, OpSnapshot, OpInvoke, OpUpdate, OpCancel, OpCheckAdapter, OpStartAdapter, OpCheckSchema} {
			f.Add(int32(op), text)
		}
	}
	f.Add(int32(OpCancel), "[")
	f.Add(int32(OpInvoke), request(`{"capabilityId":"view:app.form.save","input":{},"consumer":{"id":"a","kind":"test"},"timeoutMs":5,"aborted":true}`))
	f.Add(int32(OpInvoke), request(`{"capabilityId":"view:app.form.save","inputIssue":{"path":"a"}}`))
	f.Fuzz(func(t *testing.T, op int32, text string) {
		p := newPage(t)
		registry := p.registry("")
		handle := p.register(registry, 1, form(""))
		a, n := registry, int32(2)
		switch Op(op) {
		case OpUpdate:
			a = handle
		case OpStartAdapter:
			a, n = 1, registry
		}
		status, back := p.bridge.Do(Op(op), a, n, text)
		if status == StatusInternal {
			t.Fatalf("operation %d panicked with %q: %q", op, text, p.told)
		}
		if status == StatusOK && !strings.HasPrefix(back, "{") && !strings.HasPrefix(back, "[") && len(back) > 100 {
			t.Fatalf("operation %d gave %q", op, back)
		}
	})
}

// TestStepsCrossOnlyWhileSomebodyWatches: those of calls, apart from events.
func TestStepsCrossOnlyWhileSomebodyWatches(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	ticket := int32(0)
	call := func() {
		ticket++
		p.do(OpInvoke, registry, ticket, "\"view:no.such\"\n\n\n\n\n\n\n\n\n")
		p.turn()
	}
	call()
	p.wantTold(TellEvent, 0)
	p.do(OpListen, registry, 2, "")
	call()
	p.wantTold(TellEvent, 2) // resolution and settlement
	p.do(OpListen, registry, 3, "")
	call()
	p.wantTold(TellEvent, 6) // and the start and the end as events
	p.do(OpListen, registry, 0, "")
	call()
	p.wantTold(TellEvent, 6)
}
