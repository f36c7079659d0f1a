// SPDX-License-Identifier: Apache-2.0

package agent

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
	maxFrontier = 20_000
	maxShown    = 40
	maxGroups   = 20
	leastGroup  = 3
)

// frontier is the links that a run may follow. Handles are numbered in the
// order of (batch, action, position on the page), and never reused. One
// goroutine, that of the run, changes it.
type frontier struct {
	links  []*link
	groups []*group
	byURL  map[string]*link

	wanted map[string]bool // tokens of prompt and schema
	good   map[string]int  // pages of a shape that gave rows
	barren map[string]int  // pages of a shape that gave none
}

// link is a handle L n.
type link struct {
	n     int
	url   string // canonical
	text  string
	shape string
	page  int // number of the page it was found on; zero: given, searched or mapped
	depth int
	seed  bool
	read  bool

	tokens []string
}

func (l *link) handle() string { return "L" + strconv.Itoa(l.n) }

// group is a handle G n: links of one shape on one page, or of one map.
type group struct {
	n     int
	page  int
	shape string
	links []*link
}

func (g *group) handle() string { return "G" + strconv.Itoa(g.n) }

func newFrontier() *frontier {
	return &frontier{byURL: map[string]*link{}, wanted: map[string]bool{}, good: map[string]int{}, barren: map[string]int{}}
}

// want adds the tokens of a text to what links are ranked by.
func (f *frontier) want(text string) {
	for _, w := range value.Words(value.Normal(text)) {
		if len(w) > 2 || value.Unspaced([]rune(w)[0]) {
			f.wanted[w] = true
		}
	}
}

// add returns the link to a canonical URL, made where there is none; nil where
// there are too many.
func (f *frontier) add(url, text string, page, depth int) (l *link, fresh bool) {
	if l := f.byURL[url]; l != nil {
		if l.text == "" {
			l.text, l.tokens = text, nil
		}
		return l, false
	}
	if len(f.links) == maxFrontier {
		return nil, false
	}
	l = &link{n: len(f.links) + 1, url: url, text: text, shape: value.Shape(url), page: page, depth: depth}
	f.links = append(f.links, l)
	f.byURL[url] = l
	return l, true
}

// gather adds the links of one page, and groups those of one shape. It returns
// how many handles are new.
func (f *frontier) gather(page, depth int, links []journal.LinkRecord, allowed func(url string) bool) int {
	fresh := 0
	shapes := map[string][]*link{}
	var order []string
	for _, rec := range links {
		if !allowed(rec.URL) {
			continue
		}
		l, isNew := f.add(rec.URL, rec.Text, page, depth)
		if l == nil {
			break
		}
		if isNew {
			fresh++
		}
		if shapes[l.shape] == nil {
			order = append(order, l.shape)
		}
		shapes[l.shape] = append(shapes[l.shape], l)
	}
	for _, s := range order {
		if len(shapes[s]) >= leastGroup && fresh > 0 {
			f.groups = append(f.groups, &group{n: len(f.groups) + 1, page: page, shape: s, links: shapes[s]})
			fresh++
		}
	}
	return fresh
}

// link returns the link of a handle; nil where there is none.
func (f *frontier) link(handle string) *link {
	n, ok := value.HandleNumber(handle, 'L')
	if !ok || n > len(f.links) {
		return nil
	}
	return f.links[n-1]
}

// group returns the group of a handle; nil where there is none.
func (f *frontier) group(handle string) *group {
	n, ok := value.HandleNumber(handle, 'G')
	if !ok || n > len(f.groups) {
		return nil
	}
	return f.groups[n-1]
}

// scored is a link and its rank.
type scored struct {
	link  *link
	score float64
}

// floor is the least score of a link that is worth another look.
const floor = 0.5

// rank returns the links not yet read, best first.
func (f *frontier) rank() []scored {
	var open []*link
	frequency := map[string]int{}
	for _, l := range f.links {
		if l.read {
			continue
		}
		if l.tokens == nil {
			l.tokens = value.Words(value.Normal(l.text + " " + pathWords(l.url)))
		}
		open = append(open, l)
		for _, w := range l.tokens {
			if f.wanted[w] {
				frequency[w]++
			}
		}
	}
	out := make([]scored, 0, len(open))
	for _, l := range open {
		score := 0.0
		seen := map[string]bool{}
		for _, w := range l.tokens {
			if f.wanted[w] && !seen[w] {
				seen[w] = true
				df := float64(frequency[w])
				score += math.Log(1+(float64(len(open))-df+0.5)/(df+0.5)) / (1 + 0.1*float64(len(l.tokens)))
			}
		}
		if f.good[l.shape] > 0 {
			score += 2
		}
		if l.seed {
			score += 3
		}
		if f.barren[l.shape] >= 2 && f.good[l.shape] == 0 {
			score -= 3
		}
		out = append(out, scored{l, score - 0.3*float64(l.depth)})
	}
	slices.SortStableFunc(out, func(a, b scored) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.link.n, b.link.n))
	})
	return out
}

// pathMarks separate words in a path.
var pathMarks = strings.NewReplacer("/", " ", "-", " ", "_", " ", "?", " ", "&", " ", "=", " ")

// pathWords returns the path of a URL as text.
func pathWords(url string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "/")
	return pathMarks.Replace(path)
}

// result notes whether a page of a link's shape gave rows.
func (f *frontier) result(url string, rows int) {
	l := f.byURL[url]
	if l == nil {
		return
	}
	l.read = true
	if rows > 0 {
		f.good[l.shape]++
	} else {
		f.barren[l.shape]++
	}
}

// similar returns the links of a page that have a shape, in their order.
func (f *frontier) similar(links []journal.LinkRecord, shape string) []*link {
	var out []*link
	for _, rec := range links {
		if l := f.byURL[rec.URL]; l != nil && l.shape == shape {
			out = append(out, l)
		}
	}
	return out
}
