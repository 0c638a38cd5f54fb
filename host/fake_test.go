package host_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/host"
)

func newFake(t *testing.T) (*host.Fake, *trace) {
	t.Helper()
	fake := host.NewFake(dawn)
	t.Cleanup(fake.Close)
	return fake, &trace{t: t}
}

func TestAdvanceRunsTimersAtTheirTimes(t *testing.T) {
	fake, tr := newFake(t)
	at := func(name string) { tr.add("%s@%v", name, fake.Now().Sub(dawn)) }
	fake.After(2*time.Second, func() { at("two") })
	fake.After(time.Second, func() {
		at("one")
		fake.Soon(func() { at("soon") })
		fake.After(500*time.Millisecond, func() { at("half") })
		fake.After(0, func() { at("zero") })
	})
	stop := fake.After(time.Second, func() { at("stopped") })
	stop()
	fake.After(3*time.Second, func() { at("three") })
	fake.Advance(999 * time.Millisecond)
	tr.want("")
	fake.Advance(2001 * time.Millisecond)
	tr.want("one@1s soon@1s zero@1s half@1.5s two@2s three@3s")
	if got := fake.Now().Sub(dawn); got != 3*time.Second {
		t.Errorf("the clock stands at %v", got)
	}
}

func TestAdvanceSettlesFirstAndRunsNoTask(t *testing.T) {
	fake, tr := newFake(t)
	fake.Task(func() { tr.add("task") })
	fake.Soon(func() { tr.add("soon@%v", fake.Now().Sub(dawn)) })
	fake.Advance(time.Second)
	tr.want("soon@0s")
	fake.Turn()
	tr.want("task")
}

func TestAdvanceResumesFlowsBetweenTimers(t *testing.T) {
	fake, tr := newFake(t)
	waiter := parked(fake.Loop, tr, "flow")
	fake.After(time.Second, waiter.Wake)
	fake.After(2*time.Second, func() { tr.add("two") })
	fake.Advance(2 * time.Second)
	tr.want("flow flow' two")
}

func TestSettleRunsSoonUntilNothingIsLeft(t *testing.T) {
	fake, tr := newFake(t)
	waiter := parked(fake.Loop, tr, "flow")
	fake.Soon(func() {
		tr.add("a")
		fake.Soon(func() {
			tr.add("b")
			waiter.Wake()
			fake.Soon(func() { tr.add("c") })
		})
	})
	fake.Task(func() { tr.add("task") })
	fake.After(0, func() { tr.add("timer") })
	fake.Settle()
	tr.want("flow a b flow' c")
	fake.Advance(0)
	tr.want("timer")
}

func TestTurnIsOneTask(t *testing.T) {
	fake, tr := newFake(t)
	fake.Soon(func() { tr.add("soon") })
	fake.Task(func() {
		tr.add("task1")
		fake.Soon(func() { tr.add("after") })
		fake.Task(func() { tr.add("next") })
	})
	fake.Task(func() { tr.add("task2") })
	fake.Turn()
	tr.want("soon task1 task2 after")
	fake.Turn()
	tr.want("next")
}

func TestFakeRandomIsTheSameInEveryRun(t *testing.T) {
	draw := func() []byte {
		fake := host.NewFake(dawn)
		var all []byte
		for _, size := range []int{0, 1, 7, 8, 9, 22} {
			b := make([]byte, size)
			fake.Random(b)
			all = append(all, b...)
		}
		return all
	}
	first := draw()
	if !bytes.Equal(first, draw()) {
		t.Error("two fakes differ")
	}
	if bytes.Count(first, []byte{0}) > len(first)/4 {
		t.Errorf("not filled: %x", first)
	}
}
