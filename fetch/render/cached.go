// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// viewHeader is the header whose value identifies, in the key of a cache, how a page was shown.
// It is never sent.
const viewHeader = "Curlew-View"

// cacher is a Fetcher that stores pages for others, such as [fetch.Client].
type cacher interface {
	Caching() bool
	Cached(ctx context.Context, r *fetch.Request, exchange func(context.Context, *fetch.Exchange) (*fetch.Response, error)) (*fetch.Response, error)
}

// onlyCached reports whether only a cache may answer a request.
func onlyCached(r *fetch.Request) bool { return r.Lockdown || r.MinAge > 0 }

// cached returns a fetched page as the browser shows it, or as the cache has stored it.
func (f *Fetcher) cached(ctx context.Context, r *fetch.Request, page *fetch.Response) (*fetch.Response, error) {
	c, ok := f.Static.(cacher)
	var header http.Header
	if ok = ok && c.Caching(); ok {
		header, ok = f.identity(r, page)
	}
	switch {
	case !ok && onlyCached(r):
		return nil, fetch.ErrNotCached
	case !ok:
		return f.fresh(ctx, r, page)
	}
	var shown *fetch.Response
	var failure error
	stored, err := c.Cached(ctx, &fetch.Request{
		URL: page.URL, Header: header, Timeout: -1, MaxBytes: -1, Retries: -1,
		MaxAge: r.MaxAge, MinAge: r.MinAge, Lockdown: r.Lockdown, NoStore: r.NoStore, Partition: r.Partition,
	}, func(context.Context, *fetch.Exchange) (*fetch.Response, error) {
		if shown, failure = f.fresh(ctx, r, page); failure != nil {
			return nil, failure
		}
		return pack(page.URL, shown), nil
	})
	switch {
	case shown != nil || failure != nil:
		return shown, failure
	case errors.Is(err, fetch.ErrNotCached):
		return nil, fetch.ErrNotCached
	}
	var view Page
	if err == nil {
		err = json.Unmarshal(stored.Body, &view)
	}
	switch { // the cache cannot be used for this request, or another program has written to it
	case err != nil && onlyCached(r):
		return nil, fetch.ErrNotCached
	case err != nil:
		return f.fresh(ctx, r, page)
	}
	if to, err := follow(r, &view); err != nil {
		if errors.Is(err, fetch.ErrStopRedirect) {
			return redirect(page, to), nil
		}
		return nil, err
	}
	resp := answer(page, &view)
	resp.Cached = stored.Cached
	return resp, nil
}

// identity returns a header that identifies, together with the URL of the page, how it is shown.
// It returns false if the page may belong to one visitor.
func (f *Fetcher) identity(r *fetch.Request, page *fetch.Response) (http.Header, bool) {
	how := f.request(r, page)
	u, err := weburl.Parse(r.URL)
	if _, _, named := u.User(); err != nil || named || r.Jar != nil || len(how.Cookies) > 0 || len(how.Steps) > 0 {
		return nil, false
	}
	header := how.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	ads := how.Block.Ads != nil
	how.URL, how.Header, how.Timeout = "", nil, 0
	options, err := json.Marshal(struct {
		Request *Request
		Ads     bool
	}{how, ads})
	if err != nil {
		return nil, false
	}
	digest := sha256.Sum256(options)
	header.Set(viewHeader, hex.EncodeToString(digest[:]))
	return header, true
}

// pack returns a page that was shown in the form in which a cache stores it. If it must not be
// stored, the response says so.
func pack(at string, shown *fetch.Response) *fetch.Response {
	resp := &fetch.Response{URL: at, Status: shown.Status, Header: http.Header{}}
	for _, name := range []string{"Set-Cookie", "Cache-Control", "Vary"} {
		if values := shown.Header.Values(name); len(values) > 0 {
			resp.Header[name] = values
		}
	}
	view, ok := shown.View.(*Page)
	if shown.Status == http.StatusOK && ok && (shown.Rendered || view.Body != nil) && view.Ready != ReadyCap {
		if body, err := json.Marshal(view); err == nil {
			resp.Body = body
			return resp
		}
	}
	resp.Header.Set("Cache-Control", "no-store")
	if resp.Status != http.StatusOK {
		resp.Status = http.StatusNoContent // it is neither a redirect to follow nor a fault to try again
	}
	return resp
}

// follow calls the Redirect of a request for the documents of a stored page, as for one that is
// shown. It returns the URL of the document at which Redirect returned an error.
func follow(r *fetch.Request, view *Page) (at string, err error) {
	if r.Redirect == nil {
		return "", nil
	}
	for i := 1; i < len(view.Hops); i++ {
		from, to := view.Hops[i-1], view.Hops[i]
		if sameDocument(from, to) {
			continue
		}
		if err := r.Redirect(fetch.Hop{From: from, To: to, Status: http.StatusFound, Count: i}); err != nil {
			return to, err
		}
	}
	return "", nil
}
