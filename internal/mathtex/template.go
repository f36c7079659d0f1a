// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"strings"
	"unicode"

	"example.com/curlew/internal/zipxml"
)

// equation converts the parts of a formula in MTEF to Office Math.
type equation struct {
	old bool // version 3 or 4
	bad bool // a part has no equivalent
}

// Styles of characters.
const (
	faceText     = 1
	faceFunction = 2
	faceVector   = 7
	faceForeign  = 12 // text in East Asian letters
	faceExpand   = 22 // a part of a template
	faceMarker   = 23
)

// math returns an element with children.
func math(name string, children ...*zipxml.Element) *zipxml.Element {
	return zipxml.New("m:"+name, nil, children...)
}

// value returns a property.
func value(name, value string) *zipxml.Element {
	return zipxml.New("m:"+name, []zipxml.Attr{{Name: "m:val", Value: value}})
}

// run returns characters with properties.
func run(text string, properties ...*zipxml.Element) *zipxml.Element {
	t := zipxml.New("", nil)
	t.Text = text
	return math("r", math("rPr", properties...), math("t", t))
}

// line converts the content of a line.
func (e *equation) line(parts []part) (out []*zipxml.Element) {
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		switch p.kind {
		case mtefLine:
			out = append(out, e.line(p.parts)...)
		case mtefChar:
			n := 1
			if len(p.parts) == 0 {
				for i+n < len(parts) && e.continues(p, parts[i+n]) {
					n++
				}
			}
			if el := e.chars(parts[i : i+n]); el != nil {
				out = append(out, el)
			}
			i += n - 1
		case mtefTmpl:
			var base *zipxml.Element
			e.modern(&p)
			if follows := 27 <= p.selector && p.selector <= 29 && p.variation&1 == 0; follows && len(out) > 0 {
				base, out = out[len(out)-1], out[:len(out)-1]
			}
			out = append(out, e.template(p, base))
		case mtefPile:
			out = append(out, e.pile(p))
		case mtefMatrix:
			out = append(out, e.matrix(p))
		default:
			e.bad = true
		}
	}
	return out
}

// continues reports whether next belongs to the same word as first.
func (e *equation) continues(first, next part) bool {
	if next.kind != mtefChar || next.face != first.face || len(next.parts) > 0 {
		return false
	}
	if first.face == faceText || first.face == faceForeign {
		return true
	}
	words := first.face == faceFunction || first.code > 0x7F && next.code > 0x7F // words in other scripts
	return words && unicode.IsLetter(first.code) && unicode.IsLetter(next.code)
}

// chars converts characters of one style. The marks are those of the only one.
func (e *equation) chars(parts []part) *zipxml.Element {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(e.character(p.code))
	}
	if text.Len() == 0 {
		return nil
	}
	var el *zipxml.Element
	switch face := parts[0].face; {
	case face == faceExpand || face == faceMarker:
		return nil
	case (face == faceText || face == faceForeign) && strings.IndexFunc(text.String(), unicode.IsLetter) >= 0:
		el = run(text.String(), math("nor"))
	case face == faceFunction:
		el = run(text.String(), value("sty", "p"))
	case face == faceVector:
		el = run(text.String(), value("sty", "b"))
	default:
		el = run(text.String())
	}
	for _, p := range parts[0].parts {
		el = e.embellished(el, text.String(), p)
	}
	return el
}

// character returns a character of MTCode, which is Unicode with private characters.
func (e *equation) character(code rune) string {
	switch {
	case 0xEB00 <= code && code <= 0xEB08:
		return []string{"", "\u200A", "\u2009", "\u2005", "\u2004", "\u2003", "", "", "\u200A"}[code-0xEB00] //nolint:gosec // the case has these
	case 0xED10 <= code && code <= 0xED14:
		return string("Ddeij"[code-0xED10])
	case code < ' ' || unicode.Is(unicode.Co, code) || unicode.Is(unicode.Cs, code):
		e.bad = true
	}
	return string(code)
}

// overMarks are the accents of embellishments.
var overMarks = map[byte]string{
	2: "\u0307", 3: "\u0308", 4: "\u20DB", 8: "\u0303", 9: "\u0302", 11: "\u20D7", 12: "\u20D6", 13: "\u20E1",
	17: "\u0305", 19: "⌢", 20: "⌣",
}

