// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/format/internal/selector"
	"example.com/curlew/format/internal/unread"
	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/structured"
)

// A view is the set of nodes of a page that the forms show.
type view struct {
	ix    *content.Index
	roots []int32     // nodes in the view, with their descendants, in document order
	drop  content.Set // nodes below roots that are not in the view

	excluded map[*html.Node]bool // elements that the caller excluded
	lesser   bool                // the main content is empty, so the view has the rest of the page
	revealed bool                // the view has content that the page hides
}

// project makes the view for the options, and its copy.
func (b *builder) project(ctx context.Context) error {
	root := b.page.in.Root
	if root == nil {
		root = &html.Node{Type: html.DocumentNode}
	}
	pages, err := b.frames(ctx, root)
	if err != nil {
		return err
	}
	if pages != nil {
		root = pages
	}
	v, err := b.see(ctx, root)
	if err != nil {
		return err
	}
	b.page.view = v
	b.page.arena.index = v.ix
	b.page.copy = newProjection(b, v)
	shell := !b.page.in.NotWeb && dom.IsShell(b.page.in.Root)
	if shell {
		if err := b.shell(ctx, root); err != nil {
			return err
		}
	}
	if !b.page.in.NotWeb {
		kind := dom.StandsIn(b.page.in.Root)
		if kind != dom.SignIn && kind != dom.Scriptless || !shell && v.shows() { // otherwise another warning says that there is no content
			b.warnings.standIn(kind, b.page.in.StatusCode)
		}
		paid := slices.ContainsFunc(b.page.structured().Linked(), isPaid)
		switch {
		case paid && dom.IsFenced(b.page.in.Root):
			b.warnings.add("The page says that its article is not free, and offers a subscription where it ends: the words may be only its beginning.")
		case !v.isBrief():
		case paid:
			b.warnings.add("The page says that its article is not free, and has few words: they may be only its beginning.")
		case kind == dom.Itself && !shell && b.page.isStory() && dom.IsFenced(b.page.in.Root):
			b.warnings.add("The page offers a subscription where its article ends, and has few words: they may be only its beginning.")
		}
	}
	switch {
	case shell:
		b.doc.Lack = NeedsJavaScript
	case pages != nil:
		b.doc.Lack = InFrames
	default:
		b.doc.Lack = b.lack(v)
	}
	return nil
}

// isBrief reports whether v has fewer words than articles have.
func (v *view) isBrief() bool {
	const article = 150 // words
	words, next := 0, int32(0)
	for _, root := range v.roots {
		for id := max(next, root); id < v.ix.End[root] && words < article; id++ {
			if v.drop.Has(id) {
				id = v.ix.End[id] - 1
			} else if n := v.ix.Nodes[id]; n.Type == html.TextNode {
				for range strings.FieldsSeq(n.Data) {
					words++
				}
			}
		}
		next = max(next, v.ix.End[root])
	}
	return words < article
}

// isPaid reports whether n is an article that only some readers can read to its end.
func isPaid(n *structured.Node) bool {
	return isArticle(n) && strings.EqualFold(n.Text("isAccessibleForFree"), "false")
}

// standIns are the warnings about pages that stand in for others, by their kind. If unlike is set, there is no
// warning if the status of the page says so too.
var standIns = [...]struct {
	says   string
	unlike bool
}{
	dom.Itself:     {},
	dom.Challenge:  {says: "to be a test for robots instead of the page that was asked for"},
	dom.Consent:    {says: "to ask for consent instead of the page that was asked for"},
	dom.SignIn:     {says: "to be a form for signing in"},
	dom.Missing:    {"to say that there is no such page (404)", true},
	dom.Failing:    {"to say that the server has failed", true},
	dom.Limited:    {"to say that there were too many requests", true},
	dom.Refused:    {"to refuse access to this reader or country", true},
	dom.Closed:     {"to say that the site is under maintenance", true},
	dom.Parked:     {says: "to belong to a domain that is for sale or not in use"},
	dom.AgeGate:    {says: "to ask for the age of the reader instead of the page that was asked for"},
	dom.Scriptless: {says: "to need JavaScript: it has little more than a text that says so"},
	dom.Nothing:    {says: "to say that nothing was found"},
}

