// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// library contains the pages of a run. Each canonical URL is fetched once, and the
// number of a page never changes.
type library struct {
	*control
	payer   *payer
	gate    *gate
	fetcher Fetcher
	most    int // maximum number of pages

	mu    sync.Mutex        // guards the fields below, and the fields of pages that change
	pages []*grounding.Page // page n has the index n-1; nil while it is on its way
	byURL map[string]int    // numbers of pages by canonical URL
	readings
}

// readings contains for which tables pages were read. A page is read for a table once,
// unless it was left open. Then it is read from the line where reading stopped.
type readings struct {
	mu    *sync.Mutex    // the one of the library, because it also guards fields of pages
	texts map[string]int // number of the first page with a text, by table

	unread map[unreadPage]bool // pages of which the model could not read a part
}

// unreadPage is a page that was to be read for a table.
type unreadPage struct {
	page  *grounding.Page
	table *outline.Table
}

func newLibrary(g *gate, f Fetcher, most int) *library {
	b := &library{control: g.payer.control, payer: g.payer, gate: g, fetcher: f, most: most, byURL: map[string]int{}}
	b.readings = readings{mu: &b.mu, texts: map[string]int{}, unread: map[unreadPage]bool{}}
	return b
}

// all returns the pages. Page n has the index n-1. Pages that are still on their way
// are nil.
func (b *library) all() []*grounding.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pages)
}

// read returns the pages that could be read.
func (b *library) read() []*grounding.Page {
	return slices.DeleteFunc(b.all(), func(p *grounding.Page) bool { return p == nil || p.Rec.Trouble != "" })
}

// latest calls do with each of the last n pages in their order. Nothing changes in the
// pages until it returns.
func (b *library) latest(n int, do func(p *grounding.Page)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pages[max(0, len(b.pages)-n):] {
		if p != nil {
			do(p)
		}
	}
}

// hosts returns the host of each page by its ID.
func (b *library) hosts() map[string]string {
	hosts := map[string]string{}
	for _, p := range b.all() {
		if p != nil {
			hosts[p.Rec.ID] = value.Host(cmp.Or(p.Rec.Final, p.Rec.URL))
		}
	}
	return hosts
}

// said records what kind of page the model says it is, and how many rows of a table the
// page claims to have.
func (b *library) said(p *grounding.Page, t *outline.Table, kind string, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.Kind = cmp.Or(kind, p.Kind)
	if total > p.Total[t.ID] {
		if p.Total == nil {
			p.Total = map[string]int{}
		}
		p.Total[t.ID] = total
	}
}

// gave records that a page had rows.
func (b *library) gave(p *grounding.Page, rows int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.Rows += rows
}

// number returns the number of a URL's page, which it assigns if necessary. held is the
// page if the run already has it. If no more pages are allowed, n is zero.
func (b *library) number(url string) (n int, held *grounding.Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.byURL[url]; n > 0 {
		return n, b.pages[n-1]
	}
	if b.most != Unlimited && len(b.pages) >= b.most {
		return 0, nil
	}
	b.pages = append(b.pages, nil)
	b.byURL[url] = len(b.pages)
	return len(b.pages), nil
}

// forget takes back the last number, because no page has got it.
func (b *library) forget(url string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n == len(b.pages) {
		b.pages = b.pages[:n-1]
		delete(b.byURL, url)
	}
}

func (b *library) arrived(n int, p *grounding.Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p != nil {
		b.pages[n-1] = p
		if c := value.Canonical(p.Rec.Final); c != "" && b.byURL[c] == 0 {
			b.byURL[c] = n
		}
	}
}

// copied reports whether this page, or another one with the same text, was read for a
// table before, for example the page under a second URL. Such a page is not read again.
func (r *readings) copied(p *grounding.Page, t *outline.Table) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Read[t.ID] {
		return true
	}
	key := t.ID + "\x00" + p.Rec.Digest + "\x00" + p.Facts
	first := r.texts[key]
	if first == 0 {
		r.texts[key], first = p.N, p.N
	}
	if first == p.N {
		return false
	}
	if p.Read == nil {
		p.Read = map[string]bool{}
	}
	p.Read[t.ID] = true
	return true
}

