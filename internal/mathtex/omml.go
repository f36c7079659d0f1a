// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"strings"

	"example.com/curlew/internal/zipxml"
)

// OMML returns the formula in e, which is an oMath or contains one, as TeX.
// Mathematical elements have the prefix m, and runs of text the prefix w.
func OMML(e *zipxml.Element) string { return complete(omml(e)) }

// omml converts the content of e.
func omml(e *zipxml.Element) string {
	var w writer
	for c := e.First(); c != nil; c = c.Next() {
		ommlInto(&w, c)
	}
	if tex := w.String(); !strings.HasSuffix(tex, "^") || strings.HasSuffix(tex, `\^`) {
		return tex
	}
	return w.String() + "{}" // an empty base of a script
}

// flag reports whether the property name of e is on. If it is not given, it
// returns other.
func flag(e *zipxml.Element, name string, other bool) bool {
	p := e.Get(name)
	if p == nil {
		return other
	}
	switch p.Attr("m:val") {
	case "0", "off", "false":
		return false
	}
	return true
}

// sign returns the character property name of e, or other if it is not given.
func sign(e *zipxml.Element, name, other string) string {
	p := e.Get(name)
	if p == nil {
		return other
	}
	v, ok := p.Lookup("m:val")
	if !ok {
		return other
	}
	return v
}

func ommlInto(w *writer, e *zipxml.Element) {
	switch e.Name {
	case "":
		if strings.TrimSpace(e.Text) != "" {
			w.text(e.Text)
		}
	case "m:r":
		ommlRun(w, e)
	case "m:f":
		ommlFraction(w, e)
	case "m:rad":
		w.raw(`\sqrt`)
		if deg := omml(e.Get("m:deg")); deg != "" && !flag(e.Get("m:radPr"), "m:degHide", false) {
			w.raw("[" + deg + "]")
		}
		w.raw(group(omml(e.Get("m:e"))))
	case "m:sSup", "m:sSub", "m:sSubSup", "m:sPre":
		ommlScripts(w, e)
	case "m:nary":
		ommlNary(w, e)
	case "m:d":
		ommlDelimiters(w, e)
	case "m:m":
		w.raw(matrix(ommlRows(e)))
	case "m:eqArr":
		ommlArray(w, e)
	case "m:acc", "m:groupChr", "m:bar":
		ommlAccent(w, e)
	case "m:limLow", "m:limUpp":
		ommlLimit(w, e)
	case "m:func":
		ommlFunction(w, e)
	case "m:borderBox":
		w.raw(`\boxed` + group(omml(e.Get("m:e"))))
	case "m:phant":
		if flag(e.Get("m:phantPr"), "m:show", true) {
			w.raw(omml(e.Get("m:e")))
			return
		}
		w.raw(`\phantom` + group(omml(e.Get("m:e"))))
	case "w:br":
		w.raw(` \\ `)
	case "w:tab":
		w.raw(" ")
	case "w:del", "w:moveFrom", "w:rPr", "m:rPr", "m:ctrlPr":
	default:
		if strings.HasSuffix(e.Name, "Pr") {
			return // properties
		}
		w.raw(omml(e)) // m:box, m:e, w:ins and unknown elements
	}
}

