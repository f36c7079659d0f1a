// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/chunk"
	"example.com/curlew/internal/dom"
)

// Chunk is a part of a document's Markdown, for a search index.
type Chunk struct {
	// Text is the Markdown from Start to End. If a table or a code block is split
	// into several chunks, the Text of each also has the header of the table, or
	// the lines that open and close the code block, unless these are too long, which a
	// warning counts. If a row is split, the Text of its rest also has empty cells before it.
	Text     string   `json:"text"`
	Headings []string `json:"headings"`        // headings that apply to the whole text, outermost first; never nil
	Page     int      `json:"page,omitempty"`  // page or slide on which the text begins, from 1; zero if the document has none
	Sheet    string   `json:"sheet,omitempty"` // name of the sheet that contains the text; empty if the document has none
	Start    int      `json:"start"`           // first character of the text in Document.Markdown, from 0
	End      int      `json:"end"`             // the character after the last one
	Tokens   int      `json:"tokens"`          // an estimate
}

// Chunking controls the chunks form. The zero value is the default of the HTTP
// contract.
type Chunking struct {
	Size    int // maximum number of tokens of a chunk, from 200 to 8000; zero means 1000
	Overlap int // maximum number of tokens that a chunk repeats from the previous one, from 0 to half of Size
}

// Values of Chunking.Size, in tokens.
const (
	minChunkSize = 200
	maxChunkSize = 8000
	defaultChunk = 1000
)

// check returns an error if the values are out of range.
func (c Chunking) check() error {
	size := c.Size
	if size == 0 {
		size = defaultChunk
	}
	switch {
	case size < minChunkSize || size > maxChunkSize:
		return &Error{Form: ChunksForm, Err: fmt.Errorf("%w: size %d is not in %d..%d", ErrForm, size, minChunkSize, maxChunkSize)}
	case c.Overlap < 0 || c.Overlap > size/2:
		return &Error{Form: ChunksForm, Err: fmt.Errorf("%w: overlap %d is not in 0..%d", ErrForm, c.Overlap, size/2)}
	}
	return nil
}

// place is the page and sheet of a part of the Markdown. The zero place is
// unknown.
type place struct {
	page  int
	sheet string
}

// part is a part of the Markdown whose place is known.
type part struct {
	start, end int // a range of bytes; after settle, the first and the last line
	place
	whole bool // the part is a slide or a sheet, which begins a new chunk
	inner bool // the part is a document within the document, below a line with its name
}

// placing collects the places of parts of the Markdown while it is written.
type placing struct {
	parts []part
	lines []place // the place of each line
}

// noting returns a function for markdown.Options.OnNode that records places. The
// function also calls next if it is not nil.
func (p *placing) noting(next func(n *html.Node, start, end int)) func(n *html.Node, start, end int) {
	return func(n *html.Node, start, end int) {
		if next != nil {
			next(n, start, end)
		}
		at := place{sheet: dom.Attr(n, "data-sheet")}
		for _, key := range []string{"data-page", "data-slide"} {
			if number, err := strconv.Atoi(dom.Attr(n, key)); err == nil && number > 0 {
				at.page = number
			}
		}
		role := dom.Attr(n, "data-role")
		inner := role == "attachment" || role == "object"
		if at != (place{}) || inner {
			whole := at.sheet != "" || dom.Attr(n, "data-slide") != ""
			p.parts = append(p.parts, part{start, end, at, whole, inner})
		}
	}
}

