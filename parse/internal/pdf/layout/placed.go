// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode/utf8"
)

// placed is a line and its page number.
type placed struct {
	page int
	line Line
}

// lines returns the words of texts as lines, in the order of the structure
// tree. Consecutive words on one line of the page form one line.
func (b *builder) lines(texts []text) []placed {
	var out []placed
	var words []Word
	var open *Line
	page := 0
	flush := func() {
		if len(words) > 0 {
			out = append(out, placed{page, open.of(words)})
		}
		words = nil
	}
	for _, x := range texts {
		begin, seen := len(words), 0
		for _, m := range x.marks {
			sh := b.sheets[m.page]
			if sh == nil {
				continue
			}
			for _, at := range sh.words[m.mcid] {
				if sh.used[at.line][at.word] {
					continue
				}
				sh.used[at.line][at.word] = true
				if l := &sh.lines[at.line]; l != open {
					flush()
					open, page, begin = l, m.page, 0
				}
				w := open.Words[at.word]
				seen += utf8.RuneCountInString(w.Text)
				words = append(words, w)
			}
		}
		if x.actual != "" && len(words) > begin {
			words = append(words[:begin], actual(words[begin:], x.actual, seen)...)
		}
	}
	flush()
	return out
}

// actual returns one word with the given replacement text (ActualText) in
// place of words, which show seen characters. It ignores a replacement that
// is much longer than the visible text, because that could tell a machine
// something that people do not see.
func actual(words []Word, text string, seen int) []Word {
	text = clean(strings.Join(strings.Fields(text), " "))
	if text == "" || utf8.RuneCountInString(text) > 2*seen+8 {
		return words
	}
	if l := measured(words, 0); l.Text() == text {
		return words
	}
	w := words[0]
	w.Text = text
	for i := range words[1:] {
		w.Box = w.Box.Union(words[i+1].Box)
		w.X1 = max(w.X1, words[i+1].X1)
	}
	return []Word{w}
}

// of makes a line from some words of l, in their order.
func (l *Line) of(words []Word) Line {
	out := measured(words, l.Turn)
	out.RTL = l.RTL
	return out
}
