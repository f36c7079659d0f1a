// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"context"
	"errors"
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
// browser. Its field [fetch.Response.Rendered] is true, and View is the [*Page].
// If such a page cannot be shown, the fetch fails, because the caller would
// otherwise take an empty page for the whole content. Requests with Raw are never shown.
//
// If Static has a cache and a method Cached, as [fetch.Client] has, pages are stored as the
// browser showed them, with their screenshots. The rules for the age of a cached page apply to
// them, too. A page belongs to the options that it was shown with. Pages with Steps or
// Cookies, of a request with a Jar or userinfo, and those that were still busy are not stored.
// If only a cache may answer and the page was not stored as it was shown, the result is the page as
// it was fetched, or [fetch.ErrNotCached] if Always is set.
//
// If the first three pages of a template, which are pages whose URLs differ only in
// numbers and in their last segment, need scripts and are still empty after them, the
// Fetcher shows only one in sixteen of the further ones. The others, and those beyond
// Most, are returned as they were fetched. View is then a [*Page] without HTML whose
// Warnings say this.
//
// The browser sends the headers of the request only to the origin of its URL, and
// does not use its Jar. The Fetcher calls the request's Turn before each document of
// the page, and Redirect before each document but the first. It calls Turn for the
// first document before it calls the Renderer, so that this wait needs no tab and
// does not count towards the Timeout. If Redirect returns
// [fetch.ErrStopRedirect], the result is a response of status 302 to that document.
type Fetcher struct {
	Static   fetch.Fetcher
	Renderer Renderer

	// Always shows all HTML pages of any status, as this request says. The Fetcher
	// sets its URL, Gate and InsecureTLS, and its Header, Timeout, UserAgent and
	// MaxBytes if they are zero. Nil means that only needed pages are shown.
	Always *Request

	// Optional makes Always a preference: a page that cannot be shown is returned as it was
	// fetched, unless it needs scripts and a cache is not the only source. View is then a [*Page] without HTML whose Warnings say this.
	Optional bool

	// Needed decides whether a page is shown in the browser. It is called for
	// each HTML page of status 200, unless Always is set. Nil means [NeedsScripts].
	Needed func(r *fetch.Response) bool

	// Block returns which requests of a page are not sent. It replaces Always.Block.
	// Nil means that Always.Block applies. If Always is nil too, all requests are sent.
	Block func(page string) Block

	// Frame is called before the document of a frame of a page is requested. If it returns an
	// error, the frame stays empty. Nil admits all frames.
	Frame func(ctx context.Context, url string) error

	// Most limits how many pages are shown because they need scripts. Further pages
	// are returned as they were fetched. Zero means no limit.
	Most int

	shells shells
}

// Fetch implements [fetch.Fetcher].
func (f *Fetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	page, err := fetch.Do(ctx, f.Static, r)
	if err != nil || r.Raw || !isHTML(page) || page.Status >= 300 && page.Status < 400 {
		return page, err
	}
	reason := "the page was to be shown"
	if f.Always == nil {
		needed := f.Needed
		if needed == nil {
			needed = func(page *fetch.Response) bool { return NeedsScripts(ctx, page) }
		}
		if page.Status != http.StatusOK || !needed(page) {
			return page, nil
		}
		reason = "the page needs scripts"
	}
	shown, err := f.cached(ctx, r, page)
	switch {
	case err == nil:
		return shown, nil
	case f.Always == nil && errors.Is(err, fetch.ErrNotCached):
		return page, nil
	case f.Optional && ctx.Err() == nil && !errors.Is(err, ErrRefused) && (onlyCached(r) || !NeedsScripts(ctx, page)):
		return unshown(page, "the page was not shown in the browser: "+err.Error()), nil
	}
	return nil, &fetch.Error{URL: weburl.Redacted(r.URL), Err: fmt.Errorf("%s: %w", reason, err)}
}

// unshown returns a page as it was fetched, with a warning that says why it was not shown.
func unshown(page *fetch.Response, why string) *fetch.Response {
	page.View = &Page{URL: page.URL, Status: page.Status, Warnings: []string{why}}
	return page
}

// Caching reports whether Static can answer from a cache. A crawl asks this of
// its Fetcher.
func (f *Fetcher) Caching() bool {
	c, ok := f.Static.(interface{ Caching() bool })
	return ok && c.Caching()
}

// fresh shows a fetched page in the browser, unless it is shown only because it needs scripts
// and the pages of its template stay empty, or too many pages were shown.
func (f *Fetcher) fresh(ctx context.Context, r *fetch.Request, page *fetch.Response) (*fetch.Response, error) {
	if f.Always != nil {
		return f.show(ctx, r, page)
	}
	if why := f.shells.begin(page.URL, f.Most); why != "" {
		return unshown(page, why), nil
	}
	shown, err := f.show(ctx, r, page)
	switch {
	case errors.Is(err, ErrBusy):
		f.shells.unshown()
	case err == nil:
		f.shells.end(page.URL, !shown.Rendered || !NeedsScripts(ctx, shown))
	}
	return shown, err
}

