// SPDX-License-Identifier: Apache-2.0

// Rag splits pages and documents into pieces of text for a search index. It
// writes one line of JSON for each piece, with its source, its headings and its
// Markdown.
//
//	go run ./examples/rag https://example.com/docs/ report.pdf > pieces.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/parse"
)

// piece is one line of the output.
type piece struct {
	Source   string   `json:"source"`             // URL or file name
	Title    string   `json:"title,omitempty"`    // title of the page or document
	Headings []string `json:"headings,omitempty"` // headings above the text, outermost first
	Text     string   `json:"text"`               // in Markdown
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: rag URL|FILE...")
		os.Exit(2)
	}
	if err := run(ctx, new(curlew.Service), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "rag:", err)
		os.Exit(1)
	}
}

// run writes the pieces of all sources. Warnings say what was omitted from a
// source.
func run(ctx context.Context, service *curlew.Service, sources []string, out, status io.Writer) error {
	lines := json.NewEncoder(out)
	for _, source := range sources {
		doc, err := read(ctx, service, source)
		if err != nil {
			return err
		}
		if doc.Warning != "" {
			fmt.Fprintf(status, "%s: %s\n", source, doc.Warning)
		}
		for _, p := range split(*doc.Markdown, 2000) {
			p.Source, p.Title = source, doc.Metadata.Title
			if err := lines.Encode(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the document of a file or, if there is no such file, of a URL.
func read(ctx context.Context, service *curlew.Service, source string) (*format.Document, error) {
	src, err := parse.File(source)
	if errors.Is(err, fs.ErrNotExist) {
		return service.Scrape(ctx, fetch.AddScheme(source), nil)
	}
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return service.Parse(ctx, src, nil)
}

// split cuts Markdown at its headings, and cuts parts of more than most bytes
// between paragraphs. It never cuts a paragraph, a table or a code block.
func split(markdown string, most int) (pieces []piece) {
	var headings []string
	var text strings.Builder
	flush := func() {
		if s := strings.TrimSpace(text.String()); s != "" {
			pieces = append(pieces, piece{Headings: append([]string(nil), headings...), Text: s})
		}
		text.Reset()
	}
	for _, block := range blocks(markdown) {
		if level := len(block) - len(strings.TrimLeft(block, "#")); level > 0 && level <= 6 && strings.HasPrefix(block[level:], " ") {
			flush()
			for len(headings) < level {
				headings = append(headings, "")
			}
			headings = append(headings[:level-1], strings.TrimSpace(block[level:]))
			continue
		}
		if text.Len() > 0 && text.Len()+len(block) > most {
			flush()
		}
		text.WriteString(block + "\n\n")
	}
	flush()
	return pieces
}

// blocks returns the blocks of Markdown, which are separated by blank lines.
// Blank lines within a fenced code block do not separate.
func blocks(markdown string) (list []string) {
	var block []string
	fence := ""
	for line := range strings.Lines(markdown + "\n\n") {
		line = strings.TrimRight(line, "\n")
		mark := strings.TrimLeft(line, " ")
		mark = mark[:len(mark)-len(strings.TrimLeft(mark, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence == "" && strings.TrimSpace(line) == "":
			if len(block) > 0 {
				list = append(list, strings.Join(block, "\n"))
			}
			block = nil
			continue
		}
		block = append(block, line)
	}
	if len(block) > 0 { // an unclosed fence
		list = append(list, strings.Join(block, "\n"))
	}
	return list
}
