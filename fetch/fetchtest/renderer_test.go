// SPDX-License-Identifier: Apache-2.0

package fetchtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
)

// fakeRenderer is a Renderer without a browser. It knows the one script that the tests need.
// A fault makes it break one rule.
type fakeRenderer struct {
	fault  string
	closed atomic.Bool

	mu      sync.Mutex
	cookies []*http.Cookie // of all pages, with the fault "shared cookies"
}

func (f *fakeRenderer) Abilities() render.Abilities {
	return render.Abilities{Steps: []render.Kind{render.Wait, render.Scrape}}
}

func (f *fakeRenderer) Close(context.Context) error {
	f.closed.Store(true)
	return nil
}

func (f *fakeRenderer) Render(ctx context.Context, r *render.Request) (_ *render.Page, err error) {
	if f.closed.Load() && f.fault != "closed" {
		return nil, render.ErrClosed
	}
	u, err := url.Parse(r.URL)
	if f.fault != "schemes" && !strings.HasPrefix(r.URL, "http") {
		return nil, fetch.ErrScheme
	}
	if err != nil || u.Host == "" || u.User != nil && f.fault != "userinfo" {
		return nil, fetch.ErrURL
	}
	for i, s := range r.Steps {
		if s.Kind != render.Wait && s.Kind != render.Scrape && f.fault != "unknown steps" {
			return nil, fmt.Errorf("%w: %w", render.ErrUnsupported, &render.StepError{Index: i, Kind: s.Kind, Reason: "not known"})
		}
	}
	if f.fault == "deaf" {
		ctx = context.WithoutCancel(ctx)
	}
	if f.fault != "patient" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, fetch.ErrTimeout)
		defer cancel()
	}
	page, err := f.visit(ctx, r)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	wait := r.Wait
	if f.fault == "patient" || f.fault == "deaf" {
		wait = 0 // with this fault, the test would otherwise never end
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return page, nil
}

// visit requests the documents of a page.
func (f *fakeRenderer) visit(ctx context.Context, r *render.Request) (*render.Page, error) {
	page := &render.Page{URL: r.URL}
	client := http.Client{
		Transport:     new(http.Transport), // the tests run side by side, and would close idle connections of each other
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for first := true; ; first = false {
		if r.Gate != nil && f.fault != "no gate" && (first || f.fault != "no gate for redirects") {
			if err := r.Gate(ctx, render.Document{URL: page.URL}); err != nil {
				return nil, err
			}
		}
		page.Hops = append(page.Hops, page.URL)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, page.URL, nil)
		if err != nil {
			return nil, fetch.ErrURL
		}
		req.Header.Set("User-Agent", r.UserAgent)
		if first || f.fault == "leaky header" {
			maps.Copy(req.Header, r.Header)
		}
		if f.fault != "no cookies" {
			for _, c := range append(r.Cookies, f.jar()...) {
				req.AddCookie(c)
			}
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, errors.Join(fetch.ErrConnect, err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, fetch.ErrProtocol
		}
		f.keep(resp.Cookies())
		if at := resp.Header.Get("Location"); at != "" {
			next, err := resp.Location()
			if err != nil {
				return nil, fetch.ErrURL
			}
			page.URL = next.String()
			continue
		}
		if f.fault == "status" && resp.StatusCode >= 400 {
			return nil, fetch.ErrProtocol
		}
		return f.document(r, page, resp, body)
	}
}

// document makes the page of the last response.
func (f *fakeRenderer) document(r *render.Request, page *render.Page, resp *http.Response, body []byte) (*render.Page, error) {
	page.Status, page.Header = resp.StatusCode, resp.Header
	if r.MaxBytes > 0 && int64(len(body)) > r.MaxBytes && f.fault != "large" {
		return nil, fetch.ErrTooLarge
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && f.fault != "files" {
		page.Body = body
		return page, nil
	}
	if strings.Contains(string(body), "<iframe") && f.fault != "silent" {
		page.Warnings = []string{"1 frame is not in the document"}
	}
	code := string(body)
	if f.fault != "no scripts" {
		code = strings.Replace(code, `id="made">`, `id="made">made by a script`, 1)
	}
	if f.fault == "mixed" {
		code = strings.ReplaceAll(code, "number 3.", "number 4.")
	}
	page.HTML = []byte(code)
	return page, nil
}

// jar returns the cookies of earlier pages. There are some only with the fault "shared
// cookies", because keep stores them only then.
func (f *fakeRenderer) jar() []*http.Cookie {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cookies
}

func (f *fakeRenderer) keep(cookies []*http.Cookie) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault == "shared cookies" {
		f.cookies = append(f.cookies, cookies...)
	}
}

// TestCheckRenderer checks a Renderer that keeps all rules.
func TestCheckRenderer(t *testing.T) {
	fetchtest.CheckRenderer(t, func(testing.TB) render.Renderer { return new(fakeRenderer) })
}

// TestCheckRendererFails checks Renderers that break one rule each. The test of that rule
// must fail, and no other.
func TestCheckRendererFails(t *testing.T) {
	for fault, want := range map[string]string{
		"no scripts": "document, redirects, limits, context", "status": "document", "silent": "document",
		"no gate": "redirects, gate", "no gate for redirects": "redirects, gate",
		"schemes": "refused URLs", "userinfo": "refused URLs", "leaky header": "headers", "no cookies": "cookies", "shared cookies": "cookies",
		"files": "files", "large": "limits", "patient": "limits", "deaf": "limits, context", "mixed": "concurrency", "unknown steps": "unsupported", "closed": "closed",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			failed := strings.Join(fetchtest.FailedRenderer(t, func(testing.TB) render.Renderer { return &fakeRenderer{fault: fault} }), ", ")
			if failed != want {
				t.Errorf("the tests %s have failed, want %s", failed, want)
			}
		})
	}
}
