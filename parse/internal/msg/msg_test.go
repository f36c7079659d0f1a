// SPDX-License-Identifier: Apache-2.0

package msg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/mail"
	"example.com/curlew/parse/internal/msg"
)

func TestMain(m *testing.M) { leak.Main(m) }

// object returns the streams for the properties of an object below a path.
// Texts are string (Unicode) or code (in a code page); other values are
// bytes, numbers and times.
func object(path string, header int, values map[uint16]any) (streams []cfbtest.Stream) {
	props := make([]byte, header)
	add := func(id uint16, kind string, data []byte) {
		streams = append(streams, cfbtest.Stream{Name: fmt.Sprintf("%s__substg1.0_%04X%s", path, id, kind), Data: data})
	}
	fixed := func(id uint16, v uint64) {
		props = binary.LittleEndian.AppendUint16(props, 3)
		props = binary.LittleEndian.AppendUint16(props, id)
		props = binary.LittleEndian.AppendUint32(props, 6)
		props = binary.LittleEndian.AppendUint64(props, v)
	}
	for _, id := range slices.Sorted(maps.Keys(values)) {
		switch v := values[id].(type) {
		case string:
			add(id, "001F", []byte(cfbtest.Wide(v)))
		case code:
			add(id, "001E", []byte(v))
		case []byte:
			add(id, "0102", v)
		case int:
			fixed(id, uint64(v))
		case time.Time:
			fixed(id, uint64(v.Unix()+11_644_473_600)*10_000_000)
		}
	}
	return append(streams, cfbtest.Stream{Name: path + "__properties_version1.0", Data: props})
}

type code string

// literal compresses RTF without back references.
func literal(rtf string) []byte {
	b := make([]byte, 16)
	copy(b[8:], "LZFu")
	for len(rtf) > 0 {
		n := min(8, len(rtf))
		b = append(append(b, 0), rtf[:n]...)
		rtf = rtf[n:]
	}
	return b
}

