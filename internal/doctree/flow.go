// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxLevels = 16 // of nested lists
	maxGap    = 10 // consecutive empty lines

	// inset is the additional indentation, in twentieths of a point, that makes
	// an item a child of another item of the same level. Programs use at least
	// 240.
	inset = 180
)

// Flow appends blocks to a node. List items are given with a level, as in
// office documents.
type Flow struct {
	B    *Builder
	Into *html.Node

	lists []openList
	open  *html.Node // a pre or blockquote that the next block may join
	toc   *contents  // set if open is a table of contents
	gap   int        // empty lines after the code block in open
	apart bool       // an empty paragraph follows the last item
}

type openList struct {
	level, next int
	inset       bool // child of an item of its own level
	item        Item
	list, last  *html.Node
	rest        *Flow // continuation of the last item
}

// ends reports whether item i ends the list.
func (l *openList) ends(i Item) bool {
	switch {
	case l.level != i.Level && !l.inset:
		return l.level > i.Level
	case l.level > i.Level:
		return true
	case !l.inset || i.Left > l.item.Left+inset:
		return false
	}
	return i.Level > l.level || i.Left < l.item.Left-inset
}

// Item is one item of a list.
type Item struct {
	Level   int // from 0
	Ordered bool
	Type    string // style of numbers: "", a, A, i or I
	Number  int    // for an ordered item
	Label   string // for an ordered item: its number as the document shows it, such as (a)
	Key     string // items with different keys belong to different lists
	Left    int    // where the text begins, in twentieths of a point; zero if unknown
}

// LabelAttr is the attribute of an ordered item whose number in the document
// differs from that in Markdown.
const LabelAttr = "data-item-label"

// label appends the label of an ordered item to attrs, unless it is the decimal
// number that Markdown writes.
func (i Item) label(attrs []string) []string {
	label := strings.TrimSpace(i.Label)
	if !i.Ordered || label == "" || strings.TrimRight(label, ".)") == strconv.Itoa(i.Number) {
		return attrs
	}
	return append(slices.Clone(attrs), LabelAttr, label)
}

// End closes all open blocks, so that the next block is a child of Into.
func (f *Flow) End() { f.lists, f.open, f.gap = nil, nil, 0 }

// Append creates a block. Inlined into all readers, it and Node would add 13 KB to programs.
//
//go:noinline
func (f *Flow) Append(tag atom.Atom, attrs ...string) *html.Node {
	f.End()
	return f.B.Append(f.Into, tag, attrs...)
}

// Node appends an existing block.
//
//go:noinline
func (f *Flow) Node(n *html.Node) {
	f.End()
	f.Into.AppendChild(n)
}

// Continue creates a block in the last item of the innermost list. If no list
// is open, it works like [Flow.Append].
func (f *Flow) Continue(tag atom.Atom, attrs ...string) *html.Node {
	if n := len(f.lists); n > 0 {
		return f.B.Append(f.lists[n-1].last, tag, attrs...)
	}
	return f.Append(tag, attrs...)
}

// Shows reports whether a bullet is visible. A paragraph with an invisible one
// continues an item. U+F020 is the space of symbol fonts.
func Shows(bullet string) bool { return strings.Trim(bullet, " \u00A0\uF020\t") != "" }

// Rest returns a flow into the last item of level, or of the nearest level
// above it, for blocks that continue it. Deeper lists end. If no list is open,
// it returns f.
func (f *Flow) Rest(level int) *Flow {
	if len(f.lists) == 0 {
		return f
	}
	n := len(f.lists)
	for n > 1 && f.lists[n-1].level > level {
		n--
	}
	return f.into(n)
}

// into returns a flow into the last item of the nth open list. Deeper lists
// end.
func (f *Flow) into(n int) *Flow {
	f.lists, f.open, f.gap = f.lists[:n], nil, 0
	top := &f.lists[n-1]
	if top.rest == nil {
		top.rest = &Flow{B: f.B, Into: top.last}
	}
	return top.rest
}

// Under returns a flow into the innermost item whose text begins at left, like
// a paragraph that continues it. If there is no such item, it returns f.
func (f *Flow) Under(left int) *Flow {
	for i := len(f.lists) - 1; i >= 0 && left > 0; i-- {
		if f.lists[i].item.Left == left {
			return f.into(i + 1)
		}
	}
	return f
}

// Listing reports whether the last block was an item.
func (f *Flow) Listing() bool { return len(f.lists) > 0 }

// Joined returns the last block if Joined has created it with the same tag.
// Otherwise it creates a block. The second result says which of the two
// happened.
func (f *Flow) Joined(tag atom.Atom, attrs ...string) (block *html.Node, again bool) {
	if f.open != nil && f.open.DataAtom == tag {
		f.lists = nil
		return f.open, true
	}
	block = f.Append(tag, attrs...)
	f.open = block
	return block, false
}

