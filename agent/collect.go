// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/paging"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/weburl"
)

// maxSeries is the maximum number of pages of one listing.
const maxSeries = 500

// hopLinks is the number of detail pages after which further questions about their rows
// are followed, if the credits do not suffice for all details.
const hopLinks = 4

// collect reads a whole listing without decisions: its further pages, the detail pages
// that it links, or both.
func (l *loop) collect(ctx context.Context, a journal.Action, rec *journal.ActedRecord) {
	rec.Verdict = journal.VerdictOK
	tables := l.r.tables.outline.For(a.T)
	most := a.N
	if most == 0 {
		most = protocol.MaxMapped
	}
	pages := a.Follow == "pages" || a.Follow == "both"
	details := a.Follow == "links" || a.Follow == "both"
	pattern := ""
	if like := l.f.Link(a.Like); like != nil {
		pattern = like.Shape
	}
	start := l.f.Link(a.H[0])
	var links []*linkrank.Link
	if g := l.f.Group(a.H[0]); g != nil {
		links, pattern, details = slices.Clone(g.Links), g.Shape, true
		if pages && g.Page > 0 {
			listing := l.r.library.all()[g.Page-1]
			start = l.f.ByURL[listing.Rec.URL]
		}
	}
	if start != nil {
		links = l.list(ctx, a, start, links, pattern, most, rec)
	}
	if !details {
		return
	}
	if named := l.r.tables.named(links, tables); len(named) > 0 {
		l.readLinks(ctx, named, tables, rec)
		l.readListings(ctx, named, tables)
		if l.r.stopping() || !l.r.reader.dropped.leaves(l.r.tables.outline, l.r.tables.tally()) {
			return
		} // more pages may show what stands for the values that were dropped
	}
	links = links[:min(len(links), most)]
	if len(links) > 1 && len(tables) > 0 && l.r.exhausts(links, 1, l.r.reader.extractBound(tables[0])) {
		if l.readLinks(ctx, links[:1], tables, rec); !l.wholeRow() && rec.Handles > 0 {
			return // the credits for one more of these pages may suffice to go deeper
		}
		links = links[1:]
		for len(l.r.tables.hops.fields) > 0 && len(links) > hopLinks && l.r.exhausts(links, 0, 0) && !l.r.stopping() {
			l.follow(ctx) // a few rows with all their values are better than many without
			l.readLinks(ctx, links[:hopLinks], tables, rec)
			links = links[hopLinks:]
		}
	}
	l.readLinks(ctx, links, tables, rec)
	if lost := slices.DeleteFunc(slices.Clone(links), func(link *linkrank.Link) bool {
		p := l.r.library.at(link.URL)
		return p == nil || p.Rec.Trouble == ""
	}); len(lost) > 0 && !l.r.stopping() {
		l.readBarren(ctx, l.listing(lost), tables) // they say something of the things whose pages cannot be read
	}
	if start != nil && l.needsListing(*rec) {
		l.series(ctx, start, pages, tables, rec, func(*grounding.Page) bool { return false })
		return
	}
	rows := l.r.tables.tally()
	for _, t := range tables {
		if !l.r.stopping() {
			l.readBarren(ctx, unfollowed(l.r.library, t, rows[t.ID]).listings, tables)
		}
	}
}

// readLinks reads the pages of links.
func (l *loop) readLinks(ctx context.Context, links []*linkrank.Link, tables []*outline.Table, rec *journal.ActedRecord) {
	line := l.r.newLine()
	for _, link := range links {
		if !line.send(ctx, target{url: link.URL, tables: tables}) {
			break
		}
	}
	l.fold(line.wait(ctx), rec)
}

// maxListings is the number of listings that are read for the values of rows whose own pages lack them.
const maxListings = 4

// readListings reads the pages that list some things, if the pages of these things do not state all required
// values. Until then, such a page was only looked at for its links.
func (l *loop) readListings(ctx context.Context, links []*linkrank.Link, tables []*outline.Table) {
	rows := l.r.tables.tally()
	if l.r.stopping() || !slices.ContainsFunc(tables, func(t *outline.Table) bool {
		return slices.ContainsFunc(rows[t.ID], func(m merge.Merged) bool {
			return m.State != filter.Unmet && outline.Lacks(t.Needed(), m.Row)
		})
	}) {
		return
	}
	l.readBarren(ctx, l.listing(links), tables)
}

