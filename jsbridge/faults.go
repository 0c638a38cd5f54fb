//go:build faults

package jsbridge

import (
	"encoding/json"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/pagewarden/pagewarden/registry"
)

// The faults that the crash suite provokes, by number (web/test/faults.js has the names). Only a build with
// the tag "faults" has them.
const (
	faultPanic = iota + 1
	faultPanicElsewhere
	faultFatal
	faultExit
	faultOutOfMemory
	faultRecursion
	faultTorn
	faultGCPercent
	faultCollect
	faultPanicInFlow
	faultTrap
)

// fault breaks the runtime in one way, or turns a knob of it.
func (b *Bridge) fault(kind, n int32) (string, error) {
	switch kind {
	case faultPanic:
		panic("a fault of the crash suite")
	case faultPanicElsewhere:
		go func() { panic("a fault of the crash suite, in a goroutine of its own") }()
		goruntime.GC() // lets the scheduler run it
	case faultFatal:
		var mu sync.Mutex
		mu.Unlock()
	case faultExit:
		os.Exit(3)
	case faultOutOfMemory:
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<28))
			kept[0][0]++
		}
	case faultRecursion:
		return string(rune(recurse(1))), nil
	case faultTorn:
		for _, s := range b.surfaces.values {
			registry.Tear(s.registry)
		}
	case faultTrap:
		return string(rune(*beyond())), nil
	case faultPanicInFlow:
		b.loop.Go(func() { panic("a fault of the crash suite, in a flow") })
	case faultGCPercent:
		debug.SetGCPercent(int(n))
	case faultCollect:
		return collect()
	}
	return "", nil
}

// beyond points past the end of any memory.
func beyond() *byte {
	address := uintptr(1)<<32 - 64
	return *(**byte)(unsafe.Pointer(&address))
}

func recurse(n int) int {
	if n < 0 {
		return n
	}
	return recurse(n+1) + recurse(n+2)
}

// collect collects twice and gives { heapAlloc, goroutines }.
func collect() (string, error) {
	goruntime.GC()
	goruntime.GC()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	text, err := json.Marshal(map[string]uint64{"heapAlloc": stats.HeapAlloc, "goroutines": uint64(goruntime.NumGoroutine())})
	return string(text), err
}
