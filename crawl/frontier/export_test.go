// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/scope"
)

// Internal types for tests.
type (
	Table     = table
	Entry     = entry
	Queue     = queue
	Record    = record
	RecLink   = link
	MemoryLog = memoryLog
	Bitset    = bitset
)

func (m *MemoryLog) Hold(pos int64, n int) { m.hold(pos, n) }

func (t *Table) Add(f uint64)      { t.add(f) }
func (t *Table) Has(f uint64) bool { return t.has(f) }
func (t *Table) Len() int          { return t.n }

func (t *Table) Collect() { t.collect() }
func (t *Table) Settle()  { t.settle() }

// NewDated returns a table that stores a number with each fingerprint.
func NewDated() *Table                       { return &Table{dated: true} }
func (t *Table) Date(f uint64, seq uint32)   { t.date(f, seq) }
func (t *Table) Forget(f uint64)             { t.date(f, noSeq) }
func (t *Table) Seq(f uint64) (uint64, bool) { return t.seq(f) }

// Slots returns the number of slots of the table.
func (t *Table) Slots() (n int) {
	for i := range t.shards {
		n += len(t.shards[i].slots)
	}
	return n
}

func EntryOf(n int64) Entry              { return Entry{pos: n / 3, seq: uint32(n)} } // three entries for each record
func (e Entry) N() int64                 { return int64(e.seq) }
func (q *Queue) Push(depth int, e Entry) { q.push(depth, e) }
func (q *Queue) Pop(bound int) (Entry, bool) {
	f := q.front(bound)
	if f == nil {
		return Entry{}, false
	}
	e := f.first()
	f.remove(1, e.off+1)
	return e, true
}
func (b *Bitset) Set(n uint64)     { b.set(n) }
func (b Bitset) Has(n uint64) bool { return b.has(n) }
func (b Bitset) Clear(n uint64)    { b.clear(n) }

// Alarms is alarms with strings.
type Alarms struct{ a alarms[string] }

func (a *Alarms) Set(at time.Time, s string)       { a.a.set(at, s) }
func (a *Alarms) Pop(now time.Time) (string, bool) { s, _, ok := a.a.pop(now); return s, ok }

// Encode returns the head of r.
func (r *Record) Encode() []byte { return r.append(nil) }

var (
	Decode     = decode
	DecodeLink = decodeLink
	SkipLink   = skipLink
	DecodeFrom = decodeFrom
)

// NewRecord returns an end record with n links.
func NewRecord(n int) *Record {
	r := &record{
		kind: endRecord, task: PageTask, start: true, asked: true, outcome: Delivered, seq: 1 << 40, depth: 3, standing: scope.External,
		hops: 2, status: 404, cost: 7, blocked: 1, text: 1 << 63, body: 1 << 62, suspect: true, below: true,
		chain: 31, sketch: shape.Sketch{0, 7, 1 << 20, 1<<32 - 1}, url: "http://a.test/ä", first: "http://a.test/", origin: "http://b.test/",
	}
	r.refused[scope.RuleTrap] = 300
	for i := range n {
		r.links = append(r.links, link{
			Target: Target{URL: "http://a.test/" + string(rune('a'+i%26)), Key: uint64(i) << 50, Depth: i, Kind: scope.Subdomain, Rule: scope.Rule(i) % scope.RuleCount, Sitemap: i%2 == 0},
			start:  i%3 == 0, promote: i%5 == 0,
		})
	}
	return r
}

// Links returns the record's links with their offsets.
func (r *Record) Links() []RecLink { return r.links }

// Off returns the offset of the link in its head.
func (l RecLink) Off() int { return l.off }

// Watchlist is watchlist with keys only.
type Watchlist struct{ l watchlist }

func NewWatchlist() *Watchlist { return &Watchlist{newWatchlist()} }
func (w *Watchlist) Add(key, seq uint64) {
	w.l.add(watched{key: key, seq: uint32(seq), depth: uint32(seq) + 1})
}
func (w *Watchlist) Remove(seq uint64) { w.l.remove(seq) }
func (w *Watchlist) Len() int          { return w.l.n }

// Key returns the Seq of the URL watched under a key.
func (w *Watchlist) Key(key uint64) (seq uint64, ok bool) {
	one := w.l.key(key)
	if one == nil {
		return 0, false
	}
	if one.key != key || one.depth != one.seq+1 {
		panic("another URL is watched there")
	}
	return uint64(one.seq), true
}

// Seq returns the key of the URL watched under a Seq.
func (w *Watchlist) Seq(seq uint64) (key uint64, ok bool) {
	one := w.l.seq(seq)
	if one == nil {
		return 0, false
	}
	if uint64(one.seq) != seq || one.depth != one.seq+1 {
		panic("another URL is watched there")
	}
	return one.key, true
}
