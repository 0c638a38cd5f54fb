// Command program does what a runtime does with the tables that packing rewrites, and says how it went.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// rescuer recovers in a method that is reached through a wrapper, promoted from an embedded field.
type rescuer struct{ *inner }

type inner struct{ said string }

//go:noinline
func (i *inner) rescue() { i.said = fmt.Sprint(recover()) }

type rescues interface{ rescue() }

func throughAWrapper() (said string) {
	i := &inner{}
	var r rescues = rescuer{i}
	func() {
		defer r.rescue()
		panic("through a wrapper")
	}()
	return i.said
}

// relay is inlined into the wrapper that reaches it: recover is then one call too deep, whatever the wrapper looks like.
type relay struct{ *inner }

func (r *relay) rescue() { r.inner.rescue() }

type relayed struct{ *relay }

func inlinedIntoAWrapper() (said string) {
	defer func() { said = fmt.Sprint("inlined into a wrapper: ", recover()) }()
	var r rescues = relayed{&relay{&inner{}}}
	defer r.rescue()
	panic("still there")
}

// small is inlined into what defers it: recover is then one call too deep.
func small(i *inner) { i.rescue() }

func oneCallTooDeep() (said string) {
	defer func() { said = fmt.Sprint("one call too deep: ", recover()) }()
	i := &inner{}
	defer func() { small(i) }()
	panic("still there")
}

func open() (said string) {
	defer func() { said = fmt.Sprint(recover()) }()
	var none map[string]int
	none["x"] = 1
	return ""
}

// deep grows the stack, which moves it: every frame on it is looked up, and so is every pointer in it.
func deep(n int, chain *int) int {
	kept := *chain + 1
	if n == 0 {
		runtime.GC()
		return kept
	}
	return deep(n-1, &kept)
}

func coroutines() int {
	sum := 0
	numbers := func(yield func(int) bool) {
		for i := range 100 {
			if !yield(i) {
				return
			}
		}
	}
	for n := range numbers {
		sum += n
	}
	return sum
}

func main() {
	debug.SetGCPercent(5)
	start := 0
	fmt.Println(throughAWrapper())
	fmt.Println(inlinedIntoAWrapper())
	fmt.Println(oneCallTooDeep())
	fmt.Println(open())
	fmt.Println(deep(20_000, &start), coroutines(), runtime.NumGoroutine())
	if len(os.Args) > 1 {
		outer(strings.Repeat("x", len(os.Args)))
	}
}

//go:noinline
func outer(s string) { inlined(s) }

func inlined(s string) { fail(s) }

//go:noinline
func fail(s string) { panic(s) }
