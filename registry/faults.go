//go:build faults

package registry

// Tear panics in the middle of a change of state, for the crash suite.
func Tear(r *Registry) {
	r.change(func(*state) { panic("a fault of the crash suite, in the middle of a change") })
}
