// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"example.com/curlew/fetch"
)

// encode encodes data with one content coding.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriterLevel(&b, 5)
	case "zstd":
		z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		z, err := flate.NewWriter(&b, 6)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return data
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// header returns the header of an encoded body.
func header(codings ...string) http.Header {
	return http.Header{"Content-Encoding": codings, "Content-Length": {"7"}}
}

// prose returns n bytes that compress as well as a typical page.
func prose(n int) []byte {
	words := strings.Fields("the curlew is a wader with a long curved bill and a call that carries over the marsh at night")
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.Bytes()[:n]
}

func TestRead(t *testing.T) {
	page := prose(100_000)
	twice := append(encode(t, "gzip", page[:50_000]), encode(t, "gzip", page[50_000:])...)
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 1}, encode(t, "zstd", page)...)
	tests := []struct {
		name   string
		codes  []string
		body   []byte
		coded  bool
		trunc  bool
		want   []byte
		reason error
	}{
		{"plain", nil, page, false, false, page, nil},
		{"identity", []string{"identity"}, page, false, false, page, nil},
		{"gzip", []string{"gzip"}, encode(t, "gzip", page), true, false, page, nil},
		{"x-gzip", []string{"X-GZip"}, encode(t, "gzip", page), true, false, page, nil},
		{"br", []string{"br"}, encode(t, "br", page), true, false, page, nil},
		{"zstd", []string{"zstd"}, encode(t, "zstd", page), true, false, page, nil},
		{"zstd behind a skippable frame", []string{"zstd"}, skippable, true, false, page, nil},
		{"deflate", []string{"deflate"}, encode(t, "deflate", page), true, false, page, nil},
		{"bare deflate", []string{"deflate"}, encode(t, "raw deflate", page), true, false, page, nil},
		{"two", []string{"gzip, br"}, encode(t, "br", encode(t, "gzip", page)), true, false, page, nil},
		{"two lines", []string{"zstd", "gzip"}, encode(t, "gzip", encode(t, "zstd", page)), true, false, page, nil},
		{"two and identity", []string{"identity, gzip, , identity", "br"}, encode(t, "br", encode(t, "gzip", page)), true, false, page, nil},
		{"three", []string{"gzip, gzip, gzip"}, page, false, false, nil, fetch.ErrInflate},
		{"empty", []string{"gzip"}, nil, true, false, nil, nil},
		{"unknown", []string{"utf-8"}, page, false, false, page, nil},
		{"known in unknown", []string{"gzip, rot13"}, page, false, false, page, nil},
		{"unknown in known", []string{"rot13, gzip"}, encode(t, "gzip", page), true, false, page, nil},
		{"said to be gzip", []string{"gzip"}, page, true, false, page, nil},
		{"said to be zstd", []string{"zstd"}, page, true, false, page, nil},
		{"said to be gzip twice", []string{"gzip, gzip"}, encode(t, "gzip", page), true, false, page, nil},
		{"members", []string{"gzip"}, twice, true, false, page, nil},
		{"padding behind", []string{"gzip"}, append(encode(t, "gzip", page), 0, 0, 0, 0), true, false, page, nil},
		{"bad member behind", []string{"gzip"}, append(encode(t, "gzip", page), 0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9), true, false, page, fetch.ErrProtocol},
		{"cut gzip", []string{"gzip"}, cut(encode(t, "gzip", page)), true, true, page, nil},
		{"cut br", []string{"br"}, cut(encode(t, "br", page)), true, true, page, nil},
		{"cut zstd", []string{"zstd"}, cut(encode(t, "zstd", page)), true, true, page, nil},
		{"cut deflate", []string{"deflate"}, cut(encode(t, "deflate", page)), true, true, page, nil},
		{"cut bare deflate", []string{"deflate"}, cut(encode(t, "raw deflate", page)), true, true, page, nil},
		{"one byte of gzip", []string{"gzip"}, []byte{0x1f}, true, false, []byte{0x1f}, nil},
		{"bad gzip", []string{"gzip"}, []byte("\x1f\x8b\x08\x00nonsense and more"), true, false, nil, fetch.ErrProtocol},
		{"bad br", []string{"br"}, []byte("this is no brotli at all"), true, false, nil, fetch.ErrProtocol},
		{"bad zstd", []string{"zstd"}, []byte("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff"), true, false, nil, fetch.ErrProtocol},
		{"bad deflate", []string{"deflate"}, []byte("\x78\x9c\xff\xff\xff\xff"), true, false, nil, fetch.ErrProtocol},
		{"bad sum", []string{"gzip"}, flip(encode(t, "gzip", page), -5), true, false, page, fetch.ErrProtocol},
	}
	for _, test := range tests {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			h := header(test.codes...)
			got, trunc, err := fetch.Read(wrap(bytes.NewReader(test.body)), h, 1<<20)
			if !errors.Is(err, test.reason) || trunc != test.trunc || (h.Get("Content-Length") == "") != test.coded {
				t.Errorf("%s, %s: %v, truncated %v, header %v; want %v, %v", test.name, how, err, trunc, h, test.reason, test.trunc)
			}
			if test.reason == nil && !test.trunc && !bytes.Equal(got, test.want) || !bytes.HasPrefix(test.want, got) && test.trunc {
				t.Errorf("%s, %s: %d bytes, want %d", test.name, how, len(got), len(test.want))
			}
		}
	}
}

