// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	protocol "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// event handles an event of the tab. It must not block.
func (v *view) event(e any) {
	if v.guard(v.target, e) {
		return
	}
	switch e := e.(type) {
	case *page.EventJavascriptDialogOpening:
		accept := e.Type == page.DialogTypeBeforeunload // otherwise the page would not be left
		v.answer(func(ctx context.Context) {
			_, _ = call(ctx, v, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept})
		})
	case *inspector.EventTargetCrashed:
		v.end(render.ErrCrashed)
	case *network.EventRequestWillBeSent:
		v.busy.begin(string(e.RequestID), e.Type, e.Request.URL)
	case *network.EventLoadingFinished:
		v.busy.end(string(e.RequestID))
	case *network.EventLoadingFailed:
		v.busy.end(string(e.RequestID))
	case *page.EventLoadEventFired:
		v.busy.load()
		v.reach(func(t *render.Timing) *time.Duration { return &t.Load })
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			v.say(string(e.Type), console(e.Args))
		}
	case *runtime.EventExceptionThrown:
		v.say("exception", exception(e.ExceptionDetails))
	}
}

// guard handles an event that makes the tab, or a frame of another site, wait for a decision
// about a request or a frame. s is the session of the tab or of the frame. It returns false
// for other events. It must not block.
func (v *view) guard(s cdp.Session, e any) bool {
	switch e := e.(type) {
	case *protocol.EventRequestPaused:
		v.answer(func(ctx context.Context) { v.paused(ctx, s, e) })
	case *protocol.EventAuthRequired:
		v.answer(func(ctx context.Context) { v.authorize(ctx, s, e) })
	case *target.EventAttachedToTarget:
		v.answer(func(ctx context.Context) { v.admit(ctx, s, e) })
	case *target.EventDetachedFromTarget:
		v.forget(e.SessionID)
	default:
		return false
	}
	return true
}

// reach records when the page has reached a stage for the first time.
func (v *view) reach(stage func(t *render.Timing) *time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if t := stage(&v.page.Timing); *t == 0 {
		*t = time.Since(v.begun)
	}
}

// answer runs f in a goroutine of its own, unless the tab is being closed.
func (v *view) answer(f func(ctx context.Context)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.over {
		v.calls.Go(func() { f(v.life) })
	}
}

// console returns the text that a script wrote to the console.
func console(args []*runtime.RemoteObject) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, cmp.Or(strings.Trim(string(a.Value), `"`), a.Description))
	}
	return strings.Join(parts, " ")
}

// say records a console message or an exception.
func (v *view) say(kind, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if text = kind + ": " + text; len(v.page.Console) < maxConsole {
		v.page.Console = append(v.page.Console, strings.ToValidUTF8(text[:min(len(text), maxMessage)], ""))
	}
}

// authorize answers a request for credentials. Only the proxy gets them.
func (v *view) authorize(ctx context.Context, s cdp.Session, e *protocol.EventAuthRequired) {
	answer := &protocol.AuthChallengeResponse{Response: protocol.AuthChallengeResponseResponseCancelAuth}
	if e.AuthChallenge.Source == protocol.AuthChallengeSourceProxy {
		answer.Response = protocol.AuthChallengeResponseResponseProvideCredentials
		answer.Username, answer.Password = v.traffic.User, v.traffic.Password
	}
	_, _ = callIn(ctx, callTimeout, s, protocol.ContinueWithAuth, protocol.ContinueWithAuthParams{RequestID: e.RequestID, AuthChallengeResponse: answer})
}

// paused decides whether a request for a document, or its response, continues.
func (v *view) paused(ctx context.Context, s cdp.Session, e *protocol.EventRequestPaused) {
	if e.ResourceType == network.ResourceTypeMedia || e.ResourceType == network.ResourceTypeFont {
		v.refuse(ctx, s, e, errBlocked)
		return
	}
	v.mu.Lock()
	main := e.FrameID == v.main
	v.mu.Unlock()
	if e.ResponseStatusCode != 0 || e.ResponseErrorReason != "" {
		v.response(ctx, s, e, main)
		return
	}
	scheme, _, _ := strings.Cut(e.Request.URL, ":")
	var err error
	switch {
	case scheme != "http" && scheme != "https":
		err = fetch.ErrScheme
	case v.request.Gate != nil:
		err = v.request.Gate(ctx, v.describe(e, main))
	}
	if err != nil {
		if main {
			v.failed(err)
		}
		v.refuse(ctx, s, e, err)
		return
	}
	if main {
		v.mu.Lock()
		v.page.Hops = append(v.page.Hops, e.Request.URL)
		v.caused = false
		v.page.URL = e.Request.URL
		v.mu.Unlock()
	}
	p := protocol.ContinueRequestParams{RequestID: e.RequestID}
	if len(v.request.Header) > 0 && originOf(e.Request.URL) == v.own {
		p.Headers = headers(e.Request.Headers, v.request.Header)
	}
	_, _ = callIn(ctx, callTimeout, s, protocol.ContinueRequest, p)
}

