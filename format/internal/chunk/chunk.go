// SPDX-License-Identifier: Apache-2.0

// Package chunk splits Markdown into chunks for a search index.
//
// A chunk is a part of the Markdown that has at most a given number of tokens. If
// possible, it ends at the end of a section. Otherwise, it ends between blocks,
// rows, lines, sentences or words, in this order of preference. A table that fits
// into a chunk is never split. If a table does not fit, each of its chunks repeats
// the header. In the same way, each chunk of a code block has the lines that open
// and close the block.
package chunk

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Options control the size of chunks.
type Options struct {
	Size    int // maximum number of tokens of a chunk; must be positive
	Overlap int // maximum number of tokens that a chunk repeats from the previous one; at most Size/2

	// Breaks are the numbers, from 0 and in ascending order, of lines on which a
	// new chunk must begin.
	Breaks []int
	// Inner are the ranges of lines, half-open, of documents within the document, such as
	// attachments. Those that begin first come first, and the larger one if two begin together.
	// Their headings are below those before them, and do not apply to the text after them.
	Inner [][2]int
}

// Chunk is a part of a text.
type Chunk struct {
	// Text is the text from Start to End. If a table or a code block is split,
	// the header of the table or the opening line of the block comes before it,
	// and the closing line of the block after it, unless they are part of it.
	Text       string
	Headings   []string // headings that apply to the whole text, outermost first
	Start, End int      // range of bytes, half-open
	Line       int      // number, from 0, of the first line that does not repeat the previous chunk, or refers to it if it is a note
	Tokens     int      // estimate for Text
	Bare       bool     // the Text continues a table or code, and lacks the header because it is too long
}

