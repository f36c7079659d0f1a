// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/threat"
)

// Scans counts the credits of threat scans that are not charged to a page yet.
// Each scan is charged with the page for which it was made, whether that was
// delivered or failed, so that the costs of the pages add up to the cost of the
// job. Scans of URLs that are not pages, such as redirects to a known page, are
// charged in one entry of the errors at the end of the job.
//
// If the process ends, they are lost. The URLs are then scanned again and
// charged once.
type Scans struct {
	mu    sync.Mutex
	owed  map[string]int    // guarded by mu; by URL without fragment
	first map[string]string // guarded by mu; target of a redirect -> URL where the redirects began
	loose int               // guarded by mu; credits for forgotten URLs
}

// maxOwed limits the number of stored URLs. Beyond it, all are forgotten and
// counted as loose.
const maxOwed = 100_000

// Add records a scan for url that cost n credits. n may be zero.
func (s *Scans) Add(url string, n int) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.make()
	url = plain(url)
	if root, ok := s.first[url]; ok {
		url = root
	}
	s.owed[url] += n
}

// Moved records that from was redirected to to.
func (s *Scans) Moved(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to = plain(from), plain(to)
	if root, ok := s.first[from]; ok {
		from = root
	}
	if from == to || s.owed[from] == 0 {
		return
	}
	s.make()
	s.first[to] = from
}

// make makes space for another URL. The caller must hold mu.
func (s *Scans) make() {
	if s.owed != nil && len(s.owed) < maxOwed && len(s.first) < maxOwed {
		return
	}
	for _, n := range s.owed {
		s.loose += n
	}
	s.owed, s.first = map[string]int{}, map[string]string{}
}

// Take removes and returns the credits to be charged for the page with these
// URLs: for scans of them and of URLs that redirected to them.
func (s *Scans) Take(urls ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range urls {
		u = plain(u)
		n += s.owed[u]
		delete(s.owed, u)
		if root, ok := s.first[u]; ok {
			delete(s.first, u)
			n += s.owed[root]
			delete(s.owed, root)
		}
	}
	return n
}

// Left removes and returns the credits that were not charged for any page.
func (s *Scans) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.loose
	for _, owed := range s.owed {
		n += owed
	}
	s.owed, s.first, s.loose = nil, nil, 0
	return n
}

// plain returns a URL without its fragment.
func plain(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// tallyKey is the context key of a page's tally.
type tallyKey struct{}

// Tallied returns a ctx with which [Admit] counts the cost of scans.
func Tallied(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, tallyKey{}, n), n
}

// tally adds the credits of a decision to the tally of ctx, if it has one.
func tally(ctx context.Context, d threat.Decision) {
	if n, ok := ctx.Value(tallyKey{}).(*atomic.Int64); ok {
		n.Add(int64(d.Credits))
	}
}

// Admit asks the gate about url. A nil gate allows every URL.
func Admit(ctx context.Context, g *threat.Gate, url string) error {
	if g == nil {
		return nil
	}
	target, err := threat.ParseTarget(url)
	if err != nil {
		return err
	}
	d, err := g.Check(ctx, target)
	tally(ctx, d)
	return err
}
