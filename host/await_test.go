package host_test

import (
	"testing"
	"testing/synctest"

	"github.com/pagewarden/pagewarden/host"
)

func TestAwait(t *testing.T) {
	t.Run("an answer before start returns", func(t *testing.T) {
		if got := host.Await(host.Native().Waiter(), func(done func(int)) { done(1); done(2) }); got != 1 {
			t.Errorf("the answer is %d, want the first", got)
		}
	})
	t.Run("an answer of another goroutine, after wakes of another cause", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := host.Native().Waiter()
			got := host.Await(w, func(done func(string)) {
				w.Wake()
				go func() {
					synctest.Wait() // until the other one parks again
					done("later")
				}()
			})
			if got != "later" {
				t.Errorf("the answer is %q", got)
			}
		})
	})
}