// Split splits Markdown. The chunks are in the order of the text. All text except
// white space is in at least one chunk. The error is the cause that ended ctx.
func Split(ctx context.Context, markdown string, o Options) ([]Chunk, error) {
	s := &splitter{ctx: ctx, text: markdown, o: o, room: max(o.Size-o.Overlap, 1), notes: map[string]origin{}}
	for _, b := range blocksOf(markdown) {
		s.enter(b)
		s.add(b)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return s.pack(), nil
}

// head is a heading.
type head struct {
	level int
	title string
}

// scope is a document within the document.
type scope struct {
	end  int    // the line after it
	path []head // headings that apply to it as a whole
}

// origin is a place to which text belongs.
type origin struct {
	line int
	part int // number of breaks before it
	path []head
}

// unit is a part of the text that is not split any further: a block, or a piece of
// a block that does not fit into a chunk.
type unit struct {
	start, end     int
	line           int
	tokens         int
	level          int    // level of a heading; zero for other blocks
	prose          bool   // running text, which the next chunk may repeat
	begins         bool   // a new chunk must begin here
	bare           bool   // the header of the block is too long to be repeated
	prefix, suffix string // text of the block that is repeated around the unit
	path           []head // headings that apply to the unit, outermost first
}

// splitter splits one text.
type splitter struct {
	ctx   context.Context //nolint:containedctx // of one call of Split
	text  string
	o     Options
	room  int // tokens that a chunk may have besides the overlap
	units []unit

	path   []head            // headings that apply to the text, outermost first
	scopes []scope           // documents that the text is in, outermost first
	notes  map[string]origin // where the text refers to each note first, by its mark
	parts  int               // number of breaks so far
	last   origin            // of the block before
	note   bool              // the block before belongs to a note
}

// enter sets the headings that apply to b.
func (s *splitter) enter(b block) {
	for n := len(s.scopes) - 1; n >= 0 && s.scopes[n].end <= b.line; n-- {
		s.path, s.scopes = s.scopes[n].path, s.scopes[:n]
	}
	for len(s.o.Inner) > 0 && s.o.Inner[0][0] <= b.line {
		if end := s.o.Inner[0][1]; end > b.line {
			s.scopes = append(s.scopes, scope{end, s.path})
		}
		s.o.Inner = s.o.Inner[1:]
	}
	if b.kind != heading {
		return
	}
	outer := 0
	if n := len(s.scopes); n > 0 {
		outer = len(s.scopes[n-1].path)
	}
	for len(s.path) > outer && s.path[len(s.path)-1].level >= b.level {
		s.path = s.path[:len(s.path)-1]
	}
	if b.title != "" {
		s.path = append(slices.Clip(s.path), head{b.level, b.title})
	}
}

// origin returns where b belongs, and whether it is a note. A note belongs to the text that refers to it first.
func (s *splitter) origin(b block) (at origin, note bool) {
	text := s.text[b.start:b.end]
	at = origin{b.line, s.parts, s.path}
	mark, rest, found := strings.Cut(text, "]:")
	switch {
	case found && isNote(text):
		text, note = rest, true
		if from, found := s.notes[mark]; found {
			at = from
		} else {
			at.path = nil
		}
	case s.note && text[0] == ' ': // the note goes on
		at, note = s.last, true
	}
	line := at.line
	for {
		before, rest, found := strings.Cut(text, "[^")
		if !found || b.kind == code {
			return at, note
		}
		if !note {
			line += strings.Count(before, "\n")
		}
		mark, _, _ := strings.Cut(rest, "]")
		mark = "[^" + mark
		if _, found := s.notes[mark]; !found {
			s.notes[mark] = origin{line, at.part, at.path}
		}
		text = rest
	}
}

// add adds the units of a block.
func (s *splitter) add(b block) {
	u := unit{start: b.start, end: b.end, prose: b.kind == prose, level: b.level}
	for len(s.o.Breaks) > 0 && s.o.Breaks[0] <= b.line {
		u.begins = true
		s.o.Breaks = s.o.Breaks[1:]
		s.parts++
	}
	at, note := s.origin(b)
	if note && (at.part != s.last.part || !s.note && !slices.Equal(at.path, s.last.path)) {
		u.begins = true // notes of another slide, or the first one after another section
	}
	u.line, u.path, s.last, s.note = at.line, at.path, at, note
	if u.tokens = Tokens(s.text[b.start:b.end]); u.tokens <= s.room {
		s.units = append(s.units, u)
		return
	}
	line, from := at.line, b.start
	pieces, suffix := s.cut(b)
	for i, p := range pieces {
		if !note {
			line += strings.Count(s.text[from:p.start], "\n")
			from = p.start
		}
		u := unit{
			start: p.start, end: p.end, line: line, path: at.path, prose: u.prose, level: u.level,
			begins: i == 0 && u.begins, bare: p.bare, prefix: p.prefix,
		}
		if i < len(pieces)-1 {
			u.suffix = suffix
		}
		u.tokens = Tokens(u.prefix + s.text[u.start:u.end] + u.suffix)
		s.units = append(s.units, u)
	}
}

// piece is a part of a block that does not fit into a chunk.
type piece struct {
	start, end int
	prefix     string // text that is repeated before it
	bare       bool   // the header is too long to be repeated
}

// around returns the text of a block that is repeated before and after each of its pieces.
func (s *splitter) around(b block) (prefix, suffix string) {
	text := s.text[b.start:b.end]
	if b.head > 0 {
		prefix = s.text[b.start:b.head] + "\n"
	}
	switch b.kind {
	case code:
		if b.tail > 0 {
			suffix = "\n" + s.text[b.tail:b.end]
		}
	case htmlTable:
		indent := "\n" + text[:strings.IndexByte(text, '<')]
		suffix = indent + "</table>"
		if prefix == "" {
			prefix = indent[1:] + "<table>\n"
		}
		if strings.Contains(text, "<tbody>") {
			suffix = indent + "</tbody>" + suffix
			prefix += indent[1:] + "<tbody>\n"
		}
	case prose, heading, table:
	}
	return prefix, suffix
}

// cut splits a block that is too large. Each piece leaves room for its prefix and the
// suffix.
func (s *splitter) cut(b block) (pieces []piece, suffix string) {
	text := s.text[:b.end]
	prefix, suffix := s.around(b)
	bare := Tokens(prefix)+Tokens(suffix) > s.room/2 // too long to repeat in each chunk
	if bare {
		prefix, suffix = "", ""
	}
	start := b.start
	for {
		from := start
		start += len(text[start:]) - len(strings.TrimLeftFunc(text[start:], unicode.IsSpace))
		if start == len(text) || s.ctx.Err() != nil {
			return pieces, suffix
		}
		p := piece{start: start}
		room := s.room - Tokens(suffix)
		if len(pieces) == 0 {
			room -= s.room / 8 // leave room for a heading
		} else {
			p.prefix = s.header(b, start, prefix)
			p.bare = b.head > 0 && p.prefix == ""
			room -= Tokens(p.prefix)
		}
		room = max(room, 1)
		n, _ := reach(text[start:], room)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[start:]) // take at least one character, even if it has too many tokens
		}
		if line := from + strings.LastIndexByte(text[from:start], '\n') + 1; b.kind == code && line < start { // keep the indent of code
			if m, _ := reach(text[line:], room); line+m > start {
				p.start, n = line, m
			}
		}
		end := p.start + n
		if end < len(text) {
			end = p.start + boundary(text[p.start:], n, b.kind != prose)
			if end <= b.head+1 || b.kind == htmlTable && !strings.Contains(text[max(p.start, b.head):end], "<tr") { // no row fits as a whole
				row := min(max(p.start, b.head+1), p.start+n-1)
				end = row + boundary(text[row:], p.start+n-row, false)
			}
		}
		if end <= start { // only the indent of code fits
			_, n = utf8.DecodeRuneInString(text[start:])
			p.start, end = start, start+n
		}
		if len(pieces) == 0 && end < b.head && prefix != "" {
			end = b.head
		}
		p.end = p.start + len(strings.TrimRightFunc(text[p.start:end], unicode.IsSpace))
		pieces = append(pieces, p)
		start = end
	}
}

