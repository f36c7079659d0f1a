// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const (
	maxSpaces = 200 // of one text:s
	maxHeld   = 100 // overlapping ranges of comments
)

// inline reads the content of one paragraph.
type inline struct {
	d     *reader
	line  doctree.Line
	aside []*html.Node // blocks anchored in the paragraph
	depth int
	named bool // part of it has a code style

	formulas bool   // the paragraph has only formulas
	symbols  string // font of the text if it is a symbol font

	root *zipxml.Element // the element being read
	ends map[string]bool // names of the comments whose ranges end in the paragraph; nil until first used
	held []held
}

// held is a reference to a comment whose range is still open.
type held struct {
	name string
	ref  *html.Node
}

// after writes the blocks anchored in a paragraph.
func (in *inline) after(f *doctree.Flow) {
	for _, n := range in.aside {
		f.Node(n)
	}
}

// children reads all children of e.
func (in *inline) children(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	if in.depth >= maxNesting {
		in.d.leaveDeep(e)
		return
	}
	if in.depth == 0 {
		in.root, in.ends = e, nil
	}
	in.depth++
	for c := e.First(); c != nil; c = c.Next() {
		in.child(ctx, c, look)
	}
	in.depth--
	for in.depth == 0 && len(in.held) > 0 { // comments whose end is missing or not shown
		in.close(in.held[0].name)
	}
}

// refer writes the reference to a comment at the end of its range if that is
// in this paragraph, otherwise here.
func (in *inline) refer(name string, ref *html.Node) {
	if in.ends == nil {
		in.ends = map[string]bool{}
		if in.root != nil {
			for e := range in.root.Descendants() {
				if e.Name == "office:annotation-end" {
					in.ends[e.Attr("office:name")] = true
				}
			}
		}
	}
	if name == "" || !in.ends[name] || len(in.held) >= maxHeld {
		in.line.Node(ref, doctree.Style{})
		return
	}
	in.held = append(in.held, held{name, ref})
}

// close writes the reference to a comment at the end of its range.
func (in *inline) close(name string) {
	if i := slices.IndexFunc(in.held, func(h held) bool { return h.name == name }); i >= 0 {
		in.line.Node(in.held[i].ref, doctree.Style{})
		in.held = slices.Delete(in.held, i, i+1)
	}
}

// spaces normalizes white space and removes soft hyphens.
var spaces = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ", "\u00AD", "")

func (in *inline) child(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	switch e.Name {
	case "":
		in.line.Text(in.d.own(ooxml.Symbols(in.symbols, spaces.Replace(e.Text))), look)
	case "text:span":
		name, outer := e.Attr("text:style-name"), in.symbols
		if font := in.d.styles.get("text", name, "style:font-name"); font != "" {
			in.symbols = ooxml.SymbolFont(strings.TrimRight(font, "1")) // LibreOffice numbers declarations of one font
		}
		defer func() { in.symbols = outer }()
		if in.d.styles.invisible("text", name) {
			if in.d.options.Hidden == doctree.HiddenDropped {
				in.d.hidden++
				return
			}
			look = in.d.options.Hidden.Style(look)
		}
		look = in.d.styles.apply(look, "text", name)
		if role, _ := in.d.styles.role("text", name); role == doctree.Code {
			look.Code, in.named = true, true
		}
		in.children(ctx, e, look)
	case "text:s":
		n := max(1, min(e.Int("text:c", 1), maxSpaces))
		in.d.repeats += n
		in.line.Text(strings.Repeat(" ", n), look)
	case "text:tab":
		in.line.Text("\t", look)
	case "text:line-break":
		in.line.Text("\n", look)
	case "text:a":
		look.Href = in.d.own(doctree.Href(target(e.Attr("xlink:href"))))
		in.children(ctx, e, look)
	case "text:bookmark-ref", "text:reference-ref":
		if name := e.Attr("text:ref-name"); name != "" && look.Href == "" {
			look.Href = "#" + name
		}
		in.d.fill(e)
		in.children(ctx, e, look)
	case "text:bookmark", "text:bookmark-start", "text:reference-mark", "text:reference-mark-start":
		if name := e.Attr("text:name"); name != "" {
			in.line.Node(in.d.b.Element(atom.Span, "id", in.d.own(name)), doctree.Style{})
		}
	case "text:note":
		in.note(ctx, e)
	case "office:annotation":
		in.annotation(ctx, e)
	case "office:annotation-end":
		in.close(e.Attr("office:name"))
	case "text:ruby":
		in.children(ctx, e.Get("text:ruby-base"), look)
		in.line.Text("(", look)
		in.children(ctx, e.Get("text:ruby-text"), look)
		in.line.Text(")", look)
	case "loext:content-control":
		in.control(ctx, e, look)
	case "field:fieldmark":
		in.mark(e, look)
	case "text:hidden-text", "text:hidden-paragraph":
		if in.d.options.Hidden == doctree.HiddenDropped {
			in.d.hidden++
			return
		}
		look = in.d.options.Hidden.Style(look)
		if e.Content() == "" {
			in.line.Text(in.d.own(spaces.Replace(e.Attr("text:string-value"))), look)
		}
		in.children(ctx, e, look)
	case "text:placeholder":
		in.d.ask(e)
	case "text:script", "office:event-listeners", "text:number", "text:change", "text:change-start", "text:change-end", "text:soft-page-break":
	case "text:p", "text:h": // in a shape
		in.line.Text("\n", look)
		in.children(ctx, e, look)
	default:
		if strings.HasPrefix(e.Name, "draw:") {
			in.shape(ctx, e, look)
			return
		}
		in.d.fill(e)
		in.children(ctx, e, look)
	}
}

