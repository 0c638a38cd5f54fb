//go:build !faults

package jsbridge

// fault does nothing in the runtime that is shipped.
func (b *Bridge) fault(int32, int32) (string, error) {
	return "", typeError("this build has no faults")
}
