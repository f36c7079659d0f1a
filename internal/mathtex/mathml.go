// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/zipxml"
)

// MathML returns the formula in e, a math element or what holds one, as TeX. A
// source in TeX that comes with it is taken as it is. The names of its elements
// may have any prefix.
func MathML(e *zipxml.Element) string {
	for d := range e.Descendants() {
		if local(d) == "annotation" && strings.Contains(strings.ToLower(d.Attr("encoding")), "tex") {
			if tex := strings.TrimSpace(d.Content()); tex != "" {
				return tex
			}
		}
	}
	return mathml(e)
}

// local returns the name of e without its prefix.
func local(e *zipxml.Element) string { return e.Name[strings.LastIndexByte(e.Name, ':')+1:] }

// mathml returns all in e.
func mathml(e *zipxml.Element) string {
	var w writer
	for c := range e.Children() {
		mathmlInto(&w, c)
	}
	return w.String()
}

// one returns e itself.
func one(e *zipxml.Element) string {
	if e == nil {
		return ""
	}
	var w writer
	mathmlInto(&w, e)
	return w.String()
}

// parts returns the elements in e.
func parts(e *zipxml.Element) []*zipxml.Element {
	var list []*zipxml.Element
	for c := range e.Children() {
		if c.Name != "" {
			list = append(list, c)
		}
	}
	return list
}

func mathmlInto(w *writer, e *zipxml.Element) {
	at := func(i int) *zipxml.Element {
		if list := parts(e); i < len(list) {
			return list[i]
		}
		return nil
	}
	switch local(e) {
	case "":
		if s := strings.TrimSpace(e.Text); s != "" {
			w.text(s)
		}
	case "mi", "mn", "mo", "ms":
		mathmlToken(w, e)
	case "mtext":
		if s := strings.TrimSpace(e.Content()); s != "" {
			w.words(s)
		}
	case "mspace":
		w.raw(`\ `)
	case "mfrac":
		if strings.TrimRight(e.Attr("linethickness"), "ptxem.0") == "" && e.Attr("linethickness") != "" {
			w.raw(`\genfrac{}{}{0pt}{}` + group(one(at(0))) + group(one(at(1))))
			return
		}
		w.raw(`\frac` + group(one(at(0))) + group(one(at(1))))
	case "msqrt":
		w.raw(`\sqrt` + group(mathml(e)))
	case "mroot":
		w.raw(`\sqrt[` + one(at(1)) + `]` + group(one(at(0))))
	case "msub":
		w.raw(script(one(at(0))) + `_` + group(one(at(1))))
	case "msup":
		w.raw(script(one(at(0))) + `^` + group(one(at(1))))
	case "msubsup":
		w.raw(script(one(at(0))) + `_` + group(one(at(1))) + `^` + group(one(at(2))))
	case "munder", "mover", "munderover":
		mathmlLimits(w, e, at)
	case "mtable":
		mathmlTable(w, e)
	case "mfenced":
		mathmlFence(w, e)
	case "mphantom":
		w.raw(`\phantom` + group(mathml(e)))
	case "menclose":
		w.raw(`\boxed` + group(mathml(e)))
	case "semantics":
		w.raw(one(at(0)))
	case "annotation", "annotation-xml":
	default:
		w.raw(mathml(e)) // mrow, mstyle and what is not known
	}
}

// mathmlToken writes an identifier, a number or an operator.
func mathmlToken(w *writer, e *zipxml.Element) {
	s := strings.TrimSpace(e.Content())
	name := function(s)
	switch {
	case s == "":
	case local(e) == "mo" && strings.EqualFold(e.Attr("stretchy"), "true") && delimiter(s) != ".":
		w.raw(strings.TrimPrefix(delimiter(s), `\left`))
	case name != "":
		w.raw(name)
	case local(e) == "mi" && isWord(s):
		w.raw(`\mathrm` + group(s))
	case strings.HasPrefix(e.Attr("mathvariant"), "bold") && utf8.RuneCountInString(s) == 1:
		w.raw(`\mathbf` + group(s))
	case e.Attr("mathvariant") == "double-struck":
		w.raw(`\mathbb` + group(s))
	default:
		w.text(s)
	}
}

// mathmlLimits writes what stands under and over a base: limits of a sum, an
// accent, or other signs.
func mathmlLimits(w *writer, e *zipxml.Element, at func(int) *zipxml.Element) {
	base := one(at(0))
	under, over := at(1), at(2)
	if local(e) == "mover" {
		under, over = nil, at(1)
	}
	if over != nil && under == nil {
		if command := accent(strings.TrimSpace(over.Content())); command != "" {
			w.raw(command + group(base))
			return
		}
	}
	big := strings.HasPrefix(base, `\sum`) || strings.HasPrefix(base, `\prod`) || strings.HasPrefix(base, `\int`) ||
		strings.HasPrefix(base, `\big`) || functions[strings.TrimPrefix(base, `\`)]
	switch {
	case big:
		w.raw(base)
		if under != nil {
			w.raw(`_` + group(one(under)))
		}
		if over != nil {
			w.raw(`^` + group(one(over)))
		}
	case under != nil && over != nil:
		w.raw(`\underset` + group(one(under)) + group(`\overset`+group(one(over))+group(base)))
	case under != nil:
		w.raw(`\underset` + group(one(under)) + group(base))
	default:
		w.raw(`\overset` + group(one(over)) + group(base))
	}
}

func mathmlTable(w *writer, e *zipxml.Element) {
	var rows [][]string
	for _, tr := range parts(e) {
		var cells []string
		for _, td := range parts(tr) {
			cells = append(cells, mathml(td))
		}
		rows = append(rows, cells)
	}
	w.raw(matrix("matrix", rows))
}

func mathmlFence(w *writer, e *zipxml.Element) {
	left, right := "(", ")"
	if v, ok := e.Lookup("open"); ok {
		left = v
	}
	if v, ok := e.Lookup("close"); ok {
		right = v
	}
	var inside []string
	for _, c := range parts(e) {
		inside = append(inside, one(c))
	}
	w.raw(fence(left, right, strings.Join(inside, ",")))
}
