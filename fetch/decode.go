// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	maxCodings = 2
	maxWindow  = 8 << 20 // of zstd, as RFC 9659 recommends
)

// errCodings refuses a body with more than two content codings, which only
// decompression bombs have.
var errCodings = &fault{ErrInflate, errors.New("too many content codings")}

// Decoders are pooled, because they are expensive to create.
var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return new(brotli.Reader) }}
	zstds   = sync.Pool{New: func() any {
		// A concurrency of one starts no goroutines.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			panic(err) // cannot happen: the options are constant
		}
		return d
	}}
)

// decoded is a reader that undoes the content codings of a body.
type decoded struct {
	io.Reader
	coded   []*bufio.Reader // what each decoder reads from
	release []func()
}

// excess reports whether data that are not padding have arrived after the end of a
// coded body. Data that follow later are not waited for.
func (d *decoded) excess() bool {
	for _, r := range d.coded {
		if rest, _ := r.Peek(r.Buffered()); len(bytes.Trim(rest, "\x00\t\n\r ")) > 0 {
			return true
		}
	}
	return false
}

// close returns the decoders to their pools.
func (d *decoded) close() {
	for _, f := range d.release {
		f()
	}
}

// decoder returns r without its content codings, whether any of them is known,
// and the names of those that are left because the last of them is unknown.
// Unknown codings leave the body unchanged, and so do codings that do not match
// the first bytes, because some servers declare gzip for plain text. The caller
// must close the reader, also after an error.
func decoder(r io.Reader, header []string) (d *decoded, coded bool, left []string, err error) {
	d = &decoded{Reader: r}
	names := codings(header)
	if len(names) > maxCodings {
		return d, false, names, errCodings
	}
	for i, name := range slices.Backward(names) {
		if !d.unwrap(name) {
			return d, coded, names[:i+1], nil
		}
		coded = true
	}
	return d, coded, nil, nil
}

// codings returns the names in Content-Encoding, in the order in which they
// were applied.
func codings(header []string) []string {
	var names []string
	for _, line := range header {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if name != "" && name != "identity" {
				names = append(names, name)
			}
		}
	}
	return names
}

// unwrap adds the decoder of one coding to d. If the coding is unknown, it
// returns false and leaves d unchanged.
func (d *decoded) unwrap(name string) bool {
	switch name {
	case "gzip", "x-gzip", "deflate", "br", "zstd":
	default:
		return false
	}
	br := readers.Get().(*bufio.Reader)
	br.Reset(d.Reader)
	d.release = append(d.release, func() { br.Reset(nil); readers.Put(br) })
	d.coded = append(d.coded, br)
	d.Reader = &lazy{src: br, name: name, body: d}
	return true
}

// lazy chooses its decoder when the first bytes of the body arrive, so that a
// body that never arrives uses no decoder.
type lazy struct {
	src  *bufio.Reader
	name string
	body *decoded
	dec  io.Reader
}

func (l *lazy) Read(p []byte) (int, error) {
	if l.dec == nil {
		if err := l.choose(); err != nil {
			return 0, err
		}
	}
	return l.dec.Read(p)
}

// choose selects the decoder by the first bytes.
func (l *lazy) choose() error {
	head, err := l.src.Peek(4)
	if len(head) == 0 {
		return err // an empty body is empty in every coding
	}
	l.dec = l.src
	switch l.name {
	case "gzip", "x-gzip":
		if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			z := gzips.Get().(*gzip.Reader)
			l.keep(func() { gzips.Put(z) })
			l.dec = &members{z: z, src: l.src}
			return begun(z.Reset(l.src))
		}
	case "zstd":
		if isZstd(head) {
			z := zstds.Get().(*zstd.Decoder)
			l.keep(func() { _ = z.Reset(nil); zstds.Put(z) })
			l.dec = z
			return z.Reset(l.src)
		}
	case "br":
		z := brotlis.Get().(*brotli.Reader)
		l.keep(func() { brotlis.Put(z) })
		l.dec = z
		return z.Reset(l.src)
	case "deflate":
		// RFC 9110 8.4.1.2 defines deflate as zlib, but some servers send raw
		// deflate.
		if len(head) > 1 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			z, err := zlib.NewReader(l.src)
			if err != nil {
				return begun(err)
			}
			l.dec = z
			return nil
		}
		// This form has no checksum. The decoder of the standard library stops at
		// every fault, which those of klauspost/compress do not.
		l.dec = flate.NewReader(l.src)
	}
	return nil
}

// begun turns an EOF into io.ErrUnexpectedEOF, because the header of the coded
// form was incomplete.
func begun(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// keep adds a function that returns a decoder to its pool.
func (l *lazy) keep(release func()) { l.body.release = append(l.body.release, release) }

// isZstd reports whether head starts a zstd frame or a skippable frame.
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18})
}

// members reads a gzip body of one or more members. It leaves data after the
// last member, which are mostly padding.
type members struct {
	z   *gzip.Reader
	src *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		m.z.Multistream(false)
		n, err := m.z.Read(p)
		if n > 0 || err != io.EOF { //nolint:errorlint // io.Reader's contract
			if err == io.EOF { //nolint:errorlint // the next Read returns EOF again
				err = nil
			}
			return n, err
		}
		if head, _ := m.src.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
			return 0, io.EOF
		}
		if err := begun(m.z.Reset(m.src)); err != nil {
			return 0, err
		}
	}
}
