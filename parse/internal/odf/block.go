// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"cmp"
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

var headings = [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// blocks reads all blocks in e.
func (d *reader) blocks(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if d.depth >= maxNesting {
		d.leaveDeep(e)
		return
	}
	d.depth++
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" && ctx.Err() == nil {
			d.block(ctx, f, c)
		}
	}
	d.depth--
}

// block reads one block or an element that contains blocks.
func (d *reader) block(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if !d.room() {
		d.leave(e)
		return
	}
	switch e.Name {
	case "text:h":
		d.heading(ctx, f, e, "")
	case "text:p":
		d.paragraph(ctx, f, e, nil)
	case "text:list":
		d.list(ctx, f, e, "", 0, false)
	case "table:table":
		d.table(ctx, f, e)
	case "office:annotation":
		in := inline{d: d}
		in.annotation(ctx, e)
		d.pending = append(d.pending, in.line.Nodes(atom.Sup)...)
	case "text:section":
		if e.Attr("text:display") == "none" {
			if d.options.Hidden == doctree.HiddenDropped {
				d.hidden++
				return
			}
			d.unseen++
			defer func() { d.unseen-- }()
		}
		d.blocks(ctx, f, e)
	case "text:table-of-content", "text:illustration-index", "text:table-index", "text:object-index", "text:alphabetical-index", "text:bibliography", "text:user-index":
		d.index(ctx, f, e)
	case "text:tracked-changes", "text:sequence-decls", "text:variable-decls", "text:user-field-decls", "text:soft-page-break",
		"office:forms", "office:event-listeners", "text:change", "text:change-start", "text:change-end", "presentation:notes",
		"text:index-title-template", "text:table-of-content-source", "svg:title", "svg:desc", "draw:image-map", "draw:glue-point", "draw:enhanced-geometry":
	default:
		if strings.HasPrefix(e.Name, "draw:") {
			in := inline{d: d, formulas: true}
			in.shape(ctx, e, doctree.Style{})
			if !in.line.Empty() {
				in.line.Write(&d.b, f.Append(atom.P))
			}
			in.after(f)
			return
		}
		d.blocks(ctx, f, e)
	}
}

// heading reads a heading. number is its number if it is a list item.
func (d *reader) heading(ctx context.Context, f *doctree.Flow, e *zipxml.Element, number string) {
	in := inline{d: d}
	in.children(ctx, e, doctree.Style{})
	if in.line.Blank() {
		in.after(f)
		return
	}
	level := max(1, min(e.Int("text:outline-level", e.Int("text:level", 1)), 10))
	if number == "" && e.Attr("text:is-list-header") != "true" {
		number = d.outlineNumber(level)
	}
	if number != "" {
		in.line.Prefix(number + " ")
	}
	if in.line.Every(func(s doctree.Style) bool { return s.Bold }) {
		in.line.Restyle(func(s *doctree.Style) { s.Bold = false })
	}
	in.line.Write(&d.b, f.Append(headings[min(level, 6)-1], "id", d.ids.Make(in.line.Content())))
	in.after(f)
}

// outlineNumber counts a heading and returns its number as shown.
func (d *reader) outlineNumber(level int) string {
	d.outline[level-1]++
	clear(d.outline[level:])
	st := d.styles.outline[level]
	if st.Attr("style:num-format") == "" {
		return ""
	}
	var parts []string
	for at := level - max(1, min(st.Int("text:display-levels", 1), level)); at < level; at++ {
		upper := d.styles.outline[at+1]
		if format := upper.Attr("style:num-format"); format != "" {
			parts = append(parts, ooxml.Number(numberFormat(format), upper.Int("text:start-value", 1)-1+max(d.outline[at], 1)))
		}
	}
	return strings.TrimSpace(st.Attr("style:num-prefix") + strings.Join(parts, ".") + st.Attr("style:num-suffix"))
}

// numberFormat returns the Office Open XML name of a number format.
func numberFormat(format string) string {
	switch format {
	case "a":
		return "lowerLetter"
	case "A":
		return "upperLetter"
	case "i":
		return "lowerRoman"
	case "I":
		return "upperRoman"
	}
	return "decimal"
}

