// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
)

// An item is one item of a list: an li element and the siblings after it that
// are not li elements. It is a subslice of the nodes of the writer.
type item []*html.Node

// A listWriter writes lists. It gives adjacent lists different markers, because
// otherwise they would be read as one list.
type listWriter struct{ *writer }

// list writes the list n.
func (w listWriter) list(n *html.Node) {
	nodes, items := len(w.nodes), len(w.items)
	from := nodes // start of the last item in nodes
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case w.notes.elsewhere(c):
			continue
		case c.Type == html.ElementNode && c.DataAtom == atom.Li:
			from = len(w.nodes)
			w.items = append(w.items, nil)
		case c.Type == html.ElementNode || c.Type == html.TextNode && !isBlank(c.Data):
			if len(w.items) == items {
				w.items = append(w.items, nil)
			}
		default:
			continue
		}
		w.nodes = append(w.nodes, c)
		w.items[len(w.items)-1] = w.nodes[from:]
	}
	w.writeItems(w.items[items:], n)
	w.nodes, w.items = w.nodes[:nodes], w.items[:items]
}

// strays writes the run of items that begins with n and is not in a list. It
// returns the last node of the run.
func (w listWriter) strays(n *html.Node) *html.Node {
	nodes, items := len(w.nodes), len(w.items)
	w.stray(n)
	last := n
	for c := n.NextSibling; c != nil; c = c.NextSibling {
		if w.notes.elsewhere(c) {
			break
		}
		if c.Type == html.ElementNode && c.DataAtom == atom.Li {
			w.stray(c)
			last = c
		} else if c.Type != html.CommentNode && (c.Type != html.TextNode || !isBlank(c.Data)) {
			break
		}
	}
	w.writeItems(w.items[items:], n)
	w.nodes, w.items = w.nodes[:nodes], w.items[:items]
	return last
}

// stray adds an item that consists only of n.
func (w listWriter) stray(n *html.Node) {
	w.nodes = append(w.nodes, n)
	w.items = append(w.items, w.nodes[len(w.nodes)-1:])
}

// writeItems writes items as one list, which is ordered if of is an ol element.
func (w listWriter) writeItems(items []item, of *html.Node) {
	w.paragraph()
	if w.level >= maxNesting {
		for _, it := range items {
			w.itemBody(it)
			w.paragraph()
		}
		return
	}
	loose := false
	for _, it := range items {
		loose = loose || it.loose()
	}
	number := firstNumber(of)
	labels := labelsOf(items, of)
	labelled := labels != nil
	ordered := of.DataAtom == atom.Ol && !labelled && !isContents(of)
	bullet, delimiter := w.marker(ordered)

	outer, mark := w.c, len(w.out)
	written := false
	marker := "- "
	if bullet == '*' {
		marker = "* "
	}
	for i, it := range items {
		if ordered {
			marker = strconv.Itoa(number) + string(delimiter) + " "
		}
		before, start := w.c, len(w.out)
		if written {
			w.c = container{last: list, tight: !loose, item: before.item} // state of the items
		} else if w.c.tight && w.c.last == paragraph && (it.hollow() || ordered && number != 1) {
			w.c.tight = false // such an item cannot end a paragraph
		}
		tight := before.tight
		ok := w.nested(list, marker, spaces[:len(marker)], it.hollow(),
			container{tight: !loose, item: true, bullet: bullet, number: delimiter}, func() {
				if labelled {
					w.line.add(labels[i] + " ")
				}
				w.itemBody(it)
			})
		if !ok {
			w.c = before
			continue
		}
		w.c.tight = tight
		if it[0].DataAtom == atom.Li {
			w.report(it[0], start)
		}
		written = true
		number++
	}
	if !written {
		w.out, w.c = w.out[:mark], outer
		return
	}
	w.c = container{last: list, tight: outer.tight, item: outer.item, bullet: bullet, number: delimiter}
}

// labelsOf returns the numbers of the items of an ol element as text if Markdown
// cannot express one of them: the document states it otherwise, or it is a
// letter, a Roman numeral or out of sequence (HTML 4.4.5). References in the text
// use these numbers. Otherwise it returns nil.
func labelsOf(items []item, of *html.Node) []string {
	if of.DataAtom != atom.Ol {
		return nil
	}
	number, step, style := firstNumber(of), 1, dom.Attr(of, "type")
	_, reversed := dom.LookupAttr(of, "reversed")
	if !reversed && (style == "" || style == "1") && !slices.ContainsFunc(items, item.isNumbered) {
		return nil
	}
	if reversed {
		step = -1
		if _, ok := dom.LookupAttr(of, "start"); !ok {
			number = len(items)
		}
	}
	labels := make([]string, len(items))
	odd := false
	for i, it := range items {
		said := ""
		if it[0].DataAtom == atom.Li {
			said = dom.Attr(it[0], doctree.LabelAttr)
			if v, err := strconv.Atoi(dom.Attr(it[0], "value")); err == nil {
				number = v
			}
		}
		labels[i] = cmp.Or(said, numeral(number, style)+".")
		odd = odd || labels[i] != strconv.Itoa(firstNumber(of)+i)+"."
		number += step
	}
	if !odd {
		return nil
	}
	return labels
}