// settle determines the place of each line of unmark(text).
func (p *placing) settle(text string) {
	if len(p.parts) == 0 {
		return
	}
	var starts, numbers []int // for each line of text: its first byte, and its number in unmark(text)
	at, number := 0, 0
	for l := range strings.Lines(text) {
		starts, numbers = append(starts, at), append(numbers, number)
		if strings.HasPrefix(l, marker) {
			number += strings.Count(unmark(l), "\n") - 1
		}
		at += len(l)
		number++
	}
	if len(starts) == 0 {
		return
	}
	line := func(offset int) int {
		i, found := slices.BinarySearch(starts, offset)
		if !found {
			i--
		}
		return numbers[i]
	}
	for i := range p.parts {
		x := &p.parts[i]
		x.start, x.end = line(x.start), line(max(x.end-1, x.start))
	}
	sort.SliceStable(p.parts, func(i, j int) bool { return p.parts[i].end-p.parts[i].start > p.parts[j].end-p.parts[j].start }) // a smaller part inside a larger one overrides it
	p.lines = make([]place, strings.Count(unmark(text), "\n")+1)
	for _, x := range p.parts {
		for i := x.start; i <= min(x.end, len(p.lines)-1); i++ {
			if x.page > 0 {
				p.lines[i].page = x.page
			}
			if x.sheet != "" {
				p.lines[i].sheet = x.sheet
			}
		}
	}
}

// of returns the place of a line.
func (p *placing) of(line int) place {
	if line >= len(p.lines) {
		return place{}
	}
	return p.lines[line]
}

// divide sets the lines on which slides and sheets begin, or the document that has them
// ends, and the lines of documents within the document.
func (p *placing) divide(o *chunk.Options) {
	for _, x := range p.parts { // the larger ones first
		if x.whole {
			o.Breaks = append(o.Breaks, x.start)
		}
		if x.inner && x.start < x.end {
			o.Inner = append(o.Inner, [2]int{x.start + 1, x.end + 1})
		}
	}
	sort.Ints(o.Breaks)
	sort.SliceStable(o.Inner, func(i, j int) bool { return o.Inner[i][0] < o.Inner[j][0] })
	starts := o.Breaks
	for _, x := range o.Inner {
		if i := sort.SearchInts(starts, x[0]); i < len(starts) && starts[i] < x[1] {
			o.Breaks = append(o.Breaks, x[1])
		}
	}
	sort.Ints(o.Breaks)
}

// makeChunks makes the chunks form.
func makeChunks(ctx context.Context, b *builder) error {
	b.doc.Chunks = []Chunk{}
	if b.page.in.Unparsed {
		b.warnings.add("There are no chunks: the document was not parsed.")
		return nil
	}
	text, err := b.text()
	if err != nil {
		return err
	}
	if len(b.places.parts) > 0 && strings.Count(text, "\n")+1 != len(b.places.lines) {
		b.places = placing{}
		b.warnings.add("The chunks have no pages or sheets, because personal data was replaced in the text.")
	}
	o := chunk.Options{Size: b.o.Chunks.Size, Overlap: b.o.Chunks.Overlap}
	b.places.divide(&o)
	if o.Size == 0 {
		o.Size = defaultChunk
	}
	at, runes := 0, 0
	var starts []int // how many characters precede each chunk
	parts, err := chunk.Split(ctx, text, o)
	if err != nil {
		return err
	}
	for i := range parts {
		if i > 0 && parts[i].Start < at { // the chunk repeats text of the previous one
			at, runes = parts[i-1].Start, starts[i-1]
		}
		runes += utf8.RuneCountInString(text[at:parts[i].Start])
		at = parts[i].Start
		starts = append(starts, runes)
	}
	bare := 0
	for i, c := range parts {
		if c.Bare {
			bare++
		}
		out := Chunk{Text: c.Text, Headings: c.Headings, Start: starts[i], End: starts[i] + utf8.RuneCountInString(text[c.Start:c.End]), Tokens: c.Tokens}
		if out.Headings == nil {
			out.Headings = []string{}
		}
		where := b.places.of(c.Line)
		out.Page, out.Sheet = where.page, where.sheet
		b.doc.Chunks = append(b.doc.Chunks, out)
	}
	if bare > 0 {
		b.warnings.add(fmt.Sprintf("%d chunks continue a table or code without its header, which is too long to repeat.", bare))
	}
	return nil
}