// standIn warns of a page that was sent in place of the one that was asked for, unless its
// status says so.
func (w *warnings) standIn(kind dom.StandIn, status int) {
	const firstError = 400
	s := &standIns[kind]
	switch {
	case s.says == "", s.unlike && status >= firstError:
	case s.unlike:
		w.add("The page seems " + s.says + ", although its status does not.")
	default:
		w.add("The page seems " + s.says + ".")
	}
}

// lack returns the Lack of a page that has neither frames nor needs scripts for its
// content.
func (b *builder) lack(v *view) Lack {
	switch {
	case v.revealed:
		return Hidden
	case len(v.roots) == 0:
		return Unmatched
	case v.lesser:
		return NoMain
	case v.shows():
		return ""
	case len(b.o.Include)+len(b.o.Exclude) > 0:
		return Excluded
	default:
		return NoContent
	}
}

// shell warns that the page is empty without its scripts. If the view shows nothing, it
// also reads the content of the data in the scripts.
func (b *builder) shell(ctx context.Context, root *html.Node) error {
	const most = 10 // kinds of JSON-LD
	text := "The page seems to need JavaScript: its HTML has hardly any text."
	kinds := dom.Embedded(root)
	var e embedding
	if !b.page.view.shows() && len(b.o.Include)+len(b.o.Exclude) == 0 {
		var err error
		if e, err = b.embedded(ctx); err != nil {
			return err
		}
		b.page.data = e.root
	}
	if e.root != nil {
		text += " The Markdown is made of the " + e.source + " in its scripts."
		if e.source != dom.LinkedData {
			text = strings.TrimSuffix(text, ".") + ", of what is about this page."
		}
		if e.left > 0 {
			text += fmt.Sprintf(" %d of its texts are left out because there are too many.", e.left)
		}
		if e.cut > 0 {
			text += fmt.Sprintf(" %d of its texts are cut because they are too long.", e.cut)
		}
		if e.others > 0 {
			text += fmt.Sprintf(" Others of this kind (%d) are not part of the text.", e.others)
		}
		kinds = sorting.Without(kinds, func(s string) bool { return s == e.source })
	}
	if i := slices.Index(kinds, dom.PageData); i >= 0 {
		kinds = slices.Delete(kinds, i, i+1)
		text += " Its text may be in the file " + dom.PageData + " to which its head leads, and which is not read."
	}
	if len(kinds) > 0 {
		text += " Data that is embedded in its scripts (" + strings.Join(kinds, ", ") + ") is not part of the text."
	}
	if unread := e.unread; len(unread) > 0 {
		text += " JSON-LD of these kinds is not read: " + strings.Join(unread[:min(len(unread), most)], ", ")
		if more := len(unread) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		text += "."
	}
	if e.broken > 0 {
		text += fmt.Sprintf(" JSON-LD that is not valid (%d) is not read to its end.", e.broken)
	}
	b.warnings.add(text)
	return nil
}

// see makes the view. If the page has no visible main content, because it hides its
// content until its scripts have run, the view has the hidden content.
func (b *builder) see(ctx context.Context, root *html.Node) (*view, error) {
	const enough = 200 // characters; less is a notice or a dialog
	ix, err := content.Read(ctx, root)
	if err != nil {
		return nil, err
	}
	before := len(b.warnings)
	v, err := b.look(ctx, ix)
	if err != nil || v.shows() && !v.lesser || b.page.in.NotWeb || len(b.o.Include)+len(b.o.Exclude) > 0 {
		return v, err
	}
	all, err := content.Reveal(ctx, root)
	if err != nil {
		return nil, err
	}
	if all.Runes(0) < ix.Runes(0)+enough {
		return v, nil
	}
	known := slices.Clone(b.warnings)
	b.warnings = b.warnings[:before]
	hidden, err := b.look(ctx, all)
	if err != nil || !hidden.shows() || hidden.lesser {
		b.warnings = known
		return v, err
	}
	b.warnings.add("The page hides its content until its scripts have run: what is hidden is returned.")
	hidden.revealed = true
	return hidden, nil
}

