// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	none      kind = iota // removed; nothing is written
	text                  // characters, to be escaped
	raw                   // text that is already Markdown
	code                  // a code span
	hardBreak             // a line break
	open                  // a delimiter of emphasis
	closing
	linkOpen
	linkClose
	image
)

// style is a kind of emphasis.
type style uint8

const (
	plain style = iota
	em
	strong
	del
)

// width is the number of characters in the delimiter of s.
func (s style) width() int {
	if s == em {
		return 1
	}
	return 2
}

// A token is one piece of a line. Its characters are line.text[from:to]. For a
// delimiter, these are punctuation that was moved outside of it.
type token struct {
	kind     kind
	style    style
	char     byte // the delimiter's character
	from, to int
	mate     int // index of the other end of the emphasis or link
	*target      // for links and images; nil for other tokens, of which there may be millions
}

// A target is what a link or an image refers to.
type target struct {
	dest, title string
	alt         string // alternative text of an image
}

// A frame is an open element that is emphasis or a link.
type frame struct {
	style style
	link  bool
	dest  string
	title string
	tok   int // index of its opening token, once that is written
}

// A line is the inline content of a block that has been read so far. White
// space is folded and stays pending until more content follows, so there is
// none at the edges of the line or just inside emphasis.
type line struct {
	toks    []token
	text    []byte // the characters of all tokens
	frames  []frame
	targets []target // of the tokens
	buffers emphasisBuffers
	opened  int // number of frames, from the outermost, whose opening token was written
	links   int // number of frames that are links
	dels    int // number of frames with strikethrough

	style  LinkStyle
	tags   bool // write HTML tags for emphasis that delimiters cannot express
	gaps   bool // some tokens were removed, or text was moved
	cell   bool // breaks are written as <br>
	space  bool // a space is pending
	breaks int  // pending line breaks
	codeNL int  // length of text after a newline in code became a space; zero if there was none
}

// maxFrames is the limit of nested emphasis. Deeper elements are plain text.
const maxFrames = 32

// reset empties l. Its open frames stay and open again before the next content.
func (l *line) reset() {
	l.toks, l.text = l.toks[:0], l.text[:0]
	if cap(l.text) > maxKept { // left from one long paragraph
		l.toks, l.text = nil, nil
	}
	l.targets = l.targets[:0]
	l.space, l.breaks, l.codeNL, l.gaps = false, 0, 0, false
	l.opened = 0
}

// another returns an empty line with the buffers of l.
func (l *line) another() line {
	l.reset()
	return line{toks: l.toks, text: l.text, frames: l.frames[:0], targets: l.targets, buffers: l.buffers}
}

// left is like another, but for the next document. It drops large buffers and
// all references to this document.
func (l *line) left() line {
	if cap(l.text) > maxKept || max(cap(l.toks), cap(l.frames), cap(l.buffers.chains), cap(l.buffers.runs)) > maxListed {
		return line{}
	}
	clear(l.toks[:cap(l.toks)])
	clear(l.frames[:cap(l.frames)])
	clear(l.targets[:cap(l.targets)])
	return l.another()
}

// target returns memory for a target. It lasts until the line is reset.
func (l *line) target(t target) *target {
	if len(l.targets) == cap(l.targets) { // keep earlier targets in place, because tokens refer to them
		l.targets = make([]target, 0, min(max(2*cap(l.targets), 4), 64))
	}
	l.targets = append(l.targets, t)
	return &l.targets[len(l.targets)-1]
}

// empty reports whether nothing visible is in l.
func (l *line) empty() bool {
	if len(l.text) > 0 && ' ' < l.text[0] && l.text[0] < utf8.RuneSelf {
		return false
	}
	for _, t := range l.toks {
		if t.kind != text && t.kind != open && t.kind != closing && t.kind != none {
			return false
		}
	}
	return len(bytes.Trim(l.text, " \u00a0\u200b\ufeff")) == 0
}

// gap records white space.
func (l *line) gap() { l.space = true }

// br records a line break.
func (l *line) br() { l.breaks++ }

// begin writes what is pending before new content: a break or a space, then the
// delimiters of open frames.
func (l *line) begin() {
	if l.breaks > 0 {
		if len(l.toks) > 0 {
			l.toks = append(l.toks, token{kind: hardBreak})
		}
	} else if l.space && len(l.toks) > 0 && l.toks[len(l.toks)-1].kind != hardBreak {
		l.chars(" ")
	}
	l.space, l.breaks = false, 0
	for ; l.opened < len(l.frames); l.opened++ {
		l.emit(&l.frames[l.opened])
	}
}

// emit opens f. Emphasis directly after emphasis of the same kind continues it.
func (l *line) emit(f *frame) {
	if f.link {
		f.tok = len(l.toks)
		l.toks = append(l.toks, token{kind: linkOpen, target: l.target(target{dest: f.dest, title: f.title})})
		return
	}
	if f.style == plain {
		return
	}
	if n := len(l.toks); n > 0 && l.toks[n-1].kind == closing && l.toks[n-1].style == f.style {
		f.tok = l.toks[n-1].mate
		l.toks = l.toks[:n-1]
		return
	}
	f.tok = len(l.toks)
	l.toks = append(l.toks, token{kind: open, style: f.style})
}

