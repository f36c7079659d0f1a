// SPDX-License-Identifier: Apache-2.0

// Chunks checks the chunks of documents and web pages against the blocks that
// another reader of Markdown (goldmark) finds in the same text.
//
//	cd bench && go run ./chunks [-size 300] [-show 5] [DIR ...]
//	cd bench && (cd peers && npm install) && go run ./chunks -tokens [-files eng,deu_1996] [DIR ...]
//
// The second command also compares the estimates of tokens with two tokenizers.
//
// It reads each file of the folders, by default of the development corpora, and
// counts chunks of which one of these is wrong:
//
//   - span: the text does not have the characters from start to end, or these are
//     not after those of the chunk before it
//   - gap: characters that no chunk has, except white space
//   - size: more tokens than the limit
//   - table: a table that fits into a chunk is cut
//   - row: the chunks have other rows of tables, read alone, than the document
//   - code: the chunks have other lines of code, read alone, than the document
//   - place: a chunk with a word that the document has only once names another page, slide or
//     sheet than the one with that word
//   - heading: such a chunk has a heading that is not one of those above the word
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"example.com/curlew/format"
	"example.com/curlew/parse"
)

var defaults = []string{"office-dev", "wcxb-dev/html", "news-dev/html", "pdf-layout-dev/pdfs", "markdown"}

