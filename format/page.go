// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// A page holds what the forms read of an Input. Each value is computed once,
// and only from Input.Root, which never changes, so the order of the forms does
// not matter to it. The copy is the page's own: the forms that change it undo
// their changes, except Markdown, which is made after all others that read it.
type page struct {
	ctx   context.Context //nolint:containedctx // it lives as long as a call
	steps dom.Steps       // ends work that has no limit of its own by a panic, once ctx has ended
	in    *Input
	arena *arena

	meta   *Metadata // the Document's; redacted before the first form is made
	base   base
	images []string          // absolute URLs of images in the metadata
	icons  []string          // absolute URLs
	graph  *structured.Graph // nil until structured is called

	view  *view      // nil if no form needs it
	copy  projection // of the view
	data  *html.Node // an article with the content of embedded data, if the page is empty without its scripts
	prose []string   // sentences; nil until sentences is called
}

// read fills in the metadata and the base URL.
func (pg *page) read() {
	pg.readResponse()
	pg.findMarks()
	pg.base = pg.findBase()
	pg.readPage()
}

// structured returns the structured data of the page. Documents that are not
// web pages have none.
func (pg *page) structured() *structured.Graph {
	if pg.graph == nil {
		root := pg.in.Root
		if pg.in.NotWeb {
			root = nil
		}
		pg.graph = structured.New(pg.ctx, root)
	}
	return pg.graph
}

// isText reports whether the Input is text rather than a tree. Its Markdown, and the
// forms that are made of text, are then read from Input.Raw.
func (pg *page) isText() bool { return pg.in.Verbatim || pg.in.Lang != "" }

// hasPages reports whether the document has pages that Options can show.
func (pg *page) hasPages() bool { return pg.in.PageStatus != nil && pg.in.Root != nil }