// look makes the view of ix, step by step: what the options exclude goes first.
func (b *builder) look(ctx context.Context, ix *content.Index) (*view, error) {
	v := &view{ix: ix, roots: []int32{0}, drop: ix.NewSet()}
	if !b.o.KeepAds && !b.page.in.NotWeb {
		if err := b.dropAds(ctx, v.ix, v.drop); err != nil {
			return nil, err
		}
	}
	excluded, err := selected(ctx, v.ix, b.o.Exclude, v.drop)
	if err != nil {
		b.warnings.costly(err, "excludeTags")
		return nil, err
	}
	if len(b.o.Include) > 0 {
		if v.roots, err = selected(ctx, v.ix, b.o.Include, v.drop); err != nil {
			b.warnings.costly(err, "includeTags")
			return nil, err
		}
		if len(v.roots) == 0 {
			b.warnings.add("Nothing matches includeTags.")
			return v, nil
		}
	}
	whole := v.drop
	var main content.Main
	switch {
	case b.o.WholePage && !b.o.Clean || b.page.in.NotWeb: // all of it
	case len(b.o.Include) == 0:
		if main, err = v.ix.Main(ctx, v.drop, b.page.in.URL); err != nil {
			return nil, err
		}
		v.drop = main.Drop
	default: // the caller has chosen the content
		v.drop = v.drop.Clone()
		for _, id := range v.roots {
			v.ix.Strip(id, v.drop)
		}
	}
	v.excluded = make(map[*html.Node]bool, len(excluded))
	for _, id := range excluded {
		v.drop.AddRange(id, v.ix.End[id])
		whole.AddRange(id, v.ix.End[id])
		v.excluded[v.ix.Nodes[id]] = true
	}
	var left running
	if b.page.in.NotWeb {
		left = v.dropRunning()
	}
	if v.shows() {
		b.warnings.doubts(main.Asking, v, "Requests for consent")
		b.warnings.doubts(main.Feet, v, "Footers of records")
		b.warnings.doubts(main.Boxes, v, "Asides, footers and the like among the content")
		b.warnings.doubts(main.Hidden, v, "Texts within the content that the page hides until a click")
		b.warnings.doubts(main.Prices, v, "Prices among the content")
		b.warnings.doubts(main.Doubts, v, "Blocks of doubtful content")
		b.warnings.lost(main.Lost, v)
		if left.texts > 0 {
			b.warnings.add(left.text())
		}
		if !b.page.in.NotWeb {
			if text := v.unread(&b.page.steps).Text(); text != "" {
				b.warnings.add(text)
			}
		}
		if b.o.Clean && !b.page.in.NotWeb {
			b.clean(ctx, v)
		}
		return v, nil
	}
	b.fallBack(v, whole, excluded, left.texts > 0)
	return v, nil
}

// fallBack looks at more of a page that shows nothing: at the running texts of a document, at
// all but navigation, or at the whole page.
func (b *builder) fallBack(v *view, whole content.Set, excluded []int32, running bool) {
	before := v.drop
	if v.drop = whole; running && v.shows() {
		b.warnings.add("The document has no text but running headers, footers and page numbers: they are returned.")
		return
	}
	if v.drop = v.strip(whole, excluded); !b.o.WholePage && !b.page.in.NotWeb && v.shows() {
		b.warnings.add("The main content is empty: the page without navigation is returned.")
		v.lesser = true
		return
	}
	if v.drop = whole; v.shows() {
		b.warnings.add("The main content is empty: the whole page is returned.")
		v.lesser = true
	} else {
		v.drop = before
	}
}

// costly warns if err means that the selectors of an option took too many steps.
func (w *warnings) costly(err error, option string) {
	if errors.Is(err, selector.ErrSteps) {
		w.add("The selectors of " + option + " take too many steps on this page.")
	}
}

// lost warns of lists and tables of data that are not in the main content. Those
// that the caller excluded are meant to be left out.
func (w *warnings) lost(all []content.Loss, v *view) {
	all = sorting.Without(all, func(l content.Loss) bool { return v.isExcluded(l.ID) })
	texts := lossTexts(all)
	slices.Reverse(texts) // the newest warning is read first
	for _, text := range texts {
		w.add(text)
	}
}

// doubts warns of blocks outside the main content that may well belong to it, and calls them by a name. Those
// that the caller excluded are meant to be left out.
func (w *warnings) doubts(all []content.Doubt, v *view, name string) {
	words := 0
	all = sorting.Without(all, func(d content.Doubt) bool { return v.isExcluded(d.ID) })
	for _, d := range all {
		words += d.Words
	}
	if len(all) > 0 {
		w.add(fmt.Sprintf("%s (%d) with %d words were left out of the main content.", name, len(all), words))
	}
}