// show shows a fetched page in the browser.
func (f *Fetcher) show(ctx context.Context, r *fetch.Request, page *fetch.Response) (*fetch.Response, error) {
	h := hooks{request: r, last: page.URL, frame: f.Frame}
	defer h.end(nil)
	if err := h.take(ctx, page.URL); err != nil {
		return nil, err
	}
	request := f.request(r, page)
	request.Gate = h.gate
	shown, err := f.Renderer.Render(ctx, request)
	if to := h.stopped(); err != nil && to != "" {
		return redirect(page, to), nil
	}
	if err != nil {
		return nil, err
	}
	resp := answer(page, shown)
	h.end(resp)
	return resp, nil
}

// redirect returns the response for a page whose next document is at the URL to, if Redirect
// has stopped there.
func redirect(page *fetch.Response, to string) *fetch.Response {
	return &fetch.Response{URL: page.URL, Status: http.StatusFound, Header: http.Header{"Location": {to}}}
}

// answer returns the response for a fetched page that was shown.
func answer(page *fetch.Response, shown *Page) *fetch.Response {
	resp := &fetch.Response{URL: shown.URL, Status: shown.Status, Header: http.Header{}, Body: shown.HTML, Rendered: true, View: shown}
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
	return resp
}

// request returns the request to the browser for a fetched page.
func (f *Fetcher) request(r *fetch.Request, page *fetch.Response) *Request {
	var own Request
	if f.Always != nil {
		own = *f.Always
	}
	own.URL, own.InsecureTLS = page.URL, r.InsecureTLS
	if f.Block != nil {
		own.Block = f.Block(page.URL)
	}
	if own.Header == nil && sameOrigin(r.URL, page.URL) {
		own.Header = r.Header.Clone() // without conditions, because the answer to them has no document
		own.Header.Del("If-None-Match")
		own.Header.Del("If-Modified-Since")
	}
	own.UserAgent = cmp.Or(own.UserAgent, own.Header.Get("User-Agent"))
	own.MaxBytes = cmp.Or(own.MaxBytes, max(r.MaxBytes, 0))
	own.Timeout = cmp.Or(own.Timeout, max(r.Timeout, 0))
	return &own
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

// maxReloads is how many documents a page may request after the first one, if the
// next one is the same document again.
const maxReloads = 10

// sameDocument reports whether two URLs differ at most in their fragments.
func sameDocument(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return a == b
}

// hooks calls the hooks of a request for the documents of a page.
type hooks struct {
	request *fetch.Request
	frame   func(ctx context.Context, url string) error // of the Fetcher

	mu    sync.Mutex                   // guards the rest
	last  string                       // URL of the last document
	count int                          // documents after the first
	halt  string                       // URL of the document that Redirect has stopped at
	begun bool                         // the first document was requested
	taken string                       // URL of a document whose turn was taken and not used
	done  func(*fetch.Response, error) // ends the turn of the last document
}

// gate calls the hooks before a document is requested. The documents of frames are part of
// the page: they take no turn, and are no redirects.
func (h *hooks) gate(ctx context.Context, d Document) error {
	if d.Frame {
		if h.frame == nil {
			return nil
		}
		return h.frame(ctx, d.URL)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	taken := h.taken
	h.taken = ""
	if url, _, _ := strings.Cut(d.URL, "#"); url == taken {
		h.begun, h.last = true, d.URL
		return nil
	}
	h.release(nil)
	if h.begun {
		h.count++
		// A page that loads itself again, and the second try after a crash, are not
		// redirects. A crawl would take them for a redirect without end.
		reload := sameDocument(h.last, d.URL)
		if reload && h.count > maxReloads {
			return fetch.ErrRedirects
		}
		if !reload && h.request.Redirect != nil {
			hop := fetch.Hop{From: h.last, To: d.URL, Status: http.StatusFound, Count: h.count}
			if err := h.request.Redirect(hop); err != nil {
				if errors.Is(err, fetch.ErrStopRedirect) {
					h.halt = d.URL
				}
				return err
			}
		}
	}
	h.begun, h.last = true, d.URL
	return h.turn(ctx, d.URL)
}

// take waits for the turn of the first document before the browser requests it.
func (h *hooks) take(ctx context.Context, url string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken, _, _ = strings.Cut(url, "#")
	return h.turn(ctx, h.taken)
}

// turn calls the Turn of the request. The caller holds mu.
func (h *hooks) turn(ctx context.Context, url string) (err error) {
	if h.request.Turn != nil {
		h.done, err = h.request.Turn(ctx, url)
	}
	return err
}

// stopped returns the URL of the document that Redirect has stopped at, or "".
func (h *hooks) stopped() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.halt
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
