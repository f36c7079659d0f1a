// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"errors"
	"io"
	"iter"
	"strings"
)

const (
	window    = 1 << 20  // bytes that are read at once
	maxWindow = 64 << 20 // bytes of a record; a quote that no other closes within them is text
)

// errRecord means that a record is longer than maxWindow.
var errRecord = errors.New("over a limit: a record of more than 67108864 bytes")

// Stream yields the records of a text without empty lines, as [Tree] finds them,
// and keeps only a part of the text in memory. clean is applied to each part that
// is read. comma is the separator; zero detects it. The slices are reused. An
// error ends the records. After the last record, it sets doubts to
// sentences about what may be read wrongly, as in [Cut].
func Stream(r io.Reader, comma byte, clean func(string) string, doubts *[]string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		s := stream{r: r, clean: clean, size: window, most: maxWindow}
		if err := s.fill(); err != nil {
			yield(nil, err)
			return
		}
		size := len(s.text)
		s.text, s.comma, s.tie = separator(s.text, comma)
		s.line = min(1, size-len(s.text))
		var record []string
		var w widths
		for {
			ok, err := s.next(&record)
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok {
				*doubts = s.doubts(&w)
				return
			}
			w.add(record, s.start, s.comma)
			if !yield(record, nil) {
				return
			}
		}
	}
}

// stream reads records from a window of a text.
type stream struct {
	scanner
	r          io.Reader
	clean      func(string) string
	size, most int // bytes that are read at once, and maximum size of the window in bytes
	ended      bool
}

// fill reads the next part of the text, and appends it to the part that is left.
func (s *stream) fill() error {
	part := make([]byte, max(s.size, len(s.text))) // a long record doubles the window
	n, err := io.ReadFull(s.r, part)
	// A line end of two characters, and a character, must not be split.
	for err == nil && (part[n-1] == '\r' || part[n-1] >= 0x80) {
		var one [1]byte
		if _, err = io.ReadFull(s.r, one[:]); err == nil {
			part, n = append(part[:n], one[0]), n+1
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.ended, err = true, nil
	}
	text := s.clean(string(part[:n]))
	s.wrong += strings.Count(text, "\uFFFD")
	s.text += text
	return err
}

// next reads a record. If the window ends within it, the window grows and the
// record is read again.
func (s *stream) next(to *[]string) (bool, error) {
	for {
		before := s.scanner
		ok := s.record(to, len(s.text))
		switch {
		case s.ended || s.text != "" && s.open == before.open:
			return ok, nil
		case len(before.text) < s.most:
			s.scanner = before
			if err := s.fill(); err != nil {
				return false, err
			}
		case s.text == "":
			return false, errRecord
		default:
			return ok, nil // the quote is text from here on
		}
	}
}
