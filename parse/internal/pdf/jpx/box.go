// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"bytes"
	"cmp"
	"slices"
)

// file is what the boxes of a JP2 file say (annex I).
type file struct {
	stream   []byte // the codestream
	space    Space
	palette  *palette
	channels []channel
}

// channel is an entry of the box cdef.
type channel struct{ number, kind, of int }

// readBoxes reads a file; data without boxes are a codestream.
func readBoxes(data []byte) file {
	var f file
	if bytes.HasPrefix(data, []byte{0xff, markSOC}) {
		f.stream = data
		return f
	}
	var entries *palette
	boxes(data, func(kind string, body []byte) bool {
		switch kind {
		case "jp2h":
			boxes(body, func(kind string, body []byte) bool {
				f.header(kind, body, &entries)
				return true
			})
		case "jp2c":
			f.stream = body
			return false
		}
		return true
	})
	if f.palette = entries; entries != nil && entries.channels == nil {
		f.palette = nil
	}
	if f.stream == nil { // damaged boxes do no harm
		if i := bytes.Index(data, []byte{0xff, markSOC, 0xff, markSIZ}); i >= 0 {
			f.stream = data[i:]
		}
	}
	return f
}

// boxes calls visit for each box of data, until it returns false (I.4).
func boxes(data []byte, visit func(kind string, body []byte) bool) {
	for len(data) >= 8 {
		r := reader{data: data}
		n, kind := r.u32(), string(r.take(4))
		switch n {
		case 0:
			n = len(data)
		case 1:
			if r.u32() != 0 {
				return
			}
			n = r.u32()
		}
		if n < r.at || r.short {
			return
		}
		n = min(n, len(data))
		if !visit(kind, data[r.at:n]) {
			return
		}
		data = data[n:]
	}
}

// header reads a box of the header.
func (f *file) header(kind string, body []byte, entries **palette) {
	r := reader{data: body}
	switch kind {
	case "colr":
		if method := r.u8(); f.space == Other {
			r.take(2)
			f.space = readSpace(method, &r)
		}
	case "pclr":
		if *entries == nil {
			*entries = readPalette(&r)
		}
	case "cmap":
		if p := *entries; p != nil && p.channels == nil {
			for r.at+4 <= len(body) {
				c := mapping{component: r.u16(), column: -1}
				if kind, column := r.u8(), r.u8(); kind == 1 {
					c.column = column
				}
				p.channels = append(p.channels, c)
			}
		}
	case "cdef":
		n := r.u16()
		for f.channels = nil; n > 0 && r.at+6 <= len(body); n-- {
			f.channels = append(f.channels, channel{r.u16(), r.u16(), r.u16()})
		}
	}
}

// readSpace reads the colours of a box colr: enumerated, or an ICC profile, of
// which the kind is looked at.
func readSpace(method int, r *reader) Space {
	if method == 1 {
		return map[int]Space{12: CMYK, 16: RGB, 17: Gray, 18: YCC}[r.u32()]
	}
	r.take(16)
	return map[string]Space{"GRAY": Gray, "RGB ": RGB, "CMYK": CMYK}[string(r.take(4))]
}

// order returns the channels that are colours, in their order.
func (f *file) order(n int) []int {
	var known []channel
	for _, c := range f.channels {
		const opacity, others = 0, 65535
		if c.number < n && c.kind == opacity && c.of > 0 && c.of < others {
			known = append(known, c)
		}
	}
	slices.SortStableFunc(known, func(a, b channel) int { return cmp.Compare(a.of, b.of) })
	var out []int
	for _, c := range known {
		out = append(out, c.number)
	}
	if out == nil {
		for i := range n {
			out = append(out, i)
		}
	}
	return out
}

// palette is the boxes pclr and cmap: the channels, and the columns of entries
// that they are looked up in.
type palette struct {
	columns  [][]byte
	channels []mapping
}

// mapping is the component of a channel, and the column of it; -1: none.
type mapping struct{ component, column int }

// readPalette reads a box pclr; nil where it holds none.
func readPalette(r *reader) *palette {
	entries, n := r.u16(), r.u8()
	depths := make([]int, n)
	for i := range depths {
		depths[i] = r.u8()&127 + 1
	}
	p := &palette{columns: make([][]byte, n)}
	for range min(entries, 1024) {
		for i, depth := range depths {
			v := 0
			for range (depth + 7) / 8 {
				v = v<<8&0xffff | r.u8()
			}
			p.columns[i] = append(p.columns[i], byteTable(depth)[v>>max(min(depth, 16)-8, 0)&255])
		}
		if r.short {
			return nil
		}
	}
	if entries == 0 || r.short {
		return nil
	}
	return p
}

// fits says whether all that channels refer to is there.
func (p *palette) fits(components int) bool {
	return !slices.ContainsFunc(p.channels, func(c mapping) bool {
		return c.component >= components || c.column >= len(p.columns)
	})
}

// look looks up a plane of samples of depth bits in a column.
func (p *palette) look(from Plane, column, depth int) Plane {
	out := Plane{W: from.W, H: from.H, Pix: make([]byte, len(from.Pix))}
	entries := p.columns[column]
	most := 1<<min(depth, 8) - 1
	for i, v := range from.Pix {
		out.Pix[i] = entries[min((int(v)*most+127)/255, len(entries)-1)]
	}
	return out
}
