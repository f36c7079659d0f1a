// SPDX-License-Identifier: Apache-2.0

package doc

import "example.com/curlew/parse/internal/cfb"

// Kinds of legacy form fields ([MS-DOC] 2.9.79).
const (
	formBox    = 1
	formChoice = 2

	formUnset  = 25 // the default value applies
	maxChoices = 25
)

// form is a legacy form field.
type form struct {
	kind  int
	value int    // for a check box, 1 means checked; otherwise the index of the choice
	text  string // of the choice, or the default of a text
}

// form reads the form field at an offset of the data stream ([MS-DOC]
// 2.9.78). It returns nil if there is none.
func (f *file) form(at int64) *form {
	const version = 0xFFFFFFFF
	b := cut(f.data, at, u32(f.data, int(min(max(at, 0), int64(len(f.data))))))
	head := u16(b, 4)
	if head < 8 || head+10 > len(b) || u32(b, head) != version {
		return nil
	}
	b = b[head:]
	bits := u16(b, 4)
	one := &form{kind: bits & 3, value: bits >> 2 & 31}
	b = b[10:]
	str := func() { // a string with its length before it and a zero after it
		b = b[min(2+2*u16(b, 0)+2, len(b)):]
	}
	str() // name
	switch one.kind {
	case formBox, formChoice:
	default:
		one.text = cfb.UTF16(cut(b, 2, int64(2*u16(b, 0))))
		return one
	}
	if one.value == formUnset {
		one.value = u16(b, 0)
	}
	b = b[min(2, len(b)):]
	if one.kind == formBox {
		return one
	}
	for range 5 { // format, help text, status text, macros
		str()
	}
	if u16(b, 0) != 0xFFFF || len(b) < 6 {
		return one
	}
	count := min(u16(b, 2), maxChoices)
	b = b[6:]
	for i := range count {
		n := 2 * u16(b, 0)
		if i == one.value {
			one.text = cfb.UTF16(cut(b, 2, int64(n)))
			break
		}
		b = b[min(2+n, len(b)):]
	}
	return one
}
