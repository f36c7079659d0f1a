// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"
)

// All files have the same layout, in little endian: a header of 72 bytes,
// followed by frames of
//
//	0 marker of the log, 8 length of head, 12 length of blob, 16 reference,
//	24 crc32c of blob, 28 crc32c of the frame's place, bytes 8 to 28 and head,
//	32 head, blob unless it is elsewhere
//
// In the file of heads, the reference is zero if the blob is in the same frame.
// Otherwise its high half is the number of the segment, and its low half the
// offset of the blob's frame there. In a segment, the head is the start of the
// record's head, called its tag, and the reference is the position of the
// record.
const (
	magic      = "CURLEWJ1"
	version    = 3
	headerSize = 72
	frameSize  = 32
	maxPart    = 256 << 20 // maximum size of a head or a blob in bytes

	oldHeader = 64 // of version 2
)

// HeaderSize is the position of the first record of a log.
const HeaderSize = headerSize

// mark is the type of the only record that the log itself writes. It contains a
// position, as a uvarint, up to which everything has been synced.
const mark = 0x06

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Reasons why a log cannot be used.
var (
	ErrCorrupt = errors.New("journal is damaged")
	ErrTooBig  = errors.New("record over 256 MiB")
	ErrClosed  = errors.New("journal is closed")
	ErrVersion = errors.New("journal of another version")
	ErrLocked  = errors.New("directory is in use")
)

// Header contains the properties of a log that are fixed when it is created.
type Header struct {
	Created time.Time // with nanoseconds, in UTC
	Seed    uint64    // for use by the owner
	Config  [32]byte  // a hash, for use by the owner
}

// marker is at the start of each frame of a log. It is random, so that data
// stored in a log cannot imitate a frame.
type marker [8]byte

func (h Header) encode(m marker) []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, 0)                            // flags
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Created.UnixNano())) // #nosec G115 -- read back as int64
	b = binary.LittleEndian.AppendUint64(b, h.Seed)
	b = append(b, h.Config[:]...)
	b = append(b, m[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeHeader decodes the start of a file. If it is a valid header of another
// version, the error wraps [ErrVersion].
func decodeHeader(b []byte) (Header, marker, error) {
	if len(b) < oldHeader || string(b[:len(magic)]) != magic {
		return Header{}, marker{}, fmt.Errorf("%w: no header", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version && crc32.Checksum(b[:oldHeader-4], castagnoli) == binary.LittleEndian.Uint32(b[oldHeader-4:]) {
		return Header{}, marker{}, fmt.Errorf("%w: %d, want %d", ErrVersion, v, version)
	}
	if len(b) != headerSize || crc32.Checksum(b[:headerSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return Header{}, marker{}, fmt.Errorf("%w: invalid header", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return Header{}, marker{}, fmt.Errorf("%w: %d, want %d", ErrVersion, v, version)
	}
	h := Header{
		Created: time.Unix(0, int64(binary.LittleEndian.Uint64(b[12:]))).UTC(), // #nosec G115 -- written from int64
		Seed:    binary.LittleEndian.Uint64(b[20:]),
	}
	copy(h.Config[:], b[28:60])
	return h, marker(b[60:68]), nil
}

// place is the location of a frame: its position in the file of heads, or its
// segment and its offset there.
type place struct {
	segment uint32 // from 1; zero means the file of heads
	offset  int64
}

// placeOf decodes a reference to a frame of a segment.
func placeOf(ref uint64) place {
	return place{uint32(ref >> 32), int64(ref & math.MaxUint32)} // #nosec G115 -- the high half
}

// ref returns the reference to p.
func (p place) ref() uint64 { return uint64(p.segment)<<32 | uint64(p.offset) } // #nosec G115 -- segments are short

// frame is the fixed part of a frame.
type frame struct {
	head, blob       uint32 // lengths
	ref              uint64
	headSum, blobSum uint32
}

// size returns the size in bytes of a frame at p.
func (f frame) size(p place) int64 {
	n := frameSize + int64(f.head)
	if p.segment > 0 || f.ref == 0 {
		n += int64(f.blob)
	}
	return n
}

// inline reports whether the blob of a frame of heads is in the same frame.
func (f frame) inline() bool { return f.ref == 0 }

// appendFrame appends the frame of head and blob at p to b. sum is the checksum of
// blob. If ref is not zero, the blob is stored elsewhere and is not written.
func appendFrame(b []byte, m marker, p place, ref uint64, head, blob []byte, sum uint32) []byte {
	inline := p.segment > 0 || ref == 0
	size := frameSize + len(head)
	if inline {
		size += len(blob)
	}
	b = room(b, size)
	start := len(b)
	b = append(b, m[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head))) // #nosec G115 -- Append bounds both
	b = binary.LittleEndian.AppendUint32(b, uint32(len(blob))) // #nosec G115 -- Append bounds both
	b = binary.LittleEndian.AppendUint64(b, ref)
	b = binary.LittleEndian.AppendUint32(b, sum)
	b = binary.LittleEndian.AppendUint32(b, headSum(p, b[start+8:], head))
	b = append(b, head...)
	if inline {
		b = append(b, blob...)
	}
	return b
}

// room returns b with room for n more bytes. It doubles b, because append adds only a
// quarter to a large slice, and would copy it three times as often.
func room(b []byte, n int) []byte {
	if free := cap(b) - len(b); free < n {
		b = slices.Grow(b, max(n, min(cap(b), keptBytes-len(b))))
	}
	return b
}

// decodeFrame decodes the fixed part of a frame. It returns false if it is not
// valid.
func decodeFrame(b []byte, m marker) (frame, bool) {
	f := frame{
		head:    binary.LittleEndian.Uint32(b[8:]),
		blob:    binary.LittleEndian.Uint32(b[12:]),
		ref:     binary.LittleEndian.Uint64(b[16:]),
		blobSum: binary.LittleEndian.Uint32(b[24:]),
		headSum: binary.LittleEndian.Uint32(b[28:]),
	}
	return f, marker(b[:8]) == m && f.head > 0 && f.head <= maxPart && f.blob <= maxPart
}

// headSum returns the checksum of a frame's place, of the fixed part between
// the marker and the checksum, and of the head.
func headSum(p place, fixed, head []byte) uint32 {
	var own [12]byte
	binary.LittleEndian.PutUint32(own[:], p.segment)
	binary.LittleEndian.PutUint64(own[4:], uint64(p.offset)) // #nosec G115 -- only the bits matter
	start := ^uint32(0)
	for _, b := range own { // crc32.Checksum would move own to the heap
		start = castagnoli[start&0xff^uint32(b)] ^ start>>8
	}
	sum := crc32.Update(^start, castagnoli, fixed)
	return crc32.Update(sum, castagnoli, head)
}
