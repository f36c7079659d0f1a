// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// Word is a run of glyphs in one style without a gap between them.
type Word struct {
	Text   string
	Box    content.Box
	X0, X1 float64 // start and end along the baseline
	Y      float64 // y coordinate of the baseline
	Size   float64
	Font   *font.Font
	Color  content.Color
	Flags  content.Flags
	Glue   bool // follows the previous word without a space
	Space  bool // a space glyph precedes the word
	Cut    bool // the page cuts it off at its end (see content.Glyph.Cut), so the next word belongs to the next cell
	Rise   int8 // 1 for superscript, -1 for subscript
	MCID   int
	Seq    int
}

// Bold reports whether the word is bold.
func (w *Word) Bold() bool { return w.Font != nil && w.Font.Bold || w.Flags&content.Stroked != 0 }

// face returns the face of the word. In the text layer of a scan it is 0,
// because the font there carries no information.
//
//go:noinline
func (w *Word) face() (f Face) {
	if w.Flags&content.Invisible != 0 {
		return 0
	}
	if w.Flags&struck != 0 {
		f |= Struck
	}
	if w.Bold() {
		f |= Bold
	}
	if w.Font != nil {
		switch {
		case w.Font.Math:
			f |= formula
		case w.Font.Italic:
			f |= Italic
		}
		if w.Font.Fixed && !w.Font.Math {
			f |= Fixed
		}
	}
	return f
}

// space is a pool of buffers. Words are copied several times while lines are
// built, and elements while they are ordered.
type space[T any] struct{ pool sync.Pool }

var (
	wordSpace    space[Word]
	elementSpace space[element]
	pointerSpace space[*content.Glyph]
	blockSpace   space[Block]
)

// maxSpace is the largest capacity of a pooled buffer, about 2 MB of words.
const maxSpace = 1 << 14

// get returns a buffer of n values.
func (s *space[T]) get(n int) []T {
	if p, ok := s.pool.Get().(*[]T); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]T, n)
}

// put returns a buffer to the pool. The caller must not use it any more. Only the
// values of vs are cleared, so vs must have all that were set.
func (s *space[T]) put(vs []T) {
	if cap(vs) <= maxSpace {
		clear(vs) // release what they refer to
		s.pool.Put(&vs)
	}
}

// frame is a rotation by quarter turns that makes text of one direction run
// along x.
type frame uint8

// direction returns the frame of a glyph's baseline. It returns false if the
// baseline differs from both axes by more than 10 degrees.
func direction(g *content.Glyph) (frame, bool) {
	switch {
	case g.DX > .985:
		return 0, true
	case g.DY > .985:
		return 1, true
	case g.DX < -.985:
		return 2, true
	case g.DY < -.985:
		return 3, true
	}
	return 0, false
}

// tilts reports whether a visible glyph is turned by more than 2 degrees from the axes. Longer
// texts that are turned like that, such as a stamp, cross the lines beside them.
func tilts(g *content.Glyph) bool {
	return g.DX != 1 && max(math.Abs(g.DX), math.Abs(g.DY)) < .9994 && g.Flags&content.Invisible == 0
}

