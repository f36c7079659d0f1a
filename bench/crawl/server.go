// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/curlew/bench/site"
)

// controlHeader marks a request of the comparison itself.
const controlHeader = "X-Bench-Control"

// hit is one answer of the server.
type hit struct {
	Path string // and query
	Sum  uint32 // of this answer's body
}

// page is one page, made before the clients run.
type page struct {
	body        []byte
	sum         uint32
	contentType string
}

// judgeServer serves the web and keeps a log. Each answer ends in a number of
// its own, so that its sum proves that it was read to the end.
type judgeServer struct {
	pages map[string]page

	mu   sync.Mutex // guards hits and n
	hits []hit
	n    uint64
}

func serve(r run) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &judgeServer{pages: make(map[string]page)}
	web := site.New(config(r))
	host := listener.Addr().String()
	for path := range web.Truth() {
		s.add(web, host, path)
	}
	s.add(web, host, "/robots.txt")
	fmt.Println(host)
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

func config(r run) site.Config {
	return site.Config{Seed: r.Seed, Pages: r.Pages, Plain: r.Plain}
}

func (s *judgeServer) add(web *site.Site, host, path string) {
	body, contentType, _ := web.Page(host, path)
	s.pages[path] = page{body, crc32.ChecksumIEEE(body), contentType}
}

func (s *judgeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(controlHeader) != "" {
		s.control(w, r)
		return
	}
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	p, ok := s.pages[path]
	s.mu.Lock()
	s.n++
	stamp := fmt.Appendf(nil, "\n# %016x\n", s.n)
	if strings.HasPrefix(p.contentType, "text/html") {
		stamp = fmt.Appendf(nil, "<!-- %016x -->\n", s.n)
	}
	s.hits = append(s.hits, hit{path, crc32.Update(p.sum, crc32.IEEETable, stamp)})
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", p.contentType)
	w.Header().Set("Content-Length", fmt.Sprint(len(p.body)+len(stamp)))
	w.Write(p.body)
	w.Write(stamp)
}

func (s *judgeServer) control(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/reset" {
		s.hits = nil
		return
	}
	json.NewEncoder(w).Encode(s.hits)
}

// verdict is what the log says of one turn.
type verdict struct {
	pages      int // delivered, and right
	missing    int // in the truth and not delivered
	wrong      int // delivered, and not in the truth or never fetched
	duplicates int // asked for more than once
	forbidden  int // asked for against robots.txt
	decoys     int // asked for, and no link
}

func judge(r run, hits []hit, pages []got) verdict {
	truth := site.New(config(r)).Truth()
	served := make(map[hit]bool, len(hits))
	asked := make(map[string]int, len(hits))
	var v verdict
	for _, h := range hits {
		served[h] = true
		asked[h.Path]++
		switch {
		case strings.HasPrefix(h.Path, "/private/"):
			v.forbidden++
		case strings.HasPrefix(h.Path, "/never/"):
			v.decoys++
		case asked[h.Path] > 1 && h.Path != "/robots.txt":
			v.duplicates++
		}
	}
	for _, p := range pages {
		if _, ok := truth[p.Path]; ok && served[hit(p)] {
			v.pages++
			delete(truth, p.Path)
		} else {
			v.wrong++
		}
	}
	v.missing = len(truth)
	return v
}
