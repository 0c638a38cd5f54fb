package predict_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// server answers the calls of a capability when a test says so.
type server struct {
	p     *page
	calls []*question
}

// question is a call that the server has not answered yet.
type question struct {
	waiter   host.Waiter
	answered bool
	output   capability.JSON
	err      error
}

func (s *server) execute(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
	q := &question{waiter: s.p.clock.Waiter()}
	s.calls = append(s.calls, q)
	defer call.OnSettle(q.waiter.Wake)()
	for !q.answered && ctx.Err() == nil {
		q.waiter.Park()
	}
	return q.output, q.err
}

func (s *server) answer(i int, output capability.JSON, err error) {
	q := s.calls[i]
	q.answered, q.output, q.err = true, output, err
	q.waiter.Wake()
	s.p.clock.Settle()
}

// play is a store, a capability and its server.
type play struct {
	*page
	*server
	store  *predict.Store
	rename *predict.Capability
	events []string
}

func newPlay(t *testing.T, change func(*predict.Definition)) *play {
	t.Helper()
	p := newPage(t)
	pl := &play{page: p, server: &server{p: p}, store: p.store()}
	pl.rename = p.rename(func(d *predict.Definition) {
		foreseen(d)
		d.Execute = pl.execute
		if change != nil {
			change(d)
		}
	})
	pl.store.Subscribe(func(e predict.Event) { pl.events = append(pl.events, string(e.Type)) })
	return pl
}

// run is a predicted execution on its way.
type run struct {
	p      *play
	cancel func()
	ended  []predict.Execution
}

func (p *play) begin(name string, call predict.PredictedCall) *run {
	p.t.Helper()
	scope := host.NewScope(context.Background())
	r := &run{p: p, cancel: func() { scope.Cancel(errors.New("withdrawn")); p.clock.Settle() }}
	input := capability.JSON(fmt.Sprintf(`{"name":%q}`, name))
	p.desk.StartPredicted(scope, p.rename, input, p.store, call, func(e predict.Execution, err error) {
		if err != nil {
			p.t.Error(err)
		}
		r.ended = append(r.ended, e)
	})
	p.clock.Settle()
	return r
}

func (r *run) expect(outcome predict.Outcome, receipt string) {
	r.p.t.Helper()
	if len(r.ended) != 1 {
		r.p.t.Fatalf("the execution has %d ends", len(r.ended))
	}
	got := "nothing called"
	if a := r.ended[0].Answer; a != nil {
		got = string(a.Receipt.Verdict)
	}
	same(r.p.t, "the outcome", string(r.ended[0].Outcome)+", "+got, string(outcome)+", "+receipt)
}

func (p *play) shows(name, version string) {
	p.t.Helper()
	s := p.store.Snapshot()
	same(p.t, "the state", string(s.State)+" "+s.AuthoritativeVersion, fmt.Sprintf(`{"name":%q} %s`, name, version))
}

func (p *play) told(want string) {
	p.t.Helper()
	same(p.t, "the events", strings.Join(p.events, " "), want)
}

func TestPredictedExecutionCommits(t *testing.T) {
	p := newPlay(t, nil)
	r := p.begin("lamp", predict.PredictedCall{PredictionID: "p1"})
	p.shows("lamp", "v1") // at once
	same(t, "what is predicted", strings.Join(p.store.Snapshot().ActivePredictionIDs, " "), "p1")
	p.answer(0, `{"version":"v2"}`, nil)
	r.expect(predict.Committed, "committed")
	p.shows("lamp", "v2")
	p.told("predicted committed")
	text := string(r.ended[0].JSON())
	for _, part := range []string{`{"outcome":"committed","predictionId":"p1","prediction":{"baseVersion":"v1","patch":[`, `"expiresAt":1772600777000}`, `"tool":{"ok":true`, `"snapshot":{"state":{"name":"lamp"}`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
}

func TestPredictedExecutionRollsBack(t *testing.T) {
	reconciles := func(f func(context.Context, predict.Hindsight) (predict.State, error)) func(*predict.Definition) {
		return func(d *predict.Definition) { d.Reconcile = f }
	}
	for _, test := range []struct {
		name    string
		change  func(*predict.Definition)
		err     error
		receipt string
	}{
		{"the server refuses", nil, capability.NotAuthorized("server"), "denied"},
		{"the server fails", nil, errors.New("down"), "failed"},
		{"reconcile fails", reconciles(func(context.Context, predict.Hindsight) (predict.State, error) {
			return predict.State{}, errors.New("no")
		}), nil, "committed"},
		{"reconcile panics", reconciles(func(context.Context, predict.Hindsight) (predict.State, error) { panic("no") }), nil, "committed"},
		{"reconcile gives no state", reconciles(func(context.Context, predict.Hindsight) (predict.State, error) {
			return predict.State{State: "{", Version: "v2"}, nil
		}), nil, "committed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, test.change)
			r := p.begin("lamp", predict.PredictedCall{})
			p.shows("lamp", "v1")
			p.answer(0, `{"version":"v2"}`, test.err)
			r.expect(predict.RolledBack, test.receipt)
			p.shows("old", "v1")
			p.told("predicted rolled-back")
		})
	}
}