// ommlRun writes a run of characters.
func ommlRun(w *writer, e *zipxml.Element) {
	pr := e.Get("m:rPr")
	var text strings.Builder
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "m:t", "w:t":
			text.WriteString(c.Content())
		case "w:br":
			text.WriteString(" ")
		case "w:sym":
			text.WriteString(c.Attr("w:char"))
		}
	}
	s := text.String()
	if s == "" {
		return
	}
	if flag(pr, "m:nor", false) {
		if name := function(strings.TrimSpace(s)); name != "" {
			w.raw(name)
			return
		}
		w.words(s)
		return
	}
	if isProse(s) {
		w.words(s)
		return
	}
	style, family := sign(pr, "m:sty", "i"), sign(pr, "m:scr", "roman")
	// LibreOffice loses the style of functions, but a product of c, o and s is
	// unlikely.
	if name := function(strings.TrimSpace(s)); name != "" && (style == "p" || pr.Get("m:sty") == nil && len(name) > len(`\ln`)) {
		w.raw(name)
		return
	}
	var inner writer
	upright := style == "p" && len([]rune(s)) > 1 && strings.IndexFunc(s, func(r rune) bool { return !isLetter(r) }) < 0
	ommlText(&inner, s)
	tex := inner.b.String()
	switch {
	case family == "double-struck":
		w.raw(`\mathbb` + group(tex))
	case family == "script":
		w.raw(`\mathcal` + group(tex))
	case family == "fraktur":
		w.raw(`\mathfrak` + group(tex))
	case family == "sans-serif":
		w.raw(`\mathsf` + group(tex))
	case family == "monospace":
		w.raw(`\mathtt` + group(tex))
	case (style == "b" || style == "bi") && strings.Contains(tex, `\`):
		w.raw(`\boldsymbol` + group(tex))
	case style == "b" || style == "bi":
		w.raw(`\mathbf` + group(tex))
	case upright:
		w.raw(`\mathrm` + group(tex))
	default:
		w.raw(tex)
	}
}

// isProse reports whether s has several words, which TeX would join.
func isProse(s string) bool {
	words := strings.Fields(s)
	for _, word := range words {
		if strings.IndexFunc(word, func(r rune) bool { return !isLetter(r) }) >= 0 {
			return false
		}
	}
	return len(words) > 1 && len(words[0]) > 1 && len(words[1]) > 1
}

// ommlText writes the characters of a run. A caret makes the text after it a
// superscript, as in the linear form that people type.
func ommlText(w *writer, s string) {
	before, after, ok := strings.Cut(s, "^")
	w.text(before)
	if ok {
		w.raw("^")
		ommlText(w, after)
	}
}

func ommlFraction(w *writer, e *zipxml.Element) {
	num, den := omml(e.Get("m:num")), omml(e.Get("m:den"))
	switch sign(e.Get("m:fPr"), "m:type", "bar") {
	case "noBar":
		w.raw(`\genfrac{}{}{0pt}{}` + group(num) + group(den))
	case "lin", "skw":
		w.raw(script(num) + "/" + script(den))
	default:
		w.raw(`\frac` + group(num) + group(den))
	}
}

func ommlScripts(w *writer, e *zipxml.Element) {
	base, sub, sup := omml(e.Get("m:e")), omml(e.Get("m:sub")), omml(e.Get("m:sup"))
	if e.Name == "m:sPre" {
		w.raw(`{}`)
		if sub != "" {
			w.raw(`_` + group(sub))
		}
		if sup != "" {
			w.raw(`^` + group(sup))
		}
		w.raw(script(base))
		return
	}
	w.raw(script(base))
	if e.Name != "m:sSup" {
		w.raw(`_` + group(sub))
	}
	if e.Name != "m:sSub" {
		w.raw(raised(sup))
	}
}

func ommlNary(w *writer, e *zipxml.Element) {
	pr := e.Get("m:naryPr")
	w.text(sign(pr, "m:chr", "∫"))
	if sub := omml(e.Get("m:sub")); sub != "" && !flag(pr, "m:subHide", false) {
		w.raw(`_` + group(stacked(sub)))
	}
	if sup := omml(e.Get("m:sup")); sup != "" && !flag(pr, "m:supHide", false) {
		w.raw(`^` + group(stacked(sup)))
	}
	w.raw(group(omml(e.Get("m:e"))))
}

func ommlDelimiters(w *writer, e *zipxml.Element) {
	pr := e.Get("m:dPr")
	left, right := sign(pr, "m:begChr", "("), sign(pr, "m:endChr", ")")
	var parts []string
	only := (*zipxml.Element)(nil)
	for c := e.Named("m:e"); c != nil; c = c.Same() {
		parts = append(parts, omml(c))
		only = c
	}
	if len(parts) == 1 {
		// Brackets around a single matrix or array belong to the environment.
		var inner *zipxml.Element
		count := 0
		for c := only.First(); c != nil; c = c.Next() {
			if c.Name != "m:ctrlPr" {
				inner, count = c, count+1
			}
		}
		if count == 1 && inner.Name == "m:m" {
			if name := environment(left, right); name != "" {
				_, rows := ommlRows(inner)
				w.raw(matrix(name, rows))
				return
			}
		}
		if count == 1 && inner.Name == "m:eqArr" && left == "{" && right == "" {
			w.raw(matrix("cases", ommlLines(inner)))
			return
		}
		if count == 1 && inner.Name == "m:f" && left == "(" && right == ")" && sign(inner.Get("m:fPr"), "m:type", "bar") == "noBar" {
			w.raw(`\binom` + group(omml(inner.Get("m:num"))) + group(omml(inner.Get("m:den"))))
			return
		}
	}
	separator := sign(pr, "m:sepChr", "|")
	switch {
	case separator == "|" || separator == "∣":
		separator = `\middle|`
	case delimiter(separator) != "":
		separator = delimiter(separator)
	}
	w.raw(fence(left, right, strings.Join(parts, separator)))
}

// ommlRows returns the rows of a matrix and its TeX environment.
func ommlRows(e *zipxml.Element) (environment string, rows [][]string) {
	for mr := e.Named("m:mr"); mr != nil; mr = mr.Same() {
		var cells []string
		for c := mr.Named("m:e"); c != nil; c = c.Same() {
			cells = append(cells, omml(c))
		}
		rows = append(rows, cells)
	}
	columns := 0
	for mc := e.Get("m:mPr", "m:mcs").Named("m:mc"); mc != nil; mc = mc.Same() {
		side := sign(mc.Get("m:mcPr"), "m:mcJc", "center")
		for range min(mc.Get("m:mcPr", "m:count").Int("m:val", 1), 64) {
			if side != [2]string{"right", "left"}[columns%2] {
				return "matrix", rows
			}
			columns++
		}
	}
	if columns > 1 {
		return "aligned", rows
	}
	return "matrix", rows
}

// ommlLines returns the equations of an array, split at their alignment marks.
func ommlLines(e *zipxml.Element) [][]string {
	var rows [][]string
	for c := e.Named("m:e"); c != nil; c = c.Same() {
		rows = append(rows, []string{strings.ReplaceAll(omml(c), `\&`, "&")})
	}
	return rows
}

func ommlArray(w *writer, e *zipxml.Element) {
	rows := ommlLines(e)
	if len(rows) == 1 {
		// In Word the number of an equation follows a number sign.
		line, number, ok := strings.Cut(strings.ReplaceAll(rows[0][0], "&", ""), `\#`)
		w.raw(line)
		if ok {
			number = strings.NewReplacer(`\left`, "", `\right`, "").Replace(number)
			w.raw(` \tag` + group(strings.TrimSuffix(strings.TrimPrefix(number, "("), ")")))
		}
		return
	}
	aligned := false
	for _, r := range rows {
		aligned = aligned || strings.Contains(r[0], "&")
	}
	if aligned {
		w.raw(matrix("aligned", rows))
		return
	}
	w.raw(matrix("gathered", rows))
}

