// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// emphasis chooses the delimiters of one line. CommonMark reads the delimiters
// that remain as intended. The others become HTML tags or are removed.
type emphasis struct{ *line }

// emphasisBuffers are reused for the next line.
type emphasisBuffers struct {
	chains []chain // used by emphasize
	runs   []run   // used by reads
}

// emphasize chooses the characters of all delimiters in l so that CommonMark
// (6.2) reads the intended emphasis. It removes delimiters if no choice works.
// Content of a link is read separately from the text around it. So are
// delimiters that are separated by other content. Each such group is therefore
// tried separately.
func (e emphasis) emphasize() {
	s := e.chain(0)
	depth := 0 // links around the token
	for i := range e.toks {
		switch e.toks[i].kind {
		case open:
			if s.depth == 0 && len(s.toks) > 0 && s.toks[len(s.toks)-1] != i-1 {
				e.settle(s.toks)
				s.toks = s.toks[:0]
			}
			s.depth++
			s.toks = append(s.toks, i)
		case closing:
			s.depth--
			s.toks = append(s.toks, i)
		case linkOpen:
			depth++
			s = e.chain(depth)
		case linkClose:
			e.settle(s.toks)
			depth--
			s = &e.buffers.chains[depth]
		}
	}
	e.settle(e.buffers.chains[0].toks)
	if e.gaps {
		e.compact()
	}
}

// A chain is a group of delimiters in one link, or outside links, that are read
// together.
type chain struct {
	toks  []int // delimiters, as indices into the tokens of the line
	depth int
}

// chain starts a new chain for content inside depth links.
func (e emphasis) chain(depth int) *chain {
	if depth == len(e.buffers.chains) {
		e.buffers.chains = append(e.buffers.chains, chain{})
	}
	c := &e.buffers.chains[depth]
	c.toks, c.depth = c.toks[:0], 0
	return c
}

// compact drops empty tokens and joins text or code spans around them. It also
// joins text that was moved out of emphasis with the text beside it, because
// escapes depend on the adjacent characters.
func (e emphasis) compact() {
	place := make([]int, len(e.toks)) // new index of each token
	kept := e.toks[:0]
	for i, t := range e.toks {
		n := len(kept)
		switch {
		case t.kind == none:
			continue
		case (t.kind == text || t.kind == code) && n > 0 && kept[n-1].kind == t.kind && kept[n-1].to == t.from:
			kept[n-1].to = t.to
			continue
		case n == 0 || kept[n-1].to != t.from:
		case t.kind == open && kept[n-1].kind == text:
			kept[n-1].to, t.from = t.to, t.to
		case t.kind == text && kept[n-1].kind == closing:
			t.from, kept[n-1].to = kept[n-1].from, kept[n-1].from
		}
		place[i] = n
		if t.kind == closing || t.kind == linkClose {
			t.mate = place[t.mate]
			kept[t.mate].mate = n
		}
		kept = append(kept, t)
	}
	e.toks, e.gaps = kept, false
}

// maxTried is the largest number of elements in a chain for which every choice
// of characters is tried.
const maxTried = 5

// settle finds characters for the delimiters of one chain.
func (e emphasis) settle(chain []int) {
	for len(chain) > 0 {
		if e.try(chain) {
			return
		}
		outer := e.outermost(chain)
		if !e.tags && e.shift(outer) && e.try(chain) {
			return
		}
		for _, i := range outer {
			if e.tags {
				e.tag(&e.toks[i])
			} else {
				e.toks[i].takeBack()
			}
		}
		e.gaps = true
		inner := chain[:0]
		for _, i := range chain {
			if k := e.toks[i].kind; k == open || k == closing {
				inner = append(inner, i)
			}
		}
		chain = inner
	}
}

// tag turns the delimiter t into an HTML tag.
func (e emphasis) tag(t *token) {
	name := [...]string{em: "em>", strong: "strong>", del: "del>"}[t.style]
	start := "<"
	if t.kind == closing {
		start = "</"
	}
	t.kind, t.from = raw, len(e.text)
	e.text = append(append(e.text, start...), name...)
	t.to = len(e.text)
}

// takeBack removes the delimiter t, except for text that was moved out to it.
func (t *token) takeBack() {
	t.kind = none
	if t.from < t.to {
		t.kind = text
	}
}

