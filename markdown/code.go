// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// listing writes a code block.
func (w blockWriter) listing(n *html.Node) {
	w.paragraph()
	s := bytes.TrimSuffix(codeText(n), []byte("\n"))
	w.fenced(language(n), s, len(s) > 0 || n.FirstChild != nil && hasNewline(n))
}

// fenced writes s as a code block. If filled is not set, the block has no lines
// and s must be empty.
func (w *output) fenced(info string, s []byte, filled bool) {
	w.start(fence)
	mark := "`"
	if strings.Contains(info, mark) {
		mark = "~"
	}
	bar := strings.Repeat(mark, max(3, longestRun(s, mark[0])+1))
	w.out = append(w.out, bar...)
	w.info(info)
	if filled {
		for line := range bytes.SplitSeq(s, []byte("\n")) {
			if len(line) == 0 {
				w.blank()
				continue
			}
			w.newline()
			w.out = append(w.out, line...)
		}
	}
	w.newline()
	w.out = append(w.out, bar...)
}

// info writes the info string of a code block.
func (w *output) info(s string) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isASCIIPunct(rune(s[i+1])):
			w.out = append(w.out, '\\', c)
		case c == '&' && isEntity([]byte(s[i:])):
			w.out = append(w.out, "&amp;"...)
		default:
			w.out = append(w.out, c)
		}
	}
}

// hasNewline reports whether n contains line ends and no other text.
func hasNewline(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = dom.Next(c, n) {
		if c.Type == html.TextNode && c.Data != "" {
			return true
		}
	}
	return false
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s []byte, c byte) int {
	longest, n := 0, 0
	for _, b := range s {
		if b != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// codeText returns the text of a code block. Line breaks and elements for lines
// end a line. Line numbers and buttons are left out.
func codeText(n *html.Node) []byte {
	var b []byte
	lineAt := 0 // start of the span for the current line
	skip := func(c *html.Node) bool {
		return c.Type == html.ElementNode && (c.DataAtom == atom.Button || c.DataAtom == atom.Style || c.DataAtom == atom.Script || isGutter(c))
	}
	isLine := func(c *html.Node) bool {
		switch c.DataAtom {
		case atom.Div, atom.P, atom.Li, atom.Tr:
			return c.Type == html.ElementNode
		case atom.Span: // style sheets may make it a block
			return hasClass(c, "gatsby-highlight-code-line")
		}
		return false
	}
	for c := n.FirstChild; c != nil; {
		down := c.FirstChild
		switch {
		case skip(c):
			down = nil
		case c.Type == html.TextNode:
			b = appendCode(b, c.Data)
		case c.DataAtom == atom.Br:
			b = append(b, '\n')
		case isLine(c) && len(b) > 0 && b[len(b)-1] != '\n':
			b = append(b, '\n')
		case isLineSpan(c):
			lineAt = len(b)
		}
		if down != nil {
			c = down
			continue
		}
		for c != n && c.NextSibling == nil {
			if c = c.Parent; c != n && isLineSpan(c) {
				b = endLine(b, lineAt, c)
			}
			if c != n && isLine(c) && (len(b) == 0 || b[len(b)-1] != '\n') {
				b = append(b, '\n')
			}
		}
		if c == n {
			break
		}
		if c.FirstChild == nil && isLineSpan(c) {
			b = endLine(b, len(b), c)
		}
		c = c.NextSibling
	}
	return b
}

// isLineSpan reports whether the class names of n say that it is a line of
// code.
func isLineSpan(n *html.Node) bool {
	return n.DataAtom == atom.Span && len(n.Attr) > 0 && hasClass(n, "line", "token-line", "code-line", "view-line", "CodeMirror-line")
}

// endLine ends the line of the span n, which starts at index at of b, if the
// next line follows without a line end.
func endLine(b []byte, at int, n *html.Node) []byte {
	if next := n.NextSibling; next != nil && isLineSpan(next) && (len(b) == at || b[len(b)-1] != '\n') {
		b = append(b, '\n')
	}
	return b
}

// appendCode appends s without characters that Markdown cannot contain.
func appendCode(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == 0:
			b = append(b, "\uFFFD"...)
		case c == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b = append(b, '\n')
			}
		case c >= ' ' || c == '\n' || c == '\t':
			b = append(b, c)
		}
	}
	return b
}

