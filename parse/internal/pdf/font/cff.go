// SPDX-License-Identifier: Apache-2.0

package font

// cff holds what a CFF font program says about its glyphs (Adobe Technical
// Note 5176).
type cff struct {
	cid     bool        // glyphs have CIDs instead of names
	charset []int       // SID or CID by glyph index
	strings []string    // strings of the font, which begin at SID 391
	code    [256]int    // built-in encoding: glyph index by code, or 0
	gids    map[int]int // glyph index by SID or CID
}

// parseCFF reads a CFF font program. It returns nil if b is not one.
func parseCFF(b []byte) *cff {
	if len(b) < 4 || b[0] != 1 {
		return nil
	}
	_, at := cffIndex(b, int(b[2]))
	dicts, at := cffIndex(b, at)
	strs, _ := cffIndex(b, at)
	if len(dicts) == 0 {
		return nil
	}
	f := &cff{gids: map[int]int{}}
	for _, s := range strs {
		f.strings = append(f.strings, string(s))
	}
	top := cffDict(dicts[0])
	_, f.cid = top[12<<8|30] // operator ROS
	glyphs := cffCount(b, top[17])
	f.readCharset(b, top[15], glyphs)
	if !f.cid {
		f.readEncoding(b, top[16])
	}
	return f
}

// cffIndex returns the items of the INDEX at offset at, and the offset of
// its end.
func cffIndex(b []byte, at int) (items [][]byte, end int) {
	n := be16(b, at)
	if n == 0 || at < 0 || at+3 > len(b) {
		return nil, at + 2
	}
	size := int(b[at+2])
	if size < 1 || size > 4 || at+3+(n+1)*size > len(b) {
		return nil, len(b)
	}
	offset := func(i int) int {
		v := 0
		for _, c := range b[at+3+i*size : at+3+(i+1)*size] {
			v = v<<8 | int(c)
		}
		return v
	}
	base := at + 2 + (n+1)*size
	reached := 0 // end of the items so far; items must not overlap
	for i := range n {
		from, to := offset(i), offset(i+1)
		if from < reached {
			items = append(items, nil)
			continue
		}
		reached = max(reached, to)
		items = append(items, part(b, base+from, to-from))
	}
	return items, base + offset(n)
}

// cffCount returns the number of items of the INDEX at offset at.
func cffCount(b []byte, at int) int {
	if at <= 0 {
		return 0
	}
	return be16(b, at)
}

// cffDict returns the last operand of each operator of a DICT. The key of a
// two-byte operator is 12<<8 plus its second byte. Real numbers are returned
// as 0.
func cffDict(b []byte) map[int]int {
	m := map[int]int{}
	value := 0
	for i := 0; i < len(b); {
		c := int(b[i])
		i++
		switch {
		case c == 12:
			if i < len(b) {
				m[12<<8|int(b[i])] = value
			}
			i++
			value = 0
		case c <= 21:
			m[c] = value
			value = 0
		case c == 28:
			value = int(int16(be16(b, i))) //nolint:gosec // sixteen bits
			i += 2
		case c == 29:
			value = int(int32(be32(b, i))) //nolint:gosec // thirty-two bits
			i += 4
		case c == 30:
			for i < len(b) && b[i]&0x0f != 0x0f && b[i]>>4 != 0x0f {
				i++
			}
			i++
			value = 0
		case c >= 32 && c <= 246:
			value = c - 139
		case c >= 247 && c <= 250 && i < len(b):
			value = (c-247)*256 + int(b[i]) + 108
			i++
		case c >= 251 && c <= 254 && i < len(b):
			value = -(c-251)*256 - int(b[i]) - 108
			i++
		}
	}
	return m
}

func (f *cff) readCharset(b []byte, at, glyphs int) {
	f.charset = append(f.charset, 0)
	if at <= 2 { // predefined: in ISOAdobe the SID equals the glyph index
		for i := 1; i < glyphs; i++ {
			f.charset = append(f.charset, i)
		}
	} else {
		f.readRanges(b, at, glyphs)
	}
	for gid, sid := range f.charset {
		if _, ok := f.gids[sid]; !ok {
			f.gids[sid] = gid
		}
	}
}

func (f *cff) readRanges(b []byte, at, glyphs int) {
	if at >= len(b) || at < 0 {
		return
	}
	format := b[at]
	at++
	for len(f.charset) < glyphs && at+1 < len(b) {
		first, left := be16(b, at), 0
		at += 2
		switch format {
		case 1:
			if at < len(b) {
				left = int(b[at])
			}
			at++
		case 2:
			left = be16(b, at)
			at += 2
		}
		for i := 0; i <= left && len(f.charset) < glyphs; i++ {
			f.charset = append(f.charset, first+i)
		}
	}
}

func (f *cff) readEncoding(b []byte, at int) {
	if at <= 1 { // Standard encoding; the Expert encoding is not supported
		for code, name := range encodings()["StandardEncoding"] {
			f.code[code] = f.gidOf(name)
		}
		return
	}
	if at >= len(b) {
		return
	}
	format := b[at]
	n := be8(b, at+1)
	at += 2
	gid := 1
	for range n {
		switch p := part(b, at, 2); {
		case len(p) < 1:
			return
		case format&0x7f == 0:
			f.code[p[0]] = gid
			gid++
			at++
		case len(p) == 2:
			for i := range int(p[1]) + 1 {
				f.code[(int(p[0])+i)&0xff] = gid
				gid++
			}
			at += 2
		}
	}
	if format&0x80 == 0 {
		return
	}
	for i := range be8(b, at) {
		p := part(b, at+1+3*i, 3)
		if len(p) == 3 {
			f.code[p[0]] = f.gids[be16(p, 1)]
		}
	}
}

// sidName returns the string with a string ID.
func (f *cff) sidName(sid int) string {
	std := standardStrings().cff
	switch {
	case sid < 0:
		return ""
	case sid < len(std):
		return std[sid]
	case sid-len(std) < len(f.strings):
		return f.strings[sid-len(std)]
	}
	return ""
}

// name returns the name of a glyph, or "" if it has none.
func (f *cff) name(gid int) string {
	if f.cid || gid < 0 || gid >= len(f.charset) {
		return ""
	}
	return f.sidName(f.charset[gid])
}

// gidOf returns the index of the glyph with a name, or 0 if there is none.
func (f *cff) gidOf(name string) int {
	if name == "" {
		return 0
	}
	for gid := range f.charset {
		if f.name(gid) == name {
			return gid
		}
	}
	return 0
}

// encoding returns the built-in encoding: glyph names by code.
func (f *cff) encoding() *[256]string {
	e := new([256]string)
	for code, gid := range f.code {
		if gid > 0 {
			e[code] = f.name(gid)
		}
	}
	return e
}
