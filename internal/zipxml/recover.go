// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Recovered is a container whose directory is missing or damaged, with a new
// directory that was made from the headers in front of its entries. Data and
// Size are what [Open] needs.
type Recovered struct {
	Data io.ReaderAt
	Size int64

	Entries int      // in the new directory
	Cut     []string // names of entries whose end was not found; the last one is usually cut off
	Stray   int64    // bytes that belong to no entry and to no directory
}

// Bounds on the recovery of a container.
const (
	maxRecovered = 10_000 // entries
	maxMarks     = 50_000 // signatures
	maxAhead     = 1_000  // signatures after an entry that may be its end
	maxRecovery  = 1<<32 - 2
	windowSize   = 64 << 10
	markContext  = 24 // bytes before and after a signature that tell the sizes of an entry
)

const (
	localSign      = "PK\x03\x04"
	descriptorSign = "PK\x07\x08"
	directorySign  = "PK\x01\x02"
	endSign        = "PK\x05\x06"

	localSize     = 30 // bytes of a local header before the name
	directorySize = 46 // bytes of an entry of the directory before the name
	endSize       = 22

	flagDescriptor = 1 << 3 // the sizes follow the data of the entry
)

// Recover makes a directory for a container of size bytes that has no valid
// one, such as a file that is cut off. It returns nil if the directory is
// valid, or if there are no entries. It reads the container once and does not
// decompress it.
func Recover(r io.ReaderAt, size int64) *Recovered {
	if size > maxRecovery || Whole(r, size) != nil {
		return nil
	}
	c := &recovery{r: r, size: size}
	if c.find() != nil {
		return nil
	}
	return c.result()
}

// whole is a container whose directory was read.
type whole struct {
	io.ReaderAt
	size      int64
	directory *zip.Reader
}

// Whole returns a container of size bytes that has a valid directory in a form whose
// directory [Open] does not read again, or nil if it has none. If the container begins
// with an entry, but all offsets of the directory refer to a later place, the directory
// is that of a container inside this one.
func Whole(r io.ReaderAt, size int64) io.ReaderAt {
	z, err := directory(r, size)
	if err != nil || inner(r, size) {
		return nil
	}
	return &whole{r, size, z}
}

// inner reports whether the directory of a container is that of a container inside it.
func inner(r io.ReaderAt, size int64) bool {
	var start [len(localSign)]byte
	if _, err := r.ReadAt(start[:], 0); err != nil || string(start[:]) != localSign {
		return false
	}
	for _, most := range []int64{endSize, windowSize + endSize} { // few containers have a comment at their end
		tail := make([]byte, min(size, most))
		at := size - int64(len(tail))
		if n, _ := r.ReadAt(tail, at); n < len(tail) {
			return false
		}
		end := bytes.LastIndex(tail, []byte(endSign))
		if end < 0 || len(tail)-end < endSize {
			continue
		}
		length, offset := int64(binary.LittleEndian.Uint32(tail[end+12:])), int64(binary.LittleEndian.Uint32(tail[end+16:]))
		return offset != 0xFFFFFFFF && length != 0xFFFFFFFF && at+int64(end)-length-offset > 0
	}
	return false
}

// recovery finds the entries of a container.
type recovery struct {
	r     io.ReaderAt
	size  int64
	marks []mark
}

// mark is a signature, or the end of the container, with the bytes around it.
type mark struct {
	at    int64
	sign  string                // "" for the end of the container
	bytes [2 * markContext]byte // from markContext bytes before at; zero outside the container
}

// u32 returns the number at an offset from the signature, and u64 a number of 8 bytes.
func (m *mark) u32(at int) int64 {
	return int64(binary.LittleEndian.Uint32(m.bytes[markContext+at:]))
}

func (m *mark) u64(at int) int64 {
	return int64(binary.LittleEndian.Uint64(m.bytes[markContext+at:])) //nolint:gosec // compared with a distance in the container
}

