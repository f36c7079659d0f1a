// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
)

// Limits for lines that count as shared by the pages of a host.
const (
	leastSharing  = 5       // documents of the host that have the line
	leastShare    = 30      // percentage of the documents of the host that have the line
	mostLines     = 1 << 20 // different lines that are counted
	mostLineBytes = 2000    // longer lines never count as shared
)

// WithoutRepeats yields the documents without the shared lines at the beginning and at
// the end of their Markdown. A line is shared if at least five documents of a host, and
// at least 30 % of them, have it. Such lines are menus, notices and the like that the main
// content of single pages still contains. The first document of a host that has a line
// keeps it, so no line is lost altogether. The heading of a page stays, and so do the
// headings of sections directly before the first line that is not shared, and everything
// between this line and the last one that is not shared. If the last one is a heading, what
// follows it stays too. Tables, code and footnotes stay. A document that consists only of
// shared lines stays as it is, and so does one of which more than three quarters of the
// text besides links would be left out: it is another copy of a page rather than a page of
// its own.
//
// The warning of a document says how many lines were left out, and a [Report] how many
// documents such lines were left out of. Its chunks are cut like
// the Markdown, and their positions refer to the shorter Markdown. Its other forms stay.
//
// Documents are read once to count their lines, when the first one is asked for, and then
// again whenever the result is iterated. The stored documents do not change. It counts up
// to about a million different lines, in some 50 MB of memory. Lines beyond these stay.
func WithoutRepeats(documents iter.Seq2[json.RawMessage, error]) iter.Seq2[json.RawMessage, error] {
	var all *repeats
	return func(yield func(json.RawMessage, error) bool) {
		if all == nil {
			counting := newRepeats()
			for raw, err := range documents {
				if err != nil {
					yield(nil, err)
					return
				}
				counting.count(read(raw))
			}
			all = counting
		}
		now := repeats{documents: all.documents, lines: all.lines, shown: map[line]bool{}} // iterations may overlap
		for raw, err := range documents {
			if err == nil {
				raw = now.without(raw)
			}
			if !yield(raw, err) {
				return
			}
		}
	}
}

// repeats counts the lines of the documents of each host.
type repeats struct {
	documents map[string]int
	lines     map[line]int
	shown     map[line]bool // the shared lines of the documents before, in one iteration
}

// A line is the hash of a line of the documents of a host.
type line uint64

func newRepeats() *repeats {
	return &repeats{documents: map[string]int{}, lines: map[line]int{}}
}

func lineOf(host, text string) line {
	h := fnv.New64a()
	h.Write([]byte(host))
	h.Write([]byte{0})
	h.Write([]byte(text))
	return line(h.Sum64())
}

func (d *document) host() string {
	u, err := weburl.Parse(d.Metadata.address())
	if err != nil {
		return ""
	}
	return u.HostPort()
}

// count counts each different line of a document once. A nil document has none.
func (r *repeats) count(d *document) {
	if d == nil || d.Markdown == nil || d.Metadata.StatusCode >= firstError {
		return
	}
	host := d.host()
	r.documents[host]++
	seen := map[line]bool{}
	for _, l := range linesOf(*d.Markdown) {
		if l.text == "" || l.fixed {
			continue
		}
		key := lineOf(host, l.text)
		n, known := r.lines[key]
		if seen[key] || !known && len(r.lines) >= mostLines {
			continue
		}
		seen[key] = true
		r.lines[key] = n + 1
	}
}

// A place is a line of Markdown: the bytes from start up to end, which include its line
// break, and its text.
type place struct {
	start, end int
	text       string // without white space around it
	indented   bool   // it begins with white space
	fixed      bool   // never counts as shared: it is part of a table or of code, a footnote, or too long
}

// linesOf returns the lines of s.
func linesOf(s string) []place {
	var all []place
	fence := ""
	for start := 0; start < len(s); {
		end := len(s)
		if k := strings.IndexByte(s[start:], '\n'); k >= 0 {
			end = start + k + 1
		}
		p := place{start: start, end: end, text: strings.TrimSpace(s[start:end]), indented: s[start] == ' ' || s[start] == '\t'}
		p.fixed = fence != "" || strings.HasPrefix(p.text, "|") || strings.HasPrefix(p.text, "[^") || len(p.text) > mostLineBytes
		for _, mark := range []string{"```", "~~~"} {
			switch {
			case !strings.HasPrefix(p.text, mark):
			case fence == "":
				fence, p.fixed = mark, true
			case fence == mark:
				fence = ""
			}
		}
		all = append(all, p)
		start = end
	}
	return all
}

// A part is the part of a document's Markdown that stays: the bytes from start up to end.
// If lines before start are left out, the heading head is put before it. left is the
// number of lines that are left out.
type part struct {
	head       string
	start, end int
	left       int
}

