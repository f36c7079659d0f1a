// SPDX-License-Identifier: Apache-2.0

package epub

import (
	"bytes"
	"slices"
)

// markup turns the XHTML of a chapter into text that an HTML parser reads in
// the same way. It also finds damage that makes an HTML parser drop text.
type markup struct {
	data    []byte
	lower   []byte          // data with ASCII letters in lower case
	next    map[string]int  // the last result of find for each mark
	tags    map[string]int  // start tags without end tags, by their names
	spaces  map[string]bool // prefixes of names that HTML has without one
	dropped int             // open elements of which the content is left out
	damaged bool            // text may be missing from the result, or out of place
	out     bytes.Buffer
}

// expand returns data as HTML and whether it is damaged. Empty elements in the
// short form get an end tag, names of XHTML, MathML and SVG lose their prefixes, and CDATA
// sections become text. An element such as
// title, of which an HTML parser reads all text up to the end tag, gets the end
// tag if it has none: the rest of the chapter would be part of it.
func expand(data []byte) (text []byte, damaged bool) {
	m := markup{data: data, lower: slices.Clone(data), next: map[string]int{}, tags: map[string]int{}, spaces: map[string]bool{}}
	for i, c := range m.lower {
		if 'A' <= c && c <= 'Z' {
			m.lower[i] = c | 0x20
		}
	}
	m.out.Grow(len(data) + len(data)/16)
	for at := 0; at < len(data); {
		i := bytes.IndexByte(data[at:], '<')
		if i < 0 {
			m.out.Write(data[at:])
			break
		}
		m.out.Write(data[at : at+i])
		at = m.tag(at + i)
	}
	return m.out.Bytes(), m.damaged || m.dropped > 0 || m.unbalanced()
}

// unbalanced reports whether a page that is XML has elements without an end tag or end
// tags without an element: a tag may have swallowed others.
func (m *markup) unbalanced() bool {
	if !bytes.Contains(m.lower[:min(len(m.lower), maxProlog)], []byte("http://www.w3.org/1999/xhtml")) {
		return false
	}
	for _, n := range m.tags {
		if n != 0 {
			return true
		}
	}
	return false
}

const (
	maxProlog = 4 << 10 // bytes in which the namespace is declared
	maxNames  = 1000    // names of tags that are counted
)

// count counts a start tag or an end tag.
func (m *markup) count(name []byte, by int) {
	if _, known := m.tags[string(name)]; known || len(m.tags) < maxNames {
		m.tags[string(name)] += by
	}
}

// tag writes the tag, comment, section or instruction at the offset, and returns
// the offset of what follows.
func (m *markup) tag(at int) int {
	end := at + m.skip(m.data[at:])
	tag, lower := m.data[at:end], m.lower[at:end]
	if section, ok := bytes.CutPrefix(tag, []byte("<![CDATA[")); ok {
		for _, c := range bytes.TrimSuffix(section, []byte("]]>")) {
			switch c {
			case '<':
				m.out.WriteString("&lt;")
			case '&':
				m.out.WriteString("&amp;")
			default:
				m.out.WriteByte(c)
			}
		}
		return end
	}
	if rest, ok := bytes.CutPrefix(lower, []byte("</")); ok {
		name := nameOf(rest)
		if n := m.prefix(name); n > 0 {
			name = name[n:]
			m.out.WriteString("</")
			tag = tag[len("</")+n:]
		}
		if string(name) == "iframe" {
			m.out.WriteString("</object>")
			m.count([]byte("object"), -1)
			return end
		}
		if isDropped(string(name)) && m.dropped > 0 {
			m.dropped--
		}
		if name != nil && !isVoid(string(name)) {
			m.count(name, -1)
		}
		m.out.Write(tag)
		return end
	}
	whole := string(nameOf(lower)) // with its prefix
	m.declare(lower)
	name := whole
	if n := m.prefix([]byte(name)); n > 0 {
		name = name[n:]
		m.out.WriteString("<")
		tag = tag[len("<")+n:]
	}
	if name == "iframe" {
		// An HTML parser reads what is in a frame as text, but in XHTML it is markup.
		at := bytes.Index(lower, []byte(name)) + len(name)
		m.out.WriteString("<object")
		tag, name = tag[at:], "object"
	}
	switch {
	case name == "" || isVoid(name):
		m.out.Write(tag)
	case bytes.HasSuffix(tag, []byte("/>")):
		m.out.Write(tag[:len(tag)-2])
		m.out.WriteString("></" + name + ">")
	default:
		m.count([]byte(name), 1)
		m.out.Write(tag)
		if isRaw(name) {
			return m.raw(name, whole, end)
		}
		if isDropped(name) {
			m.dropped++
		}
	}
	return end
}

