package browser

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

func TestUnreachablePage(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String() + "/"
	listener.Close()
	tests := map[string]string{
		closed:                        "ERR_CONNECTION_REFUSED",
		"http://no-such-host.invalid": "ERR_NAME_NOT_RESOLVED",
		"nonsense":                    "invalid URL",
	}
	for url, want := range tests {
		t.Run(url, func(t *testing.T) {
			_, err := fixture.browser.Open(within(t, 20*time.Second), url)
			var unreachable *UnreachableError
			if !errors.As(err, &unreachable) || unreachable.URL != url || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestOpenEndsWithContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // Accepts, never answers.
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, err = fixture.browser.Open(within(t, 300*time.Millisecond), "http://"+listener.Addr().String())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
}

func TestStatus(t *testing.T) {
	if got := opened(t, "empty.html").Status(); got != 200 {
		t.Errorf("status is %d, want 200", got)
	}
	if got := opened(t, "missing.html").Status(); got != 404 {
		t.Errorf("status is %d, want 404", got)
	}
}

func TestNoWebMCP(t *testing.T) {
	t.Run("not a secure context", func(t *testing.T) {
		p := openedIn(t, fixture.browser, "data:text/html,hello")
		_, err := p.Tools(within(t, 10*time.Second))
		var none *NoWebMCPError
		if !errors.As(err, &none) || none.Secure || !none.Flag {
			t.Errorf("got %#v", err)
		}
	})
	t.Run("flag off", func(t *testing.T) {
		b, err := Launch(within(t, time.Minute), Options{NoWebMCP: true})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		p := openedIn(t, b, address("plain.html"))
		_, err = p.Call(within(t, 10*time.Second), "echo", nil)
		var none *NoWebMCPError
		if !errors.As(err, &none) || !none.Secure || none.Flag || !strings.Contains(err.Error(), "WebMCPTesting") {
			t.Errorf("got %v", err)
		}
	})
}

func TestConsole(t *testing.T) {
	p := opened(t, "noisy.html")
	if _, err := p.Eval(within(t, 10*time.Second), `console.log("last")`); err != nil {
		t.Fatal(err)
	}
	var texts, exceptions []string
	for _, m := range p.Console() {
		if m.IsException() {
			exceptions = append(exceptions, m.Text)
		} else {
			texts = append(texts, m.Kind+": "+m.Text)
		}
	}
	if got, want := strings.Join(texts, "|"), "log: hello world|error: bad thing 7|log: last"; got != want {
		t.Errorf("messages are %q, want %q", got, want)
	}
	all := strings.Join(exceptions, "|")
	if len(exceptions) != 2 || !strings.Contains(all, "thrown at load") || !strings.Contains(all, "nobody cares") {
		t.Errorf("exceptions are %q", exceptions)
	}
}

func TestEval(t *testing.T) {
	p := opened(t, "empty.html")
	for expression, want := range map[string]string{
		`1 + 2`:                            `3`,
		`undefined`:                        `null`,
		`Promise.resolve({ a: [1, "x"] })`: `{"a":[1,"x"]}`,
		`document.title`:                   `"Nothing here"`,
	} {
		got, err := p.Eval(within(t, 10*time.Second), expression)
		if err != nil || string(got) != want {
			t.Errorf("%s is %s, error %v, want %s", expression, got, err, want)
		}
	}
	if _, err := p.Eval(within(t, 10*time.Second), `missing()`); err == nil || !strings.Contains(err.Error(), "missing is not defined") {
		t.Errorf("an exception gave %v", err)
	}
}

func TestClickIsTrusted(t *testing.T) {
	p := withTool(t, "plain.html", "echo")
	ctx := within(t, 10*time.Second)
	if err := p.Click(ctx, "#button"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Eval(ctx, `trusted`); err != nil || string(got) != "true" {
		t.Errorf("the click was trusted: %s, error %v", got, err)
	}
	if err := p.Click(within(t, 200*time.Millisecond), "#missing"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("clicking what is not there gave %v, want the deadline", err)
	}
}

func TestScreenshot(t *testing.T) {
	shot, err := opened(t, "plain.html").Screenshot(within(t, 20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(shot)); err != nil {
		t.Error(err)
	}
}

func TestTabClosedByAnother(t *testing.T) {
	p := withTool(t, "plain.html", "never")
	ended := make(chan error, 1)
	go func() {
		_, err := p.Call(within(t, 20*time.Second), "never", nil)
		ended <- err
	}()
	waitInFlight(t, p, 1)
	id := chromedp.FromContext(p.ctx).Target.TargetID
	if _, err := chromedp.CallBrowser(fixture.browser.ctx, target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
		t.Fatal(err)
	}
	var lost *GoneError
	if err := <-ended; !errors.As(err, &lost) {
		t.Errorf("got %v, want a *GoneError", err)
	}
}

func TestCrash(t *testing.T) {
	p := withTool(t, "plain.html", "never")
	ended := make(chan error, 1)
	go func() {
		_, err := p.Call(within(t, 20*time.Second), "never", nil)
		ended <- err
	}()
	waitInFlight(t, p, 1)
	_ = p.Navigate(within(t, 2*time.Second), "chrome://crash")
	var lost *GoneError
	if err := <-ended; !errors.As(err, &lost) {
		t.Errorf("got %v, want a *GoneError", err)
	}
}
