// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// style is a style of the style sheet ([MS-DOC] 2.9.260).
type style struct {
	id, base   int
	paragraph  bool
	role       doctree.Role
	depth      int // of a table of contents entry, from 0
	para, char []byte
}

// IDs of built-in styles ([MS-DOC] 2.9.271).
const (
	idContents = 19 // level 1; the next eight levels follow
	idTitle    = 62
)

// roleOf returns the role of a style, by its ID if it is built in, otherwise
// by its name.
func roleOf(id int, name string) (role doctree.Role, depth int) {
	switch {
	case id >= idContents && id < idContents+9:
		return doctree.Contents, id - idContents
	case id == idTitle:
		return doctree.Title, 0
	}
	return doctree.RoleOf(name)
}

const (
	noStyle   = 0xFFF
	maxStyles = 4096
	maxBases  = 16 // length of a chain of styles based on each other
)

// readStyles reads the style sheet.
func (f *file) readStyles(b []byte) []style {
	head := u16(b, 0)
	base := u16(b, 4)
	b = b[min(2+head, len(b)):]
	var all []style
	for len(b) >= 2 && len(all) < maxStyles {
		size := u16(b, 0)
		std := b[2:min(2+size, len(b))]
		b = b[min(2+size, len(b)):]
		if len(b) > 0 && size%2 != 0 {
			b = b[1:]
		}
		all = append(all, f.readStyle(std, base))
	}
	return all
}

// readStyle reads a style whose name follows base bytes. In Word 6 and 95, the name
// has single bytes.
func (f *file) readStyle(std []byte, base int) style {
	s := style{id: -1, base: noStyle}
	if len(std) < 8 {
		return s
	}
	s.id = u16(std, 0) & 0xFFF
	kind := u16(std, 2)
	s.base = kind >> 4
	count := u16(std, 4) & 15
	at := base + 2 + 2*u16(std, base) + 2 // after the name and its terminator
	name := cfb.UTF16(cut(std, int64(base+2), 2*int64(u16(std, base))))
	if f.old {
		size := int(cutAt(std, base))
		at = base + 1 + size + 1
		name = string(cut(std, int64(base+1), int64(size)))
	}
	var parts [][]byte
	for range count {
		if at%2 != 0 {
			at++
		}
		size := u16(std, at)
		parts = append(parts, cut(std, int64(at+2), int64(size)))
		at += 2 + size
	}
	switch kind & 15 {
	case 1:
		s.paragraph = true
		s.role, s.depth = roleOf(s.id, name)
		if len(parts) > 0 && len(parts[0]) >= 2 {
			s.para = parts[0][2:]
		}
		if len(parts) > 1 {
			s.char = parts[1]
		}
	case 2:
		if len(parts) > 0 {
			s.char = parts[0]
		}
	}
	if f.old {
		s.para, s.char = modern(s.para, f.oldList), modern(s.char, nil)
	}
	return s
}

// cutAt returns the byte of b at an offset, or 0 if there is none.
func cutAt(b []byte, at int) byte {
	if at < 0 || at >= len(b) {
		return 0
	}
	return b[at]
}

// styles resolves each style once.
type styles struct {
	all   []style
	paras map[int]para
	chars map[int]look
}

// chain returns style i and its ancestors, the most distant first.
func (s *styles) chain(i int) []style {
	var chain []style
	for range maxBases {
		if i < 0 || i >= len(s.all) {
			break
		}
		chain = append([]style{s.all[i]}, chain...)
		i = s.all[i].base
	}
	return chain
}

// para returns the paragraph properties of style i.
func (s *styles) para(i int) para {
	if p, ok := s.paras[i]; ok {
		return p
	}
	p := para{style: i, outline: outlineNo}
	for _, st := range s.chain(i) {
		if st.id >= 1 && st.id <= 9 {
			p.outline = st.id - 1
		}
		if st.role != doctree.Plain {
			p.role, p.depth = st.role, st.depth
		}
		p.apply(st.para, nil, 1)
	}
	p.indented = false // set only by the paragraph itself
	if i < len(s.all) && s.all[i].role == doctree.Title {
		p.outline = 0
	}
	p.style = i
	s.paras[i] = p
	return p
}

// char returns the character properties of style i.
func (s *styles) char(i int) look {
	if l, ok := s.chars[i]; ok {
		return l
	}
	var l look
	for _, st := range s.chain(i) {
		l.apply(st.char, l)
	}
	s.chars[i] = l
	return l
}

