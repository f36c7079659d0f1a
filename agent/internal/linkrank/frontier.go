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
	"example.com/curlew/internal/sorting"
)

// Limits of what a decision sees.
const (
	maxFrontier = 20_000 // known links
	MaxShown    = 40     // links
	MaxGroups   = 20     // groups
	LeastGroup  = 3      // links of a group
	maxSlugs    = 200    // shapes that pages have taught
)

// Frontier contains the links that a run may follow. Handles are numbered in the order
// of batch, action and position on the page, and are never reused. Only the goroutine
// of the run changes it.
type Frontier struct {
	Links  []*Link
	Groups []*Group
	ByURL  map[string]*Link

	slugs  []string        // shapes that pages have taught
	wanted map[string]bool // tokens of the prompt and the schema
	good   map[string]int  // number of pages with rows, by shape
	barren map[string]int  // number of pages without rows, by shape
}

// Link is a link with the handle L and its number.
type Link struct {
	n     int
	URL   string // canonical
	Text  string // text by which code ranks and chooses links
	Told  string // text that a planner may see
	Shape string
	Open  bool // a page that was not rendered has it too, so a planner may see its shape
	Page  int  // number of the page on which it was found; zero if it was given, searched or mapped
	Depth int
	Seed  bool
	Read  bool
	Rows  int // number of rows on its page

	Tokens []string
}

// Handle returns the name of the link for a model.
func (l *Link) Handle() string { return "L" + strconv.Itoa(l.n) }

// notices are the texts of links, and last parts of paths, that lead to what a site says
// about itself for legal reasons, or to its forms.
var notices = map[string]bool{
	"imprint": true, "impressum": true, "mentions legales": true, "mentions légales": true, "aviso legal": true, "note legali": true, "colofon": true, "legal": true, "legal notice": true,
	"privacy": true, "privacy policy": true, "datenschutz": true, "datenschutzerklärung": true, "confidentialite": true, "confidentialité": true, "politique de confidentialité": true, "privacidad": true,
	"política de privacidad": true, "politica de privacidad": true, "terms": true, "terms of use": true, "terms of service": true, "terms and conditions": true, "agb": true, "nutzungsbedingungen": true, "cgu": true, "cgv": true,
	"cookies": true, "cookie policy": true, "cookie settings": true, "login": true, "log in": true, "sign in": true, "sign up": true, "signin": true, "signup": true, "register": true, "anmelden": true,
	"registrieren": true, "connexion": true, "cart": true, "basket": true, "warenkorb": true, "panier": true, "accessibility": true, "barrierefreiheit": true,
}

// IsNotice reports whether a link leads to a notice about the site or to a form, such as
// the imprint, by its text or the last part of its path.
func (l *Link) IsNotice() bool {
	path := strings.TrimRight(l.URL, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	last, _, _ = strings.Cut(last, "?")
	last, _, _ = strings.Cut(last, ".")
	return notices[value.Canon(l.Text)] || notices[value.Canon(pathMarks.Replace(last))]
}

// Group is a group of links with the handle G and its number. They have one shape, and
// are on one page or in one map.
type Group struct {
	n     int
	Page  int
	Shape string
	Links []*Link
}

// Handle returns the name of the group for a model.
func (g *Group) Handle() string { return "G" + strconv.Itoa(g.n) }

// New returns a frontier without links.
func New() *Frontier {
	return &Frontier{ByURL: map[string]*Link{}, wanted: map[string]bool{}, good: map[string]int{}, barren: map[string]int{}}
}

// Want adds the tokens of a text to those by which links are ranked.
func (f *Frontier) Want(text string) {
	for _, w := range value.Words(value.Normal(text)) {
		if len(w) > 2 || value.Unspaced([]rune(w)[0]) {
			f.wanted[w] = true
		}
	}
}

// Add returns the link to a canonical URL, which it creates if there is none. If there
// are too many links, it returns nil. As long as only rendered pages have a link, a
// planner sees neither the link nor its text.
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

// Name sets the text of a link that has none.
func (l *Link) Name(text string, rendered bool) {
	if l.Text == "" {
		l.Text, l.Tokens = text, nil
	}
	if l.Told == "" && !rendered {
		l.Told = text
	}
}

// Learn adds the shapes that a page has taught. They apply to known links and to later
// ones.
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

// count records that the page of a link was read.
func (f *Frontier) count(l *Link) {
	if l.Rows > 0 {
		f.good[l.Shape]++
	} else {
		f.barren[l.Shape]++
	}
}

// Good returns how many pages of a shape had rows, and how many had none.
func (f *Frontier) Good(shape string) (good, barren int) { return f.good[shape], f.barren[shape] }

// Gather adds the links of a page and makes groups of those with the same shape. It
// returns the number of new handles.
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

// Link returns the link with a handle, or nil if there is none.
func (f *Frontier) Link(handle string) *Link {
	n, ok := value.HandleNumber(handle, 'L')
	if !ok || n > len(f.Links) {
		return nil
	}
	return f.Links[n-1]
}

// Names says for people what the first handles of each action stand for: the URL of a link,
// and the number of a group's links with the first of their URLs.
func (f *Frontier) Names(actions []journal.Action) map[string]string {
	const most = 200 // characters of a URL
	var names map[string]string
	for _, a := range actions {
		for _, h := range a.H[:min(len(a.H), journal.MaxNamed)] {
			link, g := f.Link(h), f.Group(h)
			if names == nil && (link != nil || g != nil) {
				names = map[string]string{}
			}
			switch {
			case link != nil:
				names[h] = value.ClipRunes(link.URL, most)
			case g != nil:
				names[h] = strconv.Itoa(len(g.Links)) + " links such as " + value.ClipRunes(g.Links[0].URL, most)
			}
		}
	}
	return names
}

// Group returns the group with a handle, or nil if there is none.
func (f *Frontier) Group(handle string) *Group {
	n, ok := value.HandleNumber(handle, 'G')
	if !ok || n > len(f.Groups) {
		return nil
	}
	return f.Groups[n-1]
}

// Scored is a link with its rank.
type Scored struct {
	Link  *Link
	Score float64
}

// Floor is the lowest score of a link that is worth reading.
const Floor = 0.5

// Rank returns the links that were not read yet, the best first.
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
	sorting.Stable(out, func(a, b Scored) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Link.n, b.Link.n))
	})
	return out
}

// Likeness returns how many different words of the question are in the texts and paths
// of the first links of a group.
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

// pathMarks separates the words of a path.
var pathMarks = strings.NewReplacer("/", " ", "-", " ", "_", " ", "?", " ", "&", " ", "=", " ")

// pathWords returns the path of a URL as text.
func pathWords(url string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "/")
	return pathMarks.Replace(path)
}

// Result records how many rows the page of a link had.
func (f *Frontier) Result(url string, rows int) {
	l := f.ByURL[url]
	if l == nil {
		return
	}
	l.Read, l.Rows = true, rows
	f.count(l)
}

// Similar returns the links of a page that have a shape, in the order of the page.
func (f *Frontier) Similar(links []journal.LinkRecord, shape string) []*Link {
	var out []*Link
	for _, rec := range links {
		if l := f.ByURL[rec.URL]; l != nil && l.Shape == shape {
			out = append(out, l)
		}
	}
	return out
}

// Largest returns the shape of the largest group of a page.
func (f *Frontier) Largest(page int) string {
	best, most := "", 0
	for _, g := range f.Groups {
		if g.Page == page && len(g.Links) > most {
			best, most = g.Shape, len(g.Links)
		}
	}
	return best
}
