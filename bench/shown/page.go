// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/bench/peers"
	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/parse"
)

// A page is what a browser shows of a page beside its Markdown.
type page struct {
	name, kind   string
	shown        int      // words that the browser shows
	labels       []string // words of controls that are left out because they are no content, or whose number a warning says
	lost, hidden []string // words that only the browser shows, and that only the Markdown has
	places       []string // of the first lost words, with the words beside them
	warnings     []string
	counted      int // words that warnings count
}

// compare reads the page in both ways.
func (p *page) compare(ctx context.Context, b *peers.Browser, source string, body []byte) error {
	shown, err := b.Shown(source)
	if err != nil {
		return err
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Bytes(p.name, body), nil)
	if err != nil {
		p.warnings = append(p.warnings, "refused: "+err.Error())
		return nil
	}
	for _, w := range tree.Warnings {
		p.warnings = append(p.warnings, w.Text)
	}
	d, err := format.Build(ctx, &format.Input{Root: tree.Root, URL: "https://page.example/" + p.name}, &format.Options{WholePage: true, KeepAds: true})
	if err != nil {
		return err
	}
	p.warnings = append(p.warnings, d.Warning)
	p.count()
	var made bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert([]byte(*d.Markdown), &made); err != nil {
		return err
	}
	root, err := html.Parse(&made)
	if err != nil {
		return err
	}
	var text strings.Builder
	write(&text, root)
	theirs, ours := words(shown), words(text.String())
	p.shown = len(theirs)
	p.labels = labels(tree.Root, d.Warning)
	lost, at := rest(theirs, append(slices.Clone(ours), p.labels...))
	joined := joints(ours)
	for k, i := range at {
		if joined[lost[k]] {
			continue
		}
		p.lost = append(p.lost, lost[k])
		p.places = append(p.places, strings.Join(theirs[max(0, i-2):i], " ")+" ["+theirs[i]+"] "+strings.Join(theirs[i+1:min(i+3, len(theirs))], " "))
	}
	p.hidden, _ = rest(ours, theirs)
	return nil
}

// joints returns what two to four words in a row are without spaces. A browser without the style sheets of a page
// shows so what its elements keep apart, such as the label of a price and the price.
func joints(words []string) map[string]bool {
	all := map[string]bool{}
	for i := range words {
		joint := words[i]
		for _, w := range words[i+1 : min(i+4, len(words))] {
			joint += w
			all[joint] = true
		}
	}
	return all
}

// labels returns the words of controls that are left out without a word: labels of buttons,
// lists with one choice, what screen readers are not told, notices for browsers without
// scripts, links from notes back to their marks, and numbers of the lines of code. Longer buttons and lists are among them if the warning counts such.
func labels(root *html.Node, warning string) (all []string) {
	const few = 8 // words
	for n := range root.Descendants() {
		known := n.DataAtom == atom.Noscript || strings.Contains(dom.Attr(n, "class"), "backlink") || isGutter(n) || strings.EqualFold(dom.Attr(n, "aria-hidden"), "true") ||
			n.DataAtom == atom.Select && strings.Contains(warning, lists) || n.DataAtom == atom.Button && strings.Contains(warning, buttons)
		if !known && n.DataAtom != atom.Button && n.DataAtom != atom.Select {
			continue
		}
		var b strings.Builder
		write(&b, n)
		if words := words(b.String()); known || len(words) <= few {
			all = append(all, words...)
		}
	}
	return all
}

// isGutter reports whether n is a text or a cell that has nothing but the numbers from one number to another.
func isGutter(n *html.Node) bool {
	if n.DataAtom != atom.Pre && n.DataAtom != atom.Td {
		return false
	}
	var b strings.Builder
	write(&b, n)
	all := words(b.String())
	for i, w := range all {
		if v, err := strconv.Atoi(w); err != nil || i > 0 && strconv.Itoa(v-1) != all[i-1] {
			return false
		}
	}
	return len(all) > 1
}

// What warnings say of controls. A warning counts what is between spaces, and here words
// consist of letters and digits, so their numbers are not compared.
const lists, buttons = "lists of choices", "buttons with more than a label"

var (
	number   = regexp.MustCompile(`(\d+) words`)
	controls = regexp.MustCompile(`(` + lists + `|` + buttons + `) \(\d+\) with \d+ words`)
)

// count adds the words that warnings count, without those of controls.
func (p *page) count() {
	for _, w := range p.warnings {
		for _, m := range number.FindAllStringSubmatch(controls.ReplaceAllString(w, ""), -1) {
			n, _ := strconv.Atoi(m[1])
			p.counted += n
		}
	}
}

// isSilent reports whether more words of a page are lost than its warnings count.
func (p *page) isSilent() bool { return len(p.lost) > p.counted }

func (p *page) print(w io.Writer, most int) {
	fmt.Fprintf(w, "%s (%s): %d of %d words lost, %d counted, %d hidden\n", p.name, p.kind, len(p.lost), p.shown, p.counted, len(p.hidden))
	for _, s := range p.places[:min(most, len(p.places))] {
		fmt.Fprintln(w, "  ", s)
	}
	for _, s := range p.warnings {
		fmt.Fprintln(w, "  warning:", s)
	}
}

// write writes the text of n.
func write(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
		return
	}
	edge := n.Type == html.ElementNode
	switch n.DataAtom {
	case atom.B, atom.Code, atom.Del, atom.Em, atom.I, atom.Strong, atom.Sub, atom.Span, atom.Mark, atom.U, atom.Ins, atom.Kbd:
		edge = false
	case atom.Sup:
		edge = strings.HasPrefix(dom.Attr(n, "id"), "fnref") // pages write marks of notes in brackets
	}
	if edge {
		b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		write(b, c)
	}
	if edge {
		b.WriteByte('\n')
	}
}

// words returns the words of s, which consist of letters and digits, in lower case.
func words(s string) []string {
	s = strings.NewReplacer("\u00ad", "", "\ufffd", "", "\u200b", "", "\u2060", "").Replace(s)
	return strings.FieldsFunc(strings.ToLower(strings.ToUpper(s)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// rest returns the words of all that are not in known so often, and their places.
func rest(all, known []string) (words []string, at []int) {
	left := map[string]int{}
	for _, w := range known {
		left[w]++
	}
	for i, w := range slices.Backward(all) {
		if left[w]--; left[w] < 0 {
			words, at = append(words, w), append(at, i)
		}
	}
	slices.Reverse(words)
	slices.Reverse(at)
	return words, at
}