// isNumbered reports whether the item states its own number.
func (it item) isNumbered() bool {
	return it[0].DataAtom == atom.Li && (dom.Attr(it[0], doctree.LabelAttr) != "" || dom.Attr(it[0], "value") != "")
}

// numeral returns a number in a style of lists: a, A, i or I. Other styles are
// decimal, as are numbers that the style cannot express.
func numeral(n int, style string) string {
	switch {
	case style == "i":
		return strings.ToLower(doctree.Roman(n))
	case style == "I":
		return doctree.Roman(n)
	case (style == "a" || style == "A") && n > 0:
		var b []byte
		for ; n > 0; n = (n - 1) / 26 { // z is followed by aa
			b = append(b, style[0]+byte((n-1)%26))
		}
		slices.Reverse(b)
		return string(b)
	}
	return strconv.Itoa(n)
}

// isContents reports whether the list n is in a table of contents whose entries
// have their own numbers or no numbers. A list with a start attribute needs the
// numbers that Markdown writes.
func isContents(n *html.Node) bool {
	if dom.Attr(n, "start") != "" {
		return false
	}
	for range 2 * maxNesting {
		if n = n.Parent; n == nil {
			return false
		}
		switch n.DataAtom {
		case atom.Nav:
			return dom.Attr(n, "role") == "doc-toc"
		case atom.Ol, atom.Ul, atom.Li:
		default:
			return false
		}
	}
	return false
}

// firstNumber returns the number of the first item of the list n. It is limited
// so that the last number has at most nine digits, which is the limit of
// Markdown.
func firstNumber(n *html.Node) int {
	if start, err := strconv.Atoi(dom.Attr(n, "start")); err == nil && start >= 0 && start < 900_000_000 {
		return start
	}
	return 1
}

var spaces = []byte("            ")

// marker returns the bullet, and the character after a number, for a list at
// this place. They differ from those of a list directly before it, so that the
// two are not read as one list. They also differ from those of a list whose
// item begins with this list, because three empty nested items would be read as
// a thematic break.
func (w listWriter) marker(ordered bool) (bullet, delimiter byte) {
	bullet, delimiter = '-', '.'
	beside := w.c.last == list || w.c.last == nothing && w.c.item
	if beside && !ordered && w.c.bullet == '-' {
		bullet = '*'
	}
	if w.c.last == list && ordered && w.c.number == '.' {
		delimiter = ')'
	}
	if ordered {
		return 0, delimiter
	}
	return bullet, 0
}

// itemBody writes the content of an item.
func (w listWriter) itemBody(it item) {
	for _, n := range it {
		if n.DataAtom == atom.Li {
			w.depth++
			w.walk(n)
			w.depth--
		} else {
			w.node(n)
		}
	}
}

// loose reports whether the item contains paragraphs. Empty ones are not written, so that they
// do not count.
func (it item) loose() bool {
	for _, n := range it {
		for c := n.FirstChild; c != nil && n.DataAtom == atom.Li; c = c.NextSibling {
			if c.DataAtom == atom.P && !(item{c}).blank() {
				return true
			}
		}
	}
	return false
}

// blank reports whether the item has only white space and line breaks.
func (it item) blank() bool {
	for _, n := range it {
		for c := range n.Descendants() {
			if c.Type == html.TextNode && !isBlank(c.Data) || c.Type == html.ElementNode && c.DataAtom != atom.Br {
				return false
			}
		}
	}
	return true
}

// hollow reports whether the item is completely empty.
func (it item) hollow() bool {
	for _, n := range it {
		if n.DataAtom != atom.Li || hasElement(n) {
			return false
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode && !isBlank(c.Data) {
				return false
			}
		}
	}
	return true
}

// checkbox writes the check box of a task item. Other boxes are characters if the document only shows them.
func (w listWriter) checkbox(n *html.Node) {
	if dom.Attr(n, "type") != "checkbox" || w.code > 0 {
		return
	}
	_, checked := dom.LookupAttr(n, "checked")
	box, ticked := "[ ]", "[x]"
	task := w.c.item && w.c.last == nothing && len(w.line.toks) == 0 && w.oneLine == 0
	if w.scope.cell {
		last := len(w.line.toks) - 1
		task = last < 0 || w.line.toks[last].kind == raw || w.line.breaks > 0
	}
	if !task {
		if !dom.IsMark(n) {
			return
		}
		box, ticked = "☐", "☒"
	}
	if checked {
		box = ticked
	}
	w.line.piece(token{kind: raw}, box)
	if task {
		w.line.gap()
	}
}

// isBlank reports whether s is white space.
func isBlank(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) {
			return false
		}
	}
	return true
}