// negated are characters with a stroke.
var negated = map[string]string{"=": "≠", "∈": "∉", "⊂": "⊄", "∃": "∄"}

// embellished returns el, whose text is given, with a mark.
func (e *equation) embellished(el *zipxml.Element, text string, p part) *zipxml.Element {
	if p.kind != mtefEmbell {
		e.bad = true
		return el
	}
	switch mark := overMarks[p.mark]; {
	case mark != "":
		return accentOver(el, mark)
	case p.mark == 5, p.mark == 6, p.mark == 18:
		return math("sSup", math("e", el), math("sup", run(map[byte]string{5: "′", 6: "″", 18: "‴"}[p.mark])))
	case p.mark == 10 && negated[text] != "":
		return run(negated[text])
	case p.mark == 29:
		return math("bar", math("e", el)) // below
	}
	e.bad = true
	return el
}

func accentOver(el *zipxml.Element, mark string) *zipxml.Element {
	return math("acc", math("accPr", value("chr", mark)), math("e", el))
}

// pile converts lines below each other.
func (e *equation) pile(p part) *zipxml.Element {
	var lines []*zipxml.Element
	for _, l := range p.parts {
		lines = append(lines, math("e", e.line([]part{l})...))
	}
	return math("eqArr", lines...)
}

// matrix converts a matrix.
func (e *equation) matrix(p part) *zipxml.Element {
	columns := int(p.columns)
	if columns == 0 || len(p.parts)%columns != 0 {
		e.bad = true
		return math("m")
	}
	var rows []*zipxml.Element
	for at := 0; at < len(p.parts); at += columns {
		var cells []*zipxml.Element
		for _, c := range p.parts[at : at+columns] {
			cells = append(cells, math("e", e.line([]part{c})...))
		}
		rows = append(rows, math("mr", cells...))
	}
	return math("m", rows...)
}

// modern gives a template of version 3 or 4 the selector and the variation that it has
// in version 5.
func (e *equation) modern(p *part) {
	if !e.old {
		return
	}
	selectors := []byte{
		0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9, 9, 10, 11, 29, 12, 13, 14, 14, 14, 15, 15, 15, 15, 15, 15, 24, 24,
		16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 23, 26, 11, 21, 22, 29, 30, 31, 31, 34,
	}
	was, variation := p.selector, p.variation
	if int(was) >= len(selectors) {
		e.bad = true
		return
	}
	both := []int{3, 1, 2} // both sides, the left one and the right one
	p.selector = selectors[was]
	switch {
	case was <= 7 || was == 45:
		p.variation = both[min(variation, 2)]
	case was <= 12:
		p.variation = []int{0x22, 0x33, 0x23, 0x12, 0x30}[was-8] //nolint:gosec // the case has these
	case was == 14:
		p.variation = 0
	case was == 15:
		p.variation = 0
		if len(p.parts) == 1 { // which one it is
			p.selector = []byte{28, 27, 29}[min(variation, 2)]
		}
	case was <= 20 && was >= 18:
		p.variation = []int{0x10, 0x20, 0x30}[was-18] | []int{4, 8}[min(variation, 1)] //nolint:gosec // the case has these
	case was <= 26 && was >= 21:
		loop := []int{3, 2, 2, 2, 1, 1}[was-21] //nolint:gosec // the case has these
		p.variation = int(was-21)%3 + 1
		if variation >= loop {
			p.variation |= 4
		}
	case was == 27:
		p.variation = 1
	case was == 28:
		p.variation = 0
	case was == 41:
		p.variation = 2
	case was == 44:
		p.variation = 1
	case was == 46 || was == 47:
		p.variation = []int{1, 2, 3}[min(variation, 2)] | int(47-was)*4
	}
}

// operators are the signs of templates 16 to 20.
const operators = "∑∏∐⋃⋂"

// fences are the brackets of templates 0 to 8.
var fences = []string{"⟨⟩", "()", "{}", "[]", "||", "‖‖", "⌊⌋", "⌈⌉", "⟦⟧"}

