// SPDX-License-Identifier: Apache-2.0

// Rag splits pages and documents into chunks of text for a search index. It
// writes one line of JSON for each chunk, with its source, its headings, its page
// or sheet and its Markdown.
//
//	go run ./examples/rag https://example.com/docs/ report.pdf > chunks.jsonl
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

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/parse"
)

// line is one line of the output.
type line struct {
	Source string `json:"source"`          // URL or file name
	Title  string `json:"title,omitempty"` // title of the page or document
	format.Chunk
}

// options ask for chunks of at most 500 tokens. Each repeats the last 50 tokens of
// the one before it in the same section.
var options = format.Options{Forms: []format.Form{format.ChunksForm}, Chunks: format.Chunking{Size: 500, Overlap: 50}}

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

// run writes the chunks of all sources. Warnings say what was omitted from a
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
		for _, c := range doc.Chunks {
			if err := lines.Encode(line{source, doc.Metadata.Title, c}); err != nil {
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
		return service.Scrape(ctx, fetch.AddScheme(source), &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Format: options}})
	}
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return service.Parse(ctx, src, &curlew.ParseOptions{Format: options})
}
