package host

import (
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// Fake is a Loop whose clock and turns a test moves by hand; nothing happens in between. Its randomness is
// the same in every run.
type Fake struct {
	*Loop
	driver *fakeDriver
}

// NewFake makes a fake host whose clock stands at start.
func NewFake(start time.Time) *Fake {
	driver := &fakeDriver{now: start, random: rand.New(rand.NewPCG(1, 2))}
	return &Fake{Loop: NewLoop(driver), driver: driver}
}

// Settle runs what is woken and what was queued for the end of the turn, until nothing is left. It runs no
// task and no timer.
func (f *Fake) Settle() {
	f.Run()
	for len(f.soon) > 0 {
		f.RunSoon()
	}
}

// Turn ends the current turn and runs one task: everything queued with Task so far.
func (f *Fake) Turn() {
	f.Settle()
	f.RunTasks()
	f.Settle()
}

// Advance ends the current turn, moves the clock by d and runs the timers that come due, in order, each at
// its own time.
func (f *Fake) Advance(d time.Duration) {
	f.Settle()
	end := f.driver.now.Add(d)
	for len(f.timers) > 0 && !f.timers[0].at.After(end) {
		if f.timers[0].at.After(f.driver.now) {
			f.driver.now = f.timers[0].at
		}
		f.RunTimers()
		f.Settle()
	}
	f.driver.now = end
}

type fakeDriver struct {
	now    time.Time
	random *rand.Rand
}

func (d *fakeDriver) Now() time.Time         { return d.now }
func (d *fakeDriver) ArmTimer(time.Duration) {}
func (d *fakeDriver) PostTask()              {}
func (d *fakeDriver) PostMicrotask()         {}

func (d *fakeDriver) Random(b []byte) {
	for len(b) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], d.random.Uint64())
		b = b[copy(b, word[:]):]
	}
}