// maxRow is how many bytes of a row are searched for its cells.
const maxRow = 64 << 10

// header returns what comes before the piece of b that begins at start: the prefix of the
// block and, within a row, empty cells, so that the rest of the row remains in its columns.
func (s *splitter) header(b block, start int, prefix string) string {
	line := s.text[max(b.start, start-maxRow):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if prefix == "" || strings.TrimSpace(line) == "" || b.kind == code {
		return prefix
	}
	if b.kind == htmlTable || len(line) == maxRow {
		return "" // the rest of a row has no columns without its first tags
	}
	line, _ = unquote(line)
	line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), "|")
	line = strings.ReplaceAll(line, `\|`, "")
	first := s.text[b.start:b.head]
	first = first[strings.LastIndexByte(first, '\n')+1:]
	prefix += first[:strings.IndexAny(first, "|:-")] + strings.Repeat("| ", 1+strings.Count(line, "|"))
	if Tokens(prefix) > s.room/2 {
		return ""
	}
	return prefix
}

// boundary returns the best place to split text, at most n. If lines is true, it is
// the end of the last row or line of code before n.
func boundary(text string, n int, lines bool) int {
	part := text[:n]
	if lines {
		if at := strings.LastIndexByte(part, '\n'); at > 0 {
			return at + 1
		}
	}
	if at := strings.LastIndexByte(part, '\n'); at > n/2 {
		return at + 1
	}
	if at := lastSentence(part); at > n/2 {
		return at
	}
	if at := strings.LastIndexFunc(part, unicode.IsSpace); at > 0 && strings.TrimSpace(part[:at]) != "" {
		_, size := utf8.DecodeRuneInString(part[at:])
		return at + size
	}
	return cluster(part, text[n:])
}

// maxCluster is how many characters of a cluster, such as a letter with its marks, stay together.
const maxCluster = 32

// cluster returns the last place in part where no character is cut off from what is shown with it: marks, the parts of an
// emoji, or the other letter of a flag. rest follows part.
func cluster(part, rest string) int {
	next, _ := utf8.DecodeRuneInString(rest)
	at := len(part)
	for range maxCluster {
		last, size := utf8.DecodeLastRuneInString(part[:at])
		flag := isFlag(next) && (len(part[:at])-len(strings.TrimRightFunc(part[:at], isFlag)))/utf8.UTFMax%2 == 1
		if !flag && last != joiner && next != joiner && !unicode.Is(unicode.M, next) && (next < 0x1F3FB || next > 0x1F3FF) { // skin tones
			break
		}
		at -= size
		next = last
	}
	if at <= 0 {
		return len(part)
	}
	return at
}

const joiner = 0x200D // zero width