// fields are the fields whose text comes from another place or is computed.
const fields = " text:bookmark-ref text:reference-ref text:sequence-ref text:note-ref text:sequence text:variable-get text:user-field-get text:user-defined text:expression text:conditional-text text:database-display text:text-input "

// fill counts a field without the text that it shows.
func (d *reader) fill(e *zipxml.Element) {
	if strings.Contains(fields, " "+e.Name+" ") && e.Attr("text:display") != "none" && e.Content() == "" {
		d.unfilled++
	}
}

// ask counts a text that asks for the content of an empty field.
func (d *reader) ask(e *zipxml.Element) {
	if strings.TrimSpace(e.Content()) != "" {
		d.placeholders++
	}
}

// control reads a content control of LibreOffice: a check box, a choice or a
// text.
func (in *inline) control(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	switch {
	case e.Attr("loext:showing-place-holder") == "true":
		in.d.ask(e)
	case e.Attr("loext:checkbox") == "true":
		in.line.Node(in.d.b.Checkbox(e.Attr("loext:checked") == "true"), doctree.Style{})
	default:
		in.children(ctx, e, look)
	}
}

// mark reads a field of a form of Word: a check box or a choice.
func (in *inline) mark(e *zipxml.Element, look doctree.Style) {
	var entries []string
	selected := -1
	for c := e.Named("field:param"); c != nil; c = c.Same() {
		value := c.Attr("field:value")
		switch c.Attr("field:name") {
		case "Dropdown_ListEntry":
			entries = append(entries, value)
		case "Dropdown_Selected":
			selected, _ = strconv.Atoi(value)
		case "Checkbox_Checked":
			selected = 0
			if value == "true" {
				selected = 1
			}
		}
	}
	switch {
	case strings.HasSuffix(e.Attr("field:type"), "FORMCHECKBOX"):
		in.line.Node(in.d.b.Checkbox(selected == 1), doctree.Style{})
	case selected >= 0 && selected < len(entries):
		in.line.Text(in.d.own(entries[selected]), look)
	}
}

// target returns the target of a link. Links to headings have a suffix with
// the kind of target, which is removed.
func target(href string) string {
	if name, ok := strings.CutPrefix(href, "#"); ok {
		name, _, _ = strings.Cut(name, "|")
		return "#" + name
	}
	return href
}

// note reads a footnote or an endnote.
func (in *inline) note(ctx context.Context, e *zipxml.Element) {
	d := in.d
	if d.depth >= maxNesting {
		d.leaveDeep(e)
		return
	}
	ref, li := d.notes.Add(&d.b, "")
	in.line.Node(ref, doctree.Style{})
	d.blocks(ctx, &doctree.Flow{B: &d.b, Into: li}, e.Get("text:note-body"))
	doctree.Unwrap(li)
}

// credit returns who wrote a comment, and when. OpenOffice 1 has both as attributes.
func (d *reader) credit(e *zipxml.Element) (author, date string) {
	author = cmp.Or(e.Get("dc:creator").Content(), e.Attr("office:author"))
	return d.own(author), d.own(cmp.Or(e.Get("dc:date").Content(), e.Attr("office:create-date")))
}

