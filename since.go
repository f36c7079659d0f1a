// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// kept is what a crawl stores of a delivered page for a later crawl that is compared with
// it. It follows the document in the job's item, after a zero byte, which JSON cannot
// contain.
type kept struct {
	Asked       string `json:"a"`
	URL         string `json:"u,omitempty"` // after redirects; empty: the same
	Depth       int    `json:"d,omitempty"`
	Status      int    `json:"s"`
	ContentType string `json:"t,omitempty"`
	ETag        string `json:"e,omitempty"`
	Modified    string `json:"m,omitempty"`
	Sum         []byte `json:"h"`           // SHA-256 of the body
	Change      string `json:"c,omitempty"` // compared with the earlier crawl
	Half        bool   `json:"n,omitempty"` // the server said that it was not modified

	// Each link is written as the number of bytes that it shares with the one before, a
	// space, and the other bytes. Nil: the links were not read.
	Links []string `json:"l,omitzero"`
}

// maxKeptLinks bounds the stored links of one page, in bytes. A page that has more is
// requested in full the next time.
const maxKeptLinks = 256 << 10

// maxValidator bounds an ETag and a Last-Modified, in bytes.
const maxValidator = 512

// keepPage returns payload with the kept record of p.
func keepPage(payload []byte, p *crawl.Page) ([]byte, error) {
	k := kept{
		Asked: failedURL(p.Asked, p.URL), Depth: p.Depth, Status: p.Status, ContentType: p.Header.Get("Content-Type"),
		ETag: validator(p.Header.Get("ETag")), Modified: validator(p.Header.Get("Last-Modified")),
		Sum: sumOf(p), Change: p.Change.String(), Half: p.Unmodified, Links: foldLinks(p.Links),
	}
	if p.Unmodified {
		k.ETag, k.Modified = p.Known.ETag, p.Known.Modified
	}
	if p.URL != k.Asked {
		k.URL = p.URL
	}
	if p.Truncated {
		k.ETag, k.Modified = "", "" // so that the next crawl requests it in full
	}
	record, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return append(append(payload, 0), record...), nil
}

// sumOf returns the SHA-256 of a page's body.
func sumOf(p *crawl.Page) []byte {
	if p.Unmodified {
		return p.Known.Sum[:]
	}
	sum := sha256.Sum256(p.Body)
	return sum[:]
}

func validator(s string) string {
	if len(s) > maxValidator {
		return ""
	}
	return s
}

// documentOf splits an item's data into the document and the kept record.
func documentOf(data []byte) (doc json.RawMessage, record []byte) {
	doc, record, _ = bytes.Cut(data, []byte{0})
	return doc, record
}

// foldLinks writes links for [kept]. It returns nil if they were not read or are too many.
func foldLinks(links []crawl.Link) []string {
	if links == nil {
		return nil
	}
	folded, last, size := make([]string, 0, len(links)), "", 0
	for i := range links {
		url := links[i].URL
		n := 0
		for n < len(url) && n < len(last) && url[n] == last[n] {
			n++
		}
		text := strconv.Itoa(n) + " " + url[n:]
		if size += len(text); size > maxKeptLinks {
			return nil
		}
		folded, last = append(folded, text), url
	}
	return folded
}

// unfoldLinks reads what foldLinks has written. It returns nil if that is damaged.
func unfoldLinks(folded []string) []string {
	if folded == nil {
		return nil
	}
	links, last := make([]string, 0, len(folded)), ""
	for _, text := range folded {
		count, rest, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || n > len(last) {
			return nil // damaged: the page is requested in full
		}
		last = last[:n] + rest
		links = append(links, last)
	}
	return links
}

// Changes counts how the pages of a crawl differ from those of the crawl that it was
// compared with.
type Changes struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"` // not delivered
}

// memory is a [crawl.Memory] over the items of an earlier crawl of the team.
type memory struct {
	runner *job.Runner
	team   string
	id     string // of the earlier crawl
	copies bool   // its documents are the same as this crawl would make of unchanged pages
	most   int    // number of its documents

	seed  maphash.Seed
	index map[uint64]uint32 // hash of a URL -> index of its document; read-only once made

	mu     sync.Mutex
	met    []uint64 // guarded by mu; one bit for each document: this crawl has met its page
	counts Changes
	halves int  // guarded by mu; pages that were not modified
	lost   bool // guarded by mu; the earlier crawl has expired in the meantime
}

