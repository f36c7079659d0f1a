// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"encoding/binary"
	"fmt"
	"math"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/scope"
)

// Types of records, in the first byte of a head. Types of the frontier are
// below 6.
const (
	kickoffRecord = 1 // the seed and the start page
	endRecord     = 2 // one lease has ended, for good or by moving
)

// record is one change of a frontier. The same record is written and applied,
// live and in a replay. Numbers are uvarints. Strings are preceded by their
// length.
//
//	kickoff: 1 | seed 8 bytes | n | n x link
//	end:     2 | flags | outcome | rule | seq | depth | kind | hops | status | cost |
//	         blocked | text 8 bytes | body 8 bytes if any | chain, sketch if any |
//	         url | asked | from | origin |
//	         m | m x (rule, count) | n | n x link
//	link:    flags | depth unless below | rule if any | key 8 bytes | shared | rest
//
// Numbers of fixed size are little endian. A URL is written as the length of
// the prefix that it shares with the url of the end, and the rest. Most links
// stay on their site, and the cost of a commit depends mainly on its size.
type record struct {
	kind byte
	seed uint64

	task     Task
	start    bool
	listed   bool
	outcome  Outcome
	rule     scope.Rule
	seq      uint64
	depth    int
	standing scope.Kind
	hops     int
	status   int
	cost     int
	asked    bool // a request was made
	blocked  int
	text     uint64
	body     uint64       // fingerprint; zero if the body is empty
	suspect  bool         // it was delivered as a suspect
	below    bool         // it equals the page that links to it, whose path is above
	chain    int          // see [trail]
	sketch   shape.Sketch // nil if no sketch was requested
	url      string       // URL of the page after redirects; From of its links
	first    string       // Asked of a page that moved
	from     string       // From of a page that moved
	origin   string
	refused  [scope.RuleCount]int

	links []link
	trail *trail // trail for the links of the page; not written
}

// link is a target in the form that is written.
type link struct {
	Target
	start   bool
	promote bool // its key is pending at a greater depth and moves to this one
	entered bool // its key is in the table; not written
	suspect bool // it is to be put aside; follows from the record and is not written
	trail   *trail
	off     int // offset of the link in its head
}

const (
	linkSitemap = 1 << iota
	linkListed
	linkStart
	linkPromote
	linkBelow     // its depth is one more than that of the end
	linkRuled     // it has a rule
	linkKind  = 6 // the kind is in this bit and the next
)

const (
	endSitemap = 1 << iota
	endStart
	endListed
	endAsked
	endSuspect
	endBelow
	endSketched
	endBody
)

// bit returns b if on is set, and 0 otherwise.
func bit(on bool, b byte) byte {
	if on {
		return b
	}
	return 0
}

// append appends r's head to b, and sets the offsets of its links.
func (r *record) append(b []byte) []byte {
	origin := len(b)
	b = append(b, r.kind)
	if r.kind == kickoffRecord {
		b = binary.LittleEndian.AppendUint64(b, r.seed)
	} else {
		b = r.appendEnd(b)
	}
	b = appendInt(b, len(r.links))
	home := r.home()
	for i := range r.links {
		l := &r.links[i]
		l.off = len(b) - origin
		b = l.append(b, home)
	}
	return b
}

// home is the base that the links of a record are encoded against.
type home struct {
	url   string
	depth int
}

func (r *record) home() home { return home{r.url, r.depth} }

// append appends l to b.
func (l *link) append(b []byte, from home) []byte {
	below := l.Depth == from.depth+1
	b = append(b, bit(l.Sitemap, linkSitemap)|bit(l.Listed, linkListed)|bit(l.start, linkStart)|bit(l.promote, linkPromote)|
		bit(below, linkBelow)|bit(l.Rule != 0, linkRuled)|byte(l.Kind)<<linkKind)
	if !below {
		b = appendInt(b, l.Depth)
	}
	if l.Rule != 0 {
		b = append(b, byte(l.Rule))
	}
	b = binary.LittleEndian.AppendUint64(b, l.Key)
	n, most := 0, min(len(l.URL), len(from.url))
	for n < most && l.URL[n] == from.url[n] {
		n++
	}
	return appendString(appendInt(b, n), l.URL[n:])
}

