// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"encoding/binary"
	"iter"
)

// Record types ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2).
const (
	rDocument     = 0x03E8
	rSlide        = 0x03EE
	rSlideAtom    = 0x03EF
	rNotes        = 0x03F0
	rMainMaster   = 0x03F8
	rEnvironment  = 0x03F2
	rFonts        = 0x07D5
	rFont         = 0x0FB7
	rSlidePersist = 0x03F3
	rSlideInfo    = 0x03F9
	rDrawing      = 0x040C
	rDrawingGroup = 0x040B
	rLinks        = 0x0409
	rPlaceholder  = 0x0BC3
	rOutlineRef   = 0x0F9E
	rTextHeader   = 0x0F9F
	rMasterStyle  = 0x0FA3
	rTextChars    = 0x0FA0
	rTextStyle    = 0x0FA1
	rTextBytes    = 0x0FA8
	rCString      = 0x0FBA
	rLinkAtom     = 0x0FD3
	rLink         = 0x0FD7
	rLinkRange    = 0x0FDF

	rNumberField        = 0x0FD8 // stands for a star in a text, like the next ones ([MS-PPT] 2.9.50 to 2.9.55)
	rDateField          = 0x0FF7
	rAnyDateField       = 0x0FF8
	rHeaderField        = 0x0FF9
	rFooterField        = 0x0FFA
	rFormattedDateField = 0x1015
	rHeadersFooters     = 0x0FD9
	rHeadersFootersAtom = 0x0FDA

	rSlideList    = 0x0FF0
	rInteractive  = 0x0FF2
	rInteractAtom = 0x0FF3
	rUserEdit     = 0x0FF5
	rTags         = 0x1388
	rBlob         = 0x138B
	rTextStyle9   = 0x0FAC
	rPersist      = 0x1772
	rObject       = 0x0FCC
	rObjectAtom   = 0x0FC3
	rObjectRef    = 0x0BC1
	rObjectData   = 0x1011
	rComment      = 0x2EE0
	rCommentAtom  = 0x2EE1
	rCryptSession = 0x2F14

	aDrawingGroup = 0xF000
	aDrawing      = 0xF002
	aGroup        = 0xF003
	aShape        = 0xF004
	aShapeAtom    = 0xF00A
	aOptions      = 0xF00B
	aTextbox      = 0xF00D
	aChildAnchor  = 0xF00F
	aAnchor       = 0xF010
	aClientData   = 0xF011
	aOptions3     = 0xF122

	containerBits = 0xF // version bits of a container
	maxRecords    = 16 << 20
	maxDepth      = 16
)

// record is one record and its data.
type record struct {
	kind, inst int
	container  bool
	data       []byte
}

// u16 returns the number of two bytes at an offset, or zero if it is outside of b. It is not
// inlined, because its many copies would make the program larger.
//
//go:noinline
func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

// u32 returns the number of four bytes at an offset, or zero if it is outside of b. It is not
// inlined, because its many copies would make the program larger.
//
//go:noinline
func u32(b []byte, at int) int64 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(b[at:]))
}

func i32(b []byte, at int) int { return int(int32(u32(b, at))) } //nolint:gosec // the sign is part of it

// recordAt returns the record at an offset of the stream, cut at the end of
// the stream.
func recordAt(b []byte, at int64) (record, bool) {
	if at < 0 || at+8 > int64(len(b)) {
		return record{}, false
	}
	b = b[at:]
	head := u16(b, 0)
	return record{kind: u16(b, 2), inst: head >> 4, container: head&15 == containerBits, data: b[8:min(8+u32(b, 4), int64(len(b)))]}, true
}

// records iterates over the records in b. It is not inlined, because records are in each other, and each
// loop over those in others would have a copy of it.
//
//go:noinline
func (r *reader) records(b []byte) iter.Seq[record] {
	return func(yield func(record) bool) {
		for len(b) >= 8 && r.count() {
			one, _ := recordAt(b, 0)
			r.torn = r.torn || 8+u32(b, 4) > int64(len(b))
			if !yield(one) {
				return
			}
			b = b[8+len(one.data):]
		}
	}
}

// first returns the first record of a type in b, or a zero record if there
// is none.
func (r *reader) first(b []byte, kind int) record {
	for one := range r.records(b) {
		if one.kind == kind {
			return one
		}
	}
	return record{}
}
