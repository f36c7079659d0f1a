// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
)

// noBreak is the no-break space.
const noBreak = "\u00a0"

// tidy changes details of a page that Markdown has no markup for, or that only fill its
// layout: lists of sections, headings in tables and in links, no-break spaces at the edges of lines,
// superscripts, readings of characters (ruby), empty items and links, drawings, links of parts of pictures, shortcodes that no
// program replaced, and words that only a style sheet keeps apart. It leaves code and the other forms as they are. If raised is true,
// superscripts stay, because they are written as HTML.
func tidy(root *html.Node, raised bool) {
	unlist(root)
	divide(root)
	for n := root; n != nil; {
		next := dom.Next(n, root)
		keepApart(n)
		switch {
		case n.Type == html.TextNode:
			tidyText(n)
		case n.Type == html.ElementNode && n.Namespace == "svg" && n.Data == "svg":
			next = dom.After(n, root)
			spellOut(n)
		case n.Type != html.ElementNode || n.Namespace != "":
		case n.DataAtom == atom.Area:
			goTo(n)
		case n.DataAtom == atom.Pre || n.DataAtom == atom.Code || n.DataAtom == atom.Kbd || n.DataAtom == atom.Samp:
			next = dom.After(n, root)
		case n.DataAtom == atom.A && dom.Attr(n, "href") != "" && isVoid(n):
			next = dom.After(n, root)
			cover(n)
		case n.DataAtom == atom.A:
			turn(n)
		case n.DataAtom == atom.Sup && !raised:
			raise(n)
		case n.DataAtom == atom.Rt || n.DataAtom == atom.Rtc:
			dom.Bracket(n)
		case n.DataAtom == atom.Time && isVoid(n):
			spellTime(n)
		case n.DataAtom == atom.Li && isEmptyItem(n):
			next = dom.After(n, root)
			n.Parent.RemoveChild(n)
		}
		n = next
	}
}

// keepApart inserts a space between an element within a line and the next one, if their words would otherwise be one: links,
// labels of fields, times, amounts (see isAmount) after another one, cents, and in an element without other text elements of
// different classes, such as a tag and its count, and badges that say something of the element before, such as the type of a
// parameter, and that it is required.
func keepApart(n *html.Node) {
	m := n.NextSibling
	for m != nil && m.FirstChild == nil && m.DataAtom == atom.Label {
		m = m.NextSibling
	}
	if m == nil || n.Type != html.ElementNode || m.Type != html.ElementNode || n.Namespace+m.Namespace != "" || breaks(n) || breaks(m) || isRaised(n) || isRaised(m) {
		return
	}
	left, leftLink := edge(n, func(n *html.Node) *html.Node { return n.LastChild })
	right, rightLink := edge(m, func(n *html.Node) *html.Node { return n.FirstChild })
	before, _ := utf8.DecodeLastRuneInString(left)
	after, _ := utf8.DecodeRuneInString(right)
	amounts := unicode.IsDigit(before) && (isAmount(right) && (!unicode.IsDigit(after) || isAmount(left)) || unicode.IsDigit(after) && isClassed(m, "cents", "fraction", "decimals"))
	if !amounts && (!isSpaced(before) || !isSpaced(after)) {
		return
	}
	switch classes := dom.Attr(n, "class"); {
	case leftLink && rightLink, amounts:
	case n.DataAtom == atom.Label || m.DataAtom == atom.Label || n.DataAtom == atom.Time || m.DataAtom == atom.Time:
	case isClassed(m, "badge", "pill", "type", "required", "req", "optional", "deprecated") && !isShort(left) && !isShort(right) && !hasText(n.Parent):
	case n.DataAtom == m.DataAtom && (classes == "" || classes == dom.Attr(m, "class")) ||
		n.DataAtom != m.DataAtom && !leftLink && !rightLink && (!unicode.IsLetter(before) || !unicode.IsDigit(after)):
		return
	case !unicode.IsUpper(after) && !unicode.IsDigit(after) || unicode.IsUpper(before) || unicode.IsDigit(before) && unicode.IsDigit(after) || isShort(left) && (unicode.IsLetter(before) || isShort(right)) || hasText(n.Parent):
		return
	}
	n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, m)
}

