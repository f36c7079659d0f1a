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

// Fetcher fetches pages with Static, and then shows the pages that need scripts
// in a browser. It is safe for concurrent use.
//
// The response for a page that was shown has the final body and URL of the
// browser, and its field [fetch.Response.Rendered] is true. If such a page cannot
// be shown, the fetch fails, because the caller would otherwise take an empty page
// for the whole content.
//
// The browser sends the headers of the request only to the origin of its URL, and
// does not use its Jar. It calls the request's Turn before each document of the
// page, and Redirect before each document but the first.
type Fetcher struct {
	Static   fetch.Fetcher
	Renderer Renderer

	// Needed decides whether a page is shown in the browser. It is called for
	// each HTML page of status 200. Nil means [NeedsScripts].
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

// Caching reports whether Static can answer from a cache. A crawl asks this of
// its Fetcher.
func (f *Fetcher) Caching() bool {
	c, ok := f.Static.(interface{ Caching() bool })
	return ok && c.Caching()
}

// show shows a fetched page in the browser.
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
		resp.Body, resp.Rendered = shown.Body, false // the browser received a file, not HTML
	} else {
		resp.Header.Set("Content-Type", "text/html; charset=utf-8")
	}
	resp.URL = cmp.Or(resp.URL, page.URL)
	h.end(resp)
	return resp, nil
}

// isHTML reports whether the Content-Type of a response is HTML.
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

// hooks calls the hooks of a request for the documents of a page.
type hooks struct {
	request *fetch.Request

	mu    sync.Mutex                   // guards the rest
	last  string                       // URL of the last document
	count int                          // documents after the first
	begun bool                         // the first document was requested
	done  func(*fetch.Response, error) // ends the turn of the last document
}

// gate calls the hooks before a document is requested. It ignores the documents of
// frames, because they are part of the page.
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

// end ends the turn of the last document. resp may be nil.
func (h *hooks) end(resp *fetch.Response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release(resp)
}

// release ends the turn of the last document, if it is open. The caller holds mu.
func (h *hooks) release(resp *fetch.Response) {
	if h.done != nil {
		h.done(resp, nil)
		h.done = nil
	}
}

// NeedsScripts reports whether an HTML page is empty without its scripts. Such a
// page has scripts, hardly any text, and one of these: an element that scripts
// usually fill, a notice that JavaScript is needed, or no text except a notice
// that the page is loading. Package format gives such pages the reason
// NeedsJavaScript. NeedsScripts takes at most a second. If the page cannot be
// parsed in that time, it returns false.
func NeedsScripts(ctx context.Context, page *fetch.Response) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	document, err := dom.Parse(ctx, page.Body, page.Header.Get("Content-Type"))
	if err != nil {
		return false
	}
	return dom.IsShell(document.Root)
}
