// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp/kb"

	"example.com/curlew/fetch/render"
)

// Limits of a step.
const (
	maxSelector = 30 * time.Second // for the step Wait, until an element is visible
	maxTarget   = 5 * time.Second  // for other steps, until an element is visible
	maxClicks   = 100
	maxScript   = 10 * time.Second
	maxValue    = 1 << 20                // bytes of JSON
	afterClick  = 2 * time.Second        // how long to wait at most for the requests that a step causes
	quietClick  = 100 * time.Millisecond // how long no request may be open until they are over
)

// scriptError is an exception of a script.
type scriptError struct{ text string }

func (e *scriptError) Error() string { return e.text }

// cannot returns the reason why a step cannot be done, or "" if it can.
func (b *Browser) cannot(s render.Step) string {
	needs := func(text, name string) string {
		if text == "" {
			return name + " is empty"
		}
		return ""
	}
	switch s.Kind {
	case render.Wait:
		if (s.Time > 0) == (s.Selector != "") {
			return "it needs either a time or a selector"
		}
	case render.Click:
		return needs(s.Selector, "the selector")
	case render.Write, render.Press:
		return needs(s.Text, "the text")
	case render.Script:
		if !b.options.Script {
			return "scripts are not allowed (Options.Script)"
		}
	case render.PDF:
		if s.Paper.Scale != 0 && (s.Paper.Scale < 0.1 || s.Paper.Scale > 2) {
			return "the scale is not between 0.1 and 2"
		}
	case render.Scroll, render.Screenshot, render.Scrape:
	default:
		return "it is not known"
	}
	return ""
}

// do does one step.
func (v *view) do(ctx context.Context, i int, s render.Step) error {
	var err error
	switch s.Kind {
	case render.Wait:
		if err = pause(ctx, s.Time); err == nil && s.Selector != "" {
			_, err = v.find(ctx, s.Selector, maxSelector)
		}
	case render.Click:
		v.act()
		err = v.click(ctx, s)
	case render.Write:
		v.act()
		err = v.write(ctx, s.Text)
	case render.Press:
		v.act()
		if err = v.press(ctx, s.Text); err == nil {
			err = v.calm(ctx)
		}
	case render.Scroll:
		err = v.scroll(ctx, s)
	case render.Script:
		v.act()
		err = v.script(ctx, i, s.Text)
	default:
		err = v.record(ctx, i, s)
	}
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case isLost(err):
		return err // the browser failed, not the step
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("the page does not answer")
	}
	return &render.StepError{Index: i, Kind: s.Kind, Reason: err.Error()}
}

// act records that a step may change something at the site.
func (v *view) act() {
	v.acted = true
	v.mu.Lock()
	defer v.mu.Unlock()
	v.caused = true
}

// record does a step that produces data: a screenshot, the HTML or a PDF.
func (v *view) record(ctx context.Context, i int, s render.Step) error {
	r := render.Result{Step: i}
	var err error
	switch s.Kind {
	case render.Screenshot:
		var p *render.Picture
		if p, err = v.picture(ctx, s.Shot); err == nil {
			r.Data, r.Type = p.Data, p.Type
		}
	case render.Scrape:
		r.Type = "text/html"
		r.Data, _, err = v.html(ctx)
	case render.PDF:
		r.Type = "application/pdf"
		r.Data, err = v.print(ctx, s.Paper)
	}
	if err != nil {
		return err
	}
	v.add(r)
	return nil
}

// add adds the result of a step.
func (v *view) add(r render.Result) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r.URL = v.page.URL
	v.page.Results = append(v.page.Results, r)
}

// spot is the centre of a visible element in CSS pixels.
type spot struct{ X, Y float64 }

// finder is a JavaScript expression that scrolls the n-th element of a selector
// into view and returns its centre, or null if it is not visible. If the selector
// is not valid, the expression throws an exception.
const finder = `((selector, n) => {
	const e = document.querySelectorAll(selector)[n];
	if (!e) return null;
	e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	const r = e.getBoundingClientRect(), s = getComputedStyle(e);
	if (r.width <= 0 || r.height <= 0 || s.visibility === "hidden") return null;
	return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
})(%s, %d)`

// find waits until the first element of a selector is visible. most limits the wait.
func (v *view) find(ctx context.Context, selector string, most time.Duration) (spot, error) {
	end := time.Now().Add(most)
	for {
		p, err := v.look(ctx, selector, 0)
		if err != nil || p != nil {
			return deref(p), err
		}
		if time.Now().After(end) {
			return spot{}, errors.New("element not found: " + selector)
		}
		if err := pause(ctx, lookEvery); err != nil {
			return spot{}, err
		}
	}
}

// deref returns *p, or the zero spot if p is nil.
func deref(p *spot) spot {
	if p == nil {
		return spot{}
	}
	return *p
}

// look returns the centre of the n-th element of a selector, or nil if it is not
// visible.
func (v *view) look(ctx context.Context, selector string, n int) (*spot, error) {
	quoted, err := json.Marshal(selector)
	if err != nil {
		return nil, err
	}
	p, err := evaluate[*spot](ctx, v, fmt.Sprintf(finder, quoted, n), callTimeout)
	if fault := (*scriptError)(nil); errors.As(err, &fault) {
		return nil, errors.New("selector not valid: " + selector)
	}
	return p, err
}

