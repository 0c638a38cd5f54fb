package mcpserver_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// TestAClientThatLeavesAtOnce is forgotten, though it goes while it is being noted, by the time that Run ends: as many as
// may be there at a time would shut out all others for ever.
func TestAClientThatLeavesAtOnce(t *testing.T) {
	s := newHouse(t).server(nil)
	var clients sync.WaitGroup
	for range 50 {
		clients.Go(func() {
			for range 20 {
				if err := s.Run(context.Background(), &mcpserver.Lines{In: strings.NewReader(""), Out: io.Discard}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	if n := s.Sessions(); n != 0 {
		t.Errorf("%d are still there", n)
	}
}
