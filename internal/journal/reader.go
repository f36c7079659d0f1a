// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// Reader reads a log that nobody writes to. It checks the header and what it is
// asked for, cuts nothing and starts nothing. It is safe for concurrent use,
// but for Close.
type Reader struct {
	file   File
	header Header
	size   int64
}

// OpenReader opens a log for reading. Its error wraps [ErrCorrupt] where there
// is no sound header.
func OpenReader(fsys FS, name string) (*Reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: f}
	if r.header, r.size, err = readHeader(f); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal %s: %w", name, err), f.Close())
	}
	return r, nil
}

// readHeader returns the header and the size of a log.
func readHeader(f File) (Header, int64, error) {
	size, err := f.Size()
	if err != nil {
		return Header{}, 0, err
	}
	b := make([]byte, headerSize)
	if _, err := f.ReadAt(b, 0); err != nil {
		return Header{}, 0, fmt.Errorf("%w: header: %w", ErrCorrupt, err)
	}
	h, err := decodeHeader(b)
	return h, size, err
}

// Header returns what was given when the log was created.
func (r *Reader) Header() Header { return r.header }

// Head reads the head of the record at pos. See [Log.Head].
func (r *Reader) Head(pos int64) ([]byte, error) {
	_, head, err := readHead(r.file, pos, r.size)
	return head, err
}

// Blob reads the blob of the record at pos. See [Log.Blob].
func (r *Reader) Blob(pos int64) ([]byte, error) { return readBlob(r.file, pos, r.size) }

// Replay calls visit for each record. See [Log.Replay]; a torn tail is an error
// that wraps [ErrCorrupt].
func (r *Reader) Replay(visit func(pos int64, head []byte) error) error {
	return replay(r.file, r.size, visit)
}

// Passed reports whether a sound mark says that the first record was synced: if
// it is damaged nevertheless, something was lost. It reads the whole log where
// there is no such mark.
func (r *Reader) Passed() (bool, error) { return markAfter(r.file, headerSize, r.size) }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// readBlob reads and checks the blob of the frame at pos.
func readBlob(file File, pos, end int64) ([]byte, error) {
	f, _, err := readHead(file, pos, end)
	if err != nil {
		return nil, err
	}
	if int64(f.blob) > end-pos-frameSize-int64(f.head) {
		return nil, fmt.Errorf("%w at %d: blob is cut short", ErrCorrupt, pos)
	}
	blob := make([]byte, f.blob)
	if n, err := file.ReadAt(blob, pos+frameSize+int64(f.head)); n < len(blob) { // at the end of the file none is an EOF, too
		return nil, fmt.Errorf("%w at %d: %w", ErrCorrupt, pos, err)
	}
	if crc32.Checksum(blob, castagnoli) != f.blobSum {
		return nil, fmt.Errorf("%w at %d: blob", ErrCorrupt, pos)
	}
	return blob, nil
}

// replay calls visit for each record before end.
func replay(file File, end int64, visit func(pos int64, head []byte) error) error {
	r := reader{file: file, end: end}
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
		pos += f.size()
	}
	return nil
}
