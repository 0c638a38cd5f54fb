package jsbridge

import (
	"strings"
	"testing"
	"time"
)

// silentPage answers nothing; its driver's clock stands still.
type silentPage struct{}

func (silentPage) Ask(Question, int32, int32, int32, string) (Answer, string) { return AnswerValue, "" }
func (silentPage) Tell(News, int32, int32, string)                            {}
func (silentPage) Now() time.Time                                             { return time.Unix(0, 0) }
func (silentPage) Random(b []byte)                                            { clear(b) }
func (silentPage) ArmTimer(time.Duration)                                     {}
func (silentPage) PostTask()                                                  {}
func (silentPage) PostMicrotask()                                             {}

// countingPage gives other ids each time.
type countingPage struct {
	silentPage
	count *byte
}

func (p countingPage) Random(b []byte) {
	for i := range b {
		*p.count++
		b[i] = *p.count
	}
}

// BenchmarkRegister registers and unregisters the component of boundary.md as the script writes it.
func BenchmarkRegister(b *testing.B) {
	var count byte
	bridge := New(silentPage{}, countingPage{count: &count})
	if status, back := bridge.Do(OpCreateRegistry, 0, 0, `{"authority":{"allowInProduction":true}}`); status != StatusOK {
		b.Fatal(back)
	}
	const text = `{"type":"bench.widget","instanceId":"w1","description":"A widget",` +
		`"observations":{"readState":{"description":"Reads the state","read":true,"output":{"document":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}}},` +
		`"actions":{"poke":{"description":"Pokes the widget","effect":"local-state","execute":true,"input":{"document":{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"]}}}}}`
	b.ReportAllocs()
	for b.Loop() {
		status, back := bridge.Do(OpRegister, 1, 1, text)
		if status != StatusOK || !strings.Contains(back, `"active"`) {
			b.Fatal(status, back)
		}
		for handle := range bridge.handles {
			bridge.Do(OpUnregister, handle, 0, "")
		}
	}
}