// TestExcess tells text after the end of a coded body from padding, and names the
// codings that are left.
func TestExcess(t *testing.T) {
	page := prose(1000)
	for name, test := range map[string]struct {
		codes  []string
		body   []byte
		excess bool
		left   string
	}{
		"gzip and text":      {[]string{"gzip"}, append(encode(t, "gzip", page), "The rest of the page."...), true, ""},
		"deflate and text":   {[]string{"deflate"}, append(encode(t, "deflate", page), "The rest of the page."...), true, ""},
		"gzip twice, text":   {[]string{"gzip, gzip"}, append(encode(t, "gzip", encode(t, "gzip", page)), "The rest."...), true, ""},
		"padding":            {[]string{"gzip"}, append(encode(t, "gzip", page), "\x00\x00\r\n"...), false, ""},
		"nothing":            {[]string{"gzip"}, encode(t, "gzip", page), false, ""},
		"not coded":          {nil, page, false, ""},
		"said to be gzip":    {[]string{"gzip"}, page, false, ""},
		"an unknown coding":  {[]string{"Rot13"}, page, false, "Rot13"},
		"unknown below gzip": {[]string{"rot13, gzip"}, encode(t, "gzip", page), false, "rot13"},
	} {
		h := header(test.codes...)
		excess, err := fetch.Excess(bytes.NewReader(test.body), h)
		if err != nil || excess != test.excess || h.Get("Content-Encoding") != test.left {
			t.Errorf("%s: excess %v, left %q, %v; want %v, %q", name, excess, h.Get("Content-Encoding"), err, test.excess, test.left)
		}
	}
}

// cut returns the first nine tenths of b.
func cut(b []byte) []byte { return b[:len(b)*9/10] }

// flip returns b with the byte at the given distance from the end changed.
func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[len(b)+at] ^= 0xff
	return b
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken wire")
	for _, coding := range []string{"", "gzip", "br", "zstd", "deflate"} {
		data := encode(t, coding, prose(100_000))
		var h http.Header
		if coding != "" {
			h = header(coding)
		}
		r := io.MultiReader(bytes.NewReader(cut(data)), iotest.ErrReader(broken))
		if _, trunc, err := fetch.Read(r, h, 1<<20); !errors.Is(err, broken) || trunc {
			t.Errorf("%s: a broken wire is %v, truncated %v", coding, err, trunc)
		}
		r = io.MultiReader(bytes.NewReader(cut(data)), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, trunc, err := fetch.Read(r, h, 1<<20); err != nil || !trunc {
			t.Errorf("%s: a wire that ends early is %v, truncated %v", coding, err, trunc)
		}
	}
}