// paragraph reads a paragraph. If block is not nil, it writes into that
// element.
func (d *reader) paragraph(ctx context.Context, f *doctree.Flow, e *zipxml.Element, block *html.Node) {
	name := e.Attr("text:style-name")
	if d.styles.invisible("paragraph", name) {
		if d.options.Hidden == doctree.HiddenDropped {
			d.hidden++
			return
		}
		d.unseen++
		defer func() { d.unseen-- }()
	}
	role, _ := d.styles.role("paragraph", name)
	in := inline{d: d}
	look := doctree.Style{Href: d.link}
	switch role {
	case doctree.Title, doctree.Quote, doctree.Code, doctree.Term: // these have a style of their own
	default:
		look = d.styles.apply(look, "paragraph", name)
	}
	if d.unseen > 0 {
		look = d.options.Hidden.Style(look)
	}
	some, more := objects(e)
	in.formulas = some && !more
	in.children(ctx, e, look)
	for _, ref := range d.pending {
		in.line.Node(ref, doctree.Style{})
	}
	d.pending = nil
	switch {
	case !in.line.Blank() || in.line.First() != nil:
		d.side.Add(d.styles.side(name))
		d.write(f, &in, role, block, d.direction(name))
	case block == nil:
		f.Gap()
		d.rule(f, name)
	}
	in.after(f)
}

// rule writes a horizontal rule for an empty paragraph with a border above
// or below it. It writes only one for several such paragraphs in a row.
func (d *reader) rule(f *doctree.Flow, style string) {
	if last := f.Into.LastChild; d.cells == 0 && last != nil && last.DataAtom != atom.Hr && d.styles.ruled(style) {
		f.Append(atom.Hr)
	}
}

// objects reports whether a paragraph has objects, such as formulas, and
// whether it has anything else.
func objects(p *zipxml.Element) (some, more bool) {
	for c := p.First(); c != nil; c = c.Next() {
		switch {
		case c.Name == "" && strings.TrimSpace(c.Text) == "", c.Name == "text:soft-page-break", c.Name == "text:s", c.Name == "text:tab":
		case c.Name == "draw:frame" && c.Get("draw:object") != nil:
			some = true
		case c.Name == "text:span":
			in, other := objects(c)
			some, more = some || in, more || other
		default:
			return some, true
		}
	}
	return some, more
}

// flush writes references to comments that no paragraph followed.
func (d *reader) flush(f *doctree.Flow) {
	if len(d.pending) == 0 {
		return
	}
	p := f.Append(atom.P)
	for _, ref := range d.pending {
		p.AppendChild(ref)
	}
	d.pending = nil
}

// direction returns the dir attribute for blocks of a style.
func (d *reader) direction(name string) []string {
	if strings.HasPrefix(d.styles.get("paragraph", name, "style:writing-mode"), "rl") {
		return []string{"dir", "rtl"}
	}
	return nil
}

// write writes the block of a paragraph.
func (d *reader) write(f *doctree.Flow, in *inline, role doctree.Role, block *html.Node, attrs []string) {
	switch {
	case block != nil:
		in.line.Write(&d.b, block)
	case role == doctree.Plain && isBox(in.line.First()):
		in.line.Write(&d.b, f.Item(doctree.Item{Key: "box"}, attrs...))
	case role == doctree.Title && !in.line.Blank():
		in.line.Restyle(func(s *doctree.Style) { s.Bold = false })
		in.line.Write(&d.b, f.Append(atom.H1, "id", d.ids.Make(in.line.Content())))
	case role == doctree.Quote:
		q, _ := f.Joined(atom.Blockquote)
		in.line.Write(&d.b, d.b.Append(q, atom.P, attrs...))
	case role == doctree.Code:
		f.Code(in.line.Content())
	case role == doctree.Term:
		list, _ := f.Joined(atom.Dl)
		in.line.Write(&d.b, d.b.Append(list, atom.Dt, attrs...))
	case role == doctree.Definition && f.Defining():
		list, _ := f.Joined(atom.Dl)
		in.line.Write(&d.b, d.b.Append(list, atom.Dd, attrs...))
	case role == doctree.Continues && f.Listing():
		in.line.Write(&d.b, f.Continue(atom.P, attrs...))
	default:
		mono := in.line.Every(func(s doctree.Style) bool { return s.Code })
		if mono && role == doctree.Plain && f.Program(in.line.Content()) {
			f.Code(in.line.Content())
			return
		}
		if mono && !in.named {
			in.line.Restyle(func(s *doctree.Style) { s.Code = false }) // a monospaced font of the whole line is not a sign of inline code
		}
		in.line.Write(&d.b, f.Append(atom.P, attrs...))
	}
}

