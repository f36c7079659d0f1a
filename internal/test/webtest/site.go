// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault says how a response fails.
type Fault string

// Faults. The zero Fault means none.
const (
	Reset    Fault = "reset"
	Close    Fault = "close"
	Hang     Fault = "hang"
	Truncate Fault = "truncate"
)

// ErrHost means that no page of the site has the host.
var ErrHost = errors.New("no such host")

// Page is one response of a site. Its fields must not be changed.
type Page struct {
	URL     string // scheme://host[:port]/path?query, without the default port
	Status  int
	Header  http.Header // sent header, without the fields that control the response
	Body    []byte
	Latency time.Duration
	Fault   Fault
}

// Hit is one request that a site has received.
type Hit struct {
	Method string
	URL    string // in the form of [Page]
	Header http.Header
	Time   time.Time // when it was received
	End    time.Time // when it was answered or given up; zero while it is in progress
	Status int       // zero if a fault occurred before the status
}

// Site is a web from one archive. It is safe for concurrent use.
type Site struct {
	pages  []Page
	byURL  map[string][]int // indices into pages, in order
	byHost map[string]bool  // without port

	mu   sync.Mutex     // guards next and hits
	next map[string]int // number of responses so far, by URL
	hits []*Hit
}

// Parse parses an archive. The error names the file with an invalid URL, status
// line or header.
func Parse(data []byte) (*Site, error) {
	s := &Site{byURL: map[string][]int{}, byHost: map[string]bool{}, next: map[string]int{}}
	for _, f := range Files(data) {
		p, err := page(f)
		if err != nil {
			return nil, fmt.Errorf("webtest %s: %w", f.Name, err)
		}
		s.byURL[p.URL] = append(s.byURL[p.URL], len(s.pages))
		s.byHost[hostOf(p.URL)] = true
		s.pages = append(s.pages, p)
	}
	if len(s.pages) == 0 {
		return nil, errors.New("webtest: the archive holds no file")
	}
	return s, nil
}

// Pages returns all responses in the order of the archive.
func (s *Site) Pages() []Page { return append([]Page(nil), s.pages...) }

// Host reports whether the site has a page on host, which has no port. A
// trailing dot is ignored.
func (s *Site) Host(host string) bool {
	return s.byHost[strings.ToLower(strings.TrimSuffix(host, "."))]
}

// Log returns the requests so far in the order of their arrival.
func (s *Site) Log() []Hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := make([]Hit, len(s.hits))
	for i, h := range s.hits {
		log[i] = *h
	}
	return log
}

// Reset clears the log and starts again with the first response of each URL.
func (s *Site) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits, s.next = nil, map[string]int{}
}

// Answer logs a request and returns the page for it after its latency. A [Hang]
// returns only at the end of ctx; other faults are not carried out. The error
// is ErrHost, the cause of ctx, or says that rawURL is not valid.
func (s *Site) Answer(ctx context.Context, method, rawURL string, h http.Header) (Page, error) {
	key, err := canonical(rawURL)
	if err != nil {
		return Page{}, err
	}
	if !s.byHost[hostOf(key)] {
		return Page{}, fmt.Errorf("%s: %w", hostOf(key), ErrHost)
	}
	p, hit := s.take(method, key, h)
	err = pause(ctx, p)

	s.mu.Lock()
	defer s.mu.Unlock()
	hit.End = time.Now()
	if err != nil {
		return Page{}, err
	}
	if p.Fault == "" || p.Fault == Truncate {
		hit.Status = p.Status
	}
	return p, nil
}

// take selects the response for key and logs the request.
func (s *Site) take(method, key string, h http.Header) (Page, *Hit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hit := &Hit{Method: method, URL: key, Header: h.Clone(), Time: time.Now()}
	s.hits = append(s.hits, hit)
	answers := s.byURL[key]
	if len(answers) == 0 {
		return notFound(key), hit
	}
	n := min(s.next[key], len(answers)-1)
	s.next[key]++
	return s.pages[answers[n]], hit
}

// pause waits for the latency of p, or for a hang until ctx ends.
func pause(ctx context.Context, p Page) error {
	var due <-chan time.Time
	switch {
	case p.Fault == Hang:
	case p.Latency == 0:
		return nil
	default:
		t := time.NewTimer(p.Latency)
		defer t.Stop()
		due = t.C
	}
	select {
	case <-due:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ServeHTTP answers by the Host and path of the request. The scheme is https if
// the connection uses TLS.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	p, err := s.Answer(r.Context(), r.Method, scheme+"://"+r.Host+r.URL.RequestURI(), r.Header)
	switch {
	case errors.Is(err, ErrHost):
		http.Error(w, "no such host here", http.StatusMisdirectedRequest)
		return
	case err != nil:
		panic(http.ErrAbortHandler) // the client has gone
	case p.Fault == Reset, p.Fault == Close:
		hangUp(w, p.Fault == Reset)
	}
	header := w.Header()
	maps.Copy(header, p.Header)
	body := p.Body
	if p.Fault == Truncate {
		header.Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2]
	}
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	if p.Fault == Truncate {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// hangUp ends the connection of w before any byte, and does not return.
func hangUp(w http.ResponseWriter, reset bool) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			if tcp, ok := c.(interface{ SetLinger(int) error }); ok && reset {
				_ = tcp.SetLinger(0)
			}
			_ = c.Close()
		}
	}
	panic(http.ErrAbortHandler)
}