// isClassed reports whether a word of the class of an element is one of names.
func isClassed(n *html.Node, names ...string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(dom.Attr(n, "class")), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(names, word) {
			return true
		}
	}
	return false
}

// isAmount reports whether a text is one number with decimals, or begins with a currency sign and a digit or a percentage.
func isAmount(text string) bool {
	text = strings.Trim(text, spaces)
	first, size := utf8.DecodeRuneInString(text)
	if unicode.Is(unicode.Sc, first) {
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[size:], spaces+noBreak))
		return unicode.IsDigit(next)
	}
	if percent := strings.TrimLeft(text, "0123456789"); percent != text && strings.HasPrefix(percent, "%") {
		return true
	}
	point := strings.LastIndexAny(text, ".,")
	return point > 0 && point < len(text)-1 && len(text)-point <= 3 && strings.Trim(text, "0123456789.,") == "" && unicode.IsDigit(first)
}

// isRaised reports whether n is a superscript or a subscript, which belongs to the text before it.
func isRaised(n *html.Node) bool { return n.DataAtom == atom.Sup || n.DataAtom == atom.Sub }

// edge returns the text at one end of n, in the direction in which child returns the child, and whether it is in a link.
func edge(n *html.Node, child func(*html.Node) *html.Node) (text string, linked bool) {
	const most = 16 // levels
	for range most {
		linked = linked || n.DataAtom == atom.A && dom.Attr(n, "href") != ""
		if n.Type == html.TextNode {
			return n.Data, linked
		}
		if n = child(n); n == nil || n.Type == html.ElementNode && (breaks(n) || n.Namespace != "") {
			break
		}
	}
	return "", false
}

// isSpaced reports whether r belongs to a word of a script that has spaces between words.
func isSpaced(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// isShort reports whether a text is at most two characters long, as a part of a name or formula may be.
func isShort(text string) bool { return utf8.RuneCountInString(strings.Trim(text, spaces)) <= 2 }

// hasText reports whether one of the first children of n is a text.
func hasText(n *html.Node) bool {
	const most = 32 // children
	c := n.FirstChild
	for steps := 0; c != nil && steps < most; c, steps = c.NextSibling, steps+1 {
		if c.Type == html.TextNode && strings.Trim(c.Data, spaces) != "" {
			return true
		}
	}
	return c != nil
}

// tidyText drops no-break spaces at the edges of a line, and shortcodes.
func tidyText(n *html.Node) {
	const blank = spaces + noBreak
	if strings.Contains(n.Data, noBreak) {
		s := strings.TrimLeft(n.Data, blank)
		if strings.Contains(n.Data[:len(n.Data)-len(s)], noBreak) && isEdge(n, func(n *html.Node) *html.Node { return n.PrevSibling }) {
			n.Data = s
		}
		s = strings.TrimRight(n.Data, blank)
		if strings.Contains(n.Data[len(s):], noBreak) && isEdge(n, func(n *html.Node) *html.Node { return n.NextSibling }) {
			n.Data = s
		}
	}
	if strings.IndexByte(n.Data, '[') >= 0 {
		n.Data = withoutShortcodes(n.Data)
	}
}

// isEdge reports whether nothing is shown between n and the end of its line, in the
// direction in which beside returns the next sibling.
func isEdge(n *html.Node, beside func(*html.Node) *html.Node) bool {
	const most = 32 // nodes
	for range most {
		next := beside(n)
		switch {
		case next == nil:
			if n = n.Parent; n == nil || breaks(n) {
				return n == nil || n.DataAtom != 0 // only a style sheet knows whether an unknown element is a block
			}
			continue
		case next.Type == html.ElementNode && next.DataAtom != 0 && (next.DataAtom == atom.Br || breaks(next) || linkedHeading(next) != nil):
			return true
		case !isVoid(next):
			return false
		}
		n = next
	}
	return false
}

// isVoid reports whether a node shows nothing: no text, picture, field or formula.
func isVoid(n *html.Node) bool {
	const most = 32 // nodes
	steps := 0
	for at := n; at != nil; at = dom.Next(at, n) {
		if steps++; steps > most {
			return false
		}
		switch {
		case at.Type == html.TextNode:
			if strings.Trim(at.Data, spaces+noBreak) != "" {
				return false
			}
		case at.Namespace != "":
			return false
		default:
			switch at.DataAtom {
			case atom.Img, atom.Picture, atom.Video, atom.Audio, atom.Iframe, atom.Object, atom.Embed, atom.Canvas, atom.Input, atom.Select, atom.Textarea, atom.Button,
				atom.Hr, atom.Table, atom.Meter, atom.Progress:
				return false
			}
		}
	}
	return true
}

// goTo makes a link of an area of a picture, with its description as text. Without one it stays, and is
// only among the links.
func goTo(area *html.Node) {
	label := clean(cmp.Or(dom.Attr(area, "alt"), dom.Attr(area, "title"), dom.Attr(area, "aria-label")))
	if label == "" || dom.Attr(area, "href") == "" {
		return
	}
	area.DataAtom, area.Data = atom.A, "a"
	area.AppendChild(&html.Node{Type: html.TextNode, Data: label})
	area.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, area)
}