// click clicks the first element of a selector, or up to 100 of its elements.
func (v *view) click(ctx context.Context, s render.Step) error {
	at, err := v.find(ctx, s.Selector, maxTarget)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		if err := v.point(ctx, at); err != nil {
			return err
		}
		if !s.All || n == maxClicks {
			break
		}
		next, err := v.look(ctx, s.Selector, n)
		if err != nil {
			return err
		}
		if next == nil {
			break
		}
		at = *next
	}
	return v.calm(ctx)
}

// point clicks the left mouse button at a spot.
func (v *view) point(ctx context.Context, at spot) error {
	for _, p := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved},
		{Type: input.DispatchMouseEventTypeMousePressed, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		p.X, p.Y = at.X, at.Y
		if err := done(call(ctx, v, input.DispatchMouseEvent, p)); err != nil {
			return err
		}
	}
	return nil
}

// calm waits until the requests that a step has caused have ended, but not longer
// than afterClick.
func (v *view) calm(ctx context.Context) error {
	end := time.Now().Add(afterClick)
	for {
		if err := pause(ctx, quietClick); err != nil {
			return err
		}
		if now := time.Now(); v.busy.quiet(now, quietClick) || now.After(end) {
			return nil
		}
	}
}

// write types text into the focused element.
func (v *view) write(ctx context.Context, text string) error {
	focused, err := evaluate[bool](ctx, v, `document.activeElement !== null && document.activeElement !== document.body`, callTimeout)
	switch {
	case err != nil:
		return err
	case !focused:
		return errors.New("no element is focused")
	}
	return done(call(ctx, v, input.InsertText, input.InsertTextParams{Text: text}))
}

// modifiers are the modifier keys and their bits in the DevTools protocol.
var modifiers = map[string]int64{"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "shift": 8}

// press presses a key such as Enter, a or Control+a.
func (v *view) press(ctx context.Context, name string) error {
	var with int64
	parts := strings.Split(name, "+")
	for _, m := range parts[:len(parts)-1] {
		bit, ok := modifiers[strings.ToLower(m)]
		if !ok {
			return errors.New("key not known: " + name)
		}
		with |= bit
	}
	key, ok := keyOf(parts[len(parts)-1])
	if !ok {
		return errors.New("key not known: " + name)
	}
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Modifiers: with, Code: key.Code, Key: key.Key,
		WindowsVirtualKeyCode: key.Windows, NativeVirtualKeyCode: key.Native,
	}
	if with&^8 == 0 { // with a modifier other than Shift, the key is a command and not a character
		down.Text, down.UnmodifiedText = key.Text, key.Unmodified
	}
	up := down
	up.Type, up.Text, up.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	if err := done(call(ctx, v, input.DispatchKeyEvent, down)); err != nil {
		return err
	}
	return done(call(ctx, v, input.DispatchKeyEvent, up))
}

// keyOf returns the key for a character, or for a key name of the UI Events
// specification in upper or lower case.
func keyOf(name string) (kb.Key, bool) {
	if r := []rune(name); len(r) == 1 {
		key, ok := kb.Keys[r[0]]
		return *orEmpty(key), ok
	}
	for _, key := range kb.Keys {
		if strings.EqualFold(key.Key, name) {
			return *key, true
		}
	}
	return kb.Key{}, false
}

// orEmpty returns key, or an empty key if key is nil.
func orEmpty(key *kb.Key) *kb.Key {
	if key == nil {
		return &kb.Key{}
	}
	return key
}

// scroll scrolls the page by one window, or to an element.
func (v *view) scroll(ctx context.Context, s render.Step) error {
	if s.Selector != "" {
		_, err := v.find(ctx, s.Selector, maxTarget)
		return err
	}
	sign := ""
	if s.Up {
		sign = "-"
	}
	if _, err := evaluate[int](ctx, v, "(scrollBy({top: "+sign+"innerHeight, behavior: 'instant'}), 0)", callTimeout); err != nil {
		return err
	}
	return v.calm(ctx)
}

// script runs the body of an asynchronous function and records what it returns.
func (v *view) script(ctx context.Context, i int, body string) error {
	yes := true
	ctx, cancel := context.WithTimeout(ctx, maxScript)
	defer cancel()
	r, err := call(ctx, v, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(async () => {" + body + "\n})()", AwaitPromise: &yes, ReturnByValue: &yes, UserGesture: &yes,
	})
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return &scriptError{exception(r.ExceptionDetails)}
	case len(r.Result.Value) > maxValue:
		return fmt.Errorf("the value has more than %d bytes", maxValue)
	}
	v.add(render.Result{Step: i, Type: string(r.Result.Type), Value: bytes.Clone([]byte(r.Result.Value))})
	return nil
}

// exception returns the first line of the description of an exception.
func exception(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		line, _, _ := strings.Cut(e.Exception.Description, "\n")
		return line
	}
	return e.Text
}

// decode returns the value of a JavaScript result. For undefined, it is the zero
// value.
func decode[T any](r *runtime.RemoteObject) (value T, err error) {
	if len(r.Value) == 0 {
		return value, nil
	}
	err = json.Unmarshal([]byte(r.Value), &value)
	return value, err
}