func ommlAccent(w *writer, e *zipxml.Element) {
	body := omml(e.Get("m:e"))
	switch e.Name {
	case "m:bar":
		if sign(e.Get("m:barPr"), "m:pos", "bot") == "top" {
			w.raw(`\overline` + group(body))
		} else {
			w.raw(`\underline` + group(body))
		}
		return
	case "m:acc":
		mark := sign(e.Get("m:accPr"), "m:chr", "\u0302")
		var tex writer
		tex.text(mark)
		body, over := decorated(body, tex.String(), mark, accent)
		w.raw(limits(body, "", over))
		return
	}
	pr := e.Get("m:groupChrPr")
	mark, top := sign(pr, "m:chr", "⏟"), sign(pr, "m:pos", "bot") == "top"
	var tex writer
	tex.text(mark)
	switch {
	case mark == "⏞":
		w.raw(`\overbrace` + group(body))
	case mark == "⏟":
		w.raw(`\underbrace` + group(body))
	case mark == "→" && !top && sign(pr, "m:vertJc", "top") == "top", mark == "→" && top:
		w.raw(`\xrightarrow` + group(body))
	case mark == "←":
		w.raw(`\xleftarrow` + group(body))
	case top:
		w.raw(`\overset` + group(tex.String()) + group(body))
	default:
		w.raw(`\underset` + group(tex.String()) + group(body))
	}
}

func ommlLimit(w *writer, e *zipxml.Element) {
	base, limit, mark := omml(e.Get("m:e")), omml(e.Get("m:lim")), strings.TrimSpace(e.Get("m:lim").Content())
	if e.Name == "m:limLow" {
		base, limit = decorated(base, limit, mark, accentBelow)
		w.raw(limits(base, limit, ""))
		return
	}
	base, limit = decorated(base, limit, mark, accent)
	w.raw(limits(base, "", limit))
}

func ommlFunction(w *writer, e *zipxml.Element) {
	name := omml(e.Get("m:fName"))
	if plain := strings.TrimSpace(e.Get("m:fName").Content()); function(plain) != "" {
		name = function(plain)
	} else if plain == name && isWord(plain) {
		name = `\operatorname` + group(plain)
	}
	w.raw(name)
	body := omml(e.Get("m:e"))
	if !strings.HasPrefix(body, `\left`) && !strings.HasPrefix(body, "(") {
		w.raw(" ")
	}
	w.raw(body)
}

// isWord reports whether s consists of several letters.
func isWord(s string) bool {
	return len(s) > 1 && isLetters(s)
}
