// SPDX-License-Identifier: Apache-2.0

package doc

import "example.com/curlew/internal/doctree"

// Single property modifiers ([MS-DOC] 2.6).
const (
	cDeleted  = 0x0800
	cData     = 0x0806
	cPicture  = 0x6A03
	cFont     = 0x4A4F
	cBold     = 0x0835
	cItalic   = 0x0836
	cStrike   = 0x0837
	cVanish   = 0x083C
	cSpecial  = 0x0855
	cDouble   = 0x2A53
	cUnder    = 0x2A3E
	cRaise    = 0x2A48
	cPlace    = 0x4845
	cSize     = 0x4A43
	cStyle    = 0x4A30
	cSymbol   = 0x6A09
	cLanguage = 0x486D
	pStyle    = 0x4600
	pInTable  = 0x2416
	pRowEnd   = 0x2417
	pLevel    = 0x6649
	pCellEnd  = 0x244B
	pInnerEnd = 0x244C
	pOutline  = 0x2640
	pListLvl  = 0x260A
	pList     = 0x460B
	pBidi     = 0x2441
	pLeft     = 0x845E
	pLeft2    = 0x840F
	pFirst    = 0x8460
	pFirst2   = 0x8411
	pDropCap  = 0x442C
	pSide     = 0x2461
	pSide2    = 0x2403
	pLineTop  = 0xC64E // left, bottom and right have the next codes
	pLineTop2 = 0x6424
	pHuge     = 0x6646
	pHuge2    = 0x6645
	tDefine   = 0xD608
	tMerge    = 0xD62B
	tHeader   = 0x3404
	pTabs     = 0xC615
	sStories  = 0x3014 // headers and footers of a section; not one of Word 97
	outlineNo = 9      // body text
)

// shortModifiers are the modifiers that the table of pieces names by a short number
// ([MS-DOC] 2.9.215), as far as they are read.
var shortModifiers = [0x80]uint16{
	0x05: pSide2, 0x0C: pListLvl, 0x18: pInTable, 0x19: pRowEnd, 0x41: cDeleted, 0x47: cData, 0x55: cBold, 0x56: cItalic, 0x57: cStrike,
	0x5C: cVanish, 0x5E: cUnder, 0x68: cRaise, 0x73: cDouble, 0x75: cSpecial, 0x78: pOutline,
}

// each calls f for each modifier in b.
func each(b []byte, f func(code int, operand []byte)) {
	for len(b) >= 2 {
		code := u16(b, 0)
		b = b[2:]
		size := 1
		switch code >> 13 {
		case 2, 4, 5:
			size = 2
		case 3:
			size = 4
		case 7:
			size = 3
		case 6:
			if len(b) == 0 {
				return
			}
			size = 1 + int(b[0])
			switch {
			case code == tDefine:
				size = max(2, 1+u16(b, 0))
			case code == pTabs && b[0] == 255:
				return // its size is unknown
			}
		}
		if size > len(b) || size == 0 {
			return
		}
		f(code, b[:size])
		b = b[size:]
	}
}

// look has the properties of characters. The zero value is plain text.
type look struct {
	bold, italic, strike, under, hidden, deleted, special bool

	raise  byte // 1 superscript, 2 subscript
	place  int  // raised by half points
	size   int  // half points
	symbol rune // symbol character; 0 if there is none
	font   int  // font of the symbol
	letter int  // font of Latin letters

	data    bool  // the picture position refers to a form field
	picture int64 // offset in the data stream; -1 if there is none
}

// toggle sets a property whose operand may refer to the value in the style.
func toggle(on *bool, operand byte, style bool) {
	switch operand {
	case 0:
		*on = false
	case 1:
		*on = true
	case 0x80:
		*on = style
	case 0x81:
		*on = !style
	}
}

// apply applies the modifiers in props. style is the look of the style. It
// returns the number of the character style, or 0 if there is none.
// It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (l *look) apply(props []byte, style look) (named int) {
	each(props, func(code int, b []byte) {
		switch code {
		case cBold:
			toggle(&l.bold, b[0], style.bold)
		case cItalic:
			toggle(&l.italic, b[0], style.italic)
		case cStrike:
			toggle(&l.strike, b[0], style.strike)
		case cDouble:
			l.strike = b[0] != 0
		case cVanish:
			toggle(&l.hidden, b[0], style.hidden)
		case cDeleted:
			l.deleted = b[0]&1 != 0
		case cSpecial:
			l.special = b[0] == 1
		case cUnder:
			l.under = b[0] != 0
		case cRaise:
			l.raise = b[0]
		case cPlace:
			l.place = int(int16(u16(b, 0))) //nolint:gosec // the sign is part of it
		case cSize:
			l.size = u16(b, 0)
		case cSymbol:
			l.font, l.symbol = u16(b, 0), rune(u16(b, 2)) //nolint:gosec // 16 bits
		case cData:
			l.data = b[0] != 0
		case cFont:
			l.letter = u16(b, 0)
		case cPicture:
			l.picture = u32(b, 0)
		case cStyle:
			named = u16(b, 0)
		}
	})
	return named
}

