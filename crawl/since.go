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

// Change compares a page with the crawl that [Config.Since] remembers.
type Change uint8

// Changes. The zero value is that of a crawl without Since.
const (
	Unknown Change = iota
	New            // the earlier crawl did not have it
	Changed        // its body is another
	Same           // it was not modified, or its body is the same
	Gone           // its status is now 404 or 410, which it was not: it is not delivered
)

// String returns new, changed, same or gone; empty for Unknown.
func (c Change) String() string {
	return [...]string{"", "new", "changed", "same", "gone"}[min(int(c), int(Gone))]
}

// Memory is what an earlier crawl of a site knew. Implementations are safe for
// concurrent use.
type Memory interface {
	// Known returns what the earlier crawl kept of the page that it found at url;
	// nil if nothing. An error costs the comparison, not the page.
	Known(ctx context.Context, url string) (*Known, error)

	// Asked yields each URL that led to a page, with its depth, in the order of
	// the pages.
	Asked(ctx context.Context) iter.Seq2[string, int]
}

// Known is a page of an earlier crawl.
type Known struct {
	ETag, Modified string // validators of the answer; without any the page is asked for as any other
	Status         int
	ContentType    string
	Sum            [sha256.Size]byte // of the body
	Links          []string          // absolute; nil: they were not read
}

// maxOldDepth bounds the depth under which a URL of an earlier crawl waits: that
// decides its turn only.
const maxOldDepth = 64

// known returns what is remembered of a page that is about to be asked for.
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

// compare says how an answer stands against what is known. A page that was not
// modified gets the status and the links that it had.
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

// enterKnown enters the URLs that the earlier crawl knew, behind the links of the
// start page, each at its depth then. With MaxDepth they are left to the links: a
// URL that none leads to has no depth.
func (r *run) enterKnown(ctx context.Context, c *frontier.Commit, p *Page, sc *scope.Scope) {
	if r.c.Since == nil || r.c.MaxDepth != nil || r.c.List {
		return
	}
	ref := scope.Ref{URL: p.URL, Via: scope.ViaSitemap} // spared the depth that it has here
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
