// SPDX-License-Identifier: Apache-2.0

package zipxml_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
)

func open(t testing.TB, data []byte, l zipxml.Limits) *zipxml.Archive {
	t.Helper()
	a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), l)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchive(t *testing.T) {
	a := open(t, zipxmltest.Pack(
		zipxmltest.Part{Name: "mimetype", Text: "x/y"},
		zipxmltest.Part{Name: "word/Document.xml", Text: "first"},
		zipxmltest.Part{Name: "word/Document.xml", Text: "second"},
		zipxmltest.Part{Name: `..\back\slash.xml`, Text: "dots"},
		zipxmltest.Part{Name: "dir/", Text: ""},
	), zipxml.Limits{})
	if got, want := a.Names(), []string{"mimetype", "word/Document.xml", "back/slash.xml"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q", got, want)
	}
	for name, want := range map[string]string{
		"mimetype": "x/y", "/word/document.XML": "first", "word/./Document.xml": "first", "back/slash.xml": "dots",
	} {
		if got, err := a.Read(name); string(got) != want || err != nil || !a.Has(name) {
			t.Errorf("Read(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := a.Read("none"); !errors.Is(err, fs.ErrNotExist) || a.Has("none") {
		t.Errorf("Read of nothing: %v", err)
	}
}

func TestArchiveLimits(t *testing.T) {
	zeros := zipxmltest.Part{Name: "zeros", Text: strings.Repeat("0", 30<<20)}
	three := []zipxmltest.Part{{Name: "a", Text: "aaaa"}, {Name: "b", Text: "bbbb"}, {Name: "c", Text: "cccc"}}
	for _, c := range []struct {
		what  string
		parts []zipxmltest.Part
		l     zipxml.Limits
		want  error
	}{
		{"ratio", append([]zipxmltest.Part{{Name: "first"}}, zeros), zipxml.Limits{}, zipxml.ErrLimit},
		{"no ratio", append([]zipxmltest.Part{{Name: "first"}}, zeros), zipxml.Limits{Ratio: 1 << 20}, nil},
		{"part", append([]zipxmltest.Part{{Name: "first"}}, zeros), zipxml.Limits{Ratio: 1 << 20, Part: 1 << 20}, zipxml.ErrMalformed},
		{"total", three, zipxml.Limits{Total: 11}, zipxml.ErrLimit},
		{"total met", three, zipxml.Limits{Total: 12}, nil},
		{"entries", three, zipxml.Limits{Entries: 2}, zipxml.ErrLimit},
	} {
		data := zipxmltest.Pack(c.parts...)
		a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), c.l)
		for _, p := range c.parts {
			if err == nil {
				_, err = a.Read(p.Name)
			}
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
}

// central returns the offsets of the entries in the central directory.
func central(data []byte) (at []int) {
	for i := 0; ; i++ {
		n := bytes.Index(data[i:], []byte("PK\x01\x02"))
		if n < 0 {
			return at
		}
		i += n
		at = append(at, i)
	}
}

func TestArchiveHostile(t *testing.T) {
	pack := func(change func(data []byte, entries []int)) []byte {
		data := zipxmltest.Pack(zipxmltest.Part{Name: "a", Text: "aaaa"}, zipxmltest.Part{Name: "b", Text: "bbbb"})
		change(data, central(data))
		return data
	}
	for _, c := range []struct {
		what string
		data []byte
		part string
		want error
	}{
		{"nothing", nil, "", zipxml.ErrMalformed},
		{"overlap", pack(func(d []byte, e []int) { copy(d[e[1]+42:e[1]+46], d[e[0]+42:e[0]+46]) }), "", zipxml.ErrLimit},
		{"encrypted", pack(func(d []byte, e []int) { d[e[1]+8] |= 1 }), "b", zipxml.ErrEncrypted},
		{"checksum", pack(func(d []byte, e []int) { d[e[1]+16]++ }), "b", zipxml.ErrMalformed},
		{"method", pack(func(d []byte, e []int) { d[e[1]+10] = 99 }), "b", zipxml.ErrMalformed},
		{"size that lies", pack(func(d []byte, e []int) { binary.LittleEndian.PutUint32(d[e[1]+24:], 1<<31) }), "b", zipxml.ErrMalformed},
		{"offset that lies", pack(func(d []byte, e []int) { binary.LittleEndian.PutUint32(d[e[1]+42:], 1<<30) }), "b", zipxml.ErrMalformed},
	} {
		a, err := zipxml.Open(bytes.NewReader(c.data), int64(len(c.data)), zipxml.Limits{})
		if err == nil {
			_, err = a.Read(c.part)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	// The data before the failed checksum is available.
	a := open(t, pack(func(d []byte, e []int) { d[e[1]+16]++ }), zipxml.Limits{})
	if got, err := a.Read("b"); string(got) != "bbbb" || !errors.Is(err, zipxml.ErrMalformed) {
		t.Errorf("Read = %q, %v", got, err)
	}
}

// TestDoubts finds the entries that are not read.
func TestDoubts(t *testing.T) {
	a, b, c := zipxmltest.Part{Name: "a", Text: "aaaa"}, zipxmltest.Part{Name: "b", Text: strings.Repeat("PK\x03\x04 in the data", 9)}, zipxmltest.Part{Name: "dir/c", Text: "cccc"}
	entry := func(data []byte, i int) []byte { // without entry i of the directory
		at := append(central(data), bytes.LastIndex(data, []byte("PK\x05\x06")))
		out := slices.Delete(slices.Clone(data), at[i], at[i+1])
		end := out[len(out)-22:]
		binary.LittleEndian.PutUint16(end[8:], uint16(len(at)-2))
		binary.LittleEndian.PutUint16(end[10:], uint16(len(at)-2))
		binary.LittleEndian.PutUint32(end[12:], uint32(at[len(at)-1]-at[0]-(at[i+1]-at[i])))
		return out
	}
	whole := zipxmltest.Pack(a, b, c)
	for _, tt := range []struct {
		what            string
		data            []byte
		again, unlisted []string
	}{
		{"whole", whole, nil, nil},
		{"same name", zipxmltest.Pack(a, b, zipxmltest.Part{Name: "a", Text: "other"}, a), []string{"a", "a"}, nil},
		{"first unlisted", entry(whole, 0), nil, []string{"a"}},
		{"middle unlisted", entry(whole, 1), nil, []string{"b"}},
		{"last unlisted", entry(whole, 2), nil, []string{"dir/c"}},
		{"older one unlisted", entry(zipxmltest.Pack(a, b, a), 0), nil, nil},
	} {
		r := zipxml.Whole(bytes.NewReader(tt.data), int64(len(tt.data)))
		if r == nil {
			t.Fatalf("%s: no directory", tt.what)
		}
		again, unlisted := zipxml.Doubts(r)
		if !slices.Equal(again, tt.again) || !slices.Equal(unlisted, tt.unlisted) {
			t.Errorf("%s: %q and %q, want %q and %q", tt.what, again, unlisted, tt.again, tt.unlisted)
		}
	}
	if again, unlisted := zipxml.Doubts(bytes.NewReader(whole)); again != nil || unlisted != nil {
		t.Errorf("another reader: %q, %q", again, unlisted)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(zipxmltest.Pack(zipxmltest.Part{Name: "a", Text: "aaaa"}, zipxmltest.Part{Name: "b", Text: strings.Repeat("b", 1000)}))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.SetComment("comment")
	w.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), zipxml.Limits{Total: 1 << 20})
		if err != nil {
			return
		}
		total := 0
		for _, name := range a.Names() {
			b, _ := a.Read(name)
			total += len(b)
		}
		if total > 1<<20 {
			t.Errorf("%d bytes came out", total)
		}
	})
}

// TestRepeat reads an entry repeatedly. Repeated reads have a limit of their
// own, and so do containers that share a budget.
func TestRepeat(t *testing.T) {
	data := zipxmltest.Pack(zipxmltest.Part{Name: "a", Text: strings.Repeat("x", 1000)}, zipxmltest.Part{Name: "b", Text: "y"})
	open := func(l zipxml.Limits) *zipxml.Archive {
		a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), l)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open(zipxml.Limits{Repeat: 2500})
	for i := range 6 {
		_, err := a.Read("a")
		if want := i > 2; errors.Is(err, zipxml.ErrLimit) != want {
			t.Errorf("reading %d: %v, want a limit: %v", i+1, err, want)
		}
	}
	if _, err := a.Read("b"); err != nil {
		t.Errorf("another entry: %v", err)
	}
	budget := zipxml.NewBudget(2500)
	for i := range 4 {
		_, err := open(zipxml.Limits{Budget: budget}).Read("a")
		if want := i > 1; errors.Is(err, zipxml.ErrLimit) != want {
			t.Errorf("container %d: %v, want a limit: %v", i+1, err, want)
		}
	}
}
