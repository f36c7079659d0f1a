// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/andybalholm/cascadia"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/export"
	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// A text is the words and headings of a page.
type text struct {
	words    map[string]int
	order    []string
	headings []string
}

// unshown selects what a browser does not show until a click, which may be in the Markdown or not.
const unshown = "[style*='display:none'], [style*='display: none']"

// A page is a page of documentation beside its Markdown.
type page struct {
	truth, either, got text
	markdown           string
	score
}

// read reads a page and its Markdown. It returns nil if the page has no
// content.
func read(ctx context.Context, g *generator, file string) (*page, error) {
	body, err := os.ReadFile(file) //nolint:gosec // the caller chooses the directory
	if err != nil {
		return nil, err
	}
	doc, err := dom.Parse(ctx, body, "text/html")
	if err != nil {
		return nil, err
	}
	p := &page{score: score{file: file}}
	without, either := marked(doc.Root, g.without), marked(doc.Root, g.either)
	maps.Copy(either, marked(doc.Root, unshown))
	all := marked(doc.Root, g.content)
	for n := range doc.Root.Descendants() {
		if all[n] && !inside(n.Parent, all) {
			p.truth.add(n, func(n *html.Node) bool { return without[n] || either[n] })
			p.either.add(n, func(n *html.Node) bool { return without[n] })
		}
	}
	if len(p.truth.order) == 0 {
		return nil, nil //nolint:nilnil // it is documented
	}
	d, err := format.Build(ctx, &format.Input{Root: doc.Root, URL: "https://docs.example/" + filepath.Base(file)}, nil)
	if err != nil {
		return nil, err
	}
	return p, p.compare(*d.Markdown)
}

// compare compares Markdown with the truth of p, instead of what it was compared with before.
func (p *page) compare(markdown string) error {
	p.markdown, p.got, p.score = markdown, text{}, score{file: p.file}
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert([]byte(markdown), &b); err != nil {
		return err
	}
	made, err := html.Parse(&b)
	if err != nil {
		return err
	}
	p.got.add(made, func(*html.Node) bool { return false })
	p.judge()
	return nil
}

// withoutRepeats leaves out of each page what the pages share, as an export of a crawl does.
func withoutRepeats(all []*page) error {
	documents := func(yield func(json.RawMessage, error) bool) {
		for _, p := range all {
			raw, err := json.Marshal(map[string]any{
				"markdown": p.markdown, "metadata": map[string]any{"url": "https://docs.example/" + filepath.Base(p.file), "statusCode": http.StatusOK},
			})
			if !yield(raw, err) {
				return
			}
		}
	}
	i := 0
	for raw, err := range export.WithoutRepeats(documents) {
		if err != nil {
			return err
		}
		var d struct{ Markdown string }
		if err := json.Unmarshal(raw, &d); err != nil {
			return err
		}
		if err := all[i].compare(d.Markdown); err != nil {
			return err
		}
		i++
	}
	return nil
}

// marked returns the elements below root that match selectors.
func marked(root *html.Node, selectors string) map[*html.Node]bool {
	all := map[*html.Node]bool{}
	if selectors == "" {
		return all
	}
	for _, n := range cascadia.QueryAll(root, cascadia.MustCompile(selectors)) {
		all[n] = true
	}
	return all
}

func inside(n *html.Node, all map[*html.Node]bool) bool {
	for ; n != nil; n = n.Parent {
		if all[n] {
			return true
		}
	}
	return false
}

// add adds the words and headings of n, without the elements for which out returns true.
func (t *text) add(n *html.Node, out func(*html.Node) bool) {
	var b strings.Builder
	t.walk(&b, n, out)
	if t.words == nil {
		t.words = map[string]int{}
	}
	for _, w := range words(b.String()) {
		t.words[w]++
		t.order = append(t.order, w)
	}
}

