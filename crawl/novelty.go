// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

const (
	sketchSize = 64  // shingles that a sketch keeps
	maxPast    = 16  // pages that a page is compared with
	leastKnown = 16  // shingles that a comparison needs, or all that the page has
	maxMasked  = 256 // words of addresses that do not count
	maxNumber  = 16  // bytes of a number whose leading zeros are ignored
)

// A sketch is a sample of what a page says: the 64 least fingerprints of its
// shingles, which are each three words in a row, ascending. Of a page with fewer
// it has all, so that two sketches can be compared up to the lesser of their
// last fingerprints.
type sketch []uint32

// add enters a fingerprint.
func (s *sketch) add(f uint32) {
	if len(*s) == sketchSize && f >= (*s)[sketchSize-1] {
		return
	}
	i, there := slices.BinarySearch(*s, f)
	if there {
		return
	}
	if len(*s) == sketchSize {
		*s = (*s)[:sketchSize-1]
	}
	*s = slices.Insert(*s, i, f)
}

// bound returns the fingerprint up to which s has all of its page's.
func (s sketch) bound() uint32 {
	if len(s) < sketchSize {
		return math.MaxUint32
	}
	return s[len(s)-1]
}

// has reports whether f is in s.
func (s sketch) has(f uint32) bool {
	_, there := slices.BinarySearch(s, f)
	return there
}

// novel returns how many of the page's shingles none of the pages before it has,
// of how many that could be compared. What cannot be compared counts as novel:
// without doubt no page is held to be stale.
func (s sketch) novel(past []sketch) (novel, of int) {
	if len(past) == 0 {
		return len(s), len(s)
	}
	bound := uint32(math.MaxUint32)
	for _, p := range past {
		bound = min(bound, p.bound())
	}
	seen, _ := slices.BinarySearch(s, bound)
	if seen < len(s) && s[seen] == bound {
		seen++
	}
	if seen < min(len(s), leastKnown) {
		seen = len(s)
	}
	for _, f := range s[:seen] {
		if !slices.ContainsFunc(past, func(p sketch) bool { return p.has(f) }) {
			novel++
		}
	}
	return novel, seen
}

// masked are words that do not count: those by which a page, or its neighbours,
// are addressed. "Day 17" is nothing new on the page of day 17.
type masked struct {
	words [maxMasked]uint64
	n     int
}

func (m *masked) add(word string) {
	if m.n < maxMasked {
		m.words[m.n] = wordSum(word)
		m.n++
	}
}

func (m *masked) address(url string) { addressWords(url, m.add) }

// ready sorts the words; has needs that.
func (m *masked) ready() { slices.Sort(m.words[:m.n]) }

func (m *masked) has(sum uint64) bool {
	_, there := slices.BinarySearch(m.words[:m.n], sum)
	return there
}

// wordSum returns a fingerprint of a word. Numbers have the same with and
// without leading zeros.
func wordSum[T string | []byte](word T) uint64 {
	if len(word) > 1 && len(word) <= maxNumber && word[0] == '0' {
		i := 0
		for i < len(word)-1 && word[i] == '0' {
			i++
		}
		if word[i] >= '0' && word[i] <= '9' {
			word = word[i:]
		}
	}
	// FNV-1a: words are short.
	sum := uint64(14695981039346656037)
	for i := range len(word) {
		sum = (sum ^ uint64(word[i])) * 1099511628211
	}
	return sum
}

// shingles takes the words of a page, in order.
type shingles struct {
	sketch sketch
	last   [2]uint64
	n      int
}

func (s *shingles) word(sum uint64) {
	if s.n >= 2 {
		s.sketch.add(mix(s.last[0], s.last[1], sum))
	}
	s.last[0], s.last[1] = s.last[1], sum
	s.n++
}

// end enters what a page of less than three words has: that is one shingle.
func (s *shingles) end() sketch {
	if s.n < 3 {
		s.sketch.add(mix(s.last[0], s.last[1], 0))
	}
	return s.sketch
}