// find lists the signatures in the container.
func (c *recovery) find() error {
	window := make([]byte, min(windowSize, c.size))
	for from := int64(0); from < c.size; {
		n, err := c.r.ReadAt(window[:min(int64(windowSize), c.size-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == 0 {
			c.size = from // the container is shorter than declared
			break
		}
		if err := c.window(window[:n], from); err != nil {
			return err
		}
		if from+int64(n) >= c.size {
			break
		}
		from += int64(max(n-3, 1)) // a signature may cross the end of the window
	}
	return c.add(c.size, "")
}

// window lists the signatures in a part of the container that begins at from.
func (c *recovery) window(b []byte, from int64) error {
	size := len(b)
	for {
		next := bytes.Index(b, []byte("PK"))
		if next < 0 || len(b)-next < 4 {
			return nil
		}
		b = b[next:]
		switch sign := string(b[:4]); sign {
		case localSign, descriptorSign, directorySign:
			if err := c.add(from+int64(size-len(b)), sign); err != nil {
				return err
			}
		}
		b = b[2:]
	}
}

// add appends a mark.
func (c *recovery) add(at int64, sign string) error {
	if len(c.marks) > maxMarks {
		return &LimitError{"signatures", maxMarks}
	}
	m := mark{at: at, sign: sign}
	before := min(at, markContext)
	if _, err := c.r.ReadAt(m.bytes[markContext-before:markContext+min(c.size-at, markContext)], at-before); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	c.marks = append(c.marks, m)
	return nil
}

// found is an entry of a container.
type found struct {
	name         []byte
	header       []byte // the first localSize bytes
	at           int64
	crc          uint32
	packed, size int64
	end          int64 // of the data and of the sizes after it
	cut          bool
}

// result makes the directory.
func (c *recovery) result() *Recovered {
	out := &Recovered{}
	var directory bytes.Buffer
	at := int64(0)
	for i := range c.marks {
		m := &c.marks[i]
		if m.at < at || out.Entries == maxRecovered {
			continue
		}
		if m.sign == directorySign && out.Entries > 0 {
			out.Stray += m.at - at
			at = c.size // entries come before the directory
			break
		}
		if m.sign != localSign {
			continue
		}
		e, ok := c.entry(i)
		if !ok {
			continue
		}
		out.Stray += m.at - at
		out.Entries++
		if e.cut {
			out.Cut = append(out.Cut, strings.ToValidUTF8(Clean(string(e.name)), "\uFFFD"))
		}
		e.write(&directory)
		at = e.end
	}
	if out.Entries == 0 {
		return nil
	}
	out.Stray += c.size - at
	length := directory.Len()
	end := make([]byte, endSize)
	copy(end, endSign)
	binary.LittleEndian.PutUint16(end[8:], uint16(out.Entries))  //nolint:gosec // at most maxRecovered
	binary.LittleEndian.PutUint16(end[10:], uint16(out.Entries)) //nolint:gosec // at most maxRecovered
	binary.LittleEndian.PutUint32(end[12:], uint32(length))      //nolint:gosec // at most maxRecovered names of 64 KiB
	binary.LittleEndian.PutUint32(end[16:], uint32(c.size))      //nolint:gosec // at most maxRecovery
	directory.Write(end)
	out.Data = &joined{first: c.r, size: c.size, second: directory.Bytes()}
	out.Size = c.size + int64(directory.Len())
	return out
}

// entry reads the entry whose header is at mark i. It returns false if there is
// no complete header with a name.
func (c *recovery) entry(i int) (e found, ok bool) {
	e.at = c.marks[i].at
	e.header = make([]byte, localSize)
	if n, _ := c.r.ReadAt(e.header, e.at); n < localSize || e.at+localSize > c.size {
		return e, false
	}
	u16 := func(at int) int64 { return int64(binary.LittleEndian.Uint16(e.header[at:])) }
	data := e.at + localSize + u16(26) + u16(28)
	if u16(26) == 0 || data > c.size {
		return e, false
	}
	rest := make([]byte, data-e.at-localSize)
	if n, _ := c.r.ReadAt(rest, e.at+localSize); n < len(rest) {
		return e, false
	}
	e.name = rest[:u16(26)]
	e.crc = binary.LittleEndian.Uint32(e.header[14:])
	e.packed, e.size = int64(binary.LittleEndian.Uint32(e.header[18:])), int64(binary.LittleEndian.Uint32(e.header[22:]))
	if e.packed == 0xFFFFFFFF || e.size == 0xFFFFFFFF {
		e.wide(rest[u16(26):])
	}
	switch {
	case u16(6)&flagDescriptor != 0 && e.packed == 0:
		c.describe(&e, i, data)
	case e.packed > c.size-data:
		e.cut, e.packed, e.end = true, c.size-data, c.size
	default:
		e.end = data + e.packed
		if u16(6)&flagDescriptor != 0 { // the sizes are in both places
			e.end += c.described(e.end)
		}
	}
	if e.cut {
		e.crc = 0 // zero means that the sum is unknown
		e.size = max(e.size, e.packed, 1)
		if u16(6)&flagDescriptor != 0 {
			e.size = maxRecovery // unknown
		}
	}
	return e, true
}

// wide takes the sizes from the extra field of ZIP64.
func (e *found) wide(extra []byte) {
	for len(extra) >= 4 {
		length := int(binary.LittleEndian.Uint16(extra[2:]))
		if length > len(extra)-4 {
			return
		}
		if field := extra[4 : 4+length]; binary.LittleEndian.Uint16(extra) == 1 && length >= 16 {
			size, packed := binary.LittleEndian.Uint64(field), binary.LittleEndian.Uint64(field[8:])
			e.size, e.packed = int64(min(size, maxRecovery)), int64(min(packed, maxRecovery))
			return
		}
		extra = extra[4+length:]
	}
}

// described returns the length of the sizes at an offset, or 0 if there are
// none or they have no signature.
func (c *recovery) described(at int64) int64 {
	b := make([]byte, 20)
	n, _ := c.r.ReadAt(b, at)
	switch {
	case n < 16 || at+16 > c.size || string(b[:4]) != descriptorSign:
		return 0
	case n == 20 && string(b[16:18]) != "PK" && at+24 <= c.size:
		return 24
	}
	return 16
}

// describe finds the end of the entry of mark i, whose data begins at an offset
// and whose sizes follow the data (APPNOTE 4.3.9). An end is certain only if the
// sizes there agree with it.
func (c *recovery) describe(e *found, i int, data int64) {
	next := c.size // of the next entry
	for j := i + 1; j < len(c.marks) && j <= i+maxAhead; j++ {
		m := &c.marks[j]
		length := m.at - data
		if length < 0 {
			continue
		}
		switch {
		case m.sign == descriptorSign && m.at+16 > c.size: // the sizes are cut off, but the data is whole
			e.cut, e.packed, e.end = true, length, c.size
			return
		case m.sign == descriptorSign && m.u32(8) == length:
			e.crc, e.packed, e.size, e.end = uint32(m.u32(4)), length, m.u32(12), m.at+16 //nolint:gosec // 32 bits
			if wide := m.u64(16); m.u32(12) == 0 && wide > 0 && m.at+24 <= c.size && string(m.bytes[markContext+16:markContext+18]) != "PK" {
				e.size, e.end = min(wide, maxRecovery), m.at+24
			}
			return
		case m.sign != descriptorSign && length >= 12 && m.u32(-8) == length-12 && (length > 12 || m.u32(-12) == 0): // without a signature
			e.crc, e.packed, e.size, e.end = uint32(m.u32(-12)), length-12, m.u32(-4), m.at //nolint:gosec // 32 bits
			return
		case m.sign != descriptorSign && length >= 20 && m.u64(-16) == length-20:
			e.crc, e.packed, e.size, e.end = uint32(m.u32(-20)), length-20, min(max(m.u64(-8), 0), maxRecovery), m.at //nolint:gosec // 32 bits
			return
		case m.sign != descriptorSign:
			next = min(next, m.at)
		}
	}
	e.cut, e.packed, e.end = true, next-data, next
}

// write appends the entry to a directory.
func (e *found) write(b *bytes.Buffer) {
	h := make([]byte, directorySize)
	copy(h, directorySign)
	copy(h[4:6], e.header[4:6])   // version
	copy(h[6:16], e.header[4:14]) // version needed, flags, method and time
	flags := binary.LittleEndian.Uint16(h[8:]) &^ flagDescriptor
	binary.LittleEndian.PutUint16(h[8:], flags)
	binary.LittleEndian.PutUint32(h[16:], e.crc)
	binary.LittleEndian.PutUint32(h[20:], uint32(e.packed))                 //nolint:gosec // at most maxRecovery
	binary.LittleEndian.PutUint32(h[24:], uint32(min(e.size, maxRecovery))) //nolint:gosec // bounded
	binary.LittleEndian.PutUint16(h[28:], uint16(len(e.name)))              //nolint:gosec // from 16 bits
	binary.LittleEndian.PutUint32(h[42:], uint32(e.at))                     //nolint:gosec // at most maxRecovery
	b.Write(h)
	b.Write(e.name)
}

// joined is a container of size bytes followed by its directory.
type joined struct {
	first  io.ReaderAt
	size   int64
	second []byte
}

// ReadAt implements [io.ReaderAt].
func (j *joined) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, fmt.Errorf("read at %d", at)
	}
	if at < j.size {
		n, err = j.first.ReadAt(p[:min(int64(len(p)), j.size-at)], at)
		if n == len(p) {
			return n, nil
		}
		if at+int64(n) < j.size {
			return n, err
		}
	}
	k, err := bytes.NewReader(j.second).ReadAt(p[n:], at+int64(n)-j.size)
	return n + k, err
}
