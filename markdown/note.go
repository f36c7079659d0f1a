// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A note is a footnote that references link to.
type note struct {
	body   *html.Node
	marker string // text of its first reference
	number int    // from 1; zero until a reference is written
}

// notes are the footnotes of a document.
type notes struct {
	refs   map[*html.Node]*note // a elements that are references
	bodies map[*html.Node]*note // elements that are not written at their place
	all    []*note              // in the order of their first references
	backs  map[string]bool      // ids of references, which notes link back to
	taken  []*note              // by number
	inside int                  // number of notes that are being written
}

// fragment returns the fragment of href if it leads to the tree itself, and ""
// otherwise.
func (w *lineWriter) fragment(href string) string {
	href = strings.TrimLeft(href, " \t\n\r\f")
	page, id, ok := strings.Cut(href, "#")
	if !ok || page != "" && page != w.options.Page && page != w.options.Base {
		return ""
	}
	id = strings.TrimRight(id, " \t\n\r\f")
	if !strings.Contains(id, "%") {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// isBackID reports whether id belongs to a reference, which a note links back
// to.
func isBackID(id string) bool {
	for _, mark := range []string{
		"fnref", "fn-ref", "ftnref", "ednref", "cite_ref", "cite-ref", "noteref", "note-ref", "footnoteref", "-anchor", "anc", "back",
	} {
		if strings.Contains(id, mark) {
			return true
		}
	}
	return false
}

// isNoteID reports whether id has a form that programs give to footnotes.
func isNoteID(id string) bool {
	id = strings.ToLower(strings.TrimPrefix(id, "user-content-"))
	for _, mark := range []string{
		"fn", "_fn", "ftn", "_ftn", "edn", "_edn", "footnote", "endnote", "note", "cite_note", "cite-note", "sdfootnote", "sdendnote", "ref-", "comment-",
	} {
		if strings.HasPrefix(id, mark) {
			return !isBackID(id)
		}
	}
	return false
}

// isReference reports whether the attributes of the a element n mark it as a
// reference to a note.
func isReference(n *html.Node) bool {
	if r := dom.Attr(n, "role"); r == "doc-noteref" || dom.Attr(n, "epub:type") == "noteref" {
		return true
	}
	if _, ok := dom.LookupAttr(n, "data-footnote-ref"); ok {
		return true
	}
	return hasClass(n, "footnote-ref", "footnote-reference", "footnoteref", "noteref", "fnref", "footnote-anchor", "footnote")
}

// mayRefer reports whether the a element n may be a reference to a footnote. It
// is marked as one, is superscript, or links to the id of one.
func (s *surveyor) mayRefer(n *html.Node, href string) bool {
	if strings.IndexByte(href, '#') < 0 {
		return false
	}
	id := s.w.fragment(href)
	if id == "" || isBackID(id) {
		return false
	}
	if isReference(n) {
		return true
	}
	text := strings.Trim(textOf(n, 16), "[]()^ ")
	if text == "" || len(text) > 6 || strings.Contains(text, " ") {
		return false
	}
	if isNoteID(id) && isMark(text) {
		return true
	}
	if c := n.FirstChild; c != nil && c.DataAtom == atom.Sup && c.NextSibling == nil {
		return true
	}
	for up := range 2 {
		if n = n.Parent; n == nil || up == 0 && n.DataAtom != atom.Sup && n.DataAtom != atom.Span {
			return false
		}
		if n.DataAtom == atom.Sup {
			return true
		}
	}
	return false
}

// isMark reports whether text may be the mark of a note, such as 12, a, iv or *. Names
// and other words are not: comments link to those that they answer by the name of the author.
func isMark(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 1 || strings.Trim(strings.ToLower(text), "ivxlcdm") == ""
}

// findNotes pairs s.refs with the notes below root that they link to. It
// returns nil if there are no notes.
func (s *surveyor) findNotes(root *html.Node) *notes {
	wanted := s.leadTo(root)
	order := make(map[*html.Node]int, len(s.refs))
	for i, r := range s.refs {
		order[r] = i
	}
	f := &notes{refs: map[*html.Node]*note{}, bodies: map[*html.Node]*note{}, backs: map[string]bool{}}
	for _, r := range s.refs {
		target := wanted[s.w.fragment(dom.Attr(r, "href"))]
		if target == nil || target == r {
			continue
		}
		body := noteBody(target)
		if body == nil || holds(body, r) || f.within(body) || isRunning(body, target) || s.leadsBack(r, target, wanted, order) {
			continue
		}
		n := f.bodies[body]
		if n == nil {
			n = &note{body: body, marker: strings.Trim(textOf(r, 32), "[]()^. ")}
			f.bodies[body] = n
			if target.DataAtom == atom.Dt {
				f.bodies[target] = n // the element is only the number of the note
			}
			f.all = append(f.all, n)
		}
		f.refs[r] = n
		f.leadBack(r)
	}
	if len(f.all) == 0 {
		return nil
	}
	return f
}

// leadTo returns the elements below root that s.refs link to, by id.
func (s *surveyor) leadTo(root *html.Node) map[string]*html.Node {
	wanted := map[string]*html.Node{}
	for _, r := range s.refs {
		wanted[s.w.fragment(dom.Attr(r, "href"))] = nil
	}
	for n := root; n != nil; n = dom.Next(n, root) {
		for _, a := range n.Attr {
			if a.Key != "id" && (a.Key != "name" || n.DataAtom != atom.A) {
				continue
			}
			if at, ok := wanted[a.Val]; ok && at == nil {
				wanted[a.Val] = n
			}
		}
	}
	return wanted
}

// leadBack records the ids by which a note links back to its reference r.
func (f *notes) leadBack(r *html.Node) {
	for p, up := r, 0; p != nil && up < 3; p, up = p.Parent, up+1 {
		for _, key := range []string{"id", "name"} {
			if id := dom.Attr(p, key); id != "" {
				f.backs[id] = true
			}
		}
	}
}

// isRunning reports whether target is within the text of body. A note begins at the
// place to which its references lead. A link into running text leads back: DocBook
// gives its references ids.
func isRunning(body, target *html.Node) bool {
	const marker, most = 6, 1000 // letters of a number before the place; nodes and bytes
	if body == target || !holds(body, target) {
		return false
	}
	letters, left := 0, most
	for n := body; n != nil && n != target && left > 0; n = dom.Next(n, body) {
		left--
		if n.Type != html.TextNode {
			continue
		}
		for _, r := range n.Data[:min(len(n.Data), left)] {
			if !unicode.IsSpace(r) {
				letters++
			}
		}
		if letters > marker {
			return true
		}
		left -= min(len(n.Data), left)
	}
	return false
}

// leadsBack reports whether r leads to a reference that leads to where r is:
// the two lead to each other, and the note is the later one. order has the
// places of the references.
func (s *surveyor) leadsBack(r, target *html.Node, wanted map[string]*html.Node, order map[*html.Node]int) bool {
	at := target
	for up := 0; at.DataAtom != atom.A; up++ {
		if at = at.Parent; at == nil || up == 3 {
			return false
		}
	}
	if place, known := order[at]; !known || place >= order[r] {
		return false
	}
	to := wanted[s.w.fragment(dom.Attr(at, "href"))]
	return to != nil && holds(to, r)
}

// holds reports whether n is body or below it.
func holds(body, n *html.Node) bool {
	for up := 0; n != nil && up < maxDepth; up, n = up+1, n.Parent {
		if n == body {
			return true
		}
	}
	return false
}

// within reports whether body is inside another note.
func (f *notes) within(body *html.Node) bool {
	for up, n := 0, body.Parent; n != nil && up < maxDepth; up, n = up+1, n.Parent {
		if f.bodies[n] != nil {
			return true
		}
	}
	return false
}

// noteBody returns the element that contains the note for a link target, or nil
// if target does not look like a note.
func noteBody(target *html.Node) *html.Node {
	body := blockOf(target)
	if body == nil {
		return nil
	}
	if isNote(target) || isNote(body) || body.DataAtom == atom.Dd && isNote(body.Parent) {
		return body
	}
	for up, p := 0, body.Parent; p != nil && up < 4; up, p = up+1, p.Parent {
		if isNotes(p) {
			return body
		}
	}
	return nil
}

// blockOf returns the block that target begins or is, or nil if it cannot be a
// note.
func blockOf(target *html.Node) *html.Node {
	if target.DataAtom == atom.Dt {
		return definitionOf(target)
	}
	body := target
	for up := 0; !isBlock(body.DataAtom); up++ {
		if body = body.Parent; body == nil || up == 4 {
			return nil
		}
	}
	if p := body.Parent; body != target && body.DataAtom == atom.P && p != nil && (p.DataAtom == atom.Li || p.DataAtom == atom.Div && isNote(p)) {
		body = p
	}
	switch body.DataAtom {
	case atom.Li, atom.P, atom.Div, atom.Aside, atom.Dd:
		return body
	}
	return nil
}

// definitionOf returns the dd element after the dt element term, or nil.
func definitionOf(term *html.Node) *html.Node {
	c := term.NextSibling
	for c != nil && c.Type != html.ElementNode {
		c = c.NextSibling
	}
	if c == nil || c.DataAtom != atom.Dd {
		return nil
	}
	return c
}

// isNote reports whether the attributes of n mark it as a note.
func isNote(n *html.Node) bool {
	switch dom.Attr(n, "role") {
	case "doc-footnote", "doc-endnote":
		return true
	}
	switch dom.Attr(n, "epub:type") {
	case "footnote", "endnote", "rearnote":
		return true
	}
	return isNoteID(dom.Attr(n, "id")) || isNoteID(dom.Attr(n, "name")) || hasClass(n, "footnote", "endnote", "footnote-item")
}

// isNotes reports whether the attributes of n mark it as the container of a
// page's notes.
func isNotes(n *html.Node) bool {
	if r := dom.Attr(n, "role"); r == "doc-endnotes" || r == "doc-footnotes" {
		return true
	}
	if _, ok := dom.LookupAttr(n, "data-footnotes"); ok {
		return true
	}
	return hasClass(n, "footnotes", "footnote-list", "footnotes-list", "references", "reflist", "endnotes")
}

// elsewhere reports whether n is a note, which is written at the end.
func (f *notes) elsewhere(n *html.Node) bool { return f != nil && f.bodies[n] != nil }

// around reports whether n only separates notes from the text: a rule or a
// heading in their container.
func (f *notes) around(n *html.Node) bool {
	return f != nil && n.Parent != nil && isNotes(n.Parent) && !hasClass(n.Parent, "references", "reflist")
}

// raises reports whether the sup element n begins with a reference.
func (f *notes) raises(n *html.Node) bool { return f != nil && f.refs[n.FirstChild] != nil }

// A noteWriter writes footnotes and references to them. Each note is written
// once, at the end, with the number of its first reference.
type noteWriter struct{ *writer }

// unbracketed returns the text of n without the brackets that some programs
// write around a reference: [<a href="#fn1">1</a>].
func (w noteWriter) unbracketed(n *html.Node) string {
	s := n.Data
	if w.notes == nil || w.line.links > 0 {
		return s
	}
	if r := n.NextSibling; r != nil && w.notes.refs[r] != nil && strings.HasSuffix(s, "[") && startsWith(r.NextSibling, "]") {
		s = s[:len(s)-1]
	}
	if r := n.PrevSibling; r != nil && w.notes.refs[r] != nil && strings.HasPrefix(s, "]") && endsWith(r.PrevSibling, "[") {
		s = s[1:]
	}
	return s
}

func startsWith(n *html.Node, s string) bool {
	return n != nil && n.Type == html.TextNode && strings.HasPrefix(n.Data, s)
}

func endsWith(n *html.Node, s string) bool {
	return n != nil && n.Type == html.TextNode && strings.HasSuffix(n.Data, s)
}

// reference writes the a element n if it is a reference to a note, and reports
// whether it is.
func (w noteWriter) reference(n *html.Node) bool {
	if w.notes == nil {
		return false
	}
	to := w.notes.refs[n]
	if to == nil || w.line.links > 0 {
		return false
	}
	w.notes.take(to)
	w.line.piece(token{kind: raw}, "[^"+strconv.Itoa(to.number)+"]")
	return true
}

// take assigns a number to n.
func (f *notes) take(n *note) {
	if n.number == 0 {
		f.taken = append(f.taken, n)
		n.number = len(f.taken)
	}
}

// isBack reports whether n, inside a note, is only a link back to a reference
// or repeats the number of the note.
func (w noteWriter) isBack(n *html.Node) bool {
	if w.notes == nil || w.notes.inside == 0 {
		return false
	}
	switch n.DataAtom {
	case atom.A:
		if id := w.fragment(dom.Attr(n, "href")); id != "" && (w.notes.backs[id] || isBackID(id)) {
			return true
		}
		if dom.Attr(n, "role") == "doc-backlink" || hasClass(n, "footnote-backref", "footnote-number", "reversefootnote") {
			return true
		}
		switch strings.Trim(textOf(n, 16), "[]() \ufe0e\ufe0f") {
		case "↩", "↑", "^", "⏎", "⤴", "↵":
			return strings.Contains(dom.Attr(n, "href"), "#")
		}
	case atom.Span:
		return hasClass(n, "mw-cite-backlink", "label", "fn-bracket")
	}
	return false
}

// writeNotes writes the notes at the end of the document, referenced notes
// first, in order of their numbers.
func (w noteWriter) writeNotes() {
	if w.notes == nil {
		return
	}
	f := w.notes
	f.inside++
	for i, waiting := 0, f.all; ; i++ {
		for i == len(f.taken) && len(waiting) > 0 { // the text with its references was not written
			f.take(waiting[0])
			waiting = waiting[1:]
		}
		if i == len(f.taken) {
			break
		}
		n := f.taken[i]
		w.nested(footnote, "[^"+strconv.Itoa(n.number)+"]: ", spaces[:4], true, container{}, func() { w.note(n) })
	}
	f.inside--
}

// note writes the content of n without the number at its start.
func (w noteWriter) note(n *note) {
	first := n.body.FirstChild
	for first != nil && (first.Type == html.TextNode && isBlank(first.Data) || first.Type == html.CommentNode) {
		first = first.NextSibling
	}
	for c, up := first, 0; c != nil && up < 3; c, up = c.FirstChild, up+1 {
		if (c.DataAtom == atom.Sup || c.DataAtom == atom.A) && strings.Trim(textOf(c, 32), "[]()^. ") == n.marker {
			w.skipped = append(w.skipped, c)
			defer func() { w.skipped = w.skipped[:len(w.skipped)-1] }()
			break
		}
	}
	w.depth++
	w.walk(n.body)
	w.depth--
}
