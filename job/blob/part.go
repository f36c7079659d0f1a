// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// Part is a piece of data in an object. Several pieces share an object, because many
// small objects are slow and expensive.
type Part struct {
	At    int64             // offset in the object
	Size  int64             // bytes in the object
	Plain int64             // bytes of the data; if it differs from Size, the data is compressed
	Sum   [sha256.Size]byte // of the bytes in the object
}

// compressFrom is the size of data from which it is compressed.
const compressFrom = 256

// compressors are reused, because each takes about a megabyte.
var compressors = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// Pack appends data to an object, compressed if that saves an eighth, and returns the
// object and the part of it.
func Pack(object, data []byte) ([]byte, Part) {
	p := Part{At: int64(len(object)), Plain: int64(len(data))}
	if len(data) >= compressFrom {
		b := bytes.NewBuffer(object)
		w := compressors.Get().(*flate.Writer)
		defer compressors.Put(w)
		w.Reset(b)
		_, err := w.Write(data)
		if err == nil {
			err = w.Close()
		}
		if packed := b.Bytes(); err == nil && len(packed)-len(object) <= len(data)-len(data)/8 {
			p.Size = int64(len(packed) - len(object))
			p.Sum = sha256.Sum256(packed[len(object):])
			return packed, p
		}
	}
	p.Size, p.Sum = p.Plain, sha256.Sum256(data)
	return append(object, data...), p
}

// Open returns the data, from the bytes of the part in the object. If they are not the
// bytes that were packed, the error wraps [ErrDamaged].
func (p *Part) Open(stored []byte) ([]byte, error) {
	if sum := sha256.Sum256(stored); int64(len(stored)) != p.Size || sum != p.Sum {
		return nil, fmt.Errorf("%w: the checksum of %d bytes from %d is wrong", ErrDamaged, p.Size, p.At)
	}
	if p.Plain == p.Size {
		return stored, nil
	}
	r := flate.NewReader(bytes.NewReader(stored))
	data, err := io.ReadAll(io.LimitReader(r, p.Plain+1)) // grows with what there is, whatever Plain says
	if err != nil || int64(len(data)) != p.Plain {
		return nil, fmt.Errorf("%w: %d of %d bytes decompressed: %w", ErrDamaged, len(data), p.Plain, err)
	}
	return data, nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (p *Part) AppendBinary(b []byte) ([]byte, error) {
	for _, n := range []int64{p.At, p.Size, p.Plain} {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // not negative
	}
	return append(b, p.Sum[:]...), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. Other bytes than those of
// AppendBinary give an error that wraps [ErrDamaged].
func (p *Part) UnmarshalBinary(b []byte) error {
	for _, n := range []*int64{&p.At, &p.Size, &p.Plain} {
		v, size := binary.Uvarint(b)
		if size <= 0 || v > MaxSize {
			return fmt.Errorf("%w: its reference is invalid", ErrDamaged)
		}
		*n, b = int64(v), b[size:] // at most MaxSize
	}
	if len(b) != len(p.Sum) {
		return fmt.Errorf("%w: its reference is invalid", ErrDamaged)
	}
	copy(p.Sum[:], b)
	return nil
}