// partOf returns the part of a document that stays.
func (r *repeats) partOf(d *document) part {
	all, host := linesOf(*d.Markdown), d.host()
	whole := part{end: len(*d.Markdown)}
	shared := make([]bool, len(all))
	for i, l := range all {
		key := lineOf(host, l.text)
		if n := r.lines[key]; !l.fixed && n >= leastSharing && 100*n >= leastShare*r.documents[host] {
			shared[i], r.shown[key] = r.shown[key], true
		}
	}
	p := whole
	first, found := 0, false
	for ; first < len(all) && !found; first++ {
		switch l := all[first]; {
		case l.text == "":
		case shared[first]:
			p.left++
		case p.head == "" && strings.HasPrefix(l.text, "# "):
			p.head = l.text
		default:
			found, p.start = true, l.start
		}
	}
	if !found {
		return whole // nothing would stay
	}
	first--
	p.above(all[:first], all[first].indented)
	if p.left == 0 {
		p.head, p.start = "", 0
	}
	p.below(all[first:], shared[first:])
	if isCopy(all, p) {
		return whole
	}
	return p
}

// above keeps the lines directly above what stays that belong to it: the headings of a section, even if all pages have
// them, such as "Name", and the items of a list around it if it is indented. A shared heading of level 1 is the name of
// the site.
func (p *part) above(lines []place, indented bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		l := &lines[i]
		switch {
		case l.text == "":
			continue
		case indented:
			indented = l.indented
			p.left--
		case l.text == p.head:
			p.head = ""
		case strings.HasPrefix(l.text, "##"):
			p.left--
		default:
			return
		}
		p.start = l.start
	}
}

// below leaves out the shared lines after what stays, unless this ends with a heading, to which they belong.
func (p *part) below(lines []place, shared []bool) {
	end, left := p.end, 0
	for i := len(lines) - 1; i >= 0; i-- {
		switch l := &lines[i]; {
		case l.text == "":
		case shared[i]:
			end = l.start
			left++
		case strings.HasPrefix(l.text, "#"):
			return
		default:
			p.end, p.left = end, p.left+left
			return
		}
	}
}

// isCopy reports whether more than three quarters of the text of a document, and not only a few lines, is left out of p.
// Lines that are links, of which menus consist, and headings do not count.
func isCopy(all []place, p part) bool {
	const few = 200 // bytes
	stays, goes := len(p.head), 0
	for _, l := range all {
		switch {
		case l.start >= p.start && l.start < p.end:
			stays += len(l.text)
		case strings.HasPrefix(l.text, "#"), strings.HasPrefix(strings.TrimLeft(l.text, "-*+.0123456789 "), "[") && strings.HasSuffix(l.text, ")"):
		default:
			goes += len(l.text)
		}
	}
	return goes > few && goes > 3*stays
}

// shortened follows the number of lines in the warning of a document.
const shortened = "at the beginning and at the end, which other pages of the site have too, were left out."

// without returns a document without its shared lines. A document that cannot be read
// stays as it is.
func (r *repeats) without(raw json.RawMessage) json.RawMessage {
	d := read(raw)
	if d == nil || d.Markdown == nil || d.Metadata.StatusCode >= firstError {
		return raw
	}
	p := r.partOf(d)
	var members map[string]json.RawMessage
	if p.left == 0 || json.Unmarshal(raw, &members) != nil {
		return raw
	}
	if p.head != "" {
		p.head += "\n\n"
	}
	note := fmt.Sprintf("%d lines "+shortened, p.left)
	var warning string
	_ = json.Unmarshal(members["warning"], &warning) // a warning that is absent or not a string is empty
	changed := map[string]any{
		"markdown": p.head + strings.TrimRight((*d.Markdown)[p.start:p.end], "\n") + "\n",
		"warning":  strings.TrimSpace(note + " " + warning),
	}
	if d.Chunks != nil {
		from, to := utf8.RuneCountInString((*d.Markdown)[:p.start]), utf8.RuneCountInString((*d.Markdown)[:p.end])
		changed["chunks"] = moved(*d.Chunks, from, to, utf8.RuneCountInString(p.head)-from)
	}
	for name, value := range changed {
		text, err := jsonenc.Encode(value)
		if err != nil {
			return raw
		}
		members[name] = text
	}
	text, err := jsonenc.Encode(members)
	if err != nil {
		return raw
	}
	return text
}

// moved returns the chunks that overlap the characters from start up to end, with shift
// added to their positions. The text of a chunk that begins or ends outside is cut, unless
// it is longer than its range because it repeats the header of a table.
func moved(all []chunk, start, end, shift int) []chunk {
	left := []chunk{}
	for _, c := range all {
		if c.End <= start || c.Start >= end {
			continue
		}
		if text := []rune(c.Text); len(text) == c.End-c.Start {
			lo, hi := max(start-c.Start, 0), min(end, c.End)-c.Start
			c.Tokens = cmp.Or(c.Tokens*(hi-lo)/max(len(text), 1), min(c.Tokens, 1))
			c.Text = string(text[lo:hi])
		}
		c.Start, c.End = max(c.Start, start)+shift, min(c.End, end)+shift
		left = append(left, c)
	}
	return left
}
