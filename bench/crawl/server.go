// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/bench/site"
	"example.com/curlew/internal/test/webtest"
)

// controlHeader marks a request of the benchmark itself.
const controlHeader = "X-Bench-Control"

// hit is one response of the server.
type hit struct {
	Path       string // path and query
	Host       string // address and port
	Sum        uint32 // checksum of the body
	Begin, End int64  // when the request was read and the response was written, in ns
	Fault      bool   // the response was a fault of site.Fault
	Lacking    bool   // there is no such page, so the status was 404
}

// page is one page, created before the clients run.
type page struct {
	body        []byte
	sum         uint32
	contentType string
}

// judgeServer serves the web and keeps a log. Each response ends in a unique
// number, so that its checksum proves that it was read completely.
type judgeServer struct {
	web   *site.Site
	other webtest.Web // replaces web if it is not nil
	pages map[string]page
	host  string // the first address

	mu   sync.Mutex // guards the fields below
	hits []hit
	n    uint64
	seen map[string]int // number of requests by path
}

// otherHosts are further loopback addresses of the server, for pages of other
// sites. They are empty if the system has none.
var otherHosts = []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"}

func serve(r run) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &judgeServer{pages: make(map[string]page), web: site.New(config(r)), other: webs[r.Web].web, host: listener.Addr().String(), seen: make(map[string]int)}
	for path := range s.web.Truth() {
		s.add(path)
	}
	s.add("/robots.txt")
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	_, port, _ := net.SplitHostPort(s.host)
	for _, other := range otherHosts {
		if l, err := net.Listen("tcp", net.JoinHostPort(other, port)); err == nil {
			go server.Serve(l)
		}
	}
	fmt.Println(s.host)
	return server.Serve(listener)
}

func config(r run) site.Config {
	return site.Config{
		Seed: r.Seed, Pages: r.Pages, Plain: r.Plain, Bytes: r.Bytes,
		Traps: r.Traps, Faults: r.Faults, CrawlDelay: r.CrawlDelay,
	}
}

func (s *judgeServer) add(path string) {
	body, contentType, _ := s.web.Page(s.host, path)
	s.pages[path] = page{body, crc32.ChecksumIEEE(body), contentType}
}

// hub links to pages of the other hosts.
const hub = "/hub/"

func (s *judgeServer) find(path string) (page, bool) {
	if s.other != nil {
		body := []byte(s.other(path))
		return page{body, crc32.ChecksumIEEE(body), "text/html"}, path != "/robots.txt"
	}
	if p, ok := s.pages[path]; ok {
		return p, true
	}
	if path == hub {
		var b strings.Builder
		_, port, _ := net.SplitHostPort(s.host)
		for i, p := range slices.Sorted(maps.Keys(s.pages)) {
			for _, host := range otherHosts {
				if i < 6 && p != "/robots.txt" {
					fmt.Fprintf(&b, `<a href="http://%s:%s%s">x</a>`, host, port, strings.ReplaceAll(p, "&", "&amp;"))
				}
			}
		}
		return page{[]byte(b.String()), crc32.ChecksumIEEE([]byte(b.String())), "text/html"}, true
	}
	body, contentType, ok := s.web.Page(s.host, path)
	return page{body, crc32.ChecksumIEEE(body), contentType}, ok
}

func (s *judgeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(controlHeader) != "" {
		s.control(w, r)
		return
	}
	begin := time.Now()
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	p, ok := s.find(path)
	s.mu.Lock()
	s.n++
	s.seen[path]++
	first := s.seen[path] == 1
	stamp := fmt.Appendf(nil, "\n# %016x\n", s.n)
	if strings.HasPrefix(p.contentType, "text/html") {
		stamp = fmt.Appendf(nil, "<!-- %016x -->\n", s.n)
	}
	if s.other != nil { // some of its pages must be equal byte for byte
		stamp = nil
	}
	h := hit{Path: path, Host: r.Host, Sum: crc32.Update(p.sum, crc32.IEEETable, stamp), Begin: begin.UnixNano()}
	s.mu.Unlock()
	status := http.StatusOK
	switch fault := s.web.Fault(path); {
	case !ok:
		status, h.Lacking = http.StatusNotFound, true
	case fault == site.Broken500, fault == site.Flaky500 && first:
		status, h.Fault = http.StatusInternalServerError, true
	case fault == site.Flaky503 && first:
		status, h.Fault = http.StatusServiceUnavailable, true
	case fault == site.BrokenReset, fault == site.FlakyReset && first:
		h.Fault = true
		s.log(h)
		reset(w)
		return
	}
	w.Header().Set("Content-Type", p.contentType)
	w.Header().Set("Content-Length", fmt.Sprint(len(p.body)+len(stamp)))
	w.WriteHeader(status)
	w.Write(p.body)
	w.Write(stamp)
	s.log(h)
}

// reset breaks the connection without a response.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

func (s *judgeServer) log(h hit) {
	h.End = time.Now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits = append(s.hits, h)
}

func (s *judgeServer) control(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/reset" {
		s.hits, s.seen = nil, make(map[string]int)
		return
	}
	json.NewEncoder(w).Encode(s.hits)
}

// verdict is the result of one turn according to the log.
type verdict struct {
	fetched    int // responses with any page
	pages      int // wanted pages: expected and delivered
	missing    int // expected but not delivered
	wrong      int // delivered, but not expected or never fetched
	duplicates int // requested more than once
	forbidden  int // requested although robots.txt disallows them
	decoys     int // requested although they are not links
}

func judge(r run, hits []hit, pages []got) verdict {
	truth := site.New(config(r)).Truth()
	served := make(map[got]bool, len(hits))
	asked := make(map[string]int, len(hits))
	var v verdict
	for _, h := range hits {
		served[got{h.Path, h.Sum}] = true
		asked[h.Path]++
		if h.Path != "/robots.txt" && !h.Lacking {
			v.fetched++
		}
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
		if _, ok := truth[p.Path]; ok && served[p] {
			v.pages++
			delete(truth, p.Path)
		} else {
			v.wrong++
		}
	}
	v.missing = len(truth)
	return v
}