// listing returns the URLs of pages that list some things and were only looked at for their links, at most
// maxListings.
func (l *loop) listing(links []*linkrank.Link) (urls []string) {
	sought := map[string]bool{}
	for _, link := range links {
		sought[link.URL] = true
	}
	for _, p := range l.r.library.read() {
		lists := p.Rows == 0 && p.Lists(linkrank.LeastGroup) != "" && len(urls) < maxListings
		if lists && slices.ContainsFunc(p.Rec.Links, func(r journal.LinkRecord) bool { return sought[r.URL] }) {
			urls = append(urls, p.Rec.URL)
		}
	}
	return urls
}

// wholeRow reports whether a row has all its required cells.
func (l *loop) wholeRow() bool {
	tables := l.r.tables.tally()
	return slices.ContainsFunc(l.r.tables.outline.Readable(), func(t *outline.Table) bool {
		return slices.ContainsFunc(tables[t.ID], func(m merge.Merged) bool {
			return m.State != filter.Open && !outline.Lacks(t.Needed(), m.Row)
		})
	})
}

// list reads a listing and, if a says so, its further pages. It adds the links of
// detail pages to those that are known. These are the links with the shape that a
// names, or those of the largest group.
func (l *loop) list(ctx context.Context, a journal.Action, start *linkrank.Link, links []*linkrank.Link, pattern string, most int, rec *journal.ActedRecord) []*linkrank.Link {
	pages := a.Follow == "pages" || a.Follow == "both"
	if a.Follow != "links" && a.Follow != "both" && l.f.Group(a.H[0]) == nil {
		l.series(ctx, start, pages, l.r.tables.outline.For(a.T), rec, func(*grounding.Page) bool { return false })
		return nil
	}
	var barren []string // pages that list nothing new, so that they may have rows of their own
	// The detail pages contain its rows.
	l.series(ctx, start, pages, nil, rec, func(p *grounding.Page) bool {
		if pattern == "" {
			pattern = l.f.Largest(p.N)
		}
		before := len(links)
		for _, link := range l.f.Similar(p.Rec.Links, pattern) {
			if !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
		if len(links) == before && p.Rec.URL != start.URL {
			barren = append(barren, p.Rec.URL)
		}
		return len(links) >= most || l.r.exhausts(links, 0, 0)
	})
	if len(links) > 0 {
		l.readBarren(ctx, barren, l.r.tables.outline.For(a.T))
	}
	return links
}

// readBarren reads pages that a listing led to and that list nothing, such as the page of a thing
// that was taken for the next page. Their rows do not count as those of the details.
func (l *loop) readBarren(ctx context.Context, urls []string, tables []*outline.Table) {
	line := l.r.newLine()
	for _, url := range urls {
		if !line.send(ctx, target{url: url, tables: tables}) {
			break
		}
	}
	l.fold(line.wait(ctx), &journal.ActedRecord{})
}

// needsListing reports whether the pages of a listing must be read for their own rows:
// there are no detail pages, or these lack a required cell of more than a few rows, or
// one on which a condition depends.
func (l *loop) needsListing(rec journal.ActedRecord) bool {
	if l.r.stopping() {
		return false
	}
	if rec.Rows == 0 {
		return true
	}
	for _, t := range l.r.tables.outline.Readable() {
		lacking, rows := map[string]int{}, l.r.tables.tally()[t.ID]
		for _, m := range rows {
			if m.State == filter.Open {
				lacking[""]++
			}
			for _, f := range t.Needed() {
				if _, ok := m.Row[f.Name]; !ok && m.State != filter.Unmet {
					lacking[f.Name]++
				}
			}
		}
		for _, n := range lacking {
			if 20*n > len(rows) {
				return true
			}
		}
	}
	return false
}

// exhausts reports whether the remaining credits are less than all unread links and some
// further pages may cost, if each costs extra beside its page. Further pages of their
// listing would then be paid for in vain.
func (r *Run) exhausts(links []*linkrank.Link, further int, extra Credits) bool {
	if r.job.limits.Credits == Unlimited {
		return false
	}
	unread := Credits(further)
	for _, link := range links {
		if !link.Read {
			unread++
		}
	}
	return unread*(r.payer.rates.Page+extra) > r.budget.Ceiling-r.budget.Total()
}

// series reads a listing and its further pages while they contain something new. It
// calls full for each of them in their order, and ends if full returns true.
func (l *loop) series(ctx context.Context, start *linkrank.Link, follow bool, tables []*outline.Table, rec *journal.ActedRecord, full func(p *grounding.Page) bool) {
	r := l.r
	line := r.newLine()
	pages := 0
	visited, digests := map[string]bool{}, map[string]bool{}
	folded, barren := 0, 0
	settle := func(until int) { // adds the pages that were read so far to the frontier, in order
		for ; folded < until; folded++ {
			o := line.out[folded]
			o.wait()
			l.fold([]*outcome{o}, rec)
			if o.page != nil && o.page.Rec.Trouble != "" {
				continue // nothing is known of its rows
			}
			if barren++; l.novelty.fresher(o.page) || tables == nil && l.leads(o.page) {
				barren = 0
			}
		}
	}
	before, gaps := "", paging.Gaps{}
	for url := start.URL; url != "" && pages < maxSeries; {
		visited[url] = true
		if !line.send(ctx, target{url: url, tables: tables}) {
			break
		}
		o := line.out[len(line.out)-1]
		<-o.brought
		p := o.page
		if follow && url != start.URL && p != nil && gaps.Passes(p.Rec.Trouble) {
			before, url = url, l.unvisited(gaps.Over(before, url), visited)
			continue
		}
		if p == nil || p.Rec.Trouble != "" || digests[p.Rec.Digest] {
			break
		}
		digests[p.Rec.Digest] = true
		gaps.Read(p.Rec.Links)
		before = url
		pages++
		if follow {
			l.policy.walked[p.N] = true
		}
		if tables == nil || p.Rec.Next == "" {
			settle(len(line.out)) // leads needs their links, and seekNext the rows of all pages
		} else {
			settle(len(line.out) - 4)
		}
		if full(p) || !follow || barren >= 2 {
			break
		}
		url = l.unvisited(l.following(ctx, p), visited)
	}
	line.wait(ctx)
	settle(len(line.out))
}

// maxLooked is the number of pages of a run that are fetched only to see whether a list goes on there.
const maxLooked = 8

// onward is what a run has learned about links to next pages that no word or number names.
type onward struct {
	texts   map[string]string // the text of such links by host
	sought  map[int]bool      // pages for which they were looked for
	fetched int               // pages to see whether a list goes on there
}

// following returns the URL of the page after one of a listing.
func (l *loop) following(ctx context.Context, p *grounding.Page) string {
	if p.Rec.Next == "" {
		l.seekNext(ctx, p)
	}
	return p.Rec.Next
}

// seekNext looks for the page after p in a listing where no word or number says which link leads
// there. Links behind the list are followed to see whether the list goes on at their pages. What
// only may be such a page is kept in p, and the answer is then not complete.
func (l *loop) seekNext(ctx context.Context, p *grounding.Page) {
	host := value.Host(p.Rec.Final)
	if p.Rec.Next = paging.Behind(p.Rec.Final, l.onward.texts[host], p.Rec.Links); p.Rec.Next != "" || l.onward.sought[p.N] {
		return
	}
	l.onward.sought[p.N] = true
	line := l.r.newLine()
	best := paging.Unlike
	for _, c := range l.policy.candidates(l.policy.wanting(l.r.tables.tally()), p) {
		if l.onward.fetched++; l.onward.fetched > maxLooked {
			p.Onward = cmp.Or(p.Onward, c.URL)
			break
		}
		if !line.send(ctx, target{url: c.URL, aside: true}) {
			break
		}
		o := line.out[len(line.out)-1]
		o.wait()
		if o.page == nil || o.page.Rec.Trouble != "" {
			continue
		}
		sure := paging.Compare(p, o.page, c)
		if sure == paging.Possible && len(l.r.tables.short(l.r.tables.tally())) > 0 {
			sure = paging.Probable // a page says that there is more
		}
		if sure > best {
			best, p.Onward = sure, c.URL
		}
		if best == paging.Certain {
			l.onward.texts[host] = c.Text
			break
		}
	}
	if line.wait(ctx); best >= paging.Probable {
		p.Rec.Next, p.Onward = p.Onward, ""
	}
}

// candidates returns the links of a page with a list that may lead to its next page, although nothing
// but their place says so.
func (p *policy) candidates(w want, page *grounding.Page) []paging.Candidate {
	last, listed := p.listed(page)
	if listed < leastListed {
		return nil
	}
	return paging.Candidates(page, last, func(c paging.Candidate) bool {
		link := p.f.ByURL[c.URL]
		return link != nil && !link.Read && !link.Seed && !link.IsNotice() && !w.keys[value.Canon(c.Text)] && p.scope.Allows(c.URL) && p.library.at(c.URL) == nil
	})
}

// leastListed is the number of rows or links to things with which a page has a list.
const leastListed = 3

// listed returns the last line of the list of a page, and how many things it lists: its rows or the
// links to things. The page of one thing, which may link others, has no list.
func (p *policy) listed(page *grounding.Page) (last, things int) {
	all, shape := page.All(), page.Lists(linkrank.LeastGroup)
	if page.Rows == 1 || shape != "" && value.ShapeBy(page.Rec.URL, page.Rec.Slugs) == shape && page.Rows < leastListed {
		return 0, 0
	}
	at := map[string]int{} // the last line with a text
	for i, line := range all.Lines {
		at[line] = i + 1
		for _, n := range lines.Handles(line) {
			if n <= len(page.Rec.Links) && shape != "" && value.ShapeBy(page.Rec.Links[n-1].URL, page.Rec.Slugs) == shape {
				last, things = i+1, things+1
			}
		}
	}
	rows := 0
	for _, t := range p.tables.outline.Readable() {
		for _, row := range rowsOn(p.tables, page, t) {
			rows++
			for _, c := range row {
				line := c.Lines[1]
				if c.Source != page.Rec.ID || line == 0 {
					continue
				}
				if main := page.Main.Lines; !c.Full && page.Full != nil && line <= len(main) {
					line = at[main[line-1]]
				}
				last = max(last, min(line, len(all.Lines)))
			}
		}
	}
	return last, max(rows, things)
}

// unvisited returns a URL, or "" if it was visited or is out of scope.
func (l *loop) unvisited(url string, visited map[string]bool) string {
	if visited[url] || !l.r.gate.scope.Allows(url) {
		return ""
	}
	return url
}

// leads reports whether a page has a link that no earlier page had, and that leads to
// something other than pages of the same listing.
func (l *loop) leads(p *grounding.Page) bool {
	if p == nil {
		return false
	}
	base, _ := paging.Number(p.Rec.Final)
	first, _ := paging.Offset(p.Rec.Final)
	return slices.ContainsFunc(p.Rec.Links, func(rec journal.LinkRecord) bool {
		link := l.f.ByURL[rec.URL]
		if link == nil || link.Page != p.N || rec.URL == p.Rec.Next {
			return false
		}
		other, _ := paging.Number(rec.URL)
		another, _ := paging.Offset(rec.URL)
		return other != base && another != first
	})
}

// Limits of hits.
const (
	maxTitle   = 200
	maxSnippet = 300
	maxEcho    = 24 // characters of a query that the URL of a hit may contain
	maxSites   = 5
)

// finder finds pages without reading them, by searches and by maps of sites.
type finder struct {
	*control
	payer  *payer
	gate   *gate
	search Searcher  // nil if there is none
	mapper Mapper    // nil if there is none
	narrow sync.Once // the issue about hosts that are not searched
}

// can returns the names of the possible actions.
func (r *finder) can() string {
	var all []string
	if r.searches() {
		all = append(all, journal.DoSearch)
	}
	if r.maps() {
		all = append(all, journal.DoMap)
	}
	return strings.Join(append(all, journal.DoRead, journal.DoCollect, journal.DoFind, journal.DoFinish), " ")
}

// searches reports whether the task may use a search provider, and there is one.
func (r *finder) searches() bool { return r.search != nil && r.gate.scope.Strict == nil }

// maps reports whether the task may use a mapper, and there is one.
func (r *finder) maps() bool { return r.mapper != nil && r.gate.scope.Strict == nil }

// searchFor asks the search provider. The hits are in its order.
func (r *finder) searchFor(ctx context.Context, a journal.Action) ([]journal.LinkRecord, error) {
	n := a.N
	if n == 0 {
		n = 10
	}
	q := Query{Text: a.Q, N: n}
	hosts := r.gate.scope.Hosts
	q.Sites = append(q.Sites, hosts[:min(len(hosts), maxSites)]...)
	if len(hosts) > maxSites {
		r.narrow.Do(func() {
			r.note(ctx, finding.Issue{Kind: finding.IssueSearch, Detail: "searches cover " + strconv.Itoa(maxSites) + " of the " + strconv.Itoa(len(hosts)) + " hosts of the task"})
		})
	}
	id := value.CallID("search", q.Text, strconv.Itoa(q.N), strings.Join(q.Sites, " "))
	price := r.payer.rates.Search * Credits((n+9)/10)
	var h *budget.Hold
	if !r.payer.known(id) {
		var err error
		if h, err = r.budget.Use(ctx, nil, price, false); err != nil {
			return nil, err
		}
	}
	answer, err := r.payer.pay(ctx, id, h, func(ctx context.Context) (journal.AnswerRecord, Credits, error) {
		hits, err := guarded(r.control, "Search", func() ([]Hit, error) { return r.search.Search(ctx, q) })
		if ctx.Err() != nil && err != nil {
			return journal.AnswerRecord{}, 0, context.Cause(ctx)
		}
		if err != nil && !errors.Is(err, ErrPartial) {
			return journal.AnswerRecord{Fault: faultFailed, Detail: r.failed("search", err)}, 0, nil
		}
		missing := ""
		if err != nil {
			missing = value.Clip(err.Error(), 300)
		}
		var found []journal.HitRecord
		for _, hit := range hits[:min(len(hits), protocol.MaxHits)] {
			found = append(found, journal.HitRecord(hit))
		}
		return journal.AnswerRecord{Hits: found, Detail: missing}, price, nil
	})
	if err != nil {
		return nil, err
	}
	if answer.Fault != "" {
		r.note(ctx, finding.Issue{Kind: finding.IssueSearch, Detail: "a search failed" + answer.Detail})
		return nil, errModel
	}
	if answer.Detail != "" {
		r.note(ctx, finding.Issue{Kind: finding.IssueSearch, Detail: answer.Detail})
	}
	var out []journal.LinkRecord
	for _, hit := range answer.Hits {
		c := value.Canonical(hit.URL)
		if c == "" || echoes(c, q.Text) || slices.ContainsFunc(out, func(l journal.LinkRecord) bool { return l.URL == c }) {
			continue
		}
		out = append(out, journal.LinkRecord{URL: c, Text: value.ClipRunes(hit.Title, maxTitle) + " " + value.ClipRunes(hit.Snippet, maxSnippet)})
	}
	return out, nil
}

// echoes reports whether a URL contains 24 characters of a query. If a provider puts
// queries into URLs, the sites would learn what was asked.
func echoes(url, query string) bool {
	u, err := weburl.Parse(url)
	if err != nil {
		return true
	}
	squeeze := func(s string) []rune { return []rune(value.BareName(s)) }
	q := squeeze(query)
	text := string(squeeze(weburl.Unescape(u.String())))
	for i := 0; i+maxEcho <= len(q); i++ {
		if strings.Contains(text, string(q[i:i+maxEcho])) {
			return true
		}
	}
	return false
}

// mapOf lists the URLs of a site.
func (r *finder) mapOf(ctx context.Context, url string, a journal.Action) ([]journal.LinkRecord, error) {
	n := a.N
	if n == 0 {
		n = protocol.MaxMapped
	}
	id := value.CallID("map", url, a.Q, strconv.Itoa(n))
	var h *budget.Hold
	if !r.payer.known(id) {
		var err error
		if h, err = r.budget.Use(ctx, nil, r.payer.rates.Map, false); err != nil {
			return nil, err
		}
	}
	answer, err := r.payer.pay(ctx, id, h, func(ctx context.Context) (journal.AnswerRecord, Credits, error) {
		asked := &Request{URL: url, Gate: func(ctx context.Context, u string) error { return r.gate.allow(ctx, u, nil) }}
		links, err := guarded(r.control, "Map", func() ([]Link, error) { return r.mapper.Map(ctx, asked, a.Q, n) })
		if ctx.Err() != nil && err != nil {
			return journal.AnswerRecord{}, 0, context.Cause(ctx)
		}
		if err != nil {
			return journal.AnswerRecord{Fault: faultFailed, Detail: r.failed("map", err)}, 0, nil
		}
		var out []journal.LinkRecord
		for _, link := range links[:min(len(links), n)] {
			if c := value.Canonical(link.URL); c != "" {
				out = append(out, journal.LinkRecord{URL: c, Text: value.ClipRunes(link.Text, lines.MaxAnchor)})
			}
		}
		return journal.AnswerRecord{Links: out}, r.payer.rates.Map, nil
	})
	if err != nil {
		return nil, err
	}
	if answer.Fault != "" {
		r.note(ctx, finding.Issue{Kind: finding.IssueSearch, Detail: "a map of the site failed" + answer.Detail, URL: url})
		return nil, errModel
	}
	return answer.Links, nil
}
