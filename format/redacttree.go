// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
)

// projection puts marks in place of personal data in the texts, attributes and
// references of p.
func (r *redactor) projection(p *projection) {
	if p.root == nil {
		return
	}
	r.tree(p.root)
	for _, list := range [][]string{p.links, p.images} {
		for i, s := range list {
			r.steps.Take(1)
			list[i] = r.marked(r.kept(s), true)
		}
	}
}

// private puts marks in a tree that no other code refers to and that was not
// searched before. It returns a panic of the search as an error.
func (r *redactor) private(root *html.Node) (err error) {
	switch {
	case !r.on:
		return nil
	case r.failed:
		return errRedact
	}
	defer func() {
		if v := recover(); v != nil {
			err = errRedact
		}
	}()
	fresh := *r
	fresh.again = false
	fresh.tree(root)
	return nil
}

// tree puts marks in place of personal data in the texts and attributes below
// root.
func (r *redactor) tree(root *html.Node) {
	w := blockMarker{r: r}
	for n := root; n != nil; {
		r.steps.Take(1)
		switch n.Type {
		case html.TextNode:
			w.text(n)
		case html.ElementNode:
			if n.DataAtom == 0 && r.names(n.Data) {
				n.Data, n.DataAtom = "span", atom.Span // an invalid tag name with personal data
			}
			r.attributes(n)
			if n.DataAtom == atom.Br {
				w.buf = append(w.buf, '\n')
			} else if breaks(n) {
				w.flush()
			}
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			if n = n.Parent; breaks(n) {
				w.flush()
			}
		}
		if n == root {
			break
		}
		if breaks(n) && n.DataAtom != atom.Br {
			w.flush()
		}
		n = n.NextSibling
	}
	w.flush()
}

// attributes puts marks in the attributes of n. It copies the slice before a
// change, because n may share it with the page.
func (r *redactor) attributes(n *html.Node) {
	shared := true
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return r.names(a.Key) }) {
		n.Attr, shared = sorting.Without(slices.Clone(n.Attr), func(a html.Attribute) bool { return r.names(a.Key) }), false
	}
	for i, a := range n.Attr {
		if len(a.Val) < 3 {
			continue
		}
		val := r.marked(r.kept(a.Val), !isProse(a.Key))
		if val == a.Val {
			continue
		}
		if shared {
			n.Attr, shared = slices.Clone(n.Attr), false
		}
		n.Attr[i].Val = val
	}
}

// names reports whether the name of a tag or attribute is personal data.
// Parsers lower the case of names, so it also searches the name in upper case.
func (r *redactor) names(name string) bool {
	if len(name) < 6 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:_") == "" && len(name) < 32 {
		return false
	}
	return len(r.find(&r.finder, name, false)) > 0 || len(r.find(&r.finder, strings.ToUpper(name), false)) > 0
}

// kept removes characters that could be mistaken for marks from a text of the
// page. If the copy was already marked, it keeps the marks.
func (r *redactor) kept(s string) string {
	if r.again {
		return s
	}
	return unmarked(s)
}

// isProse reports whether an attribute contains text for people.
func isProse(key string) bool {
	switch key {
	case "alt", "title", "placeholder", "value", "label", "content", "summary", "abbr", "aria-label", "aria-description", "data-title", "data-content", "data-text":
		return true
	}
	return false
}

// A blockMarker puts marks in the text of each block. A match may extend over
// several nodes of the block.
type blockMarker struct {
	r      *redactor
	buf    []byte
	pieces []piece
}

// A piece maps a run of a block's text, which starts at at, to the text of a
// node, where it starts at off.
type piece struct {
	at, off, length int
	node            *html.Node
}

// text adds the text of a node. It folds white space, because a line break in
// the source would hide a match that extends over it.
func (w *blockMarker) text(n *html.Node) {
	n.Data = w.r.kept(n.Data)
	pre := false
	for p, depth := n.Parent, 0; p != nil && depth < 8; p, depth = p.Parent, depth+1 {
		pre = pre || p.DataAtom == atom.Pre || p.DataAtom == atom.Textarea
	}
	s := n.Data
	for i := 0; i < len(s); {
		w.r.steps.Take(1)
		if strings.IndexByte(spaces, s[i]) < 0 {
			end := strings.IndexAny(s[i:], spaces)
			if end < 0 {
				end = len(s) - i
			}
			w.pieces = append(w.pieces, piece{len(w.buf), i, end, n})
			w.buf = append(w.buf, s[i:i+end]...)
			i += end
			continue
		}
		line := false
		start := i
		for i < len(s) && strings.IndexByte(spaces, s[i]) >= 0 {
			line = line || s[i] == '\n'
			i++
		}
		c := byte(' ')
		if pre && line {
			c = '\n'
		}
		w.pieces = append(w.pieces, piece{len(w.buf), start, i - start, n})
		w.buf = append(w.buf, c)
	}
}

// A cutting is a part of a node's text and the mark that replaces it.
type cutting struct {
	node     *html.Node
	from, to int
	mark     string
}

// flush marks the current block and starts the next one.
func (w *blockMarker) flush() {
	if len(w.pieces) > 0 {
		w.mark(string(w.buf))
	}
	w.buf, w.pieces = w.buf[:0], w.pieces[:0]
}

func (w *blockMarker) mark(s string) {
	var cuts []cutting
	for _, sp := range w.r.find(&w.r.finder, s, false) {
		mark := string(w.r.mark(nil, sp.Entity, utf8.RuneCountInString(s[sp.Start:sp.End])))
		first := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].at > sp.Start }) - 1
		w.r.steps.Take(2)
		for i := max(first, 0); i < len(w.pieces) && w.pieces[i].at < sp.End; i++ {
			w.r.steps.Take(1)
			p := w.pieces[i]
			c := cutting{p.node, p.off + max(0, sp.Start-p.at), p.off + min(p.length, sp.End-p.at), mark}
			if i > first && p.at+1 == sp.End || c.from > p.off+p.length {
				c.to = p.off + p.length // the whole run of folded white space
			}
			cuts = append(cuts, c)
			mark = ""
		}
	}
	for len(cuts) > 0 {
		n, at := cuts[0].node, 0
		var out strings.Builder
		for len(cuts) > 0 && cuts[0].node == n {
			w.r.steps.Take(1)
			if c := cuts[0]; c.from >= at {
				out.WriteString(n.Data[at:c.from] + c.mark)
				at = max(c.to, c.from)
			}
			cuts = cuts[1:]
		}
		n.Data = out.String() + n.Data[at:]
	}
}