// isFlag reports whether two of these letters are a flag.
func isFlag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// lastSentence returns where the last sentence of part begins, or -1 if part has
// only one sentence.
func lastSentence(part string) int {
	for at := len(part); at > 0; {
		i := strings.LastIndexAny(part[:at], ".!?。！？")
		if i < 0 {
			return -1
		}
		r, size := utf8.DecodeRuneInString(part[i:])
		if r >= utf8.RuneSelf {
			return i + size
		}
		if i+2 < len(part) && part[i+1] == ' ' {
			return i + 2
		}
		at = i
	}
	return -1
}

// pack joins the units into chunks.
func (s *splitter) pack() (chunks []Chunk) {
	for i := 0; i < len(s.units); {
		j := s.fill(i)
		chunks = append(chunks, s.chunk(i, j))
		i = j
	}
	return chunks
}

// fill returns the end of the chunk that begins with unit i.
func (s *splitter) fill(i int) int {
	j, total := i+1, s.units[i].tokens
	level, headed := s.units[i].level, s.units[i].level > 0 // level of the highest heading so far; whether there are only headings so far
	for j < len(s.units) {
		u, last := &s.units[j], &s.units[j-1]
		total += Tokens(s.text[last.end:u.start]) + u.tokens
		if total > s.room || u.begins || u.prefix != "" || last.suffix != "" {
			break
		}
		if u.level > 0 && !headed && (total > s.room/4 || level == 0 || u.level < level || len(u.path) < 2) {
			break // u begins the next section
		}
		if u.level > 0 && (level == 0 || u.level < level) {
			level = u.level
		}
		headed = headed && u.level > 0
		j++
	}
	end := j
	for end < len(s.units) && end > i && s.units[end-1].level > 0 {
		end-- // keep a heading with the text that follows it
	}
	if end == i || j < len(s.units) && s.units[j].begins {
		return j
	}
	return end
}

// chunk returns the chunk of the units from i up to, but not including, j.
func (s *splitter) chunk(i, j int) Chunk {
	first, last := &s.units[i], &s.units[j-1]
	start := first.start
	if s.o.Overlap > 0 && i > 0 && first.prose && !first.begins {
		start = s.back(i)
	}
	c := Chunk{Text: first.prefix + s.text[start:last.end] + last.suffix, Start: start, End: last.end, Line: first.line, Bare: first.bare}
	c.Tokens = Tokens(c.Text)
	path := last.path
	for k := i; k < j; k++ {
		if u := &s.units[k]; u.level == 0 {
			path = common(path, u.path)
		}
	}
	for _, h := range path {
		c.Headings = append(c.Headings, h.title)
	}
	return c
}

// common returns the common prefix of two paths.
func common(a, b []head) []head {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// back returns the start of the chunk that begins with unit i if the chunk repeats text of
// the same section before it. It starts with a whole sentence if one fits, otherwise with a
// whole word.
func (s *splitter) back(i int) int {
	start := s.units[i].start
	low := start
	for k := i - 1; k >= 0 && s.units[k].prose && s.units[k].suffix == "" && slices.Equal(s.units[k].path, s.units[i].path); k-- {
		low = s.units[k].start
		if Tokens(s.text[low:start]) > s.o.Overlap || s.units[k].begins {
			break
		}
	}
	text := s.text[low:start]
	left := Tokens(text)
	if left <= s.o.Overlap {
		return low
	}
	word := start // where the first word that fits begins
	for at := 0; at < len(text); {
		space := strings.IndexFunc(text[at:], unicode.IsSpace)
		if space < 0 {
			break
		}
		next := at + space
		last, _ := utf8.DecodeLastRuneInString(text[:next])
		ends := strings.ContainsRune(".!?。！？", last) || text[next] == '\n'
		next += len(text[next:]) - len(strings.TrimLeftFunc(text[next:], unicode.IsSpace))
		left -= Tokens(text[at:next])
		at = next
		if left <= s.o.Overlap {
			left = Tokens(text[at:]) // the parts of tokens that the words have together are too many
		}
		switch {
		case left > s.o.Overlap || at == len(text):
		case ends:
			return low + at
		case word == start:
			word = low + at
		}
	}
	return word
}
