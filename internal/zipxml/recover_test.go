// SPDX-License-Identifier: Apache-2.0

package zipxml_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
)

// packed returns a container with the sizes of its entries in their headers.
func packed(t testing.TB, method uint16, parts ...zipxmltest.Part) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		var data bytes.Buffer
		if method == zip.Deflate {
			w, err := flate.NewWriter(&data, flate.BestSpeed)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(w, p.Text)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
		} else {
			data.WriteString(p.Text)
		}
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: p.Name, Method: method, CRC32: crc32.ChecksumIEEE([]byte(p.Text)),
			CompressedSize64: uint64(data.Len()), UncompressedSize64: uint64(len(p.Text)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func recovered(data []byte) *zipxml.Recovered {
	return zipxml.Recover(bytes.NewReader(data), int64(len(data)))
}

// undescribed removes the signatures of the sizes after the data, which are optional.
func undescribed(data []byte) []byte { return bytes.ReplaceAll(data, []byte("PK\x07\x08"), nil) }

// TestRecover cuts containers at every byte. Entries before the place are read whole,
// and the entry that is cut off is read up to it.
func TestRecover(t *testing.T) {
	parts := []zipxmltest.Part{{Name: "one", Text: "first"}, {Name: "dir/two", Text: strings.Repeat("second part ", 9)}, {Name: "empty"}, {Name: "three", Text: "third"}}
	for what, data := range map[string][]byte{
		"sizes after the data":                     zipxmltest.Pack(parts...),
		"sizes after the data without a signature": undescribed(zipxmltest.Pack(parts...)),
		"sizes in front":                           packed(t, zip.Deflate, parts...),
		"stored":                                   packed(t, zip.Store, parts...),
	} {
		directory := bytes.Index(data, []byte("PK\x01\x02"))
		most := 0
		for at := range data {
			r := recovered(data[:at])
			if r == nil {
				if most > 0 {
					t.Fatalf("%s: nothing of %d bytes", what, at)
				}
				continue
			}
			a, err := zipxml.Open(r.Data, r.Size, zipxml.Limits{})
			if err != nil {
				t.Fatalf("%s: %d bytes: %v", what, at, err)
			}
			if n := len(a.Names()); n < most || n != r.Entries {
				t.Fatalf("%s: %d bytes: %d entries, had %d", what, at, n, most)
			}
			most = r.Entries
			for i, name := range a.Names() {
				got, err := a.Read(name)
				cut := slices.Contains(r.Cut, name)
				whole := string(got) == parts[i].Text && err == nil
				part := strings.HasPrefix(parts[i].Text, string(got)) || strings.HasPrefix(string(got), parts[i].Text) // sizes that are cut off look like data
				if cut && !part || !cut && !whole {
					t.Errorf("%s: %d bytes: %s is %q, %v", what, at, name, got, err)
				}
				if cut && (i < r.Entries-1 || err == nil && string(got) != parts[i].Text) {
					t.Errorf("%s: %d bytes: %s is cut off: %q, %v", what, at, name, got, err)
				}
			}
			if at >= directory+4 && (most != len(parts) || len(r.Cut) > 0 || r.Stray != 0) {
				t.Errorf("%s: %d bytes: %+v", what, at, r)
			}
		}
		if most != len(parts) {
			t.Errorf("%s: %d entries", what, most)
		}
	}
}

// TestRecoverOthers recovers containers that are not only cut off.
func TestRecoverOthers(t *testing.T) {
	inner := zipxmltest.Pack(zipxmltest.Part{Name: "inner", Text: "within"})
	outer := zipxmltest.Pack(zipxmltest.Part{Name: "mimetype", Text: "x/y"}, zipxmltest.Part{Name: "page", Text: strings.Repeat("page ", 99)}, zipxmltest.Part{Name: "last", Text: "z"})
	stored := packed(t, zip.Store, zipxmltest.Part{Name: "a", Text: "alpha"}, zipxmltest.Part{Name: "object", Text: string(inner)})
	page := bytes.Index(outer, []byte("PK\x03\x04\x14\x00\x08\x00\x08\x00"))
	for _, c := range []struct {
		what  string
		data  []byte
		want  string // names, or "" if nothing is recovered
		stray int64
	}{
		{"whole", outer, "", 0},
		{"whole, with bytes in front", append([]byte("#!/bin/sh\n"), outer...), "", 0},
		{"nothing", nil, "", 0},
		{"text", []byte("PK and other letters"), "", 0},
		{"the end of a container inside this one", stored[:bytes.LastIndex(stored, []byte("PK\x01\x02"))-len("alpha")], "a object", 0},
		{"only the directory is cut out", slices.Concat(outer[:bytes.Index(outer, []byte("PK\x01\x02"))], outer[len(outer)-22:]), "mimetype page last", 22},
		{"the start and the directory are missing", outer[page : len(outer)-40], "page last", 0},
		{"junk between entries", slices.Concat(outer[:page], []byte("JUNKJUNK"), outer[page:len(outer)-9]), "mimetype page last", 8},
	} {
		r := recovered(c.data)
		if r == nil {
			if c.want != "" {
				t.Errorf("%s: nothing", c.what)
			}
			continue
		}
		a, err := zipxml.Open(r.Data, r.Size, zipxml.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := strings.Join(a.Names(), " "); got != c.want || r.Stray != c.stray {
			t.Errorf("%s: %q, %d stray bytes, want %q, %d", c.what, got, r.Stray, c.want, c.stray)
		}
	}
	var many bytes.Buffer
	for i := range 10_100 {
		fmt.Fprintf(&many, "PK\x03\x04%s\x01\x00\x00\x00%c", strings.Repeat("\x00", 22), 'a'+i%26)
	}
	if r := recovered(many.Bytes()); r == nil || r.Entries != 10_000 || r.Stray != 100*31 {
		t.Errorf("many entries: %+v", r)
	}
}

func FuzzRecover(f *testing.F) {
	whole := zipxmltest.Pack(zipxmltest.Part{Name: "mimetype", Text: "x/y"}, zipxmltest.Part{Name: "a.xml", Text: strings.Repeat("<a>b</a>", 20)})
	f.Add(whole)
	f.Add(whole[:len(whole)-30])
	f.Add(whole[:len(whole)/2])
	f.Add(undescribed(whole)[:len(whole)-40])
	f.Add(packed(f, zip.Store, zipxmltest.Part{Name: "a", Text: string(whole)})[:len(whole)+20])
	f.Fuzz(func(t *testing.T, data []byte) {
		r := recovered(data)
		if r == nil {
			return
		}
		if r.Stray < 0 || r.Stray > int64(len(data)) || r.Entries < len(r.Cut) {
			t.Fatalf("%+v", r)
		}
		a, err := zipxml.Open(r.Data, r.Size, zipxml.Limits{Total: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Names()) > r.Entries {
			t.Fatalf("%d names of %d entries", len(a.Names()), r.Entries)
		}
		for _, name := range a.Names() {
			_, _ = a.Read(name)
		}
		if again := zipxml.Recover(r.Data, r.Size); again != nil {
			t.Fatalf("a recovered container is recovered again: %+v", again)
		}
	})
}