// mix returns a fingerprint of three words.
func mix(a, b, c uint64) uint32 {
	const k = 0x9e3779b97f4a7c15
	h := ((a*k+b)*k + c) * k
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// sketchOf returns the sketch of a page: the words of its text but for those of
// its own addresses, the sources of its images, and where its links lead outside
// its own family. Links inside the family say only that there is more of it.
func sketchOf(p *Page) sketch {
	s := shingles{sketch: make(sketch, 0, sketchSize)}
	var own masked
	family := familyOf(p.URL)
	own.address(p.URL)
	var outside []uint64
	for _, l := range p.Links {
		switch {
		case familyOf(l.URL) != family:
			outside = append(outside, wordSum(l.URL))
		case own.n < maxMasked:
			own.address(l.URL)
		}
	}
	own.ready()
	pageWords(p, &own, s.word)
	for _, sum := range outside {
		s.word(sum)
	}
	return s.end()
}

// textOf returns a fingerprint of what a page says: its words, as those of its
// sketch, but that links count without the keys of the page's own query. Else
// pages whose links repeat their session id would all be different. It is zero
// where nothing is left.
func textOf(p *Page) uint64 {
	var own masked
	own.address(p.URL)
	own.ready()
	keys := map[string]bool{}
	for _, one := range partsOf(p.URL) {
		keys[one.key] = true
	}
	var sum uint64
	add := func(word uint64) { sum = (sum ^ word) * 0x9e3779b97f4a7c15; sum ^= sum >> 29 }
	pageWords(p, &own, add)
	family := familyOf(p.URL)
	for _, l := range p.Links {
		if familyOf(l.URL) == family {
			continue
		}
		add(pathSum(l.URL))
		_, query := splitURL(l.URL)
		for pair := range strings.SplitSeq(query, "&") {
			if key, _, _ := strings.Cut(pair, "="); !keys[key] {
				add(wordSum(pair))
			}
		}
	}
	return sum
}

// pageWords calls f for each word of a page but the masked ones. What is not
// text is one word.
func pageWords(p *Page, own *masked, f func(sum uint64)) {
	switch kind := pageKind(p); {
	case isMarkup(kind):
		markupWords(p.Body, own, f)
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"):
		textWords(p.Body, own, f)
	default:
		f(xxhash.Sum64(p.Body))
	}
}

// textWords calls f for each word of a text but the masked ones.
func textWords(text []byte, own *masked, f func(sum uint64)) {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		if sum := wordSum(text[start:i]); !own.has(sum) {
			f(sum)
		}
	}
}

// markupWords calls f for each word between the tags of a document, and for the
// source of each image. It skips comments, scripts and styles.
func markupWords(b []byte, own *masked, f func(sum uint64)) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			textWords(b, own, f)
			return
		}
		textWords(b[:i], own, f)
		b = b[i:]
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			b = after(b[4:], "-->")
			continue
		case len(b) > 1 && !isWord(b[1]) && b[1] != '/' && b[1] != '!' && b[1] != '?':
			b = b[1:]
			continue
		}
		end := bytes.IndexByte(b, '>')
		if end < 0 {
			return
		}
		tag := b[1:end]
		b = b[end+1:]
		switch name := tagName(tag); {
		case bytes.EqualFold(name, []byte("script")):
			b = afterTag(b, "</script")
		case bytes.EqualFold(name, []byte("style")):
			b = afterTag(b, "</style")
		case bytes.EqualFold(name, []byte("img")):
			if src := attribute(tag, "src"); len(src) > 0 {
				f(xxhash.Sum64(src))
			}
		}
	}
}

// after returns what follows the first end in b.
func after(b []byte, end string) []byte {
	if i := bytes.Index(b, []byte(end)); i >= 0 {
		return b[i+len(end):]
	}
	return nil
}

// afterTag returns b from the end tag on that closes a raw text; nothing where
// there is none.
func afterTag(b []byte, end string) []byte {
	for {
		i := bytes.Index(b, []byte("</"))
		if i < 0 || len(b)-i < len(end) {
			return nil
		}
		b = b[i:]
		if bytes.EqualFold(b[:len(end)], []byte(end)) {
			return b
		}
		b = b[2:]
	}
}

// tagName returns the name that a tag begins with.
func tagName(tag []byte) []byte {
	n := 0
	for n < len(tag) && isWord(tag[n]) {
		n++
	}
	return tag[:n]
}

// attribute returns the value of an attribute of a tag, as it is written.
func attribute(tag []byte, name string) []byte {
	for {
		i := bytes.IndexByte(tag, '=')
		if i < 0 {
			return nil
		}
		key := bytes.TrimRight(tag[:i], " \t\r\n")
		value := bytes.TrimLeft(tag[i+1:], " \t\r\n")
		n := len(key)
		matches := n > len(name) && bytes.EqualFold(key[n-len(name):], []byte(name)) && strings.IndexByte(" \t\r\n\"'/", key[n-len(name)-1]) >= 0
		switch {
		case len(value) > 0 && (value[0] == '"' || value[0] == '\''):
			end := bytes.IndexByte(value[1:], value[0])
			if end < 0 {
				return nil
			}
			tag, value = value[end+2:], value[1:end+1]
		default:
			end := bytes.IndexAny(value, " \t\r\n")
			if end < 0 {
				end = len(value)
			}
			tag, value = value[end:], value[:end]
		}
		if matches {
			return value
		}
	}
}
