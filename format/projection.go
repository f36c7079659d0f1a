// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/dom"
)

// A projection is the copy of a view, from which the forms are read. References in
// it are absolute, and each image has its best source only.
type projection struct {
	root   *html.Node
	links  []string     // of a and area elements, as found
	images []string     // as found
	data   []*html.Node // images that lost their data: URL
}

// A projector makes a projection.
type projector struct {
	page  *page
	v     *view
	p     projection
	drops bool  // remove data: URLs from images
	links bool  // the links form is asked for
	shown bool  // the images form is asked for
	tabs  *tabs // nil until the first tab panel
}

// newProjection copies v.
func newProjection(b *builder, v *view) projection {
	p := projector{page: &b.page, v: v, drops: !b.o.KeepDataImages}
	p.links, p.shown = slices.Contains(b.forms, Links), slices.Contains(b.forms, Images)
	p.p.root = p.node()
	p.p.root.Type = html.DocumentNode
	var last int32 = -1 // the previous root
	for _, id := range v.roots {
		if v.drop.Has(id) {
			continue
		}
		if v.ix.Nodes[id].Type == html.DocumentNode {
			p.copy(p.p.root, id+1, v.ix.End[id])
			continue
		}
		p.copy(p.home(id, last), id, v.ix.End[id])
		last = id
	}
	return p.p
}

// home returns the parent in the copy of the root id of the view. An item, row or
// cell gets the parents that it needs. It shares them with the previous root if
// both had the same parent on the page.
func (p *projector) home(id, last int32) *html.Node {
	n, top := p.v.ix.Nodes[id], p.p.root
	var path []atom.Atom
	switch n.DataAtom {
	case atom.Li:
		path = []atom.Atom{atom.Ul}
		if n.Parent != nil && n.Parent.DataAtom == atom.Ol {
			path[0] = atom.Ol
		}
	case atom.Tr:
		path = []atom.Atom{atom.Table, atom.Tbody}
	case atom.Td, atom.Th:
		path = []atom.Atom{atom.Table, atom.Tbody, atom.Tr}
	case atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
		path = []atom.Atom{atom.Table}
	}
	if last >= 0 && len(path) > 0 && p.v.ix.Nodes[last].Parent == n.Parent && top.LastChild.DataAtom == path[0] {
		at := top.LastChild
		for range path[1:] {
			at = at.LastChild
		}
		return at
	}
	if last >= 0 {
		p.text(top, "\n") // separates the words of two roots
	}
	for _, a := range path {
		c := p.node()
		c.Type, c.DataAtom, c.Data = html.ElementNode, a, a.String()
		top.AppendChild(c)
		top = c
	}
	return top
}

// node returns a new node.
func (p *projector) node() *html.Node {
	return &p.page.arena.nodes.take(1)[0]
}

// attrs returns memory for n attributes.
func (p *projector) attrs(n int) []html.Attribute {
	if n > chunkSize {
		return make([]html.Attribute, 0, n)
	}
	return p.page.arena.attrs.take(n)[:0]
}

func (p *projector) text(parent *html.Node, s string) {
	n := p.node()
	n.Type, n.Data = html.TextNode, s
	parent.AppendChild(n)
}

// copy copies the nodes from first up to but not including end below dst.
func (p *projector) copy(dst *html.Node, first, end int32) {
	ix := p.v.ix
	type level struct {
		n   *html.Node
		end int32
	}
	stack := []level{{dst, end}}
	for id := first; id < end; {
		p.page.steps.Take(4)
		for id >= stack[len(stack)-1].end {
			stack = stack[:len(stack)-1]
		}
		src := ix.Nodes[id]
		if p.v.drop.Has(id) {
			id = ix.End[id]
			continue
		}
		parent := stack[len(stack)-1].n
		if src.Type == html.TextNode {
			p.text(parent, src.Data)
			id++
			continue
		}
		if isSecondChoice(src, parent) {
			id = ix.End[id]
			continue
		}
		if src.Namespace == "svg" && src.Data == "foreignObject" && !content.IsSheet(src.Parent) {
			parent.AppendChild(p.caption(id))
			id = ix.End[id]
			continue
		}
		n := p.element(src)
		if n == nil {
			id = ix.End[id]
			continue
		}
		if parent.LastChild != nil && !breaks(src) && isSeparator(src.PrevSibling) {
			p.text(parent, " ")
		}
		parent.AppendChild(n)
		stack = append(stack, level{n, ix.End[id]})
		if src.DataAtom == atom.Td {
			if label := p.iconLabel(src); label != "" {
				p.text(n, label)
			}
		}
		if id++; n.DataAtom == atom.Iframe || src.DataAtom == atom.Object && n.DataAtom != atom.Div {
			id = ix.End[id-1] // its content is only for browsers that cannot show it
		}
	}
}