// push opens emphasis or a link.
func (l *line) push(f frame) {
	if len(l.frames) >= maxFrames || f.style == del && l.dels > 0 || f.link && l.links > 0 {
		f = frame{}
	}
	l.count(f, 1)
	l.frames = append(l.frames, f)
}

// pop closes the frame that push opened last.
func (l *line) pop() {
	n := len(l.frames) - 1
	if n < l.opened {
		l.shut(&l.frames[n])
		l.opened = n
	}
	l.count(l.frames[n], -1)
	l.frames = l.frames[:n]
}

func (l *line) count(f frame, by int) {
	if f.link {
		l.links += by
	}
	if f.style == del {
		l.dels += by
	}
}

func (l *line) shut(f *frame) {
	if f.style == plain && !f.link {
		return
	}
	k := closing
	if f.link {
		k = linkClose
	}
	l.toks[f.tok].mate = len(l.toks)
	l.toks = append(l.toks, token{kind: k, style: f.style, mate: f.tok})
}

// end closes all frames that have an opening token. They stay open for the next
// line.
func (l *line) end() {
	for l.opened > 0 {
		l.opened--
		l.shut(&l.frames[l.opened])
	}
}

// chars appends characters to the text token at the end of l.
func (l *line) chars(s string) { l.append(text, s) }

// append adds s to the last token if it is of kind k, else to a new one.
func (l *line) append(k kind, s string) {
	n := len(l.toks)
	if n == 0 || l.toks[n-1].kind != k || l.toks[n-1].to != len(l.text) {
		l.toks = append(l.toks, token{kind: k, from: len(l.text), to: len(l.text)})
		n++
	}
	l.text = append(l.text, s...)
	l.toks[n-1].to = len(l.text)
}

// piece adds s as a token.
func (l *line) piece(t token, s string) {
	l.begin()
	t.from = len(l.text)
	l.text = append(l.text, s...)
	t.to = len(l.text)
	l.toks = append(l.toks, t)
}

// add reads the characters of a text node.
func (l *line) add(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) > cap(l.text)-len(l.text) { // grow at once instead of in small steps
		l.text = slices.Grow(l.text, len(s))
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case isSpace(c):
			l.space = true
			i++
		case c == 0:
			l.begin()
			l.chars("\uFFFD")
			i++
		case c < ' ':
			i++
		default:
			// Words separated by single spaces are copied unchanged.
			j := wordsEnd(s, i+1)
			if l.space || l.breaks > 0 || l.opened < len(l.frames) {
				l.begin()
			}
			l.chars(s[i:j])
			i = j
		}
	}
}

// wordsEnd returns the end of a sequence of words in s that are separated by
// single spaces. The sequence has begun before index i.
func wordsEnd(s string, i int) int {
	const each, high, space = 0x0101010101010101, 0x8080808080808080, ' ' * 0x0101010101010101
	for ; i+9 <= len(s); i += 8 {
		// Compare eight bytes and the eight bytes one position later. No byte
		// may be less than a space, and no two adjacent bytes may be spaces.
		x, y := eight(s[i:]), eight(s[i+1:])
		low := ((x - space) &^ x) | ((y - space) &^ y)
		z := (x ^ space) | (y ^ space)
		if (low|(z-each)&^z)&high != 0 {
			break
		}
	}
	for i < len(s) && (s[i] > ' ' || s[i] == ' ' && i+1 < len(s) && s[i+1] > ' ') {
		i++
	}
	return i
}

// eight returns the first eight bytes of s as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// addCode reads the characters of a text node in a code span. It keeps spaces.
// White space that contains a newline becomes one space, which at the start of
// the span stands before it.
func (l *line) addCode(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	for s != "" {
		i := strings.IndexAny(s, "\x00\n\r")
		if i < 0 {
			i = len(s)
		}
		head, rest := s[:i], strings.TrimLeft(s[i:], " \t\n\r\f\x00")
		folded := i < len(s)
		if folded {
			head = strings.TrimRight(head, " \t")
		}
		if head != "" {
			l.begin()
			l.append(code, head)
		}
		if n := len(l.toks); folded && n > 0 && l.toks[n-1].kind == code && l.toks[n-1].to == len(l.text) {
			l.append(code, " ")
			l.codeNL = len(l.text)
		} else if folded {
			l.add(" ")
		}
		s = rest
	}
}

// endCode moves a space at the end that replaced a newline behind the span.
func (l *line) endCode() {
	if n := len(l.toks); l.codeNL > 0 && l.codeNL == len(l.text) && n > 0 && l.toks[n-1].kind == code {
		l.text = l.text[:len(l.text)-1]
		l.toks[n-1].to--
		l.add(" ")
	}
	l.codeNL = 0
}

// isSpace reports whether c is ASCII white space in HTML.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}
