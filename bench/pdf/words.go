// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// bag counts the words of a text.
type bag map[string]int

var wordForm = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// bagOf returns the words of a text. Compatible forms of letters, such as ligatures, count
// as the letters. Each letter of a script without spaces is a word, because lines end
// between any two of them.
func bagOf(s string) bag {
	b := bag{}
	for _, w := range wordForm.FindAllString(strings.ToLower(norm.NFKC.String(s)), -1) {
		from := 0
		for i, r := range w {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				if from < i {
					b[w[from:i]]++
				}
				b[string(r)]++
				from = i + utf8.RuneLen(r)
			}
		}
		if from < len(w) {
			b[w[from:]]++
		}
	}
	return b
}

// without returns the words of b that are not in o.
func (b bag) without(o bag) bag {
	out := bag{}
	for w, n := range b {
		if n > o[w] {
			out[w] = n - o[w]
		}
	}
	return out
}

func (b bag) size() int {
	n := 0
	for _, k := range b {
		n += k
	}
	return n
}

// wording is the words of a file with a reference text.
type wording struct {
	name     string
	want     bag // of the reference
	all      bag // of the tree with text that cannot be seen
	seen     bag // of the tree, as it is read by default
	body     bag // of the tree without running headers, footers and page numbers
	markdown bag // of the default Markdown, as a reader of Markdown shows it
	raw      bag // of the characters of the Markdown, with its marks and the targets of links
}

// purpose returns the words of the reference that are left out on purpose: they cannot
// be seen, or they are running headers, footers or page numbers.
func (w *wording) purpose() (hidden, running bag) {
	lacking := w.want.without(w.body)
	running = w.seen.without(w.body)
	hidden = w.all.without(w.seen)
	for word := range lacking {
		running[word] = min(running[word], lacking[word])
		hidden[word] = min(hidden[word], lacking[word]-running[word])
	}
	for _, b := range []bag{hidden, running} {
		maps.DeleteFunc(b, func(word string, n int) bool { return n <= 0 || lacking[word] == 0 })
	}
	return hidden, running
}

// most is the score that a reader could reach that leaves out the same words on purpose.
func (w *wording) most() float64 {
	hidden, running := w.purpose()
	return scoretest.F1(w.want.without(hidden).without(running), w.want)
}

// wordsBelow scores the PDF files below root.
func wordsBelow(root string) error {
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".pdf") {
			files = append(files, path)
		}
		return err
	})
	words(files, passwords())
	return err
}

// words scores the files with a reference text: with hidden text and running
// headers, as they are read by default, and without running headers, as in Markdown.
func words(files []string, keys map[string]string) {
	var all, tree, body, most, text, raw float64
	high, n := 0, 0
	var hidden, running lost
	for _, f := range files {
		w := wordsOf(f, keys)
		if w == nil {
			continue
		}
		n++
		score := scoretest.F1(w.all, w.want)
		if all += score; score >= .95 {
			high++
		}
		tree += scoretest.F1(w.seen, w.want)
		body += scoretest.F1(w.body, w.want)
		text += scoretest.F1(w.markdown, w.want)
		raw += scoretest.F1(w.raw, w.want)
		most += w.most()
		hidden.add(w.all.without(w.seen))
		running.add(w.seen.without(w.body))
		if *below != "" {
			w.print()
		}
	}
	if n == 0 {
		return
	}
	mean := func(sum float64) float64 { return sum / float64(n) }
	fmt.Printf("words of %d files with reference text: mean F1 %.4f, at .95 %.1f %%\n", n, mean(all), 100*mean(float64(high)))
	fmt.Printf("words without hidden text: mean F1 %.4f, without running headers, footers and page numbers %.4f, of Markdown %.4f, of its characters %.4f\n", mean(tree), mean(body), mean(text), mean(raw))
	fmt.Printf("left out on purpose: %d words that cannot be seen in %d files, %d words of running headers, footers and page numbers in %d files: without them at most %.4f\n", hidden.words, hidden.files, running.words, running.files, mean(most))
}

// lost counts the words that a choice leaves out, and the files with such words.
type lost struct{ words, files int }

func (l *lost) add(b bag) {
	if n := b.size(); n > 0 {
		l.words, l.files = l.words+n, l.files+1
	}
}

// print prints the words that the Markdown lacks or has too often, by their cause.
func (w *wording) print() {
	lacking, other := w.want.without(w.markdown), w.markdown.without(w.want)
	if maps.Equal(w.raw, w.want) {
		return
	}
	fmt.Printf("%.4f %s, tree %.4f, characters %.4f\n", scoretest.F1(w.markdown, w.want), w.name, scoretest.F1(w.all, w.want), scoretest.F1(w.raw, w.want))
	hidden, running := w.purpose()
	lacking = lacking.without(hidden).without(running)
	joined, parts := regrouped(lacking, other)
	lacking, other = lacking.without(parts), other.without(joined)
	split, wholes := regrouped(other, lacking)
	other, lacking = other.without(split), lacking.without(wholes)
	inTree := bag{}
	for word, k := range lacking {
		if d := min(k, w.all[word]-w.markdown[word]); d > 0 {
			inTree[word] = d
		}
	}
	for _, c := range []struct {
		what  string
		words bag
	}{
		{"cannot be seen", hidden},
		{"running", running},
		{"parts of words that are joined here", parts},
		{"joined there", wholes},
		{"only in the tree", inTree},
		{"lacking in the characters", w.markdown.without(w.raw)},
		{"more in the characters", w.raw.without(w.markdown)},
		{"lacking", lacking.without(inTree)},
		{"more", other},
	} {
		if len(c.words) > 0 {
			fmt.Printf("  %s: %d: %s\n", c.what, c.words.size(), strings.Join(slices.Sorted(maps.Keys(c.words)), " "))
		}
	}
}

