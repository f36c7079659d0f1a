// SPDX-License-Identifier: Apache-2.0

// Package demo contains a small web to try curlew with: 326 pages of a
// fictional trust on three hosts, with a sitemap, robots.txt, redirects, errors
// and many spellings of links.
package demo

import (
	"bytes"
	_ "embed"
	"maps"
	"net/http"
	"strconv"

	"example.com/curlew/internal/test/webtest"
)

//go:generate go run ./gen

//go:embed site.txtar
var txtar []byte

// Start is the start URL for a crawl of the demo web.
const Start = "http://demo.test/"

// Txtar returns the web as a txtar archive with one file for each URL.
func Txtar() []byte { return bytes.Clone(txtar) }

// Handler serves the web. Requests for one of the three hosts get the pages of
// that host. For any other host, such as a loopback address, it serves the
// pages of demo.test with absolute links to the requested host.
func Handler() (http.Handler, error) {
	site, err := webtest.Parse(txtar)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Host {
		case "demo.test", "docs.demo.test", "partner.test":
			site.ServeHTTP(w, r)
			return
		}
		asked := r.Host
		inner := r.Clone(r.Context())
		inner.Host = "demo.test"
		rec := &recorder{header: http.Header{}, status: http.StatusOK}
		site.ServeHTTP(rec, inner)
		body := bytes.ReplaceAll(rec.body.Bytes(), []byte("//demo.test"), []byte("//"+asked))
		maps.Copy(w.Header(), rec.header)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(rec.status)
		w.Write(body)
	}), nil
}

// recorder stores a response, so that its links can be rewritten.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