// turn changes a link around a heading into a heading around a link, because Markdown
// has no headings within links. In list items and cells, and within lines, the link
// stays as it is.
func turn(n *html.Node) {
	heading := linkedHeading(n)
	if heading == nil || n.Parent == nil {
		return
	}
	switch n.Parent.DataAtom {
	case 0, atom.Body, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Aside:
	default:
		return
	}
	if !isEdge(n, func(n *html.Node) *html.Node { return n.PrevSibling }) || !isEdge(n, func(n *html.Node) *html.Node { return n.NextSibling }) {
		return
	}
	n.Data, heading.Data = heading.Data, n.Data
	n.DataAtom, heading.DataAtom = heading.DataAtom, n.DataAtom
	n.Attr, heading.Attr = heading.Attr, n.Attr
}

// cover makes a link of the heading of a card that an empty link covers, as style sheets lay
// such links over the whole card. Its label, if it has one, is about the heading.
func cover(n *html.Node) {
	if href := strings.TrimLeft(dom.Attr(n, "href"), spaces); strings.Contains(href, "#") || len(href) > 10 && strings.EqualFold(href[:11], "javascript:") {
		return
	}
	heading := coveredHeading(n)
	if heading == nil {
		return
	}
	text, label := clean(dom.Text(heading)), clean(cmp.Or(dom.Attr(n, "aria-label"), dom.Attr(n, "title")))
	if text == "" || label != "" && !strings.Contains(label, text) && !strings.Contains(text, label) {
		return
	}
	n.Parent.RemoveChild(n)
	n.Attr = sorting.Without(slices.Clone(n.Attr), func(a html.Attribute) bool { return a.Key == "title" })
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
	}
	for c := heading.FirstChild; c != nil; c = heading.FirstChild {
		heading.RemoveChild(c)
		n.AppendChild(c)
	}
	heading.AppendChild(n)
}