// maxSpaces bounds the prefixes that are known.
const maxSpaces = 16

// declare notes the prefixes that a start tag declares for names of XHTML, MathML and SVG.
func (m *markup) declare(tag []byte) {
	for len(m.spaces) < maxSpaces {
		_, rest, ok := bytes.Cut(tag, []byte("xmlns:"))
		if !ok {
			return
		}
		prefix, value, ok := bytes.Cut(rest, []byte("="))
		if tag = rest; !ok {
			return
		}
		value = bytes.TrimLeft(value, " \t\r\n\"'")
		for _, space := range []string{"http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/math/mathml", "http://www.w3.org/2000/svg"} {
			if bytes.HasPrefix(value, []byte(space)) {
				m.spaces[string(bytes.TrimSpace(prefix))] = true
			}
		}
	}
}

// prefix returns the length of the prefix of a name, with its colon, that HTML does not
// have.
func (m *markup) prefix(name []byte) int {
	if n := bytes.IndexByte(name, ':'); n > 0 && n+1 < len(name) && m.spaces[string(name[:n])] {
		return n + 1
	}
	return 0
}

// raw writes the text at the offset, which is that of an element whose text ends
// at the end tag only (whole is its name with its prefix), and returns the offset of the end tag. If there is no end
// tag before the end of the head or body, it adds one.
func (m *markup) raw(name, whole string, at int) int {
	end, edge, head := m.find("</"+whole, at), len(m.data), false
	for _, mark := range []string{"</head", "<body", "</body"} {
		if n := m.find(mark, at); n < edge {
			edge, head = n, mark != "</body"
		}
	}
	if end < edge {
		m.out.Write(m.data[at:end])
		return end
	}
	m.damaged = true
	if !head || name == "title" {
		// The text is what precedes the next tag.
		for edge = at; edge < len(m.data); edge++ {
			if m.data[edge] == '<' && edge+1 < len(m.data) && (m.data[edge+1] == '/' || nameOf(m.lower[edge:]) != nil) {
				break
			}
		}
	}
	m.out.Write(m.data[at:edge])
	m.out.WriteString("</" + name + ">")
	return edge
}

// find returns the offset of the first mark at or after from, or the length of
// the data. It remembers the offset, so that the time for many calls with
// ascending offsets is linear.
func (m *markup) find(mark string, from int) int {
	if n, ok := m.next[mark]; ok && n >= from {
		return n
	}
	n := bytes.Index(m.lower[from:], []byte(mark))
	if n < 0 {
		n = len(m.lower)
	} else {
		n += from
	}
	m.next[mark] = n
	return n
}

// skip returns the length of the tag, comment or instruction at the start of
// data.
func (m *markup) skip(data []byte) int {
	ends := func(mark string) int {
		if n := bytes.Index(data, []byte(mark)); n >= 0 {
			return n + len(mark)
		}
		m.damaged = true
		return len(data)
	}
	switch {
	case bytes.HasPrefix(data, []byte("<!--")):
		n := ends("-->")
		// Without its end, a comment reaches to the end of the next one.
		m.damaged = m.damaged || bytes.Contains(data[4:n], []byte("<!--"))
		return n
	case bytes.HasPrefix(data, []byte("<![CDATA[")):
		return ends("]]>")
	case bytes.HasPrefix(data, []byte("<?")):
		return ends("?>")
	case nameOf(data) == nil && !bytes.HasPrefix(data, []byte("</")) && !bytes.HasPrefix(data, []byte("<!")):
		return 1 // a less-than sign in text
	}
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '"', '\'':
			n := bytes.IndexByte(data[i+1:], data[i])
			if n < 0 {
				m.damaged = true
				return len(data)
			}
			// XML allows no less-than sign in a value: the quotation mark of
			// an earlier value is missing, and tags are part of this value.
			m.damaged = m.damaged || bytes.IndexByte(data[i+1:i+1+n], '<') >= 0
			i += n + 1
		case '>':
			return i + 1
		case '<':
			return i
		}
	}
	return len(data)
}

// isRaw reports whether an HTML parser reads everything up to the end tag of the
// element as text.
func isRaw(name string) bool {
	switch name {
	case "title", "textarea", "style", "script", "iframe", "noembed", "noframes", "xmp":
		return true
	}
	return false
}

// isDropped reports whether the content of an element with tags is left out.
func isDropped(name string) bool { return name == "template" }

// nameOf returns the name of a start tag, or nil if the tag is not one.
func nameOf(tag []byte) []byte {
	name := bytes.TrimPrefix(tag, []byte("<"))
	end := bytes.IndexAny(name, " \t\r\n/>")
	if end <= 0 || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
		return nil
	}
	return name[:end]
}
