// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"strconv"

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
	labelled := of.DataAtom == atom.Ol && hasLabels(items)
	ordered := of.DataAtom == atom.Ol && !labelled && !isContents(of)
	bullet, delimiter := w.marker(ordered)

	outer, mark := w.c, len(w.out)
	written := false
	marker := "- "
	if bullet == '*' {
		marker = "* "
	}
	for _, it := range items {
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
					w.label(it[0], number)
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

// hasLabels reports whether an item has a number that Markdown cannot express.
func hasLabels(items []item) bool {
	for _, it := range items {
		if itemLabel(it[0]) != "" {
			return true
		}
	}
	return false
}

// itemLabel returns the number of the item n as shown in its document, or "" if
// Markdown writes the same number.
func itemLabel(n *html.Node) string {
	if n.DataAtom != atom.Li {
		return ""
	}
	return dom.Attr(n, doctree.LabelAttr)
}

// label writes the number of the item li, which is number i of its list, as
// text. References in the document use this number.
func (w *writer) label(li *html.Node, i int) {
	w.line.add(cmp.Or(itemLabel(li), strconv.Itoa(i)+".") + " ")
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

// loose reports whether the item contains paragraphs.
func (it item) loose() bool {
	for _, n := range it {
		for c := n.FirstChild; c != nil && n.DataAtom == atom.Li; c = c.NextSibling {
			if c.DataAtom == atom.P {
				return true
			}
		}
	}
	return false
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

// checkbox writes the check box of a task item.
func (w listWriter) checkbox(n *html.Node) {
	if dom.Attr(n, "type") != "checkbox" || w.code > 0 {
		return
	}
	if w.scope.cell {
		if last := len(w.line.toks) - 1; last >= 0 && w.line.toks[last].kind != raw && w.line.breaks == 0 {
			return // the box must be the first content of its cell or item
		}
	} else if !w.c.item || w.c.last != nothing || len(w.line.toks) > 0 || w.oneLine > 0 {
		return
	}
	box := "[ ]"
	if _, checked := dom.LookupAttr(n, "checked"); checked {
		box = "[x]"
	}
	w.line.piece(token{kind: raw}, box)
	w.line.gap()
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
