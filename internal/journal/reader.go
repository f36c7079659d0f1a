// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
)

// Reader reads a log that is not being written. It checks the header and the
// data that it reads. It truncates nothing and starts no goroutine. It is safe
// for concurrent use, except for Close.
type Reader struct {
	file   File
	header Header
	marker marker
	size   int64
	shelf  shelf

	stray map[int64]place // blobs whose records have lost their heads, by position
}

// OpenReader opens a log for reading. If it has no valid header, the error
// wraps [ErrCorrupt]. If another version wrote it, the error wraps
// [ErrVersion].
func OpenReader(fsys FS, name string) (*Reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f, shelf: shelf{fsys: fsys, name: name}}
	if r.header, r.marker, r.size, err = readHeader(f); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", name, err), f.Close())
	}
	return r, nil
}

// readHeader returns the header, the marker and the size of a log.
func readHeader(f File) (Header, marker, int64, error) {
	size, err := f.Size()
	if err != nil {
		return Header{}, marker{}, 0, err
	}
	b := make([]byte, min(size, headerSize))
	if n, err := f.ReadAt(b, 0); n < len(b) {
		return Header{}, marker{}, 0, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
	}
	h, m, err := decodeHeader(b)
	return h, m, size, err
}

// Header returns the header that was given at the creation of the log.
func (r *Reader) Header() Header { return r.header }

// Head reads the head of the record at pos. See [Log.Head].
func (r *Reader) Head(pos int64) ([]byte, error) {
	if p, ok := r.stray[pos]; ok {
		one := reader{file: r.shelf.segment(p.segment), end: p.offset + frameSize + maxPart, small: true, marker: r.marker, segment: p.segment}
		_, head, err := one.head(p.offset)
		return head, err
	}
	_, head, err := readHead(r.file, r.marker, pos, r.size)
	return head, err
}

// Blob reads the blob of the record at pos. See [Log.Blob].
func (r *Reader) Blob(pos int64) ([]byte, error) {
	if p, ok := r.stray[pos]; ok {
		return readStored(r.shelf.segment, r.marker, p, pos)
	}
	return readBlob(r.file, r.shelf.segment, r.marker, pos, r.size)
}

// Replay calls visit for each record. See [Log.Replay]. An incomplete tail is
// an error that wraps [ErrCorrupt].
func (r *Reader) Replay(visit func(pos int64, head []byte) error) error {
	return replay(r.file, r.marker, r.size, visit)
}

// Passed reports whether a valid mark says that the first record was synced. If
// that record is damaged nevertheless, data was lost. If there is no such mark,
// Passed reads the whole log.
func (r *Reader) Passed() (bool, error) {
	return markAfter(r.file, r.marker, headerSize, r.size)
}

// Close closes the files.
func (r *Reader) Close() error { return errors.Join(r.file.Close(), r.shelf.close()) }

// Salvage opens a log even if it is damaged, and calls visit for each remaining
// record in the order of their positions, including those after damage. If the
// head of a record is lost but its blob is not, head is its tag and whole is
// false. [Reader.Head] and [Reader.Blob] of the Reader work for both. If the
// marker of the log cannot be determined, the error wraps [ErrCorrupt].
func Salvage(fsys FS, name string, visit func(pos int64, head []byte, whole bool) error) (*Reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f, shelf: shelf{fsys: fsys, name: name}, stray: map[int64]place{}}
	if err := r.salvage(visit); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", name, err), r.Close())
	}
	return r, nil
}

func (r *Reader) salvage(visit func(pos int64, head []byte, whole bool) error) error {
	if err := r.identify(); err != nil {
		return err
	}
	sound := map[int64]bool{} // positions of valid heads with a blob in a segment
	err := search(r.file, r.marker, place{}, headerSize, r.size, func(at int64, fr frame, _ []byte) (int64, bool) {
		if !fr.inline() {
			sound[at] = true
		}
		return at + fr.size(place{}), true
	})
	if err != nil {
		return err
	}
	strays, err := r.strays(sound)
	if err != nil {
		return err
	}
	give := func(before int64) error {
		for len(strays) > 0 && strays[0] < before {
			head, err := r.Head(strays[0])
			if err != nil {
				return err
			}
			if err := visit(strays[0], head, false); err != nil {
				return err
			}
			strays = strays[1:]
		}
		return nil
	}
	var failed error
	err = search(r.file, r.marker, place{}, headerSize, r.size, func(at int64, fr frame, head []byte) (int64, bool) {
		failed = give(at)
		if failed == nil && head[0] != mark {
			failed = visit(at, head, true)
		}
		return at + fr.size(place{}), failed == nil
	})
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	return give(maxOffset)
}