// TestDamagedTexts counts texts that are missing, or whose characters are divided in the
// wrong places.
func TestDamagedTexts(t *testing.T) {
	list := func(id, kind uint16, size uint32) (entry []byte) {
		entry = binary.LittleEndian.AppendUint16(entry, kind)
		entry = binary.LittleEndian.AppendUint16(entry, id)
		entry = binary.LittleEndian.AppendUint32(entry, 6)
		return binary.LittleEndian.AppendUint64(entry, uint64(size))
	}
	const (
		absent  = "Texts and data that the message lists and the file does not have: 1."
		shifted = "Texts that are garbled, because the file lacks a byte before them, or has one too many: 1."
	)
	for _, c := range []struct {
		what string
		text []byte // nil: there is none
		list []byte
		want string
	}{
		{"listed", []byte(cfbtest.Wide("hello")), list(0x1000, 0x1F, 12), ""},
		{"missing", nil, list(0x1000, 0x1F, 12), absent},
		{"in another kind", []byte(cfbtest.Wide("hello")), list(0x1000, 0x1E, 6), absent},
		{"missing data", nil, list(0x1013, 0x102, 1), absent},
		{"empty and missing", nil, list(0x1000, 0x1F, 2), ""},
		{"a number", nil, list(0x1000, 3, 12), ""},
		{"shifted", []byte("\x00" + cfbtest.Wide("hello")), nil, shifted},
		{"shifted, with its end", []byte("\x00" + cfbtest.Wide("hello\x00")), nil, shifted},
		{"two letters", []byte("\x00" + cfbtest.Wide("he")), nil, ""},
		{"Chinese", []byte(cfbtest.Wide("\u6C00\u6900\u6B01\u6500")), nil, ""},
	} {
		all := object("", 32, map[uint16]any{0x0037: "subject"})
		last := &all[len(all)-1] // the properties
		last.Data = append(last.Data, c.list...)
		if c.text != nil {
			all = append(all, cfbtest.Stream{Name: "__substg1.0_1000001F", Data: c.text})
		}
		var got strings.Builder
		for _, w := range read(t, cfbtest.Pack(all...)).Warnings {
			if w.Code == "part-unreadable" {
				got.WriteString(w.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", c.what, got.String(), c.want)
		}
	}
}

func letter() []byte {
	var all []cfbtest.Stream
	all = append(all, object("", 32, map[uint16]any{
		0x0037: "Σ report", 0x0C1A: "Anna", 0x0C1F: "/O=ORG/CN=ANNA", 0x5D01: "anna@a.example", 0x0E04: "Bert; Carla", 0x0039: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC),
		0x3FFD: 1253, 0x3FDE: 1253, 0x1013: []byte("<p>\xE1 <img src='cid:pic@a' alt='Logo'></p>"), 0x1000: "not this",
	})...)
	all = append(all, object("__recip_version1.0_#00000000/", 8, map[uint16]any{0x3001: "Bert", 0x39FE: "bert@b.example", 0x0C15: 1})...)
	all = append(all, object("__recip_version1.0_#00000001/", 8, map[uint16]any{0x3001: code("\xC1"), 0x3003: "c@c.example", 0x0C15: 2})...)
	all = append(all, object("__attach_version1.0_#00000000/", 8, map[uint16]any{0x3701: []byte("a,b"), 0x3704: "SHORT.CSV", 0x3707: "long name.csv", 0x370E: "text/csv", 0x3705: 1})...)
	all = append(all, object("__attach_version1.0_#00000001/", 8, map[uint16]any{0x3701: []byte("x"), 0x3707: "pic.png", 0x370E: "image/png", 0x3712: "<pic@a>"})...)
	all = append(all, object("__attach_version1.0_#00000002/", 8, map[uint16]any{0x3001: "Inner", 0x3705: 5})...)
	all = append(all, object("__attach_version1.0_#00000002/__substg1.0_3701000D/", 24, map[uint16]any{
		0x0037: "Inner", 0x0042: "Dora",
		0x1009: literal(`{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 caf\'e9 \u8364?{\*\htmltag84 <b>}\{x\}{\*\mhtmltag1 no}\htmlrtf \b hidden\htmlrtf0{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0}`),
	})...)
	return cfbtest.Pack(all...)
}

func child(_ context.Context, _, contentType string, data []byte, _ int) *html.Node {
	var b doctree.Builder
	body := b.Element(atom.Body)
	b.Text(b.Append(body, atom.P), contentType+": "+string(data))
	return body
}

func read(t testing.TB, data []byte) *doctree.Document {
	t.Helper()
	d, err := msg.Read(t.Context(), data, mail.Options{Child: child})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	golden.Check(t, "testdata/letter.html", []byte(doctreetest.Show(t, read(t, letter()))))
}

func TestBody(t *testing.T) {
	for _, c := range []struct {
		what   string
		values map[uint16]any
		want   string
	}{
		{"plain", map[uint16]any{0x1000: "a\r\nb\r\n\r\nc"}, "<p>a<br/>b</p> <p>c</p>"},
		{"plain in a code page", map[uint16]any{0x1000: code("\xE1"), 0x3FFD: 1253}, "<p>α</p>"},
		{"page as text", map[uint16]any{0x1013: "<p>é"}, "<p>é</p>"},
		{"RTF", map[uint16]any{0x1009: literal(`{\rtf1 x}`), 0x1000: "not this"}, `<p>application/rtf: {\rtf1 x}</p>`},
		{"RTF of plain text", map[uint16]any{0x1009: literal(`{\rtf1\fromtext x}`), 0x1000: "this"}, "<p>this</p>"},
		{"RTF that is cut", map[uint16]any{0x1009: []byte("short"), 0x1000: "this"}, "<p>this</p>"},
		{"RTF as it is", map[uint16]any{0x1009: append(make([]byte, 8), "MELA----{\\rtf1 y}"...)}, `<p>application/rtf: {\rtf1 y}</p>`},
		// the example in [MS-OXRTFCP] 4.1
		{
			"compressed",
			map[uint16]any{0x1009: []byte("\x2d\x00\x00\x00\x2b\x00\x00\x00LZFu\xf1\xc5\xc7\xa7\x03\x00\x0a\x00rcpg125\x422\x0a\xf3 hel\x09\x00 bw\x05\xb0ld}\x0a\x80\x0f\xa0")},
			`<p>application/rtf: {\rtf1\ansi\ansicpg1252\pard hello world}&#13; </p>`,
		},
	} {
		got := doctreetest.Show(t, read(t, cfbtest.Pack(object("", 32, c.values)...)))
		_, got, _ = strings.Cut(got, "<body>")
		got, _, _ = strings.Cut(got, "</body>")
		if got = strings.Join(strings.Fields(got), " "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for what, data := range map[string][]byte{"no container": []byte("x"), "no message": cfbtest.Pack(cfbtest.Stream{Name: "x"})} {
		if _, err := msg.Read(t.Context(), data, mail.Options{}); !errors.Is(err, cfb.ErrMalformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := msg.Read(ctx, letter(), mail.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestHostile reads nested messages and texts that expand.
func TestHostile(t *testing.T) {
	var all []cfbtest.Stream
	path := ""
	for i := range 40 {
		header := 24
		if i == 0 {
			header = 32
		}
		all = append(all, object(path, header, map[uint16]any{0x0037: "level"})...)
		path += "__attach_version1.0_#00000000/"
		all = append(all, object(path, 8, nil)...)
		path += "__substg1.0_3701000D/"
	}
	if n := strings.Count(doctreetest.Show(t, read(t, cfbtest.Pack(all...))), ">level</h"); n == 0 || n > 12 {
		t.Errorf("%d nested messages", n)
	}
	grow := append(make([]byte, 16), bytes.Repeat([]byte("\xFF"), 1<<20)...) // only back references
	copy(grow[8:], "LZFu")
	deep := `{\rtf1\fromhtml1` + strings.Repeat(`{\*\htmltag `, 100_000) + "x" + strings.Repeat("}", 200_000) + `\u-1?\'z\'`
	for name, rtf := range map[string][]byte{"growing": grow, "deep": literal(deep)} {
		if d := read(t, cfbtest.Pack(object("", 32, map[uint16]any{0x1009: rtf})...)); d.Root == nil {
			t.Errorf("%s: no tree", name)
		}
	}
}

// TestCorpus reads the messages of the development data.
func TestCorpus(t *testing.T) {
	paths, _ := filepath.Glob(golden.Root("..", "shared", "corpora", "office-dev", "email", "*.msg"))
	if len(paths) == 0 {
		t.Skip("../shared is absent")
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if d := read(t, data); d.Meta.Title == "" || d.Meta.Created.IsZero() || !strings.Contains(doctreetest.Show(t, d), "<p>") {
			t.Errorf("%s: %+v", p, d.Meta)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(letter())
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := msg.Read(t.Context(), data, mail.Options{Nodes: 10_000, Child: child})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// FuzzBody reads arbitrary compressed texts.
func FuzzBody(f *testing.F) {
	f.Add(literal(`{\rtf1\fromhtml1 {\*\htmltag <p>}\'e9\u8364?}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := msg.Read(t.Context(), cfbtest.Pack(object("", 32, map[uint16]any{0x1009: data})...), mail.Options{Nodes: 10_000, Child: child}); err != nil {
			t.Error(err)
		}
	})
}

// TestDamagedStorage reads a message in which the name of an attachment's storage is
// damaged.
func TestDamagedStorage(t *testing.T) {
	const attachment = "__attach_version1.0_#00000000"
	for name, want := range map[string]int{attachment: 0, strings.Replace(attachment, "1.0", "0.0", 1): 1} {
		data := cfbtest.Pack(append(object("", 32, map[uint16]any{0x0037: "A duck"}), object(name+"/", 8, map[uint16]any{0x3707: "a.txt", 0x3701: []byte("Hello")})...)...)
		d, err := msg.Read(t.Context(), data, mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, w := range d.Warnings {
			if w.Text == "Parts of the message that have no valid name and were not read: 1." {
				got++
			}
		}
		if got != want || strings.Contains(doctreetest.Show(t, d), "a.txt") != (want == 0) {
			t.Errorf("%s: %v", name, d.Warnings)
		}
	}
}

// TestDamagedDirectory reads a message in which the entry of the text is damaged.
func TestDamagedDirectory(t *testing.T) {
	const body = "__substg1.0_1000001F"
	whole := cfbtest.Pack(object("", 32, map[uint16]any{0x0037: "A duck", 0x1000: "Hello"})...)
	entry := bytes.Index(whole, []byte(cfbtest.Wide(body)))
	if entry < 0 {
		t.Fatal("no entry")
	}
	for _, c := range []struct {
		what string
		at   int
		b    byte
		want string
	}{
		{"whole", 0, whole[entry], ""},
		{"its type", 66, 0x12, "The part directory was not read completely, or it is damaged."},
		{"its name", 2 * len("__sub"), '!', "Parts of the message that have no valid name and were not read: 1."},
	} {
		data := bytes.Clone(whole)
		data[entry+c.at] = c.b
		d, err := msg.Read(t.Context(), data, mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, w := range d.Warnings {
			got.WriteString(w.Text)
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", c.what, got.String(), c.want)
		}
	}
}
