// SPDX-License-Identifier: Apache-2.0

// Package demo is a small web to try curlew on: 326 pages of a made-up trust
// on three host names, with a sitemap, robots.txt, redirects, errors and every
// way to spell a link.
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

// Start is the URL at which a crawl of the demo web begins.
const Start = "http://demo.test/"

// Txtar returns the web as a txtar archive, one file a URL.
func Txtar() []byte { return bytes.Clone(txtar) }

// Handler serves the web. Requests for one of its three host names get that
// host's pages. Any other host, such as a loopback address, gets those of
// demo.test, whose absolute links then name the host that was asked.
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

// recorder keeps an answer, so that its links can be rewritten.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
