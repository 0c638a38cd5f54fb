package browser

import "sync"

// group runs goroutines until it is closed. Unlike a WaitGroup alone, it may be
// asked for more while somebody waits: it then refuses.
type group struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// Go runs f, or drops it when the group is closed.
func (g *group) Go(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wg.Go(f)
	}
}

// close refuses further goroutines and waits for those that run.
func (g *group) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}