func (r *record) appendEnd(b []byte) []byte {
	b = append(b, bit(r.task == SitemapTask, endSitemap)|bit(r.start, endStart)|bit(r.listed, endListed)|bit(r.asked, endAsked)|
		bit(r.suspect, endSuspect)|bit(r.below, endBelow)|bit(r.sketch != nil, endSketched)|bit(r.body != 0, endBody),
		byte(r.outcome), byte(r.rule))
	b = binary.AppendUvarint(b, r.seq)
	b = appendInt(b, r.depth)
	b = append(b, byte(r.standing))
	for _, n := range [...]int{r.hops, r.status, r.cost, r.blocked} {
		b = appendInt(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, r.text)
	if r.body != 0 {
		b = binary.LittleEndian.AppendUint64(b, r.body)
	}
	if r.sketch != nil {
		b = appendSketch(appendInt(b, r.chain), r.sketch)
	}
	for _, s := range [...]string{r.url, r.first, r.from, r.origin} {
		b = appendString(b, s)
	}
	rules := 0
	for _, n := range r.refused {
		if n > 0 {
			rules++
		}
	}
	b = appendInt(b, rules)
	for rule, n := range r.refused {
		if n > 0 {
			b = appendInt(append(b, byte(rule)), n)
		}
	}
	return b
}

func appendInt(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(max(n, 0))) }

func appendString(b []byte, s string) []byte { return append(appendInt(b, len(s)), s...) }

// reader decodes values from a head. After the first error it returns zero
// values.
type reader struct {
	b     []byte
	at    int
	fault bool
}

