package jsbridge

import (
	"time"
	"unsafe"
)

// The functions that the script gives the instance (web/shim/load.js). None of them throws.

//go:wasmimport pagewarden ask
func importAsk(question, a, b, ticket int32, text string) int32

//go:wasmimport pagewarden tell
func importTell(news, a, b int32, text string)

//go:wasmimport pagewarden now
func importNow() float64

//go:wasmimport pagewarden random
func importRandom(to unsafe.Pointer, n uint32)

//go:wasmimport pagewarden arm
func importArm(milliseconds float64)

//go:wasmimport pagewarden post_task
func importPostTask()

//go:wasmimport pagewarden post_microtask
func importPostMicrotask()

// scriptPage is the page behind the imports.
type scriptPage struct{}

func (scriptPage) Ask(q Question, a, b, ticket int32, text string) (Answer, string) {
	answer := importAsk(int32(q), a, b, ticket, text)
	n := runtime.mail.inLength
	runtime.mail.inLength = 0
	return soundAnswer(Answer(answer), string(runtime.inbox[:n]))
}

func (scriptPage) Tell(n News, a, b int32, text string) { importTell(int32(n), a, b, text) }

// scriptDriver is the page's clock and turns.
type scriptDriver struct {
	// pool holds random bytes that have not been given out: asking the page for each id costs more than
	// making one.
	pool []byte
}

// poolSize is how many bytes are fetched at a time.
const poolSize = 4096

func (*scriptDriver) Now() time.Time { return time.UnixMicro(int64(importNow() * 1000)) }

func (d *scriptDriver) Random(b []byte) {
	for len(b) > 0 {
		if len(d.pool) == 0 {
			d.pool = make([]byte, poolSize)
			importRandom(unsafe.Pointer(unsafe.SliceData(d.pool)), poolSize)
		}
		n := copy(b, d.pool)
		clear(d.pool[:n]) // nothing that was given out stays readable here
		b, d.pool = b[n:], d.pool[n:]
	}
}

func (*scriptDriver) ArmTimer(d time.Duration) {
	importArm(float64(d) / float64(time.Millisecond))
}

func (*scriptDriver) PostTask()      { importPostTask() }
func (*scriptDriver) PostMicrotask() { importPostMicrotask() }
