// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/raster"
)

// maxWords is the maximum number of words that are used of one recognition.
const maxWords = 100_000

// scanFont and scanBold are the fonts of recognised words.
var (
	scanFont = &font.Font{Name: "recognised"}
	scanBold = &font.Font{Name: "recognised bold", Bold: true}
)

// glyphs converts recognised words to glyphs, one for each word, with spaces
// between the words of a line, so that the layout handles them like other
// text. It also returns the confidence of each word. Lines keep the
// direction of their words, so that a page that was scanned sideways is
// rotated like any other page. Bold text is found by its stroke width in
// gray, unless gray is nil. Words that were misread from ruling lines are
// left out.
func glyphs(words []Word, v view, gray *image.Gray, rules []content.Rule) (out []content.Glyph, confidence []float64) {
	words = words[:min(len(words), maxWords)]
	page := direction(words, 0)
	var lines []textLine
	for i := 0; i < len(words); {
		j := i + 1
		for j < len(words) && words[i].Line != 0 && words[j].Line == words[i].Line {
			j++
		}
		if l := newTextLine(words[i:j], v, direction(words[i:j], page), rules); len(l.words) > 0 {
			lines = append(lines, l)
		}
		i = j
	}
	if gray != nil {
		weigh(lines, gray, v)
	}
	evenSizes(lines)
	for i := range lines {
		l := &lines[i]
		for k, w := range l.words {
			if k > 0 {
				space := out[len(out)-1]
				space.Text, space.Flags, space.Adv, space.Seq = " ", content.Space, 0, space.Seq+1
				out, confidence = append(out, space), append(confidence, -1)
			}
			g := l.glyph(w)
			g.Seq = 2 * len(out)
			out, confidence = append(out, g), append(confidence, w.confidence)
		}
	}
	return out, confidence
}

// heading is the direction of a line: 0 right, 1 down, 2 left, 3 up.
type heading int

