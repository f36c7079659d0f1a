// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"context"
	"math"
	"strings"
	"sync"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// Word is a run of glyphs without a gap and in one style.
type Word struct {
	Text   string
	Box    content.Box
	X0, X1 float64 // along the baseline
	Y      float64 // of the baseline
	Size   float64
	Font   *font.Font
	Color  content.Color
	Flags  content.Flags
	MCID   int
	Seq    int
	Glue   bool // stands at the word before without a space
	Space  bool // a space glyph stands before it
	Rise   int8 // 1 superscript, -1 subscript
}

// Bold says whether the word is set in bold.
func (w *Word) Bold() bool { return w.Font != nil && w.Font.Bold || w.Flags&content.Stroked != 0 }

// face is how the word is set; that of a text under a scan says nothing.
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
		if w.Font.Fixed {
			f |= Fixed
		}
	}
	return f
}

// space keeps the room of words between pages: they are copied several times on
// their way into lines.
type space struct{ pool sync.Pool }

var wordSpace space

// maxSpace is how many words the room that is kept may hold: 2 MB.
const maxSpace = 1 << 14

// get returns room for n words, and for more where it is at hand.
func (s *space) get(n int) []Word {
	if p, ok := s.pool.Get().(*[]Word); ok && cap(*p) >= n {
		return (*p)[:cap(*p)]
	}
	return make([]Word, n)
}

// put gives room back, to which nothing points any more.
func (s *space) put(ws []Word) {
	if cap(ws) <= maxSpace {
		for i := range ws {
			ws[i] = Word{} // their texts are not to live on
		}
		s.pool.Put(&ws)
	}
}

// frame turns points of a page so that text of one direction runs along x.
type frame uint8

// direction returns the frame of a glyph's baseline; false where it is
// slanted by more than 10 degrees.
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

// wordGap is the share of an em that parts two words, where the font does not
// say how wide its space is.
const wordGap = .13

// splitter builds words from glyphs in the order they were painted.
type splitter struct {
	words []Word
	text  []string // of the open word, by glyph
	open  bool
	gap   bool // a space glyph came
	prev  *content.Glyph
	px1   float64 // where the glyph before ended
	pu    float64 // where it began
	py    float64
	frame frame

	glyphs []*content.Glyph
	at     int // the glyph that is added

	space *content.Glyph // that closed the last word, as long as it alone came since
	end   float64        // where that word ends
}

// words builds the words of glyphs that share a frame, up to one more than most.
func words(ctx context.Context, glyphs []*content.Glyph, f frame, most int) []Word {
	s := splitter{frame: f, words: wordSpace.get(len(glyphs) / 4)[:0], glyphs: glyphs}
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
			return // over the letter before: nobody sees it
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
	if s.open && joined && s.sameStyle(g) {
		s.extend(g, u)
		return
	}
	s.close()
	s.begin(g, u, v, joined)
}

// joins says whether a glyph goes on where the one before ended.
func (s *splitter) joins(g *content.Glyph, u, v float64) bool {
	if s.prev == nil || s.gap || !s.open {
		return false
	}
	size := max(g.Size, s.prev.Size)
	gap := u - s.px1
	limit := wordGap * size
	if math.Abs(v-s.py) > .55*size || gap > limit && (gap-tracking(s.prev) > limit || !s.letterspaced()) {
		return false
	}
	if math.Abs(v-s.py) > .05*size && math.Abs(v-s.py) > shifted*min(g.Size, s.prev.Size) && g.Size == s.prev.Size {
		return false
	}
	if gap > -.45*size || u >= s.pu-.01 && gap > -.9*size {
		return true
	}
	_, accent := accents[s.prev.Text] // narrower than its letter, which begins before it
	return accent && gap > -.9*size && u > s.pu-.3*size
}

// underAccent puts the accent that alone is open on the letter g, over whose middle
// it was painted: over capitals TeX raises accents.
func (s *splitter) underAccent(g *content.Glyph, u, v float64) bool {
	if !s.open || len(s.text) != 1 || g.Size != s.prev.Size || math.Abs(v-s.py) > shifted*g.Size {
		return false
	}
	if mid := s.pu + .5*s.prev.Adv; mid < u || mid > u+g.Adv {
		return false
	}
	t, ok := accented(s.text[0], g.Text)
	if !ok {
		return false
	}
	s.text[0] = t
	w := &s.words[len(s.words)-1]
	w.Box, w.X0, w.X1, w.Y = g.Box, u, u+g.Adv, v
	s.note(g, u, v)
	return true
}

// shifted is how far, in em, the baseline of a letter may lie from that of its
// word where their size is one: a logo plays with the height of its letters.
const shifted = .35

func (s *splitter) sameStyle(g *content.Glyph) bool {
	p := s.prev
	_, v := s.frame.point(g.X, g.Y)
	return math.Abs(v-s.py) <= .05*g.Size && math.Abs(p.Size-g.Size) < .05*g.Size &&
		(p.Font == g.Font || p.Font.Bold == g.Font.Bold && p.Font.Italic == g.Font.Italic && p.Font.Fixed == g.Font.Fixed) &&
		p.Flags == g.Flags && p.MCID == g.MCID
}

func (s *splitter) begin(g *content.Glyph, u, v float64, glue bool) {
	s.words = append(s.words, Word{
		Box: g.Box, X0: u, X1: u + g.Adv, Y: v, Size: g.Size, Font: g.Font, Color: g.Color,
		Flags: g.Flags, MCID: g.MCID, Seq: g.Seq, Glue: glue, Space: s.gap,
	})
	s.open = true
	s.text = append(s.text[:0], g.Text)
	s.note(g, u, v)
}

func (s *splitter) extend(g *content.Glyph, u float64) {
	w := &s.words[len(s.words)-1]
	w.Box = w.Box.Union(g.Box)
	w.X1 = max(w.X1, u+g.Adv)
	last := len(s.text) - 1
	if t, ok := accented(s.text[last], g.Text); ok && s.px1-u > .4*s.prev.Adv { // over the letter, as TeX sets them
		s.text[last] = t
	} else {
		s.text = append(s.text, g.Text)
	}
	_, v := s.frame.point(g.X, g.Y)
	s.note(g, u, v)
}

func (s *splitter) note(g *content.Glyph, u, v float64) {
	s.prev, s.pu, s.px1, s.py, s.gap = g, u, u+g.Adv, v, false
}

// letterspacedReach is how many pairs of glyphs on each side are asked whether
// a text is letterspaced.
const letterspacedReach = 6

// letterspaced says whether the gap before the glyph that is added parts
// letters: most of the glyphs around it stand as far apart. Programs that pack
// text well use character spacing for the gaps between words too.
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

// longWord is how many glyphs a word may have to be opened again, for which all of
// them are looked at.
const longWord = 256

// takeBack opens the word before a space again where g goes on at its end and
// the space had no room: it began under the last letter, or its width was taken
// away by word spacing or a move.
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

// tracking is what character spacing adds behind a glyph, up to half an em: it
// parts letters, not words, where a text is letterspaced.
func tracking(g *content.Glyph) float64 {
	if math.Abs(g.Track) > .5*g.Size {
		return 0
	}
	return g.Track
}

// close finishes the open word; false where none was left.
func (s *splitter) close() bool {
	if !s.open {
		return false
	}
	s.open = false
	w := &s.words[len(s.words)-1]
	if len(s.text) == 1 {
		w.Text = s.text[0]
	} else {
		w.Text = strings.Join(s.text, "")
	}
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
