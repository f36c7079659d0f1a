// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"bytes"
	"slices"
	"sort"
)

// file is the content of the boxes of a JP2 file (annex I).
type file struct {
	stream   []byte // the codestream
	space    Space
	palette  *palette
	channels []channel
}

// channel is an entry of a channel definition box (cdef).
type channel struct{ number, kind, of int }

// readBoxes reads a JP2 file. Data without boxes is treated as a bare
// codestream.
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
	if f.stream == nil { // damaged boxes: search the codestream
		if i := bytes.Index(data, []byte{0xff, markSOC, 0xff, markSIZ}); i >= 0 {
			f.stream = data[i:]
		}
	}
	return f
}

// boxes calls visit for each box of data (I.4) until visit returns false.
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

// header reads a box of the JP2 header.
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

// readSpace reads the colour space of a box colr. It is enumerated, or that
// of an ICC profile, of which only the colour space signature is read.
func readSpace(method int, r *reader) Space {
	if method == 1 {
		return map[int]Space{12: CMYK, 16: RGB, 17: Gray, 18: YCC}[r.u32()]
	}
	r.take(16)
	return map[string]Space{"GRAY": Gray, "RGB ": RGB, "CMYK": CMYK}[string(r.take(4))]
}

// order returns the indices of the colour channels, in the order of their
// colours.
func (f *file) order(n int) []int {
	var known []channel
	for _, c := range f.channels {
		const opacity, others = 0, 65535
		if c.number < n && c.kind == opacity && c.of > 0 && c.of < others {
			known = append(known, c)
		}
	}
	sort.SliceStable(known, func(i, j int) bool { return known[i].of < known[j].of })
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

// palette is the content of the boxes pclr and cmap: the columns of the
// palette, and for each channel its component and column.
type palette struct {
	columns  [][]byte
	channels []mapping
}

// mapping is the component and the palette column of a channel. The column
// is -1 for direct use.
type mapping struct{ component, column int }

// readPalette reads a box pclr. It returns nil if the box is empty.
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

// fits reports whether all components and columns that the channels refer to
// exist.
func (p *palette) fits(components int) bool {
	return !slices.ContainsFunc(p.channels, func(c mapping) bool {
		return c.component >= components || c.column >= len(p.columns)
	})
}

// look maps the samples of a plane, which had depth bits, through a palette
// column.
func (p *palette) look(from Plane, column, depth int) Plane {
	out := Plane{W: from.W, H: from.H, Pix: make([]byte, len(from.Pix))}
	entries := p.columns[column]
	most := 1<<min(depth, 8) - 1
	for i, v := range from.Pix {
		out.Pix[i] = entries[min((int(v)*most+127)/255, len(entries)-1)]
	}
	return out
}