// coveredHeading returns the heading of the card that the empty link n is in: the only one beside it or beside the
// element around it. It returns nil if the heading has a link, or the card is large.
func coveredHeading(n *html.Node) (heading *html.Node) {
	const most = 64 // nodes
	card := n
	for range 2 {
		if card = card.Parent; card == nil || !breaks(card) || card.DataAtom == atom.Body || card.DataAtom == atom.Main {
			return nil
		}
		steps := 0
		for at := card.FirstChild; at != nil; at = dom.Next(at, card) {
			if steps++; steps > most || heading != nil && isHeading(at) {
				return nil
			}
			if isHeading(at) {
				heading = at
			}
		}
		if heading != nil {
			break
		}
	}
	if heading == nil || holdsLink(heading) {
		return nil
	}
	for up := heading; up != card; up = up.Parent {
		if up.DataAtom == atom.A {
			return nil
		}
	}
	return heading
}

// holdsLink reports whether there is a link below n.
func holdsLink(n *html.Node) bool {
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if d.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// linkedHeading returns the heading that is all that the link n contains, or nil.
func linkedHeading(n *html.Node) (heading *html.Node) {
	if n.DataAtom != atom.A {
		return nil
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.Trim(c.Data, spaces) == "":
		case heading == nil && isHeading(c):
			heading = c
		default:
			return nil
		}
	}
	return heading
}

// isEmptyItem reports whether an item shows nothing. The number of an item stays, so
// that items of an ordered list that follow it keep theirs.
func isEmptyItem(n *html.Node) bool {
	if n.Parent == nil || !isVoid(n) || dom.Attr(n, "id") != "" {
		return false
	}
	if n.Parent.DataAtom != atom.Ol {
		return true
	}
	const most = 32 // nodes after it; in a longer list it stays
	for after, steps := n.NextSibling, 0; after != nil; after, steps = after.NextSibling, steps+1 {
		if steps == most || after.DataAtom == atom.Li && !isVoid(after) {
			return false
		}
	}
	return true
}

// withoutShortcodes returns s without the shortcodes of page builders, such as
// [vc_row] and [/vc_row], which a site shows when the program that replaces them is
// gone. The text between them stays.
func withoutShortcodes(s string) string {
	const longest = 1024 // bytes
	var b strings.Builder
	for {
		k := strings.IndexByte(s, '[')
		if k < 0 {
			break
		}
		if end := strings.IndexByte(cut(s[k:], longest), ']'); end > 0 && isShortcode(s[k+1:k+end]) {
			b.WriteString(s[:k])
			s = s[k+end+1:]
			continue
		}
		b.WriteString(s[:k+1])
		s = s[k+1:]
	}
	b.WriteString(s)
	return b.String()
}

// isShortcode reports whether the text between brackets is a shortcode of a page
// builder, or a common one that has attributes, or the end of a common one.
func isShortcode(s string) bool {
	closes := strings.HasPrefix(s, "/")
	s = strings.TrimPrefix(s, "/")
	n := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name, rest := s, ""
	if n >= 0 {
		name, rest = s[:n], s[n:]
	}
	for _, prefix := range []string{"vc_", "et_pb_", "fusion_", "av_", "mk_", "ux_", "nectar_", "themify_", "su_", "cs_", "fl_builder", "elementor-", "siteorigin_"} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return rest == "" || rest[0] == ' ' || rest[0] == '/'
		}
	}
	switch name {
	case "caption", "gallery", "embed", "playlist", "contact-form-7", "gravityform", "gravityforms", "rev_slider", "wpforms", "mc4wp_form", "ninja_form", "metaslider":
		return closes && rest == "" || strings.HasPrefix(rest, " ") && strings.Contains(rest, "=")
	}
	return false
}

// unlist turns lists of sections into plain sections. If at least half of the items of
// an unordered list contain a heading or a section, the list is only layout. In Markdown,
// headings within its items would not be headings of the page.
func unlist(root *html.Node) {
	for n := root; n != nil; n = dom.Next(n, root) {
		if n.DataAtom != atom.Ul || n.Namespace != "" {
			continue
		}
		items, sections := 0, 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Li {
				items++
				if holdsSection(c) {
					sections++
				}
			}
		}
		if sections == 0 || 2*sections < items {
			continue
		}
		n.DataAtom, n.Data = atom.Div, "div"
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Li {
				c.DataAtom, c.Data = atom.Div, "div"
			}
		}
	}
}