// iconLabel returns what screen readers say of the icon that is all that a cell has, such as "Yes", or "".
func (p *projector) iconLabel(cell *html.Node) (label string) {
	const most = 24 // nodes; an icon has a few paths
	nodes := 0
	for n := dom.Next(cell, cell); n != nil; n = dom.Next(n, cell) {
		title := n.Parent.Namespace == "svg" && n.Parent.Data == "title"
		switch nodes++; {
		case nodes > most, n.DataAtom == atom.Img, n.Type == html.TextNode && !title && strings.Trim(n.Data, spaces+"\u00a0") != "", dom.Attr(n, "aria-hidden") == "true":
			return ""
		case title, n.DataAtom == atom.Svg, n.DataAtom == atom.I, n.DataAtom == atom.Span:
			label = cmp.Or(label, clean(cmp.Or(dom.Attr(n, "aria-label"), dom.Attr(n, "title"))))
			if title && n.Type == html.TextNode {
				label = cmp.Or(label, clean(n.Data))
			}
		}
	}
	p.page.steps.Take(nodes)
	return label
}

// isSecondChoice reports whether parent is a choice of a drawing (SVG 2, 5.8.3) that has the text that a browser
// shows, which is mostly HTML, so that n is for programs that do not know it.
func isSecondChoice(n, parent *html.Node) bool {
	return parent.Namespace == "svg" && parent.Data == "switch" && n.Type == html.ElementNode && parent.LastChild != nil && parent.LastChild.Type == html.ElementNode
}

// caption returns the words of HTML in a drawing, such as the label of a box in a diagram, as a text of the drawing.
func (p *projector) caption(id int32) *html.Node {
	ix := p.v.ix
	var b strings.Builder
	for d := id + 1; d < ix.End[id]; d++ {
		switch n := ix.Nodes[d]; {
		case p.v.drop.Has(d):
			d = ix.End[d] - 1
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case breaks(n):
			b.WriteByte(' ')
		}
	}
	n := p.node()
	n.Type, n.Data, n.Namespace = html.ElementNode, "text", "svg"
	p.text(n, clean(b.String()))
	return n
}

// isSeparator reports whether n is a short text, such as a dot between two dates, that screen readers are not
// told and that is not content.
func isSeparator(n *html.Node) bool {
	const most = 8 // bytes
	if n == nil || n.Type != html.ElementNode || !strings.EqualFold(dom.Attr(n, "aria-hidden"), "true") || n.FirstChild == nil {
		return false
	}
	text := strings.Trim(textOf(n), spaces)
	return text != "" && len(text) <= most
}

// element returns the copy of src without its children; nil if src is left out.
func (p *projector) element(src *html.Node) *html.Node {
	n := p.node()
	n.Type, n.DataAtom, n.Data, n.Namespace = html.ElementNode, src.DataAtom, src.Data, src.Namespace
	n.Attr = src.Attr
	switch src.DataAtom {
	case atom.Img:
		return p.image(n, src)
	case atom.Script:
		return formula(n, src)
	case atom.Source:
		if src.Parent != nil && src.Parent.DataAtom == atom.Picture {
			return nil // the img beside it has the best source of the picture
		}
	case atom.Noscript: // a noscript element that is part of the content
		n.DataAtom, n.Data = atom.Div, "div"
	case atom.Iframe:
		if dom.Attr(src, "srcdoc") != "" { // its content is that of the document in the attribute
			n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil
		}
	case atom.Object, atom.Applet:
		if object(n, src); n.DataAtom == atom.Img {
			return p.image(n, n)
		}
	case atom.Svg:
		if content.IsSheet(src) {
			n.DataAtom, n.Data, n.Namespace = atom.Div, "div", ""
		}
	case atom.Xmp, atom.Plaintext, atom.Listing:
		// Their text is raw, which cannot be rendered as HTML again.
		n.DataAtom, n.Data = atom.Pre, "pre"
	}
	if src.Data == "foreignObject" {
		n.DataAtom, n.Data, n.Namespace = atom.Div, "div", ""
	}
	p.attributes(n)
	if dom.Attr(src, "role") == "tabpanel" {
		p.label(n, src)
	}
	switch src.DataAtom {
	case atom.A, atom.Area:
		if href := strings.Trim(dom.Attr(src, "href"), spaces); p.links && href != "" && href[0] != '#' {
			p.link(dom.Attr(n, "href"))
		}
	case atom.Video:
		p.picture(dom.Attr(n, "poster"))
	}
	if style := dom.Attr(src, "style"); style != "" {
		for _, ref := range backgrounds(style) {
			p.picture(p.page.base.resolve(ref))
		}
	}
	return n
}