// along converts page coordinates to coordinates along the line (u) and
// perpendicular to it (v). back is its inverse.
func (h heading) along(x, y float64) (u, v float64) {
	switch h {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

func (h heading) back(u, v float64) (x, y float64) {
	switch h {
	case 1:
		return -v, u
	case 2:
		return -u, -v
	case 3:
		return v, -u
	}
	return u, v
}

// direction returns the direction of the lines of words, or otherwise if it
// cannot be determined. Right-to-left text is ignored.
func direction(words []Word, otherwise heading) heading {
	var votes [4]int
	for i := 1; i < len(words); i++ {
		a, b := &words[i-1], &words[i]
		if a.Line == 0 || a.Line != b.Line || rightToLeft(a.Text) || rightToLeft(b.Text) {
			continue
		}
		x, y := b.X0+b.X1-a.X0-a.X1, b.Y0+b.Y1-a.Y0-a.Y1
		for h := range heading(4) {
			if u, v := h.along(x, y); u > 2*math.Abs(v) {
				votes[h]++
			}
		}
	}
	best := otherwise
	for h := range heading(4) {
		if votes[h] > votes[best] {
			best = h
		}
	}
	return best
}

func rightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}

// textLine is a recognised line.
type textLine struct {
	words    []placed
	heading  heading
	size     float64 // font size in points; 0 if its words do not allow an estimate
	baseline float64 // v coordinate of the baseline
	bold     bool
}

// placed is a word with its position on the page in points.
type placed struct {
	text       string
	box        content.Box
	confidence float64
}

// newTextLine converts words to a line on the page. The line may be slanted,
// because pages are often scanned at a slight angle. Its size and baseline
// are therefore the medians of those of its words.
func newTextLine(words []Word, v view, h heading, rules []content.Rule) textLine {
	l := textLine{heading: h}
	w, ht := float64(v.Width), float64(v.Height)
	sx, sy := v.box.Width()/w, v.box.Height()/ht
	var sizes, bases []float64
	bottom := math.Inf(-1)
	for _, x := range words {
		p := placed{text: strings.Join(strings.Fields(x.Text), " "), confidence: x.Confidence, box: content.Box{
			X0: v.box.X0 + min(max(x.X0, 0), w)*sx, Y0: v.box.Y0 + min(max(x.Y0, 0), ht)*sy,
			X1: v.box.X0 + min(max(x.X1, 0), w)*sx, Y1: v.box.Y0 + min(max(x.Y1, 0), ht)*sy,
		}}
		if p.text == "" || !(p.box.X1 > p.box.X0 && p.box.Y1 > p.box.Y0) { // also false for NaN
			continue
		}
		if strings.Trim(p.text, bars) == "" && ruled(p.box, rules) {
			continue
		}
		l.words = append(l.words, p)
		top, base := l.across(p)
		bottom = max(bottom, base)
		if up, down := extent(p.text); up > 0 {
			size := (base - top) / (up + down)
			sizes, bases = append(sizes, size), append(bases, base-down*size)
		}
	}
	if len(sizes) == 0 {
		l.baseline = bottom
		return l
	}
	slices.Sort(sizes)
	slices.Sort(bases)
	l.size, l.baseline = sizes[len(sizes)/2], bases[len(bases)/2]
	return l
}

// bars are the characters that ruling lines are often misread as.
const bars = "|_[]{}!¦—"

// ruled reports whether a box lies on a ruling line of the page.
func ruled(b content.Box, rules []content.Rule) bool {
	const near = 2 // points
	for _, r := range rules[:min(len(rules), maxAsked)] {
		if r.X0-near <= b.X1 && r.X1+near >= b.X0 && r.Y0-near <= b.Y1 && r.Y1+near >= b.Y0 &&
			(r.Horizontal() && b.Width() <= r.X1-r.X0+near || !r.Horizontal() && b.Height() <= r.Y1-r.Y0+near) {
			return true
		}
	}
	return false
}

// maxAsked is the maximum number of ruling lines that are compared with one
// word.
const maxAsked = 2000

// across returns the top and the bottom of a word in the coordinates of the
// line.
func (l *textLine) across(p placed) (top, bottom float64) {
	_, a := l.heading.along(p.box.X0, p.box.Y0)
	_, b := l.heading.along(p.box.X1, p.box.Y1)
	return min(a, b), max(a, b)
}

// How far letters extend above and below the baseline in common text fonts,
// in em.
const (
	xHeight   = .48
	ascender  = .71
	descender = .21
)

// extent returns how far the letters of a word extend above and below the
// baseline, in em. It returns zeros if the word has no letters or digits.
func extent(word string) (up, down float64) {
	for _, r := range word {
		switch {
		case strings.ContainsRune("gpqyçµηρφχψμурцщ", r):
			up, down = max(up, xHeight), descender
		case strings.ContainsRune("jQ()[]{}|ßβγζξфД", r):
			up, down = ascender, descender
		case strings.ContainsRune("acemnorsuvwxzαικνοπστυωавгежзиклмнопстхчшъыьэюя", r):
			up = max(up, xHeight)
		case r < 0x590 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			up = ascender
		case unicode.IsLetter(r): // ideographs and the like, which fill the em square
			up, down = ascender, descender
		}
	}
	return up, down
}

const (
	boldness   = 1.25 // a line is bold if its strokes are wider than the median by this factor
	widest     = .3   // maximum width of a stroke in em
	enoughRuns = 20   // minimum number of measured strokes
)

// weigh marks the lines as bold whose strokes are clearly wider than the
// median of the page.
func weigh(lines []textLine, gray *image.Gray, v view) {
	w, h := float64(v.Width)/v.box.Width(), float64(v.Height)/v.box.Height()
	strokes := make([]float64, len(lines)) // in em; 0 if not measured
	var all []float64
	for i := range lines {
		l := &lines[i]
		sideways := l.heading == 1 || l.heading == 3
		em := l.size * w
		if sideways {
			em = l.size * h
		}
		sum, count := 0.0, 0
		for _, p := range l.words {
			part := image.Rect(int((p.box.X0-v.box.X0)*w), int((p.box.Y0-v.box.Y0)*h), int((p.box.X1-v.box.X0)*w), int((p.box.Y1-v.box.Y0)*h))
			width, n := raster.Stroke(gray, part, int(widest*em)+1, sideways)
			sum, count = sum+width*float64(n), count+n
		}
		if count < enoughRuns || em < 1 {
			continue
		}
		strokes[i] = sum / float64(count) / em
		for range l.words {
			all = append(all, strokes[i])
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	usual := all[len(all)/2]
	for i := range lines {
		lines[i].bold = strokes[i] > boldness*usual
	}
}

// evenSizes groups font sizes that differ only by measurement errors and
// replaces each by the median of its group.
func evenSizes(lines []textLine) {
	var known []*textLine
	for i := range lines {
		if lines[i].size > 0 {
			known = append(known, &lines[i])
		}
	}
	sorting.Stable(known, func(a, b *textLine) int {
		switch {
		case a.size < b.size:
			return -1
		case a.size > b.size:
			return 1
		}
		return 0
	})
	const apart = 1.15
	body := 10.0
	most := 0
	for i := 0; i < len(known); {
		// The next group consists of the smallest remaining size and the
		// sizes close to it.
		j := i
		for j < len(known) && known[j].size <= known[i].size*apart {
			j++
		}
		size := math.Round(known[(i+j)/2].size*4) / 4
		for _, l := range known[i:j] {
			l.size = size
		}
		if j-i > most {
			most, body = j-i, size
		}
		i = j
	}
	for i := range lines {
		if lines[i].size == 0 {
			lines[i].size = body
		}
	}
}

// glyph returns a word of the line as a glyph.
func (l *textLine) glyph(p placed) content.Glyph {
	a, _ := l.heading.along(p.box.X0, p.box.Y0)
	b, _ := l.heading.along(p.box.X1, p.box.Y1)
	g := content.Glyph{Text: p.text, Font: scanFont, MCID: -1, Size: max(l.size, 1), Box: p.box, Adv: math.Abs(b - a)}
	if l.bold {
		g.Font = scanBold
	}
	g.X, g.Y = l.heading.back(min(a, b), l.baseline)
	g.DX, g.DY = l.heading.back(1, 0)
	return g
}