// remember reads the records of the crawl w.Since, and which of its pages w has met
// before a restart.
func remember(ctx context.Context, w *work, copies bool) (*memory, error) {
	m := &memory{runner: &w.parts.runner, team: w.team, id: w.Since, copies: copies, seed: maphash.MakeSeed(), index: map[uint64]uint32{}}
	err := m.each(ctx, m.id, func(i int, k *kept) {
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
	err = m.each(ctx, w.job, func(_ int, k *kept) {
		m.meet(k.Change, k.Asked, k.URL)
		if k.Half {
			m.halves++
		}
	})
	if err != nil {
		return nil, err
	}
	events, err := w.space.Items(ctx, job.Event, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	for _, it := range events {
		m.meet(crawl.Gone.String(), string(it.Data))
	}
	return m, nil
}

// plain returns a URL without its fragment.
func plain(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// hash returns the key of a URL in the index. Of two URLs with the same hash the second
// counts as new.
func (m *memory) hash(url string) uint64 { return maphash.String(m.seed, plain(url)) }

// each calls see with the kept record of each document of a job.
func (m *memory) each(ctx context.Context, id string, see func(i int, k *kept)) error {
	const chunk = 64
	for from := 0; ; {
		items, err := m.runner.Items(ctx, m.team, id, job.Result, from, chunk)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, it := range items {
			var k kept
			if _, record := documentOf(it.Data); json.Unmarshal(record, &k) == nil {
				see(from, &k)
			}
			from++
		}
	}
}

// meet counts a page with these URLs by its change. A page that is gone counts once.
func (m *memory) meet(change string, urls ...string) {
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

// half returns what the next unmodified page costs. On average that is half a credit,
// rounded up for the whole job.
func (m *memory) half() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.halves++
	return m.halves % 2
}

// changes returns the counts so far.
func (m *memory) changes() *Changes {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.counts
	return &c
}

// item returns the document and the kept record of a page of the earlier crawl. They are
// nil if there is no such page.
func (m *memory) item(ctx context.Context, url string) (json.RawMessage, *kept, error) {
	i, ok := m.index[m.hash(url)]
	if !ok {
		return nil, nil, nil
	}
	items, err := m.runner.Items(ctx, m.team, m.id, job.Result, int(i), 1)
	if errors.Is(err, job.ErrNotFound) {
		m.mu.Lock()
		m.lost = true
		m.mu.Unlock()
		return nil, nil, nil
	}
	if err != nil || len(items) == 0 || items[0].Err != nil {
		return nil, nil, err
	}
	doc, record := documentOf(items[0].Data)
	k := new(kept)
	if json.Unmarshal(record, k) != nil || plain(k.Asked) != plain(url) && plain(k.URL) != plain(url) {
		return nil, nil, nil //nolint:nilerr // a damaged record counts as none
	}
	return doc, k, nil
}

// Known implements [crawl.Memory].
func (m *memory) Known(ctx context.Context, url string) (*crawl.Known, error) {
	_, k, err := m.item(ctx, url)
	if k == nil || err != nil {
		return nil, err
	}
	known := &crawl.Known{Status: k.Status, ContentType: k.ContentType, Links: unfoldLinks(k.Links)}
	copy(known.Sum[:], k.Sum)
	if at := k.URL; m.copies && k.Status == http.StatusOK && (at == "" || plain(at) == plain(url)) {
		known.ETag, known.Modified = k.ETag, k.Modified // they belong to the URL after redirects
	}
	return known, nil
}

// Asked implements [crawl.Memory].
func (m *memory) Asked(ctx context.Context) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		stop := errors.New("stopped")
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(stop)
		_ = m.each(inner, m.id, func(_ int, k *kept) { // an error ends the list, and the crawl still finds the pages by links
			if inner.Err() == nil && !yield(k.Asked, k.Depth) {
				cancel(stop)
			}
		})
	}
}

// unchanged makes the stored document of an unchanged page: the earlier document with a
// new ID. It returns nil if that cannot be read.
func (w *work) unchanged(ctx context.Context, id string, p *crawl.Page) ([]byte, int, error) {
	doc, k, err := w.since.item(ctx, p.URL)
	if k == nil || err != nil {
		return nil, 0, err
	}
	cost := w.page.Price(w.Retained)
	if p.Unmodified {
		cost = w.since.half()
	}
	if err := w.meter.Spend(ctx, cost); err != nil {
		return nil, 0, err
	}
	cost += w.meter.Scans.Take(p.Asked, p.URL)
	payload, err := stamp(doc, map[string]any{
		"scrapeId": id, "creditsUsed": cost, "sourceURL": w.source(p), "cacheState": nil, "cachedAt": nil,
		"change": p.Change.String(), "bodyHash": "sha256:" + hex.EncodeToString(sumOf(p)),
	})
	return payload, cost, err
}

// stamp returns a document with members of its metadata set. Members that are nil are
// removed.
func stamp(doc []byte, set map[string]any) ([]byte, error) {
	var all struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	var members map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(doc, &members), json.Unmarshal(doc, &all)); err != nil {
		return nil, fmt.Errorf("earlier document: %w", err)
	}
	if all.Metadata == nil {
		all.Metadata = map[string]json.RawMessage{}
	}
	for name, v := range set {
		delete(all.Metadata, name)
		if v == nil {
			continue
		}
		raw, err := jsonenc.Encode(v)
		if err != nil {
			return nil, err
		}
		all.Metadata[name] = raw
	}
	var err error
	if members["metadata"], err = jsonenc.Encode(all.Metadata); err != nil {
		return nil, err
	}
	return jsonenc.Encode(members)
}

// keepKnown adds the kept record to a page that is about to be committed, and counts its
// change.
func (w *work) keepKnown(p *crawl.Page) error {
	if w.since != nil {
		change := p.Change.String()
		if p.Err != nil {
			change = "" // its change is not known
		}
		w.since.meet(change, p.Asked, p.URL)
	}
	if p.Err != nil || p.Payload == nil || w.Retained {
		return nil //nolint:nilerr // the error of the page is reported elsewhere
	}
	var err error
	p.Payload, err = keepPage(p.Payload, p)
	return err
}

// compared writes into a new document how its page has changed.
func (m *memory) compared(payload []byte, p *crawl.Page) ([]byte, error) {
	if m == nil {
		return payload, nil
	}
	return stamp(payload, map[string]any{"change": p.Change.String(), "bodyHash": "sha256:" + hex.EncodeToString(sumOf(p))})
}

// gone records pages that are gone. They have no document and no entry of the errors.
func (m *memory) gone(ctx context.Context, space job.Space, urls ...string) error {
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

// end ends the comparison and stores the counts. If the crawl was complete, the pages that
// it did not meet are gone.
func (m *memory) end(ctx context.Context, space job.Space, limit int, complete bool) error {
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
		err := m.each(ctx, m.id, func(i int, k *kept) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.met[i/64]&(1<<(i%64)) == 0 {
				gone = append(gone, k.Asked)
			}
		})
		if err == nil {
			err = m.gone(ctx, space, gone...)
		}
		if err != nil {
			return err
		}
	}
	counts, err := json.Marshal(m.changes())
	if err != nil {
		return err
	}
	return space.Append(ctx, job.Item{Kind: job.Event, Data: counts})
}

