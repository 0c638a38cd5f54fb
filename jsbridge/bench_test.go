package jsbridge

import (
	"math/rand/v2"
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

// benchPage is signed in, may do everything, and has a state to read.
type benchPage struct{ silentPage }

func (benchPage) Ask(q Question, _, b, _ int32, _ string) (Answer, string) {
	switch {
	case q == AskHost, q == AskPolicy:
		return AnswerValue, "true"
	case q == AskHandler && b == 0:
		return AnswerValue, `{"n":1}`
	}
	return AnswerValue, ""
}

// randomDriver gives other ids each time, the same in every run.
type randomDriver struct {
	silentPage
	random *rand.Rand
}

func (d randomDriver) Random(b []byte) {
	for i := range b {
		b[i] = byte(d.random.Uint32())
	}
}

func benchBridge() *Bridge {
	return opened(New(benchPage{}, randomDriver{random: rand.New(rand.NewPCG(1, 2))}))
}

// benchWidget is the component of boundary.md as the script writes it.
const benchWidget = `{"type":"bench.widget","instanceId":"w1","description":"A widget",` +
	`"observations":{"readState":{"description":"Reads the state","read":true,"output":{"document":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}}},` +
	`"actions":{"poke":{"description":"Pokes the widget","effect":"local-state","execute":true,"input":{"document":{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"]}}}}}`

// BenchmarkRegister registers and unregisters the component of boundary.md as the script writes it.
func BenchmarkRegister(b *testing.B) {
	bridge := benchBridge()
	if status, back := bridge.Do(OpCreateRegistry, 0, 0, `{"authority":1}`); status != StatusOK {
		b.Fatal(back)
	}
	b.ReportAllocs()
	for b.Loop() {
		status, back := bridge.Do(OpRegister, 1, 1, benchWidget)
		if status != StatusOK || !strings.Contains(back, `"active"`) {
			b.Fatal(status, back)
		}
		for handle := range bridge.handles {
			bridge.Do(OpUnregister, handle, 0, "")
		}
	}
}

// benchInvoke makes calls of the component of boundary.md, whose handlers answer at once.
func benchInvoke(b *testing.B, options, object string) {
	text := request(object)
	bridge := benchBridge()
	if status, back := bridge.Do(OpCreateRegistry, 0, 0, options); status != StatusOK {
		b.Fatal(back)
	}
	if status, back := bridge.Do(OpRegister, 1, 1, benchWidget); status != StatusOK {
		b.Fatal(back)
	}
	ticket := int32(0)
	b.ReportAllocs()
	for b.Loop() {
		ticket++
		if status, back := bridge.Do(OpInvoke, 1, ticket, text); status != StatusOK {
			b.Fatal(back)
		}
	}
}

func BenchmarkInvoke(b *testing.B) {
	const poke = `{"capabilityId":"view:bench.widget.poke","input":{"ids":["a"]}}`
	b.Run("action", func(b *testing.B) { benchInvoke(b, `{"authority":1}`, poke) })
	b.Run("observation", func(b *testing.B) {
		benchInvoke(b, `{"authority":1}`, `{"capabilityId":"view:bench.widget.readState"}`)
	})
	b.Run("policies", func(b *testing.B) {
		benchInvoke(b, `{"options":{"policies":[{"policy":1,"builtIn":{"kind":"authenticated","serial":1}},`+
			`{"policy":2,"builtIn":{"kind":"hasPermission","serial":2,"0":"devices","1":true}}]},"authority":1}`, poke)
	})
}