// readBefore reports whether a page was read for a table, and records that it is read
// now.
func (r *readings) readBefore(p *grounding.Page, t *outline.Table) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Read == nil {
		p.Read = map[string]bool{}
	}
	was := p.Read[t.ID]
	p.Read[t.ID] = true
	return was
}

// leaveOpen records that a page was only read up to a line for a table. If it is read
// for that table again, reading continues after that line.
func (r *readings) leaveOpen(p *grounding.Page, t *outline.Table, line int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Until == nil {
		p.Until = map[string]int{}
	}
	p.Until[t.ID], p.Read[t.ID] = line, false
}

// readUntil returns the line up to which a page was read for a table. If it was not
// read, or was read as a whole, it returns zero.
func (r *readings) readUntil(p *grounding.Page, t *outline.Table) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return p.Until[t.ID]
}

// attempted records whether a part of a page could not be read for a table. The last attempt
// counts.
func (r *readings) attempted(p *grounding.Page, t *outline.Table, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unread[unreadPage{p, t}] = failed
}

// unreadFor returns the pages of which a part could not be read for a table.
func (r *readings) unreadFor(t *outline.Table) []*grounding.Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*grounding.Page
	for at, failed := range r.unread {
		if failed && at.table == t {
			all = append(all, at.page)
		}
	}
	return all
}

// claimed returns the highest number of rows that a page claims for a table, and that
// page. If no page makes a claim, it returns zero.
func (b *library) claimed(t *outline.Table) (total int, source string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pages {
		if p != nil && p.Total[t.ID] > total {
			total, source = p.Total[t.ID], p.Rec.ID
		}
	}
	return total, source
}

// severed returns an issue for each list that goes on at a page that could not be read, or that may
// go on at one that was not. Nobody knows how many rows are there. before may be nil; a run that continues it does not
// request such a page again.
func (b *library) severed(before *thread) []finding.Issue {
	lost := map[string]bool{}
	if before != nil {
		for _, rec := range before.pages {
			lost[rec.URL] = rec.Trouble != ""
		}
	}
	for _, p := range b.all() {
		if p != nil {
			lost[p.Rec.URL] = p.Rec.Trouble != ""
		}
	}
	var all []finding.Issue
	for _, p := range b.read() {
		if p.Onward != "" && !b.tried(p.Onward) {
			all = append(all, finding.Issue{
				Kind: finding.IssueTotal, Source: p.Rec.ID,
				Detail: "the list may go on at a page that was not read, because nothing but the place of its link says that it belongs to it: " + value.Clip(p.Onward, 300),
			})
		}
		if lost[p.Rec.Next] {
			all = append(all, finding.Issue{
				Kind: finding.IssueTotal, Source: p.Rec.ID,
				Detail: "the list goes on at a page that could not be read, so that rows may be missing: " + value.Clip(p.Rec.Next, 300),
			})
		}
	}
	return all
}

// around returns the lines that a cell cites, with two lines on either side and their numbers.
func (b *library) around(c finding.Cell) []string {
	out := []string{}
	lines := b.linesOf(finding.Citation{Source: c.Source, Lines: c.Lines, Full: c.Full})
	for i := max(c.Lines[0]-2, 1); len(lines) > 0 && i <= min(c.Lines[1]+2, len(lines)); i++ {
		out = append(out, strconv.Itoa(i)+"| "+value.Clip(lines[i-1], 300))
	}
	return out
}

// quoted returns those of the lines of a page that a citation names.
func quoted(lines []string, c finding.Citation) []string {
	first, last := c.Lines[0], min(c.Lines[1], len(lines), c.Lines[0]+grounding.MaxSpan)
	if first > last {
		return nil
	}
	return lines[first-1 : last]
}

// linesOf returns all lines of the page that a citation is about, or nil if it is about none.
func (b *library) linesOf(c finding.Citation) []string {
	n, ok := value.HandleNumber(c.Source, 'S')
	b.mu.Lock()
	defer b.mu.Unlock()
	if !ok || n > len(b.pages) || b.pages[n-1] == nil || c.Lines[0] == 0 {
		return nil
	}
	if full := b.pages[n-1].Full; c.Full && full != nil {
		return full.Lines
	}
	return b.pages[n-1].Main.Lines
}

