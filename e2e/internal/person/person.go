// Package person is somebody in front of a page: they see what the browser offers to assistive technology, and use
// mouse and keyboard through the browser's own input. Shadow roots that are closed to scripts are open to them.
package person

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/browser"
)

// Person looks at one page.
type Person struct {
	page *browser.Page
}

// At puts a person in front of a page.
func At(page *browser.Page) *Person { return &Person{page} }

// Point is a place in the visible part of the page, in CSS pixels.
type Point struct{ X, Y float64 }

// Middle is where the person would click on an element.
func (p *Person) Middle(ctx context.Context, e *Element) (Point, error) {
	box, err := p.Box(ctx, e)
	return Point{box.X + box.Width/2, box.Y + box.Height/2}, err
}

// Box is a rectangle in the visible part of the page, in CSS pixels.
type Box struct{ X, Y, Width, Height float64 }

// TopLeft is just inside the rectangle's first corner.
func (b Box) TopLeft() Point { return Point{b.X + 1, b.Y + 1} }

// Box is where an element is. An element that is not laid out is an error.
func (p *Person) Box(ctx context.Context, e *Element) (Box, error) {
	got, err := call(ctx, p, "finding "+e.String(), dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: e.node})
	if err != nil {
		return Box{}, err
	}
	if len(got.Quads) == 0 || len(got.Quads[0]) != 8 {
		return Box{}, fmt.Errorf("finding %s: it has no place on the page", e)
	}
	q := got.Quads[0]
	return Box{q[0], q[1], q[4] - q[0], q[5] - q[1]}, nil
}

// Click clicks the middle of an element.
func (p *Person) Click(ctx context.Context, e *Element) error {
	at, err := p.Middle(ctx, e)
	if err != nil {
		return err
	}
	return p.ClickAt(ctx, at)
}

// ClickAt moves the mouse there and clicks.
func (p *Person) ClickAt(ctx context.Context, at Point) error {
	return p.do(ctx, "clicking", chromedp.Steps(
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y),
		chromedp.MouseClickXY(at.X, at.Y),
	))
}

// Down and Up are the halves of a click.
func (p *Person) Down(ctx context.Context, at Point) error {
	return p.mouse(ctx, input.DispatchMouseEventTypeMousePressed, at)
}

// Up releases the mouse.
func (p *Person) Up(ctx context.Context, at Point) error {
	return p.mouse(ctx, input.DispatchMouseEventTypeMouseReleased, at)
}

func (p *Person) mouse(ctx context.Context, what input.DispatchMouseEventType, at Point) error {
	return p.do(ctx, "using the mouse", chromedp.MouseEvent(what, at.X, at.Y, chromedp.ButtonLeft, func(m *input.DispatchMouseEventParams) {
		m.ClickCount = 1
	}))
}

// ClickLate clicks there, and the page hears of it only now: the click was made at the given time, in seconds since
// 1970. So it is where a page was busy.
func (p *Person) ClickLate(ctx context.Context, at Point, made float64) error {
	for _, what := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		params := input.DispatchMouseEventParams{Type: what, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: 1, Timestamp: input.TimeSinceEpoch(made)}
		if _, err := call(ctx, p, "clicking", input.DispatchMouseEvent, params); err != nil {
			return err
		}
	}
	return nil
}

// Script runs a JavaScript function with the element as this, which no script of the page can get if it is in a closed
// shadow root: it shows what a script could do that had.
func (p *Person) Script(ctx context.Context, e *Element, function string) error {
	got, err := call(ctx, p, "resolving "+e.String(), dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.node})
	if err != nil {
		return err
	}
	userGesture := true
	ran, err := call(ctx, p, "running a script on "+e.String(), runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: got.Object.ObjectID, UserGesture: &userGesture,
	})
	if err == nil && ran.ExceptionDetails != nil {
		err = fmt.Errorf("running a script on %s: %s", e, ran.ExceptionDetails.Text)
	}
	return err
}

// Drag presses the mouse at one place and releases it at another, as for selecting text.
func (p *Person) Drag(ctx context.Context, from, to Point) error {
	return p.do(ctx, "dragging", chromedp.DragAndDropXY(from.X, from.Y, to.X, to.Y))
}

// Tap touches the screen.
func (p *Person) Tap(ctx context.Context, at Point) error {
	return p.do(ctx, "tapping", chromedp.TapXY(at.X, at.Y))
}

// Press presses and releases keys, such as kb.Tab.
func (p *Person) Press(ctx context.Context, keys string) error {
	return p.do(ctx, fmt.Sprintf("pressing %q", keys), chromedp.KeyEvent(keys))
}

// Tab moves the focus on, or back.
func (p *Person) Tab(ctx context.Context, back bool) error {
	var options []chromedp.KeyOption
	if back {
		options = append(options, chromedp.KeyModifiers(chromedp.ModifierShift))
	}
	return p.do(ctx, "pressing Tab", chromedp.KeyEvent(kb.Tab, options...))
}

// Hold presses Enter and keeps it down.
func (p *Person) Hold(ctx context.Context) error {
	return p.enter(ctx, input.DispatchKeyEventTypeKeyDown, false)
}

// Repeat is what the keyboard sends while Enter is held.
func (p *Person) Repeat(ctx context.Context) error {
	return p.enter(ctx, input.DispatchKeyEventTypeKeyDown, true)
}

// Release lets Enter go.
func (p *Person) Release(ctx context.Context) error {
	return p.enter(ctx, input.DispatchKeyEventTypeKeyUp, false)
}

func (p *Person) enter(ctx context.Context, what input.DispatchKeyEventType, repeated bool) error {
	params := input.DispatchKeyEventParams{Type: what, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, AutoRepeat: &repeated}
	if what == input.DispatchKeyEventTypeKeyDown {
		params.Text = "\r"
	}
	_, err := call(ctx, p, "holding Enter", input.DispatchKeyEvent, params)
	return err
}

// AccessKey presses a small letter together with Alt.
func (p *Person) AccessKey(ctx context.Context, letter string) error {
	upper := strings.ToUpper(letter)
	for _, what := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		params := input.DispatchKeyEventParams{
			Type: what, Key: letter, Code: "Key" + upper, WindowsVirtualKeyCode: int64(upper[0]), Text: letter, UnmodifiedText: letter, Modifiers: int64(chromedp.ModifierAlt),
		}
		if _, err := call(ctx, p, "pressing Alt and "+letter, input.DispatchKeyEvent, params); err != nil {
			return err
		}
	}
	return nil
}

// Prefer sets what the person has chosen in their system, by the names of media features; nothing for the defaults.
func (p *Person) Prefer(ctx context.Context, features map[string]string) error {
	params := emulation.SetEmulatedMediaParams{}
	for name, value := range features {
		params.Features = append(params.Features, &emulation.MediaFeature{Name: name, Value: value})
	}
	_, err := call(ctx, p, "choosing preferences", emulation.SetEmulatedMedia, params)
	return err
}

// Resize changes the size of the page's window, in CSS pixels, with density device pixels to each.
func (p *Person) Resize(ctx context.Context, width, height int64, density float64) error {
	_, err := call(ctx, p, "resizing", emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: density})
	return err
}

func (p *Person) do(ctx context.Context, doing string, action chromedp.Action[chromedp.Void]) error {
	_, err := browser.Run(ctx, p.page, doing, action)
	return err
}

// call runs a command of the protocol on the person's page.
func call[P, R any](ctx context.Context, p *Person, doing string, command cdp.Command[P, R], params P) (R, error) {
	return browser.Run(ctx, p.page, doing, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
}
