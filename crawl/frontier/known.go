// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"

	"example.com/curlew/crawl/scope"
)

// known contains the URLs that a crawl has found. Invariant: each key is
// entered once and gets its own Seq.
type known struct {
	seed    uint64
	seen    table
	waiting table  // in crawls by level: Seq of the URLs that wait for the next level, by key
	next    uint64 // Seq of the next URL
	budget  int    // limit of entered
	entered int    // number of pages that may be requested, now or later
	mapped  int    // number of sitemap files entered
	noted   bitset // Seq of URLs that will not be requested
	gone    bitset // Seq of entries to be skipped in their queue
	joined  joined
	sum     uint64 // result of the reads of touch
}

func newKnown(budget int) known {
	return known{waiting: table{dated: true}, budget: budget, joined: joined{}}
}

// batch collects the targets of a commit that are admitted.
type batch struct {
	all, pages, files, suspects int
	promoted                    map[uint64]bool // keys; created when the first is added
}

func (b *batch) add(l *link, promote bool) {
	b.all++
	if promote {
		if b.promoted == nil {
			b.promoted = map[uint64]bool{}
		}
		b.promoted[l.key()] = true
	}
	switch {
	case l.Sitemap:
		b.files++
	case l.suspect:
		b.suspects++
	case l.Rule == 0:
		b.pages++
	}
}

// admit decides on a target of a commit, after those already in b. level is the
// greatest depth that may be leased. A new key is added.
func (k *known) admit(l *link, b *batch, level int, e *endless) (rule scope.Rule, promote bool) {
	t := &l.Target
	key := t.key()
	at := k.seen.look(key)
	if at.there {
		if e.better(l) && !b.promoted[key] {
			return 0, true
		}
		if _, waits := k.waiting.seq(key); waits && t.waitsAt() <= level && !b.promoted[key] {
			return 0, true
		}
		return scope.RuleDuplicate, false
	}
	switch {
	case t.Sitemap && (t.Depth > maxNesting || k.mapped+b.files >= maxSitemaps):
		return scope.RuleRoom, false
	case t.Sitemap || t.Rule != 0:
	case l.suspect:
		if e.aside.len()+b.suspects >= maxAside || k.next+uint64(b.all) >= maxSeq { //nolint:gosec // G115: a commit's length
			return scope.RuleEndless, false
		}
	case k.entered+b.pages >= k.budget || k.next+uint64(b.all) >= maxSeq: //nolint:gosec // G115: a commit's length
		return scope.RuleRoom, false
	}
	k.seen.put(at)
	return 0, false
}

// enter gives a link its Seq, and adds its key unless admit has added it.
func (k *known) enter(l *link) (seq uint32) {
	if !l.entered {
		k.seen.add(l.key())
	}
	seq = uint32(k.next) //nolint:gosec // G115: admit keeps it within limits
	k.next++
	switch {
	case l.suspect: // counted when it is released
	case l.Sitemap:
		k.mapped++
	case l.Rule != 0:
		k.noted.set(uint64(seq))
	default:
		k.entered++
	}
	return seq
}

// joined has the keys that ended as duplicates of the URL to which they redirect, with
// the key of that URL. Invariant: following them leads to an end.
type joined map[uint64]uint64

// maxJoined bounds the memory of joined, at some 40 bytes for each key. Redirects in
// excess of it are not remembered.
const maxJoined = 1 << 20

// add records that the URLs of t end as duplicates of the URL with the key to.
func (j joined) add(t *task, to uint64) {
	for _, key := range t.chain {
		if len(j) < maxJoined && key != to {
			j[key] = to
		}
	}
}

// end returns the key to which redirects lead from key. It shortens the way for later
// calls, so that long chains do not take quadratic time.
func (j joined) end(key uint64) uint64 {
	for {
		next, ok := j[key]
		if !ok {
			return key
		}
		if after, ok := j[next]; ok {
			j[key] = after
		}
		key = next
	}
}

// move sets where t moved. A redirect to one of its own earlier keys is not a
// duplicate, because sites redirect like this to set cookies. Nor is a redirect to a
// URL that ended as a duplicate of t: otherwise pages that redirect to each other would
// all be duplicates, and none of them would be delivered or fail.
func (k *known) move(rec *record, t *task, c *Commit) {
	to := link{Target: c.Targets[0]}
	to.Sitemap, to.Listed, to.Depth = t.Sitemap, t.Listed, t.Depth
	rec.rule, rec.hops, rec.text, rec.from = 0, t.hops+1, t.key(), t.from
	rec.first = t.first
	if rec.first == "" {
		rec.first = t.URL
	}
	t.first = rec.first
	own := func(key uint64) bool { return key == t.key() || slices.Contains(t.chain, key) }
	if key := to.key(); !own(key) && k.seen.has(key) && !own(k.joined.end(key)) {
		if _, to.promote = k.waiting.seq(key); !to.promote {
			rec.rule = scope.RuleDuplicate
		}
	}
	rec.links = []link{to}
}

// withdraw removes the URL with this key from its queue if it waits for the
// next level.
func (k *known) withdraw(key uint64) (seq uint64, ok bool) {
	if seq, ok = k.waiting.seq(key); ok {
		k.waiting.date(key, noSeq)
		k.gone.set(seq)
	}
	return seq, ok
}

// nextLevel starts the next level, so that URLs need not wait any more.
func (k *known) nextLevel(replaying bool) {
	k.waiting = table{dated: true}
	if replaying {
		k.waiting.collect()
	}
}

// collect makes the empty tables collect the additions of a replay until settle
// is called.
func (k *known) collect() {
	k.seen.collect()
	k.waiting.collect()
}

// settle ends the collection.
func (k *known) settle() {
	k.seen.settle()
	k.waiting.settle()
}

// touched is the number of targets whose slots are read together.
const touched = 64

// touch makes the processor fetch the slots that admit will read.
func (k *known) touch(batch []Target) {
	var sum uint64
	for i := range batch {
		sum ^= k.seen.touch(batch[i].key())
	}
	k.sum = sum // keeps the compiler from removing the loop
}
