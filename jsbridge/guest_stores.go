package jsbridge

import (
	"strconv"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/predict"
)

// guestStore is a prediction store of a guest, with what ends its listeners by their numbers.
type guestStore struct {
	*predict.Store
	stops map[int32]func()
}

// makeStore takes { state, version } and gives the number of a store.
func (g *guest) makeStore(_ *surface, a arguments) (capability.JSON, error) {
	value, err := a.must(1, "the state")
	if err != nil {
		return "", err
	}
	initial, err := stateOf("createPredictionStore", value)
	if err != nil {
		return "", err
	}
	store, err := predict.NewStore(initial, g.bridge.loop.Now)
	if err != nil {
		return "", err
	}
	return capability.JSON(strconv.Itoa(int(g.stores.add(&guestStore{store, map[int32]func(){}})))), nil
}

func (g *guest) storeOf(number int) (*guestStore, error) {
	store, ok := g.stores.get(int32(number))
	if !ok {
		return nil, typeError("there is no such store")
	}
	return store, nil
}

// storeWish is what a guest can want of a store, whose number is the first argument.
func storeWish(name string) wish {
	var run func(*guest, *guestStore, arguments) (capability.JSON, error)
	switch name {
	case "snapshot":
		run = func(_ *guest, s *guestStore, _ arguments) (capability.JSON, error) { return s.Snapshot().JSON(), nil }
	case "predict":
		run = storePredict
	case "commit":
		run = storeCommit
	case "rollback":
		run = storeRollback
	case "expire":
		run = storeExpire
	case "listen":
		run = storeListen
	case "ignore":
		run = storeIgnore
	case "drop":
		run = storeDrop
	default:
		return nil
	}
	return func(g *guest, _ *surface, a arguments) (capability.JSON, error) {
		store, err := g.storeOf(a.integer("1", 0))
		if err != nil {
			return "", err
		}
		return run(g, store, a)
	}
}

// storePredict takes an id, { baseVersion, patch, expiresAt? } and perhaps a time.
func storePredict(_ *guest, s *guestStore, a arguments) (capability.JSON, error) {
	id, err := a.string(2, "the id")
	if err != nil {
		return "", err
	}
	value, err := a.must(3, "the prediction")
	if err != nil {
		return "", err
	}
	p, err := predictionOf(value)
	if err != nil {
		return "", err
	}
	now := momentOf(a.fields, "4")
	if a.err != nil {
		return "", a.err
	}
	outcome, err := s.Predict(id, p, now)
	return capability.Quote(string(outcome)), err
}

// storeCommit takes an id, { state, version }, perhaps a time, and perhaps { reconciliation? }.
func storeCommit(_ *guest, s *guestStore, a arguments) (capability.JSON, error) {
	id, err := a.string(2, "the id")
	if err != nil {
		return "", err
	}
	value, err := a.must(3, "the state")
	if err != nil {
		return "", err
	}
	server, err := stateOf("commit", value)
	if err != nil {
		return "", err
	}
	now, rule := momentOf(a.fields, "4"), predict.Reconciliation("")
	if f := a.object("5"); f != nil {
		rule = predict.Reconciliation(f.text("reconciliation"))
		a.absorb(f)
	}
	if a.err != nil {
		return "", a.err
	}
	outcome, err := s.Commit(id, server, now, rule)
	return capability.Quote(string(outcome)), err
}

func storeRollback(_ *guest, s *guestStore, a arguments) (capability.JSON, error) {
	id, err := a.string(2, "the id")
	if err != nil {
		return "", err
	}
	return capability.Quote(string(s.Rollback(id))), nil
}

func storeExpire(_ *guest, s *guestStore, a arguments) (capability.JSON, error) {
	now := momentOf(a.fields, "2")
	if a.err != nil {
		return "", a.err
	}
	return capability.ArrayOf(s.Expire(now), capability.Quote), nil
}

// storeListen gives the number of a listener, which is told "event" with { listener, event: { type, predictionId } }.
func storeListen(g *guest, s *guestStore, _ arguments) (capability.JSON, error) {
	g.lastListener++
	number := g.lastListener
	s.stops[number] = s.Subscribe(func(e predict.Event) {
		var event capability.ObjectWriter
		event.Text("type", string(e.Type))
		event.Text("predictionId", e.PredictionID)
		o := question("event")
		o.Int("listener", int64(number))
		o.Raw("event", event.JSON())
		g.tell(o)
	})
	return capability.JSON(strconv.Itoa(int(number))), nil
}

// storeIgnore takes the number of a listener that wants no more.
func storeIgnore(_ *guest, s *guestStore, a arguments) (capability.JSON, error) {
	number := int32(a.integer("2", 0))
	if stop := s.stops[number]; stop != nil {
		delete(s.stops, number)
		stop()
	}
	return "", nil
}

// storeDrop lets go of a store that the page has lost.
func storeDrop(g *guest, s *guestStore, a arguments) (capability.JSON, error) {
	for _, stop := range s.stops {
		stop()
	}
	g.stores.remove(int32(a.integer("1", 0)))
	return "", nil
}

// stateOf reads { state, version }.
func stateOf(where string, value capability.JSON) (predict.State, error) {
	f, err := objectOf(where, value)
	if err != nil {
		return predict.State{}, err
	}
	state := predict.State{State: f.raw("state"), Version: f.text("version")}
	if state.State.Absent() {
		f.fail("state", "given")
	}
	f.refuseOthers()
	return state, f.err
}

// predictionOf reads { baseVersion, patch, expiresAt? }, the time in milliseconds since 1970.
func predictionOf(value capability.JSON) (predict.Prediction, error) {
	f, err := objectOf("the prediction", value)
	if err != nil {
		return predict.Prediction{}, err
	}
	p := predict.Prediction{BaseVersion: f.text("baseVersion"), ExpiresAt: momentOf(f, "expiresAt")}
	if f.err != nil {
		return p, f.err
	}
	p.Patch, err = predict.ParsePatch(f.raw("patch"))
	return p, err
}

// momentOf is a time in milliseconds since 1970, the zero time when there is none.
func momentOf(f *fields, name string) time.Time {
	value := f.raw(name)
	if value.Absent() {
		return time.Time{}
	}
	at, err := moment(value)
	if err != nil {
		f.fail(name, "milliseconds since 1970")
	}
	return at
}

// The moments that JavaScript's Date knows.
const maxMoment = 8.64e15

func moment(value capability.JSON) (time.Time, error) {
	ms, err := strconv.ParseFloat(string(value), 64)
	if err != nil || !(ms >= -maxMoment && ms <= maxMoment) {
		return time.Time{}, typeError("must be milliseconds since 1970")
	}
	return time.UnixMilli(int64(ms)), nil
}
