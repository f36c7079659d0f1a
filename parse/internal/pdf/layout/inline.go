// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// Run is a part of a block's text in one style.
type Run struct {
	Text  string
	Rise  int8 // 1 for superscript, -1 for subscript
	Power bool // superscript after a variable, so not a note reference
	Face  Face
	Link  string // link target; empty if there is none
	Page  int    // if not zero, Text is empty and this page begins here
	Ends  bool   // Text is empty, and a line ends here on purpose; see Line.Ends
}

// like reports whether r has the same style as p, so that its text can be
// appended.
func (p *Run) like(r *Run) bool {
	return p.Page == 0 && !p.Ends && p.Rise == r.Rise && p.Power == r.Power && p.Face == r.Face && p.Link == r.Link
}

// Face is the emphasis of text that differs from the rest of its block.
type Face uint8

// The faces; they can be combined.
const (
	Bold   Face = 1 << iota
	Italic      // or oblique
	Fixed       // monospaced, as for code
	Struck      // struck through
	formula
)

// faces counts the bytes of a text by face.
type faces struct{ all, bold, italic, fixed int32 }

func (f *faces) add(o faces) {
	f.all, f.bold, f.italic, f.fixed = f.all+o.all, f.bold+o.bold, f.italic+o.italic, f.fixed+o.fixed
}

// usual returns the faces of at least six sevenths of a text. In such a text
// they are not emphasis.
func (f *faces) usual() (out Face) {
	for _, x := range [...]struct {
		face Face
		set  int32
	}{{Bold, f.bold}, {Italic, f.italic}, {Fixed, f.fixed}} {
		if (f.all-x.set)*6 <= x.set {
			out |= x.face
		}
	}
	return out
}

// faces counts the words of the line.
func (l *Line) faces() (out faces) {
	if l.settled != nil {
		return l.settled.faces
	}
	for i := range l.Words {
		out.word(&l.Words[i], l.Words[i].face())
	}
	return out
}

// word counts one word.
func (f *faces) word(w *Word, face Face) {
	n := int32(min(len(w.Text), 1<<16))
	f.all += n
	if face == 0 {
		return
	}
	if face&Bold != 0 {
		f.bold += n
	}
	if face&(Italic|formula) != 0 {
		f.italic += n
	}
	if face&Fixed != 0 {
		f.fixed += n
	}
}

// Vocabulary has the words of a document in lower case. It decides whether a
// hyphen at a line end is removed.
type Vocabulary map[string]struct{}

// lexicon is a vocabulary that several goroutines add to.
type lexicon struct {
	mu    sync.Mutex // guards the fields below
	words Vocabulary
	full  bool // maxVocabulary was exceeded, so no words are kept: the result does not depend on the order of pages
}

// maxVocabulary bounds the words that are kept, at about 40 MB.
const maxVocabulary = 400_000

// add adds the words of lines. It skips words at line starts and ends that
// may be halves of hyphenated words.
func (v *lexicon) add(lines []Line) {
	var room [128]string
	all := room[:0]
	for i := range lines {
		ws := lines[i].Words
		for k := range ws {
			if k == len(ws)-1 && strings.HasSuffix(ws[k].Text, "-") || k == 0 && startsLower(ws[k].Text) {
				continue
			}
			if len(ws[k].Text) > 3 && len(ws[k].Text) < longestWord {
				if all = append(all, ws[k].Text); len(all) == len(room) {
					v.put(all)
					all = room[:0]
				}
			}
		}
	}
	v.put(all)
}

// put adds words of less than longest bytes.
func (v *lexicon) put(words []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var room [longestWord]byte
	for _, s := range words {
		if v.full {
			return
		}
		s := lowered(room[:0], trimmed(s))
		if _, ok := v.words[string(s)]; !ok {
			v.words[string(s)] = struct{}{}
			if len(v.words) > maxVocabulary {
				v.words, v.full = Vocabulary{}, true
			}
		}
	}
}

// longestWord is the length in bytes of the longest word of a vocabulary.
const longestWord = 40

// lowered adds s in lower case to out.
func lowered(out []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return append(out[:0], strings.ToLower(s)...)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return out
}

// ligature reports whether s are letters that fonts have as one glyph. It may
// come from another font than the rest of its word.
func ligature(s string) bool {
	switch s {
	case "ff", "fi", "fl", "ffi", "ffl", "ft", "fj", "tt", "ti", "Th", "st", "ct":
		return true
	}
	return false
}