// contents are the entries of a table of contents.
type contents struct {
	entries Flow
	numbers [maxLevels]int
}

// Entry creates an entry of a table of contents. If the last block is a table
// of contents, it extends that.
func (f *Flow) Entry(level int) *html.Node {
	nav, again := f.Joined(atom.Nav, "role", "doc-toc")
	if !again {
		f.toc = &contents{entries: Flow{B: f.B, Into: nav}}
	}
	level = max(0, min(level, maxLevels-1))
	f.toc.numbers[level]++
	clear(f.toc.numbers[level+1:])
	return f.toc.entries.Item(Item{Level: level, Ordered: true, Number: f.toc.numbers[level]})
}

// Code appends a line to a code block, below the previous lines.
func (f *Flow) Code(line string) {
	pre, again := f.Joined(atom.Pre)
	line = strings.TrimRight(line, " \t\r\n")
	if again {
		line = strings.Repeat("\n", 1+f.gap) + line
	} else {
		f.B.Append(pre, atom.Code)
	}
	f.gap = 0
	f.B.Text(pre.FirstChild, line)
}

// Gap records an empty paragraph. In a code block it is an empty line.
func (f *Flow) Gap() {
	f.apart = true
	if n := len(f.lists); n > 0 && f.lists[n-1].rest != nil {
		f.lists[n-1].rest.Gap()
	} else if f.Pre() != nil && f.gap < maxGap {
		f.gap++
	}
}

// Monospaced reports whether a font is monospaced, according to its name.
func Monospaced(font string) bool {
	font = strings.ToLower(font)
	for _, name := range []string{"courier", "consolas", "mono", "menlo", "monaco", "lucida console", "andale", "cascadia code", "source code", "fira code", "inconsolata", "typewriter", "fixedsys", "terminal"} {
		if strings.Contains(font, name) {
			return true
		}
	}
	return false
}

// Program reports whether text in a monospaced font is code: it looks like
// code, or it follows a code block.
func (f *Flow) Program(text string) bool {
	return f.Pre() != nil && !isLong(text) || isProgram(text)
}

// isLong reports whether text has more words than most lines of code. Some
// people write whole letters and contracts in a monospaced font.
func isLong(text string) bool { return len(strings.Fields(text)) > 12 }

