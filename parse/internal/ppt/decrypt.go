// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"example.com/curlew/parse/internal/cfb"
)

// object is the number of a persist object and its offset in the stream.
type object struct{ number, at int64 }

// decrypt decrypts the stream ([MS-PPT] 2.3.7). session is the number of the
// object with the encryption header. Each object is encrypted separately,
// including its record header, with a key made from its number. Edits and
// directories are not encrypted.
func (r *reader) decrypt(session int64) error {
	s, ok := recordAt(r.stream, r.place(session))
	if !ok || s.kind != rCryptSession || r.options.Unlock == nil {
		return cfb.ErrEncrypted
	}
	xor, err := r.options.Unlock(cfb.Lock{Header: s.data, Block: 1 << 32})
	if err != nil {
		return err
	}
	var all []object
	for number, at := range r.persist {
		if number != session && at >= 0 && at+8 <= int64(len(r.stream)) {
			all = append(all, object{number, at})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[i].at, all[j].at), cmp.Compare(all[i].number, all[j].number)) < 0
	})
	all = slices.CompactFunc(all, func(a, b object) bool { return a.at == b.at })
	r.stream = bytes.Clone(r.stream)
	for i, o := range all {
		end := int64(len(r.stream))
		if i+1 < len(all) { // end at the next object whatever the header says, so that no byte is decrypted twice
			end = all[i+1].at
		}
		b := r.stream[o.at:end]
		if len(b) < 8 {
			continue
		}
		xor(b[:8], o.number<<32)
		one, _ := recordAt(b, 0)
		xor(b[8:8+len(one.data)], o.number<<32+8)
	}
	return nil
}

// place returns the offset of the object with a number, or -1 if there is
// none.
func (r *reader) place(number int64) int64 {
	if at, ok := r.persist[number]; ok {
		return at
	}
	return -1
}

// locked is the header token of the Current User stream in an encrypted
// presentation.
const locked = 0xF3D1C4DF

// open follows the edits from the last one, which user refers to, back to
// the first and returns the document. If that fails, the records of the
// stream are read in order.
func (r *reader) open(user []byte) (record, error) {
	at := u32(user, 16)
	var main, session int64
	seen := map[int64]bool{}
	for range maxEdits {
		e, ok := recordAt(r.stream, at)
		if !ok || e.kind != rUserEdit || seen[at] {
			break
		}
		seen[at] = true
		if len(e.data) >= 32 && session == 0 {
			session = u32(e.data, 28)
		}
		if main == 0 {
			main = u32(e.data, 16)
		}
		if p, ok := recordAt(r.stream, u32(e.data, 12)); ok && p.kind == rPersist {
			r.directory(p.data)
		}
		if at = u32(e.data, 8); at == 0 {
			break
		}
	}
	if session != 0 || u32(user, 12) == locked {
		if err := r.decrypt(session); err != nil {
			return record{}, fmt.Errorf("presentation: %w", err)
		}
	}
	if d, ok := recordAt(r.stream, r.place(main)); ok && d.kind == rDocument {
		return d, nil
	}
	return r.scan()
}
