// SPDX-License-Identifier: Apache-2.0

package cfb_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/richardlehane/mscfb"
	"golang.org/x/text/encoding/charmap"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
)

func TestMain(m *testing.M) { leak.Main(m) }

func letters(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + i%26 + i/512%7)
	}
	return b
}

func TestOpen(t *testing.T) {
	streams := []cfbtest.Stream{
		{Name: "Workbook", Data: letters(10_000)},
		{Name: "small", Data: []byte("short")},
		{Name: "empty"},
		{Name: "folder/inner", Data: letters(4095)},
		{Name: "folder/deep/x", Data: letters(4096)},
	}
	f, err := cfb.Open(cfbtest.Pack(streams...))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		at := f.Root
		parts := strings.Split(s.Name, "/")
		for _, p := range parts[:len(parts)-1] {
			if at = at.Storage(strings.ToUpper(p)); at == nil {
				t.Fatalf("no storage %s", p)
			}
		}
		name := strings.ToUpper(parts[len(parts)-1])
		if got := at.Stream(name); !bytes.Equal(got, s.Data) || !at.Has(name) {
			t.Errorf("stream %s has %d bytes, want %d", s.Name, len(got), len(s.Data))
		}
	}
	if f.Root.Has("no") || f.Root.Stream("no") != nil || f.Root.Storage("small") != nil {
		t.Error("something that is not there was found")
	}
}

