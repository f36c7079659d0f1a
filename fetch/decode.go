// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	maxCodings = 2
	maxWindow  = 8 << 20 // of zstd: RFC 9659
)

// errCodings refuses a body wrapped more than twice: only bombs are.
var errCodings = &fault{ErrInflate, errors.New("too many content codings")}

// Decoders are kept from one body to the next.
var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return new(brotli.Reader) }}
	zstds   = sync.Pool{New: func() any {
		// One at a time, so that it starts no goroutines.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			panic(err) // cannot happen, because the options are constant
		}
		return d
	}}
)

// decoded is a body out of its codings.
type decoded struct {
	io.Reader
	release []func()
}

// close gives the decoders back.
func (d *decoded) close() {
	for _, f := range d.release {
		f()
	}
}

// decoder returns r out of its content codings, and whether there are any that
// are known. Unknown ones leave the body as it is, as do those that its first
// bytes belie: servers name gzip for what is plain. The caller closes the
// reader, also after an error.
func decoder(r io.Reader, header []string) (d *decoded, coded bool, err error) {
	d = &decoded{Reader: r}
	names := codings(header)
	if len(names) > maxCodings {
		return d, false, errCodings
	}
	for _, name := range slices.Backward(names) {
		if !d.unwrap(name) {
			return d, coded, nil
		}
		coded = true
	}
	return d, coded, nil
}

// codings returns the names in Content-Encoding, in the order applied.
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

// unwrap puts the decoder of one coding on d. It reports false, and leaves d
// as it is, where the coding is not known.
func (d *decoded) unwrap(name string) bool {
	switch name {
	case "gzip", "x-gzip", "deflate", "br", "zstd":
	default:
		return false
	}
	br := readers.Get().(*bufio.Reader)
	br.Reset(d.Reader)
	d.release = append(d.release, func() { br.Reset(nil); readers.Put(br) })
	d.Reader = &lazy{src: br, name: name, body: d}
	return true
}

// lazy chooses its decoder with the first bytes of the body, so that a body
// that never comes has none.
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

// choose makes the decoder.
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
		// RFC 9110 8.4.1.2 means zlib, and some servers send it bare.
		if len(head) > 1 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			z, err := zlib.NewReader(l.src)
			if err != nil {
				return begun(err)
			}
			l.dec = z
			return nil
		}
		l.dec = flate.NewReader(l.src)
	}
	return nil
}

// begun returns err of a header that was there in part: its end is none of the
// body.
func begun(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// keep remembers what gives a decoder back.
func (l *lazy) keep(release func()) { l.body.release = append(l.body.release, release) }

// isZstd reports whether head begins a zstd frame or a skippable one.
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18})
}

// members reads a gzip body of one or more members, and ignores what is no
// member behind the first: padding, mostly.
type members struct {
	z   *gzip.Reader
	src *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		m.z.Multistream(false)
		n, err := m.z.Read(p)
		if n > 0 || err != io.EOF { //nolint:errorlint // io.Reader's contract
			if err == io.EOF { //nolint:errorlint // the next Read says so again
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