// slots returns the lines of a template, of which nil ones are empty, and its other
// content, such as the sign of an operator.
func (e *equation) slots(p part) (slots [][]*zipxml.Element, signs []rune) {
	for _, q := range p.parts {
		switch q.kind {
		case mtefLine:
			slots = append(slots, e.line(q.parts))
		case mtefPile, mtefMatrix, mtefTmpl:
			slots = append(slots, e.line([]part{q}))
		case mtefChar:
			signs = append(signs, q.code)
		}
	}
	for len(slots) < 4 {
		slots = append(slots, nil)
	}
	return slots, signs
}

// template converts a template. base is what a script belongs to.
func (e *equation) template(p part, base *zipxml.Element) *zipxml.Element {
	slots, signs := e.slots(p)
	main := math("e", slots[0]...)
	switch v := p.variation; p.selector {
	case 0, 1, 2, 3, 4, 5, 6, 7, 8:
		return fenceOf(p, signs, main)
	case 9:
		brackets := "()[]"
		return fenced(string(brackets[v&3]), string(brackets[v>>4&3]), main)
	case 10:
		return math("rad", math("deg", slots[1]...), main)
	case 11:
		kind := "bar"
		if v&2 != 0 {
			kind = "lin"
		}
		return math("f", math("fPr", value("type", kind)), math("num", slots[0]...), math("den", slots[1]...))
	case 12, 13:
		return math("bar", math("barPr", value("pos", []string{"bot", "top"}[p.selector-12])), main)
	case 14:
		return arrow(slots, v)
	case 15:
		return nary(integral(v, signs), slots)
	case 16, 17, 18, 19, 20:
		return nary(string([]rune(operators)[p.selector-16]), slots)
	case 21, 22:
		return e.operator(p, slots, signs)
	case 23:
		return limited(math("e", trimmed(slots[0])...), slots[1], slots[2])
	case 24, 25:
		return e.braced(main, slots[1], p)
	case 27, 28, 29:
		return e.scripted(p, slots, base)
	case 30:
		return e.dirac(slots, v)
	case 31, 32, 33, 34:
		return e.hat(main, p)
	case 37:
		return math("borderBox", main)
	}
	e.bad = true
	return main
}

// fenceOf returns main between the brackets of a template. Signs that are brackets
// replace those of the template, and a zero means none, as LibreOffice writes them.
func fenceOf(p part, signs []rune, main *zipxml.Element) *zipxml.Element {
	var sides [2]string
	for i, bracket := range []rune(fences[p.selector]) {
		if p.variation>>i&1 == 0 {
			continue
		}
		if len(signs) > 0 {
			if signs[0] == 0 || delimiter(string(signs[0])) != "" {
				bracket = signs[0]
			}
			signs = signs[1:]
		}
		if bracket != 0 {
			sides[i] = string(bracket)
		}
	}
	return fenced(sides[0], sides[1], main)
}

func fenced(left, right string, content ...*zipxml.Element) *zipxml.Element {
	properties := math("dPr", value("begChr", left), value("endChr", right), value("sepChr", "|"))
	return math("d", append([]*zipxml.Element{properties}, content...)...)
}

// integral returns the sign of an integral. A sign in the template overrules its
// variation.
func integral(variation int, signs []rune) string {
	loop := variation&12 != 0
	if len(signs) > 0 {
		loop = strings.ContainsAny(string(signs), "∮∯∰∱∲∳")
	}
	all := []rune("∫∬∭")
	if loop {
		all = []rune("∮∯∰")
	}
	return string(all[max(variation&3, 1)-1])
}

// nary returns an operator with its main slot and its lower and upper limit.
func nary(sign string, slots [][]*zipxml.Element) *zipxml.Element {
	return math("nary", math("naryPr", value("chr", sign)), math("sub", slots[1]...), math("sup", slots[2]...), math("e", slots[0]...))
}