// bodyAllowed reports whether a response with this status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// page parses one file.
func page(f File) (Page, error) {
	key, err := canonical(f.Name)
	if err != nil {
		return Page{}, err
	}
	p := Page{URL: key, Status: http.StatusOK, Header: http.Header{}, Body: f.Data}
	if bytes.HasPrefix(f.Data, []byte("HTTP ")) || bytes.HasPrefix(f.Data, []byte("HTTP/1")) {
		if err := p.head(f.Data); err != nil {
			return Page{}, err
		}
	}
	if err := p.steer(); err != nil {
		return Page{}, err
	}
	if !bodyAllowed(p.Status) {
		p.Body = nil
	}
	if _, given := p.Header["Content-Type"]; !given && len(p.Body) > 0 {
		p.Header.Set("Content-Type", contentType(key))
	}
	if p.Header.Get("Content-Type") == "" {
		p.Header["Content-Type"] = nil // prevents net/http from guessing one
	}
	return p, nil
}

// head parses the status line and the header. The rest of data is the body.
func (p *Page) head(data []byte) error {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 2 {
		return errors.New("no status in the first line")
	}
	status, err := strconv.Atoi(fields[1])
	if err != nil || status < 200 || status > 999 {
		return fmt.Errorf("bad status %q", fields[1])
	}
	p.Status = status
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			break
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			return fmt.Errorf("header line %q has no colon", line)
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		p.Header[name] = append(p.Header[name], strings.TrimSpace(value))
	}
	p.Body = rest
	return nil
}

// steer removes the control fields from p.Header and applies them.
func (p *Page) steer() error {
	take := func(name string) string {
		v := p.Header.Get(name)
		p.Header.Del(name)
		return v
	}
	if v := take("X-Latency"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return fmt.Errorf("bad X-Latency %q", v)
		}
		p.Latency = d
	}
	switch v := Fault(take("X-Fault")); v {
	case "", Reset, Close, Hang, Truncate:
		p.Fault = v
	default:
		return fmt.Errorf("unknown X-Fault %q", v)
	}
	var err error
	p.Body, err = reshape(p.Body, take("X-Body"))
	return err
}

// reshape applies X-Body to the body of a file.
func reshape(body []byte, how string) ([]byte, error) {
	switch how {
	case "":
		return body, nil
	case "gzip":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body) // a bytes.Buffer never fails
		_ = z.Close()
		return b.Bytes(), nil
	case "base64":
		return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(body)), ""))
	}
	n, err := strconv.Atoi(how)
	if err != nil || n < 0 || n*len(body) > 1<<30 {
		return nil, fmt.Errorf("unknown X-Body %q", how)
	}
	return bytes.Repeat(body, n), nil
}

// canonical returns raw in the form of [Page].
func canonical(raw string) (string, error) {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	scheme, rest, _ := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		return "", fmt.Errorf("scheme %q", scheme)
	}
	// Parse only the authority. The rest is compared byte for byte, because a
	// site may have paths that net/url refuses.
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := strings.ToLower(rest[:end]), rest[end:]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	u := url.URL{Host: authority}
	if u.Hostname() == "" {
		return "", errors.New("the URL has no host")
	}
	if p := u.Port(); p == "" || scheme == "http" && p == "80" || scheme == "https" && p == "443" {
		authority = strings.TrimSuffix(strings.TrimSuffix(authority, p), ":")
	}
	tail, _, _ = strings.Cut(tail, "#")
	if !strings.HasPrefix(tail, "/") {
		tail = "/" + tail
	}
	return scheme + "://" + authority + tail, nil
}

// hostOf returns the host, without port, of a URL in canonical form.
func hostOf(canonical string) string {
	_, rest, _ := strings.Cut(canonical, "://")
	authority, _, _ := strings.Cut(rest, "/")
	u := url.URL{Host: authority}
	return strings.TrimSuffix(u.Hostname(), ".")
}

// contentType returns the media type for the extension of a URL in canonical
// form. The default is HTML.
func contentType(canonical string) string {
	p, _, _ := strings.Cut(canonical, "?")
	_, p, _ = strings.Cut(p, "://")
	_, p, _ = strings.Cut(p, "/")
	switch strings.ToLower(path.Ext(p)) {
	case ".xml":
		return "application/xml"
	case ".rss":
		return "application/rss+xml"
	case ".atom":
		return "application/atom+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".json":
		return "application/json"
	case ".pdf":
		return "application/pdf"
	case ".gz":
		return "application/gzip"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".svg":
		return "image/svg+xml"
	case ".zip":
		return "application/zip"
	}
	return "text/html; charset=utf-8"
}

// notFound is the response to an unknown URL.
func notFound(key string) Page {
	return Page{
		URL: key, Status: http.StatusNotFound,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   []byte("<!doctype html><title>Not found</title><h1>Not found</h1>\n"),
	}
}
