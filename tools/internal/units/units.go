// Package units writes quantities as people read them.
package units

import "fmt"

// Bytes says a size: 1 kB is 1,000 bytes and 1 MB is 1,000,000, as in every figure that the project publishes.
func Bytes(n int) string {
	switch {
	case n < 1_000:
		return fmt.Sprintf("%d B", n)
	case n < 100_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}
