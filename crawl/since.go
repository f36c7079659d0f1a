// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"crypto/sha256"
	"iter"
	"net/http"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/weburl"
)

// Change says how a page differs from the earlier crawl in [Config.Since].
type Change uint8

// Changes. A page of a crawl without Since has the zero value.
const (
	Unknown Change = iota
	New            // the earlier crawl did not deliver it
	Changed        // its body is different
	Same           // it was not modified, or its body is equal
	Gone           // its status is now 404 or 410 and was not before; it is not delivered
)

// String returns new, changed, same or gone. For Unknown it returns "".
func (c Change) String() string {
	return [...]string{"", "new", "changed", "same", "gone"}[min(int(c), int(Gone))]
}

// Memory gives access to the pages that an earlier crawl of a site has recorded.
// Implementations must be safe for concurrent use.
type Memory interface {
	// Known returns the record of the page that the earlier crawl found at url,
	// or nil. If it returns an error, the page is not compared but still
	// crawled.
	Known(ctx context.Context, url string) (*Known, error)

	// Asked yields each URL that led to a page, with its depth, in the order of
	// the pages.
	Asked(ctx context.Context) iter.Seq2[string, int]
}

// Known is a page of an earlier crawl.
type Known struct {
	ETag, Modified string // validators of the answer; if both are empty, the page is requested unconditionally
	Status         int
	ContentType    string
	Sum            [sha256.Size]byte // SHA-256 of the body
	Links          []string          // absolute; nil if they were not read
}

// maxOldDepth limits the depth at which a URL of an earlier crawl is queued. It
// only affects when the URL is requested.
const maxOldDepth = 64

// known returns the record of a page that is about to be requested.
func (r *run) known(ctx context.Context, url string) *Known {
	if r.c.Since == nil {
		return nil
	}
	k, err := r.c.Since.Known(ctx, url)
	if err != nil && ctx.Err() == nil {
		r.trace.warned(url, err)
	}
	return k
}

// condition adds the headers that ask a site to send the page only if it has
// changed. If links are needed that the earlier crawl did not read, it adds none.
func (k *Known) condition(h http.Header, needLinks bool) {
	if k == nil || needLinks && k.Links == nil {
		return
	}
	if k.ETag != "" && h.Get("If-None-Match") == "" {
		h.Set("If-None-Match", k.ETag)
	}
	if k.Modified != "" && h.Get("If-Modified-Since") == "" {
		h.Set("If-Modified-Since", k.Modified)
	}
}

// compare sets the change of a page. A page that was not modified gets its
// earlier status and links.
func (r *run) compare(p *Page, k *Known) {
	p.Known = k
	switch {
	case r.c.Since == nil:
	case k == nil:
		p.Change = New
	case p.Status == http.StatusNotModified:
		p.Change, p.Unmodified = Same, true
		p.Status, p.Header = k.Status, http.Header{}
		if k.ContentType != "" {
			p.Header.Set("Content-Type", k.ContentType)
		}
		for _, url := range k.Links {
			p.Links = append(p.Links, Link{URL: url})
		}
	case isGone(p.Status) && !isGone(k.Status):
		p.Change = Gone
	case p.Status == k.Status && sha256.Sum256(p.Body) == k.Sum:
		p.Change = Same
	default:
		p.Change = Changed
	}
}

func isGone(status int) bool { return status == http.StatusNotFound || status == http.StatusGone }

// enterKnown adds the URLs of the earlier crawl after the links of the start
// page, each at its earlier depth. With MaxDepth it adds none, because a URL
// that no link leads to has no depth.
func (r *run) enterKnown(ctx context.Context, c *frontier.Commit, p *Page, sc *scope.Scope) {
	if r.c.Since == nil || r.c.MaxDepth != nil || r.c.List {
		return
	}
	ref := scope.Ref{URL: p.URL, Via: scope.ViaSitemap} // not limited by the depth of this page
	f := finder{requester: r.requester, origins: r.origins, ctx: ctx, commit: c, scope: sc, ref: &ref, from: p.URL}
	room := r.c.budget()
	for url, depth := range r.c.Since.Asked(ctx) {
		if ctx.Err() != nil || len(c.Targets) >= room {
			return
		}
		u, err := weburl.Parse(url)
		if err != nil {
			continue
		}
		f.depth = min(max(depth, 1), maxOldDepth)
		f.add(&scope.Candidate{From: &ref, URL: u}, Link{URL: url})
	}
}
