// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

// Fetcher fetches pages with Static, and shows those that need scripts in a
// browser. It is safe for concurrent use.
//
// A page that was shown has the body and the URL that the browser had at the
// end, and [fetch.Response.Rendered] is set. If it cannot be shown, the fetch
// fails: the page without its content would be taken for the whole. The browser
// asks the hooks of the request: Turn before each document of the page, and
// Redirect before each but the first. It gets the headers of the request, but
// not its Jar.
type Fetcher struct {
	Static   fetch.Fetcher
	Renderer Renderer

	// Needed decides whether a page is shown. It is called for each page of
	// status 200 that is HTML. Nil means [NeedsScripts].
	Needed func(r *fetch.Response) bool
}

// Fetch implements [fetch.Fetcher].
func (f *Fetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	page, err := f.Static.Fetch(ctx, r)
	if err != nil || page.Status != http.StatusOK || !isHTML(page) {
		return page, err
	}
	needed := f.Needed
	if needed == nil {
		needed = func(page *fetch.Response) bool { return NeedsScripts(ctx, page) }
	}
	if !needed(page) {
		return page, nil
	}
	shown, err := f.show(ctx, r, page)
	if err != nil {
		return nil, &fetch.Error{URL: r.URL, Err: fmt.Errorf("the page needs scripts: %w", err)}
	}
	return shown, nil
}

// Caching implements what a crawl asks of a Fetcher: whether it can answer
// from a cache.
func (f *Fetcher) Caching() bool {
	c, ok := f.Static.(interface{ Caching() bool })
	return ok && c.Caching()
}

// show shows a page that was fetched.
func (f *Fetcher) show(ctx context.Context, r *fetch.Request, page *fetch.Response) (*fetch.Response, error) {
	h := hooks{request: r, last: page.URL}
	defer h.end(nil)
	header := r.Header
	if !sameOrigin(r.URL, page.URL) {
		header = nil
	}
	request := &Request{URL: page.URL, Header: header, UserAgent: header.Get("User-Agent"), MaxBytes: max(r.MaxBytes, 0), Gate: h.gate}
	if r.Timeout > 0 {
		request.Timeout = r.Timeout
	}
	shown, err := f.Renderer.Render(ctx, request)
	if err != nil {
		return nil, err
	}
	resp := &fetch.Response{URL: shown.URL, Status: shown.Status, Header: http.Header{}, Body: shown.HTML, Rendered: true}
	if shown.Header != nil {
		resp.Header = shown.Header.Clone()
	}
	resp.Header.Del("Content-Length")
	resp.Header.Del("Content-Encoding")
	if shown.Body != nil {
		resp.Body, resp.Rendered = shown.Body, false // the browser got a file
	} else {
		resp.Header.Set("Content-Type", "text/html; charset=utf-8")
	}
	resp.URL = cmp.Or(resp.URL, page.URL)
	h.end(resp)
	return resp, nil
}

// isHTML reports whether a response says that it is HTML.
func isHTML(r *fetch.Response) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// sameOrigin reports whether two URLs have the same origin.
func sameOrigin(a, b string) bool {
	u, err := weburl.Parse(a)
	if err != nil {
		return false
	}
	v, err := weburl.Parse(b)
	return err == nil && u.Origin() == v.Origin()
}

// hooks asks the hooks of a request for the documents of a page.
type hooks struct {
	request *fetch.Request

	mu    sync.Mutex // guards the rest
	last  string     // URL of the last document
	count int        // documents that followed the first
	begun bool
	done  func(*fetch.Response, error) // ends the turn of the last document
}

// gate asks before a document is requested. Frames are part of the page.
func (h *hooks) gate(ctx context.Context, d Document) error {
	if d.Frame {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(nil)
	if h.begun {
		h.count++
		if h.request.Redirect != nil {
			hop := fetch.Hop{From: h.last, To: d.URL, Status: http.StatusFound, Count: h.count}
			if err := h.request.Redirect(hop); err != nil {
				return err
			}
		}
	}
	h.begun, h.last = true, d.URL
	if h.request.Turn == nil {
		return nil
	}
	done, err := h.request.Turn(ctx, d.URL)
	h.done = done
	return err
}

// end ends the turn of the last document, with the response if there is one.
func (h *hooks) end(resp *fetch.Response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(resp)
}

// release ends a turn. The caller holds mu.
func (h *hooks) release(resp *fetch.Response) {
	if h.done != nil {
		h.done(resp, nil)
		h.done = nil
	}
}

// NeedsScripts reports whether a page of HTML is empty without its scripts: it
// has some, hardly any text, and a place that they fill, a notice that they are
// needed, or nothing but a notice that the page is loading. It reads at most a
// second.
func NeedsScripts(ctx context.Context, page *fetch.Response) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	document, err := dom.Parse(ctx, page.Body, page.Header.Get("Content-Type"))
	if err != nil {
		return false
	}
	return isShell(document.Root)
}
