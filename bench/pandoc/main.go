// SPDX-License-Identifier: Apache-2.0

// Pandoc compares our trees of DOCX files with those of pandoc, an independent
// reader.
//
//	cd bench && go run ./pandoc [-corpus DIR] [-keep DIR] [-worst 5] [-show NAME]
//	cd bench && go run ./pandoc -native DIR [-worst 5] [-show NAME]
//
// With -native it compares documents of any kind with the trees that pandoc's own tests
// expect of them, or write them from: DIR is the folder "test" of pandoc's source.
//
// The files are the corpus, and the files that pandoc and LibreOffice write from the
// sources beside this program. For each group it prints the F1 of words and of blocks. A block
// is a paragraph, a heading, a list item, a cell, a term or program code, with its
// text and its depth in lists. These do not count, because one of the two leaves
// them out on purpose: comments, deleted text, formulas, numbers of notes, text boxes,
// charts, running headers and footers, marks of check boxes, and the numbers that we print
// before headings and items.
//
// Where the two differ, either may be wrong. Pandoc takes indented paragraphs for
// quotes, has no check boxes, and knows code and definitions only by the names of
// its own styles. The levels of titles of slides do not count.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/parse"
)

//go:embed sources
var sources embed.FS

// page is the template of pandoc's HTML. It has the fields that pandoc takes from
// paragraphs of the document, such as its title.
const page = `<!doctype html><body>$if(title)$<h1>$title$</h1>$endif$$if(subtitle)$<p>$subtitle$</p>$endif$` +
	`$for(author)$<p>$author$</p>$endfor$$if(date)$<p>$date$</p>$endif$$if(abstract)$$abstract$$endif$$body$</body>`

func main() {
	corpus := flag.String("corpus", "../../shared/corpora/office-dev/docx", "folder of DOCX files")
	keep := flag.String("keep", "", "folder for the files; empty: they are not kept")
	worst := flag.Int("worst", 5, "name so many files of each group, those that differ most")
	native := flag.String("native", "", "folder of documents with pandoc's trees beside them")
	show := flag.String("show", "", "print the blocks that differ of the files whose name has this text")
	flag.Parse()
	if err := run(context.Background(), *corpus, *native, *keep, *worst, *show); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, corpus, native, keep string, worst int, show string) error {
	if !installed("pandoc") {
		return errors.New("pandoc is not installed")
	}
	if keep == "" {
		dir, err := os.MkdirTemp("", "curlew-pandoc-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		keep = dir
	}
	template := filepath.Join(keep, "page.html")
	if err := os.WriteFile(template, []byte(page), 0o600); err != nil {
		return err
	}
	groups, err := []group(nil), error(nil)
	if native != "" {
		groups, err = expected(native)
	} else {
		groups, err = collect(ctx, corpus, keep)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%-20s %6s %7s %7s\n", "group", "files", "words", "blocks")
	for _, g := range groups {
		var scores []score
		for _, path := range g.files {
			truth, format := path, "docx"
			if g.trees != nil {
				truth, format = g.trees[path], "native"
			}
			s, err := compare(ctx, path, truth, format, template, show)
			if err != nil {
				fmt.Printf("%s: %v\n", filepath.Base(path), err)
				continue
			}
			scores = append(scores, s)
		}
		words, blocks := 0.0, 0.0
		for _, s := range scores {
			words, blocks = words+s.words, blocks+s.blocks
		}
		n := float64(max(1, len(scores)))
		fmt.Printf("%-20s %6d %7.4f %7.4f\n", g.name, len(scores), words/n, blocks/n)
		slices.SortFunc(scores, func(a, b score) int {
			return strings.Compare(fmt.Sprintf("%.4f", a.blocks), fmt.Sprintf("%.4f", b.blocks))
		})
		for _, s := range scores[:min(worst, len(scores))] {
			if s.blocks < 1 {
				fmt.Printf("    %-40s %7.4f %7.4f\n", filepath.Join(filepath.Base(filepath.Dir(s.path)), filepath.Base(s.path)), s.words, s.blocks)
			}
		}
	}
	return nil
}

func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// group is files of one origin.
type group struct {
	name  string
	files []string
	trees map[string]string // files with pandoc's trees; nil if pandoc reads the documents
}

// expected returns the documents below dir that have a tree of pandoc, by their kind. The
// tree has its name and stands beside the document, in the folder above or in the folder
// "native" beside that of the document, or is what the document was written from.
func expected(dir string) ([]group, error) {
	kinds := map[string]*group{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ext := filepath.Ext(path)
		stem := strings.TrimSuffix(path, ext)
		for _, tree := range []string{stem + ".native", filepath.Join(filepath.Dir(path), "..", "native", filepath.Base(stem)+".native"), filepath.Join(filepath.Dir(path), "..", filepath.Base(stem)+".native"), filepath.Join(filepath.Dir(path), "input.native")} {
			if _, err := os.Stat(tree); err != nil || ext == ".native" {
				continue
			}
			g := kinds[ext]
			if g == nil {
				g = &group{name: ext[1:], trees: map[string]string{}}
				kinds[ext] = g
			}
			g.files, g.trees[path] = append(g.files, path), tree
			break
		}
		return nil
	})
	var groups []group
	for _, kind := range []string{".docx", ".odt", ".rtf", ".epub", ".pptx"} {
		if g := kinds[kind]; g != nil {
			groups = append(groups, *g)
		}
	}
	return groups, err
}

// collect makes the files in dir and returns all groups.
func collect(ctx context.Context, corpus, dir string) ([]group, error) {
	found, err := filepath.Glob(filepath.Join(corpus, "*.docx"))
	if err != nil {
		return nil, err
	}
	groups := []group{{name: corpus, files: found}}
	if len(corpus) > 20 {
		groups[0].name = "corpus"
	}
	var texts []string
	err = fs.WalkDir(sources, "sources", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, d.Name())
		texts = append(texts, to)
		return os.WriteFile(to, data, 0o600)
	})
	if err != nil {
		return nil, err
	}
	byPandoc, err := convert(texts, ".pandoc.docx", func(from, to string) error {
		return program(ctx, "pandoc", from, "-o", to)
	})
	if err != nil {
		return nil, err
	}
	groups = append(groups, group{name: "by pandoc", files: byPandoc})
	if !installed("soffice") {
		fmt.Println("soffice is not installed: no files by LibreOffice")
		return groups, nil
	}
	byOffice, err := convert(texts, ".office.docx", func(from, to string) error {
		middle := strings.TrimSuffix(to, ".docx") + ".odt"
		if err := program(ctx, "pandoc", from, "-o", middle); err != nil {
			return err
		}
		return program(ctx, "soffice", "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to", "docx", "--outdir", dir, middle)
	})
	return append(groups, group{name: "by LibreOffice", files: byOffice}), err
}