func TestLimits(t *testing.T) {
	zeros := make([]byte, 8<<20)
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x70, 0x01, 0x00, 0x00} // 16 MiB
	tests := []struct {
		name  string
		codes []string
		body  []byte
		limit int64
		want  error
	}{
		{"plain of the limit", nil, zeros[:1000], 1000, nil},
		{"plain over it", nil, zeros[:1001], 1000, fetch.ErrTooLarge},
		{"inflated of the limit", []string{"gzip"}, encode(t, "gzip", zeros[:1000]), 1000, nil},
		{"inflated over it", []string{"gzip"}, encode(t, "gzip", zeros[:1001]), 1000, fetch.ErrTooLarge},
		{"wire over it", []string{"gzip"}, encode(t, "gzip", prose(10_000)), 1000, fetch.ErrTooLarge},
		{"a steep mebibyte", []string{"gzip"}, encode(t, "gzip", zeros[:1<<20]), 10 << 20, nil},
		{"gzip bomb", []string{"gzip"}, encode(t, "gzip", zeros), 10 << 20, fetch.ErrInflate},
		{"br bomb", []string{"br"}, encode(t, "br", zeros), 10 << 20, fetch.ErrInflate},
		{"zstd bomb", []string{"zstd"}, encode(t, "zstd", zeros), 10 << 20, fetch.ErrInflate},
		{"deflate bomb", []string{"deflate"}, encode(t, "deflate", zeros), 10 << 20, fetch.ErrInflate},
		{"nested bomb", []string{"gzip, gzip"}, encode(t, "gzip", encode(t, "gzip", zeros)), 10 << 20, fetch.ErrInflate},
		{"bomb without limit", []string{"gzip"}, encode(t, "gzip", zeros), 1<<63 - 1, fetch.ErrInflate},
		{"zstd window", []string{"zstd"}, window, 10 << 20, fetch.ErrInflate},
		{"nothing allowed", nil, []byte("x"), 0, fetch.ErrTooLarge},
		{"nothing comes", nil, nil, 0, nil},
	}
	for _, test := range tests {
		r := &counting{Reader: bytes.NewReader(test.body)}
		data, _, err := fetch.Read(r, header(test.codes...), test.limit)
		if !errors.Is(err, test.want) || err != nil && test.want == nil {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if int64(r.n)-1 > test.limit {
			t.Errorf("%s: took %d bytes off the wire, limit %d", test.name, r.n, test.limit)
		}
		if len(data) > 10<<20 {
			t.Errorf("%s: %d bytes came out", test.name, len(data))
		}
	}
}

// counting counts the bytes that are read.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func FuzzDecode(f *testing.F) {
	page := prose(2000)
	for _, coding := range []string{"gzip", "br", "zstd", "deflate", "raw deflate", "plain"} {
		f.Add(strings.TrimPrefix(coding, "raw "), encode(f, coding, page))
		f.Add("gzip, "+coding, encode(f, coding, encode(f, "gzip", page)))
	}
	f.Add("gzip", encode(f, "gzip", make([]byte, 3<<20)))
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		const limit = 2 << 20
		data, truncated, err := fetch.Read(bytes.NewReader(body), header(coding), limit)
		if err == nil && len(data) > limit {
			t.Errorf("%d bytes, limit %d", len(data), limit)
		}
		if len(data) > 1<<20+64<<10 && len(data) > 201*(len(body)+1)+64<<10 {
			t.Errorf("%d bytes inflated to %d", len(body), len(data))
		}
		if err != nil && truncated {
			t.Errorf("truncated and %v", err)
		}
		if err != nil && !errors.Is(err, fetch.ErrProtocol) && !errors.Is(err, fetch.ErrInflate) && !errors.Is(err, fetch.ErrTooLarge) {
			t.Errorf("no error of ours: %v", err)
		}
		again, _, err2 := fetch.Read(iotest.HalfReader(bytes.NewReader(body)), header(coding), limit)
		if (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(data, again) {
			t.Errorf("read in halves: %d bytes, %v; at once: %d bytes, %v", len(again), err2, len(data), err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	page := prose(36_000)
	for _, coding := range []string{"plain", "gzip", "br", "zstd", "deflate"} {
		body := encode(b, coding, page)
		b.Run(coding, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				h := http.Header{"Content-Encoding": {coding}}
				if data, _, err := fetch.Read(bytes.NewReader(body), h, 10<<20); err != nil || len(data) != len(page) {
					b.Fatal(len(data), err)
				}
			}
		})
	}
}