func isBox(n *html.Node) bool { return n != nil && n.DataAtom == atom.Input }

// counter counts the items of a list style. On slides it counts the items of
// one text.
type counter struct {
	next [10]int
	like [10]string // how the items are numbered; used for slides only
}

// list reads a list. If it names no style, it has the style of the enclosing
// list. It continues the numbers of that list if goesOn is set and it comes
// first in its item.
func (d *reader) list(ctx context.Context, f *doctree.Flow, e *zipxml.Element, style string, level int, goesOn bool) {
	if level >= len(counter{}.next) || d.depth >= maxNesting {
		d.blocks(ctx, f, e)
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	if name := e.Attr("text:style-name"); name != "" {
		style = name
	}
	kind, isList := d.level(style, level)
	key, like := style, ""
	if d.options.Kind == "odp" { // Impress continues the numbers if the previous paragraph is an item, whatever its style
		key, goesOn = "", f.Listing()
		like = kind.Attr("style:num-prefix") + "1" + kind.Attr("style:num-suffix") + kind.Attr("style:num-format")
	}
	c := d.lists[key]
	if c == nil {
		c = &counter{}
		d.lists[key] = c
	}
	if c.like[level] != like {
		c.like[level], c.next[level] = like, 0
	}
	goesOn = goesOn || e.Attr("text:continue-numbering") == "true" || e.Attr("text:continue-list") != ""
	if !goesOn || c.next[level] == 0 {
		c.next[level] = kind.Int("text:start-value", 1)
	}
	for item := e.First(); item != nil; item = item.Next() {
		switch item.Name {
		case "text:list-item", "text:list-header":
			d.item(ctx, f, item, style, level, kind, isList, goesOn, c)
			goesOn = false
		}
	}
}

// level returns the definition of a list level, and whether its items have a
// number or bullet. If the style lacks the level, the nearest level above is
// used.
func (d *reader) level(style string, level int) (*zipxml.Element, bool) {
	var nearest *zipxml.Element
	for e := d.styles.lists[style].First(); e != nil; e = e.Next() {
		if at := e.Int("text:level", 0); at >= 1 && at <= level+1 && (nearest == nil || at >= nearest.Int("text:level", 0)) {
			nearest = e
		}
	}
	switch {
	case nearest == nil:
		return nil, true
	case nearest.Name == "text:list-level-style-number":
		return nearest, nearest.Attr("style:num-format") != ""
	case nearest.Name == "text:list-level-style-bullet":
		return nearest, doctree.Shows(nearest.Attr("text:bullet-char"))
	}
	return nearest, true
}

// item reads one item. Its first paragraph is written directly into the
// item.
func (d *reader) item(ctx context.Context, f *doctree.Flow, e *zipxml.Element, style string, level int, kind *zipxml.Element, isList, goesOn bool, c *counter) {
	first := e.Name == "text:list-item"
	if first {
		c.next[level] = e.Int("text:start-value", c.next[level])
	}
	for block := e.First(); block != nil; block = block.Next() {
		switch {
		case block.Name == "text:list":
			d.list(ctx, f, block, style, level+1, goesOn && first)
		case block.Name == "text:h" && first:
			first = false
			number := ""
			d.implied(style, level, c)
			if kind != nil && kind.Name == "text:list-level-style-number" && isList {
				number = d.shown(style, level, c)
			}
			c.next[level]++
			clear(c.next[level+1:])
			d.heading(ctx, f, block, number)
		case block.Name == "text:p" && first && isList && d.styles.get("paragraph", block.Attr("text:style-name"), "text:enable-numbering") != "false":
			first = false
			d.implied(style, level, c)
			item, prefix := d.bullet(style, level, kind, c)
			item.Left = d.left(kind, block.Attr("text:style-name"))
			in := inline{d: d}
			in.children(ctx, block, d.styles.apply(doctree.Style{}, "paragraph", block.Attr("text:style-name")))
			c.next[level]++
			clear(c.next[level+1:])
			if in.line.Blank() && in.line.First() == nil {
				in.after(f)
				continue
			}
			checked, ok := in.line.Box()
			in.line.Prefix(prefix)
			li := f.Item(item, d.direction(block.Attr("text:style-name"))...)
			if ok {
				li.AppendChild(d.b.Checkbox(checked))
			}
			in.line.Write(&d.b, li)
			in.after(f)
		case block.Name == "text:h":
			d.block(ctx, f, block)
		case block.Name != "":
			d.block(ctx, f.Rest(level), block)
		}
	}
}

// implied counts a first item for each level above that has none, so that
// the next item there is the second.
func (d *reader) implied(style string, level int, c *counter) {
	for above := range level {
		if upper, _ := d.level(style, above); c.next[above] <= upper.Int("text:start-value", 1) {
			c.next[above] = upper.Int("text:start-value", 1) + 1
		}
	}
}

// bullet returns the next item. If HTML lists cannot show its number, bullet
// also returns the number as text.
func (d *reader) bullet(style string, level int, kind *zipxml.Element, c *counter) (doctree.Item, string) {
	item := doctree.Item{Level: level, Key: "list"}
	if kind == nil || kind.Name != "text:list-level-style-number" {
		return item, ""
	}
	before, after := strings.TrimSpace(kind.Attr("style:num-prefix")), strings.TrimSpace(kind.Attr("style:num-suffix"))
	if kind.Int("text:display-levels", 1) > 1 && level > 0 || strings.Trim(before, "(") != "" || strings.Trim(after, ".):") != "" {
		return item, d.shown(style, level, c) + " "
	}
	item.Ordered, item.Number, item.Label = true, c.next[level], d.shown(style, level, c)
	if d.options.Kind != "odp" {
		item.Key = style
	}
	switch format := kind.Attr("style:num-format"); format {
	case "a", "A", "i", "I":
		item.Type = format
	}
	return item, ""
}

// left returns the indent of an item's text in twentieths of a point, from
// its paragraph style or else from its list level. It returns zero if
// neither sets it.
func (d *reader) left(kind *zipxml.Element, style string) int {
	own := ""
	if st := d.styles.byName[key("paragraph", style)]; st != nil {
		own = st.properties["fo:margin-left"]
	}
	level := kind.Get("style:list-level-properties")
	at, ok := points(cmp.Or(own, level.Get("style:list-level-label-alignment").Attr("fo:margin-left")))
	if !ok { // programs wrote it this way before ODF 1.2
		before, _ := points(level.Attr("text:space-before"))
		width, _ := points(level.Attr("text:min-label-width"))
		at = before + width
	}
	if !(at > 0 && at < 1e4) {
		return 0
	}
	return int(20 * at)
}

// shown returns the number of the next item as text.
func (d *reader) shown(style string, level int, c *counter) string {
	kind, _ := d.level(style, level)
	var parts []string
	for at := level + 1 - max(1, min(kind.Int("text:display-levels", 1), level+1)); at <= level; at++ {
		upper, _ := d.level(style, at)
		n := c.next[at]
		if at < level {
			n-- // the number of the item that contains this one
		}
		parts = append(parts, ooxml.Number(numberFormat(upper.Attr("style:num-format")), max(n, 1)))
	}
	return strings.TrimSpace(kind.Attr("style:num-prefix") + strings.Join(parts, ".") + kind.Attr("style:num-suffix"))
}

// index reads a table of contents or another index.
func (d *reader) index(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	body := e.Get("text:index-body")
	nav := d.b.Element(atom.Nav, "role", "doc-toc")
	entries := &doctree.Flow{B: &d.b, Into: nav}
	var numbers [10]int
	for c := body.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "text:index-title":
			d.blocks(ctx, &doctree.Flow{B: &d.b, Into: nav}, c)
		case "text:p":
			in := inline{d: d}
			in.children(ctx, c, doctree.Style{})
			if in.line.Blank() {
				continue
			}
			_, level := d.styles.role("paragraph", c.Attr("text:style-name"))
			numbers[level]++
			clear(numbers[level+1:])
			in.line.Write(&d.b, entries.Item(doctree.Item{Level: level, Ordered: true, Number: numbers[level]}))
		}
	}
	if nav.FirstChild != nil {
		f.Node(nav)
	}
}