// object turns n, the copy of an object, into what a browser shows of it: a picture, a document in a
// frame, or else the content of the element. Browsers no longer have programs for films and applets.
func object(n, src *html.Node) {
	data, kind := strings.Trim(dom.Attr(src, "data"), spaces), strings.ToLower(dom.Attr(src, "type"))
	name, _, _ := strings.Cut(strings.ToLower(data), "?")
	is := func(ends ...string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return kind == "" && strings.HasSuffix(name, end) })
	}
	label := cmp.Or(dom.Attr(src, "aria-label"), dom.Attr(src, "title"), dom.Attr(src, "name"))
	switch {
	case data == "" || src.DataAtom == atom.Applet:
	case strings.HasPrefix(kind, "image/"), is(".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"):
		n.DataAtom, n.Data = atom.Img, "img"
		n.Attr = []html.Attribute{{Key: "src", Val: data}, {Key: "alt", Val: cmp.Or(label, clean(textOf(src)))}}
		return
	case strings.HasPrefix(kind, "text/"), kind == "application/pdf", kind == "application/xhtml+xml", is(".pdf", ".html", ".htm", ".txt"):
		n.DataAtom, n.Data = atom.Iframe, "iframe"
		n.Attr = []html.Attribute{{Key: "src", Val: data}, {Key: "title", Val: label}}
		return
	}
	n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil
}

// formula turns n, the copy of a script with a formula for MathJax, into a span
// with that formula. It returns nil for other scripts.
func formula(n, src *html.Node) *html.Node {
	kind, mode, _ := strings.Cut(dom.Attr(src, "type"), ";")
	if src.FirstChild == nil || !strings.HasPrefix(kind, "math/tex") {
		return nil
	}
	n.DataAtom, n.Data = atom.Span, "span"
	n.Attr = []html.Attribute{{Key: "data-tex", Val: src.FirstChild.Data}}
	if strings.Contains(mode, "display") {
		n.Attr = append(n.Attr, html.Attribute{Key: "display", Val: "true"})
	}
	return n
}

func (p *projector) link(href string) {
	switch scheme(href) {
	case "http", "https", "mailto", "tel", "ftp", "sms":
		p.p.links = append(p.p.links, href)
	}
}

func (p *projector) picture(src string) {
	if !p.shown {
		return
	}
	switch scheme(src) {
	case "http", "https":
		p.p.images = append(p.p.images, src)
	case "data":
		if !p.drops {
			p.p.images = append(p.p.images, src)
		}
	}
}

// image sets the attributes of n, the copy of an img, with the best source only. It
// returns nil for tracking pixels.
func (p *projector) image(n, src *html.Node) *html.Node {
	if isPixel(src) {
		return nil
	}
	best, f := p.page.base.resolve(dom.Picture(src)), dom.Fallback(src)
	attrs := append(p.attrs(len(src.Attr)+2), html.Attribute{Key: "src"})
	for _, a := range src.Attr {
		switch a.Key {
		case "src", "srcset", "sizes":
		default:
			if !dom.IsLazySource(a.Key) && (f == nil || a.Key != "alt") {
				attrs = append(attrs, a)
			}
		}
	}
	if f != nil {
		attrs = append(attrs, html.Attribute{Key: "alt", Val: cmp.Or(dom.Attr(src, "alt"), dom.Attr(f, "alt"))})
	}
	n.Attr = attrs
	p.attributes(n)
	switch scheme(best) {
	case "javascript", "vbscript":
		best = ""
	case "data":
		if !isDataImage(best) {
			best = ""
		} else if p.drops {
			p.p.data = append(p.p.data, n)
			best = ""
		}
	}
	n.Attr[0].Val = best
	p.picture(best)
	return n
}

