// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/mathtex"
)

// isMathClass reports whether a class attribute marks a formula.
func isMathClass(class string) bool {
	for _, mark := range []string{"math", "Math", "katex", "latex", "tex"} {
		if strings.Contains(class, mark) {
			for word := range strings.FieldsSeq(class) {
				switch word {
				case "math", "arithmatex", "katex", "MathJax", "MathJax_Preview", "MathJax_Display", "latex", "tex":
					return true
				}
				if strings.HasPrefix(word, "mwe-math") {
					return true
				}
			}
		}
	}
	return false
}

// A mathWriter writes formulas. It writes each formula once and skips its
// alternatives for browsers without support.
type mathWriter struct{ *writer }

// mathematics writes n if it is a formula that is not MathML, or skips it if it
// is the picture of a formula beside it. It returns false for other elements.
func (w mathWriter) mathematics(n *html.Node) bool {
	if n.DataAtom == atom.Script {
		kind, rest, _ := strings.Cut(dom.Attr(n, "type"), ";")
		if strings.HasPrefix(kind, "math/tex") && n.FirstChild != nil {
			w.tex(n.FirstChild.Data, strings.Contains(rest, "display"))
		}
		return true
	}
	for _, key := range []string{"data-latex", "data-tex"} {
		if tex := dom.Attr(n, key); tex != "" {
			return w.tex(tex, n.DataAtom == atom.Div || dom.Attr(n, "display") == "true")
		}
	}
	if n.Data == "mjx-container" {
		if m := firstMath(n); m != nil {
			w.math(m, dom.Attr(n, "display") == "true")
			return true
		}
		return false
	}
	done := false
	words(n, func(word string) bool {
		done = w.mathClass(n, word)
		return !done
	})
	return done
}

// mathClass is mathematics for one class name of n.
func (w mathWriter) mathClass(n *html.Node, word string) bool {
	switch word {
	case "katex-html":
		return n.Parent != nil && firstMath(n.Parent) != nil
	case "katex-display":
		if m := firstMath(n); m != nil {
			w.math(m, true)
			return true
		}
	case "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML":
		c := n.NextSibling
		for up := 0; c != nil && up < 4; up, c = up+1, c.NextSibling {
			if c.DataAtom == atom.Script && strings.HasPrefix(dom.Attr(c, "type"), "math/tex") {
				return true
			}
		}
	case "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display":
		if n.Parent != nil && firstMath(n.Parent) != nil {
			return true
		}
		return w.tex(dom.Attr(n, "alt"), strings.HasSuffix(word, "display"))
	case "latex", "tex":
		return n.DataAtom == atom.Img && w.tex(dom.Attr(n, "alt"), false)
	case "math", "arithmatex":
		return w.delimited(n)
	}
	return false
}

// delimited writes n if its content is one text between TeX delimiters.
func (w mathWriter) delimited(n *html.Node) bool {
	c := n.FirstChild
	if c == nil || c.Type != html.TextNode || c.NextSibling != nil {
		return false
	}
	s := strings.TrimSpace(c.Data)
	for _, d := range [][2]string{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}, {"$", "$"}} {
		if inner, ok := strings.CutPrefix(s, d[0]); ok && len(inner) > len(d[1]) && strings.HasSuffix(inner, d[1]) {
			return w.tex(strings.TrimSuffix(inner, d[1]), d[0] == `\[` || d[0] == "$$")
		}
	}
	return false
}

// firstMath returns the first math element near the start of n, or nil.
func firstMath(n *html.Node) *html.Node {
	left := 50
	for c := n.FirstChild; c != nil && left > 0; c, left = dom.Next(c, n), left-1 {
		if c.Data == "math" && c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

// math writes the math element n as TeX. If that is impossible, it writes its
// text.
func (w mathWriter) math(n *html.Node, display bool) {
	if w.tex(mathtex.Node(n), display || dom.Attr(n, "display") == "block") {
		return
	}
	w.flat(n)
}

// tex writes the formula in source. It returns false if there is none.
func (w mathWriter) tex(source string, display bool) bool {
	source = tidyTeX(source)
	if source == "" {
		return false
	}
	if w.scope.cell { // where a bar would end the cell
		source = strings.NewReplacer(`\|`, `\Vert `, `|`, `\vert `).Replace(source)
		source = strings.TrimSpace(source)
	}
	alone := display && w.oneLine == 0 && w.line.links == 0 && w.code == 0
	if alone {
		w.paragraph()
	}
	mark := "$"
	if display {
		mark = "$$"
	}
	w.line.piece(token{kind: raw}, mark+source+mark)
	if alone {
		w.paragraph()
	}
	return true
}

// tidyTeX returns source on one line, without comments, surrounding white
// space, and the braces around a style command.
func tidyTeX(source string) string {
	if !strings.Contains(source, "%") {
		source = foldSpace(source)
	} else {
		var lines []string
		for line := range strings.Lines(source) {
			for i := range len(line) {
				if line[i] == '%' && (i == 0 || line[i-1] != '\\') {
					line = line[:i]
					break
				}
			}
			lines = append(lines, line)
		}
		source = foldSpace(strings.Join(lines, " "))
	}
	for _, style := range []string{`{\displaystyle `, `{\textstyle `} {
		if inner, ok := strings.CutPrefix(source, style); ok && strings.HasSuffix(inner, "}") {
			source = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
		}
	}
	source = strings.ToValidUTF8(source, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, source)
}
