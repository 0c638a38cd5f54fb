package browser

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTools(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	tools, err := p.Tools(within(t, 10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if names := namesOf(tools); !slices.IsSorted(names) {
		t.Errorf("names are not sorted: %q", names)
	}
	echo := toolNamed(t, tools, "echo")
	want := Tool{
		Name:        "echo",
		Title:       "Echo it",
		Description: "About echo",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"zulu":{"type":"string"},"alpha":{"type":"number"}}}`),
		Annotations: Annotations{ReadOnly: true},
		Frame:       Frame{URL: address("plain.html"), Main: true},
	}
	got, _ := json.Marshal(echo)
	expected, _ := json.Marshal(want)
	if string(got) != string(expected) {
		t.Errorf("echo is\n%s, want\n%s", got, expected)
	}
	if hints := toolNamed(t, tools, "buy").Annotations.Hints(); !slices.Equal(hints, []string{"consequential", "untrusted-content"}) {
		t.Errorf("hints of buy are %q", hints)
	}
}

func TestToolsStayTheSameBytes(t *testing.T) {
	var first string
	for range 3 {
		p := withTool(t, "plain.html", "instant")
		tools, err := p.Tools(within(t, 10*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(tools)
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Fatalf("the list changed from\n%s to\n%s", first, text)
		}
	}
}

func TestNoTools(t *testing.T) {
	p := opened(t, "empty.html")
	tools, err := p.SettledTools(within(t, 300*time.Millisecond), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if tools == nil || len(tools) != 0 {
		t.Errorf("tools are %#v, want an empty list", tools)
	}
	_, err = p.Call(within(t, 10*time.Second), "echo", nil)
	var unknown *UnknownToolError
	if !errors.As(err, &unknown) || unknown.Known != 0 {
		t.Errorf("calling gave %v, want an unknown tool", err)
	}
}

func TestToolsThatComeLate(t *testing.T) {
	p := opened(t, "late.html")
	tools, err := p.SettledTools(within(t, 20*time.Second), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(namesOf(tools), []string{"late"}) {
		t.Errorf("tools are %q", namesOf(tools))
	}
}

func TestWaitForToolsEnds(t *testing.T) {
	p := withTool(t, "plain.html", "echo")
	tools, err := p.WaitForTools(within(t, 50*time.Millisecond), func([]Tool) bool { return false })
	if err == nil || len(tools) == 0 {
		t.Errorf("got %d tools and error %v, want tools and the deadline", len(tools), err)
	}
}

func TestRemovedTool(t *testing.T) {
	p := withTool(t, "plain.html", "removable")
	if _, err := p.Eval(within(t, 10*time.Second), `offers.abort()`); err != nil {
		t.Fatal(err)
	}
	_, err := p.WaitForTools(within(t, 10*time.Second), func(tools []Tool) bool { return !has(tools, "removable") })
	if err != nil {
		t.Error(err)
	}
}

func TestReloadAndNavigation(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	ctx := within(t, 30*time.Second)
	if err := p.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	waitFor(t, p, "instant", "echo")
	if got := value(t, p, "instant"); got != "1" {
		t.Errorf("the first call after a reload gives %s, want a new document's 1", got)
	}
	if err := p.Navigate(ctx, address("empty.html")); err != nil {
		t.Fatal(err)
	}
	if tools, err := p.Tools(ctx); err != nil || len(tools) != 0 {
		t.Errorf("after navigating there are %q, error %v", namesOf(tools), err)
	}
	// Back from the back/forward cache: the document lives on.
	if _, err := p.Eval(ctx, `history.back()`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, p, "instant", "echo")
	if got := value(t, p, "echo"); got != "{}" {
		t.Errorf("echo after going back gives %s", got)
	}
	if _, err := p.Eval(ctx, `location.hash = "#here"`); err != nil {
		t.Fatal(err)
	}
	_, err := p.WaitForTools(ctx, func(tools []Tool) bool {
		return has(tools, "echo") && strings.HasSuffix(tools[0].Frame.URL, "#here")
	})
	if err != nil {
		t.Errorf("after a change of the hash: %v", err)
	}
}

func TestFrames(t *testing.T) {
	p := opened(t, "frames.html")
	tools := waitFor(t, p, "outer", "never_same", "never_other")
	if first := tools[0]; first.Name != "outer" || !first.Frame.Main {
		t.Errorf("the first tool is %+v, want the main frame's", first)
	}
	other := strings.Replace(address("inner.html?other"), "127.0.0.1", "localhost", 1)
	for name, url := range map[string]string{"only_same": address("inner.html?same"), "only_other": other} {
		if tool := toolNamed(t, tools, name); tool.Frame.URL != url || tool.Frame.Main {
			t.Errorf("%s is in %+v, want %s", name, tool.Frame, url)
		}
	}
	for name, want := range map[string]string{"only_same": `"same"`, "only_other": `"other"`, "shared": `"main"`} {
		if got := value(t, p, name); got != want {
			t.Errorf("%s gives %s, want %s", name, got, want)
		}
	}
	_, err := p.Call(within(t, 10*time.Second), "inner", nil)
	var ambiguous *AmbiguousToolError
	if !errors.As(err, &ambiguous) || len(ambiguous.Frames) != 2 {
		t.Errorf("calling a tool of two frames gave %v", err)
	}
	for _, tool := range tools {
		if tool.Name != "inner" {
			continue
		}
		result, err := p.CallTool(within(t, 10*time.Second), tool, nil)
		if err != nil || !strings.HasSuffix(tool.Frame.URL, "?"+strings.Trim(result.Value(), `"`)) {
			t.Errorf("the tool of %s answers %s, error %v", tool.Frame.URL, result.Raw, err)
		}
	}
}

func TestRemovedFrameEndsItsCallsOnly(t *testing.T) {
	for _, side := range []string{"same", "other"} {
		t.Run(side, func(t *testing.T) {
			p := opened(t, "frames.html")
			waitFor(t, p, "never_same", "never_other")
			ended := make(chan error, 1)
			go func() {
				_, err := p.Call(within(t, 20*time.Second), "never_"+side, nil)
				ended <- err
			}()
			waitInFlight(t, p, 1)
			index := map[string]string{"same": "0", "other": "1"}[side]
			if _, err := p.Eval(within(t, 10*time.Second), `document.querySelectorAll("iframe")[`+index+`].remove()`); err != nil {
				t.Fatal(err)
			}
			var lost *GoneError
			if err := <-ended; !errors.As(err, &lost) {
				t.Errorf("the call ended with %v, want a *GoneError", err)
			}
			_, err := p.WaitForTools(within(t, 10*time.Second), func(tools []Tool) bool {
				return !has(tools, "only_"+side) && has(tools, "outer") && len(tools) == 6
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// waitInFlight waits until n calls are pending in the browser.
func waitInFlight(t *testing.T, p *Page, n int) {
	t.Helper()
	w, err := p.choose(within(t, 10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for w.inFlight() != n {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls are in flight, want %d", w.inFlight(), n)
		}
		time.Sleep(time.Millisecond)
	}
}