// lossTexts returns a sentence for each of the first losses, and one for the
// others.
func lossTexts(all []content.Loss) (texts []string) {
	const most = 3
	words := 0
	for i, l := range all {
		if i >= most {
			words += l.Words
			continue
		}
		what := fmt.Sprintf("list of %d items", l.Records)
		if l.Table {
			what = fmt.Sprintf("table of %d rows", l.Records)
		}
		if l.Part {
			texts = append(texts, fmt.Sprintf("Of a %s, %d words were left out of the main content.", what, l.Words))
		} else {
			texts = append(texts, fmt.Sprintf("A %s with %d words was left out of the main content.", what, l.Words))
		}
	}
	if more := len(all) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("Other lists and tables (%d) with %d words were left out of the main content too.", more, words))
	}
	return texts
}

// unread counts what the page shows within v and the text of v does not have.
func (v *view) unread(steps *dom.Steps) *unread.Count {
	var c unread.Count
	for _, n := range v.ix.Nodes {
		steps.Take(1)
		if n.DataAtom == atom.Img || n.DataAtom == atom.Source {
			c.Image(n)
		}
	}
	next := int32(0) // roots may be inside each other
	for _, root := range v.roots {
		for id := max(next, root); id < v.ix.End[root]; id++ {
			if v.drop.Has(id) {
				id = v.ix.End[id] - 1
				continue
			}
			n, kid := v.ix.Nodes[id], id+1 // kid is the next child that is in the index
			if n.DataAtom == atom.Video || n.DataAtom == atom.Audio {
				c.Media(n)
			}
			for k := n.FirstChild; k != nil; k = k.NextSibling {
				steps.Take(1)
				if kid < v.ix.End[id] && v.ix.Nodes[kid] == k {
					kid = v.ix.End[kid]
				} else {
					c.Add(k)
				}
			}
		}
		next = max(next, v.ix.End[root])
	}
	return &c
}

// isExcluded reports whether node id is in an element that the caller excluded.
func (v *view) isExcluded(id int32) bool {
	for n := v.ix.Nodes[id]; n != nil; n = n.Parent {
		if v.excluded[n] {
			return true
		}
	}
	return false
}

// dropRunning drops running headers and footers of a document, except those that
// the caller selected. It counts those that the view would have shown.
func (v *view) dropRunning() (left running) {
	next := int32(0) // roots may be inside each other
	for _, root := range v.roots {
		for id := max(next, root); id < v.ix.End[root]; id++ {
			if !doctree.IsRunning(v.ix.Nodes[id]) || v.drop.Has(id) {
				continue
			}
			if _, chosen := slices.BinarySearch(v.roots, id); !chosen {
				if left.nodes++; left.nodes == 1 {
					v.drop = v.drop.Clone() // the caller may need the earlier state
				}
				left.add(v.ix.Nodes[id])
				v.drop.AddRange(id, v.ix.End[id])
			}
		}
		next = max(next, v.ix.End[root])
	}
	return left
}

// running counts the running headers, footers and page numbers that were left out.
type running struct{ nodes, texts, words int }

// add counts the text of n, if it has any.
func (r *running) add(n *html.Node) {
	words := 0
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if d.Type == html.TextNode {
			words += len(strings.Fields(d.Data))
		}
	}
	if words > 0 {
		r.texts, r.words = r.texts+1, r.words+words
	}
}

func (r *running) text() string {
	return fmt.Sprintf("Running headers, footers and page numbers that were left out: %d. Their words: %d.", r.texts, r.words)
}

// shows reports whether v has text outside of drawings or an image.
func (v *view) shows() bool {
	for _, root := range v.roots {
		for id := root; id < v.ix.End[root]; {
			n := v.ix.Nodes[id]
			if v.drop.Has(id) || n.DataAtom == atom.Svg && !content.IsSheet(n) {
				id = v.ix.End[id]
				continue
			}
			switch {
			case n.Type == html.TextNode && strings.Trim(n.Data, " \t\n\r\f\u00a0") != "":
				return true
			case n.Type == html.ElementNode && n.DataAtom == atom.Img:
				return true
			}
			id++
		}
	}
	return false
}

// hasWord reports whether one of the space-separated words of s is word.
func hasWord(s, word string) bool {
	if !strings.Contains(s, word) {
		return false
	}
	for w := range strings.FieldsSeq(s) {
		if w == word {
			return true
		}
	}
	return false
}