// restoreDataImages marks the images that lost a data: URL, so that the Markdown
// has a placeholder for them.
func (p *projection) restoreDataImages() {
	for _, n := range p.data {
		n.Attr[0].Val = "data:,"
	}
}

// makeAttributes makes the attributes of n safe and its references absolute. The
// slice is shared with the page until something has to change.
func (p *projector) attributes(n *html.Node) {
	shared := true
	var kept []html.Attribute
	for i, a := range n.Attr {
		val, keep := p.attribute(n, a)
		if shared && keep && val == a.Val {
			continue
		}
		if shared {
			shared = false
			kept = append(p.attrs(len(n.Attr)), n.Attr[:i]...)
		}
		if keep {
			if a.Key == "style" {
				a.Key = "align"
			}
			a.Val = val
			kept = append(kept, a)
		}
	}
	if !shared {
		n.Attr = kept
	}
}

// attribute returns the value that the attribute a of n has in the copy, and
// whether it stays.
func (p *projector) attribute(n *html.Node, a html.Attribute) (string, bool) {
	key := a.Key
	if len(key) > 2 && (key[0]|0x20) == 'o' && (key[1]|0x20) == 'n' {
		return "", false
	}
	switch key {
	case "style":
		// Keep only the alignment of cells.
		align := textAlign(n, a.Val)
		return align, align != ""
	case "srcdoc", "nonce", "integrity", "ping", "srcset", "imagesrcset":
		return "", false
	case "href", "src", "action", "formaction", "cite", "poster", "data", "background", "longdesc", "usemap", "xlink:href":
	default:
		return a.Val, true
	}
	if key == "usemap" || n.Namespace == "svg" && strings.HasPrefix(a.Val, "#") {
		return a.Val, true
	}
	switch scheme(a.Val) {
	case "javascript", "vbscript":
		return "", false
	case "data":
		if !isDataImage(a.Val) || key == "href" && n.Namespace == "" {
			return "", false
		}
		if p.drops {
			return "", true
		}
		return a.Val, true
	}
	return p.page.base.resolve(a.Val), true
}

// textAlign returns the alignment in the style of a cell. It is empty for other
// elements, and if the cell has an align attribute.
func textAlign(n *html.Node, style string) string {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th || dom.Attr(n, "align") != "" {
		return ""
	}
	for declaration := range strings.SplitSeq(style, ";") {
		name, val, _ := strings.Cut(declaration, ":")
		if strings.EqualFold(strings.TrimSpace(name), "text-align") {
			switch val = strings.ToLower(strings.TrimSpace(val)); val {
			case "left", "center", "right":
				return val
			}
		}
	}
	return ""
}

// makeLinks makes the links form.
func makeLinks(_ context.Context, b *builder) error {
	b.doc.Links = []string{}
	links := make([]string, len(b.page.copy.links))
	for i, s := range b.page.copy.links {
		var err error
		if links[i], err = b.redactor.finish(s); err != nil {
			return err
		}
	}
	b.doc.Links = unique(links)
	return nil
}

// makeImages makes the images form: images in the view, then those in the metadata.
func makeImages(_ context.Context, b *builder) error {
	b.doc.Images = []string{}
	named := b.page.images
	if b.o.WholePage {
		named = append(slices.Clip(named), b.page.icons...)
	}
	named, err := b.redactor.maskedAll(named)
	if err != nil {
		return err
	}
	all := make([]string, 0, len(b.page.copy.images)+len(named))
	for _, s := range b.page.copy.images {
		if s, err = b.redactor.finish(s); err != nil {
			return err
		}
		all = append(all, s)
	}
	b.doc.Images = unique(append(all, named...))
	return nil
}

// unique returns the first occurrence of each string; never nil.
func unique(all []string) []string {
	out := make([]string, 0, len(all))
	seen := make(map[string]bool, len(all))
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