func TestPredictedExecutionIsCancelled(t *testing.T) {
	p := newPlay(t, nil)
	r := p.begin("lamp", predict.PredictedCall{})
	p.shows("lamp", "v1")
	r.cancel()
	r.expect(predict.RolledBack, "failed")
	p.shows("old", "v1")
	p.told("predicted rolled-back")

	p = newPlay(t, func(d *predict.Definition) { // while reconcile works
		inner := d.Reconcile
		d.Reconcile = func(ctx context.Context, h predict.Hindsight) (predict.State, error) {
			waiter := p.clock.Waiter()
			defer host.Watch(ctx, waiter.Wake)()
			waiter.Park()
			return inner(ctx, h)
		}
	})
	r = p.begin("lamp", predict.PredictedCall{})
	p.answer(0, `{"version":"v2"}`, nil)
	p.shows("lamp", "v1")
	r.cancel()
	r.expect(predict.RolledBack, "committed")
	p.shows("old", "v1")
	p.told("predicted rolled-back")
}

func TestPredictedExecutionExpires(t *testing.T) {
	p := newPlay(t, nil)
	r := p.begin("lamp", predict.PredictedCall{})
	p.clock.Advance(10*time.Second - time.Millisecond)
	p.shows("lamp", "v1")
	p.clock.Advance(time.Millisecond)
	p.shows("old", "v1") // although the server has not answered
	p.answer(0, `{"version":"v2"}`, nil)
	r.expect(predict.Expired, "committed")
	p.shows("old", "v1")
	p.told("predicted expired")
}

func TestExpiryEndsAReconciliationThatDoesNotAnswer(t *testing.T) {
	for _, rule := range []predict.Reconciliation{predict.Manual, predict.AcceptServerState} {
		var p *play
		p = newPlay(t, func(d *predict.Definition) {
			inner := d.Reconcile
			d.Reconciliation = rule
			d.Reconcile = func(ctx context.Context, h predict.Hindsight) (predict.State, error) {
				waiter := p.clock.Waiter()
				defer host.Watch(ctx, waiter.Wake)()
				waiter.Park()
				return inner(ctx, h)
			}
		})
		r := p.begin("lamp", predict.PredictedCall{})
		p.answer(0, `{"version":"v2"}`, nil)
		p.clock.Advance(10 * time.Second)
		r.expect(predict.Expired, "committed")
		p.shows("old", "v1")
		p.told("predicted expired")
	}
}

func TestAConflictOutlivesItsExpiry(t *testing.T) {
	var p *play
	var waiter host.Waiter
	p = newPlay(t, func(d *predict.Definition) {
		inner := d.Reconcile
		d.Reconciliation = predict.AcceptServerState
		d.Reconcile = func(ctx context.Context, h predict.Hindsight) (predict.State, error) {
			waiter = p.clock.Waiter()
			waiter.Park()
			return inner(ctx, h)
		}
	})
	r := p.begin("lamp", predict.PredictedCall{})
	p.answer(0, `{"version":"v2"}`, nil)
	for _, step := range []func() (predict.Outcome, error){
		func() (predict.Outcome, error) {
			return p.store.Predict("other", predict.Prediction{BaseVersion: "v1"}, time.Time{})
		},
		func() (predict.Outcome, error) {
			return p.store.Commit("other", predict.State{State: `{"name":"elsewhere"}`, Version: "v5"}, time.Time{}, "")
		},
	} {
		if outcome, err := step(); err != nil {
			t.Fatal(outcome, err)
		}
	}
	p.clock.Advance(time.Minute)
	waiter.Wake()
	p.clock.Settle()
	r.expect(predict.Committed, "committed") // as the rule has it: its answer is the server's last word
	p.shows("lamp", "v2")
}