// describe returns the document that a request is for.
func (v *view) describe(e *protocol.EventRequestPaused, main bool) render.Document {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := render.Document{URL: e.Request.URL, From: v.page.URL, Cause: render.Scripted, Frame: !main}
	switch {
	case e.RedirectedRequestID != "":
		d.Cause = render.Redirect
	case !main:
		d.Cause = render.Framed
	case len(v.page.Hops) == 0 && v.page.Status == 0:
		d.Cause = render.Start
	case v.caused:
		d.Cause = render.Clicked
	}
	return d
}

// refuse fails a request, and records why. If the request is for the page itself, the tab
// shows the page before it further.
func (v *view) refuse(ctx context.Context, s cdp.Session, e *protocol.EventRequestPaused, why error) {
	reason := network.ErrorReasonBlockedByClient
	v.mu.Lock()
	if len(v.page.Failed) < maxFailed {
		v.page.Failed = append(v.page.Failed, render.Failed{URL: e.Request.URL, Reason: why.Error()})
	}
	if e.FrameID == v.main && e.ResourceType == network.ResourceTypeDocument {
		reason = network.ErrorReasonAborted
	}
	v.mu.Unlock()
	_, _ = callIn(ctx, callTimeout, s, protocol.FailRequest, protocol.FailRequestParams{RequestID: e.RequestID, ErrorReason: reason})
}

// headers returns the headers own of the browser and given of the request. If both
// have a header, the one of the request applies.
func headers(own network.Headers, given http.Header) []*protocol.HeaderEntry {
	var all []*protocol.HeaderEntry
	for name, value := range own {
		if given.Get(name) == "" {
			all = append(all, &protocol.HeaderEntry{Name: name, Value: fmt.Sprint(value)})
		}
	}
	for name, values := range given {
		for _, value := range values {
			all = append(all, &protocol.HeaderEntry{Name: name, Value: value})
		}
	}
	return all
}

// response records the response to a request for a document, and lets it continue.
// A document that is not HTML is read here, because the browser would open a
// viewer for it or download it.
func (v *view) response(ctx context.Context, s cdp.Session, e *protocol.EventRequestPaused, main bool) {
	header := http.Header{}
	for _, h := range e.ResponseHeaders {
		header.Add(h.Name, h.Value)
	}
	redirect := e.ResponseStatusCode >= 300 && e.ResponseStatusCode < 400 && header.Get("Location") != ""
	if main && !redirect && e.ResponseStatusCode != 0 {
		v.mu.Lock()
		v.page.Status, v.page.Header = int(e.ResponseStatusCode), header
		if v.page.Timing.Load == 0 {
			v.page.Timing.FirstByte = time.Since(v.begun)
		}
		v.mu.Unlock()
		if kind, _, _ := strings.Cut(header.Get("Content-Type"), ";"); !isHTML(kind) {
			v.read(ctx, e.RequestID)
			_, _ = callIn(ctx, callTimeout, s, protocol.FailRequest, protocol.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
			return
		}
	}
	_, _ = callIn(ctx, callTimeout, s, protocol.ContinueRequest, protocol.ContinueRequestParams{RequestID: e.RequestID})
}

// isHTML reports whether a browser shows a media type as an HTML page. A missing
// type counts as HTML, because the browser guesses it from the content.
func isHTML(kind string) bool {
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// read reads the body of a response into the page.
func (v *view) read(ctx context.Context, id protocol.RequestID) {
	limit := cmp.Or(v.request.MaxBytes, defaultBytes)
	stream, err := call(ctx, v, protocol.TakeResponseBodyAsStream, protocol.TakeResponseBodyAsStreamParams{RequestID: id})
	if err != nil {
		v.failed(fmt.Errorf("%w: %w", fetch.ErrProtocol, err))
		return
	}
	body, err := v.drain(ctx, stream.Stream, limit)
	if err != nil {
		v.failed(err)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page.Body = append([]byte{}, body...) // not nil, even if it is empty
}
