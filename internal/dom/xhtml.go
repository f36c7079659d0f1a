// SPDX-License-Identifier: Apache-2.0

package dom

import "strings"

// rawNames are the elements of which HTML reads everything up to the end tag as text.
var rawNames = [...]string{"script", "style", "title", "textarea", "iframe", "noframes", "noembed", "xmp"}

// isXHTML reports whether a declared media type is that of XHTML, which browsers read as
// XML.
func isXHTML(contentType string) bool {
	const kind = "application/xhtml+xml"
	contentType = strings.TrimLeft(contentType, " \t")
	return len(contentType) >= len(kind) && strings.EqualFold(contentType[:len(kind)], kind)
}

// endEmpty gives an end tag to the elements of XHTML that are empty in the short form,
// such as <script src="x"/>. Otherwise an HTML parser would read all that follows as
// their text. It changes only elements of rawNames.
func endEmpty(text string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			break
		}
		at += i + 1
		after := "" // text up to which nothing is changed
		if strings.HasPrefix(text[at:], "!--") {
			after = "-->"
		}
		name := rawName(text[at:])
		switch end := tagEnd(text[at+len(name):]); {
		case name == "" || end < 0:
		case text[at+len(name)+end-1] == '/':
			at += len(name) + end - 1
			b.WriteString(text[done:at])
			b.WriteString("></" + name)
			done = at + len("/")
		default:
			after = "</" + name
		}
		if i = strings.Index(text[at:], after); i < 0 {
			break
		}
		at += i
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// rawName returns the element of rawNames with whose name text begins, or "".
func rawName(text string) string {
	for _, name := range rawNames {
		if rest, ok := strings.CutPrefix(text, name); ok && rest != "" && strings.IndexByte(" \t\n\r/>", rest[0]) >= 0 {
			return name
		}
	}
	return ""
}

// tagEnd returns the offset of the '>' that ends a start tag, given what follows its name,
// or -1 if there is none. Attributes of XML contain no '<'.
func tagEnd(rest string) int {
	quote := byte(0)
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '<':
			return -1
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		}
	}
	return -1
}