func main() {
	size := flag.Int("size", 300, "tokens of a chunk")
	show := flag.Int("show", 5, "findings of each kind to print")
	tokens := flag.Bool("tokens", false, "count the tokens of the chunks")
	names := flag.String("files", "", "names of files whose tokens to print, too")
	flag.Parse()
	ctx := context.Background()
	dirs := flag.Args()
	if len(dirs) == 0 {
		for _, d := range defaults {
			dirs = append(dirs, filepath.Join("../../shared/corpora", d))
		}
	}
	c := checker{size: *size, show: *show, wrong: map[string]int{}}
	if *tokens {
		var err error
		if c.counter, err = newCounter(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, dir := range dirs {
		c.dir = strings.TrimPrefix(dir, "../../shared/corpora/")
		if err := c.folder(ctx, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Printf("%d documents, %d chunks of at most %d tokens\n", c.documents, c.chunks, c.size)
	for _, what := range slices.Sorted(maps.Keys(c.wrong)) {
		fmt.Printf("%8d %s\n", c.wrong[what], what)
	}
	if c.counter != nil {
		c.counter.print(*show, strings.Split(*names, ","))
	}
}

// checker counts what is wrong.
type checker struct {
	size, show        int
	documents, chunks int
	wrong             map[string]int
	counter           *counter // nil: do not count tokens
	dir               string   // folder of the files
}

func (c *checker) report(file, what, format string, args ...any) {
	c.wrong[what]++
	if c.wrong[what] <= c.show {
		fmt.Printf("%s: %s: %.600s\n", file, what, fmt.Sprintf(format, args...))
	}
}

func (c *checker) folder(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if name, packed := strings.CutSuffix(path, ".gz"); packed {
			if data, err = unpack(data); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			path = name
		}
		var e parse.Engine
		tree, err := e.Parse(ctx, parse.Source{Name: path, Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
		if err != nil {
			return nil // documents that are refused have no chunks
		}
		web := tree.Kind == parse.HTML
		in := &format.Input{
			Root: tree.Root, Raw: tree.Verbatim, NotWeb: !web,
			Verbatim: tree.Kind == parse.Text || tree.Kind == parse.Markdown,
		}
		if web {
			in.URL = "https://a.example/"
		}
		return c.document(ctx, path, in)
	})
}

// unpack returns what gzip compressed.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// build returns the Markdown and the chunks of a document, and whether some lack a header that is too long to repeat.
func (c *checker) build(ctx context.Context, in *format.Input) (all string, chunks []format.Chunk, bare bool, err error) {
	d, err := format.Build(ctx, in, &format.Options{
		Forms: []format.Form{format.Markdown, format.ChunksForm}, Chunks: format.Chunking{Size: c.size},
	})
	if err != nil {
		return "", nil, false, err
	}
	return *d.Markdown, d.Chunks, strings.Contains(d.Warning, "without its header"), nil
}

func (c *checker) document(ctx context.Context, file string, in *format.Input) error {
	var words map[string]*word
	if in.NotWeb && in.Root != nil {
		words = wordsOf(in.Root)
	}
	all, chunks, bare, err := c.build(ctx, in)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	c.documents++
	c.chunks += len(chunks)
	for i := range chunks {
		if c.counter == nil {
			break
		}
		if err := c.counter.add(c.dir, file, &chunks[i], c.size); err != nil {
			return err
		}
	}
	starts := c.spans(file, all, chunks)
	if starts == nil {
		return nil
	}
	if words != nil {
		c.places(file, all, chunks, words)
	}
	whole := contentOf(all)
	var parts content
	cuts := make([]bool, len(chunks)) // the chunk begins within a line
	for i := range chunks {
		p := contentOf(chunks[i].Text)
		parts.rows = append(parts.rows, p.rows...)
		parts.code = append(parts.code, p.code...)
		cuts[i] = starts[i] > 0 && all[starts[i]-1] != '\n'
	}
	if !bare && !slices.Contains(cuts, true) {
		c.compare(file, "row", whole.rows, parts.rows)
		c.compare(file, "code", whole.code, parts.code)
	}
	return c.tables(ctx, file, all, whole.blocks, starts)
}

// spans checks the spans of the chunks, and returns where each begins and the last one ends, in bytes.
func (c *checker) spans(file, all string, chunks []format.Chunk) []int {
	runes := []rune(all)
	starts := []int{}
	at, end := 0, 0 // in characters
	offset := 0
	for i, k := range chunks {
		if k.Start < end || k.End <= k.Start || k.End > len(runes) || !strings.Contains(k.Text, string(runes[k.Start:k.End])) {
			c.report(file, "span", "%d: %+v", i, k)
			return nil
		}
		if gap := string(runes[end:k.Start]); strings.TrimSpace(gap) != "" {
			c.report(file, "gap", "%q", gap)
		}
		if k.Tokens > c.size {
			c.report(file, "size", "%d: %d tokens", i, k.Tokens)
		}
		offset += len(string(runes[at:k.Start]))
		starts = append(starts, offset)
		at, end = k.Start, k.End
	}
	if gap := string(runes[end:]); strings.TrimSpace(gap) != "" {
		c.report(file, "gap", "at the end: %q", gap)
	}
	return append(starts, len(all))
}

// compare reports the first difference of two lists.
func (c *checker) compare(file, what string, want, got []string) {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			c.report(file, what, "%d more, such as %q", len(got)-i, got[i])
			return
		case i >= len(got):
			c.report(file, what, "%d fewer, such as %q", len(want)-i, want[i])
			return
		case want[i] != got[i]:
			c.report(file, what, "%q in place of %q", got[i], want[i])
			return
		}
	}
}

// block is a block of the outermost level.
type block struct {
	start, end int // in bytes
	table      bool
}

// content is what goldmark finds in Markdown.
type content struct {
	blocks []block
	rows   []string // of tables, without headers
	code   []string // lines, without blank ones
}

var reader = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

func contentOf(s string) (c content) {
	source := []byte(s)
	root := reader.Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		_, isTable := n.(*extast.Table)
		b := block{start: -1, table: isTable}
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering || n.Type() == ast.TypeInline {
				return ast.WalkSkipChildren, nil
			}
			for i := range n.Lines().Len() {
				l := n.Lines().At(i)
				if b.start < 0 {
					b.start = l.Start
				}
				b.end = max(b.end, l.Stop)
			}
			switch n := n.(type) {
			case *extast.TableRow:
				var cells []string
				for c := n.FirstChild(); c != nil; c = c.NextSibling() {
					cells = append(cells, string(c.Lines().Value(source)))
				}
				c.rows = append(c.rows, strings.Join(cells, "|"))
			case *ast.FencedCodeBlock:
				for l := range strings.Lines(string(n.Lines().Value(source))) {
					if strings.TrimSpace(l) != "" {
						c.code = append(c.code, strings.TrimRight(l, " \t\r\n"))
					}
				}
			}
			return ast.WalkContinue, nil
		})
		if b.start >= 0 {
			if end := strings.IndexByte(s[b.end:], '\n'); end > 0 {
				b.end += end
			}
			c.blocks = append(c.blocks, b)
		}
	}
	return c
}

// tables finds tables that are cut, although they are one chunk if they are alone.
func (c *checker) tables(ctx context.Context, file, all string, blocks []block, starts []int) error {
	for _, b := range blocks {
		if !b.table {
			continue
		}
		from, to := strings.LastIndexByte(all[:b.start], '\n')+1, b.end
		if i, found := slices.BinarySearch(starts, from+1); found || i < len(starts) && starts[i] < to {
			_, alone, _, err := c.build(ctx, &format.Input{Raw: all[from:to], Verbatim: true, NotWeb: true})
			if err != nil {
				return err
			}
			if len(alone) == 1 {
				c.report(file, "table", "%d tokens: %q", alone[0].Tokens, all[from:to])
			}
		}
	}
	return nil
}
