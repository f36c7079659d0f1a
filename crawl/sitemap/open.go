// SPDX-License-Identifier: Apache-2.0

package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLayers is how often a file may be compressed. Some servers compress files
// that are already compressed.
const maxLayers = 2

// counter counts the bytes that are read through it, and fails beyond limit.
type counter struct {
	r     io.Reader
	read  int64
	limit int64 // negative means no limit
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.read += int64(n)
	if over := c.read - c.limit; c.limit >= 0 && over > 0 {
		c.read = c.limit
		return n - int(over), ErrTooLarge
	}
	return n, err
}

// open decompresses r, and converts UTF-16 to UTF-8 if r has a byte order mark.
// Invalid UTF-8 is handled later, in text.go.
func open(r io.Reader, limit int64) (*counter, error) {
	for range maxLayers {
		b := bufio.NewReader(r)
		r = b
		if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1F, 0x8B}) {
			break
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		// Limit the inner layer as well, because an outer layer can be endless
		// and decompress to nothing.
		r = &counter{r: z, limit: limit}
	}
	b := bufio.NewReader(r)
	head, _ := b.Peek(4)
	u := &utf16Reader{r: b}
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		_, _ = b.Discard(3) // these bytes have been peeked
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.Equal(head, []byte("<\x00?\x00")), bytes.Equal(head, []byte("<\x00u\x00")):
		return &counter{r: u, limit: limit}, nil
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.Equal(head, []byte("\x00<\x00?")), bytes.Equal(head, []byte("\x00<\x00u")):
		u.big = true
		return &counter{r: u, limit: limit}, nil
	}
	return &counter{r: b, limit: limit}, nil
}

// utf16Reader converts UTF-16 to UTF-8. Invalid units become U+FFFD.
type utf16Reader struct {
	r    *bufio.Reader
	big  bool
	high rune // first half of a surrogate pair; zero if there is none
}

func (u *utf16Reader) Read(b []byte) (n int, err error) {
	for len(b)-n >= 2*utf8.UTFMax {
		pair, err := u.r.Peek(2)
		if len(pair) < 2 {
			if u.high != 0 || len(pair) == 1 {
				u.high = 0
				n += utf8.EncodeRune(b[n:], utf8.RuneError)
			}
			return n, err
		}
		x := rune(pair[1])<<8 | rune(pair[0])
		if u.big {
			x = rune(pair[0])<<8 | rune(pair[1])
		}
		_, _ = u.r.Discard(2) // these bytes have been peeked
		switch first := u.high; {
		case first != 0:
			u.high = 0
			if r := utf16.DecodeRune(first, x); r != utf8.RuneError {
				n += utf8.EncodeRune(b[n:], r)
				continue
			}
			n += utf8.EncodeRune(b[n:], utf8.RuneError)
			fallthrough
		default:
			switch {
			case 0xD800 <= x && x < 0xDC00:
				u.high = x
			case x != 0xFEFF:
				n += utf8.EncodeRune(b[n:], x) // an unpaired surrogate becomes U+FFFD
			}
		}
	}
	return n, nil
}

// window is the part of the file in memory.
type window struct {
	reader io.Reader
	buf    [64 << 10]byte
	lo, hi int // bounds of the data that is still to be processed
	err    error
}

// bytes returns the data that is still to be processed.
func (w *window) bytes() []byte { return w.buf[w.lo:w.hi] }

// more reads more of the file. It returns false if the file has ended or the
// window is full.
func (w *window) more() bool {
	if w.lo > 0 {
		w.hi = copy(w.buf[:], w.bytes())
		w.lo = 0
	}
	for range 100 {
		if w.err != nil || len(w.buf)-w.hi < 2*utf8.UTFMax { // the least that utf16Reader needs
			return false
		}
		n, err := w.reader.Read(w.buf[w.hi:])
		w.hi += n
		w.err = err
		if n > 0 {
			return true
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// want reads until n bytes are available or the file ends.
func (w *window) want(n int) {
	for w.hi-w.lo < n && w.more() {
	}
}

// skip moves after the next mark, or to the end of the file.
func (w *window) skip(mark string) {
	w.each(mark, nil, func(b []byte) int { return max(0, len(b)-len(mark)+1) })
}

// each moves after the next mark and passes the data before it to visit, if
// visit is not nil. If the mark is not in the window, whole returns how much of
// the window can be passed on already. each returns false and moves to the end
// of the file if there is no mark.
func (w *window) each(mark string, visit func([]byte), whole func([]byte) int) bool {
	for {
		b := w.bytes()
		i := bytes.Index(b, []byte(mark))
		end := i
		if i < 0 {
			end = whole(b)
		}
		w.lo += end
		if visit != nil {
			visit(b[:end])
		}
		switch {
		case i >= 0:
			w.lo += len(mark)
			return true
		case !w.more():
			if visit != nil {
				visit(w.bytes())
			}
			w.lo = w.hi
			return false
		}
	}
}
