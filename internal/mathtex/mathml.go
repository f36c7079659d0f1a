// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/zipxml"
)

// MathML returns the formula in e, which is a math element or contains one, as
// TeX. If e contains a TeX source, it returns that. Element names may have any
// prefix.
func MathML(e *zipxml.Element) string {
	for d := range e.Descendants() {
		if local(d) == "annotation" && strings.Contains(strings.ToLower(d.Attr("encoding")), "tex") {
			if tex := strings.TrimSpace(d.Content()); tex != "" {
				return tex
			}
		}
	}
	return complete(mathml(e))
}

// local returns the name of e without its prefix.
func local(e *zipxml.Element) string { return e.Name[strings.LastIndexByte(e.Name, ':')+1:] }

// mathml converts the content of e.
func mathml(e *zipxml.Element) string {
	var list []*zipxml.Element
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" || strings.TrimSpace(c.Text) != "" {
			list = append(list, c)
		}
	}
	return mathmlRow(list)
}

// mathmlRow converts the elements of a row.
func mathmlRow(list []*zipxml.Element) string {
	var w writer
	signs := make([]string, len(list))
	for i, e := range list {
		signs[i] = bracket(e)
	}
	for i := 0; i < len(list) && w.b.Len() <= maxTeX; i++ {
		if tex, n := mathmlBrackets(list[i:], signs[i:]); n > 0 {
			w.raw(tex)
			i += n - 1
			continue
		}
		mathmlInto(&w, list[i])
	}
	return w.String()
}

// one converts e itself.
func one(e *zipxml.Element) string {
	if e == nil {
		return ""
	}
	var w writer
	mathmlInto(&w, e)
	return w.String()
}

// parts returns the child elements of e.
func parts(e *zipxml.Element) []*zipxml.Element {
	var list []*zipxml.Element
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "" {
			list = append(list, c)
		}
	}
	return list
}

func mathmlInto(w *writer, e *zipxml.Element) {
	list := parts(e)
	at := func(i int) string {
		if i < len(list) {
			return one(list[i])
		}
		return ""
	}
	switch name := local(e); name {
	case "":
		if s := strings.TrimSpace(e.Text); s != "" {
			w.text(s)
		}
	case "mi", "mn", "mo", "ms":
		mathmlToken(w, e)
	case "mtext":
		w.words(strings.ReplaceAll(strings.Trim(e.Content(), " \t\r\n"), "\u00A0", " "))
	case "mspace":
		w.raw(space(e.Attr("width")))
	case "mfrac":
		switch {
		case isStack(e):
			w.raw(`\genfrac{}{}{0pt}{}` + group(at(0)) + group(at(1)))
		case e.Attr("bevelled") == "true":
			w.raw(script(at(0)) + "/" + script(at(1)))
		default:
			w.raw(`\frac` + group(at(0)) + group(at(1)))
		}
	case "msqrt":
		w.raw(`\sqrt` + group(mathml(e)))
	case "mroot":
		w.raw(`\sqrt[` + at(1) + `]` + group(at(0)))
	case "msub":
		w.raw(script(at(0)) + `_` + group(at(1)))
	case "msup":
		w.raw(script(at(0)) + raised(at(1)))
	case "msubsup":
		w.raw(script(at(0)) + `_` + group(at(1)) + raised(at(2)))
	case "mmultiscripts":
		mathmlScripts(w, list)
	case "munder", "mover", "munderover":
		mathmlLimits(w, name, list)
	case "mtable":
		w.raw(matrix(mathmlRows(e)))
	case "mfenced":
		mathmlFence(w, e)
	case "mphantom":
		w.raw(`\phantom` + group(mathml(e)))
	case "menclose":
		w.raw(enclosed(e.Attr("notation"), mathml(e)))
	case "semantics", "maction":
		w.raw(at(0))
	case "mstyle":
		w.raw(variant(e.Attr("mathvariant"), mathml(e)))
	case "annotation", "annotation-xml":
	default:
		w.raw(mathml(e)) // mrow and unknown elements
	}
}

// isStack reports whether e is a fraction without a line.
func isStack(e *zipxml.Element) bool {
	thickness := e.Attr("linethickness")
	return local(e) == "mfrac" && thickness != "" && strings.TrimRight(thickness, "ptxem%.0") == ""
}