const maxOffset = 1<<63 - 1

// identify finds the marker of a log: in its header, in that of its first
// segment, or at its first frame.
func (r *Reader) identify() (err error) {
	r.header, r.marker, r.size, err = readHeader(r.file)
	if err == nil || !errors.Is(err, ErrCorrupt) {
		return err
	}
	b := make([]byte, headerSize)
	if n, _ := r.shelf.readAt(1, b, 0); n == len(b) {
		if h, m, bad := decodeHeader(b); bad == nil {
			r.header, r.marker = h, m
			return nil
		}
	}
	var m marker
	if n, _ := r.file.ReadAt(m[:], headerSize); n == len(m) {
		if _, _, bad := readHead(r.file, m, headerSize, r.size); bad == nil {
			r.marker = m
			return nil
		}
	}
	return err
}

// strays finds the blobs in segments that no valid head refers to, and returns
// the positions of their records in ascending order.
func (r *Reader) strays(sound map[int64]bool) ([]int64, error) {
	for n := uint32(1); ; n++ {
		f, err := r.shelf.fsys.Open(segmentName(r.shelf.name, n))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		var size int64
		if err == nil {
			size, err = f.Size()
			err = errors.Join(err, f.Close())
		}
		if err == nil {
			segment := place{segment: n}
			err = search(r.shelf.segment(n), r.marker, segment, headerSize, size, func(at int64, fr frame, _ []byte) (int64, bool) {
				if pos := int64(fr.ref); pos >= headerSize && !sound[pos] { // #nosec G115 -- checked to be positive
					r.stray[pos] = place{n, at}
				}
				return at + fr.size(segment), true
			})
		}
		if err != nil {
			return nil, err
		}
	}
	list := make([]int64, 0, len(r.stray))
	for pos := range r.stray {
		list = append(list, pos)
	}
	slices.Sort(list)
	return list, nil
}

// readBlob reads and checks the blob of the frame of heads at pos.
func readBlob(heads io.ReaderAt, segment func(uint32) io.ReaderAt, m marker, pos, end int64) ([]byte, error) {
	f, _, err := readHead(heads, m, pos, end)
	if err != nil {
		return nil, err
	}
	if !f.inline() {
		p := placeOf(f.ref)
		if p.segment == 0 {
			return nil, fmt.Errorf("%w at %d: invalid reference", ErrCorrupt, pos)
		}
		return readStored(segment, m, p, pos)
	}
	if int64(f.blob) > end-pos-frameSize-int64(f.head) {
		return nil, fmt.Errorf("%w at %d: blob is cut short", ErrCorrupt, pos)
	}
	return readSummed(heads, f, pos+frameSize+int64(f.head), pos)
}

// readStored reads and checks the blob at p of a segment, which belongs to the
// record at pos.
func readStored(segment func(uint32) io.ReaderAt, m marker, p place, pos int64) ([]byte, error) {
	one := reader{file: segment(p.segment), end: p.offset + frameSize + maxPart, small: true, marker: m, segment: p.segment}
	f, _, err := one.head(p.offset)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w at %d: %w", ErrCorrupt, pos, err)
	case err != nil:
		return nil, err
	case f.ref != uint64(pos): // #nosec G115 -- positions are positive
		return nil, fmt.Errorf("%w at %d: blob of another record", ErrCorrupt, pos)
	}
	return readSummed(one.file, f, p.offset+frameSize+int64(f.head), pos)
}

// readSummed reads the blob of f at an offset and checks its checksum.
func readSummed(file io.ReaderAt, f frame, at, pos int64) ([]byte, error) {
	blob := make([]byte, f.blob)
	if n, err := file.ReadAt(blob, at); n < len(blob) { // ReadAt may return EOF at the end of the file even if it has read everything
		return nil, fmt.Errorf("%w at %d: %w", ErrCorrupt, pos, err)
	}
	if crc32.Checksum(blob, castagnoli) != f.blobSum {
		return nil, fmt.Errorf("%w at %d: invalid blob", ErrCorrupt, pos)
	}
	return blob, nil
}

// replay calls visit for each record before end.
func replay(file io.ReaderAt, m marker, end int64, visit func(pos int64, head []byte) error) error {
	r := reader{file: file, end: end, marker: m}
	for pos := int64(headerSize); pos < end; {
		f, head, err := r.head(pos)
		if err != nil {
			return err
		}
		if head[0] != mark {
			if err := visit(pos, head); err != nil {
				return err
			}
		}
		pos += f.size(place{offset: pos})
	}
	return nil
}
