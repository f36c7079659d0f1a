// SPDX-License-Identifier: Apache-2.0

// Package recrawl compares the pages of a crawl with those of an earlier one.
package recrawl

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/maphash"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/crawl"
	"example.com/curlew/job"
)

// Changes counts the pages of a crawl by their change since an earlier crawl.
type Changes struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"` // not delivered
}

// Memory contains the pages of an earlier crawl, and counts the changes in this
// crawl. It is a [crawl.Memory].
type Memory struct {
	results Results // results of the earlier crawl
	copies  bool    // the documents of unchanged pages are the same in both crawls
	most    int     // number of its documents

	seed  maphash.Seed
	index map[uint64]uint32 // hash of a URL -> index of its document; read-only once made

	mu     sync.Mutex
	met    []uint64 // guarded by mu; a bit for each document whose page this crawl has met
	counts Changes
	halves int  // guarded by mu; pages that were not modified
	lost   bool // guarded by mu; the earlier crawl has expired in the meantime
}

// Results reads at most most documents of a crawl, from index from on.
type Results func(ctx context.Context, from, most int) ([]job.Item, error)

// Remember reads the records of an earlier crawl. From the stored items of this
// crawl it reads which of these pages were met before a restart. copies says
// that an unchanged page has the same document in both crawls.
func Remember(ctx context.Context, earlier Results, space job.Space, copies bool) (*Memory, error) {
	m := &Memory{results: earlier, copies: copies, seed: maphash.MakeSeed(), index: map[uint64]uint32{}}
	err := earlier.each(ctx, func(i int, k *record) {
		for _, url := range []string{k.Asked, k.URL} {
			if url != "" {
				m.index[m.hash(url)] = uint32(i) //nolint:gosec // G115: a job has fewer documents
			}
		}
		m.most = i + 1
	})
	if err != nil {
		return nil, err
	}
	m.met = make([]uint64, (m.most+63)/64)
	own := Results(func(ctx context.Context, from, most int) ([]job.Item, error) {
		return space.Items(ctx, job.Result, from, most)
	})
	err = own.each(ctx, func(_ int, k *record) {
		m.meet(k.Change, k.Asked, k.URL)
		if k.Half {
			m.halves++
		}
	})
	if err != nil {
		return nil, err
	}
	failures, err := space.Items(ctx, job.Failure, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	for _, it := range failures {
		var failed struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(it.Data, &failed) == nil {
			m.meet("", failed.URL) // its change is not known, but it is not gone
		}
	}
	events, err := space.Items(ctx, job.Event, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	for _, it := range events {
		m.meet(crawl.Gone.String(), string(it.Data))
	}
	return m, nil
}

// Plain returns a URL without its fragment.
func Plain(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// hash returns the key of a URL in the index. If two URLs have the same hash,
// the second one counts as new.
func (m *Memory) hash(url string) uint64 { return maphash.String(m.seed, Plain(url)) }

// each calls see for the record of each document.
func (results Results) each(ctx context.Context, see func(i int, k *record)) error {
	const chunk = 64
	for from := 0; ; {
		items, err := results(ctx, from, chunk)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, it := range items {
			var k record
			if _, kept := split(it.Data); json.Unmarshal(kept, &k) == nil {
				see(from, &k)
			}
			from++
		}
	}
}

// meet counts the change of a page with these URLs. A page that is gone counts
// once.
func (m *Memory) meet(change string, urls ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := false
	for _, url := range urls {
		if i, ok := m.index[m.hash(url)]; ok && url != "" {
			fresh = fresh || m.met[i/64]&(1<<(i%64)) == 0
			m.met[i/64] |= 1 << (i % 64)
		}
	}
	switch change {
	case "new":
		m.counts.New++
	case "changed":
		m.counts.Changed++
	case "same":
		m.counts.Same++
	case "gone":
		if fresh {
			m.counts.Gone++
		}
	}
}

// Half returns the credits for the next unmodified page. The average is half a
// credit, rounded up for the whole job.
func (m *Memory) Half() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.halves++
	return m.halves % 2
}

// Changes returns the counts so far.
func (m *Memory) Changes() Changes {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// item returns the document and the record of a page of the earlier crawl, or
// nil.
func (m *Memory) item(ctx context.Context, url string) (json.RawMessage, *record, error) {
	i, ok := m.index[m.hash(url)]
	if !ok {
		return nil, nil, nil
	}
	items, err := m.results(ctx, int(i), 1)
	if errors.Is(err, job.ErrNotFound) {
		m.mu.Lock()
		m.lost = true
		m.mu.Unlock()
		return nil, nil, nil
	}
	if err != nil || len(items) == 0 || items[0].Err != nil {
		return nil, nil, err
	}
	doc, kept := split(items[0].Data)
	k := new(record)
	if json.Unmarshal(kept, k) != nil || Plain(k.Asked) != Plain(url) && Plain(k.URL) != Plain(url) {
		return nil, nil, nil //nolint:nilerr // a damaged record counts as missing
	}
	return doc, k, nil
}

// Known implements [crawl.Memory].
func (m *Memory) Known(ctx context.Context, url string) (*crawl.Known, error) {
	_, k, err := m.item(ctx, url)
	if k == nil || err != nil {
		return nil, err
	}
	known := &crawl.Known{Status: k.Status, ContentType: k.ContentType, Links: unfoldLinks(k.Links)}
	copy(known.Sum[:], k.Sum)
	if at := k.URL; m.copies && k.Status == http.StatusOK && (at == "" || Plain(at) == Plain(url)) {
		known.ETag, known.Modified = k.ETag, k.Modified // they belong to the URL after redirects
	}
	return known, nil
}

// Asked implements [crawl.Memory].
func (m *Memory) Asked(ctx context.Context) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		stop := errors.New("stopped")
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(stop)
		_ = m.results.each(inner, func(_ int, k *record) { // an error ends the list, but the crawl can still find the pages by links
			if inner.Err() == nil && !yield(k.Asked, k.Depth) {
				cancel(stop)
			}
		})
	}
}

// Unchanged returns the stored document of an unchanged page. Members of its
// metadata are replaced by those that bill returns. If the earlier document
// cannot be read, it returns nil without calling bill.
func (m *Memory) Unchanged(ctx context.Context, p *crawl.Page, bill func() (map[string]any, error)) ([]byte, error) {
	doc, k, err := m.item(ctx, p.URL)
	if k == nil || err != nil {
		return nil, err
	}
	members, err := bill()
	if err != nil {
		return nil, err
	}
	return stamp(doc, comparison(p, members))
}

// Copies reports whether an unchanged page has the same document as in the earlier crawl.
func (m *Memory) Copies() bool { return m.copies }

// comparison adds the change of a page to members of a document's metadata.
func comparison(p *crawl.Page, members map[string]any) map[string]any {
	if members == nil {
		members = map[string]any{}
	}
	members["change"], members["bodyHash"] = p.Change.String(), "sha256:"+hex.EncodeToString(sumOf(p))
	return members
}

// Met counts the change of a page that is about to be committed.
func (m *Memory) Met(p *crawl.Page) {
	if m == nil {
		return
	}
	change := p.Change.String()
	if p.Err != nil {
		change = "" // its change is not known
	}
	m.meet(change, p.Asked, p.URL)
}

// Compared writes the change of a page into its new document. It may be called
// on a nil Memory.
func (m *Memory) Compared(payload []byte, p *crawl.Page) ([]byte, error) {
	if m == nil {
		return payload, nil
	}
	return stamp(payload, comparison(p, nil))
}

// Gone records pages that are gone. They have no document and no entry of the errors.
func (m *Memory) Gone(ctx context.Context, space job.Space, urls ...string) error {
	const chunk = 256
	for part := range slices.Chunk(urls, chunk) {
		items := make([]job.Item, len(part))
		for i, url := range part {
			items[i] = job.Item{Kind: job.Event, Data: []byte(url)}
		}
		if err := space.Append(ctx, items...); err != nil {
			return err
		}
		for _, url := range part {
			m.meet(crawl.Gone.String(), url)
		}
	}
	return nil
}

// GoneURLs returns the URLs that [Memory.Gone] has recorded, each once. events are items of
// the kind [job.Event].
func GoneURLs(events []job.Item) []string {
	var urls []string
	seen := map[string]bool{}
	for _, it := range events {
		if url := string(it.Data); it.Err == nil && !strings.HasPrefix(url, "{") && !seen[url] { // counts begin with {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}

// Counts returns the counts that [Memory.End] has stored. last has the last item of the kind
// [job.Event]. Counts returns nil if there is none, if it is a page that is gone, because the
// crawl still runs, or if it is damaged.
func Counts(last []job.Item) *Changes {
	c := new(Changes)
	if len(last) == 0 || last[0].Err != nil || json.Unmarshal(last[0].Data, c) != nil {
		return nil
	}
	return c
}

// End ends the comparison and stores the counts. If the crawl was complete, the pages that
// it did not meet are gone.
func (m *Memory) End(ctx context.Context, space job.Space, limit int, complete bool) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	lost := m.lost
	m.mu.Unlock()
	if lost {
		text := "The crawl of since expired while this one ran: pages behind that are said to be new."
		if err := space.Append(ctx, job.Item{Kind: job.Note, Data: []byte(text)}); err != nil {
			return err
		}
	}
	stats, err := space.Stats(ctx)
	if err != nil {
		return err
	}
	if c := stats.Crawl; complete && !lost && !c.Spent && c.Delivered < limit {
		var gone []string
		err := m.results.each(ctx, func(i int, k *record) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.met[i/64]&(1<<(i%64)) == 0 {
				gone = append(gone, k.Asked)
			}
		})
		if err == nil {
			err = m.Gone(ctx, space, gone...)
		}
		if err != nil {
			return err
		}
	}
	counts, err := json.Marshal(m.Changes())
	if err != nil {
		return err
	}
	return space.Append(ctx, job.Item{Kind: job.Event, Data: counts})
}
