package predict_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// TestEveryPredictedExecutionEndsOnce plays any order of beginnings, answers, refusals, withdrawals and waits.
func TestEveryPredictedExecutionEndsOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlay(t, func(d *predict.Definition) {
			d.Reconciliation = rapid.SampledFrom([]predict.Reconciliation{predict.Manual, predict.AcceptServerState}).Draw(rt, "rule")
		})
		others := 0
		begun, ended := map[string]int{}, map[string]int{}
		p.store.Subscribe(func(e predict.Event) {
			if e.Type == predict.Predicted {
				begun[e.PredictionID]++
			} else if e.Type != predict.Committed || ended[e.PredictionID] == 0 {
				ended[e.PredictionID]++
			}
		})
		var runs []*run
		versions := 1
		answer := func(err error) {
			for i := range p.calls {
				if !p.calls[i].answered {
					versions++
					p.answer(i, capability.JSON(fmt.Sprintf(`{"version":"v%d"}`, versions)), err)
					return
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": func(*rapid.T) {
				if len(runs) < 8 {
					others++
					runs = append(runs, p.beginTwin(fmt.Sprint("n", others), func(d *predict.Definition) { d.Name = fmt.Sprint("rename", others) }))
				}
			},
			"answer": func(*rapid.T) { answer(nil) },
			"refuse": func(*rapid.T) { answer(errors.New("no")) },
			"withdraw": func(rt *rapid.T) {
				if len(runs) > 0 {
					runs[rapid.IntRange(0, len(runs)-1).Draw(rt, "which")].cancel()
				}
			},
			"wait": func(*rapid.T) { p.clock.Advance(4 * time.Second) },
			"": func(rt *rapid.T) {
				active := p.store.Snapshot().ActivePredictionIDs
				if len(begun)-len(ended) != len(active) {
					rt.Fatalf("%d begun, %d ended, %d active", len(begun), len(ended), len(active))
				}
			},
		})
		for range p.calls {
			answer(nil)
		}
		for i, r := range runs {
			if len(r.ended) != 1 {
				rt.Fatalf("execution %d has %d ends", i, len(r.ended))
			}
		}
		for id, count := range begun {
			if count != 1 || ended[id] != 1 {
				rt.Fatalf("%s began %d times and ended %d times", id, count, ended[id])
			}
		}
		if left := p.store.Snapshot(); len(left.ActivePredictionIDs) > 0 {
			rt.Fatalf("the store is left as %s", left.JSON())
		}
	})
}

func TestParsedInputIsWhatIsForeseen(t *testing.T) {
	var keys []string
	p := newPlay(t, func(d *predict.Definition) {
		d.Input.Parse = func(value capability.JSON) (capability.JSON, []capability.Issue) {
			name, ok := member(value, "name").Text()
			if !ok {
				return "", []capability.Issue{{Path: "name", Message: "must be text"}}
			}
			if name == "panic" {
				panic("no")
			}
			return `{"name":` + capability.Quote(strings.TrimSpace(name)) + `}`, nil
		}
		d.Idempotency = &predict.Idempotency{Key: func(input capability.JSON) (string, error) {
			keys = append(keys, string(input))
			return string(input), nil
		}}
	})
	p.begin("  lamp ", predict.PredictedCall{})
	p.shows("lamp", "v1")
	same(t, "the key", strings.Join(keys, " "), string(lamp))
	p.begin("panic", predict.PredictedCall{}).expect(predict.Executed, "failed")
	same(t, "the keys", len(keys), 1)
}