// regrouped finds words of whole that consist of two words of parts, as the two halves of a
// hyphenated word do.
func regrouped(parts, whole bag) (wholes, halves bag) {
	wholes, halves = bag{}, bag{}
	for word, n := range whole {
		for i := 1; i < len(word); i++ {
			a, b := word[:i], word[i:]
			k := min(n-wholes[word], parts[a]-halves[a], parts[b]-halves[b])
			if k <= 0 || a == b && parts[a]-halves[a] < 2 {
				continue
			}
			wholes[word] += k
			halves[a] += k
			halves[b] += k
		}
	}
	return wholes, halves
}

// wordsOf reads a file in all ways. It returns nil if the file has no reference text.
func wordsOf(f string, keys map[string]string) *wording {
	want, pages := reference(f), 0
	if _, err := os.Stat(filepath.Join(filepath.Dir(f), "..", "text")); err != nil {
		want, pages = agreed(f), mostPages
	}
	if want == nil {
		return nil
	}
	w := &wording{name: filepath.Base(f), want: want, all: textOf(treeOf(f, keys, parse.HiddenKept, pages), true)}
	tree := treeOf(f, keys, parse.HiddenDropped, pages)
	w.seen, w.body = textOf(tree, true), textOf(tree, false)
	if tree != nil {
		var b strings.Builder
		if err := markdown.Render(context.Background(), &b, tree.Root, &markdown.Options{SkipRunning: true}); err != nil {
			fail(err)
		}
		w.raw = bagOf(b.String())
		w.markdown = textOf(parsed([]byte(b.String()), &parse.Options{Kind: parse.Markdown}), true)
	}
	return w
}

// wordScore is the F1 of the words of a file, including running headers and
// hidden text. It returns false if there is no reference text.
func wordScore(f string, keys map[string]string) (float64, bool) {
	want := reference(f)
	if want == nil {
		return 0, false
	}
	return scoretest.F1(textOf(treeOf(f, keys, parse.HiddenKept, 0), true), want), true
}

// reference returns the words of the text that the development data have for a file, or
// nil if they have none.
func reference(f string) bag {
	folder, name := filepath.Split(f)
	text, err := os.ReadFile(filepath.Join(folder, "..", "text", strings.TrimSuffix(name, ".pdf")+".txt"))
	if err != nil {
		return nil
	}
	return bagOf(string(text))
}

const (
	mostPages = 20  // that are compared of a document
	agreement = .98 // F1 of the words of pdftotext and mutool from which they are a reference
	fewWords  = 20  // a document with fewer words is not compared
	patience  = time.Minute
)

// agreed returns the words of a file that pdftotext finds if mutool finds nearly the same
// ones, or nil.
func agreed(f string) bag {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	last := strconv.Itoa(mostPages)
	one, err := exec.CommandContext(ctx, "pdftotext", "-q", "-l", last, f, "-").Output() // #nosec G204 -- a fixed program
	if err != nil {
		return nil
	}
	two, err := exec.CommandContext(ctx, "mutool", "draw", "-q", "-F", "txt", f, "1-"+last).Output() // #nosec G204 -- a fixed program
	if err != nil && len(two) == 0 {
		return nil
	}
	a, b := bagOf(string(one)), bagOf(string(two))
	if a.size() < fewWords || scoretest.F1(a, b) < agreement {
		return nil
	}
	return a
}

// treeOf reads the first pages of a file, or all for 0. It returns nil if the file cannot be read.
func treeOf(f string, keys map[string]string, hidden parse.Hidden, pages int) *parse.Tree {
	data, err := os.ReadFile(f)
	if err != nil {
		fail(err)
	}
	return parsed(data, &parse.Options{Kind: parse.PDF, Password: keys[filepath.Base(f)], Hidden: hidden, PDF: parse.PDFOptions{MaxPages: pages}})
}

func parsed(data []byte, o *parse.Options) *parse.Tree {
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Source{Data: bytes.NewReader(data), Size: int64(len(data))}, o)
	if err != nil {
		return nil
	}
	return tree
}

// textOf returns the words of a tree, with those of running headers, footers and page
// numbers if running is set.
func textOf(tree *parse.Tree, running bool) bag {
	if tree == nil {
		return bag{}
	}
	var text strings.Builder
	shown(&text, tree.Root, running)
	return bagOf(text.String())
}

// shown returns the text of a tree with a line break after each block, with running
// headers, footers and page numbers if running is set.
func shown(b *strings.Builder, n *html.Node, running bool) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(n.Data)
	case n.Type == html.ElementNode && n.Data == "head", !running && doctree.IsRunning(n):
		return
	}
	number := 0
	if n.Type == html.ElementNode && n.Data == "ol" { // the numbers of items are visible
		number = 1
		for _, a := range n.Attr {
			if v, err := strconv.Atoi(a.Val); err == nil && a.Key == "start" {
				number = v
			}
		}
	}
	for c := range n.ChildNodes() {
		if number > 0 && c.Data == "li" {
			fmt.Fprintf(b, "%d. ", number)
			number++
		}
		shown(b, c, running)
	}
	if n.Type == html.ElementNode && !slices.Contains([]string{"a", "b", "i", "em", "strong", "sup", "sub", "span", "wbr"}, n.Data) {
		b.WriteByte('\n')
	}
}
