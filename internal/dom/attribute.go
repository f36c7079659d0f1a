// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"
)

const (
	hugeTag      = 64 << 10 // size in bytes from which the attributes of a tag are counted
	hugeText     = 1 << 20  // size of a text in bytes from which the attributes of all tags are counted
	maxTagValues = 1000     // number of attributes that a tag then keeps
)

// trim returns text without the attributes beyond the first most of each tag, and
// the number of these, because the tree builder compares the names of all attributes of a tag. It
// skips comments and elements whose content is not markup.
func trim(text string, most int) (short string, left int) {
	var out strings.Builder
	kept := 0 // length of the part of text that was copied to out or omitted
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			break
		}
		at += i + 1
		rest := text[at:]
		if strings.HasPrefix(rest, "!--") {
			at = past(text, at+3, "-->")
			continue
		}
		if rest == "" || rest[0]|0x20 < 'a' || rest[0]|0x20 > 'z' {
			continue
		}
		name, last, end, count := attributes(text, at, most)
		if last > 0 {
			left += count - most
			out.WriteString(text[kept:last])
			kept = end
		}
		at = end
		switch name {
		case "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes":
			at = past(text, at, "</"+name)
		}
	}
	if kept == 0 {
		return text, 0
	}
	out.WriteString(text[kept:])
	return out.String(), left
}

// past returns the index after the next mark in text[at:], in any letter case,
// or len(text) if there is none.
func past(text string, at int, mark string) int {
	for at < len(text) {
		i := strings.IndexByte(text[at:], mark[0])
		if i < 0 || at+i+len(mark) > len(text) {
			break
		}
		if at += i; strings.EqualFold(text[at:at+len(mark)], mark) {
			return at + len(mark)
		}
		at++
	}
	return len(text)
}

// attributes reads the tag whose name starts at index at. It returns the name
// in lower case, the index of its '>' and the number of attributes. If it has more
// than most of them, last is where the last that fits ends; else last is zero.
func attributes(text string, at, most int) (name string, last, end, count int) {
	is := func(set string) bool { return at < len(text) && strings.IndexByte(set, text[at]) >= 0 }
	until := func(set string) {
		for at < len(text) && strings.IndexByte(set, text[at]) < 0 {
			at++
		}
	}
	start := at
	until(" \t\r\n\f/>")
	name = strings.ToLower(text[start:min(at, start+16)])
	for {
		for is(" \t\r\n\f/") {
			at++
		}
		if at >= len(text) || text[at] == '>' {
			break
		}
		if count++; count == most+1 {
			last = at
		}
		at++ // a name may even start with '='
		until(" \t\r\n\f/>=")
		for is(" \t\r\n\f") {
			at++
		}
		if !is("=") {
			continue
		}
		for at++; is(" \t\r\n\f"); at++ {
		}
		switch {
		case is(`"`):
			at = past(text, at+1, `"`)
		case is(`'`):
			at = past(text, at+1, `'`)
		default:
			until(" \t\r\n\f>")
		}
	}
	return name, last, at, count
}
