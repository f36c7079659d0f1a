// SPDX-License-Identifier: Apache-2.0

package doc

import "encoding/binary"

// Modifiers of Word 6 and 95, which have a number of one byte, and the modifiers of
// Word 97 that have the same meaning and the same operand. The modifiers of a group
// have consecutive numbers.
var sameModifiers = map[byte]int{
	2: pStyle, 5: pSide2, 17: pLeft2, 19: pFirst2, 24: pInTable, 25: pRowEnd,
	65: cDeleted, 71: cData, 80: cStyle, 85: cBold, 86: cItalic, 87: cStrike, 92: cVanish, 93: cFont, 94: cUnder,
	97: cLanguage, 99: cSize, 101: cPlace, 104: cRaise, 117: cSpecial, 153: sStories, 186: tHeader,
}

const (
	oldNumber    = 12 // number or bullet of a paragraph
	oldLevel     = 13 // its level: 1 to 9 are headings, 10 a number, 11 a bullet
	oldBorder    = 38 // above; the next ones are left, below, right
	oldSymbol    = 74
	oldRow       = 190
	oldRow10     = 188
	oldTabs      = 23
	oldNumbered  = 10
	oldBulleted  = 11
	oldCellBytes = 10 // of a cell in the definition of a row
)

// sizes of the operands of modifiers of Word 6 and 95, in bytes, by their number.
// Other numbers are unknown.
var oldSizes = func() (sizes [256]int8) {
	for i := range sizes {
		sizes[i] = unknownSize
	}
	for size, numbers := range map[int8][]byte{
		0:       {83, 207},
		1:       {4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 24, 25, 29, 37, 44, 50, 51, 65, 66, 67, 71, 75, 85, 86, 87, 88, 89, 90, 91, 92, 94, 98, 100, 102, 104, 117, 118, 119, 131, 132, 138, 139, 142, 143, 146, 147, 150, 151, 152, 153, 185, 186},
		2:       {2, 16, 17, 18, 19, 21, 22, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42, 43, 45, 46, 47, 48, 49, 69, 72, 80, 93, 96, 97, 99, 101, 107, 109, 110, 111, 112, 121, 122, 123, 124, 140, 141, 144, 145, 148, 149, 154, 155, 156, 157, 160, 161, 164, 165, 166, 167, 168, 169, 170, 182, 183, 184, 189, 195, 197, 198},
		3:       {73, 95, 136, 137},
		4:       {20, 70, 192, 194, 196, 200},
		5:       {193, 199},
		12:      {187},
		byByte:  {3, 12, 15, oldTabs, 52, 64, 68, 74, 81, 82, 103, 105, 106, 108, 113, 115, 116, 120, 133, 191},
		byShort: {oldRow10, oldRow},
	} {
		for _, n := range numbers {
			sizes[n] = size
		}
	}
	return sizes
}()

const (
	unknownSize = -1
	byByte      = -2 // the operand begins with its length in one byte
	byShort     = -3 // the operand begins with its length in two bytes, plus one
)

// eachOld calls f for each modifier of Word 6 or 95 in b. operand includes its
// length, if it has one. It ends at a modifier whose size is unknown.
func eachOld(b []byte, f func(number byte, operand []byte)) {
	for len(b) > 0 {
		number := b[0]
		b = b[1:]
		size := int(oldSizes[number])
		switch {
		case size == unknownSize, size < 0 && len(b) == 0, number == oldTabs && b[0] == 255:
			return
		case size == byByte:
			size = 1 + int(b[0])
		case size == byShort:
			size = max(2, 1+u16(b, 0))
		}
		if size > len(b) {
			return
		}
		f(number, b[:size])
		b = b[size:]
	}
}

// modern returns modifiers of Word 6 or 95 as those of Word 97. It leaves out those
// that are not read in either. list returns the number of the list for a definition
// of a number or a bullet. It is nil for modifiers of characters and sections.
func modern(old []byte, list func(definition []byte, level int) int) []byte {
	var b, definition []byte
	level := 0
	eachOld(old, func(number byte, operand []byte) {
		switch code, same := sameModifiers[number]; {
		case same:
			b = append(binary.LittleEndian.AppendUint16(b, uint16(code)), operand...) //nolint:gosec // 16 bits
		case number >= oldBorder && number < oldBorder+4:
			kind := operand[0] >> 3 & 3
			b = append(binary.LittleEndian.AppendUint16(b, pLineTop2+uint16(number-oldBorder)), 0, kind, 0, 0)
		case number == oldSymbol && len(operand) >= 4:
			b = append(binary.LittleEndian.AppendUint16(b, cSymbol), operand[1], operand[2], operand[3], 0xF0)
		case number == oldNumber:
			definition = operand[1:]
		case number == oldLevel:
			level = int(operand[0])
		case number == oldRow || number == oldRow10:
			b = append(b, modernRow(operand[2:])...)
		}
	})
	if list != nil && level != 0 && (definition != nil || level != oldNumbered && level != oldBulleted) { // otherwise, the style has the definition
		b = binary.LittleEndian.AppendUint16(b, pList)
		b = binary.LittleEndian.AppendUint16(b, uint16(list(definition, level))) //nolint:gosec // at most maxLists
	}
	return b
}

// modernRow returns the modifier of Word 97 for the definition of a row, whose cells
// have 20 bytes instead of 10.
func modernRow(old []byte) []byte {
	if len(old) == 0 {
		return nil
	}
	edges := 1 + 2*(int(old[0])+1)
	if edges > len(old) {
		return nil
	}
	row := old[:edges:edges]
	for cells := old[edges:]; len(cells) >= 2; cells = cells[min(oldCellBytes, len(cells)):] {
		row = append(row, cells[0]&3, 0) // whether the cell is merged with the one before
		row = append(row, make([]byte, 18)...)
	}
	b := binary.LittleEndian.AppendUint16(nil, tDefine)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(row)+1)), row...) //nolint:gosec // at most 64 KiB
}

// oldList returns the number, from 1, of the list with a definition of numbers of Word
// 6 or 95, or 0 for a paragraph without a number. Equal definitions are the same list.
// The numbers of headings are not read.
func (f *file) oldList(definition []byte, level int) int {
	const start, text = 10, 20
	if level != oldNumbered && level != oldBulleted || len(definition) < text {
		return 0
	}
	key := string(append([]byte{byte(level)}, definition...)) //nolint:gosec // 10 or 11
	if n, ok := f.oldLists[key]; ok || len(f.lists) >= maxLists {
		return n
	}
	l := list{id: int64(len(f.lists))}
	v := level0(int(definition[0]), u16(definition, start))
	before, after := int(definition[1]), int(definition[2])
	letters := definition[text:]
	before = min(before, len(letters))
	after = min(max(after, before), len(letters))
	v.text = f.bytes.append(v.text, letters[:before], -1)
	if level == oldBulleted {
		v.format = bullet
	} else {
		v.text = append(v.text, 0)
	}
	v.text = f.bytes.append(v.text, letters[before:after], -1)
	l.levels[0] = v
	f.lists = append(f.lists, l)
	f.oldLists[key] = len(f.lists)
	return len(f.lists)
}

// level0 returns a level with a number format of Word 6 and a first number.
func level0(format, start int) level {
	if format > 5 {
		format = 0
	}
	return level{format: format, start: start}
}
