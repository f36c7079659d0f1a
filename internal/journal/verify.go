// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// verifier finds where the valid frames of a log end. It checks all heads, and
// the blobs after the last mark, because those before it have been synced.
type verifier struct {
	log    *Log
	reader reader

	last place // end of the last blob in a segment that a head refers to
	lost bool  // data after the end had been synced
}

// run returns where the valid frames end.
func (v *verifier) run(size int64) (end int64, err error) {
	safe := int64(headerSize) // synced according to the last mark
	var late []late           // frames after the last mark
	pos := int64(headerSize)
	for pos < size {
		fr, head, err := v.reader.head(pos)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				return 0, err
			}
			return v.tear(pos, size, late, err)
		}
		next := pos + fr.size(place{offset: pos})
		if next > size {
			break // the head and the lengths are valid, but the blob is incomplete: a torn write
		}
		if head[0] == mark {
			passed, n := binary.Uvarint(head[1:])
			if n <= 0 || passed > uint64(pos) { // #nosec G115 -- positions are positive
				return 0, fmt.Errorf("%w at %d: invalid marker", ErrCorrupt, pos)
			}
			safe = max(safe, int64(passed)) // #nosec G115 -- checked above
			i := 0
			for i < len(late) && late[i].pos < safe {
				i++
			}
			late = late[i:]
		} else {
			late = append(late, lateFrame(v.last, pos))
		}
		if !fr.inline() {
			if v.last, err = v.behind(fr, pos); err != nil {
				return 0, err
			}
		}
		pos = next
	}
	return v.firstBadBlob(late, pos)
}

// late is a frame after the last mark, and the end of the blobs before it.
type late struct {
	pos  int64
	last place
}

func lateFrame(last place, pos int64) late { return late{pos, last} }

// behind returns the end of the blob of the frame at pos. The length of its tag
// is in the blob's own frame. If that cannot be read, the blob is damaged. It
// is not overwritten, because the next blob starts a new segment.
func (v *verifier) behind(fr frame, pos int64) (place, error) {
	p := placeOf(fr.ref)
	if p.segment == 0 || p.offset < headerSize {
		return place{}, fmt.Errorf("%w at %d: invalid reference", ErrCorrupt, pos)
	}
	b := make([]byte, frameSize)
	if n, err := v.log.shelf.readAt(p.segment, b, p.offset); n == len(b) {
		if tagged, ok := decodeFrame(b, v.log.marker); ok && tagged.ref == uint64(pos) && tagged.blob == fr.blob { // #nosec G115 -- positions are positive
			p.offset += tagged.size(p)
			return p, nil
		}
	} else if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errNotExist) {
		return place{}, err
	}
	return place{p.segment, v.log.limit}, nil
}

// tear handles an invalid head at pos. It returns the end of the log if pos is
// in the tail, or else the error for damage.
func (v *verifier) tear(pos, size int64, late []late, cause error) (int64, error) {
	// If a later mark says that pos was synced, this is damage. Near the end
	// the log is truncated nevertheless, so that it can continue, and the
	// caller is informed.
	passed, err := markAfter(v.reader.file, v.log.marker, pos, size)
	if err != nil {
		return 0, err
	}
	if passed && size-pos > tornBytes {
		return 0, cause
	}
	v.lost = passed
	return v.firstBadBlob(late, pos)
}

// firstBadBlob returns the position of the first frame of late with a damaged
// blob, or end.
func (v *verifier) firstBadBlob(late []late, end int64) (int64, error) {
	for _, f := range late {
		if _, err := readBlob(v.reader.file, v.log.shelf.segment, v.log.marker, f.pos, end); errors.Is(err, ErrCorrupt) {
			v.last = f.last
			return f.pos, nil
		} else if err != nil {
			return 0, err
		}
	}
	return end, nil
}