// space returns a space of a width, which is a number of em or a name of MathML
// 2.
func space(width string) string {
	switch {
	case strings.HasPrefix(width, "negative"):
		return `\!`
	case strings.HasSuffix(width, "thinmathspace"):
		return `\,`
	case strings.HasSuffix(width, "mediummathspace"):
		return `\:`
	case strings.HasSuffix(width, "thickmathspace"):
		return `\;`
	}
	em, err := strconv.ParseFloat(strings.TrimSuffix(width, "em"), 64)
	switch {
	case err != nil:
		return `\ `
	case em < 0:
		return `\!`
	case em < .01:
		return ""
	case em < .2:
		return `\,`
	case em < .25:
		return `\:`
	case em < .3:
		return `\;`
	case em < .8:
		return `\ `
	case em < 1.5:
		return `\quad `
	}
	return `\qquad `
}

// enclosed returns tex with the notation of a menclose.
func enclosed(notation, tex string) string {
	switch {
	case strings.Contains(notation, "strike"):
		return `\cancel` + group(tex)
	case strings.Contains(notation, "box") || notation == "circle":
		return `\boxed` + group(tex)
	case notation == "radical":
		return `\sqrt` + group(tex)
	case notation == "top":
		return `\overline` + group(tex)
	case notation == "bottom":
		return `\underline` + group(tex)
	}
	return tex
}

// variant returns tex in the alphabet that a mathvariant names.
func variant(name, tex string) string {
	command := ""
	switch name {
	case "normal":
		if isLetters(tex) {
			command = `\mathrm`
		}
	case "bold", "bold-italic":
		command = `\boldsymbol`
		if isLetters(tex) {
			command = `\mathbf`
		}
	case "double-struck":
		command = `\mathbb`
	case "script", "bold-script":
		command = `\mathcal`
	case "fraktur", "bold-fraktur":
		command = `\mathfrak`
	case "sans-serif", "bold-sans-serif", "sans-serif-italic":
		command = `\mathsf`
	case "monospace":
		command = `\mathtt`
	}
	if command == "" || tex == "" || strings.HasPrefix(tex, `\math`) || strings.HasPrefix(tex, `\bold`) {
		return tex // the letters may be of that alphabet themselves
	}
	return command + group(tex)
}

// mathmlToken writes an identifier, a number or an operator.
func mathmlToken(w *writer, e *zipxml.Element) {
	s := strings.TrimSpace(e.Content())
	name := function(s)
	switch {
	case s == "":
	case local(e) == "mo" && strings.EqualFold(e.Attr("stretchy"), "true") && delimiter(s) != "":
		w.raw(delimiter(s))
	case name != "":
		w.raw(name)
	case local(e) == "mo" && isWord(s):
		w.raw(`\operatorname` + group(s))
	case local(e) == "mi" && isWord(s) && e.Attr("mathvariant") == "":
		w.raw(`\mathrm` + group(s))
	default:
		var inner writer
		inner.text(s)
		w.raw(variant(e.Attr("mathvariant"), inner.b.String()))
	}
}

// mathmlScripts writes a base with scripts on both sides.
func mathmlScripts(w *writer, list []*zipxml.Element) {
	if len(list) == 0 {
		return
	}
	var before, behind strings.Builder
	side := &behind
	for i := 1; i < len(list); {
		if local(list[i]) == "mprescripts" {
			side = &before
			i++
			continue
		}
		if sub := one(list[i]); sub != "" {
			side.WriteString("_" + group(sub))
		}
		if i+1 < len(list) && local(list[i+1]) != "mprescripts" {
			i++
			if sup := one(list[i]); sup != "" {
				side.WriteString(raised(sup))
			}
		}
		i++
	}
	if before.Len() > 0 {
		w.raw("{}" + before.String())
	}
	w.raw(script(one(list[0])) + behind.String())
}

// mathmlLimits writes a base with elements under and over it: limits of a sum,
// an accent, or others.
func mathmlLimits(w *writer, name string, list []*zipxml.Element) {
	var base, under, over string
	for i, e := range list {
		switch mark := strings.TrimSpace(e.Content()); {
		case i == 0:
			base = one(e)
		case i == 1 && name == "mover" || i == 2:
			if base, over = decorated(base, one(e), mark, accent); over != "" {
				base = limits(base, under, over)
				under, over = "", ""
			}
		case i == 1:
			base, under = decorated(base, one(e), mark, accentBelow)
		}
	}
	w.raw(limits(base, under, over))
}

