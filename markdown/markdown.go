// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"io"

	"golang.org/x/net/html"

	"example.com/curlew/internal/weburl"
)

// Options say how. The zero value is the wire's Markdown.
type Options struct {
	Base string // absolute URL that relative references are resolved against; empty leaves them

	DataImages DataImages // what becomes of images that are data: URLs; zero is a placeholder
}

// DataImages says what becomes of an image whose source is a data: URL.
type DataImages uint8

const (
	// DataPlaceholder writes ![alt](<Base64-Image-Removed>).
	DataPlaceholder DataImages = iota
	// DataKeep writes the data: URL.
	DataKeep
	// DataDrop writes nothing.
	DataDrop
)

// Render writes n and what is below it as Markdown: CommonMark 0.31.2 with the
// tables, strikethrough and task items of GFM. It ends with one newline, or
// writes nothing where n shows nothing. It may rearrange n: pass a tree you own.
//
// A nil o is the zero Options. Errors are those of w, and of an Options.Base
// that is no absolute http or https URL. The time is linear in the size of the
// tree; below 1,000 levels only text is written.
func Render(w io.Writer, n *html.Node, o *Options) error {
	out := writer{}
	if o != nil {
		out.options = *o
	}
	if out.options.Base != "" {
		base, err := weburl.Parse(out.options.Base)
		if err != nil {
			return fmt.Errorf("markdown base: %w", err)
		}
		out.base = base
	}
	_, err := w.Write(out.document(n))
	return err
}
