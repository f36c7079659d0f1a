// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// looked is a context that ends when it is checked for the most-th time.
type looked struct {
	context.Context

	looks, most int
}

func (c *looked) Err() error {
	if c.looks++; c.looks >= c.most {
		return context.Canceled
	}
	return nil
}

// TestDecodeEnds checks that every filter checks the context while it
// decodes, and stops when the context has ended.
func TestDecodeEnds(t *testing.T) {
	const size = 6 << 20
	zeros := make([]byte, size)
	written := func(open func(io.Writer) io.WriteCloser, data []byte) []byte {
		var b bytes.Buffer
		w := open(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	deflated := written(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, zeros)
	nothing := append([]byte{0x78, 0x9c}, bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, size/5)...)
	for what, c := range map[string]struct {
		data []byte
		step step
	}{
		"Flate":             {deflated, step{name: "FlateDecode"}},
		"Flate of nothing":  {nothing, step{name: "FlateDecode"}},
		"LZW":               {written(func(w io.Writer) io.WriteCloser { return lzw.NewWriter(w, lzw.MSB, 8) }, zeros), step{name: "LZWDecode", parms: parms{early: 0}}},
		"LZW of nothing":    {bytes.Repeat([]byte{0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01, 0x00}, size/9), step{name: "LZWDecode"}},
		"ASCII85":           {bytes.Repeat([]byte("z"), size/4), step{name: "ASCII85Decode"}},
		"RunLength":         {bytes.Repeat([]byte{129, 0}, size/128), step{name: "RunLengthDecode"}},
		"PNG's predictor":   {deflated, step{name: "FlateDecode", parms: parms{predictor: 15, colors: 1, bits: 8, columns: 1000}}},
		"TIFF's predictor":  {deflated, step{name: "FlateDecode", parms: parms{predictor: 2, colors: 1, bits: 8, columns: 1000}}},
		"predictor of rows": {deflated, step{name: "FlateDecode", parms: parms{predictor: 15, colors: 4, bits: 8, columns: 1 << 18}}},
	} {
		whole := &looked{t.Context(), 0, 1 << 30}
		if _, err := (&gauge{ctx: whole, limit: size}).decode(bytes.Clone(c.data), []step{c.step}); err != nil && what != "Flate of nothing" {
			t.Errorf("%s: %v", what, err)
		}
		ended := &looked{t.Context(), 0, 2}
		data, err := (&gauge{ctx: ended, limit: size}).decode(bytes.Clone(c.data), []step{c.step})
		if !errors.Is(err, context.Canceled) || len(data) > 4*pollBytes || whole.looks < 3 || ended.looks > 8 {
			t.Errorf("%s: %d looks at the context; where the second ended it, %d and %d bytes, %v", what, whole.looks, ended.looks, len(data), err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	f := Loose(t.Context())
	f.ctx = ctx
	if data, err := f.Data(NewStream(Dict{"Filter": Name("FlateDecode")}, deflated)); !errors.Is(err, cause) || len(data) > 2*pollBytes {
		t.Errorf("a context that has ended: %d bytes, %v", len(data), err)
	}
	if data, err := f.Data(NewStream(Dict{}, []byte(strings.Repeat("x", 9)))); err != nil || len(data) != 9 {
		t.Errorf("what is not encoded: %d bytes, %v", len(data), err)
	}
}