// bare returns a word in lower case without the punctuation around it.
func bare(s string) string {
	return strings.ToLower(trimmed(s))
}

// trimmed returns s without the marks around it.
func trimmed(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (v Vocabulary) has(s string) bool {
	_, ok := v[bare(s)]
	return ok
}

// hyphen handles a word with a hyphen at a line end (left) and the first
// word of the next line (right). It reports whether they are one word, and
// whether the hyphen is dropped.
func (v Vocabulary) hyphen(left, right string) (joined, drop bool) {
	if strings.HasSuffix(left, "\u00ad") {
		return true, true
	}
	stem, ok := strings.CutSuffix(left, "-")
	if !ok {
		if stem, ok = strings.CutSuffix(left, "\u2010"); !ok {
			return false, false
		}
	}
	last, _ := utf8.DecodeLastRuneInString(stem)
	if stem == "" || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return false, false // a dash
	}
	first, _ := utf8.DecodeRuneInString(right)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return false, false
	}
	switch {
	case v.has(stem + right):
		return true, true
	case !unicode.IsLower(first):
		return true, false
	case v.has(stem + "-" + right):
		return true, false
	}
	all, upper := letters(stem)
	switch bare(stem) {
	case "self", "non", "well", "anti", "pre", "post", "multi", "cross":
		return true, false
	}
	return true, all > 0 && (upper < all || all < 2) && !strings.Contains(right, "-") && !strings.Contains(stem, "-") && !unicode.IsDigit(last)
}

// inliner writes words in order as runs.
type inliner struct {
	vocabulary Vocabulary
	links      func(page int) []content.Link
	runs       []Run  // the text of the last one is in open
	open       []byte // a buffer, because paragraphs may continue over a thousand pages
	gap        bool   // a space follows that does not belong to the last run
	begun      bool   // a word has been written
	plain      Face   // usual faces of the block, which are not emphasis
	before     token
	tokens     []token
}

// Runs returns the text of b. It joins lines, resolves hyphens at line ends,
// and marks links and superscripts. The list or note marker is left out. It must not be
// called by several goroutines at once.
func (d *Document) Runs(b *Block) []Run {
	in := inliner{vocabulary: d.Vocabulary, links: d.links, tokens: d.tokens}
	defer func() { d.tokens = in.tokens[:0] }()
	in.plain = ^Struck
	switch b.Kind {
	case Paragraph, Item, Footnote, Caption:
		var all faces
		for i := range b.Lines {
			all.add(b.Lines[i].faces())
		}
		in.plain = all.usual()
	}
	page, part := b.Page, 0
	skip := b.Marker
	for i := range b.Lines {
		if part < len(b.Parts) && b.Parts[part].Line == i {
			page = b.Parts[part].Page
			part++
			in.begin(Run{Page: page})
		}
		ends := i > 0 && b.Lines[i-1].Ends && b.Kind == Paragraph
		if ends {
			in.begin(Run{Ends: true})
		}
		in.line(&b.Lines[i], page, i > 0 && !ends, &skip)
	}
	in.close()
	return in.runs
}

// line adds the words of a line. after is set if there was a line before.
func (in *inliner) line(l *Line, page int, after bool, skip *string) {
	links := in.links(page)
	in.tokens = l.tokens(in.tokens[:0], links)
	for k, t := range in.tokens {
		if *skip != "" {
			if rest, ok := strings.CutPrefix(t.text, *skip); ok {
				*skip = ""
				if t.text = rest; rest == "" {
					continue
				}
			} else if rest, ok := strings.CutPrefix(*skip, t.text); ok { // a marker of several words
				*skip = rest
				continue
			} else {
				*skip = ""
			}
		}
		switch {
		case !in.begun:
		case k == 0 && after:
			in.wrap(t.text)
		case t.gap:
			in.space()
		}
		r := Run{Text: t.text, Rise: t.rise}
		if t.rise == 0 {
			r.Face = in.apart(&t)
			if r.Face&Fixed != 0 && ligature(t.text) && (t.glue || k+1 < len(in.tokens) && in.tokens[k+1].glue) {
				r.Face &^= Fixed // from another font, within a word
			}
		} else {
			r.Power = t.rise > 0 && t.glue && isVariable(&in.before)
		}
		in.before = t
		if t.link > 0 && t.link <= len(links) {
			r.Link = links[t.link-1].URI
		}
		in.put(r)
		in.begun = true
	}
}

