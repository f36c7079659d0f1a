// SPDX-License-Identifier: Apache-2.0

// Package linkrank says which links a run may follow, and which to read next.
package linkrank

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Bounds of what a decision sees.
const (
	maxFrontier = 20_000 // links known
	MaxShown    = 40     // links
	MaxGroups   = 20     // groups
	LeastGroup  = 3      // links of a group
	maxSlugs    = 200    // shapes that pages teach
)

// Frontier is the links that a run may follow. Handles are numbered in the
// order of (batch, action, position on the page), and never reused. One
// goroutine, that of the run, changes it.
type Frontier struct {
	Links  []*Link
	Groups []*Group
	ByURL  map[string]*Link

	slugs  []string        // shapes that pages taught
	wanted map[string]bool // tokens of prompt and schema
	good   map[string]int  // pages of a shape that gave rows
	barren map[string]int  // pages of a shape that gave none
}

// Link is a handle L n.
type Link struct {
	n     int
	URL   string // canonical
	Text  string // by which code ranks and chooses
	Told  string // the text that a planner may see
	Shape string
	Open  bool // not only rendered pages have it, so that a planner may see its shape
	Page  int  // number of the page it was found on; zero: given, searched or mapped
	Depth int
	Seed  bool
	Read  bool
	Rows  int // that its page gave

	Tokens []string
}

// Handle returns what a model calls the link.
func (l *Link) Handle() string { return "L" + strconv.Itoa(l.n) }

// Group is a handle G n: links of one shape on one page, or of one map.
type Group struct {
	n     int
	Page  int
	Shape string
	Links []*Link
}

// Handle returns what a model calls the group.
func (g *Group) Handle() string { return "G" + strconv.Itoa(g.n) }

// New returns a frontier without links.
func New() *Frontier {
	return &Frontier{ByURL: map[string]*Link{}, wanted: map[string]bool{}, good: map[string]int{}, barren: map[string]int{}}
}

// Want adds the tokens of a text to what links are ranked by.
func (f *Frontier) Want(text string) {
	for _, w := range value.Words(value.Normal(text)) {
		if len(w) > 2 || value.Unspaced([]rune(w)[0]) {
			f.wanted[w] = true
		}
	}
}

// Add returns the link to a canonical URL, and makes it if there is none. It
// returns nil if there are too many. Neither the link nor its text is shown to a
// planner as long as only rendered pages have it.
func (f *Frontier) Add(url, text string, page, depth int, rendered bool) (l *Link, fresh bool) {
	l = f.ByURL[url]
	if l == nil {
		if len(f.Links) == maxFrontier {
			return nil, false
		}
		l, fresh = &Link{n: len(f.Links) + 1, URL: url, Shape: value.ShapeBy(url, f.slugs), Page: page, Depth: depth}, true
		f.Links = append(f.Links, l)
		f.ByURL[url] = l
	}
	l.Open = l.Open || !rendered
	l.Name(text, rendered)
	return l, fresh
}

// Name gives a link a text if it has none.
func (l *Link) Name(text string, rendered bool) {
	if l.Text == "" {
		l.Text, l.Tokens = text, nil
	}
	if l.Told == "" && !rendered {
		l.Told = text
	}
}

// Learn takes over the shapes that a page taught, for the links
// that are known and for those to come.
func (f *Frontier) Learn(slugs []string) {
	n := len(f.slugs)
	for _, s := range slugs {
		if !slices.Contains(f.slugs, s) && len(f.slugs) < maxSlugs {
			f.slugs = append(f.slugs, s)
		}
	}
	if len(f.slugs) == n {
		return
	}
	clear(f.good)
	clear(f.barren)
	for _, l := range f.Links {
		l.Shape = value.ShapeBy(l.URL, f.slugs)
		if l.Read {
			f.count(l)
		}
	}
	for _, g := range f.Groups {
		g.Shape = g.Links[0].Shape
	}
}

// count notes that the page of a link was read.
func (f *Frontier) count(l *Link) {
	if l.Rows > 0 {
		f.good[l.Shape]++
	} else {
		f.barren[l.Shape]++
	}
}

// Good returns how many pages of a shape gave rows, and how many did not.
func (f *Frontier) Good(shape string) (good, barren int) { return f.good[shape], f.barren[shape] }