func TestCallsByAnotherWayRun(t *testing.T) {
	p := newPage(t)
	c := p.rename(nil)
	p.tool(c, predict.ToolOptions{Authorize: func(*policy.InvokeContext) (bool, error) { return false, nil }})
	invoke := func(grants ...string) registry.Result {
		var got registry.Result
		p.Registry().Start(context.Background(), registry.Request{CapabilityID: c.CapabilityID(), Input: lamp}, registry.InvokeOptions{
			Consumer: capability.Consumer{ID: "copilot", Kind: capability.EmbeddedConsumer, Grants: grants},
		}, func(r registry.Result) { got = r })
		p.clock.Settle()
		return got
	}
	same(t, "with the token", invoke(c.Token()).OK(), true)
	same(t, "without it", invoke().Error.Code, capability.CodeNotFound)
}

func TestBudgetComesBack(t *testing.T) {
	p := newPage(t)
	tool := p.tool(p.rename(func(d *predict.Definition) { d.Budget = &predict.Budget{Calls: 2, Window: time.Minute} }), predict.ToolOptions{})
	for i, want := range []bool{true, true, false} {
		same(t, fmt.Sprint("call ", i), p.call(tool, lamp, predict.Call{}).Receipt.OK, want)
	}
	p.clock.Advance(time.Minute)
	same(t, "a minute later", p.call(tool, lamp, predict.Call{}).Receipt.OK, true)
}

func TestDryRunOfABadPredictor(t *testing.T) {
	for name, predictor := range map[string]func(predict.Foresight) (predict.Prediction, error){
		"fails":  func(predict.Foresight) (predict.Prediction, error) { return predict.Prediction{}, errors.New("secret") },
		"panics": func(predict.Foresight) (predict.Prediction, error) { panic("secret") },
		"does not apply": func(f predict.Foresight) (predict.Prediction, error) {
			patch, err := predict.ParsePatch(`[{"op":"remove","path":"/nothing"}]`)
			return predict.Prediction{BaseVersion: f.Version, Patch: patch}, err
		},
	} {
		p := newPage(t)
		c := p.rename(func(d *predict.Definition) {
			foreseen(d)
			d.Predict = predictor
		})
		a := p.call(p.tool(c, predict.ToolOptions{DryRun: true, Store: p.store()}), lamp, predict.Call{})
		same(t, name, brief(a.Receipt), "failed execution_failed@execute +capability +input +policy -execute")
		same(t, "a secret in the receipt", strings.Contains(string(a.Receipt.JSON()), "secret"), false)
		same(t, "the log", len(p.logs), 1)
	}
}

func TestWithdrawnWhileAPersonDecides(t *testing.T) {
	p := newPage(t)
	tool := p.tool(p.rename(func(d *predict.Definition) { d.Confirmation = capability.Required }), predict.ToolOptions{Wait: true})
	got := p.start(tool, lamp, predict.Call{})
	got.cancel()
	p.clock.Settle()
	same(t, "the receipt", brief(got.answers[0].Receipt), "failed cancelled@approval +capability +input +policy -approval")
	same(t, "what is asked", len(p.Registry().Confirmations().Pending()), 0)
	got = p.start(tool, lamp, predict.Call{})
	tool.Close()
	same(t, "after Close", brief(got.answers[0].Receipt), "denied approval_required@approval +capability +input +policy -approval")
}

func TestForgottenTracesLeaveATrueReceipt(t *testing.T) {
	p := newPage(t)
	tool := p.tool(p.rename(nil), predict.ToolOptions{})
	first := p.call(tool, lamp, predict.Call{InvocationID: "first"})
	p.clock.Advance(time.Second)
	replay := p.call(tool, lamp, predict.Call{InvocationID: "first"})
	same(t, "a replay", replay.Receipt.JSON(), first.Receipt.JSON())
	for i := range 1100 {
		p.call(tool, `{}`, predict.Call{InvocationID: fmt.Sprint("filler", i)})
	}
	late := p.call(tool, lamp, predict.Call{InvocationID: "first"})
	if late.Receipt.OK { // the registry may have forgotten it too, and run it again
		same(t, "a late receipt", brief(late.Receipt), "committed"+allStages)
	} else {
		t.Errorf("the late receipt is %s", late.Receipt.JSON())
	}
}
