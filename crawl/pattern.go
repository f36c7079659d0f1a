// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

const (
	maxShapes   = 1 << 14 // path patterns watched
	maxTexts    = 1 << 16 // texts remembered
	shapeWindow = 25      // pages of a pattern that are looked back on
)

// shapes watch for endless sites: many URLs of one pattern under which texts
// repeat. A pattern has no bound while its texts differ: a catalogue is no trap.
type shapes struct {
	same, grace int
	byShape     map[string]*shape
	texts       recent[struct{}]
	tripped     int
}

// shape is one path pattern.
type shape struct {
	pages   int
	repeats uint32 // of the last 25 pages, the latest in bit 0: its text was known
	tripped bool
	left    int // URLs that may still come, once tripped
}

// shapeOf returns the pattern of a URL: digits are N, hexadecimal words and
// UUIDs X, the query is its keys in order. It is empty for a URL without any of
// them: that pattern has one URL.
func shapeOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	path, query, hasQuery := strings.Cut(rest, "?")
	var b strings.Builder
	general := hasQuery
	for part := range strings.SplitSeq(path, "/") {
		part, changed := shapeWord(part)
		general = general || changed
		b.WriteString(part)
		b.WriteByte('/')
	}
	if !general {
		return ""
	}
	if hasQuery {
		var keys []string
		for part := range strings.SplitSeq(query, "&") {
			key, _, _ := strings.Cut(part, "=")
			key, _ = shapeWord(key)
			keys = append(keys, key)
		}
		slices.Sort(keys)
		b.WriteByte('?')
		b.WriteString(strings.Join(slices.Compact(keys), "&"))
	}
	return b.String()
}

// shapeWord returns one segment or key as a pattern has it.
func shapeWord(w string) (string, bool) {
	digits, hex, dashes := 0, 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			hex++
		case c == '-':
			dashes++
		}
	}
	switch {
	case digits == 0:
		return w, false
	case digits+hex+dashes == len(w) && hex > 0 && digits+hex >= 8:
		return "X", true
	}
	var b strings.Builder
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			b.WriteByte(w[i])
			continue
		}
		if i == 0 || w[i-1] < '0' || w[i-1] > '9' {
			b.WriteByte('N')
		}
	}
	return b.String(), true
}

// deliver notes the text of a delivered page.
func (s *shapes) deliver(url string, text uint64) {
	if text == 0 || s.same > shapeWindow {
		return
	}
	_, known := s.texts.see(text, struct{}{})
	name := shapeOf(url)
	if name == "" {
		return
	}
	p := s.byShape[name]
	if p == nil {
		if len(s.byShape) >= maxShapes {
			return // the request budget bounds what is left
		}
		if s.byShape == nil {
			s.byShape = map[string]*shape{}
		}
		p = &shape{}
		s.byShape[name] = p
	}
	p.pages++
	p.repeats <<= 1
	if known {
		p.repeats |= 1
	}
	p.repeats &= 1<<shapeWindow - 1
	if !p.tripped && p.pages >= shapeWindow && bits.OnesCount32(p.repeats) >= s.same {
		p.tripped, p.left = true, s.grace
		s.tripped++
	}
}

// refuses reports whether a new URL is one too many of its pattern.
func (s *shapes) refuses(url string) bool {
	if s.tripped == 0 {
		return false
	}
	p := s.byShape[shapeOf(url)]
	return p != nil && p.tripped && p.left <= 0
}

// admit notes a new URL.
func (s *shapes) admit(url string) {
	if s.tripped == 0 {
		return
	}
	if p := s.byShape[shapeOf(url)]; p != nil && p.tripped {
		p.left--
	}
}

// recent holds what came first with each of the last 65,536 different
// fingerprints.
type recent[V any] struct {
	known map[uint64]V
	ring  []uint64
	next  int
}

// see enters v under f, or returns what is there.
func (r *recent[V]) see(f uint64, v V) (first V, known bool) {
	if first, known = r.known[f]; known {
		return first, true
	}
	if r.known == nil {
		r.known = map[uint64]V{}
	}
	if len(r.ring) < maxTexts {
		r.ring = append(r.ring, f)
	} else {
		delete(r.known, r.ring[r.next])
		r.ring[r.next] = f
		r.next = (r.next + 1) % maxTexts
	}
	r.known[f] = v
	return v, false
}

// textOf returns a fingerprint of what stands between the tags of body, without
// digits and white space; zero where nothing does. Two pages of a calendar
// have the same.
func textOf(body []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	empty := true
	var few [512]byte
	buf := few[:0]
	for len(body) > 0 {
		text := body
		if i := bytes.IndexByte(body, '<'); i >= 0 {
			text, body = body[:i], body[i:]
			if j := bytes.IndexByte(body, '>'); j >= 0 {
				body = body[j+1:]
			} else {
				body = nil
			}
		} else {
			body = nil
		}
		for _, c := range text {
			if c <= ' ' || c >= '0' && c <= '9' {
				continue
			}
			buf = append(buf, c)
			if len(buf) == cap(few) {
				_, _ = d.Write(buf)
				buf, empty = buf[:0], false
			}
		}
	}
	if empty && len(buf) == 0 {
		return 0
	}
	_, _ = d.Write(buf)
	return nonzero(d.Sum64())
}
