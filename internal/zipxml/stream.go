// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Sizes of the text in memory when a part is read as a stream, in bytes.
const (
	firstSize = 64 << 10     // read first, because most parts are short
	pieceSize = 1 << 20      // read at a time
	ahead     = maxTag + 512 // available after the position, so that tags are complete
	maxHeld   = 64 << 20     // maximum of the text of elements in use
)

// source supplies the text that a scanner does not have yet.
type source struct {
	r    io.Reader // nil at the end
	err  error     // why it ended, or nil
	buf  []byte
	part int // bytes of buf that were read before: the head, or the start of a character
	held int // bytes read since elements are in use
}

// NewStreamScanner is like [NewScanner] for a part that is read piece by piece
// from r. An error of r is returned after the text before it. Elements in use
// may have 64 MiB of text. A part that is not UTF-8 is read as a whole and may
// have 64 MiB too. [Scanner.Later] cannot be used with it.
func NewStreamScanner(r io.Reader, v Vocabulary) *Scanner {
	s := NewScanner("", v)
	first, err := io.ReadAll(io.LimitReader(r, headSize))
	head := string(first)
	switch {
	case err != nil:
		s.text, s.source = decode(head), &source{err: err}
	case strings.HasPrefix(head, "\xFF\xFE"), strings.HasPrefix(head, "\xFE\xFF"), strings.IndexByte(head[:min(len(head), utf8.UTFMax)], 0) >= 0, isLatin(head):
		data, err := io.ReadAll(io.LimitReader(io.MultiReader(strings.NewReader(head), r), maxHeld+1))
		if len(data) > maxHeld {
			data, err = data[:maxHeld], &LimitError{"bytes of a part that is no UTF-8", maxHeld}
		}
		s.text, s.source = decode(string(data)), &source{err: err}
	default:
		s.source = &source{r: r, buf: make([]byte, firstSize)}
		s.source.part = copy(s.source.buf, head)
		s.fill(false)
		s.text = strings.TrimPrefix(s.text, "\xEF\xBB\xBF")
	}
	return s
}

// fill reads more if a tag at s.at may not be in memory completely. The text
// before s.at is dropped; held says that elements use it.
func (s *Scanner) fill(held bool) {
	for s.source != nil && s.source.r != nil && len(s.text)-s.at < ahead {
		s.read(held)
	}
}

// read reads the next piece.
func (s *Scanner) read(held bool) {
	in := s.source
	n, err := io.ReadFull(in.r, in.buf[in.part:])
	n += in.part
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		in.r = nil
	case err != nil:
		in.r, in.err = nil, err
	}
	cut := n
	if in.r != nil {
		for cut > n-utf8.UTFMax && !utf8.RuneStart(in.buf[cut-1]) {
			cut--
		}
		if cut > 0 && !utf8.FullRune(in.buf[cut-1:n]) {
			cut--
		} else {
			cut = n
		}
	}
	rest := s.text[s.at:]
	var b strings.Builder
	b.Grow(len(rest) + cut)
	b.WriteString(rest)
	b.Write(in.buf[:cut])
	tail := in.buf[cut:n]
	if len(in.buf) < pieceSize && in.r != nil {
		in.buf = make([]byte, pieceSize)
	}
	in.part = copy(in.buf, tail)
	s.text, s.from, s.at = b.String(), s.from-s.at, 0
	if piece := s.text[len(rest):]; !utf8.ValidString(piece) || hasControl(piece) {
		s.text = rest + scrub(piece)
	}
	if held {
		in.held += cut
	}
	if in.held > maxHeld {
		in.r, in.err = nil, fmt.Errorf("%w: more than %d bytes in one element", ErrMalformed, maxHeld)
	}
}

// whole returns the length of the complete part of a text without further tags,
// because references and line ends at its end may continue.
func (s *Scanner) whole() int {
	n := len(s.text) - s.at
	if s.source == nil || s.source.r == nil || n < 32 {
		return n
	}
	if i := strings.LastIndexAny(s.text[len(s.text)-16:], "&\r"); i >= 0 {
		return n - 16 + i
	}
	return n
}

// Stream opens the entry name for reading piece by piece. Only Limits.Total,
// Repeat and Ratio apply. The errors are those of [Archive.Read], also while
// reading. The caller must close the stream.
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
	most    int64 // maximum number of bytes
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