// changesOf returns the counts of a crawl with Since; nil if they are not known yet.
func changesOf(ctx context.Context, j *Job, stats *job.Stats) (*Changes, error) {
	if m, ok := j.parts.works.since.Load(j.record.ID); ok {
		return m.(*memory).changes(), nil
	}
	n := stats.Items[job.Event]
	if n == 0 {
		return nil, nil
	}
	last, err := j.Items(ctx, job.Event, n-1, 1)
	if err != nil || len(last) == 0 {
		return nil, err
	}
	c := new(Changes)
	if json.Unmarshal(last[0].Data, c) != nil {
		return nil, nil //nolint:nilerr // it is a page that is gone: the crawl still runs
	}
	return c, nil
}

// Gone returns at most most URLs of the crawl named by Since whose pages are gone.
func (j *Job) Gone(ctx context.Context, most int) ([]string, error) {
	if j.record.Kind != KindCrawl || most == 0 {
		return nil, nil
	}
	events, err := j.Items(ctx, job.Event, 0, most)
	if err != nil {
		return nil, err
	}
	var urls []string
	seen := map[string]bool{}
	for _, it := range events {
		if url := string(it.Data); it.Err == nil && !strings.HasPrefix(url, "{") && !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls, nil
}

// earlier checks the crawl that a new one is to be compared with.
func (p *parts) earlier(ctx context.Context, team, id string) error {
	j, _, err := p.find(ctx, team, id)
	if err == nil && j.Kind() != KindCrawl {
		err = job.ErrNotFound
	}
	switch {
	case errors.Is(err, job.ErrNotFound):
		return refuse(errSince, "The crawl of since was not found.")
	case err != nil:
		return err
	case !j.State().Final():
		return refuse(ErrRequest, "The crawl of since has not ended.")
	case j.State() == job.Failed:
		return refuse(ErrRequest, "The crawl of since has failed: there is nothing to compare with.")
	case j.spec.Retained:
		return refuse(ErrRequest, "The crawl of since had zero data retention: nothing was kept to compare with.")
	}
	return nil
}

// copies reports whether this crawl would make the same documents as the crawl w.Since
// of unchanged pages.
func copies(ctx context.Context, w *work) (bool, error) {
	j, _, err := w.parts.runner.Get(ctx, w.team, w.Since)
	if err != nil {
		return false, err
	}
	sp, err := readSpec(j)
	if err != nil {
		return false, err
	}
	if sp.Page == nil || w.Page.onlyCache() || w.parts.pages.caching() && w.Page.asksCache() {
		return false, nil
	}
	var forms [2][]byte
	for i, o := range []*ScrapeOptions{sp.Page, w.Page} {
		if slices.Contains(o.Format.Forms, format.ChangesForm) {
			return false, nil // this form makes a comparison of its own
		}
		if forms[i], err = jsonenc.Encode(o); err != nil {
			return false, err
		}
	}
	return bytes.Equal(forms[0], forms[1]), nil
}