// convert makes a file of each text, unless an earlier run has kept it.
func convert(texts []string, ext string, with func(from, to string) error) ([]string, error) {
	var made []string
	for _, from := range texts {
		to := from + ext
		if _, err := os.Stat(to); err != nil {
			if err := with(from, to); err != nil {
				return nil, err
			}
		}
		made = append(made, to)
	}
	return made, nil
}

func program(ctx context.Context, name string, args ...string) error {
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil { // #nosec G204 -- the programs of this benchmark
		return fmt.Errorf("%s: %w: %.300s", name, err, out)
	}
	return nil
}

// score is how much two readings of one file have in common.
type score struct {
	path          string
	words, blocks float64
}

// compare compares our reading of the document at path with pandoc's of truth, which has a
// format of pandoc.
func compare(ctx context.Context, path, truth, format, template, show string) (score, error) {
	src, err := parse.File(path)
	if err != nil {
		return score{}, err
	}
	defer src.Close()
	tree, err := new(parse.Engine).Parse(ctx, src, nil)
	if err != nil {
		return score{}, err
	}
	out, err := exec.CommandContext(ctx, "pandoc", "-f", format, "-t", "html5", "--mathjax", "-s", "--wrap=none", "--template", template, truth).Output() // #nosec G204 -- the same
	if err != nil {
		return score{}, errors.New("pandoc cannot read it")
	}
	root, err := html.Parse(strings.NewReader(string(out)))
	if err != nil {
		return score{}, err
	}
	ours, theirs := blocks(tree.Root), blocks(root)
	if filepath.Ext(path) == ".pptx" {
		ours, theirs = slides(ours), slides(theirs)
	}
	unlabel(ours, theirs)
	s := score{path: path, words: scoretest.F1(words(ours), words(theirs)), blocks: scoretest.F1(bag(ours), bag(theirs))}
	if len(ours)+len(theirs) == 0 {
		s.words, s.blocks = 1, 1
	}
	if show != "" && strings.Contains(path, show) {
		fmt.Printf("--- %s\n", path)
		differ(ours, theirs)
	}
	return s, nil
}