func (t *text) walk(b *strings.Builder, n *html.Node, out func(*html.Node) bool) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Button, atom.Select, atom.Textarea, atom.Template, atom.Head:
		return
	}
	if out(n) || dom.Attr(n, "hidden") != "" {
		return
	}
	edge := n.Type == html.ElementNode && !isInline(n.DataAtom)
	if edge {
		b.WriteByte('\n')
	}
	from := b.Len()
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.walk(b, c, out)
	}
	if isHeading(n.DataAtom) {
		if s := strings.Join(words(b.String()[from:]), " "); s != "" {
			t.headings = append(t.headings, s)
		}
	}
	if edge {
		b.WriteByte('\n')
	}
}

func isHeading(a atom.Atom) bool {
	return a == atom.H1 || a == atom.H2 || a == atom.H3 || a == atom.H4 || a == atom.H5 || a == atom.H6
}

func isInline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn,
		atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small,
		atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// words returns the words of s, which consist of letters, digits and _, in
// lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_'
	})
}

// A score compares the Markdown of a page with the truth.
type score struct {
	file           string
	truth, found   int  // words of the truth, those of them that the Markdown has
	words, right   int  // words of the Markdown, those of them that the content has
	headings, kept int  // headings of the truth, those of them that are headings of the Markdown
	first          bool // the first heading is kept, or there is none
}

// judge fills the score of p.
func (p *page) judge() {
	for w, n := range p.truth.words {
		p.score.truth += n
		p.found += min(n, p.got.words[w])
	}
	for w, n := range p.got.words {
		p.words += n
		p.right += min(n, p.either.words[w])
	}
	left := map[string]int{}
	for _, h := range p.got.headings {
		left[h]++
	}
	p.first = true
	whole := p.either.headings
	for i, h := range p.truth.headings {
		p.headings++
		// The same heading with what may be in the Markdown or not, such as a link to the source.
		if k := slices.IndexFunc(whole, func(w string) bool { return strings.HasPrefix(w, h) }); k >= 0 {
			if left[h] == 0 {
				h = whole[k]
			}
			whole = whole[k+1:]
		}
		if left[h] > 0 {
			left[h]--
			p.kept++
		} else if i == 0 {
			p.first = false
		}
	}
}

func (s score) recall() float64 { return float64(s.found) / float64(max(s.truth, 1)) }

func (s score) precision() float64 { return float64(s.right) / float64(max(s.words, 1)) }

// order puts pages that lost more words or headings first.
func (s score) order(o score) int {
	worth := func(s score) float64 {
		f := s.recall() + s.precision()
		if s.headings > 0 {
			f += float64(s.kept) / float64(s.headings)
		}
		return f
	}
	return cmp.Compare(worth(s), worth(o))
}

// A sum is the score of a generator.
type sum struct {
	pages, poor, empty                 int
	recall, precision, headings, first float64
}

// total returns means over pages, except for headings, which are counted
// together.
func total(all []score) (t sum) {
	headings, kept, titled, first := 0, 0, 0, 0
	for _, s := range all {
		t.pages++
		t.recall += s.recall() / float64(len(all))
		if s.words == 0 {
			t.empty++
		}
		t.precision += s.precision() / float64(len(all))
		if s.recall() < .9 {
			t.poor++
		}
		headings, kept = headings+s.headings, kept+s.kept
		if s.headings > 0 {
			titled++
			if s.first {
				first++
			}
		}
	}
	t.headings = float64(kept) / float64(max(headings, 1))
	t.first = float64(first) / float64(max(titled, 1))
	return t
}

// print writes the words that only one side has, and the headings of both.
func (p *page) print(w io.Writer) {
	fmt.Fprintf(w, "%s: recall %.3f, precision %.3f\n", p.file, p.recall(), p.precision())
	fmt.Fprintln(w, "lost:", rest(p.truth.order, p.got.words))
	fmt.Fprintln(w, "too much:", rest(p.got.order, p.either.words))
	fmt.Fprintf(w, "headings: %q\nof the Markdown: %q\n", p.truth.headings, p.got.headings)
}

// rest returns the words of order that known does not have. A word that occurs more often
// in order than in known is returned as often as it is missing.
func rest(order []string, known map[string]int) string {
	left := maps.Clone(known)
	var out []string
	for _, w := range slices.Backward(order) {
		if left[w] > 0 {
			left[w]--
			continue
		}
		out = append(out, w)
	}
	slices.Reverse(out)
	return strings.Join(out, " ")
}
