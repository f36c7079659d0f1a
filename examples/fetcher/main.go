// SPDX-License-Identifier: Apache-2.0

// Fetcher crawls a site that was saved to a directory, without any request over
// the network. The file DIRECTORY/HOST/PATH contains the page http://HOST/PATH.
// For a path that ends in a slash the file is index.html.
//
//	go run ./examples/fetcher DIRECTORY http://example.com/
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path"
	"strings"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
)

// saved is a fetch.Fetcher that reads saved pages.
type saved struct{ pages fs.FS }

// Fetch implements fetch.Fetcher. fetch.Follow validates the request, follows
// redirects and enforces the timeout. Only the exchange remains to be written.
func (s saved) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, nil, s.exchange)
}

// exchange answers one request.
func (s saved) exchange(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
	_, name, _ := strings.Cut(x.URL, "://")
	if strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	header := http.Header{"Content-Type": {"text/html"}}
	if path.Ext(name) == ".txt" {
		header.Set("Content-Type", "text/plain")
	}
	body, cut, err := readAtMost(s.pages, name, x.Limit(header))
	if cut && !x.Cut {
		err = fetch.ErrTooLarge
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return &fetch.Response{URL: x.URL, Status: http.StatusNotFound}, nil // a 404 is a page, not an error
	}
	if err != nil {
		return nil, err
	}
	return &fetch.Response{URL: x.URL, Status: http.StatusOK, Header: header, Body: body, Truncated: cut}, nil
}

// readAtMost reads at most most bytes of a file.
func readAtMost(pages fs.FS, name string, most int64) (body []byte, cut bool, err error) {
	file, err := pages.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	body, err = io.ReadAll(io.LimitReader(file, min(most, math.MaxInt64-1)+1))
	if int64(len(body)) > most {
		body, cut = body[:most], true
	}
	return body, cut, err
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: fetcher DIRECTORY URL")
		os.Exit(2)
	}
	if err := run(context.Background(), os.DirFS(os.Args[1]), os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fetcher:", err)
		os.Exit(1)
	}
}

// run prints the pages of a site.
func run(ctx context.Context, pages fs.FS, url string, out io.Writer) error {
	engine := crawl.Engine{Fetcher: saved{pages}}
	for page, err := range engine.Run(ctx, crawl.Config{URL: url}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, page.Status, page.URL, page.Err)
	}
	return nil
}