// slides makes the blocks of slides comparable: a title has no level there, a caption is a
// text box, and slides without a title are numbered in ours.
func slides(blocks []string) (out []string) {
	for _, b := range blocks {
		kind, text, _ := strings.Cut(b, ": ")
		switch {
		case untitled.MatchString(b):
			continue
		case kind == "h1" || kind == "h2":
			kind = "h"
		case kind == "figcaption":
			kind = "p"
		}
		out = append(out, kind+": "+text)
	}
	return out
}

var untitled = regexp.MustCompile(`^h2: Slide \d+$`)

// unlabel removes the numbers of our blocks that the other reading does not have.
func unlabel(ours, theirs []string) {
	known := bag(theirs)
	for i, b := range ours {
		kind, text, _ := strings.Cut(b, ": ")
		_, bare, ok := strings.Cut(text, " ")
		if b := kind + ": " + bare; ok && (kind[0] == 'h' || strings.HasPrefix(kind, "li")) && known[b] > 0 && known[ours[i]] == 0 {
			ours[i] = b
		}
	}
}

// differ prints the blocks that only one reading has.
func differ(ours, theirs []string) {
	o, t := bag(ours), bag(theirs)
	for _, b := range theirs {
		if o[b]--; o[b] < 0 {
			fmt.Printf("  pandoc %.150s\n", b)
		}
	}
	for _, b := range ours {
		if t[b]--; t[b] < 0 {
			fmt.Printf("  curlew %.150s\n", b)
		}
	}
}

func bag(list []string) map[string]int {
	n := map[string]int{}
	for _, s := range list {
		n[s]++
	}
	return n
}

func words(blocks []string) map[string]int {
	var b strings.Builder
	for _, s := range blocks {
		_, text, _ := strings.Cut(s, ": ")
		b.WriteString(text + "\n")
	}
	return scoretest.Words(b.String())
}

// blocks returns the blocks of a tree in order, each as its kind and its text.
func blocks(root *html.Node) []string {
	w := walker{}
	w.walk(root, "p", 0)
	w.end("p", 0)
	return w.blocks
}

type walker struct {
	text   strings.Builder
	blocks []string
}

// end closes the block that has been open.
func (w *walker) end(kind string, depth int) {
	text := strings.Join(strings.Fields(strings.NewReplacer("\u2610", "", "\u2612", "").Replace(w.text.String())), " ")
	w.text.Reset()
	if text == "" {
		return
	}
	if depth > 0 && (kind == "p" || kind == "li") {
		kind = fmt.Sprint("li", depth)
	}
	w.blocks = append(w.blocks, kind+": "+text)
}

func (w *walker) walk(n *html.Node, kind string, depth int) {
	switch n.Type {
	case html.TextNode:
		w.text.WriteString(n.Data)
		return
	case html.CommentNode:
		return
	}
	if left(n) {
		return
	}
	inner := ""
	switch n.DataAtom {
	case atom.Br:
		w.text.WriteString(" ")
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Dt, atom.Dd, atom.Td, atom.Blockquote, atom.Figcaption:
		inner = n.Data
	case atom.Th:
		inner = "td"
	case atom.Caption:
		inner = "figcaption"
	case atom.Ul, atom.Ol:
		w.end(kind, depth)
		depth++
		inner = "li"
	case atom.P, atom.Div, atom.Li, atom.Section, atom.Table, atom.Tr, atom.Figure, atom.Dl, atom.Header, atom.Footer, atom.Aside, atom.Body, atom.Nav, atom.Hr:
		inner = kind
	}
	if inner == "" {
		for c := range n.ChildNodes() {
			w.walk(c, kind, depth)
		}
		return
	}
	outer := depth
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		outer--
	}
	w.end(kind, outer)
	if inner == "td" || inner == "dd" {
		depth = 0
	}
	for c := range n.ChildNodes() {
		w.walk(c, inner, depth)
	}
	w.end(inner, depth)
}

// left reports whether an element is left out of the comparison.
func left(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Math, atom.Aside:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "data-note", "data-reply":
			return true
		case "role":
			if strings.HasPrefix(a.Val, "doc-noteref") || strings.HasPrefix(a.Val, "doc-backlink") {
				return true
			}
		case "class":
			if a.Val == "notes" || strings.Contains(a.Val, "math ") || strings.HasPrefix(a.Val, "footnote-") || a.Val == "math" {
				return true
			}
			if a.Val == "comment-start" || a.Val == "comment-end" || a.Val == "deletion" {
				return true
			}
		case "data-role":
			if a.Val == "running" || a.Val == "chart" || a.Val == "diagram" {
				return true
			}
		}
	}
	return false
}