// annotation reads a comment.
func (in *inline) annotation(ctx context.Context, e *zipxml.Element) {
	d := in.d
	if d.depth >= maxNesting {
		d.leaveDeep(e)
		return
	}
	author, date := d.credit(e)
	var attrs []string
	if author != "" {
		attrs = append(attrs, "data-author", author)
	}
	if date != "" {
		attrs = append(attrs, "data-date", date)
	}
	ref, li := d.notes.Add(&d.b, "comment", attrs...)
	in.refer(e.Attr("office:name"), ref)
	pending := d.pending // these belong to the main text
	d.pending = nil
	defer func() { d.pending = pending }()
	f := &doctree.Flow{B: &d.b, Into: li}
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name == "text:p" || c.Name == "text:list" {
			d.block(ctx, f, c)
		}
	}
	doctree.Unwrap(li)
	if d.again { // a comment of a repeated cell is written outside the cell
		for n := range li.Descendants() {
			d.repeats += len(n.Data)
		}
	}
}

// shape reads a shape. Pictures and formulas become part of the line; shapes
// with blocks follow the paragraph.
func (in *inline) shape(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	if in.depth >= maxNesting {
		in.d.leaveDeep(e)
		return
	}
	if !in.d.room() {
		in.d.leave(e)
		return
	}
	if in.d.styles.veils(e) {
		if in.d.options.Hidden == doctree.HiddenDropped {
			in.d.veiled++
			return
		}
		in.d.unseen++
		defer func() { in.d.unseen-- }()
		look = in.d.options.Hidden.Style(look)
	}
	in.depth++
	defer func() { in.depth-- }()
	if href := e.Get("office:event-listeners", "presentation:event-listener").Attr("xlink:href"); look.Href == "" {
		look.Href = in.d.own(doctree.Href(target(href)))
	}
	switch e.Name {
	case "draw:frame":
		in.frame(ctx, e, look)
	case "draw:a":
		look.Href = in.d.own(doctree.Href(target(e.Attr("xlink:href"))))
		in.children(ctx, e, look)
	case "draw:image", "draw:object", "draw:object-ole": // OpenOffice 1 has no frames
		in.frame(ctx, wrap(e), look)
	case "draw:g":
		for c := e.First(); c != nil; c = c.Next() {
			if strings.HasPrefix(c.Name, "draw:") {
				in.shape(ctx, c, look)
			}
		}
		in.told(in.describe(e), look)
	case "draw:control":
		in.formControl(in.d.controls[e.Attr("draw:control")], look)
	case "draw:page-thumbnail":
	default: // custom shapes, rectangles, ellipses, connectors
		in.told(in.describe(e), look)
		in.box(ctx, e, look)
	}
}

// told adds the description of a shape that is not a picture.
func (in *inline) told(said doctree.Description, look doctree.Style) {
	if said.Text != "" {
		in.line.Picture(&in.d.b, said, look.Href)
	}
}

// describe returns what the document says about a frame or a picture.
func (in *inline) describe(e *zipxml.Element) doctree.Description {
	return doctree.Describe(in.d.own(e.Get("svg:desc").Content())).Titled(in.d.own(e.Get("svg:title").Content()))
}

// frame reads the first content of a frame that can be read. The other
// contents are alternatives.
func (in *inline) frame(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	said, before, mark := in.describe(e), len(in.aside), in.line.Mark()
	defer func() {
		if len(in.aside) > before || in.line.Mark() == mark { // it is neither a picture nor a formula
			in.told(said, look)
		}
	}()
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "draw:text-box":
			in.box(ctx, c, look)
			return
		case "table:table":
			f := doctree.Flow{B: &in.d.b, Into: in.d.b.Element(atom.Div)}
			in.d.table(ctx, &f, c)
			in.take(f.Into)
			return
		case "draw:object":
			if in.object(ctx, c) {
				return
			}
		case "draw:floating-frame", "draw:applet":
			in.d.objects.Fail(strings.TrimPrefix(c.Name, "draw:"))
		case "draw:plugin":
			in.d.objects.Fail(strings.Trim(path.Base(c.Attr("xlink:href")), "."))
		case "draw:object-ole":
			if figure := in.d.foreign(ctx, c); figure != nil {
				in.aside = append(in.aside, figure)
				return
			}
		case "draw:image":
			img := in.line.Picture(&in.d.b, said.Or(in.describe(c)), look.Href)
			if href := c.Attr("xlink:href"); strings.HasPrefix(href, "http:") || strings.HasPrefix(href, "https:") {
				img.Attr = append(img.Attr, html.Attribute{Key: "src", Val: href})
			}
			return
		}
	}
}

// take moves the blocks in n to the blocks that follow the paragraph.
func (in *inline) take(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		in.aside = append(in.aside, c)
	}
}

