// SPDX-License-Identifier: Apache-2.0

// Package odraw reads the drawing records of legacy Office documents
// ([MS-ODRAW]).
//
// # Security
//
// A record is never longer than its container. The package does not follow
// references or recurse, so its callers must bound the depth.
package odraw

import (
	"encoding/binary"
	"iter"
)

// Record types ([MS-ODRAW] 2.2).
const (
	Drawing    = 0xF002
	Group      = 0xF003
	Shape      = 0xF004
	ShapeAtom  = 0xF00A
	Options    = 0xF00B
	TextBox    = 0xF00D
	ClientData = 0xF011
	Options3   = 0xF122
)

// Picture is the type of shapes that are pictures ([MS-ODRAW] 2.4.24).
const Picture = 75

// Property IDs of a shape: the text of WordArt, the alternative text, whether a group
// is a table, and the flags for [Hidden].
const (
	WordArt     = 0x00C0
	Description = 0x0381
	Table       = 0x039F
	Flags       = 0x03BF
)

// Hidden reports whether a value of [Flags] hides the shape (fHidden with
// fUsefHidden, [MS-ODRAW] 2.3.4.44).
func Hidden(flags uint32) bool { return flags&0x2_0002 == 0x2_0002 }

// Record is one record and its data.
type Record struct {
	Kind, Inst int
	Container  bool // Data consists of records
	Data       []byte
}

// At returns the record at an offset of b, cut at the end of b. It returns
// false if there is no record header.
func At(b []byte, at int64) (r Record, ok bool) {
	if at < 0 || at+8 > int64(len(b)) {
		return Record{}, false
	}
	b = b[at:]
	head := binary.LittleEndian.Uint16(b)
	size := min(8+int64(binary.LittleEndian.Uint32(b[4:])), int64(len(b)))
	return Record{Kind: int(binary.LittleEndian.Uint16(b[2:])), Inst: int(head >> 4), Container: head&15 == 15, Data: b[8:size]}, true
}

// Records iterates over the records in b.
func Records(b []byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for {
			r, ok := At(b, 0)
			if !ok || !yield(r) {
				return
			}
			b = b[8+len(r.Data):]
		}
	}
}

// Property is one property of a shape.
type Property struct {
	ID    int
	Value uint32
	Data  []byte // data of a complex property; Value is its size
}

// Properties iterates over the properties in r, which is a record of type
// [Options] or [Options3] ([MS-ODRAW] 2.2.9).
func (r Record) Properties() iter.Seq[Property] {
	return func(yield func(Property) bool) {
		n := min(r.Inst, len(r.Data)/6)
		rest := r.Data[6*n:]
		for i := range n {
			id := binary.LittleEndian.Uint16(r.Data[6*i:])
			p := Property{ID: int(id & 0x3FFF), Value: binary.LittleEndian.Uint32(r.Data[6*i+2:])}
			if id&0x8000 != 0 { // complex data follows all properties
				size := min(int64(p.Value), int64(len(rest)))
				p.Data, rest = rest[:size], rest[size:]
			}
			if !yield(p) {
				return
			}
		}
	}
}