func (r *reader) take(n int) []byte {
	if r.fault || n < 0 || n > len(r.b)-r.at {
		r.fault = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) fixed() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uint() uint64 {
	if r.fault {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fault = true
		return 0
	}
	r.at += n
	return v
}

// int returns a number that fits an int and is at most 2^40, which is enough
// for all counts.
func (r *reader) int() int {
	v := r.uint()
	if v > min(1<<40, math.MaxInt) {
		r.fault = true
		return 0
	}
	return int(v)
}

func (r *reader) string() string { return string(r.take(r.int())) }

// rule returns a valid rule.
func (r *reader) rule() scope.Rule {
	v := scope.Rule(r.byte())
	if v >= scope.RuleCount {
		r.fault = true
		return 0
	}
	return v
}

// decode decodes a head. The error wraps [ErrCorrupt].
func decode(head []byte) (*record, error) {
	rec := new(record)
	return rec, new(decoder).decode(head, rec)
}

// decoder decodes consecutive records and reuses its memory.
type decoder struct {
	links []link // links of all records since it was last emptied
	urls  []byte // URLs of the links of one record, concatenated
	ends  []int  // end of each URL
}

// decode decodes a head into rec, which must be zero. The links of rec are a
// part of the decoder's slice. The error wraps [ErrCorrupt].
func (d *decoder) decode(head []byte, rec *record) error {
	r := &reader{b: head}
	rec.kind = r.byte()
	switch rec.kind {
	case kickoffRecord:
		rec.seed = r.fixed()
	case endRecord:
		r.end(rec)
	default:
		r.fault = true
	}
	home, first := rec.home(), len(d.links)
	d.urls, d.ends = d.urls[:0], d.ends[:0]
	for range r.int() {
		l, shared, rest := r.link(home)
		if r.fault {
			break
		}
		d.urls = append(append(d.urls, home.url[:shared]...), rest...)
		d.ends = append(d.ends, len(d.urls))
		d.links = append(d.links, l)
	}
	if r.fault || r.at != len(head) {
		return fmt.Errorf("%w: record of %d bytes", ErrCorrupt, len(head))
	}
	rec.links = d.links[first:len(d.links):len(d.links)]
	urls, from := string(d.urls), 0 // one allocation for all
	for i, end := range d.ends {
		rec.links[i].URL = urls[from:end]
		from = end
	}
	return nil
}

// end reads an end record after its type.
func (r *reader) end(rec *record) {
	flags := r.byte()
	if flags&endSitemap != 0 {
		rec.task = SitemapTask
	}
	rec.start, rec.listed, rec.asked = flags&endStart != 0, flags&endListed != 0, flags&endAsked != 0
	rec.outcome, rec.rule = Outcome(r.byte()), r.rule()
	rec.seq, rec.depth, rec.standing = r.uint(), r.int(), scope.Kind(r.byte())
	rec.hops, rec.status, rec.cost, rec.blocked = r.int(), r.int(), r.int(), r.int()
	rec.text = r.fixed()
	rec.suspect, rec.below = flags&endSuspect != 0, flags&endBelow != 0
	if flags&endBody != 0 {
		rec.body = r.fixed()
	}
	if flags&endSketched != 0 {
		rec.chain, rec.sketch = r.int(), r.sketch()
	}
	rec.url, rec.first, rec.from, rec.origin = r.string(), r.string(), r.string(), r.string()
	for range r.int() {
		if r.fault {
			return
		}
		rule := r.rule()
		rec.refused[rule] = r.int()
	}
}

// appendSketch appends s to b: the number of fingerprints, and the difference
// of each to the one before.
func appendSketch(b []byte, s shape.Sketch) []byte {
	b = appendInt(b, len(s))
	before := uint32(0)
	for _, f := range s {
		b = binary.AppendUvarint(b, uint64(f-before))
		before = f
	}
	return b
}

// sketch reads a sketch.
func (r *reader) sketch() shape.Sketch {
	n := r.int()
	if n > shape.SketchSize {
		r.fault = true
		return nil
	}
	s := make(shape.Sketch, 0, n)
	sum := uint64(0)
	for i := range n {
		step := r.uint()
		if step > math.MaxUint32 || i > 0 && step == 0 {
			r.fault = true
		}
		if sum += step; sum > math.MaxUint32 {
			r.fault = true
		}
		s = append(s, uint32(sum)) //nolint:gosec // G115: compared, otherwise there is an error
	}
	return s
}

// link reads one link of a record with this home, except for its URL. It
// returns the length of the prefix that the URL shares with the home's URL, and
// the rest.
func (r *reader) link(from home) (l link, shared int, rest []byte) {
	l.off = r.at
	flags := r.byte()
	l.Sitemap, l.Listed = flags&linkSitemap != 0, flags&linkListed != 0
	l.start, l.promote = flags&linkStart != 0, flags&linkPromote != 0
	l.Kind, l.Depth = scope.Kind(flags>>linkKind), from.depth+1
	if flags&linkBelow == 0 {
		l.Depth = r.int()
	}
	if flags&linkRuled != 0 {
		l.Rule = r.rule()
	}
	l.Key = r.fixed()
	shared = r.int()
	rest = r.take(r.int())
	if l.Kind > scope.External || shared > len(from.url) {
		r.fault = true
		return link{}, 0, nil
	}
	return l, shared, rest
}

// decodeLink reads the link at off in a head with this home, and returns the
// offset of the next one.
func decodeLink(head []byte, off int, from home) (l link, next uint32, err error) {
	r := &reader{b: head, at: off}
	l, shared, rest := r.link(from)
	l.URL = from.url[:shared] + string(rest)
	next, err = r.place(off)
	return l, next, err
}

// skipLink returns the offset of the link after the one at off.
func skipLink(head []byte, off int) (next uint32, err error) {
	r := &reader{b: head, at: off}
	flags := r.byte()
	if flags&linkBelow == 0 {
		_ = r.int()
	}
	if flags&linkRuled != 0 {
		_ = r.byte()
	}
	_ = r.fixed()
	_ = r.int()
	r.take(r.int())
	return r.place(off)
}

// place returns the position of r after the link at off.
func (r *reader) place(off int) (uint32, error) {
	if r.fault || int64(r.at) > math.MaxUint32 {
		return 0, fmt.Errorf("%w: link at %d of %d bytes", ErrCorrupt, off, len(r.b))
	}
	return uint32(r.at), nil //nolint:gosec // G115: just compared
}

// decodeFrom returns the home of the links in a head, the page that links to
// them (empty if there is none), and the fingerprint of that page's body.
func decodeFrom(head []byte) (from string, h home, body uint64, err error) {
	r := &reader{b: head}
	if r.byte() != endRecord {
		return "", home{}, 0, nil
	}
	var rec record
	r.end(&rec)
	if r.fault {
		return "", home{}, 0, fmt.Errorf("%w: record of %d bytes", ErrCorrupt, len(head))
	}
	if rec.task == PageTask {
		from = rec.url
	}
	return from, rec.home(), rec.body, nil
}
