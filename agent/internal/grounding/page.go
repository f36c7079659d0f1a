// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Page is a page that a run has read or tried to read.
type Page struct {
	Rec *journal.PageRecord
	N   int // number in its ID
	At  time.Time

	Kind  string         // according to the model: list, detail, none, blocked
	Rows  int            // in all tables
	Total map[string]int // rows that the page claims to have, by table, if a line states it

	Facts      string // identifies the structured data
	Main, Full *Ground
	Read       map[string]bool // tables for which it was read
	Until      map[string]int  // the last line that was read, for tables for which only the first rows were read
	Glance     bool            // its first rows may suffice
	Aside      bool            // it was only looked at, unless it was read for a table
	Onward     string          // a page at which its list may go on, although nothing but its place says so

	Texts  atomic.Pointer[[]journal.Text] // texts that wrappers read; nil when they are no longer needed
	Taught atomic.Bool                    // a wrapper has learned from its texts after the first pages, and still needs them

	counting sync.Once // of the next two
	shape    string    // that most links have
	alike    int       // links that have it

	naming sync.Once // of names
	names  []string  // its title and its first heading, in canonical form
}

// Short returns the texts that wrappers read.
func (p *Page) Short() []journal.Text {
	if t := p.Texts.Load(); t != nil {
		return *t
	}
	return nil
}

// NewPage returns the page of a record, with its number and the time at which it was
// read.
func NewPage(rec *journal.PageRecord, n int, at time.Time) *Page {
	links := make([]string, len(rec.Links))
	for i, l := range rec.Links {
		links[i] = l.URL
	}
	own := *rec // the record in the journal keeps its texts
	own.Texts = nil
	p := &Page{Rec: &own, N: n, At: at, Facts: value.CallID("facts", value.JSONText(rec.Facts)), Main: New(rec.Main, links, rec.Lang)}
	if rec.Texts != nil {
		p.Texts.Store(&rec.Texts)
	}
	if rec.Full != nil {
		p.Full = New(rec.Full, links, rec.Lang)
	}
	return p
}

// All returns the Ground of the whole page.
func (p *Page) All() *Ground {
	if p.Full != nil {
		return p.Full
	}
	return p.Main
}

// MaxPageRows is the maximum number of rows of one page.
const MaxPageRows = 500

// LostCell is a value that was not accepted.
type LostCell struct {
	Row   finding.Row
	Field string
	Value string
	Issue finding.IssueKind
	Raw   any // as the model gave it

	Stated bool // its text is on the page but is no value of this type, so asking again does not help
	Items  int  // number of items of the cell that were left out, while the others were kept; zero for a whole cell
}

// IsIndex reports whether a page has at least n links to detail pages of a table, which
// all have one shape.
func (p *Page) IsIndex(t *outline.Table, n int) bool {
	return !t.Record() && !t.Bare && p.Lists(n) != ""
}

// Lists returns the shape that most links of a page have. If fewer than n links have it,
// it returns "".
func (p *Page) Lists(n int) string {
	p.counting.Do(func() {
		shapes := map[string]int{}
		for _, l := range p.Rec.Links {
			s := value.ShapeBy(l.URL, p.Rec.Slugs)
			if shapes[s]++; shapes[s] > p.alike {
				p.shape, p.alike = s, shapes[s]
			}
		}
	})
	if p.alike < n {
		return ""
	}
	return p.shape
}

// Own sets the URL field of the only thing on a page to the URL of the page.
func (p *Page) Own(t *outline.Table, row finding.Row) {
	for _, f := range t.Fields {
		if name := value.BareName(f.Name); (name == "url" || name == "link" || name == "permalink" || name == "pageurl") && outline.KindOf(f.Node) == "url" {
			if _, ok := row[f.Name]; !ok {
				row[f.Name] = finding.Cell{Value: cmp.Or(value.Canonical(p.Rec.Final), p.Rec.URL), Grade: finding.GradeExact, Source: p.Rec.ID}
			}
		}
	}
}