func (f frame) point(x, y float64) (u, v float64) {
	switch f {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

func (f frame) box(b content.Box) content.Box {
	x0, y0 := f.point(b.X0, b.Y0)
	x1, y1 := f.point(b.X1, b.Y1)
	return content.Box{X0: min(x0, x1), Y0: min(y0, y1), X1: max(x0, x1), Y1: max(y0, y1)}
}

// wordGap is the gap between words, in em, if the font does not define the
// width of its space.
const wordGap = .13

// walls are the vertical rules of a page, sorted by their place.
type walls []content.Rule

func wallsOf(rules []content.Rule) walls {
	var w walls
	for _, r := range rules {
		if !r.Horizontal() {
			w = append(w, r)
		}
	}
	sorting.Stable(w, func(a, b content.Rule) int { return compare(a.X0, b.X0) })
	return w
}

// maxWalls bounds the rules that are compared with one glyph.
const maxWalls = 16

// between reports whether a rule stands between x0 and x1 at the height y.
func (w walls) between(x0, x1, y float64) bool {
	at, _ := slices.BinarySearchFunc(w, x0, func(r content.Rule, x float64) int { return compare(r.X0, x) })
	for _, r := range w[at:min(len(w), at+maxWalls)] {
		if r.X0 > x1 {
			return false
		}
		if r.Y0 < y && y <= r.Y1+1 {
			return true
		}
	}
	return false
}

// splitter builds words from glyphs in the order of painting.
type splitter struct {
	words []Word
	text  []string  // of the current word, by glyph
	texts wordTexts // of all words
	open  bool
	gap   bool // a space glyph has been read
	prev  *content.Glyph
	px1   float64 // end of the previous glyph
	pu    float64 // start of the previous glyph
	py    float64
	frame frame
	walls walls

	glyphs []*content.Glyph
	at     int // index of the current glyph

	space *content.Glyph // the space that ended the last word, if no other glyph has followed
	end   float64        // end of that word
}

// words builds the words of glyphs that share a frame. It stops after one
// more than most words.
func words(ctx context.Context, glyphs []*content.Glyph, f frame, w walls, most int) []Word {
	s := splitter{frame: f, words: wordSpace.get(len(glyphs) / 4)[:0], glyphs: glyphs, texts: wordTexts{size: min(len(glyphs), textRoom)}}
	if f == 0 {
		s.walls = w
	}
	for i, g := range glyphs {
		if i%stepsEvery == 0 && ctx.Err() != nil || len(s.words) > most {
			break
		}
		s.at = i
		s.add(g)
	}
	s.close()
	return s.words
}

func (s *splitter) add(g *content.Glyph) {
	u, v := s.frame.point(g.X, g.Y)
	if g.Flags&content.Space != 0 {
		if s.open && s.prev != nil && u < s.pu+.5*s.prev.Adv && u > s.pu && math.Abs(v-s.py) < .1*g.Size {
			return // over the previous letter, so it is not visible
		}
		opened := s.open
		s.space, s.end = nil, s.px1
		if s.close() {
			s.space = g
		}
		s.gap = true
		if opened && math.Abs(v-s.py) < .5*g.Size {
			s.px1 = max(s.px1, u+g.Adv)
		}
		return
	}
	if s.space != nil {
		s.takeBack(g, u, v)
	}
	if g.Text == "" {
		if s.open && math.Abs(v-s.py) < .1*g.Size {
			s.px1 = max(s.px1, u+g.Adv)
		}
		return
	}
	if s.open && s.prev != nil && g.Text == s.prev.Text && math.Abs(u-s.pu) < .12*g.Size && math.Abs(v-s.py) < .12*g.Size {
		s.words[len(s.words)-1].Flags |= content.Stroked
		return // painted twice: a fake bold or a shadow
	}
	if s.underAccent(g, u, v) {
		return
	}
	joined := s.joins(g, u, v)
	if s.open && joined && s.sameStyle(g, v) {
		s.extend(g, u, v)
		return
	}
	s.close()
	s.begin(g, u, v, joined)
}

// joins reports whether a glyph continues the current word.
func (s *splitter) joins(g *content.Glyph, u, v float64) bool {
	if s.prev == nil || s.gap || !s.open || s.prev.Cut {
		return false
	}
	size := max(g.Size, s.prev.Size)
	gap := u - s.px1
	limit := wordGap * size
	if math.Abs(v-s.py) > .55*size || gap > limit && (gap-tracking(s.prev) > limit || !s.letterspaced()) && !s.spread(gap) {
		return false
	}
	if math.Abs(v-s.py) > .05*size && math.Abs(v-s.py) > shifted*min(g.Size, s.prev.Size) && g.Size == s.prev.Size {
		return false
	}
	if s.cutOff(g, gap, u, v, size) {
		return false
	}
	if gap > -.45*size || u >= s.pu-.01 && gap > -.9*size {
		return true
	}
	_, accent := accents[s.prev.Text] // narrower than its letter, which begins before it
	return accent && gap > -.9*size && u > s.pu-.3*size
}

// cutOff reports whether the glyph g at u begins the text of another cell than the
// glyph before. The text of a cell may be wider than the cell. Then it is cut off
// at the rule between the two cells or continues beyond it, and the text of the
// next cell follows it without a space. A rule between the two glyphs, and a gap
// that the glyphs of one string do not have, show that. If the gap is as small as
// that of kerning, the glyph must also be one with which a text can begin.
func (s *splitter) cutOff(g *content.Glyph, gap, u, v, size float64) bool {
	switch {
	case len(s.walls) == 0 || math.Abs(gap) < .004*size:
		return false
	case gap < -.15*size: // more than kerning: the letters before may be beyond the rule
		return s.walls.between(u-.6*size, u+.2*size, v)
	case math.Abs(gap) < .03*size && !startsText(g.Text):
		return false
	}
	return s.walls.between(s.pu, u+.2*size, v)
}

// startsText reports whether a text can begin with the letters of a glyph.
func startsText(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// stroke is the combining character of signs that are struck through, as in ≠.
const stroke = "\u0338"

// combined is like accented, but also combines a stroke with the sign after it.
func combined(accent, letter string) (string, bool) {
	if accent == stroke {
		return letter + stroke, true
	}
	return accented(accent, letter)
}

// underAccent combines the letter g with an accent that is the only glyph of
// the current word and was painted over the middle of g. TeX raises accents
// over capital letters, and paints a stroke before the sign that it goes
// through.
func (s *splitter) underAccent(g *content.Glyph, u, v float64) bool {
	if !s.open || len(s.text) != 1 || g.Size != s.prev.Size || math.Abs(v-s.py) > shifted*g.Size {
		return false
	}
	if mid := s.pu + .5*s.prev.Adv; mid < u || mid > u+g.Adv {
		return false
	}
	t, ok := combined(s.text[0], g.Text)
	if !ok {
		return false
	}
	s.text[0] = t
	w := &s.words[len(s.words)-1]
	w.Box, w.X0, w.X1, w.Y = g.Box, u, u+g.Adv, v
	s.note(g, u, v)
	return true
}

// shifted is the largest distance, in em, of a letter's baseline from that
// of its word if both have the same size. Logos vary the height of their
// letters.
const shifted = .35

func (s *splitter) sameStyle(g *content.Glyph, v float64) bool {
	p := s.prev
	return math.Abs(v-s.py) <= .05*g.Size && math.Abs(p.Size-g.Size) < .05*g.Size &&
		(p.Font == g.Font || p.Font.Bold == g.Font.Bold && p.Font.Italic == g.Font.Italic && p.Font.Fixed == g.Font.Fixed) &&
		p.Flags == g.Flags && p.MCID == g.MCID
}

func (s *splitter) begin(g *content.Glyph, u, v float64, glue bool) {
	s.words = append(s.words, Word{
		Box: g.Box, X0: u, X1: u + g.Adv, Y: v, Size: g.Size, Font: g.Font, Color: g.Color,
		Flags: g.Flags, MCID: g.MCID, Seq: g.Seq, Glue: glue, Space: s.gap && (s.prev == nil || !s.prev.Cut), Cut: g.Cut,
	})
	s.open = true
	s.text = append(s.text[:0], g.Text)
	s.note(g, u, v)
}

func (s *splitter) extend(g *content.Glyph, u, v float64) {
	w := &s.words[len(s.words)-1]
	w.Box = w.Box.Union(g.Box)
	w.X1 = max(w.X1, u+g.Adv)
	w.Cut = g.Cut
	last := len(s.text) - 1
	t, ok := "", false
	if s.px1-u > .4*s.prev.Adv { // over the letter, as TeX sets accents
		t, ok = combined(s.text[last], g.Text)
	}
	if ok {
		s.text[last] = t
	} else {
		s.text = append(s.text, g.Text)
	}
	s.note(g, u, v)
}

func (s *splitter) note(g *content.Glyph, u, v float64) {
	s.prev, s.pu, s.px1, s.py, s.gap = g, u, u+g.Adv, v, false
}

// letterspacedReach is the number of glyph pairs on each side that are
// examined for letterspacing.
const letterspacedReach = 6

// letterspaced reports whether the gap before the current glyph separates
// letters and not words: most glyphs around it have gaps as wide. Some
// programs also use character spacing for the gaps between words.
func (s *splitter) letterspaced() bool {
	wide, all := 0, 0
	for i := max(1, s.at-letterspacedReach); i <= min(len(s.glyphs)-1, s.at+letterspacedReach); i++ {
		a, b := s.glyphs[i-1], s.glyphs[i]
		if (a.Flags|b.Flags)&content.Space != 0 || a.Size != b.Size {
			continue
		}
		x, y := s.frame.point(a.X, a.Y)
		u, v := s.frame.point(b.X, b.Y)
		if math.Abs(v-y) > .05*a.Size || u < x {
			continue
		}
		all++
		if u-x-a.Adv > wordGap*a.Size {
			wide++
		}
	}
	return 2*wide > all
}

// spread reports whether the gap before the current glyph is one of at least three equal gaps
// between letters of different widths, without a space between them: each letter was
// placed by itself to space out a word. In the columns of a table, the distances between
// the starts or the middles of letters are equal.
func (s *splitter) spread(gap float64) bool {
	g := s.glyphs[s.at]
	if gap > widestSpread*g.Size {
		return false
	}
	var gaps, starts, middles reach
	for _, step := range [...]int{-1, 1} {
		for i := s.at + (step-1)/2; i >= 0 && i+1 < len(s.glyphs) && gaps.n < 2*letterspacedReach; i += step {
			a, b := s.glyphs[i], s.glyphs[i+1]
			if (a.Flags|b.Flags)&content.Space != 0 {
				continue
			}
			x, y := s.frame.point(a.X, a.Y)
			u, v := s.frame.point(b.X, b.Y)
			r, _ := utf8.DecodeRuneInString(b.Text)
			if a.Size != g.Size || math.Abs(v-y) > .05*g.Size || math.Abs(u-x-a.Adv-gap) > .1*g.Size || !unicode.IsLetter(r) {
				break
			}
			gaps.add(u - x - a.Adv)
			starts.add(u - x)
			middles.add(u - x + (b.Adv-a.Adv)/2)
		}
	}
	most := min(starts.hi-starts.lo, middles.hi-middles.lo)
	return gaps.n > 2 && most > .1*g.Size && most > 2*(gaps.hi-gaps.lo) && s.spaced()
}

// reach is the range of some numbers.
type reach struct {
	n      int
	lo, hi float64
}

func (r *reach) add(v float64) {
	if r.n++; r.n == 1 {
		r.lo, r.hi = v, v
	}
	r.lo, r.hi = min(r.lo, v), max(r.hi, v)
}

// widestSpread is the widest gap between letters that were spaced out, in em.
const widestSpread = 1.2

// spaced reports whether the text has space glyphs, so that gaps between words can be told
// from gaps between letters.
func (s *splitter) spaced() bool {
	return slices.ContainsFunc(s.glyphs[max(0, s.at-longWord):min(len(s.glyphs), s.at+longWord)], func(g *content.Glyph) bool { return g.Flags&content.Space != 0 })
}

// noBreak is the text of a word that has only a space at which no line may end.
const noBreak = ' '

// unspaced joins capital letters that spaces separate into words, as in "C O N T E N T S".
// Wider spaces separate these words. The letters of keys of answers and of alphabets stay apart:
// they are near the start of the alphabet, in its order, or of few kinds.
func unspaced(ws []Word) []Word {
	if len(ws) < 5 {
		return ws
	}
	space, kinds, ascending, last := math.Inf(1), map[string]bool{}, true, ""
	for i := range ws {
		w := &ws[i]
		r, n := utf8.DecodeRuneInString(w.Text)
		if n != len(w.Text) || !unicode.IsUpper(r) && r != noBreak || w.Size != ws[0].Size {
			return ws
		}
		if i > 0 {
			space = min(space, w.X0-ws[i-1].X1)
		}
		if r != noBreak {
			kinds[w.Text] = true
			ascending, last = ascending && w.Text >= last, max(last, w.Text)
		}
	}
	if ascending || last < "I" || len(kinds) < 4 || space > .6*ws[0].Size || space <= 0 {
		return ws
	}
	var out []Word
	for i := range ws {
		w := &ws[i]
		switch {
		case w.Text == string(noBreak):
		case i == 0 || w.X0-ws[i-1].X1 > 1.6*space || ws[i-1].Text == string(noBreak):
			out = append(out, *w)
		default:
			end := &out[len(out)-1]
			end.Text += w.Text
			end.Box, end.X1 = end.Box.Union(w.Box), w.X1
		}
	}
	for i := range out {
		if utf8.RuneCountInString(out[i].Text) < 2 {
			return ws
		}
	}
	return out
}

// longWord is the maximum number of glyphs of a word that takeBack may
// continue, because it must examine all of them.
const longWord = 256

// takeBack continues the word before a space if g directly follows that word
// and the space had no width: it began under the last letter, or word
// spacing or a text move cancelled its width.
func (s *splitter) takeBack(g *content.Glyph, u, v float64) {
	sp := s.space
	s.space = nil
	x, y := s.frame.point(sp.X, sp.Y)
	if g.Size != s.prev.Size || math.Abs(v-s.py)+math.Abs(y-s.py) > .05*g.Size || u < s.end-.1*g.Size || u > s.end+.5*wordGap*g.Size {
		return
	}
	if room := .3 * sp.Adv; len(s.text) < longWord && (u < x+room || x < s.end-room) {
		s.open, s.gap, s.px1 = true, false, s.end
	}
}

// tracking returns the character spacing after a glyph, up to half an em. In
// letterspaced text it separates letters, not words.
func tracking(g *content.Glyph) float64 {
	if math.Abs(g.Track) > .5*g.Size {
		return 0
	}
	return g.Track
}

// wordTexts makes the texts of words in blocks of memory that many words share, because
// there are hundreds of words on a page.
type wordTexts struct {
	room strings.Builder
	size int // of a block of memory, in bytes
}

// textRoom is the largest size of a block of texts for short words.
const textRoom = 2 << 10

// join returns the texts of the glyphs of one word, one after the other.
func (t *wordTexts) join(glyphs []string) string {
	if len(glyphs) == 1 {
		return glyphs[0]
	}
	n := 0
	for _, g := range glyphs {
		n += len(g)
	}
	if t.room.Cap()-t.room.Len() < n {
		t.room.Reset() // the block stays with its words
		t.room.Grow(max(n, t.size))
	}
	from := t.room.Len()
	for _, g := range glyphs {
		t.room.WriteString(g)
	}
	return t.room.String()[from:]
}

// close finishes the current word. It returns false if there is none.
func (s *splitter) close() bool {
	if !s.open {
		return false
	}
	s.open = false
	w := &s.words[len(s.words)-1]
	w.Text = s.texts.join(s.text)
	if hasRTL(w.Text) {
		w.Text = logical(s.text)
	}
	w.Text = clean(w.Text)
	if w.Text == "" {
		s.words = s.words[:len(s.words)-1]
		return false
	}
	return true
}
