// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/threat"
)

// scans are the credits that threat scans have cost and that no page has carried
// yet. Each is carried by the page for which it was made, document or failure, so
// that what the pages of a job cost adds up to what the job costs. Scans of URLs
// that turned out to be no pages of their own, such as redirects to a page that
// the crawl has, are carried by one entry of the errors at the end of the job.
//
// A process that dies forgets them: the URLs are scanned again, and billed once.
type scans struct {
	mu    sync.Mutex
	owed  map[string]int    // guarded by mu; by URL without fragment
	first map[string]string // guarded by mu; of a URL that a redirect led to: where that began
	loose int               // guarded by mu; of URLs that are no longer known
}

// maxOwed bounds the URLs that wait for their page; beyond it they count as loose.
const maxOwed = 100_000

// add notes a scan that was made for url; n may be zero.
func (s *scans) add(url string, n int) {
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

// moved notes that from was redirected to to.
func (s *scans) moved(from, to string) {
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

// make has room for one more. The caller holds mu.
func (s *scans) make() {
	if s.owed != nil && len(s.owed) < maxOwed && len(s.first) < maxOwed {
		return
	}
	for _, n := range s.owed {
		s.loose += n
	}
	s.owed, s.first = map[string]int{}, map[string]string{}
}

// take returns what the page with these URLs carries: their scans, and those of
// what redirected to them.
func (s *scans) take(urls ...string) (n int) {
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

// left takes all that no page carries.
func (s *scans) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.loose
	for _, owed := range s.owed {
		n += owed
	}
	s.owed, s.first, s.loose = nil, nil, 0
	return n
}

func plain(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// tallyKey is the key of a page's tally in a context.
type tallyKey struct{}

// tallied returns a ctx under which [admit] counts what scans cost.
func tallied(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, tallyKey{}, n), n
}

// tally counts the credits of a decision, where somebody counts.
func tally(ctx context.Context, d threat.Decision) {
	if n, ok := ctx.Value(tallyKey{}).(*atomic.Int64); ok {
		n.Add(int64(d.Credits))
	}
}