// try looks for a choice of characters that reads as intended. It prefers * to
// _ and places _ as far inside as possible.
func (e emphasis) try(chain []int) bool {
	n := len(chain) / 2
	if n > maxTried {
		for _, alternate := range []bool{false, true} {
			depth := 0
			e.choose(chain, func(int) bool { depth++; return alternate && depth%2 == 0 }, func() { depth-- })
			if e.reads(chain) {
				return true
			}
		}
		return false
	}
	for count := range n + 1 {
		for mask := 1<<n - 1; mask >= 0; mask-- {
			if bits.OnesCount(uint(mask)) != count {
				continue
			}
			e.choose(chain, func(i int) bool { return mask>>i&1 == 1 }, func() {})
			if e.reads(chain) {
				return true
			}
		}
	}
	return false
}

// choose gives the i-th element of chain underscores if under(i) is true, and
// asterisks otherwise. It calls leave at the end of each element.
func (e emphasis) choose(chain []int, under func(i int) bool, leave func()) {
	n := 0
	for _, i := range chain {
		t := &e.toks[i]
		if t.kind == closing {
			t.char = e.toks[t.mate].char
			leave()
			continue
		}
		t.char = '*'
		if under(n) {
			t.char = '_'
		}
		if t.style == del {
			t.char = '~'
		}
		n++
	}
}

// outermost returns the delimiters in chain that are not inside others.
func (e emphasis) outermost(chain []int) []int {
	var out []int
	depth := 0
	for _, i := range chain {
		if e.toks[i].kind == open {
			if depth == 0 {
				out = append(out, i)
			}
			depth++
			continue
		}
		depth--
		if depth == 0 {
			out = append(out, i)
		}
	}
	return out
}

// shift moves punctuation and spaces from the inner edges of the delimiters in
// outer to the outside, unless the text consists only of them. This is
// necessary because ** between a letter and 「 neither opens nor closes.
func (e emphasis) shift(outer []int) bool {
	moved := false
	for _, i := range outer {
		d := &e.toks[i]
		if d.kind == open {
			t := &e.toks[i+1]
			if n := leading(e.text[t.from:t.to]); t.kind == text && n > 0 {
				d.from, d.to = t.from, t.from+n
				t.from += n
				moved = true
			}
			continue
		}
		t := &e.toks[i-1]
		if n := trailing(e.text[t.from:t.to]); t.kind == text && n > 0 {
			d.from, d.to = t.to-n, t.to
			t.to -= n
			moved = true
		}
	}
	e.gaps = e.gaps || moved
	return moved
}

// leading returns the length of the punctuation and spaces at the start of s.
// If s contains nothing else, it returns 0.
func leading(s []byte) int {
	for i, r := range string(s) {
		if !isPunct(r) && !unicode.IsSpace(r) {
			return i
		}
	}
	return 0
}

// trailing is like leading for the end of s.
func trailing(s []byte) int {
	for i := len(s); i > 0; {
		r, size := utf8.DecodeLastRune(s[:i])
		if !isPunct(r) && !unicode.IsSpace(r) {
			return len(s) - i
		}
		i -= size
	}
	return 0
}

// A run is a maximal sequence of one delimiter character.
type run struct {
	char              byte
	toks              []int // tokens still to be matched, in order
	length, left      int   // the initial number of characters, and those still to be matched
	canOpen, canClose bool
}

// reads reports whether CommonMark pairs the delimiters of chain as intended.
// It follows the procedure "process emphasis" in the appendix of the
// specification. If the choice is right, every opener is at the top of the
// stack.
func (e emphasis) reads(chain []int) bool {
	stack := e.buffers.runs[:0]
	defer func() { e.buffers.runs = stack }()
	for len(chain) > 0 {
		r := e.nextRun(chain)
		chain = chain[len(r.toks):]
		for r.canClose && r.left > 0 {
			at := opener(stack, &r)
			if at < 0 {
				break
			}
			o := &stack[at]
			use := 1
			if o.left >= 2 && r.left >= 2 {
				use = 2
			}
			first, last := r.toks[0], o.toks[len(o.toks)-1]
			if at < len(stack)-1 || e.toks[first].mate != last || e.toks[first].style.width() != use {
				return false // CommonMark would pair other delimiters
			}
			r.toks, r.left = r.toks[1:], r.left-use
			o.toks, o.left = o.toks[:len(o.toks)-1], o.left-use
			if o.left == 0 {
				stack = stack[:at]
			}
		}
		switch {
		case r.left == 0:
		case !r.canOpen:
			return false
		default:
			stack = append(stack, r)
		}
	}
	return len(stack) == 0
}

