// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Stream opens the entry name for reading piece by piece; only Limits.Total,
// Repeat and Ratio bound it. The errors are those of [Archive.Read]; reading
// gives them too. The caller closes the stream.
func (a *Archive) Stream(name string) (io.ReadCloser, error) {
	f := a.find(name)
	if f == nil {
		return nil, fmt.Errorf("part %s: %w", name, fs.ErrNotExist)
	}
	if f.Flags&1 != 0 {
		return nil, fmt.Errorf("part %s: %w", name, ErrEncrypted)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("part %s: %w: %w", name, ErrMalformed, err)
	}
	most := a.most(f)
	s := &stream{archive: a, name: name, r: r, most: most, left: most}
	s.again = a.open(f)
	return s, nil
}

// stream counts what is read of an entry.
type stream struct {
	archive *Archive
	name    string
	r       io.ReadCloser
	most    int64 // bytes that it may give
	left    int64
	again   bool // the entry was read before
}

func (s *stream) Read(p []byte) (int, error) {
	if int64(len(p)) > s.left+1 {
		p = p[:s.left+1]
	}
	n, err := s.r.Read(p)
	s.left -= int64(n)
	s.archive.spend(int64(n), s.again)
	switch {
	case s.left < 0:
		s.left = 0
		return 0, fmt.Errorf("part %s: %w", s.name, &LimitError{"bytes", s.most})
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("part %s: %w: %w", s.name, ErrMalformed, err)
	}
	return n, err
}

func (s *stream) Close() error { return s.r.Close() }
