// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// listing writes a code block.
func (w *writer) listing(n *html.Node) {
	w.paragraph()
	s := bytes.TrimSuffix(codeText(n), []byte("\n"))
	info := language(n)
	w.start(fence)
	mark := "`"
	if strings.Contains(info, mark) {
		mark = "~"
	}
	bar := strings.Repeat(mark, max(3, longestRun(s, mark[0])+1))
	w.out = append(w.out, bar...)
	w.info(info)
	if len(s) > 0 || n.FirstChild != nil && hasNewline(n) {
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
func (w *writer) info(s string) {
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

// hasNewline reports whether all that n holds is line ends.
func hasNewline(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = following(c, n) {
		if c.Type == html.TextNode && c.Data != "" {
			return true
		}
	}
	return false
}

// longestRun returns the length of the longest stretch of c in s.
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

// codeText returns the text of a code block: line breaks and elements that are
// lines end lines, line numbers and buttons are left out.
func codeText(n *html.Node) []byte {
	var b []byte
	skip := func(c *html.Node) bool {
		return c.Type == html.ElementNode && (c.DataAtom == atom.Button || c.DataAtom == atom.Style || c.DataAtom == atom.Script || isGutter(c))
	}
	isLine := func(c *html.Node) bool {
		switch c.DataAtom {
		case atom.Div, atom.P, atom.Li, atom.Tr:
			return c.Type == html.ElementNode
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
		}
		if down != nil {
			c = down
			continue
		}
		for c != n && c.NextSibling == nil {
			if c = c.Parent; c != n && isLine(c) && (len(b) == 0 || b[len(b)-1] != '\n') {
				b = append(b, '\n')
			}
		}
		if c == n {
			break
		}
		c = c.NextSibling
	}
	return b
}

// appendCode appends s without what Markdown cannot hold.
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

// isGutter reports whether n holds line numbers.
func isGutter(n *html.Node) bool {
	for class := range strings.FieldsSeq(value(n, "class")) {
		switch class {
		case "gutter", "lineno", "linenos", "line-number", "line-numbers", "line-numbers-rows", "blob-num", "linenodiv", "lnt", "ln":
			return true
		}
	}
	return false
}

// language returns the info string of the code block n: from its own marks,
// its code element's, or those of the two elements around it.
func language(n *html.Node) string {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Code {
			if s := named(c); s != "" {
				return s
			}
			break
		}
	}
	for range 3 {
		if s := named(n); s != "" {
			return s
		}
		if n = n.Parent; n == nil || n.Type != html.ElementNode {
			break
		}
	}
	return ""
}

// named returns the language that n's attributes name.
func named(n *html.Node) string {
	name := ""
	for _, key := range []string{"data-lang", "data-language"} {
		if name == "" {
			name = value(n, key)
		}
	}
	fields := strings.Fields(value(n, "class"))
	for i, class := range fields {
		if name != "" {
			break
		}
		for _, mark := range []string{"language-", "lang-", "highlight-source-", "brush:"} {
			if rest, ok := strings.CutPrefix(class, mark); ok {
				name = rest
				if mark == "brush:" {
					name, _, _ = strings.Cut(name, ";")
				}
			}
		}
		if class == "brush:" && i+1 < len(fields) {
			name, _, _ = strings.Cut(fields[i+1], ";")
		}
	}
	name = strings.ToValidUTF8(name, "")
	if len(name) > 64 || name == "none" || strings.ContainsAny(name, " \t\n\r\f\x00") {
		return ""
	}
	return name
}

// foldSpace returns s with its white space folded to single spaces.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
