// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// A brief context is cancelled after a given number of checks.
type brief struct {
	context.Context //nolint:containedctx // a context itself
	left            int
}

func (c *brief) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestBuildEnds checks that Build returns a complete document or an error,
// whenever the context is cancelled.
func TestBuildEnds(t *testing.T) {
	page := "<title>A</title><main><h1>A</h1>" + strings.Repeat("<p>One sentence of <b>some</b> words, to call 555-0100. And another one.</p><ul><li>item</ul>", 3000) + "</main>"
	d, err := dom.Parse(t.Context(), []byte(page), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	in := &format.Input{Root: d.Root, Raw: page, URL: "https://a.example/", StatusCode: 200}
	o := &format.Options{
		Forms:     []format.Form{format.Markdown, format.HTML, format.Links, format.Highlights, format.ProductForm, format.JSONForm},
		Query:     "words",
		WholePage: true, Redact: &format.Redact{Mode: format.RedactFast},
	}
	const plenty = 1 << 30
	ctx := &brief{context.Background(), plenty}
	if _, err := format.Build(ctx, in, o); err != nil {
		t.Fatal(err)
	}
	looks := plenty - ctx.left
	if looks < 100 {
		t.Errorf("the context was checked %d times", looks)
	}
	for k := 0; k < looks; k += 1 + looks/25 {
		d, err := format.Build(&brief{context.Background(), k}, in, o)
		if d != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d of %d checks: %v", k, looks, err)
		}
	}
}
