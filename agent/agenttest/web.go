// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Web is a simulated web: some thirty hosts below .test, and the truth about their
// content. It is an http.Handler that selects the host by the Host of the request. It
// is safe for concurrent use.
type Web struct {
	// Latency makes the answers of pages as slow as those of real sites: log-normal,
	// with a median of 300 ms and 95 % within 1.2 s. Searches take 500 ms. It must be
	// set before the first use.
	Latency bool

	seed     uint64
	catalogs []*catalog
	byCode   map[string]*record
	byName   map[string]*record
	pages    site

	mu     sync.Mutex // guards asked and brought
	asked  []string
	cached map[string]*brought
}

// NewWeb makes the web for a seed. It is the same each time for the same seed.
func NewWeb(seed uint64) *Web {
	w := &Web{seed: seed, catalogs: catalogs(), byCode: map[string]*record{}, byName: map[string]*record{}, pages: site{}, cached: map[string]*brought{}}
	rng := rand.New(rand.NewPCG(seed, 0x6375726c6577))
	codes := map[string]bool{}
	for _, c := range w.catalogs {
		c.fill(rng, codes)
		c.build(w.pages)
		for _, r := range c.records {
			w.byCode[r.code] = r
			w.byName[strings.ToLower(r.name)] = r
		}
	}
	return w
}

// catalog returns the catalog with an ID.
func (w *Web) catalog(id string) *catalog {
	i := slices.IndexFunc(w.catalogs, func(c *catalog) bool { return c.id == id })
	return w.catalogs[i]
}

// page returns the page at a host and path.
func (w *Web) page(key string) page {
	if p, ok := w.pages[key]; ok {
		return p
	}
	if strings.HasPrefix(key, "maze.test/") {
		if p, ok := endless(key); ok {
			p.status, p.kind = 200, "text/html; charset=utf-8"
			return p
		}
	}
	return page{status: 404, kind: "text/html; charset=utf-8", body: []byte("<!DOCTYPE html><title>404</title><h1>Not found</h1>")}
}

// ServeHTTP answers by host and path.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	key := r.Host + r.URL.RequestURI()
	w.note("https://" + key)
	p := w.page(key)
	if w.pause(r.Context(), key, p) != nil {
		return
	}
	if p.location != "" {
		rw.Header().Set("Location", p.location)
	}
	rw.Header().Set("Content-Type", p.kind)
	rw.WriteHeader(p.status)
	_, _ = rw.Write(p.body) // the client may have gone
}

// note records a URL that was requested.
func (w *Web) note(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, url)
}

// Asked returns the URLs that were requested since the last call, in order.
func (w *Web) Asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.asked
	w.asked = nil
	return all
}

// pause waits as long as a page takes.
func (w *Web) pause(ctx context.Context, key string, p page) error {
	d := p.pause
	if w.Latency {
		h := fnv.New64a()
		h.Write([]byte(key))
		rng := rand.New(rand.NewPCG(w.seed, h.Sum64()))
		d += time.Duration(300 * math.Exp(rng.NormFloat64()*math.Log(4)/1.645) * float64(time.Millisecond))
	}
	return sleep(ctx, d)
}

// sleep waits for d. If ctx ends first, it returns the cause of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// States reports whether lines print a field of the thing whose code or name is key, as
// the lines must that a cell of an answer cites.
func (w *Web) States(lines []string, key, field string) bool {
	r := w.byCode[key]
	if r == nil {
		r = w.byName[strings.ToLower(key)]
	}
	if r == nil {
		return false
	}
	for _, f := range r.forms[field] {
		for _, l := range lines {
			if place(plain.Replace(l), f.text) >= 0 {
				return true
			}
		}
	}
	return false
}
