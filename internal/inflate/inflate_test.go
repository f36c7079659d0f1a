// SPDX-License-Identifier: Apache-2.0

package inflate_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/curlew/internal/inflate"
)

// samples are texts whose compressed forms have all kinds of blocks, short and long codes, and
// copies from near and far.
func samples(t testing.TB) map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	skewed := make([]byte, 200_000)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 12)
	}
	plain := map[string][]byte{
		"nothing": nil,
		"one":     {'a'},
		"zeros":   make([]byte, 300_000),
		"words":   []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 4000)),
		"noise":   noise,
		"skewed":  skewed,
		"far":     append(append(bytes.Clone(noise[:32<<10]), noise[:32<<10]...), noise[1:40_000]...),
	}
	out := map[string][]byte{}
	for name, data := range plain {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			var b bytes.Buffer
			w, err := flate.NewWriter(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(data[:len(data)/2])
			w.Flush()
			w.Write(data[len(data)/2:])
			w.Close()
			out[name+string(rune('0'+level+2))] = b.Bytes()
		}
	}
	return out
}

// want is what the standard library makes of a stream.
func want(data []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(data)))
}

// lost is the largest number of bytes that the decoder does not return from the end of a
// stream that was cut. It asks for up to 10 bits more than a symbol has, and each of these
// bits may be a symbol that stands for 258 bytes.
const lost = 10 * 258

func same(t *testing.T, name string, src io.Reader, data []byte) {
	t.Helper()
	r := inflate.NewReader(src)
	defer r.Close()
	all, err := io.ReadAll(r)
	expected, cause := want(data)
	if err != nil && cause == nil {
		t.Fatalf("%s: %v", name, err)
	}
	least := len(expected)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		least = max(0, least-lost)
	}
	both := min(len(all), len(expected)) // the decoder goes on after some faults
	if len(all) < least || !bytes.Equal(all[:both], expected[:both]) {
		t.Fatalf("%s: %d bytes, not the %d that were expected", name, len(all), len(expected))
	}
	if cause == nil && len(all) != len(expected) {
		t.Fatalf("%s: %d bytes, not %d", name, len(all), len(expected))
	}
}

func TestReader(t *testing.T) {
	for name, data := range samples(t) {
		same(t, name, bytes.NewReader(data), data)
		same(t, name+" in halves", iotest.HalfReader(bytes.NewReader(data)), data)
		same(t, name+" byte by byte", iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(data))), data)
	}
}

// TestDamaged cuts and changes streams. The bytes before the fault are those of the
// standard library, but for the last bits of a cut stream. After some faults the decoder
// goes on.
func TestDamaged(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	random := rand.New(rand.NewPCG(3, 4))
	for name, data := range samples(t) {
		for range rounds {
			bad := bytes.Clone(data[:random.IntN(len(data)+1)])
			for range random.IntN(4) {
				if len(bad) > 0 {
					bad[random.IntN(min(len(bad), 1000))] ^= 1 << random.IntN(8)
				}
			}
			same(t, name, bytes.NewReader(bad), bad)
		}
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		src  io.Reader
		want error
	}{
		{"cut", strings.NewReader("\x01\x05\x00"), io.ErrUnexpectedEOF},
		{"no kind of block", strings.NewReader("\x07"), flate.CorruptInputError(0)},
		{"source", io.MultiReader(strings.NewReader("\x00\x01\x00"), iotest.ErrReader(broken)), broken},
		{"nothing", eternal{}, io.ErrNoProgress},
	} {
		_, err := io.ReadAll(inflate.NewReader(test.src))
		if corrupt := flate.CorruptInputError(0); errors.As(test.want, &corrupt) {
			if !errors.As(err, &corrupt) {
				t.Errorf("%s: %v", test.name, err)
			}
		} else if !errors.Is(err, test.want) {
			t.Errorf("%s: the error is %v, not %v", test.name, err, test.want)
		}
	}
}

func TestClosed(t *testing.T) {
	r := inflate.NewReader(strings.NewReader("\x01\x01\x00\xfe\xffa"))
	if b, err := io.ReadAll(r); string(b) != "a" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	r.Close()
	r.Close()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

// eternal never returns anything.
type eternal struct{}

func (eternal) Read([]byte) (int, error) { return 0, nil }

func FuzzReader(f *testing.F) {
	for _, data := range samples(f) {
		if len(data) < 2000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		same(t, "fuzz", bytes.NewReader(data), data)
	})
}

func BenchmarkReader(b *testing.B) {
	all := samples(b)
	for _, name := range []string{"words8", "skewed8"} {
		b.Run(name, func(b *testing.B) {
			run(b, all[name], func(src io.Reader) io.ReadCloser { return inflate.NewReader(src) })
		})
		b.Run("standard/"+name, func(b *testing.B) {
			r := flate.NewReader(nil)
			run(b, all[name], func(src io.Reader) io.ReadCloser {
				r.(flate.Resetter).Reset(src, nil) //nolint:forcetypeassert // all readers of flate are
				return r
			})
		})
	}
}

func run(b *testing.B, data []byte, open func(io.Reader) io.ReadCloser) {
	n := int64(0)
	for b.Loop() {
		r := open(bytes.NewReader(data))
		n, _ = io.Copy(io.Discard, r)
		r.Close()
	}
	b.SetBytes(n)
}
