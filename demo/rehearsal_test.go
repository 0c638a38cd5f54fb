package demo

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const rename = "/api/devices/dev-001/rename"

func rehearsing(c *Config) { c.Rehearsal = true }

func (s *site) plan(t *testing.T, body string) {
	t.Helper()
	if response, content := s.send(t, "POST", "/api/rehearsal", body, nil); response.StatusCode != 200 {
		t.Fatalf("rehearsal: status %d, %s", response.StatusCode, content)
	}
}

func TestRehearsalIsOffByDefault(t *testing.T) {
	s := serve(t, nil)
	response, content := s.send(t, "POST", "/api/rehearsal", `{"times":1,"fail":true}`, nil)
	wantError(t, response, content, 404, CodeNotFound, "")
	if response, _ := s.send(t, "POST", rename, `{"name":"Attic"}`, nil); response.StatusCode != 200 {
		t.Errorf("rename: status %d", response.StatusCode)
	}
}

func TestRehearsedFailure(t *testing.T) {
	s := serve(t, rehearsing)
	s.plan(t, `{"times":2,"fail":true}`)
	for range 2 {
		response, content := s.send(t, "POST", rename, `{"name":"Attic","version":1}`, nil)
		wantError(t, response, content, 503, CodeUnavailable, "")
	}
	response, content := s.send(t, "POST", rename, `{"name":"Attic","version":1}`, nil)
	if got := decode[oneDevice](t, content).Device; response.StatusCode != 200 || got.Name != "Attic" || got.Version != 2 {
		t.Errorf("after the rehearsal: status %d, %s", response.StatusCode, content)
	}
}

func TestRehearsedConflict(t *testing.T) {
	s := serve(t, rehearsing)
	s.plan(t, `{"times":1,"conflict":true}`)
	response, content := s.send(t, "POST", rename, `{"name":"Attic","version":1}`, nil)
	wantError(t, response, content, 409, CodeVersionConflict, "version")
	if device, err := s.store.Get(t.Context(), "dev-001"); err != nil || device.Name != "Meanwhile dev-001" || device.Version != 2 {
		t.Errorf("the device is %+v, %v", device, err)
	}
	s.plan(t, `{"times":1,"conflict":true}`)
	response, content = s.send(t, "POST", "/api/devices/dev-999/rename", `{"name":"Attic"}`, nil)
	wantError(t, response, content, 404, CodeNotFound, "id")
}

func TestRehearsalRefusals(t *testing.T) {
	s := serve(t, rehearsing)
	for body, field := range map[string]string{
		`{"times":-1}`: "times", `{"times":101}`: "times", `{"times":1,"delayMs":-1}`: "delayMs", `{"times":1,"delayMs":10001}`: "delayMs",
	} {
		response, content := s.send(t, "POST", "/api/rehearsal", body, nil)
		wantError(t, response, content, 400, CodeInvalidInput, field)
	}
	response, content := s.send(t, "POST", "/api/rehearsal", `{"times":1,"forever":true}`, nil)
	wantError(t, response, content, 400, CodeInvalidJSON, "")
	response, content = s.send(t, "POST", "/api/rehearsal", `{"times":1}`, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	wantError(t, response, content, 403, CodeForbiddenOrigin, "")
	s.plan(t, `{"times":3,"delayMs":10000}`)
	if _, content = s.send(t, "GET", "/api/rehearsal", "", nil); !strings.Contains(string(content), `{"times":3,"delayMs":10000,"hold":false,"fail":false,"conflict":false}`) {
		t.Errorf("it says %s", content)
	}
}

// TestRehearsedDelay: the request waits as long as it was told, or until nobody waits for it any more.
func TestRehearsedDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		s.stage.set(Rehearsal{Times: 2, DelayMs: 4000})
		began := time.Now()
		if err := s.rehearse(t.Context(), "dev-001"); err != nil || time.Since(began) != 4*time.Second {
			t.Errorf("it took %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.rehearse(ctx, "dev-001"); err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("after %v it gave %v", time.Since(began), err)
		}
		if err := s.rehearse(t.Context(), "dev-001"); err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("what is not rehearsed took until %v: %v", time.Since(began), err)
		}
	})
}

// TestRehearsedHold: the request waits for the next rehearsal, and not for ever.
func TestRehearsedHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		s.stage.set(Rehearsal{Times: 2, Hold: true})
		ended := make(chan error, 1)
		go func() { ended <- s.rehearse(t.Context(), "dev-001") }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		s.stage.set(Rehearsal{Times: 1, Hold: true})
		if err := <-ended; err != nil {
			t.Error(err)
		}
		began := time.Now()
		if err := s.rehearse(t.Context(), "dev-001"); err != nil || time.Since(began) != MaxDelayMs*time.Millisecond {
			t.Errorf("it waited %v: %v", time.Since(began), err)
		}
	})
}
