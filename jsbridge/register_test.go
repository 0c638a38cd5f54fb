package jsbridge

import (
	"fmt"
	"strings"
	"testing"
)

// plan registers a definition and gives the number of its plan.
func (p *page) plan(registry, number int32, text string) string {
	p.t.Helper()
	plan, _, _ := strings.Cut(p.do(OpRegister, registry, number, text), " ")
	return plan
}

func TestMountAgain(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	plan := p.plan(registry, 1, form(`,"precondition":true`))
	if back := p.do(OpMount, registry, 2, plan+" second"); !strings.HasPrefix(back, "reg_") || strings.Contains(back, " ") {
		t.Fatalf("mounting again gave %q", back)
	}
	asked := []int32{}
	p.answers[AskPrecondition] = func(definition, _, _ int32, _ string) (Answer, string) {
		asked = append(asked, definition)
		return AnswerValue, ""
	}
	p.answers[AskHandler] = func(definition, _, _ int32, _ string) (Answer, string) {
		asked = append(asked, definition)
		return AnswerValue, "1"
	}
	p.do(OpInvoke, registry, 1, request(`{"capabilityId":"view:app.form.save","instanceId":"second","input":{}}`))
	p.wantResult(1, "1")
	if fmt.Sprint(asked) != "[2 2]" {
		t.Errorf("the definitions that were asked are %v", asked)
	}
	p.do(OpUnregister, 2, 0, "")
	p.wantTold(TellFreed, 1)
	p.wantTables("handles 1", "surfaces 1")
}

func TestMountAgainRefuses(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	plan := p.plan(registry, 1, form(""))
	if back := p.do(OpMount, registry, 2, plan+" default"); !strings.HasSuffix(back, " duplicate") {
		t.Errorf("an instance that is live already gave %q", back)
	}
	p.wantFailure(OpMount, registry, 3, plan+" a b", StatusDefinition, "INVALID_ID")
	p.wantFailure(OpMount, registry, 3, plan+" \xff", StatusDefinition, "INVALID_ID")
	p.wantFailure(OpMount, registry, 3, "x y", StatusType, "number of a plan")
	for _, unknown := range []string{"99 y", "0 y", "-1 y"} {
		if back := p.do(OpMount, registry, 3, unknown); back != "" {
			t.Errorf("plan %q gave %q", unknown, back)
		}
	}
	p.wantTables("handles 1", "surfaces 1")
}

func TestWhatIsCapturedIsNotMountedAgain(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	for name, more := range map[string]string{
		"policy": `,"policies":[{"policy":5,"name":"p","authorize":true}]`, "parse": `,"output":{"document":{},"parse":6}`,
	} {
		if plan := p.plan(registry, 1, strings.Replace(form(more), "app.form", "app."+name, 1)); plan == "0" {
			continue
		}
		t.Errorf("a definition with a %s has a plan", name)
	}
}

func TestPlansAreBounded(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	first := p.plan(registry, 1, form(""))
	for i := range maxPlans {
		p.plan(registry, int32(i+2), strings.Replace(form(""), "app.form", fmt.Sprintf("app.form%d", i), 1))
	}
	if back := p.do(OpMount, registry, maxPlans+2, first+" more"); back != "" {
		t.Errorf("the first of %d plans is kept: %q", maxPlans+1, back)
	}
	if kept := len(p.bridge.surfaces.values[registry].plans); kept > maxPlans {
		t.Errorf("%d plans are kept", kept)
	}
}

func TestSnapshotsSendWhatChanged(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.register(registry, 2, strings.Replace(form(""), "app.form", "app.other", 1))
	snapshot := func(components, procedures string, fresh ...string) {
		t.Helper()
		back := p.do(OpSnapshot, registry, 0, "")
		if len(fresh) == 0 && components == "" {
			if !strings.HasSuffix(back, `"components":null,"procedures":null}]`) {
				t.Errorf("nothing has changed, and the snapshot is %s", back)
			}
			return
		}
		_, lists, _ := strings.Cut(back, `"procedures":null},`)
		if !strings.HasPrefix(lists, components+","+procedures+",[") {
			t.Errorf("the lists are %s; want %s and %s", lists, components, procedures)
		}
		if got := strings.Count(lists, `{"type":`); got != len(fresh) {
			t.Errorf("%d components are fresh; want %d: %s", got, len(fresh), lists)
		}
		for _, one := range fresh {
			if !strings.Contains(lists, one) {
				t.Errorf("%s is not fresh in %s", one, lists)
			}
		}
	}
	snapshot("[1,2]", "[]", `[1,{"type":"app.form"`, `[2,{"type":"app.other"`)
	snapshot("", "")
	p.do(OpUpdate, 2, 0, `{"enabled":false}`)
	snapshot("[1,2]", "[]", `[2,{"type":"app.other"`)
	p.do(OpInvalidate, registry, 0, "")
	snapshot("[1,2]", "[]")
	p.do(OpUnregister, 1, 0, "")
	snapshot("[2]", "[]")
	p.register(registry, 3, form(""))
	snapshot("[3,2]", "[]", `[3,{"type":"app.form"`)
	p.turn()
	if parts := len(p.bridge.surfaces.values[registry].readers.parts); parts != 2 {
		t.Errorf("%d parts are remembered", parts)
	}
}

func TestSnapshotsSendProcedures(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	binding := `{"kind":"procedure-binding","ref":{"id":"domain:a.%s","path":"a.%s","description":"Does","inputSchema":{},"effect":"server-query"},"config":{"when":true},"boundKeys":[],"lockedKeys":[]}`
	p.answers[AskWhen] = says("true")
	p.register(registry, 1, `{"type":"app.form","description":"A form","procedures":[`+fmt.Sprintf(binding, "b", "b")+","+fmt.Sprintf(binding, "c", "c")+`]}`)
	if back := p.do(OpSnapshot, registry, 0, ""); !strings.Contains(back, `,[],[[1,0],[1,1]],[[1,null,[{"procedureId":"domain:a.b"`) {
		t.Error(back)
	}
	if back := p.do(OpSnapshot, registry, 0, ""); !strings.HasSuffix(back, `,[],[[1,0],[1,1]],[]]`) {
		t.Errorf("the same again: %s", back)
	}
	p.answers[AskWhen] = says("false")
	if back := p.do(OpSnapshot, registry, 0, ""); strings.Count(back, `"available":false`) != 2 {
		t.Errorf("when says no now: %s", back)
	}
}
