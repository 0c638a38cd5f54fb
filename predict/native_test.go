package predict_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// crowd runs f on so many goroutines, which begin together.
func crowd(size int, f func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range size {
		all.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	all.Wait()
}

// counter is a capability that counts on a server, foreseen by one more.
func counter(t *testing.T, runs *atomic.Int64) *predict.Capability {
	t.Helper()
	c, err := predict.Define(predict.Definition{
		Name: "count", Description: "Counts", Reconciliation: predict.AcceptServerState,
		Input:  registry.Schema{Document: `{"type":"object"}`},
		Output: registry.Schema{Document: `{"type":"object"}`},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			return capability.JSON(fmt.Sprintf(`{"count":%d}`, runs.Add(1))), nil
		},
		Predict: func(f predict.Foresight) (predict.Prediction, error) {
			patch, err := predict.ParsePatch(`[{"op":"replace","path":"/count","value":"more"}]`)
			return predict.Prediction{BaseVersion: f.Version, Patch: patch}, err
		},
		Reconcile: func(_ context.Context, h predict.Hindsight) (predict.State, error) {
			return predict.State{State: h.Output, Version: "v" + string(member(h.Output, "count"))}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCrowdStartsNothingTwice(t *testing.T) {
	r := cartRegistry()
	defer r.Dispose()
	desk := predict.NewDesk(r, predict.Options{})
	defer desk.Dispose()
	var runs, committed atomic.Int64
	c := counter(t, &runs)
	crowd(32, func(i int) {
		tool, err := desk.MCPTool(c, predict.ToolOptions{Capabilities: []string{"count"}})
		if err != nil {
			t.Error(err)
			return
		}
		call := predict.Call{InvocationID: fmt.Sprintf("call-%d", i/4)}
		a := tool.Execute(context.Background(), `{}`, call)
		for a.Result.Error != nil && a.Result.Error.Code == capability.CodeRateLimited { // the queue was full
			a = tool.Execute(context.Background(), `{}`, call)
		}
		if a.Receipt.OK {
			committed.Add(1)
		}
	})
	same(t, "the receipts", committed.Load(), int64(32))
	same(t, "the runs", runs.Load(), int64(8))
}

func TestCrowdOfPredictionsLeavesNone(t *testing.T) {
	r := cartRegistry()
	defer r.Dispose()
	desk := predict.NewDesk(r, predict.Options{})
	defer desk.Dispose()
	store, err := predict.NewStore(predict.State{State: `{"count":0}`, Version: "v0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var runs, began, ended atomic.Int64
	c := counter(t, &runs)
	store.Subscribe(func(e predict.Event) {
		if e.Type == predict.Predicted {
			began.Add(1)
		}
	})
	crowd(8, func(int) {
		for range 10 {
			e, err := desk.ExecutePredicted(context.Background(), c, `{}`, store, predict.PredictedCall{})
			switch {
			case err != nil:
				t.Error(err)
			case e.PredictionID != "" && e.Outcome != predict.Predicted:
				ended.Add(1)
			case e.Outcome != predict.Stale: // the state moved between the snapshot and the prediction
				t.Errorf("the outcome is %s", e.Outcome)
			}
		}
	})
	same(t, "the ends", ended.Load(), began.Load())
	if s := store.Snapshot(); len(s.ActivePredictionIDs) > 0 || s.AuthoritativeVersion == "v0" {
		t.Errorf("the store is left as %s", s.JSON())
	}
}
