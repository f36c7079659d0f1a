// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"bytes"
	"slices"
	"strings"

	"example.com/curlew/crawl/internal/shape"
)

const (
	maxMasked = 256 // maximal number of words from URLs that are ignored
	maxNumber = 16  // bytes of a number whose leading zeros are ignored
)

// masked contains words that are ignored because they occur in the URL of the
// page or in the URLs of its neighbours. For example, "Day 17" is not new on
// the page of day 17.
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

func (m *masked) address(url string) { shape.AddressWords(url, m.add) }

// ready sorts the words. It must be called before has.
func (m *masked) ready() { slices.Sort(m.words[:m.n]) }

func (m *masked) has(sum uint64) bool {
	_, there := slices.BinarySearch(m.words[:m.n], sum)
	return there
}

// wordSum returns a fingerprint of a word. A number has the same fingerprint
// with and without leading zeros.
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
	// FNV-1a is fast for short words.
	sum := uint64(14695981039346656037)
	for i := range len(word) {
		sum = (sum ^ uint64(word[i])) * 1099511628211
	}
	return sum
}

// shingles collects the words of a page in order.
type shingles struct {
	sketch shape.Sketch
	last   [2]uint64
	n      int
}

func (s *shingles) word(sum uint64) {
	if s.n >= 2 {
		s.sketch.Add(mix(s.last[0], s.last[1], sum))
	}
	s.last[0], s.last[1] = s.last[1], sum
	s.n++
}

// end completes the sketch. A page of fewer than three words is one shingle.
func (s *shingles) end() shape.Sketch {
	if s.n < 3 {
		s.sketch.Add(mix(s.last[0], s.last[1], 0))
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

// sketchOf returns the sketch of a page. It contains the words of the text
// without those of the URLs in the page's family, the sources of images, and
// the targets of links outside the family. Links inside the family only show
// that there are more pages of it.
func sketchOf(p *Page) shape.Sketch {
	s := shingles{sketch: make(shape.Sketch, 0, shape.SketchSize)}
	var own masked
	family := shape.Family(p.URL)
	own.address(p.URL)
	var outside []uint64
	for _, l := range p.Links {
		switch {
		case shape.Family(l.URL) != family:
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

// textOf returns a fingerprint of the text of a page: its words and the targets
// of its links. In links, it ignores keys that occur in the query of the page
// itself. Otherwise pages whose links contain their session ID would all be
// different. If nothing is left, the result is zero.
func textOf(p *Page) uint64 {
	var own masked
	own.address(p.URL)
	own.ready()
	keys := map[string]bool{}
	for _, one := range shape.Parts(p.URL) {
		keys[one.Key] = true
	}
	var sum uint64
	add := func(word uint64) { sum = (sum ^ word) * 0x9e3779b97f4a7c15; sum ^= sum >> 29 }
	pageWords(p, &own, add)
	family := shape.Family(p.URL)
	for _, l := range p.Links {
		if shape.Family(l.URL) == family {
			continue
		}
		add(shape.PathSum(l.URL))
		_, query := shape.Split(l.URL)
		for pair := range strings.SplitSeq(query, "&") {
			if key, _, _ := strings.Cut(pair, "="); !keys[key] {
				add(wordSum(pair))
			}
		}
	}
	return sum
}

// pageWords calls f for each word of a page that is not masked. A document that
// is not text counts as one word.
func pageWords(p *Page, own *masked, f func(sum uint64)) {
	switch kind := pageKind(p); {
	case isMarkup(kind):
		markupWords(p.Body, own, f)
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"):
		textWords(p.Body, own, f)
	default:
		f(shape.SumBytes(p.Body))
	}
}

// textWords calls f for each word of a text that is not masked.
func textWords(text []byte, own *masked, f func(sum uint64)) {
	for i := 0; i < len(text); {
		if !shape.IsWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && shape.IsWord(text[i]) {
			i++
		}
		if sum := wordSum(text[start:i]); !own.has(sum) {
			f(sum)
		}
	}
}

// markupWords calls f for each word between the tags of a document that is not
// masked, and for the source of each image. It skips comments, scripts and
// styles.
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
		case len(b) > 1 && !shape.IsWord(b[1]) && b[1] != '/' && b[1] != '!' && b[1] != '?':
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
				f(shape.SumBytes(src))
			}
		}
	}
}

// after returns the part of b after the first occurrence of end.
func after(b []byte, end string) []byte {
	if i := bytes.Index(b, []byte(end)); i >= 0 {
		return b[i+len(end):]
	}
	return nil
}

// afterTag returns the part of b from the end tag that closes a raw text
// element. If there is none, it returns nothing.
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

// tagName returns the name at the start of a tag.
func tagName(tag []byte) []byte {
	n := 0
	for n < len(tag) && shape.IsWord(tag[n]) {
		n++
	}
	return tag[:n]
}

// attribute returns the unprocessed value of an attribute of a tag.
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