// isGutter reports whether n contains line numbers.
func isGutter(n *html.Node) bool {
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		switch class {
		case "gutter", "lineno", "linenos", "line-number", "line-numbers-rows", "blob-num", "linenodiv", "lnt", "ln",
			"crayon-nums", "hljs-ln-numbers", "rouge-gutter", "react-line-number", "CodeMirror-linenumber":
			return true
		case "line-numbers": // Prism sets this class on the code itself
			return n.DataAtom != atom.Pre && n.DataAtom != atom.Code
		}
	}
	return false
}

// language returns the info string of the code block n. It reads the attributes
// of n, of its code element, or of the three elements around it.
func language(n *html.Node) string {
	left := 4 // children to look at; copy buttons may come first
	for c := n.FirstChild; c != nil && left > 0; c, left = c.NextSibling, left-1 {
		if c.DataAtom == atom.Code {
			if s := named(c); s != "" {
				return s
			}
			break
		}
	}
	for range 4 {
		if s := named(n); s != "" {
			return s
		}
		if n = n.Parent; n == nil || n.Type != html.ElementNode || n.DataAtom == atom.Body || n.DataAtom == atom.Article {
			break
		}
	}
	return ""
}

// named returns the language in the attributes of n. It reads the forms of
// highlight.js, Prism, Shiki, Rouge, Chroma, Pygments, Pandoc,
// SyntaxHighlighter, Enlighter and GitLab.
func named(n *html.Node) string {
	for _, key := range [...]string{"data-lang", "data-language", "data-enlighter-language", "data-canonical-lang"} {
		if s := tidyLanguage(dom.Attr(n, key)); s != "" {
			return s
		}
	}
	if n.DataAtom == atom.Pre {
		if s := tidyLanguage(dom.Attr(n, "lang")); s != "" && dom.Attr(n, "class") == "" {
			return s // the attribute has no other use on pre
		}
	}
	class := dom.Attr(n, "class")
	if class == "" {
		return ""
	}
	before, name := "", ""
	for word := range strings.FieldsSeq(class) {
		for _, mark := range [...]string{"language-", "lang-", "highlight-source-", "brush:"} {
			if rest, ok := strings.CutPrefix(word, mark); ok {
				name = rest
			}
		}
		if rest, ok := strings.CutPrefix(word, "highlight-"); ok && name == "" && strings.Contains(class, "notranslate") {
			name = rest // used by Sphinx
		}
		if before == "brush:" {
			name = word
		}
		if name != "" {
			break
		}
		before = word
	}
	if strings.Contains(class, "brush:") {
		name, _, _ = strings.Cut(name, ";")
	}
	if name == "" {
		name = bareLanguage(class)
	}
	return tidyLanguage(name)
}

// bareLanguage returns the word of class that is a language. It is for
// highlighters that add a class of their own but no prefix to the language.
func bareLanguage(class string) string {
	marked, name := false, ""
	for word := range strings.FieldsSeq(class) {
		switch word {
		case "hljs", "sourceCode", "syntaxhighlighter", "prettyprint", "chroma":
			marked = true
		case "prettyprinted", "linenums", "nogutter", "numberSource", "lineNumbers", "copyable", "undefined", "theme-default":
		default:
			if name == "" && !strings.Contains(word, "hljs-") {
				name = word
			}
		}
	}
	if marked {
		return name
	}
	return ""
}

// tidyLanguage returns name if it is a usable info string, and "" otherwise.
func tidyLanguage(name string) string {
	name = strings.ToValidUTF8(name, "")
	switch name {
	case "none", "default", "undefined", "notranslate", "nohighlight", "no-highlight":
		return ""
	}
	if len(name) > 64 || strings.ContainsAny(name, " \t\n\r\f\x00") {
		return ""
	}
	return name
}

// foldSpace returns s with each run of white space replaced by one space.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