// Gather adds the links of one page, and groups those of one shape. It returns
// how many handles are new.
func (f *Frontier) Gather(page, depth int, links []journal.LinkRecord, rendered bool, allowed func(url string) bool) int {
	fresh := 0
	shapes := map[string][]*Link{}
	var order []string
	for _, rec := range links {
		if !allowed(rec.URL) {
			continue
		}
		l, isNew := f.Add(rec.URL, rec.Text, page, depth, rendered)
		if l == nil {
			break
		}
		if isNew {
			fresh++
		}
		if shapes[l.Shape] == nil {
			order = append(order, l.Shape)
		}
		shapes[l.Shape] = append(shapes[l.Shape], l)
	}
	for _, s := range order {
		if len(shapes[s]) >= LeastGroup && fresh > 0 {
			f.Groups = append(f.Groups, &Group{n: len(f.Groups) + 1, Page: page, Shape: s, Links: shapes[s]})
			fresh++
		}
	}
	return fresh
}

// Link returns the link of a handle, or nil if there is none.
func (f *Frontier) Link(handle string) *Link {
	n, ok := value.HandleNumber(handle, 'L')
	if !ok || n > len(f.Links) {
		return nil
	}
	return f.Links[n-1]
}

// Group returns the group of a handle, or nil if there is none.
func (f *Frontier) Group(handle string) *Group {
	n, ok := value.HandleNumber(handle, 'G')
	if !ok || n > len(f.Groups) {
		return nil
	}
	return f.Groups[n-1]
}

// Scored is a link and its rank.
type Scored struct {
	Link  *Link
	Score float64
}

// Floor is the least score of a link that is worth another look.
const Floor = 0.5

// Rank returns the links not yet read, best first.
func (f *Frontier) Rank() []Scored {
	var open []*Link
	frequency := map[string]int{}
	for _, l := range f.Links {
		if l.Read {
			continue
		}
		if l.Tokens == nil {
			l.Tokens = value.Words(value.Normal(l.Text + " " + pathWords(l.URL)))
		}
		open = append(open, l)
		for _, w := range l.Tokens {
			if f.wanted[w] {
				frequency[w]++
			}
		}
	}
	out := make([]Scored, 0, len(open))
	for _, l := range open {
		score := 0.0
		seen := map[string]bool{}
		for _, w := range l.Tokens {
			if f.wanted[w] && !seen[w] {
				seen[w] = true
				df := float64(frequency[w])
				score += math.Log(1+(float64(len(open))-df+0.5)/(df+0.5)) / (1 + 0.1*float64(len(l.Tokens)))
			}
		}
		if f.good[l.Shape] > 0 {
			score += 2
		}
		if l.Seed {
			score += 3
		}
		if f.barren[l.Shape] >= 2 && f.good[l.Shape] == 0 {
			score -= 3
		}
		out = append(out, Scored{l, score - 0.3*float64(l.Depth)})
	}
	slices.SortStableFunc(out, func(a, b Scored) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Link.n, b.Link.n))
	})
	return out
}

// Likeness says how many different words of the question the first links of a group
// have in their texts and paths.
func (f *Frontier) Likeness(g *Group) float64 {
	seen := map[string]bool{}
	for _, l := range g.Links[:min(len(g.Links), 5)] {
		for _, w := range value.Words(value.Normal(l.Text + " " + pathWords(l.URL))) {
			if f.wanted[w] {
				seen[w] = true
			}
		}
	}
	return float64(len(seen))
}

// pathMarks separate words in a path.
var pathMarks = strings.NewReplacer("/", " ", "-", " ", "_", " ", "?", " ", "&", " ", "=", " ")

// pathWords returns the path of a URL as text.
func pathWords(url string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "/")
	return pathMarks.Replace(path)
}

// Result notes whether a page of a link's shape gave rows.
func (f *Frontier) Result(url string, rows int) {
	l := f.ByURL[url]
	if l == nil {
		return
	}
	l.Read, l.Rows = true, rows
	f.count(l)
}

// Similar returns the links of a page that have a shape, in their order.
func (f *Frontier) Similar(links []journal.LinkRecord, shape string) []*Link {
	var out []*Link
	for _, rec := range links {
		if l := f.ByURL[rec.URL]; l != nil && l.Shape == shape {
			out = append(out, l)
		}
	}
	return out
}

// Largest returns the shape of the largest group on a page, by its number.
func (f *Frontier) Largest(page int) string {
	best, most := "", 0
	for _, g := range f.Groups {
		if g.Page == page && len(g.Links) > most {
			best, most = g.Shape, len(g.Links)
		}
	}
	return best
}