// opener returns the index of the nearest run in stack that r can close, or -1.
func opener(stack []run, r *run) int {
	for i := len(stack) - 1; i >= 0; i-- {
		o := &stack[i]
		if o.char != r.char {
			continue
		}
		// Rules 9 and 10 of the specification, about multiples of 3.
		odd := (o.canClose || r.canOpen) && (o.length+r.length)%3 == 0 && r.length%3 != 0
		if !odd && (o.char != '~' || o.length == r.length) {
			return i
		}
	}
	return -1
}

// nextRun returns the run at the start of chain.
func (e emphasis) nextRun(chain []int) run {
	first := chain[0]
	r := run{char: e.toks[first].char}
	n := 0
	for n < len(chain) && e.toks[chain[n]].char == r.char && (n == 0 || e.touch(chain[n-1], chain[n])) {
		r.length += e.toks[chain[n]].style.width()
		n++
	}
	r.toks, r.left = chain[:n], r.length
	before, after := e.before(first), e.after(chain[n-1])
	left, right := flanking(before, after)
	r.canOpen, r.canClose = left, right
	if r.char == '_' {
		r.canOpen = left && (!right || isPunct(before))
		r.canClose = right && (!left || isPunct(after))
	}
	if r.char == '~' && (r.length > 2 || before == '~') { // even if that tilde is escaped
		r.canOpen, r.canClose = false, false
	}
	return r
}

// touch reports whether nothing is written between delimiters i and j.
func (e emphasis) touch(i, j int) bool {
	if a, b := e.toks[i], e.toks[j]; a.kind == closing && a.from < a.to || b.kind == open && b.from < b.to {
		return false
	}
	for k := i + 1; k < j; k++ {
		if e.toks[k].kind != none {
			return false
		}
	}
	return true
}

// before returns the character written before delimiter i.
func (e emphasis) before(i int) rune {
	if t := e.toks[i]; t.kind == open && t.from < t.to {
		return e.last(t)
	}
	for i--; i >= 0; i-- {
		switch t := e.toks[i]; t.kind {
		case none:
		case code:
			return '`'
		case hardBreak:
			return e.afterBreak()
		case linkOpen:
			if e.style != LinksCitation {
				return '['
			}
		case linkClose:
			if e.style != LinksInline {
				return ']'
			}
			return ')'
		case image:
			return ')'
		case text, raw:
			return e.last(t)
		default:
			if t.kind == closing && t.from < t.to {
				return e.last(t)
			}
			return rune(t.char)
		}
	}
	return ' '
}

// afterBreak returns the last character of a written line break.
func (l *line) afterBreak() rune {
	if l.cell {
		return '>'
	}
	return '\n'
}

// after returns the character written after delimiter i.
func (e emphasis) after(i int) rune {
	if t := e.toks[i]; t.kind == closing && t.from < t.to {
		return e.first(t)
	}
	return e.next(i + 1)
}

// next returns the first character of the tokens from index i on. At the end of
// the line it returns a space.
func (l *line) next(i int) rune {
	for ; i < len(l.toks); i++ {
		switch t := l.toks[i]; t.kind {
		case none:
		case code:
			return '`'
		case hardBreak:
			return '\\'
		case linkOpen:
			if l.style != LinksCitation {
				return '['
			}
		case linkClose:
			if l.style == LinksCitation {
				return '['
			}
			return ']'
		case image:
			return '!'
		case text, raw:
			return l.first(t)
		default:
			if t.kind == open && t.from < t.to {
				return l.first(t)
			}
			return rune(t.char)
		}
	}
	return ' '
}

func (l *line) first(t token) rune {
	r, _ := utf8.DecodeRune(l.text[t.from:t.to])
	return r
}

func (l *line) last(t token) rune {
	r, _ := utf8.DecodeLastRune(l.text[t.from:t.to])
	return r
}

// flanking reports whether delimiters between these characters are
// left-flanking and right-flanking (CommonMark 6.2).
func flanking(before, after rune) (left, right bool) {
	spaceB, spaceA := unicode.IsSpace(before), unicode.IsSpace(after)
	punctB, punctA := isPunct(before), isPunct(after)
	left = !spaceA && (!punctA || spaceB || punctB)
	right = !spaceB && (!punctB || spaceA || punctA)
	return left, right
}

// isPunct reports whether r is Unicode punctuation in the sense of CommonMark
// 0.31: categories P and S.
func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
