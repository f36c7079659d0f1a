// SPDX-License-Identifier: Apache-2.0

package ppt

// Text types that masters define, and levels of each ([MS-PPT] 2.9.36).
const (
	masterKinds  = 9
	masterLevels = 5
	maxHops      = 4 // length of a chain of masters
)

// bullets has, for each text type and level, whether paragraphs have
// bullets: 0 unset, 1 no, 2 yes.
type bullets [masterKinds][masterLevels]byte

// at reports whether a level of a text type has bullets if its paragraphs do
// not set that.
func (b *bullets) at(kind, level int) bool {
	level = max(0, min(level, masterLevels-1))
	list := textKind(kind).list()
	for kind >= 0 && kind < masterKinds {
		if v := b[kind][level]; v != 0 {
			return v == 2
		}
		switch kind {
		case textCenterBody, textHalfBody, textQuarterBody:
			kind = textBody
		case textCenterTitle:
			kind = textTitle
		default:
			return list
		}
	}
	return list
}

// textKind is a text type.
type textKind int

// list reports whether texts of type k have bullets by default.
func (k textKind) list() bool {
	return k == textBody || k == textHalfBody || k == textQuarterBody
}

// master returns the bullets of the master with a number.
func (r *reader) master(id int64) *bullets {
	if b, ok := r.masters[id]; ok {
		return b
	}
	b := &bullets{}
	r.masters[id] = b
	at := id
	for range maxHops {
		one, ok := recordAt(r.stream, r.masterPlaces[at])
		if !ok || r.masterPlaces[at] == 0 || one.kind != rMainMaster && one.kind != rSlide {
			break
		}
		next := int64(0)
		for c := range r.records(one.data) {
			switch c.kind {
			case rSlideAtom:
				next = u32(c.data, 12)
			case rMasterStyle:
				b.read(c)
			}
		}
		if one.kind == rMainMaster || next == at {
			break
		}
		at = next
	}
	return b
}

// read reads the style of one text type ([MS-PPT] 2.9.35).
func (b *bullets) read(one record) {
	if one.inst >= masterKinds {
		return
	}
	c := cursor{one.data}
	for i := range min(c.u16(), masterLevels) {
		level := i
		if one.inst >= textCenterBody {
			level = c.u16()
		}
		said, on := c.paragraph()
		c.character()
		if !said || level >= masterLevels || b[one.inst][level] != 0 {
			continue
		}
		b[one.inst][level] = 1
		if on {
			b[one.inst][level] = 2
		}
	}
}
