// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// survey is what the passes over all pages ask of one before its blocks are
// made: it is there while the lines are put away.
type survey struct {
	sizes  []sized
	chars  int // in all
	bold   int // of them
	margin []candidate
}

// sized is how many characters have a size, in steps of half a point.
type sized struct {
	size  float64
	chars int
}

// survey looks over the lines of p, once.
func (p *Page) survey() *survey {
	if p.seen != nil {
		return p.seen
	}
	s := &survey{}
	first, last := math.Inf(1), math.Inf(-1)
	for i := range p.Lines {
		mid := (p.Lines[i].Box.Y0 + p.Lines[i].Box.Y1) / 2
		first, last = min(first, mid), max(last, mid)
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		for k := range l.Words {
			w := &l.Words[k]
			n := utf8.RuneCountInString(w.Text)
			s.add(math.Round(w.Size*2)/2, n)
			if w.Bold() {
				s.bold += n
			}
		}
		if c, ok := p.candidate(i, first, last); ok {
			s.margin = append(s.margin, c)
		}
	}
	p.seen = s
	return s
}

func (s *survey) add(size float64, n int) {
	s.chars += n
	for i := range s.sizes {
		if s.sizes[i].size == size {
			s.sizes[i].chars += n
			return
		}
	}
	s.sizes = append(s.sizes, sized{size, n})
}

// candidate looks at line i; false where it stands in no margin. first and last
// are where the lines of the page begin and end.
func (p *Page) candidate(i int, first, last float64) (candidate, bool) {
	l := &p.Lines[i]
	mid := (l.Box.Y0 + l.Box.Y1) / 2
	top := mid < margin*p.Height || mid < wideMargin*p.Height && mid < first+.5*l.Size
	bottom := mid > (1-margin)*p.Height || mid > (1-wideMargin)*p.Height && mid > last-.5*l.Size
	if !top && !bottom || l.Turn == slant {
		return candidate{}, false
	}
	c := candidate{line: i, y: mid, size: l.Size, top: top, artifact: true}
	for k := range l.Words {
		if l.Words[k].Flags&content.Artifact == 0 {
			c.artifact = false
			break
		}
	}
	text := l.Text()
	c.shape, c.number, c.bare = shapeOf(text)
	c.title, c.apart = Key(text), p.apart(l, c.top)
	return c, true
}

// maxBetween bounds the lines that are asked whether they stand beside one in a
// margin.
const maxBetween = 4096

// apart says whether white space parts a line in a margin from the body: more
// than lines of a text have between them.
func (p *Page) apart(l *Line, top bool) bool {
	if len(p.Lines) > maxBetween {
		return false
	}
	for i := range p.Lines {
		d := p.Lines[i].Y - l.Y
		if !top {
			d = -d
		}
		if d > .3*l.Size && d < 1.6*l.Size {
			return false
		}
	}
	return true
}