func TestPredictedExecutionsConflict(t *testing.T) {
	for _, test := range []struct {
		rule    predict.Reconciliation
		outcome predict.Outcome
		name    string
		version string
	}{
		{predict.Manual, predict.Conflicted, "lamp", "v2"},
		{predict.Reload, predict.Conflicted, "lamp", "v2"},
		{predict.AcceptServerState, predict.Committed, "tv", "v3"},
	} {
		t.Run(string(test.rule), func(t *testing.T) {
			rule := func(d *predict.Definition) { d.Reconciliation = test.rule }
			q := newPlay(t, rule)
			first, second := q.begin("lamp", predict.PredictedCall{}), q.beginTwin("tv", rule)
			q.shows("tv", "v1")
			q.answer(0, `{"version":"v2"}`, nil)
			first.expect(predict.Committed, "committed")
			q.shows("lamp", "v2")
			q.answer(1, `{"version":"v3"}`, nil)
			second.expect(test.outcome, "committed")
			q.shows(test.name, test.version)
		})
	}
}

// beginTwin is a second agent's rename, through a capability of its own, so that the two run at once.
func (p *play) beginTwin(name string, change func(*predict.Definition)) *run {
	p.t.Helper()
	mine := p.rename
	defer func() { p.rename = mine }()
	p.rename = p.page.rename(func(d *predict.Definition) {
		foreseen(d)
		d.Name, d.Execute = "device.rename2", p.execute
		change(d)
	})
	return p.begin(name, predict.PredictedCall{})
}

func TestPredictedExecutionThatIsNotMade(t *testing.T) {
	predicts := func(f func(predict.Foresight) (predict.Prediction, error)) func(*predict.Definition) {
		return func(d *predict.Definition) { d.Predict = f }
	}
	patch, err := predict.ParsePatch(`[{"op":"remove","path":"/nothing"}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		predict func(predict.Foresight) (predict.Prediction, error)
		outcome predict.Outcome
	}{
		{"does not apply", func(f predict.Foresight) (predict.Prediction, error) {
			return predict.Prediction{BaseVersion: f.Version, Patch: patch}, nil
		}, predict.Invalid},
		{"fails", func(predict.Foresight) (predict.Prediction, error) {
			return predict.Prediction{}, errors.New("no")
		}, predict.Invalid},
		{"panics", func(predict.Foresight) (predict.Prediction, error) { panic("no") }, predict.Invalid},
		{"without a version", func(predict.Foresight) (predict.Prediction, error) { return predict.Prediction{}, nil }, predict.Invalid},
		{"of another version", func(predict.Foresight) (predict.Prediction, error) {
			return predict.Prediction{BaseVersion: "v0"}, nil
		}, predict.Stale},
		{"that is due", func(f predict.Foresight) (predict.Prediction, error) {
			return predict.Prediction{BaseVersion: f.Version, ExpiresAt: f.Now}, nil
		}, predict.Expired},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, predicts(test.predict))
			r := p.begin("lamp", predict.PredictedCall{})
			r.expect(test.outcome, "nothing called")
			same(t, "the calls", len(p.calls), 0)
			same(t, "the id", r.ended[0].PredictionID, "")
			p.shows("old", "v1")
			p.told("")
		})
	}
}

func TestPredictedExecutionWithoutPrediction(t *testing.T) {
	p := newPlay(t, func(d *predict.Definition) { d.Predict, d.Reconcile = nil, nil })
	r := p.begin("lamp", predict.PredictedCall{})
	p.answer(0, `{"version":"v2"}`, nil)
	r.expect(predict.Executed, "committed")
	p = newPlay(t, nil)
	r = p.begin(strings.Repeat("x", 21), predict.PredictedCall{})
	r.expect(predict.Executed, "failed")
	p.told("")
	_, err := p.desk.ExecutePredicted(context.Background(), p.rename, lamp, nil, predict.PredictedCall{})
	var argument *predict.ArgumentError
	if !errors.As(err, &argument) || argument.Where != "store" {
		t.Errorf("without a store: %v", err)
	}
	_, err = p.desk.ExecutePredicted(context.Background(), p.rename, lamp, p.store, predict.PredictedCall{PredictionID: strings.Repeat("p", 129)})
	if !errors.As(err, &argument) || argument.Where != "id" {
		t.Errorf("with a long id: %v", err)
	}
}

func TestPredictedExecutionsHaveTheirOwnIDs(t *testing.T) {
	p := newPlay(t, nil)
	p.begin("lamp", predict.PredictedCall{})
	p.begin("tv", predict.PredictedCall{})
	ids := p.store.Snapshot().ActivePredictionIDs
	if len(ids) != 2 || ids[0] == ids[1] || !strings.HasPrefix(ids[0], "prd_") || len(ids[0]) != 36 {
		t.Errorf("the ids are %q", ids)
	}
	p.shows("tv", "v1")
}
