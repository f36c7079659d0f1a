// SPDX-License-Identifier: Apache-2.0

package mapi

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"

	"example.com/curlew/parse/internal/cfb"
)

// dictionary is the initial dictionary of the compression ([MS-OXRTFCP]
// 2.1.2.1).
const dictionary = `{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0` +
	"\r\n" + `\par \pard\plain\f0\fs20\b\i\u\tab\tx`

// Inflate decompresses an RTF body, up to limit bytes. It leaves out what it
// cannot read.
func Inflate(b []byte, limit int) []byte {
	if len(b) < 16 {
		return nil
	}
	b, kind := b[16:], string(b[8:12])
	switch kind {
	case "MELA": // not compressed
		return b[:max(min(len(b), limit), 0)]
	case "LZFu":
	default:
		return nil
	}
	const size = 4096
	var ring [size]byte
	at := copy(ring[:], dictionary)
	var out []byte
	put := func(c byte) {
		ring[at] = c
		at = (at + 1) % size
		if len(out) < limit {
			out = append(out, c)
		}
	}
	for len(b) > 0 && len(out) < limit {
		flags := b[0]
		b = b[1:]
		for bit := range 8 {
			switch {
			case len(b) == 0:
				return out
			case flags>>bit&1 == 0:
				put(b[0])
				b = b[1:]
				continue
			case len(b) < 2:
				return out
			}
			ref := binary.BigEndian.Uint16(b)
			b = b[2:]
			from, n := int(ref>>4), int(ref&15)+2
			if from == at {
				return out // the end marker
			}
			for range n {
				put(ring[from])
				from = (from + 1) % size
			}
		}
	}
	return out
}

// maxGroups is the maximum depth of groups.
const maxGroups = 200

// Unwrap returns the HTML that Outlook encapsulated in RTF ([MS-OXRTFEX]).
// It returns false if there is none.
func Unwrap(rtf []byte) (text string, ok bool) {
	if !strings.Contains(string(rtf[:min(len(rtf), 500)]), `\fromhtml1`) {
		return "", false
	}
	u := unwrapper{page: 1252, state: group{uc: 1}}
	u.run(string(rtf))
	return u.out.String(), true
}

// group is the state that braces save and restore.
type group struct {
	skip bool // a destination without text
	raw  bool // \htmlrtf: RTF that is not part of the HTML
	uc   int
}

type unwrapper struct {
	out   strings.Builder
	bytes []byte // undecoded text in the code page
	high  rune
	page  int
	state group
	stack []group
	depth int
	pass  int // characters left that repeat a \u character
}

func (u *unwrapper) flush() {
	if len(u.bytes) > 0 {
		u.out.WriteString(cfb.Text(u.bytes, u.page))
		u.bytes = u.bytes[:0]
	}
}

func (u *unwrapper) shown() bool { return !u.state.skip && !u.state.raw }

func (u *unwrapper) char(c byte) {
	if u.pass > 0 {
		u.pass--
		return
	}
	if u.shown() {
		u.bytes = append(u.bytes, c)
	}
}

func (u *unwrapper) text(s string) {
	if u.shown() {
		u.flush()
		u.out.WriteString(s)
	}
}

func (u *unwrapper) run(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		i++
		switch c {
		case '{':
			u.depth++
			if u.pass = 0; len(u.stack) < maxGroups {
				u.stack = append(u.stack, u.state)
			}
		case '}':
			u.pass = 0
			if u.depth--; u.depth >= 0 && u.depth < len(u.stack) {
				u.state = u.stack[u.depth]
				u.stack = u.stack[:u.depth]
			}
			u.depth = max(u.depth, 0)
		case '\r', '\n':
		case '\\':
			i = u.control(s, i)
		default:
			u.char(c)
		}
	}
	u.flush()
}

// control reads the control word or symbol after a backslash at i and
// returns the index after it.
func (u *unwrapper) control(s string, i int) int {
	if i >= len(s) {
		return i
	}
	c := s[i]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		i++
		switch c {
		case '\'':
			if i+2 <= len(s) {
				if n, err := strconv.ParseUint(s[i:i+2], 16, 8); err == nil {
					u.char(byte(n))
				}
				return i + 2
			}
		case '*':
			if !strings.HasPrefix(s[i:], `\htmltag`) {
				u.state.skip = true
			}
		case '~':
			u.text("&nbsp;")
		case '_':
			u.text("&shy;")
		case '{', '}', '\\':
			u.char(c)
		}
		return i
	}
	from := i
	for i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' {
		i++
	}
	word := s[from:i]
	from = i
	if i < len(s) && s[i] == '-' {
		i++
	}
	for i < len(s) && '0' <= s[i] && s[i] <= '9' && i-from < 12 {
		i++
	}
	param, err := strconv.Atoi(s[from:i])
	if i < len(s) && s[i] == ' ' {
		i++
	}
	u.word(word, param, err == nil)
	return i
}

func (u *unwrapper) word(word string, param int, given bool) {
	switch word {
	case "htmlrtf":
		u.flush()
		u.state.raw = !given || param != 0
	case "ansicpg":
		if u.page = param; param == 0 {
			u.page = 1252
		}
	case "uc":
		u.state.uc = max(0, min(param, 10))
	case "u":
		u.unicode(param)
	case "par", "line":
		u.text("\r\n")
	case "tab":
		u.text("\t")
	case "lquote":
		u.text("&lsquo;")
	case "rquote":
		u.text("&rsquo;")
	case "ldblquote":
		u.text("&ldquo;")
	case "rdblquote":
		u.text("&rdquo;")
	case "bullet":
		u.text("&bull;")
	case "endash":
		u.text("&ndash;")
	case "emdash":
		u.text("&mdash;")
	case "fonttbl", "colortbl", "stylesheet", "info", "pict":
		u.state.skip = true
	}
}

func (u *unwrapper) unicode(n int) {
	if n < 0 {
		n += 1 << 16
	}
	r := rune(n & 0xFFFF)
	switch {
	case utf16.IsSurrogate(r) && u.high != 0:
		r, u.high = utf16.DecodeRune(u.high, r), 0
		u.text(string(r))
	case utf16.IsSurrogate(r):
		u.high = r
	default:
		u.text(string(r))
	}
	u.pass = u.state.uc
}
