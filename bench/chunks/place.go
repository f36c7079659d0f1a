// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format"
)

// word is where a word stands in a tree.
type word struct {
	count int
	page  int // or slide
	sheet string
	whole bool     // the place is a slide or a sheet, which begins a new chunk
	path  []string // headings above it, outermost first; nil within a heading
}

// walker collects the words of a tree.
type walker struct {
	words  map[string]*word
	at     word            // place of the current node
	levels []int           // of the headings in path below base
	base   int             // number of headings that apply to the document within the document
	refs   map[string]word // place of the first reference to each note
}

// wordsOf returns the words of a tree with letters or digits only.
func wordsOf(root *html.Node) map[string]*word {
	w := walker{words: map[string]*word{}, at: word{path: []string{}}, refs: map[string]word{}}
	w.walk(root, false)
	return w.words
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// walk reads n. inner means that headings are not those of sections.
func (w *walker) walk(n *html.Node, inner bool) {
	if n.Type == html.TextNode {
		for _, s := range fields(n.Data) {
			if known := w.words[s]; known != nil {
				known.count++
			} else {
				at := w.at
				at.count = 1
				w.words[s] = &at
			}
		}
		return
	}
	before := w.at
	moved := false
	for _, a := range n.Attr {
		switch a.Key {
		case "data-page", "data-slide":
			if number, err := strconv.Atoi(a.Val); err == nil {
				w.at.page, moved = number, true
				w.at.whole = w.at.whole || a.Key == "data-slide"
			}
		case "data-sheet":
			w.at.sheet, w.at.whole, moved = a.Val, true, true
		}
	}
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style:
		return
	case atom.Table, atom.Ul, atom.Ol, atom.Blockquote, atom.Dl:
		inner = true
	case atom.A:
		if to := attr(n, "href"); attr(n, "role") == "doc-noteref" {
			if _, known := w.refs[to]; !known {
				w.refs[to] = w.at
			}
		}
	case atom.Li:
		if from, found := w.refs["#"+attr(n, "id")]; found && attr(n, "role") == "doc-footnote" {
			old := w.at
			w.at = from
			defer func() { w.at = old }()
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if !inner {
			below := w.heading(n)
			w.at.path = nil
			defer func() { w.at.path = below }()
		}
	}
	role := attr(n, "data-role")
	within := role == "attachment" || role == "object"
	base, levels := w.base, w.levels
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		w.walk(k, inner)
		if within && k == n.FirstChild {
			base, levels = w.base, w.levels
			before.path = w.at.path
			w.base, w.levels = len(w.at.path), nil
		}
	}
	if within {
		w.base, w.levels, w.at.path = base, levels, before.path
	}
	if moved && n.DataAtom != atom.Wbr {
		w.at.page, w.at.sheet, w.at.whole = before.page, before.sheet, before.whole
	}
}

// heading returns the headings that apply to the text below the heading n.
func (w *walker) heading(n *html.Node) []string {
	level, i := int(n.Data[1]-'0'), 0
	for i < len(w.levels) && w.levels[i] < level {
		i++
	}
	w.levels = slices.Clip(w.levels[:i])
	path := slices.Clip(w.at.path[:w.base+i])
	if text := strings.Join(fields(textOf(n)), " "); text != "" {
		w.levels = append(w.levels, level)
		path = append(path, text)
	}
	return path
}

func textOf(n *html.Node) (s string) {
	if n.Type == html.TextNode {
		return n.Data
	}
	if n.DataAtom == atom.Br {
		return " "
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		s += textOf(k)
	}
	return s
}

// fields returns the words of a text that have letters and digits only.
func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// places checks the page, the sheet and the headings of the chunks by the words that the
// tree has only once.
func (c *checker) places(file, all string, chunks []format.Chunk, words map[string]*word) {
	runes := []rune(all)
	seen := map[string]int{}
	for _, s := range fields(all) {
		seen[s]++
	}
	for i, k := range chunks {
		var path []string
		for _, h := range k.Headings {
			path = append(path, strings.Join(fields(h), " "))
		}
		first := true
		for _, s := range fields(string(runes[k.Start:k.End])) {
			w := words[s]
			if w == nil || w.count != 1 || seen[s] != 1 || len(s) < 4 {
				continue
			}
			if (first || w.whole) && (w.page != k.Page || w.sheet != k.Sheet) {
				c.report(file, "place", "%d: %q is on page %d, sheet %q, not %d, %q", i, s, w.page, w.sheet, k.Page, k.Sheet)
			}
			first = false
			if w.path != nil && (len(path) > len(w.path) || !slices.Equal(path, w.path[:len(path)])) {
				c.report(file, "heading", "%d: %q is below %q, not %q", i, s, w.path, k.Headings)
				break
			}
		}
	}
}