// holdsSection reports whether an item has a heading or a section as a child, or as a
// child of a child that is a div.
func holdsSection(item *html.Node) bool {
	for c := item.FirstChild; c != nil; c = c.NextSibling {
		if isSection(c) {
			return true
		}
		if c.DataAtom != atom.Div {
			continue
		}
		for d := c.FirstChild; d != nil; d = d.NextSibling {
			if isSection(d) {
				return true
			}
		}
	}
	return false
}

func isSection(n *html.Node) bool {
	return n.DataAtom == atom.Section || n.DataAtom == atom.Article || isHeading(n)
}

// divide takes the headings out of tables that rows with a heading divide into parts, such as
// the members of a class by their kind. The rows between two headings become a table. In
// Markdown, headings within a table would not be headings of the page. A table stays as it
// is if rows or a caption above the first heading say what its columns contain.
func divide(root *html.Node) {
	for n := root; n != nil; n = dom.Next(n, root) {
		if n.DataAtom != atom.Table || n.Namespace != "" {
			continue
		}
		rows, ok := dividedRows(n)
		if !ok {
			continue
		}
		from := 0 // the first row of the part
		first := headingCell(rows[0])
		for i, r := range rows {
			cell := headingCell(r)
			if cell == nil {
				continue
			}
			before(n, rows[from:i])
			from = i + 1
			r.Parent.RemoveChild(r)
			cell.Parent.RemoveChild(cell)
			cell.DataAtom, cell.Data, cell.Attr = atom.Div, "div", nil
			n.Parent.InsertBefore(cell, n)
		}
		n = first // tables within the rows may be divided too
	}
}

// dividedRows returns the rows of a table, and whether headings divide it: it begins with
// one, and no cell spans rows.
func dividedRows(table *html.Node) (rows []*html.Node, ok bool) {
	if table.Parent == nil {
		return nil, false
	}
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		if part.DataAtom == atom.Caption {
			return nil, false
		}
		for r := part.FirstChild; r != nil; r = r.NextSibling {
			if r.DataAtom != atom.Tr {
				continue
			}
			if len(rows) == 0 && headingCell(r) == nil {
				return nil, false
			}
			for c := r.FirstChild; c != nil; c = c.NextSibling {
				if span := dom.Attr(c, "rowspan"); span != "" && span != "1" {
					return nil, false
				}
			}
			rows = append(rows, r)
		}
	}
	return rows, len(rows) > 0
}

// headingCell returns the only cell of a row if it begins with a heading, and nil otherwise.
func headingCell(row *html.Node) *html.Node {
	var cell *html.Node
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		if cell != nil {
			return nil
		}
		cell = c
	}
	if cell == nil {
		return nil
	}
	for c := cell.FirstChild; c != nil; {
		switch {
		case isHeading(c):
			return cell
		case c.DataAtom == atom.Div:
			c = c.FirstChild
		case isVoid(c):
			c = c.NextSibling
		default:
			return nil
		}
	}
	return nil
}

// before moves rows to a new table before another one.
func before(table *html.Node, rows []*html.Node) {
	if len(rows) == 0 {
		return
	}
	t := &html.Node{Type: html.ElementNode, DataAtom: atom.Table, Data: "table", Attr: table.Attr}
	var part, last *html.Node // the part of the new table, and that of the old one
	for _, r := range rows {
		if r.Parent != last {
			last = r.Parent
			part = &html.Node{Type: html.ElementNode, DataAtom: last.DataAtom, Data: last.Data}
			t.AppendChild(part)
		}
		r.Parent.RemoveChild(r)
		part.AppendChild(r)
	}
	table.Parent.InsertBefore(t, table)
}
