// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/go-shiori/go-readability"
	distiller "github.com/markusmobius/go-domdistiller"
	"github.com/markusmobius/go-trafilatura"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format"
	"example.com/curlew/format/formattest"
	"example.com/curlew/internal/dom"
)

// A find is the result of an engine: nodes or Markdown.
type find struct {
	node     *html.Node
	drop     map[*html.Node]bool // nodes below node to omit
	markdown string
}

// engines extract the main content from bytes. go-trafilatura is the first,
// with which others are compared.
var engines = []struct {
	name string
	find func(ctx context.Context, p *page) find
}{
	{"go-trafilatura 1.12.2, fallback", func(_ context.Context, p *page) find {
		return trafilaturaOf(p, true)
	}},
	{"go-trafilatura 1.12.2", func(_ context.Context, p *page) find {
		return trafilaturaOf(p, false)
	}},
	{"go-readability 2024-10", func(_ context.Context, p *page) find {
		a, err := readability.FromReader(bytes.NewReader(p.body), address(p))
		if err != nil {
			return find{}
		}
		return find{node: a.Node}
	}},
	{"go-domdistiller 2024-09", func(_ context.Context, p *page) find {
		r, err := distiller.ApplyForReader(bytes.NewReader(p.body), &distiller.Options{OriginalURL: address(p), SkipPagination: true})
		if err != nil {
			return find{}
		}
		return find{node: r.Node}
	}},
	{"curlew, fitted to these pages", func(ctx context.Context, p *page) find {
		doc, err := dom.Parse(ctx, p.body, "text/html; charset=utf-8")
		if err != nil {
			return find{}
		}
		shown, err := formattest.MainContent(ctx, doc.Root, p.url)
		if err != nil {
			return find{}
		}
		f := find{node: doc.Root, drop: map[*html.Node]bool{}}
		for n := range doc.Root.Descendants() {
			f.drop[n] = !shown[n]
		}
		return f
	}},
	{"curlew, as Markdown", func(ctx context.Context, p *page) find {
		doc, err := dom.Parse(ctx, p.body, "text/html; charset=utf-8")
		if err != nil {
			return find{}
		}
		d, err := format.Build(ctx, &format.Input{Root: doc.Root, URL: p.url}, nil)
		if err != nil || d.Markdown == nil {
			return find{}
		}
		return find{markdown: *d.Markdown}
	}},
}

func trafilaturaOf(p *page, fallback bool) find {
	r, err := trafilatura.Extract(bytes.NewReader(p.body), trafilatura.Options{OriginalURL: address(p), EnableFallback: fallback})
	if err != nil {
		return find{}
	}
	return find{node: r.ContentNode}
}

func address(p *page) *url.URL {
	u, err := url.Parse(p.url)
	if err != nil || u.Host == "" {
		return &url.URL{Scheme: "https", Host: "a.example", Path: "/"}
	}
	return u
}

// text returns the text of f, with a line break at the edges of blocks.
func (f find) text() string {
	if f.node == nil {
		var b bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe())).Convert([]byte(f.markdown), &b); err != nil {
			return ""
		}
		root, err := html.Parse(&b)
		if err != nil {
			return ""
		}
		f.node = root
	}
	var b strings.Builder
	f.write(&b, f.node)
	return b.String()
}

func (f find) write(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(n.Data)
		return
	case n.DataAtom == atom.Script, n.DataAtom == atom.Style:
		return
	}
	edge := n.Type == html.ElementNode && !isInline(n.DataAtom)
	if edge {
		b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !f.drop[c] {
			f.write(b, c)
		}
	}
	if edge {
		b.WriteByte('\n')
	}
}

func isInline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn,
		atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small,
		atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
