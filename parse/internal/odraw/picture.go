// SPDX-License-Identifier: Apache-2.0

package odraw

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

// Records of pictures ([MS-ODRAW] 2.2.23, 2.2.32), and the ID of the property that
// has the number of a shape's picture.
const (
	groupStore = 0xF001
	storeEntry = 0xF007
	emf        = 0xF01A
	wmf        = 0xF01B

	PictureNumber = 0x0104
)

// maxPictures is the maximum number of pictures in a Store.
const maxPictures = 100_000

// Store is the list of the pictures of a document. Shapes refer to them by their
// number, from 1.
type Store []Record

// ReadStore reads the list in the records of a drawing group.
func ReadStore(b []byte) (s Store) {
	for one := range Records(b) {
		if one.Kind != groupStore {
			continue
		}
		for entry := range Records(one.Data) {
			if len(s) < maxPictures {
				s = append(s, entry)
			}
		}
	}
	return s
}

// Metafile returns the bytes of the picture with a number if it is an EMF or a WMF
// of at most limit bytes. Otherwise it returns nil. delayed is the stream that
// contains the pictures that are not in the list itself.
func (s Store) Metafile(number int64, delayed []byte, limit int64) []byte {
	if number < 1 || number > int64(len(s)) {
		return nil
	}
	return s[number-1].Metafile(delayed, limit)
}

// Metafile returns the bytes of the EMF or WMF in r. If r is an entry of a list, the
// picture is in the entry or in delayed. It returns nil if there is no such picture
// or if it has more than limit bytes.
func (r Record) Metafile(delayed []byte, limit int64) []byte {
	const entrySize, at, nameSize = 36, 28, 33
	if r.Kind == storeEntry {
		if len(r.Data) < entrySize {
			return nil
		}
		inner, ok := At(r.Data, entrySize+int64(r.Data[nameSize]))
		if !ok {
			inner, ok = At(delayed, int64(binary.LittleEndian.Uint32(r.Data[at:])))
		}
		if !ok {
			return nil
		}
		r = inner
	}
	if r.Kind != emf && r.Kind != wmf {
		return nil
	}
	const head, packed = 34, 32
	b := r.Data
	ids := 16
	if r.Inst&1 != 0 { // the picture has a second identifier
		ids = 32
	}
	if len(b) < ids+head {
		return nil
	}
	isPacked := b[ids+packed] == 0
	if b = b[ids+head:]; !isPacked {
		if int64(len(b)) > limit {
			return nil
		}
		return b
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	defer z.Close()
	out, _ := io.ReadAll(io.LimitReader(z, limit+1)) // damaged data gives the records before the damage
	if int64(len(out)) > limit {
		return nil
	}
	return out
}