// level is one level of a list ([MS-DOC] 2.9.150).
type level struct {
	start   int
	format  int // 0 decimal, 1 and 2 roman, 3 and 4 letters, 23 bullet, 255 nothing
	text    []uint16
	legal   bool // show all numbers as decimal
	restart int  // items above this level restart the numbers
	left    int  // indent of the text
}

// list is a list, or an instance of one with other start values.
type list struct {
	id     int64
	levels [9]level
	anew   [9]bool // levels whose numbers restart where this instance begins
}

const (
	zeroed   = 22
	bullet   = 23
	nothing  = 255
	maxLists = 16_384
)

// readLists reads the lists and their instances, which paragraphs refer to.
func (f *file) readLists() (uses []list) {
	at := int(u32(f.main, 0x9A+8*fibLists))
	b := f.part(fibLists)
	if len(b) < 2 {
		return nil
	}
	lists := map[int64]list{}
	rest := cut(f.table, int64(at+len(b)), int64(len(f.table)-at-len(b))) // the levels follow the part
	for i := range min(u16(b, 0), (len(b)-2)/28) {
		one := b[2+28*i:]
		l := list{id: u32(one, 0)}
		count := 9
		if one[26]&1 != 0 {
			count = 1
		}
		for n := range count {
			l.levels[n], rest = readLevel(rest, n)
		}
		lists[l.id] = l
	}
	u := f.part(fibListUses)
	n := int(min(u32(u, 0), int64(len(u)-4)/16, maxLists))
	if n <= 0 {
		return nil
	}
	over := u[4+16*n:]
	for i := range n {
		one := u[4+16*i:]
		l := lists[u32(one, 0)]
		if len(over) >= 4 {
			over = over[4:]
		}
		for range one[12] {
			if len(over) < 8 {
				break
			}
			flags := u32(over, 4)
			at := min(int(flags&15), 8)
			if flags&0x10 != 0 {
				l.levels[at].start, l.anew[at] = int(min(u32(over, 0), 1<<20)), true
			}
			over = over[8:]
			if flags&0x20 != 0 {
				l.levels[at], over = readLevel(over, at)
			}
		}
		uses = append(uses, l)
	}
	return uses
}

// readLevel reads level n of a list and returns the rest of b.
func readLevel(b []byte, n int) (l level, rest []byte) {
	if len(b) < 30 {
		return l, nil
	}
	l.start, l.format = int(min(u32(b, 0), 1<<20)), int(b[4])
	l.legal, l.restart = b[5]&4 != 0, n
	if b[5]&8 != 0 {
		l.restart = min(int(b[26]), n)
	}
	var p para
	p.apply(cut(b, 28, int64(b[25])), nil, 1)
	l.left = p.left
	at := 28 + int(b[24]) + int(b[25])
	size := u16(b, at)
	text := cut(b, int64(at+2), int64(2*size))
	for i := 0; i+1 < len(text); i += 2 {
		l.text = append(l.text, uint16(u16(text, i))) //nolint:gosec // 16 bits
	}
	return l, b[min(at+2+2*size, len(b)):]
}

// authors reads the names of comment authors.
func (f *file) authors() (names []string) {
	b := f.part(fibAuthors)
	for f.old && len(b) > 0 && len(names) < maxStyles {
		n := min(1+int(b[0]), len(b))
		names = append(names, cfb.Text(b[1:n], western))
		b = b[n:]
	}
	if f.old {
		return names
	}
	for len(b) >= 2 && len(names) < maxStyles {
		n := 2 * u16(b, 0)
		names = append(names, cfb.UTF16(cut(b, 2, int64(n))))
		b = b[min(2+n, len(b)):]
	}
	return names
}

// bookmarks reads the names of bookmarks by position.
func (f *file) bookmarks() map[int][]string {
	names := f.part(fibMarkNames)
	if u16(names, 0) != 0xFFFF || len(names) < 6 {
		return nil
	}
	names = names[6:]
	at, data := plc(f.part(fibMarks), 4)
	marks := map[int][]string{}
	for i := range data {
		if len(names) < 2 {
			break
		}
		n := 2 * u16(names, 0)
		// Word also marks where the user clicked. No link refers to such a mark.
		if name := cfb.UTF16(cut(names, 2, int64(n))); name != "" && !strings.HasPrefix(name, "_Hlt") && name != "_GoBack" {
			marks[at[i]] = append(marks[at[i]], name)
		}
		names = names[min(2+n, len(names)):]
	}
	return marks
}