// apart returns the faces that distinguish a word from its block. A single
// letter is a variable or the initial of a chapter, so its faces count only
// if they continue those of the word before.
func (in *inliner) apart(t *token) Face {
	face := t.face &^ (in.plain | formula)
	if face == 0 {
		return 0
	}
	n, _ := letters(t.text)
	var goesOn Face
	if len(in.runs) > 0 {
		goesOn = in.runs[len(in.runs)-1].Face
	}
	r, _ := utf8.DecodeRuneInString(t.text)
	switch {
	case n == 0 && hasAlnum(t.text):
		face &= goesOn | Bold | Struck
	case n < 2:
		face &= goesOn | Struck
	case isCJK(r): // ideographs have one width in every font
		face &^= Fixed
	}
	return face
}

// isVariable reports whether a word is a variable of a formula, one or two
// italic letters, or a unit of length or time. A number above it is a power.
func isVariable(t *token) bool {
	n, _ := letters(t.text)
	return t.face&(Italic|formula) != 0 && n > 0 && n <= 2 || slices.Contains(units, strings.TrimLeft(t.text, "([/·"))
}

// units are the units that stand before powers.
var units = strings.Fields("m mm cm dm km nm µm μm s ft yd mi in kg")

// begin opens a run.
func (in *inliner) begin(r Run) {
	in.close()
	in.open = append(in.open[:0], r.Text...)
	in.runs = append(in.runs, r)
}

// close sets the text of the last run.
func (in *inliner) close() {
	if n := len(in.runs); n > 0 {
		in.runs[n-1].Text = string(in.open)
	}
}

// wrap joins the first word of a line to the last word of the line before.
func (in *inliner) wrap(first string) {
	text := in.last()
	word := text[bytes.LastIndexByte(text, ' ')+1:]
	if joined, drop := in.vocabulary.hyphen(string(word), first); joined {
		if drop && in.runs[len(in.runs)-1].Page == 0 {
			_, size := utf8.DecodeLastRune(in.open)
			in.open = in.open[:len(in.open)-size]
		}
		return
	}
	a, _ := utf8.DecodeLastRune(text)
	b, _ := utf8.DecodeRuneInString(first)
	if !isCJK(a) || !isCJK(b) {
		in.space()
	}
}

// last returns the text of the last run that has text.
func (in *inliner) last() []byte {
	if len(in.open) > 0 {
		return in.open
	}
	for i := len(in.runs) - 2; i >= 0; i-- {
		if in.runs[i].Text != "" {
			return []byte(in.runs[i].Text)
		}
	}
	return nil
}

func (in *inliner) space() {
	if n := len(in.runs); n > 0 && in.runs[n-1].like(&Run{}) {
		in.open = append(in.open, ' ')
		return
	}
	in.gap = true
}

// put adds the text of r to the open run or opens another one.
func (in *inliner) put(r Run) {
	if in.gap {
		in.gap = false
		if p := &in.runs[len(in.runs)-1]; (r.Link != "" || r.Face != 0) && p.like(&r) { // the link continues
			in.open = append(in.open, ' ')
		} else {
			in.begin(Run{Text: " "})
		}
	}
	if n := len(in.runs); n > 0 {
		p := &in.runs[n-1]
		if p.like(&r) {
			in.open = append(in.open, r.Text...)
			return
		}
	}
	in.begin(r)
}

// linkAt returns the index in links, from 1, of the safe link over the
// middle of a word. It returns 0 if there is none.
func linkAt(w *Word, links []content.Link) int {
	x, y := (w.Box.X0+w.Box.X1)/2, (w.Box.Y0+w.Box.Y1)/2
	for i := range links {
		b := links[i].Box
		if x >= b.X0 && x <= b.X1 && y >= b.Y0-1 && y <= b.Y1+1 && safe(links[i].URI) {
			return i + 1
		}
	}
	return 0
}

// safe reports whether a URI has a scheme that readers may follow.
func safe(uri string) bool {
	if strings.HasPrefix(uri, "#page-") {
		return true
	}
	scheme, _, ok := strings.Cut(uri, ":")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "ftp", "tel":
		return true
	}
	return false
}
