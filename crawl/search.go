// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"math"
	"mime"
	"net/http"
	"slices"
	"strings"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
)

// search reads the links of a page into p and c. It skips pages whose links
// cannot be followed.
func (r *run) search(ctx context.Context, c *frontier.Commit, p *Page, sc *scope.Scope) {
	l := c.Lease
	answers := l.Start || p.Status >= 200 && p.Status <= 299
	follow := answers && p.Kind != scope.External && r.follows(l, sc)
	if !follow && !r.c.PageRobots {
		return
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return
	}
	found := r.read(p, u)
	note(p, &found)
	c.Refused[scope.RuleParse] += found.Refused
	c.Refused[scope.RuleScheme] += found.Schemes
	if follow {
		c.Refused[scope.RuleRoom] += found.Cut
		r.enter(ctx, c, p, u, found.Links, sc)
	}
}

// note sets what a page says about itself and its links, before those that Visit
// added.
func note(p *Page, found *links.Found) {
	p.Canonical = found.Canonical
	p.Robots.NoFollow, p.Robots.NoIndex = found.NoFollow, found.NoIndex
	added := p.Links
	p.Links = make([]Link, 0, len(found.Links)+len(added))
	for _, f := range found.Links {
		p.Links = append(p.Links, Link{URL: f.URL.String(), Rel: f.Rel, Text: f.Text})
	}
	p.Links = append(p.Links, added...)
}

// enter makes targets of the links of a page. The first of them may be there in parsed
// form.
func (r *run) enter(ctx context.Context, c *frontier.Commit, p *Page, u weburl.URL, parsed []links.Link, sc *scope.Scope) {
	ref := scope.Ref{URL: p.URL, Depth: c.Lease.Depth, Kind: p.Kind, NoFollow: p.Robots.NoFollow}
	f := finder{requester: r.requester, origins: r.origins, ctx: ctx, commit: c, scope: sc, ref: &ref, from: p.URL, depth: c.Lease.Depth + 1}
	c.Targets = slices.Grow(c.Targets, len(p.Links))
	for i, link := range p.Links {
		cand := scope.Candidate{From: &ref}
		var err error
		if i < len(parsed) {
			cand.URL = parsed[i].URL
		} else if cand.URL, err = u.Link(link.URL); err != nil {
			c.Refused[scope.RuleParse]++
			continue
		}
		f.add(&cand, link)
	}
}

// follows reports whether the links of a page of the site can be followed.
func (r *run) follows(l frontier.Lease, sc *scope.Scope) bool {
	return sc.Searches(l.Depth) && l.Kind != scope.External && r.c.Sitemap != SitemapOnly
}

// read finds the links of a page, in its tree if that exists, or by scanning
// its text.
func (r *run) read(p *Page, u weburl.URL) links.Found {
	source := links.Source{URL: u, Header: p.Header, Agent: r.origins.agent}
	kind := pageKind(p)
	switch {
	case p.doc != nil:
		source.Encoder = dom.Encoder(p.doc.Charset)
		return source.Tree(p.doc.Root)
	case kind == "text/markdown", kind == "text/plain":
		text, _ := dom.Decode(p.Body, p.Header.Get("Content-Type"))
		return source.Markdown(text) // CommonMark encodes queries in UTF-8
	case !isMarkup(kind):
		return source.Scan("") // use the charset of the header
	}
	text, charset := dom.Decode(p.Body, p.Header.Get("Content-Type"))
	source.Encoder = dom.Encoder(charset)
	found := source.Scan(text)
	if !found.Doubtful {
		return found
	}
	root, err := p.Tree()
	if err != nil {
		return found // cannot happen, because any bytes give a tree
	}
	return source.Tree(root)
}

// describe sets the fields of the commit that the frontier compares between
// pages.
func (r *run) describe(c *frontier.Commit, p *Page) {
	c.Body = bodyOf(p.Body)
	if p.Status < 200 || p.Status > 299 || p.Kind == scope.External {
		return // its links are not followed
	}
	if _, query := shape.Split(p.URL); query != "" && r.c.Traps.Void < math.MaxInt {
		c.Text = textOf(p)
	}
	if c.Lease.Sketch {
		c.Sketch = sketchOf(p)
	}
}

// pageKind returns the media type of a page from its header, or from its
// content if the header has none.
func pageKind(p *Page) string {
	if kind := mediaType(p.Header.Get("Content-Type")); kind != "" {
		return kind
	}
	return mediaType(http.DetectContentType(p.Body))
}

// mediaType returns the type at the start of a Content-Type, in lower case. It
// ignores the rest, which is often malformed. The result is empty if there is
// no type, or a type that servers send for unknown content (MIME Sniffing 7).
func mediaType(field string) string {
	kind := strings.TrimLeft(field, " \t")
	if i := strings.IndexAny(kind, ";, \t"); i >= 0 {
		kind = kind[:i]
	}
	kind, _, err := mime.ParseMediaType(kind)
	switch {
	case err != nil, !strings.Contains(kind, "/"), kind == "unknown/unknown", kind == "application/unknown", kind == "*/*":
		return ""
	}
	return kind
}

// isMarkup reports whether a media type can contain HTML.
func isMarkup(kind string) bool {
	return kind == "text/html" || kind == "application/xhtml+xml" || strings.HasSuffix(kind, "/xml") || strings.HasSuffix(kind, "+xml")
}

// finder converts the links of one answer to targets.
type finder struct {
	*requester
	origins *originRules
	ctx     context.Context
	commit  *frontier.Commit
	scope   *scope.Scope
	ref     *scope.Ref
	from    string
	depth   int
}

// add applies the rules to one link.
func (f *finder) add(c *scope.Candidate, l Link) {
	f.ref.Rel = l.Rel
	c.URL = c.URL.WithoutUser()
	rule, _ := f.scope.Judge(c)
	if rule == 0 {
		rule = f.enter(c)
	} else {
		f.commit.Refused[rule]++
	}
	f.trace.found(f.from, l, rule)
}

// enter makes a target of c if the rules after nofollow allow it. URLs that
// judge or robots.txt refuses become targets too, because the frontier knows
// whether they have been reported before.
func (f *finder) enter(c *scope.Candidate) scope.Rule {
	t := f.target(c, f.commit.Lease.Seed, f.depth)
	switch {
	case !f.admits(f.ctx, &t):
		t.Rule = scope.RuleThreat
	case f.robots(c):
		t.Rule = scope.RuleRobots
	default:
		if refused, _ := f.scope.Ask(scope.RuleTrap, c, nil); refused {
			f.commit.Refused[scope.RuleTrap]++
			return scope.RuleTrap
		}
	}
	f.commit.Targets = append(f.commit.Targets, t)
	return t.Rule
}

// robots reports whether the known robots.txt of c's origin disallows it.
func (f *finder) robots(c *scope.Candidate) bool {
	refused, _ := f.scope.Disallowed(c.URL, f.origins.rules(c.URL).allow())
	return refused
}

// bodies records which page had a body first.
type bodies struct {
	first recent[uint64] // fingerprint of a body -> page ID
}

// bodyOf returns a fingerprint of a body, or zero if it is empty.
func bodyOf(body []byte) uint64 {
	if len(body) == 0 {
		return 0
	}
	return shape.Nonzero(shape.SumBytes(body))
}

// mark sets SameBody.
func (b *bodies) mark(res *result) {
	if body := res.commit.Body; body != 0 {
		res.page.SameBody, _ = b.first.see(body, res.page.ID)
	}
}
