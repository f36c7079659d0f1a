// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the text that is split into sentences.
const (
	maxProse     = 4 << 20 // bytes
	maxSentences = 20_000
)

// sentences returns the sentences in the view, in document order, with their white
// space folded. A sentence ends with its block at the latest. The first call must
// come before the Markdown form, which changes the copy.
func (pg *page) sentences() []string {
	if pg.prose != nil {
		return pg.prose
	}
	pg.prose = []string{}
	for _, block := range pg.blocks() {
		pg.prose = appendSentences(pg, pg.prose, block)
		if len(pg.prose) >= maxSentences {
			pg.prose = pg.prose[:maxSentences]
			break
		}
	}
	return pg.prose
}

// blocks returns the texts of the blocks of the copy, or the lines of an Input that
// is text.
func (pg *page) blocks() []string {
	var all []string
	if pg.in.Verbatim || pg.in.Lang != "" {
		for line := range strings.Lines(cut(pg.in.Raw, maxProse)) {
			if line = strings.Join(strings.Fields(strings.ToValidUTF8(line, "\uFFFD")), " "); line != "" {
				all = append(all, line)
			}
		}
		return all
	}
	root := pg.copy.root
	if root == nil {
		return nil
	}
	var text strings.Builder
	size := 0
	flush := func() {
		if s := strings.Join(strings.Fields(strings.ToValidUTF8(text.String(), "\uFFFD")), " "); s != "" {
			all = append(all, s)
		}
		text.Reset()
	}
	for n := root; n != nil && size < maxProse; {
		pg.steps.Take(1 + len(n.Data)/16)
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
			size += len(n.Data)
		} else if breaks(n) {
			flush()
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			if n = n.Parent; breaks(n) {
				flush()
			}
		}
		if n == root {
			break
		}
		n = n.NextSibling
		if breaks(n.PrevSibling) {
			flush()
		}
	}
	flush()
	return all
}

// breaks reports whether n separates the text before it from the text after it. It is not inlined, because that
// would copy it into 18 places.
//
//go:noinline
func breaks(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.Acronym, atom.Big, atom.Nobr, atom.Picture, atom.Rb, atom.Rtc, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font,
		atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike,
		atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, atom.Ruby, atom.Rt, atom.Rp:
		return false
	}
	return true
}

// appendSentences appends the sentences of a block.
func appendSentences(pg *page, all []string, block string) []string {
	start := 0
	for i := 0; i < len(block); {
		pg.steps.Take(1)
		r, size := utf8.DecodeRuneInString(block[i:])
		i += size
		if !ends(block, start, i, r) {
			continue
		}
		for i < len(block) { // closing quotes and brackets belong to it
			r, size := utf8.DecodeRuneInString(block[i:])
			if !strings.ContainsRune(`"'”’»)]」』）`, r) {
				break
			}
			i += size
		}
		if s := strings.TrimSpace(block[start:i]); s != "" {
			all = append(all, s)
		}
		start = i
	}
	if s := strings.TrimSpace(block[start:]); s != "" {
		all = append(all, s)
	}
	return all
}

// ends reports whether r, whose last byte is before i, ends the sentence that began
// at start.
func ends(block string, start, i int, r rune) bool {
	switch r {
	case '。', '！', '？', '．':
		return true
	case '!', '?', '…', '.':
	default:
		return false
	}
	rest := strings.TrimLeft(block[i:], `"'”’»)]`)
	if rest == "" {
		return true
	}
	after, isSpace := strings.CutPrefix(rest, " ")
	if !isSpace {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, `"'“‘«([¿¡`))
	if unicode.IsLower(next) || next == '+' { // a phone number after "tel."
		return false
	}
	if r != '.' {
		return true
	}
	// The word before may be an abbreviation.
	word := block[start : i-1]
	word = word[strings.LastIndexAny(word, " (")+1:]
	if utf8.RuneCountInString(word) == 1 && !unicode.IsDigit(rune(word[0])) {
		return false
	}
	return !strings.Contains(word, ".") && !slices.Contains([]string{
		"Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Jr", "vs", "No", "Nr", "Fig", "al", "approx", "ca", "bzw", "Hr", "Fr", "Mme",
		"Inc", "Ltd", "Co", "Corp", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "pp", "Vol", "tel", "Tel", "ext", "Ext", "Rep", "Sen", "Gov", "Gen", "Col", "Capt", "Lt", "Sgt", "Rev", "Hon",
	}, word)
}

// terms returns the words of s in lower case. For scripts without spaces between
// words it returns pairs of characters.
func terms(pg *page, s string) []string {
	var all []string
	var before rune // the last character, of a script without spaces
	start := -1
	lower := strings.ToLower(s)
	flush := func(end int) {
		if start >= 0 {
			all = append(all, lower[start:end])
			start = -1
		}
	}
	for i, r := range lower {
		pg.steps.Take(1)
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush(i)
			if before != 0 {
				all = append(all, string([]rune{before, r}))
			}
			before = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
		before = 0
	}
	flush(len(lower))
	return all
}