// box reads the blocks of a text box. On a slide they are written without a
// box. Text without a link of its own has that of the box.
func (in *inline) box(ctx context.Context, e *zipxml.Element, look doctree.Style) {
	d := in.d
	link := d.link
	d.link = look.Href
	box := d.b.Element(atom.Aside, "data-role", "textbox")
	d.blocks(ctx, &doctree.Flow{B: &d.b, Into: box}, e)
	d.link = link
	switch {
	case box.FirstChild == nil:
	case d.options.Kind == "odp":
		in.take(box)
	default:
		in.aside = append(in.aside, box)
	}
}

// object reads a formula or a chart, and reports whether the element is one.
func (in *inline) object(ctx context.Context, e *zipxml.Element) bool {
	d := in.d
	root := d.object(ctx, e.Attr("xlink:href"))
	if root == nil {
		root = e // in a flat document
	}
	math := root.Find("math:math")
	if root.Name == "math:math" {
		math = root
	}
	if math != nil {
		if tex := mathtex.MathML(math); tex != "" {
			// LibreOffice writes display="block" even for formulas within
			// text.
			in.line.Node(d.b.Math(tex, in.formulas), doctree.Style{})
			return true
		}
	}
	figure := d.chart(ctx, root.Find("chart:chart"))
	if figure == nil {
		figure = d.embedded(ctx, root, path.Base(e.Attr("xlink:href")))
	}
	if figure == nil {
		figure = d.foreign(ctx, e)
	}
	if figure == nil {
		return false
	}
	in.aside = append(in.aside, figure)
	return true
}

// embedded returns a figure with the text or the sheets of an embedded document,
// or nil if it has neither.
func (d *reader) embedded(ctx context.Context, root *zipxml.Element, name string) *html.Node {
	if d.nested >= maxEmbedded {
		return nil
	}
	d.nested++
	defer func() { d.nested-- }()
	for _, kind := range []string{"office:text", "office:spreadsheet", "office:presentation", "office:drawing"} {
		body := root.Find(kind)
		if body == nil {
			continue
		}
		figure := d.b.Element(atom.Figure, "data-role", "object")
		if name == "." {
			name = "object" // in a flat document it has no name
		}
		d.b.Text(d.b.Append(figure, atom.Figcaption), "Embedded object: "+doctree.Clean(name))
		d.blocks(ctx, &doctree.Flow{B: &d.b, Into: figure}, body)
		return figure
	}
	return nil
}

// chart returns a figure with the cached data of a chart, or nil if there is
// none.
func (d *reader) chart(ctx context.Context, e *zipxml.Element) *html.Node {
	line := func(title *zipxml.Element) string {
		var words []string
		for p := title.Named("text:p"); p != nil; p = p.Same() { // programs add copies with formats of their own
			words = append(words, strings.Fields(p.Content())...)
		}
		return strings.Join(words, " ")
	}
	across, up := "", ""
	for axis := e.Get("chart:plot-area").Named("chart:axis"); axis != nil; axis = axis.Same() {
		switch title := line(axis.Get("chart:title")); axis.Attr("chart:dimension") {
		case "x":
			across = cmp.Or(across, title)
		default:
			up = ooxml.AxisTitles(up, title)
		}
	}
	figure := d.b.Element(atom.Figure, "data-role", "chart")
	if text := ooxml.ChartCaption(line(e.Get("chart:title")), chartSorts(e.Attr("chart:class")), up); text != "" {
		d.b.Text(d.b.Append(figure, atom.Figcaption), text)
	}
	table := e.Get("table:table")
	if table == nil {
		for c := e.Get("chart:plot-area").Named("chart:series"); c != nil; c = c.Same() {
			d.charts.Bare++
		}
	} else {
		d.table(ctx, &doctree.Flow{B: &d.b, Into: figure}, table)
		if corner := first(figure, atom.Th); corner != nil && corner.FirstChild == nil {
			d.b.Text(corner, across)
		}
	}
	if figure.FirstChild == nil {
		return nil
	}
	return figure
}

// chartSorts returns the chart type for a chart class (ODF 1.3 part 3,
// 19.15).
func chartSorts(class string) []string {
	switch class = strings.TrimPrefix(class, "chart:"); class {
	case "bar", "line", "area", "scatter", "radar", "bubble", "stock", "surface":
		return []string{class}
	case "circle":
		return []string{"pie"}
	case "ring":
		return []string{"doughnut"}
	case "filled-radar":
		return []string{"radar"}
	}
	return nil
}

// first returns the first descendant of n with a tag, or nil if there is
// none.
func first(n *html.Node, tag atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.DataAtom == tag {
			return d
		}
	}
	return nil
}
