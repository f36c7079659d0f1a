// SPDX-License-Identifier: Apache-2.0

package links

import "strings"

// commentEnd returns the offset after the comment whose text starts at i.
func commentEnd(text string, i int) int {
	switch {
	case strings.HasPrefix(text[i:], ">"):
		return i + len(">")
	case strings.HasPrefix(text[i:], "->"):
		return i + len("->")
	}
	for {
		n := strings.Index(text[i:], "--")
		if n < 0 {
			return len(text)
		}
		for i += n; i < len(text) && text[i] == '-'; {
			i++
		}
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, ">"):
			return i + len(">")
		case strings.HasPrefix(rest, "!>"):
			return i + len("!>")
		}
	}
}

// behind returns the offset after the next mark, or the end of the text.
func behind(text string, i int, mark string) int {
	n := strings.Index(text[i:], mark)
	if n < 0 {
		return len(text)
	}
	return i + n + len(mark)
}

// rawEnd returns the offset of the end tag of the element name, whose content
// is text and starts at i, or the end of the document.
func rawEnd(text string, i int, name string) int {
	if name == "script" {
		return scriptEnd(text, i)
	}
	for {
		n := strings.Index(text[i:], "</")
		if n < 0 {
			return len(text)
		}
		i += n
		i += len("</")
		if named(text[i:], name) {
			return i - len("</")
		}
	}
}

// named reports whether s starts with the complete tag name, in any letter
// case.
func named(s, name string) bool {
	if len(s) <= len(name) || !equalFold(s[:len(name)], name) {
		return false
	}
	c := s[len(name)]
	return c == '>' || c == '/' || isSpace(c)
}

// isEndTag reports whether s starts with the end tag of name.
func isEndTag(s, name string) bool {
	return strings.HasPrefix(s, "</") && named(s[len("</"):], name)
}

// scriptEnd is rawEnd for scripts. There "<!--" hides a "<script" and its end
// tag until "-->" (HTML standard, 13.2.5.15 to .31).
//
// In one case it follows x/net/html, with whose tree it must agree, instead of
// the standard: "<" without a following slash or letter ends the hidden part.
func scriptEnd(text string, i int) int {
	const (
		plain  = iota
		hidden // inside <!--
		double // inside <script inside <!--
	)
	state, dashes := plain, 0
	for i < len(text) {
		if state == plain {
			n := strings.IndexByte(text[i:], '<')
			if n < 0 {
				return len(text)
			}
			i += n
			switch rest := text[i:]; {
			case isEndTag(rest, "script"):
				return i
			case strings.HasPrefix(rest, "<!--"):
				state, dashes = hidden, 2
				i += len("<!--")
			default:
				i++
			}
			continue
		}
		switch c := text[i]; {
		case c == '-':
			dashes++
			i++
			continue
		case c == '>' && dashes >= 2:
			state = plain
			i++
		case c == '<' && state == hidden:
			rest := text[i:]
			switch {
			case isEndTag(rest, "script"):
				return i
			case strings.HasPrefix(rest, "</"):
				i += len("</")
			case named(rest[1:], "script"):
				state = double
				i += len("<script>")
			case len(rest) > 1 && isLetter(rest[1]):
				i++
			default:
				state = plain
				i++
			}
		case c == '<' && isEndTag(text[i:], "script"):
			state = hidden
			i += len("</script>")
		default:
			i++
		}
		dashes = 0
	}
	return len(text)
}
