// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
)

// object reads the object whose digits follow. Its content follows the paragraph.
func (d *reader) object() {
	b := d.s.hex(d.objects.Left())
	d.objects.Take(len(b))
	o := native(b)
	o.Program = cmp.Or(o.Program, d.program)
	if d.unseen() {
		d.objects.Fail(o.Program)
		return
	}
	if figure := d.objects.Read(d.ctx, &d.b, o, d.options.Nodes-d.b.Count()-d.objects.Made); figure != nil {
		if formula := embedded.Formula(figure); formula != nil {
			d.out.line.Node(formula, doctree.Style{})
		} else {
			d.out.aside = append(d.out.aside, figure)
		}
		d.replaced = true
	}
}

// native reads an embedded object of OLE 1 ([MS-OLEDS] 2.2.5).
func native(b []byte) (o cfb.Object) {
	const embeds = 2
	if len(b) < 8 || binary.LittleEndian.Uint32(b[4:]) != embeds {
		return o
	}
	b = b[8:]
	field := func() []byte {
		if len(b) < 4 {
			b = nil
			return nil
		}
		n := min(int64(binary.LittleEndian.Uint32(b)), int64(len(b)-4))
		f := b[4 : 4+n]
		b = b[4+n:]
		return f
	}
	o.Program = cfb.Text(bytes.TrimRight(field(), "\x00"), 1252)
	field() // topic
	field() // item
	o.Data = field()
	if name, data := cfb.Packaged(o.Data); data != nil {
		o.Name, o.Data = name, data
	}
	return o
}

// hex returns the bytes whose hexadecimal digits follow, and moves after them. If there
// are more than limit, it returns nil.
func (s *scanner) hex(limit int64) []byte {
	from := s.at
	for s.at < len(s.data) && isHex(s.data[s.at]) {
		s.at++
	}
	if int64(s.at-from)/2 > limit {
		return nil
	}
	return digits(s.data[from:s.at])
}

// hexBefore returns the bytes whose hexadecimal digits end the group that was just
// read. They begin at or after an offset.
func (s *scanner) hexBefore(after int) []byte {
	to := s.at
	if to > after && s.data[to-1] == '}' {
		to--
	}
	from := to
	for from > after && isHex(s.data[from-1]) {
		from--
	}
	return digits(s.data[from:to])
}

// isHex reports whether c is a hexadecimal digit or space between digits.
func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' || c == ' ' || c == '\r' || c == '\n' || c == '\t'
}

// digits returns the bytes of hexadecimal digits with spaces between them.
func digits(text []byte) []byte {
	b := make([]byte, 0, len(text)/2)
	high, half := byte(0), false
	for _, c := range text {
		switch {
		case c <= ' ':
			continue
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		if half {
			b = append(b, high<<4|c)
		}
		high, half = c, !half
	}
	return b
}