// mathmlRows returns the rows of a table and its TeX environment.
func mathmlRows(e *zipxml.Element) (environment string, rows [][]string) {
	all := strings.Fields(e.Attr("columnalign"))
	pairs := true
	for _, tr := range parts(e) {
		var cells []string
		own := strings.Fields(tr.Attr("columnalign"))
		label := ""
		for i, td := range parts(tr) {
			if local(tr) == "mlabeledtr" {
				if i == 0 {
					label = mathml(td)
					continue
				}
				i--
			}
			side := td.Attr("columnalign")
			for _, list := range [][]string{own, all} {
				if side == "" && len(list) > 0 {
					side = list[min(i, len(list)-1)]
				}
			}
			pairs = pairs && side == [2]string{"right", "left"}[i%2]
			cells = append(cells, mathml(td))
		}
		if label != "" && len(cells) > 0 {
			cells[len(cells)-1] += `\quad ` + label
		}
		rows = append(rows, cells)
	}
	if pairs && len(rows) > 0 && len(rows[0]) > 1 {
		return "aligned", rows
	}
	return "matrix", rows
}

func mathmlFence(w *writer, e *zipxml.Element) {
	left, right := "(", ")"
	if v, ok := e.Lookup("open"); ok {
		left = strings.TrimSpace(v)
	}
	if v, ok := e.Lookup("close"); ok {
		right = strings.TrimSpace(v)
	}
	list := parts(e)
	if tex := wrapped(left, right, list); tex != "" {
		w.raw(tex)
		return
	}
	separator := ","
	if v, ok := e.Lookup("separators"); ok {
		separator, _, _ = strings.Cut(strings.TrimSpace(v), " ")
	}
	var inside []string
	for _, c := range list {
		inside = append(inside, one(c))
	}
	w.raw(fence(left, right, strings.Join(inside, separator)))
}

// nearby is the number of elements within which the partner of a bracket is
// searched.
const nearby = 100

// mathmlBrackets returns the content of the brackets at the start of list, and
// the number of elements. If there are no brackets, or they need not grow, the
// number is 0. signs contains the result of [bracket] for each element of list.
func mathmlBrackets(list []*zipxml.Element, signs []string) (tex string, n int) {
	left := signs[0]
	right := partners[left]
	if right == "" || list[0].Attr("form") == "postfix" {
		return "", 0
	}
	if len(list) > 1 && isTable(list[1]) {
		closing, n := "", 2
		if len(list) > 2 && delimiter(signs[2]) != "" {
			closing, n = signs[2], 3
		}
		if tex := wrapped(left, closing, list[1:2]); tex != "" {
			return tex, n
		}
		return fence(left, closing, one(list[1])), n
	}
	open := 1
	for i, sign := range signs[1:min(len(list), nearby)] {
		switch {
		case sign == right && (left != right || list[i+1].Attr("form") == "postfix"):
			open--
		case sign == left:
			open++
		}
		if open > 0 {
			continue
		}
		inside := list[1 : i+1]
		if tex := wrapped(left, right, inside); tex != "" {
			return tex, i + 2
		}
		if !slices.ContainsFunc(inside, isTall) {
			return "", 0
		}
		return fence(left, right, mathmlRow(inside)), i + 2
	}
	return "", 0
}

// partners maps opening brackets to their closing ones.
var partners = map[string]string{"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌈": "⌉", "⌊": "⌋", "|": "|", "‖": "‖"}

// bracket returns the character of an operator, or "".
func bracket(e *zipxml.Element) string {
	if local(e) != "mo" {
		return ""
	}
	switch s := strings.TrimSpace(e.Content()); s {
	case "∣":
		return "|"
	case "∥":
		return "‖"
	default:
		return s
	}
}

// isTall reports whether e is higher than a line of text.
func isTall(e *zipxml.Element) bool {
	if tall[local(e)] {
		return true
	}
	for d := range e.Descendants() {
		if tall[local(d)] {
			return true
		}
	}
	return false
}

var tall = map[string]bool{"mfrac": true, "mtable": true, "munderover": true, "munder": true, "mroot": true}

// inner returns the only element in nested rows.
func inner(e *zipxml.Element) *zipxml.Element {
	for range maxDepth {
		list := parts(e)
		if name := local(e); len(list) != 1 || name != "mrow" && name != "mstyle" && name != "mpadded" {
			break
		}
		e = list[0]
	}
	return e
}

func isTable(e *zipxml.Element) bool { return local(inner(e)) == "mtable" }

// wrapped returns an environment that includes the brackets around it: a
// matrix, cases or a binomial. For all others it returns "".
func wrapped(left, right string, list []*zipxml.Element) string {
	if len(list) != 1 {
		return ""
	}
	switch e := inner(list[0]); {
	case local(e) == "mtable":
		name := environment(left, right)
		if name == "" {
			return ""
		}
		_, rows := mathmlRows(e)
		return matrix(name, rows)
	case left == "(" && right == ")" && isStack(e):
		if p := parts(e); len(p) == 2 {
			return `\binom` + group(one(p[0])) + group(one(p[1]))
		}
	}
	return ""
}