// markAfter reports whether a valid mark in (pos, size) says that pos has been
// synced.
func markAfter(f io.ReaderAt, m marker, pos, size int64) (bool, error) {
	found := false
	err := search(f, m, place{}, pos+1, size, func(at int64, fr frame, head []byte) (next int64, ok bool) {
		if head[0] == mark {
			passed, k := binary.Uvarint(head[1:])
			found = k > 0 && passed > uint64(pos) // #nosec G115 -- positions are positive
		}
		return at + fr.size(place{}), !found
	})
	return found, err
}

// search calls visit for each valid head of a file in [from, size), including
// those after damage: if there is no frame, it searches for the next marker. visit
// returns where to continue, and whether to continue. segment identifies the
// file.
func search(f io.ReaderAt, m marker, segment place, from, size int64, visit func(at int64, fr frame, head []byte) (next int64, ok bool)) error {
	const step = 256 << 10
	r := reader{file: f, end: size, marker: m, segment: segment.segment}
	b := make([]byte, step+len(m)-1)
	for at := max(from, headerSize); at+frameSize < size; {
		fr, head, err := r.head(at)
		if err == nil {
			next, ok := visit(at, fr, head)
			if !ok {
				return nil
			}
			at = next
			continue
		}
		if !errors.Is(err, ErrCorrupt) {
			return err
		}
		for at++; at+frameSize < size; at += step {
			n, err := f.ReadAt(b[:min(int64(len(b)), size-at)], at)
			if n < len(m) && err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if i := bytes.Index(b[:n], m[:]); i >= 0 {
				at += int64(i)
				break
			}
		}
	}
	return nil
}

// readHead reads and checks the fixed part and the head of the frame at pos.
func readHead(f io.ReaderAt, m marker, pos, end int64) (frame, []byte, error) {
	r := reader{file: f, end: end, small: true, marker: m}
	return r.head(pos)
}

// reader reads consecutive heads through a window of the file, because most
// frames are small.
type reader struct {
	file    io.ReaderAt
	end     int64
	marker  marker
	segment uint32 // zero means the file of heads
	small   bool   // read a single frame without a window
	window  []byte
	at      int64 // position of the window
	valid   int
}

// bytes returns n bytes at pos, which are valid until the next call.
func (r *reader) bytes(pos int64, n int) ([]byte, error) {
	if pos < r.at || pos+int64(n) > r.at+int64(r.valid) {
		size := 256 << 10
		if r.small {
			size = 512
		}
		size = int(min(int64(max(size, n)), r.end-pos))
		if cap(r.window) < size {
			r.window = make([]byte, size)
		}
		r.at, r.valid = pos, 0
		got, err := r.file.ReadAt(r.window[:size], pos)
		if got < size && !errors.Is(err, io.EOF) {
			return nil, err
		}
		r.valid = got
		if got < n {
			return nil, fmt.Errorf("%w at %d: cut short", ErrCorrupt, pos)
		}
	}
	i := int(pos - r.at)
	return r.window[i : i+n], nil
}

// head returns the frame at pos and its head. If there is no valid head, the
// error wraps [ErrCorrupt]. The blob is not checked.
func (r *reader) head(pos int64) (frame, []byte, error) {
	if pos < headerSize || r.end-pos < frameSize {
		return frame{}, nil, fmt.Errorf("%w at %d: no frame begins here", ErrCorrupt, pos)
	}
	b, err := r.bytes(pos, frameSize)
	if err != nil {
		return frame{}, nil, err
	}
	f, ok := decodeFrame(b, r.marker)
	if !ok || int64(f.head) > r.end-pos-frameSize {
		return frame{}, nil, fmt.Errorf("%w at %d: invalid lengths", ErrCorrupt, pos)
	}
	b, err = r.bytes(pos, frameSize+int(f.head))
	if err != nil {
		return frame{}, nil, err
	}
	if headSum(place{r.segment, pos}, b[len(marker{}):frameSize-4], b[frameSize:]) != f.headSum {
		return frame{}, nil, fmt.Errorf("%w at %d: invalid frame header", ErrCorrupt, pos)
	}
	return f, b[frameSize:], nil
}
