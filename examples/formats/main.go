// SPDX-License-Identifier: Apache-2.0

// Command formats shows a page in every format of curlew, side by side on a web
// page.
//
//	go run ./examples/formats                        a demo page, no network; prints where to look
//	go run ./examples/formats https://go.dev/doc     a page of the web
//	go run ./examples/formats page.html              a file
//	go run ./examples/formats -o formats.html        writes the web page and ends
//
// The formats are Markdown, HTML, links, images, attributes, metadata, summary,
// highlights, an answer, JSON for a schema, product, menu, branding, audio,
// video, the changes since the previous visit, the bytes in base64, and
// Markdown without personal data (redactPII). Warnings say what a format could
// not do, and what a model would do better. A link fetches the page again, so
// that changeTracking has two versions to compare.
//
// It also shows how to use the library: it creates a [curlew.Service] and calls
// Scrape or Parse once for each set of formats.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/parse"
)

//go:embed demo.html
var demo []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "formats:", err)
		os.Exit(1)
	}
}

// run is the program without its process.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("formats", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintln(out, "usage: formats [flags] [URL|FILE]")
		flags.PrintDefaults()
	}
	addr := flags.String("addr", "127.0.0.1:8087", "`address` to serve the page on")
	private := flags.Bool("allow-private", false, "allow loopback and private addresses")
	file := flags.String("o", "", "write the page to this `file` instead")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	client := &fetch.Client{}
	defer client.CloseIdleConnections()
	if *private {
		client.Allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		client.Ports = []int{-1}
	}
	show := &show{service: &curlew.Service{Fetcher: client}, what: flags.Arg(0)}
	if *file != "" {
		page, err := show.page(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(*file, page, 0o644)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "open http://%s/\n", l.Addr())
	server := http.Server{Handler: show, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// A show builds the formats of one page.
type show struct {
	service *curlew.Service
	what    string // URL or file; empty means the demo page
}

// ServeHTTP implements [http.Handler]. It fetches the page again for each
// visit.
func (s *show) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	page, err := s.page(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'")
	_, _ = w.Write(page)
}

// schema is the schema for the json format.
const schema = `{"type":"object","properties":{"title":{"type":"string"},"author":{"type":"string"},"published":{"type":"string"},
"price":{"type":"number"},"currency":{"type":"string"},"brand":{"type":"string"},"inStock":{"type":"boolean"}}}`

// options returns sets of formats, each of which is built by one call: all
// formats that can be combined, Markdown without personal data, and the bytes.
func options() []format.Options {
	return []format.Options{{
		Forms: []format.Form{
			format.Markdown, format.HTML, format.RawHTML, format.Links, format.Images, format.Attributes, format.Summary, format.Highlights, format.Answer,
			format.JSONForm, format.ProductForm, format.MenuForm, format.BrandingForm, format.Audio, format.VideoForm, format.ChangesForm,
		},
		Query:      "repair parts",
		Question:   "Who repairs it, and where?",
		JSON:       format.Extraction{Schema: []byte(schema)},
		Attributes: []format.Attribute{{Selector: "a", Attribute: "href"}, {Selector: "img", Attribute: "alt"}},
		Changes:    format.Changes{GitDiff: true, JSON: true},
	}, {
		Forms: []format.Form{format.Markdown}, Redact: &format.Redact{},
	}, {
		Forms: []format.Form{format.RawBase64},
	}}
}

// documents fetches the page and builds one document for each set of options.
func (s *show) documents(ctx context.Context) ([]*format.Document, error) {
	var docs []*format.Document
	for _, o := range options() {
		doc, err := s.document(ctx, o)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func (s *show) document(ctx context.Context, o format.Options) (*format.Document, error) {
	name, url, data := "demo.html", "https://shop.example/heron", demo
	if s.what != "" {
		var err error
		data, err = os.ReadFile(s.what)
		if errors.Is(err, fs.ErrNotExist) { // the name is a URL
			doc, err := s.service.Scrape(ctx, fetch.AddScheme(s.what), &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Format: o}})
			if err != nil {
				return nil, fmt.Errorf("%s is not a file, and as a URL: %w", s.what, err)
			}
			return doc, nil
		}
		if err != nil {
			return nil, err
		}
		name, url = s.what, ""
	}
	src := parse.Bytes(name, data)
	src.URL = url
	return s.service.Parse(ctx, src, &curlew.ParseOptions{Format: o})
}