// tried reports whether the run has tried to read the page of a canonical URL. A page that was only
// looked at was not.
func (b *library) tried(url string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.byURL[url]
	return n > 0 && (b.pages[n-1] == nil || !b.pages[n-1].Aside || b.pages[n-1].Rec.Trouble != "" || len(b.pages[n-1].Read) > 0)
}

// failed reports whether the run has tried to fetch a page, and could not read it.
func (b *library) failed(url string) bool {
	p := b.at(url)
	return p != nil && p.Rec.Trouble != ""
}

// about reports whether a page about a thing was read.
func (b *library) about(name string) bool {
	return slices.ContainsFunc(b.read(), func(p *grounding.Page) bool { return isSubject(p, name) })
}

// leftOut is what some rows lack because pages were not read that probably state it. Optional
// fields count too.
type leftOut struct {
	field    string   // that most rows lack
	rows     int      // number of these rows
	listings []string // URLs of the pages that list them; nil if their own pages were not read
}

// unfollowed returns a field that only pages about one thing state, if a list links to such
// pages of rows that lack it, and these were not read. Or else it returns a field that only
// listings state, if the listings of rows that lack it were only looked at for their links.
func unfollowed(l *library, t *outline.Table, rows []merge.Merged) (most leftOut) {
	if t.Record() || len(t.Keys) == 0 || !slices.ContainsFunc(rows, func(m merge.Merged) bool { return outline.Lacks(t.Fields, m.Row) }) {
		return most
	}
	linked, listed, indexed := notRead(l, t)
	if len(linked)+len(listed) == 0 {
		return most
	}
	for _, f := range t.Fields {
		unread := 0                      // rows that lack it and whose own page was not read
		behind, urls := 0, []string(nil) // rows that lack it and whose listing was not read, and these listings
		for _, m := range rows {
			if _, ok := m.Row[f.Name]; ok || m.State == filter.Unmet || f.Free {
				continue
			}
			key := m.Row[t.Keys[0]]
			text := value.Canon(value.ScalarText(key.Value))
			if linked[text] {
				unread++
			} else if url := cmp.Or(listed[key.Source], listed[text]); url != "" {
				if behind++; !slices.Contains(urls, url) {
					urls = append(urls, url)
				}
			}
		}
		if max(unread, behind) <= most.rows {
			continue
		}
		own, lists := statedBy(l, rows, f)
		switch {
		case own > 1 && lists == 0 && unread > most.rows:
			most = leftOut{f.Name, unread, nil}
		case own == 0 && (lists > 1 || lists == 0 && !indexed) && behind > most.rows:
			most = leftOut{f.Name, behind, urls}
		}
	}
	return most
}

// statedBy returns how many rows have a field from their own page, and how many from another one.
func statedBy(l *library, rows []merge.Merged, f *outline.Field) (own, lists int) {
	for _, m := range rows {
		if c, ok := m.Row[f.Name]; ok && m.State != filter.Unmet {
			if p := l.page(c.Source); p == nil || p.Rows != 1 {
				lists++
			} else {
				own++
			}
		}
	}
	return own, lists
}

// notRead returns the texts of the links to pages that were not read, on pages that list rows, and the
// URLs of the listings that were only looked at, by the texts of their links and the pages behind them.
// If another listing was read, indexed is true.
func notRead(l *library, t *outline.Table) (linked map[string]bool, listed map[string]string, indexed bool) {
	linked, listed = map[string]bool{}, map[string]string{}
	for _, p := range l.read() {
		aside := p.Lists(linkrank.LeastGroup) != "" && !l.readFor(p, t)
		if !aside && p.Rows <= 1 { // it lists nothing
			continue
		}
		indexed = indexed || !aside
		for _, link := range p.Rec.Links {
			if aside {
				if behind := l.at(link.URL); behind != nil && behind.Rows == 1 {
					listed[behind.Rec.ID] = p.Rec.URL
				} else if text := value.Canon(link.Text); text != "" {
					listed[text] = p.Rec.URL
				}
			} else if !l.tried(link.URL) {
				if text := value.Canon(link.Text); text != "" {
					linked[text] = true
				}
			}
		}
	}
	return linked, listed, indexed
}

// readFor reports whether a page was read as a whole for a table.
func (r *readings) readFor(p *grounding.Page, t *outline.Table) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return p.Read[t.ID]
}
