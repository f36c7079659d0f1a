// SPDX-License-Identifier: Apache-2.0

package odraw_test

import (
	"bytes"
	"compress/zlib"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/odraw"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestRecords(t *testing.T) {
	for _, c := range []struct {
		what, in string
		want     []odraw.Record
	}{
		{"none", "", nil},
		{"half a head", "\x00\x00\x0A\xF0\x00\x00\x00", nil},
		{"one", "\x12\x00\x0A\xF0\x02\x00\x00\x00ab", []odraw.Record{{Kind: odraw.ShapeAtom, Inst: 1, Data: []byte("ab")}}},
		{"container and another", "\x0F\x00\x04\xF0\x00\x00\x00\x00\x00\x00\x0D\xF0\x01\x00\x00\x00x", []odraw.Record{
			{Kind: odraw.Shape, Container: true, Data: []byte{}}, {Kind: odraw.TextBox, Data: []byte("x")},
		}},
		{"longer than it is", "\x00\x00\x0B\xF0\xFF\xFF\xFF\xFFab", []odraw.Record{{Kind: odraw.Options, Data: []byte("ab")}}},
	} {
		if diff := cmp.Diff(c.want, slices.Collect(odraw.Records([]byte(c.in)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	if _, ok := odraw.At([]byte("12345678"), -1); ok {
		t.Error("a record stands before the start")
	}
}

func TestProperties(t *testing.T) {
	for _, c := range []struct {
		what, in string
		inst     int
		want     []odraw.Property
	}{
		{"none", "", 0, nil},
		{"more than there are", "\x9F\x03\x01\x00\x00\x00", 9, []odraw.Property{{ID: odraw.Table, Value: 1}}},
		{"with data", "\x81\xC3\x02\x00\x00\x00\x9F\x03\x05\x00\x00\x00ab", 2, []odraw.Property{
			{ID: odraw.Description, Value: 2, Data: []byte("ab")}, {ID: odraw.Table, Value: 5},
		}},
		{"with data that are not there", "\x81\xC3\xFF\xFF\xFF\xFFab", 1, []odraw.Property{{ID: odraw.Description, Value: 0xFFFFFFFF, Data: []byte("ab")}}},
	} {
		got := slices.Collect(odraw.Record{Inst: c.inst, Data: []byte(c.in)}.Properties())
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x2F\x00\x04\xF0\x10\x00\x00\x00\x13\x00\x0B\xF0\x08\x00\x00\x00\x81\xC3\x02\x00\x00\x00ab"))
	f.Fuzz(func(t *testing.T, b []byte) {
		size := 0
		for r := range odraw.Records(b) {
			size += 8 + len(r.Data)
			for p := range r.Properties() {
				if len(p.Data) > len(r.Data) {
					t.Error("a property is longer than its record")
				}
			}
		}
		if size > len(b) {
			t.Errorf("records of %d bytes in %d", size, len(b))
		}
	})
}

// TestMetafile reads a list of pictures: an uncompressed metafile, a metafile that
// is compressed in another stream, a damaged one and a PNG.
func TestMetafile(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte("packed"))
	_ = w.Close()
	blip := func(head, kind, ids int, packed byte, data string) []byte {
		return cfbtest.Bytes(head<<4, kind, uint32(ids+34+len(data)), make([]byte, ids+32), packed, byte(0xFE), data)
	}
	entry := func(inner []byte, at uint32) []byte {
		return cfbtest.Bytes(0x22, 0xF007, uint32(36+len(inner)), make([]byte, 28), at, make([]byte, 4), inner)
	}
	other := cfbtest.Bytes("12", blip(0x217, 0xF01B, 32, 0, z.String()))
	list := cfbtest.Bytes(entry(blip(0x3D4, 0xF01A, 16, 0xFE, "plain"), 0), entry(nil, 2), entry(nil, 999), entry(blip(0x6E0, 0xF01E, 17, 0, "png"), 0), entry(blip(0x3D4, 0xF01A, 16, 0, "damaged"), 0))
	store := odraw.ReadStore(cfbtest.Bytes(0x5F, 0xF001, uint32(len(list)), list))
	for number, want := range []string{"", "plain", "packed", "", "", "", ""} {
		if got := string(store.Metafile(int64(number), other, 100)); got != want {
			t.Errorf("picture %d is %q, want %q", number, got, want)
		}
	}
	if got := store.Metafile(2, other, 3); got != nil {
		t.Errorf("over the limit: %q", got)
	}
}
