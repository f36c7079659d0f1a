// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// Layout of the file, all little endian: a header of 64 bytes, then frames of
//
//	0 length of head, 4 length of blob, 8 crc32c of the two lengths and head,
//	12 crc32c of blob, 16 head, blob
const (
	magic      = "CURLEWJ1"
	version    = 2
	headerSize = 64
	frameSize  = 16
	maxPart    = 256 << 20 // of a head or a blob, bytes
)

// HeaderSize is where the first record of a log begins.
const HeaderSize = headerSize

// mark is the type of the only frame that the log writes itself: a uvarint
// with the position that a sync has passed.
const mark = 0x06

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Why a log cannot be used.
var (
	ErrCorrupt = errors.New("journal is damaged")
	ErrTooBig  = errors.New("record over 256 MiB")
	ErrClosed  = errors.New("journal is closed")
	ErrVersion = errors.New("journal of another version")
)

// Header is what a log says of itself, fixed when it is created.
type Header struct {
	Created time.Time // kept to the nanosecond, in UTC
	Seed    uint64    // free for the owner
	Config  [32]byte  // a hash, free for the owner
}

func (h Header) encode() []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, 0)                            // flags
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Created.UnixNano())) // #nosec G115 -- read back as int64
	b = binary.LittleEndian.AppendUint64(b, h.Seed)
	b = append(b, h.Config[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeHeader(b []byte) (Header, error) {
	if len(b) != headerSize || string(b[:len(magic)]) != magic {
		return Header{}, fmt.Errorf("%w: no header", ErrCorrupt)
	}
	if crc32.Checksum(b[:60], castagnoli) != binary.LittleEndian.Uint32(b[60:]) {
		return Header{}, fmt.Errorf("%w: header", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return Header{}, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	h := Header{
		Created: time.Unix(0, int64(binary.LittleEndian.Uint64(b[12:]))).UTC(), // #nosec G115 -- written from int64
		Seed:    binary.LittleEndian.Uint64(b[20:]),
	}
	copy(h.Config[:], b[28:60])
	return h, nil
}

// frame is the fixed part of one frame.
type frame struct {
	head, blob       uint32 // lengths
	headSum, blobSum uint32
}

func (f frame) size() int64 { return frameSize + int64(f.head) + int64(f.blob) }

// appendFrame appends the whole frame of head and blob to b.
func appendFrame(b, head, blob []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head))) // #nosec G115 -- Append bounds both
	b = binary.LittleEndian.AppendUint32(b, uint32(len(blob))) // #nosec G115 -- Append bounds both
	b = binary.LittleEndian.AppendUint32(b, headSum(b[start:start+8], head))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(blob, castagnoli))
	b = append(b, head...)
	return append(b, blob...)
}

// decodeFrame reads the fixed part; it reports false where no frame can be.
func decodeFrame(b []byte) (frame, bool) {
	f := frame{
		head:    binary.LittleEndian.Uint32(b),
		blob:    binary.LittleEndian.Uint32(b[4:]),
		headSum: binary.LittleEndian.Uint32(b[8:]),
		blobSum: binary.LittleEndian.Uint32(b[12:]),
	}
	// No head is empty: a run of zeros, as a crash leaves it, is no frame.
	return f, f.head > 0 && f.head <= maxPart && f.blob <= maxPart
}

func headSum(lengths, head []byte) uint32 {
	return crc32.Update(crc32.Checksum(lengths, castagnoli), castagnoli, head)
}