// isProgram reports whether text has characters that are typical for code and
// rare in prose.
func isProgram(text string) bool {
	const space = "\t\n\f\r "
	switch {
	case text == "":
		return false
	case strings.ContainsAny(text, `{}=<>|\`), strings.Contains(text, "::"), strings.IndexByte("#$@", text[0]) >= 0,
		len(text)-len(strings.TrimLeft(text, space)) > 1:
		return true
	case isLong(text):
		return false
	case strings.Contains(text, ";"), strings.HasSuffix(strings.TrimRight(text, space), ")"):
		return true
	}
	for i := 1; i < len(text); i++ {
		if c := text[i-1]; text[i] == '(' && (c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return true // a function call
		}
	}
	return false
}

// Pre returns the last block if it is a code block, else nil.
func (f *Flow) Pre() *html.Node {
	if f.open != nil && f.open.DataAtom == atom.Pre {
		return f.open
	}
	return nil
}

// Defining reports whether the last block is a definition list.
func (f *Flow) Defining() bool { return f.open != nil && f.open.DataAtom == atom.Dl }

// Item creates a list item with the attributes attrs, and the lists that it
// needs. An item of another list, or one that has no number, becomes a child of
// an item of the same level whose text begins farther left, unless an empty
// paragraph separates them. Styles and users express this nesting only by
// indentation.
func (f *Flow) Item(i Item, attrs ...string) *html.Node {
	apart := f.apart
	f.open, f.gap, f.apart = nil, 0, false
	i.Level = max(0, min(i.Level, maxLevels-1))
	for len(f.lists) > 0 && f.lists[len(f.lists)-1].ends(i) {
		f.lists = f.lists[:len(f.lists)-1]
	}
	if n := len(f.lists); n > 0 {
		f.lists[n-1].rest = nil
	}
	below := false
	if n := len(f.lists); n > 0 && f.lists[n-1].level == i.Level {
		top := &f.lists[n-1]
		same := top.item.Ordered == i.Ordered && top.item.Key == i.Key && top.item.Type == i.Type
		goesOn := same && (!i.Ordered || top.next == i.Number)
		below = !apart && top.item.Left > 0 && i.Left > top.item.Left+inset && (!goesOn || !i.Ordered) && n < maxLevels/2
		switch {
		case below:
		case goesOn:
			top.next++
			top.item.Left = i.Left
			top.last = f.B.Append(top.list, atom.Li, i.label(attrs)...)
			return top.last
		default:
			f.lists = f.lists[:n-1]
		}
	}
	parent := f.Into
	if n := len(f.lists); n > 0 {
		parent = f.lists[n-1].last
	}
	list := f.B.Element(atom.Ul)
	if i.Ordered {
		var numbers []string
		if i.Number != 1 {
			numbers = append(numbers, "start", strconv.Itoa(i.Number))
		}
		if i.Type != "" && i.Type != "1" {
			numbers = append(numbers, "type", i.Type)
		}
		list = f.B.Element(atom.Ol, numbers...)
	}
	parent.AppendChild(list)
	li := f.B.Append(list, atom.Li, i.label(attrs)...)
	f.lists = append(f.lists, openList{level: i.Level, inset: below, next: i.Number + 1, item: i, list: list, last: li})
	return li
}

// Notes collects footnotes, endnotes and comments.
type Notes struct {
	items  []note
	counts map[string]int
}

type note struct {
	kind string
	li   *html.Node
}

// Add creates a note and a reference to it. kind is "" for notes of the text,
// or "comment". attrs are the attributes of the note.
func (n *Notes) Add(b *Builder, kind string, attrs ...string) (ref, li *html.Node) {
	if n.counts == nil {
		n.counts = map[string]int{}
	}
	n.counts[kind]++
	label := strconv.Itoa(n.counts[kind])
	id, role := "fn-"+label, []string{"role", "doc-footnote"}
	ref = b.Element(atom.Sup)
	a := b.Append(ref, atom.A, "role", "doc-noteref", "href", "#"+id)
	if kind != "" {
		id = kind + "-" + label
		label = kind + " " + label
		role = append(role, "data-note", kind)
		a.Attr[1].Val = "#" + id
		a.Attr = append(a.Attr, html.Attribute{Key: "data-note", Val: kind})
	}
	b.Text(a, label)
	li = b.Element(atom.Li, append(append([]string{"id", id}, role...), attrs...)...)
	n.items = append(n.items, note{kind, li})
	return ref, li
}

// Again returns another reference to the note that ref refers to.
func (n *Notes) Again(b *Builder, ref *html.Node) *html.Node {
	a := ref.FirstChild
	sup := b.Element(atom.Sup)
	again := b.Append(sup, atom.A)
	again.Attr = slices.Clone(a.Attr)
	b.Text(again, a.FirstChild.Data)
	return sup
}

// Write appends the section of notes to body if there are any. Comments start
// with their author and date.
func (n *Notes) Write(b *Builder, body *html.Node) {
	if len(n.items) == 0 {
		return
	}
	section := b.Append(body, atom.Section, "role", "doc-endnotes")
	for _, kind := range slices.Sorted(maps.Keys(n.counts)) { // notes of the text first
		list := b.Append(section, atom.Ol)
		for _, note := range n.items {
			if note.kind == kind {
				list.AppendChild(note.li)
				credit(b, note.li)
			}
		}
	}
}

// credit inserts the author and date of a comment, and those of its replies,
// before the text.
func credit(b *Builder, li *html.Node) {
	for n := range li.Descendants() {
		if n.DataAtom == atom.Li {
			sign(b, n)
		}
	}
	sign(b, li)
}

func sign(b *Builder, li *html.Node) {
	at := li
	if p := li.FirstChild; p != nil && p.DataAtom == atom.P {
		at = p
	}
	author, date := "", ""
	for _, a := range li.Attr {
		switch a.Key {
		case "data-author":
			author = a.Val
		case "data-date":
			date = a.Val
		}
	}
	if author == "" {
		return
	}
	name, colon := b.Element(atom.Strong), b.node()
	b.Text(name, author)
	colon.Type, colon.Data = html.TextNode, ": "
	if date != "" {
		colon.Data = " (" + minute(date) + "): "
	}
	at.InsertBefore(colon, at.FirstChild)
	at.InsertBefore(name, colon)
}

// minute returns an ISO date without seconds, and without the time if it is
// midnight. Other texts are unchanged.
func minute(date string) string {
	const layout = "2006-01-02T15:04"
	if len(date) < len(layout) {
		return date
	}
	if _, err := time.Parse(layout, date[:len(layout)]); err != nil {
		return date
	}
	return strings.TrimSuffix(date[:len(layout)], "T00:00")
}

// Anchors removes empty spans that no link refers to.
func Anchors(root *html.Node) {
	used := map[string]bool{}
	var spans []*html.Node
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.A:
			for _, a := range n.Attr {
				if a.Key == "href" && len(a.Val) > 1 && a.Val[0] == '#' {
					used[a.Val[1:]] = true
				}
			}
		case atom.Span:
			if n.FirstChild == nil && len(n.Attr) == 1 && n.Attr[0].Key == "id" {
				spans = append(spans, n)
			}
		}
	}
	for _, n := range spans {
		if !used[n.Attr[0].Val] {
			n.Parent.RemoveChild(n)
		}
	}
}