// TestPeer compares this package with another reader, on the corpus and on
// generated containers.
func TestPeer(t *testing.T) {
	all := map[string][]byte{"own": cfbtest.Pack(cfbtest.Stream{Name: "a", Data: letters(70_000)}, cfbtest.Stream{Name: "b/c", Data: letters(9)})}
	paths, _ := filepath.Glob(golden.Root("..", "shared", "corpora", "office-dev", "*", "*"))
	for _, p := range paths {
		if slices.Contains([]string{".doc", ".xls", ".ppt", ".msg"}, filepath.Ext(p)) {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all[p] = data
		}
	}
	for p, data := range all {
		f, err := cfb.Open(data)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		peer, err := mscfb.New(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for e, err := peer.Next(); err == nil; e, err = peer.Next() {
			if e.FileInfo().IsDir() {
				continue
			}
			want, _ := io.ReadAll(e)
			at := f.Root
			for _, folder := range e.Path {
				if at = at.Storage(folder); at == nil {
					break
				}
			}
			name := e.Name
			if e.Initial < ' ' {
				name = string(rune(e.Initial)) + name
			}
			if at == nil {
				continue // the other reader drops the first character of such a name
			}
			if got := at.Stream(name); !bytes.Equal(got, want) {
				t.Errorf("%s: stream %q has %d bytes, the peer says %d", p, name, len(got), len(want))
			}
		}
	}
	if len(all) == 1 {
		t.Skip("../shared is absent")
	}
}

func TestMalformed(t *testing.T) {
	good := cfbtest.Pack(cfbtest.Stream{Name: "a", Data: letters(9000)})
	odd := bytes.Clone(good)
	odd[30] = 20
	nowhere := bytes.Clone(good)
	binary.LittleEndian.PutUint32(nowhere[48:], 1<<30)
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("text"), "cut": good[:500], "sectors": odd, "directory": nowhere} {
		if _, err := cfb.Open(data); !errors.Is(err, cfb.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLoops reads sector tables and directories with loops.
func TestLoops(t *testing.T) {
	var streams []cfbtest.Stream
	for i := range 50 {
		streams = append(streams, cfbtest.Stream{Name: "s" + strconv.Itoa(i), Data: letters(5000)}, cfbtest.Stream{Name: "m" + strconv.Itoa(i), Data: letters(500)})
	}
	good := cfbtest.Pack(streams...)
	if cfb.Loops(good) {
		t.Error("a sound container turns back")
	}
	for value, loops := range map[uint32]bool{0: true, 1: true, 5: true, 1000: false, 0xFFFFFFF0: false, 0xFFFFFFFE: false} {
		data := bytes.Clone(good)
		fat := int(binary.LittleEndian.Uint32(data[76:])+1) << 9
		for at := fat; at+4 <= len(data); at += 4 {
			binary.LittleEndian.PutUint32(data[at:], value)
		}
		if got := cfb.Loops(data); got != loops {
			t.Errorf("chains that all go to sector %d: Loops = %t", value, got)
		}
		total := 0
		f, err := cfb.Open(data)
		if err != nil {
			continue
		}
		for _, s := range streams {
			total += len(f.Root.Stream(s.Name))
		}
		if total > 5*len(data)+2<<20 {
			t.Errorf("a file of %d bytes gave %d", len(data), total)
		}
	}
}

// TestDeep reads as many nested storages as a directory can have.
// TestShort cuts a container after each sector, and after some bytes of it. What is
// no longer whole is named, or the container is refused.
func TestShort(t *testing.T) {
	streams := []cfbtest.Stream{{Name: "\x05Large", Data: letters(9000)}, {Name: "Small", Data: letters(100)}, {Name: "Third", Data: letters(5000)}, {Name: "Fourth", Data: letters(70)}, {Name: "Fifth", Data: letters(10)}}
	whole := cfbtest.Pack(streams...)
	read := func(data []byte) (lost int, short []string) {
		f, err := cfb.Open(data)
		if err != nil {
			return -1, nil
		}
		for _, s := range streams {
			if !bytes.Equal(f.Root.Stream(s.Name), s.Data) {
				lost++
			}
		}
		return lost, f.Short()
	}
	if lost, short := read(whole); lost != 0 || short != nil {
		t.Fatalf("of an intact container %d streams are lost, and %q are named", lost, short)
	}
	for n := 0; n < len(whole); n += 128 {
		lost, short := read(whole[:n])
		if lost > 0 && len(short) == 0 {
			t.Errorf("of %d bytes %d streams are lost without a word", n, lost)
		}
	}
	// The size of the first stream is larger than its chain.
	at := bytes.Index(whole, []byte("\x05\x00L\x00"))
	damaged := slices.Clone(whole)
	binary.LittleEndian.PutUint32(damaged[at+120:], 20_000)
	if _, short := read(damaged); !slices.Equal(short, []string{"Large"}) {
		t.Errorf("of a stream that is too short %q is named", short)
	}
	// The directory refers to an entry that does not exist.
	damaged = slices.Clone(whole)
	binary.LittleEndian.PutUint32(damaged[at+68:], 1000)
	if _, short := read(damaged); !slices.Equal(short, []string{"directory"}) {
		t.Errorf("of a directory with a bad link %q is named", short)
	}
}

func TestDeep(t *testing.T) {
	f, err := cfb.Open(cfbtest.Pack(cfbtest.Stream{Name: strings.Repeat("d/", 300) + "x", Data: []byte("x")}))
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for s := f.Root; len(s.Storages) > 0; s = s.Storages[0] {
		depth++
	}
	if depth == 0 || depth > 65 {
		t.Errorf("%d nested storages", depth)
	}
}

func TestSummary(t *testing.T) {
	f, err := cfb.Open(cfbtest.Pack(cfbtest.Stream{Name: "\x05SummaryInformation", Data: cfbtest.Summary(map[uint32]any{
		2: "Caf\xE9", 4: "Author", 12: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC),
	})}))
	if err != nil {
		t.Fatal(err)
	}
	got := f.Root.Summary()
	if want := (cfb.Summary{Page: 1252, Title: "Café", Author: "Author", Created: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC)}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !cfb.FileTime(0).IsZero() || !cfb.FileTime(1<<63).IsZero() {
		t.Error("an invalid date was accepted")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		page     int
		in, want string
	}{
		{1252, "caf\xE9", "café"},
		{1253, "\xE1", "α"},
		{932, "\x93\xFA", "日"},
		{1200, "a\x00\xE9\x00\x00\x00b\x00", "aé"},
		{65001, "é\xFF", "é\uFFFD"},
		{7, "\x80", "€"},
		{10000, "\x8E", "é"},
		{10006, "\xE1\xC0", "αά"},
		{10029, "\xEBluk\xF3", "Žluků"},
		{10081, "\xDC\xDDa", "İıa"},
		{1251, "ascii", "ascii"},
	} {
		if got := cfb.Text([]byte(c.in), c.page); got != c.want {
			t.Errorf("Text(%q, %d) = %q, want %q", c.in, c.page, got, c.want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(cfbtest.Pack(cfbtest.Stream{Name: "a", Data: letters(5000)}, cfbtest.Stream{Name: "b/c", Data: []byte("c")},
		cfbtest.Stream{Name: "\x05SummaryInformation", Data: cfbtest.Summary(map[uint32]any{2: "T"})}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := cfb.Open(data)
		if err != nil {
			return
		}
		total := 0
		var walk func(*cfb.Storage)
		walk = func(s *cfb.Storage) {
			total += len(s.Stream("a")) + len(s.Stream("c"))
			for _, sub := range s.Storages {
				walk(sub)
			}
		}
		walk(file.Root)
		file.Root.Summary()
		if total > 6*len(data)+2<<20 {
			t.Errorf("%d bytes gave %d", len(data), total)
		}
	})
}

// TestObjects extracts embedded objects from their storages.
func TestObjects(t *testing.T) {
	info := append(make([]byte, 28), "\x06\x00\x00\x00Visio\x00rest"...)
	packaged := cfbtest.Bytes("\x02\x00label\x00C:\\folder\\a.txt\x00", uint32(0), uint32(4), "C:x\x00", uint32(5), "hello", "more")
	data := cfbtest.Pack(
		cfbtest.Stream{Name: "ObjectPool/_1/\x01CompObj", Data: info},
		cfbtest.Stream{Name: "ObjectPool/_2/\x01CompObj", Data: append(make([]byte, 28), 255, 255, 0, 0)},
		cfbtest.Stream{Name: "ObjectPool/_3/Package", Data: []byte("PK")},
		cfbtest.Stream{Name: "ObjectPool/_4/\x01Ole10Native", Data: append([]byte{30, 0, 0, 0}, packaged...)},
		cfbtest.Stream{Name: "ObjectPool/_5/\x01Ole10Native", Data: []byte("\x04\x00\x00\x00raw!")},
		cfbtest.Stream{Name: "ObjectPool/_6/WordDocument", Data: letters(5000)},
		cfbtest.Stream{Name: "ObjectPool/_6/short", Data: []byte("abc")},
		cfbtest.Stream{Name: "ObjectPool/_6/inner/a", Data: letters(9000)},
		cfbtest.Stream{Name: "ObjectPool/other/a", Data: []byte("b")},
	)
	f, err := cfb.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	got := f.Root.Storage("ObjectPool").Objects("_", 1<<20)
	want := []cfb.Object{{Program: "Visio"}, {}, {Data: []byte("PK")}, {Name: "a.txt", Data: []byte("hello")}, {Data: []byte("raw!")}}
	if len(got) != 6 || !reflect.DeepEqual(got[:5], want) {
		t.Fatalf("%q", got)
	}
	inner, err := cfb.Open(got[5].Data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(inner.Root.Stream("WordDocument"), letters(5000)) || !bytes.HasPrefix(inner.Root.Stream("SHORT"), []byte("abc\x00")) ||
		!bytes.Equal(inner.Root.Storage("inner").Stream("a"), letters(9000)) {
		t.Errorf("a storage of its own has other streams")
	}
	for _, o := range f.Root.Storage("ObjectPool").Objects("_6", 4000) {
		if o.Data != nil {
			t.Errorf("%d bytes over the limit", len(o.Data))
		}
	}
	if got := f.Root.Storage("none").Objects("_", 1<<20); got != nil {
		t.Errorf("%q", got)
	}
}

// FuzzPackaged reads arbitrary data as a file embedded by the program Packager.
func FuzzPackaged(f *testing.F) {
	f.Add(cfbtest.Bytes("\x02\x00label\x00C:\\folder\\a.txt\x00", uint32(0), uint32(4), "C:x\x00", uint32(5), "hello", "more"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, got := cfb.Packaged(data); len(got) > len(data) {
			t.Errorf("%d bytes gave %d", len(data), len(got))
		}
	})
}

// TestTextDOS compares the code pages of DOS with golang.org/x/text.
func TestTextDOS(t *testing.T) {
	var b []byte
	for c := range 128 {
		b = append(b, byte(0x80+c))
	}
	for page, table := range map[int]*charmap.Charmap{437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866} {
		want, err := table.NewDecoder().Bytes(b)
		if got := cfb.Text(b, page); err != nil || got != string(want) {
			t.Errorf("%d: %q, want %q, %v", page, got, want, err)
		}
	}
}