// operator is like nary for a sign that the writer of the formula chose. It is in
// the last slot, or it is a character. Limits of signs that look like integrals are
// scripts.
func (e *equation) operator(p part, slots [][]*zipxml.Element, signs []rune) *zipxml.Element {
	sign := math("e", trimmed(slots[3])...)
	switch content := []rune(sign.Content()); {
	case len(signs) == 0 && len(content) == 1 && p.selector == 22:
		return nary(string(content), slots)
	case len(signs) == 1 && p.selector == 22:
		return nary(string(signs), slots)
	case len(signs) > 0:
		sign = math("e", run(string(signs)))
	case slots[3] == nil:
		e.bad = true
	}
	if p.selector == 21 {
		p.variation = 0
		sign = e.scripted(p, slots[1:], sign)
	} else {
		sign = limited(sign, slots[1], slots[2])
	}
	return math("box", sign, math("e", slots[0]...))
}

// trimmed returns content without spaces at its end.
func trimmed(content []*zipxml.Element) []*zipxml.Element {
	for len(content) > 0 && strings.TrimSpace(content[len(content)-1].Content()) == "" {
		content = content[:len(content)-1]
	}
	return content
}

// limited returns an element with limits below and above it, which may be nil.
func limited(el *zipxml.Element, lower, upper []*zipxml.Element) *zipxml.Element {
	if upper != nil {
		el = math("e", math("limUpp", el, math("lim", upper...)))
	}
	if lower != nil {
		el = math("limLow", el, math("lim", lower...))
	}
	return el
}

// arrow returns an arrow with texts above and below it.
func arrow(slots [][]*zipxml.Element, variation int) *zipxml.Element {
	sign := []string{"→", "←", "→", "↔"}[variation>>4&3]
	switch variation & 3 {
	case 1:
		sign = "⇄"
	case 2:
		sign = "⇌"
	}
	upper, lower := slots[0], slots[1]
	if variation&12 == 8 && lower == nil {
		upper, lower = nil, upper
	}
	return limited(math("e", run(sign)), lower, upper)
}

// braced returns el with a brace or bracket over or under it and a text on that.
func (e *equation) braced(el *zipxml.Element, text []*zipxml.Element, p part) *zipxml.Element {
	top := p.variation&1 != 0
	sign := []string{"⏟", "⎵", "⏞", "⎴"}[p.selector-24+byte(p.variation&1)*2]
	position := []string{"bot", "top"}[p.variation&1]
	braced := math("e", math("groupChr", math("groupChrPr", value("chr", sign), value("pos", position)), el))
	if top {
		return limited(braced, nil, text)
	}
	return limited(braced, text, nil)
}

// scripted returns base with scripts.
func (e *equation) scripted(p part, slots [][]*zipxml.Element, base *zipxml.Element) *zipxml.Element {
	sub, sup := slots[0], slots[1]
	if p.selector == 28 && sup == nil { // the only slot
		sub, sup = nil, sub
	}
	children := []*zipxml.Element{math("sub", sub...), math("sup", sup...)}
	if base != nil {
		children = append(children, math("e", base))
	}
	switch {
	case p.variation&1 != 0:
		return math("sPre", children...)
	case sub == nil && sup == nil:
		e.bad = base == nil
		return math("box", children...)
	case sup == nil:
		return math("sSub", children...)
	case sub == nil:
		return math("sSup", children...)
	}
	return math("sSubSup", children...)
}

// dirac returns a bra, a ket, or both.
func (e *equation) dirac(slots [][]*zipxml.Element, variation int) *zipxml.Element {
	switch variation & 3 {
	case 1:
		return fenced("⟨", "|", math("e", slots[0]...))
	case 2:
		if slots[1] == nil {
			slots[1] = slots[0]
		}
		return fenced("|", "⟩", math("e", slots[1]...))
	}
	return fenced("⟨", "⟩", math("e", slots[0]...), math("e", slots[1]...))
}

// hat returns el with a sign over it, or an arrow under it.
func (e *equation) hat(el *zipxml.Element, p part) *zipxml.Element {
	sign := []string{"", "\u0303", "\u0302", "⌢"}[p.selector-31]
	if p.selector == 31 {
		sign = []string{"\u20D7", "\u20D6", "\u20D7", "\u20E1"}[p.variation&3]
		if p.variation&4 != 0 {
			return math("limLow", el, math("lim", run([]string{"→", "←", "→", "↔"}[p.variation&3])))
		}
	}
	return accentOver(el, sign)
}