// para has the properties of a paragraph.
type para struct {
	style    int
	role     doctree.Role
	depth    int // of a table of contents entry, from 0
	outline  int // from 0; outlineNo is body text
	list     int // number of the list instance, from 1; 0 for none
	level    int // list level
	tables   int // depth of nested tables
	cellEnd  bool
	rowEnd   bool
	rtl      bool
	drop     bool    // drop cap of the next paragraph
	side     byte    // alignment: 1 centre, 2 end
	left     int     // indent in twentieths of a point
	first    int     // indent of the first line relative to left
	indented bool    // left comes from the paragraph itself, not from its style
	lines    [4]bool // borders: above, left, below, right
	header   bool    // row that is repeated on each page
	edges    []int
	cells    []cellOf
	upright  map[int]byte // vertically merged cells
}

// cellOf has the merge flags of a cell in a row definition.
type cellOf struct{ first, merged, down, downFirst bool }

// apply applies the modifiers in props. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (p *para) apply(props, data []byte, depth int) {
	each(props, func(code int, b []byte) {
		switch code {
		case pStyle:
			p.style = u16(b, 0)
		case pOutline:
			p.outline = min(int(b[0]), outlineNo)
		case pList:
			p.list = u16(b, 0)
			if p.list >= 0xF801 { // the paragraph was removed from its list
				p.list = 0
			}
		case pListLvl:
			p.level = min(int(b[0]), 8)
		case pInTable:
			if b[0] != 0 {
				p.tables = max(p.tables, 1)
			}
		case pLevel:
			p.tables = int(max(0, min(u32(b, 0), maxTables)))
		case pRowEnd, pInnerEnd:
			p.rowEnd = p.rowEnd || b[0] != 0
		case pCellEnd:
			p.cellEnd = b[0] != 0
		case pBidi:
			p.rtl = b[0] != 0
		case pDropCap:
			p.drop = b[0]&7 != 0
		case pSide, pSide2:
			p.side = b[0]
		case pLeft, pLeft2:
			p.left, p.indented = int(int16(u16(b, 0))), true //nolint:gosec // the sign is part of it
		case pFirst, pFirst2:
			p.first = int(int16(u16(b, 0))) //nolint:gosec // the sign is part of it
		case pLineTop, pLineTop + 1, pLineTop + 2, pLineTop + 3:
			p.lines[code-pLineTop] = len(b) > 6 && b[6] != 0 && b[6] != 0xFF
		case pLineTop2, pLineTop2 + 1, pLineTop2 + 2, pLineTop2 + 3:
			p.lines[code-pLineTop2] = b[1] != 0 && b[1] != 0xFF
		case tHeader:
			p.header = b[0] != 0
		case tDefine:
			p.define(b[2:])
		case tMerge:
			if len(b) >= 3 {
				if p.upright == nil {
					p.upright = map[int]byte{}
				}
				p.upright[int(b[1])] = b[2]
			}
		case pHuge, pHuge2:
			if at := u32(b, 0); depth == 0 {
				p.apply(cut(data, at+2, int64(u16(data, int(min(at, int64(len(data))))))), data, 1)
			}
		}
	})
}

// define reads the cells of a row ([MS-DOC] 2.9.315).
func (p *para) define(b []byte) {
	if len(b) == 0 {
		return
	}
	n := min(int(b[0]), 63)
	p.edges, p.cells = nil, nil
	for i := range n + 1 {
		if 1+2*i+2 > len(b) {
			return
		}
		p.edges = append(p.edges, int(int16(u16(b, 1+2*i)))) //nolint:gosec // the sign is part of it
	}
	for i := range n {
		flags := u16(b, 1+2*(n+1)+20*i)
		p.cells = append(p.cells, cellOf{flags&1 != 0, flags&2 != 0, flags&0x20 != 0, flags&0x40 != 0})
	}
}
