// SPDX-License-Identifier: Apache-2.0

// Package lines turns a page into numbered lines, into the facts of its structured
// data, and into short texts with their positions.
package lines

import (
	"strconv"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/weburl"
)

// Limits for the text of a page. What chunks and numbers do to the replies of real
// models has not been measured yet.
const (
	MaxMarkdown = 2 << 20 // bytes of a page
	ChunkBytes  = 21_000  // about 6,000 tokens
	maxLine     = 4000    // bytes of a line; longer ones are broken
	maxLinks    = 2000
	MaxAnchor   = 80 // characters of a link's text
)

// Linker numbers the links of a page.
type Linker struct {
	Base  weburl.URL
	Links []journal.LinkRecord
	at    map[string]int // numbers by canonical URL, from 1
}

// NewLinker returns a linker for the page at a URL.
func NewLinker(final string) *Linker {
	base, err := weburl.Parse(final)
	if err != nil {
		base = weburl.URL{}
	}
	return &Linker{Base: base, at: map[string]int{}}
}

// Number returns the number of the link to ref. If ref is not the address of a page, it
// returns zero.
func (l *Linker) Number(ref, text string) int {
	u, err := l.Base.Link(ref)
	if err != nil {
		return 0
	}
	c := value.Canonical(u.String())
	if c == "" {
		return 0
	}
	text = strings.Join(strings.Fields(text), " ")
	if n := l.at[c]; n > 0 {
		if l.Links[n-1].Text == "" {
			l.Links[n-1].Text = value.ClipRunes(text, MaxAnchor)
		}
		return n
	}
	if len(l.Links) == maxLinks {
		return 0
	}
	l.Links = append(l.Links, journal.LinkRecord{URL: c, Text: value.ClipRunes(text, MaxAnchor)})
	l.at[c] = len(l.Links)
	return len(l.Links)
}

// Lines returns Markdown as the lines that models see: with numbers in place of the
// URLs of links, without the URLs of images, and without blank lines.
func (l *Linker) Lines(markdown string) []string {
	var all []string
	for line := range strings.SplitSeq(value.Clip(markdown, MaxMarkdown), "\n") {
		line = strings.TrimRight(l.linked(line), " \t\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		for len(line) > maxLine {
			cut := strings.LastIndexByte(line[:maxLine], ' ')
			if cut < maxLine/2 {
				cut = maxLine
				for cut > 0 && line[cut]&0xc0 == 0x80 {
					cut--
				}
			}
			all = append(all, line[:cut])
			line = line[cut:]
		}
		all = append(all, line)
	}
	return all
}

// linked returns a line of Markdown with numbers in place of URLs.
func (l *Linker) linked(line string) string {
	if !strings.Contains(line, "](") {
		return line
	}
	var b strings.Builder
	for {
		i := strings.Index(line, "](")
		if i < 0 {
			b.WriteString(line)
			return strings.Clone(b.String()) // a copy without spare capacity
		}
		open := openBracket(line[:i])
		end := closeParen(line[i+2:])
		if end < 0 {
			b.WriteString(line)
			return b.String()
		}
		target := strings.TrimSpace(line[i+2 : i+2+end])
		if ref, _, ok := strings.Cut(target, " \""); ok {
			target = strings.TrimSpace(ref)
		}
		target = strings.Trim(target, "<>")
		rest := line[i+2+end+1:]
		image := open > 0 && line[open-1] == '!'
		shown := ""
		if !image && open >= 0 {
			shown = contact(target, line[open+1:i])
			if n := l.Number(target, line[open+1:i]); n > 0 {
				shown = "L" + strconv.Itoa(n)
			}
		}
		b.WriteString(line[:i+1])
		if shown != "" {
			b.WriteString("(" + shown + ")")
		}
		line = rest
	}
}

// Handles returns the numbers of the links of a line, such as 12 for `[Prices](L12)`.
func Handles(line string) (all []int) {
	for {
		_, after, ok := strings.Cut(line, "](L")
		if !ok {
			return all
		}
		digits := 0
		for digits < min(len(after), 6) && after[digits] >= '0' && after[digits] <= '9' {
			digits++
		}
		if digits > 0 && after[0] != '0' && strings.HasPrefix(after[digits:], ")") {
			n, _ := strconv.Atoi(after[:digits])
			all = append(all, n)
		}
		line = after
	}
}

// maxContact is the maximum length of the address of a link that is shown.
const maxContact = 100

// contact returns the mail address or the telephone number of a link, if the
// link's text does not contain it.
func contact(target, text string) string {
	scheme, address, _ := strings.Cut(target, ":")
	if s := strings.ToLower(scheme); s != "mailto" && s != "tel" {
		return ""
	}
	address, _, _ = strings.Cut(address, "?")
	address = strings.ToValidUTF8(strings.TrimSpace(weburl.Unescape(address)), "")
	odd := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune("()[]<>", r) }
	if len(address) > maxContact || strings.ContainsFunc(address, odd) || strings.Contains(value.BareName(text), value.BareName(address)) {
		return ""
	}
	return address
}

// openBracket returns the position of the bracket that the bracket at the end of s
// closes. If there is none, it returns -1.
func openBracket(s string) int {
	depth := 1
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closeParen returns the position of the parenthesis that closes the one before s. If
// there is none, it returns -1.
func closeParen(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '\\':
			continue
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Chunk is a part of a page: the numbers of its lines, from 1, in ascending order.
type Chunk []int

// Chunks splits lines into chunks of at most size bytes each, before a heading if
// possible. A chunk that starts within a table repeats the header of the table.
func Chunks(lines []string, size int) []Chunk {
	var all []Chunk
	var now Chunk
	used, heading := 0, 0 // heading: position in now of the last heading
	header := -1
	for i, line := range lines {
		isRow := strings.HasPrefix(strings.TrimSpace(line), "|")
		switch {
		case !isRow:
			header = -1
		case header < 0 || HeadsTable(lines, i):
			header = i
		}
		if used+len(line) > size && len(now) > 0 {
			var next Chunk
			if heading > len(now)/2 && !isRow {
				next = append(next, now[heading:]...)
				now = now[:heading]
			} else if isRow && header >= 0 && header < i {
				next = append(next, header+1)
				if header+1 < i && IsRule(lines[header+1]) {
					next = append(next, header+2)
				}
			}
			all = append(all, now)
			now, used, heading = next, 0, 0
			for _, n := range now {
				used += len(lines[n-1]) + 6
			}
		}
		if strings.HasPrefix(line, "#") {
			heading = len(now)
		}
		now = append(now, i+1)
		used += len(line) + 6
	}
	if len(now) > 0 {
		all = append(all, now)
	}
	return all
}

// IsRule reports whether line separates the header of a table from its rows.
func IsRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: \t") == ""
}

// HeadsTable reports whether line i is the header of a table. The line below it must
// have three dashes in a row, because cells of a single dash are data.
func HeadsTable(lines []string, i int) bool {
	return i+1 < len(lines) && strings.Contains(lines[i+1], "---") && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "|") && IsRule(lines[i+1])
}

// Numbered writes lines in the form that models see, with their numbers.
func Numbered(b *strings.Builder, lines []string, c Chunk) {
	for _, n := range c {
		b.WriteString(strconv.Itoa(n))
		b.WriteString("| ")
		b.WriteString(lines[n-1])
		b.WriteByte('\n')
	}
}
