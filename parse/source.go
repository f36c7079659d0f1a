// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/net/html"
)

// Source is one document to read.
type Source struct {
	Name, ContentType string      // hints for detection; a charset in ContentType applies to text kinds
	URL               string      // base URL of relative links; empty for uploads
	Data              io.ReaderAt // the bytes of the document
	Size              int64       // number of bytes; zero means all that Data has

	Root    *html.Node     // HTML that the caller has already parsed; otherwise nil
	Charset string         // encoding that Root was decoded from, a WHATWG name; empty if unknown
	Lost    map[string]int // what Root lacks, and how much; see crawl.Page.Lost
}

// Bytes returns a source for data, which must not change while it is read.
// name is a hint and may be empty.
func Bytes(name string, data []byte) Source {
	return Source{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}
}

// File opens a regular file. The caller closes the source after parsing.
func File(path string) (Source, error) {
	info, err := os.Stat(path) // check first: opening a named pipe would wait for a writer
	if err != nil {
		return Source{}, err
	}
	if !info.Mode().IsRegular() {
		return Source{}, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path) // #nosec G304 -- the caller names the file
	if err != nil {
		return Source{}, err
	}
	return Source{Name: filepath.Base(path), Data: f, Size: info.Size()}, nil
}

// Close closes Data if it is an [io.Closer]. [Engine.Parse] does not close
// it.
func (src Source) Close() error {
	if c, ok := src.Data.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Reader returns a reader of the whole document.
func (src Source) Reader() *io.SectionReader {
	switch {
	case src.Data == nil:
		return io.NewSectionReader(bytes.NewReader(nil), 0, 0)
	case src.Size == 0:
		return io.NewSectionReader(src.Data, 0, math.MaxInt64)
	}
	return io.NewSectionReader(src.Data, 0, src.Size)
}

// maxLength bounds the search for the end of a source without a size, in
// bytes.
const maxLength = 1 << 40

// Len returns Size or, if that is zero, the number of bytes in Data. It
// calls the Size method of Data if there is one. Otherwise it searches for
// the end with about fifty reads of one byte. If Data is longer than 1 TiB,
// the error is [ErrLimit].
func (src Source) Len() (int64, error) {
	if src.Size != 0 || src.Data == nil {
		return src.Size, nil
	}
	return lengthOf(src.Data, maxLength)
}

// measure sets Size if it is zero. While it searches for the end, it returns
// ErrLimit for a document over the limit.
func (src *Source) measure(limit int64) error {
	if limit < 0 {
		limit = maxLength
	}
	if src.Size == 0 && src.Data != nil {
		var err error
		if src.Size, err = lengthOf(src.Data, limit); err != nil {
			return err
		}
	}
	return nil
}

// lengthOf returns the number of bytes in r. It returns ErrLimit if a search
// for the end passes limit.
func lengthOf(r io.ReaderAt, limit int64) (int64, error) {
	if s, ok := r.(interface{ Size() int64 }); ok {
		return s.Size(), nil
	}
	var failed error
	has := func(at int64) bool {
		n, err := r.ReadAt(make([]byte, 1), at)
		if n == 0 && err == nil {
			err = io.ErrNoProgress
		}
		if n == 0 && !errors.Is(err, io.EOF) && failed == nil {
			failed = err
		}
		return n == 1
	}
	high := int64(4 << 10)
	for ; has(high - 1); high *= 2 {
		if high > limit {
			return 0, &LimitError{Name: "bytes", Value: limit}
		}
	}
	low := high / 2
	if high == 4<<10 {
		low = 0
	}
	for low < high { // the end is between low and high
		if middle := low + (high-low)/2; has(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if failed != nil {
		return 0, fmt.Errorf("find the end of the document: %w", failed)
	}
	return low, nil
}
