// SPDX-License-Identifier: Apache-2.0

package ppt_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/ppt"
)

func TestMain(m *testing.M) { leak.Main(m) }

var wide = cfbtest.Wide

// rec returns a record with the values joined by [cfbtest.Bytes]. A record
// that begins with another record is a container.
func rec(kind, inst int, values ...any) []byte {
	b := cfbtest.Bytes(values...)
	container := len(values) == 0
	if !container {
		_, container = values[0].([]byte)
	}
	version := inst << 4
	if container {
		version |= 15
	}
	head := binary.LittleEndian.AppendUint16(nil, uint16(version))
	head = binary.LittleEndian.AppendUint16(head, uint16(kind))
	return append(binary.LittleEndian.AppendUint32(head, uint32(len(b))), b...)
}

// text returns a text of a type and further records.
func text(kind uint32, s string, more ...[]byte) []byte {
	return append(append(rec(0xF9F, 0, kind), rec(0xFA0, 0, wide(s))...), cat(more...)...)
}

func cat(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// shape returns a shape of a type with child records.
func shape(kind int, parts ...[]byte) []byte {
	return rec(0xF004, 0, append([]any{rec(0xF00A, kind, uint32(1), uint32(0))}, anys(parts)...)...)
}

func anys(parts [][]byte) []any {
	a := make([]any, len(parts))
	for i, p := range parts {
		a[i] = p
	}
	return a
}

func box(parts ...[]byte) []byte { return rec(0xF00D, 0, anys(parts)...) }

func group(first []byte, parts ...[]byte) []byte {
	return rec(0xF003, 0, append([]any{first}, anys(parts)...)...)
}

// cell returns a table cell.
func cell(l, t, r, b uint32, s string) []byte {
	return shape(1, rec(0xF00F, 0, l, t, r, b), box(text(4, s)))
}

// slide returns a slide with the number of its notes, its flags and its
// shapes.
func slide(kind int, notes uint32, flags int, shapes ...[]byte) []byte {
	head := rec(0x3EF, 0, uint32(0), "placehld", uint32(0), notes, 0, 0)
	if kind == 0x3F0 {
		head = rec(0x3F1, 0, uint32(0), 0, 0)
	}
	return rec(kind, 0, head, rec(0x3F9, 0, uint32(0), uint32(0), 0, flags, uint32(0)),
		rec(0x40C, 0, rec(0xF002, 0, group(shape(0), shapes...))))
}

// deck returns the streams of a presentation with slides and notes.
func deck(outline [][]byte, slides, notes [][]byte, more ...[]byte) (stream, user []byte) {
	var places []uint32
	add := func(b []byte) {
		places = append(places, uint32(len(stream)))
		stream = append(stream, b...)
	}
	for _, s := range slides {
		add(s)
	}
	for _, n := range notes {
		add(n)
	}
	var list, noteList [][]byte
	for i := range slides {
		list = append(list, rec(0x3F3, 0, uint32(i+1), uint32(0), uint32(0), uint32(256+i), uint32(0)))
		if i < len(outline) {
			list = append(list, outline[i])
		}
	}
	for i := range notes {
		noteList = append(noteList, rec(0x3F3, 0, uint32(len(slides)+i+1), uint32(0), uint32(0), uint32(500+i), uint32(0)))
	}
	add(rec(0x3E8, 0, append([]any{rec(0x3E9, 0, uint32(0))}, anys(append([][]byte{rec(0xFF0, 0, anys(list)...), rec(0xFF0, 2, anys(noteList)...)}, more...))...)...))
	persist := uint32(len(stream))
	values := []any{uint32(1 | len(places)<<20)}
	for _, p := range places {
		values = append(values, p)
	}
	stream = append(stream, rec(0x1772, 0, values...)...)
	edit := uint32(len(stream))
	stream = append(stream, rec(0xFF5, 0, uint32(0), 0, byte(0), byte(3), uint32(0), persist, uint32(len(places)), uint32(0), 0, 0)...)
	return stream, rec(0xFF6, 0, uint32(20), uint32(0xE391C05F), edit)
}

func pack(stream, user []byte) []byte {
	return cfbtest.Pack(cfbtest.Stream{Name: "PowerPoint Document", Data: stream}, cfbtest.Stream{Name: "Current User", Data: user},
		cfbtest.Stream{Name: "\x05SummaryInformation", Data: cfbtest.Summary(map[uint32]any{2: "Deck"})})
}

// talk returns a presentation with one element of every kind.
func talk() []byte {
	styles := rec(0xFA1, 0,
		uint32(4), 0, uint32(0x8F), 0x0001, 0x2022, // "One\r": has a bullet and a bullet character
		uint32(4), 1, uint32(0), // "Two\r": one level deeper
		uint32(10), 0, uint32(0x1), 0, // no bullet
		uint32(4), uint32(0), uint32(4), uint32(0x1), 1, uint32(10), uint32(0x80000), 30) // plain, bold, superscript
	link := cat(rec(0xFF2, 0, rec(0xFF3, 0, uint32(0), uint32(7), uint32(0))), rec(0xFDF, 0, uint32(0), uint32(4)))
	table := group(shape(0, rec(0xF122, 1, 0x039F, uint32(1))),
		cell(0, 0, 20, 10, "Both"), cell(20, 0, 30, 20, "Down"), cell(0, 10, 10, 20, "a"), cell(10, 10, 20, 20, "b"), shape(20, rec(0xF00F, 0, uint32(0), uint32(0), uint32(30), uint32(0))))
	alt, sign := wide("A duck\x00"), wide("A sign\x00")
	stream, user := deck(
		[][]byte{cat(text(6, "The talk")), text(1, "One\rTwo\rNo\x0Bbullet", styles)},
		[][]byte{
			slide(0x3EE, 0, 0, shape(1, box(text(4, "Below")), rec(0xF011, 0, rec(0xBC3, 0, uint32(0), byte(9), byte(0), 0))), shape(1, box(rec(0xF9E, 0, uint32(0)))),
				shape(75, rec(0xF00B, 1, 0xC381, uint32(len(alt)), alt))),
			slide(0x3EE, 500, 0, shape(1, box(rec(0xF9F, 0, uint32(0)), rec(0xFA8, 0, "Caf\xE9"))), shape(1, box(rec(0xF9E, 0, uint32(0)))), table,
				shape(1, rec(0xF011, 0, rec(0x1388, 0, rec(0x138A, 0, rec(0xFBA, 0, wide("___PPT9")), rec(0x138B, 0, string(rec(0xFAC, 0, uint32(0), uint32(0), uint32(0), uint32(3<<24), 1, 5, 3, uint32(0), uint32(0))))))),
					box(text(1, "c\rd\re", rec(0xFA1, 0, uint32(6), 0, uint32(0), uint32(4), uint32(0x400), 0x400, uint32(2), uint32(0))))),
				shape(1, rec(0xF00B, 1, 0xC381, uint32(len(sign)), sign), box(text(4, "Link here", link))), shape(1, box(text(4, "*")), rec(0xF011, 0, rec(0xBC3, 0, uint32(0), byte(8), byte(0), 0)))),
			slide(0x3EE, 0, 4, shape(1, box(text(0, "Hidden")))),
		},
		[][]byte{slide(0x3F0, 0, 0, shape(1, box(text(0, "Not again"))), shape(1, box(text(2, "Say this\rand that"))))},
		rec(0x409, 0, rec(0xFD7, 0, rec(0xFD3, 0, uint32(7)), rec(0xFBA, 1, wide("https://a.example/")), rec(0xFBA, 3, wide("x")))))
	return pack(stream, user)
}

func read(t testing.TB, data []byte) *doctree.Document {
	t.Helper()
	d, err := ppt.Read(t.Context(), data, ppt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	d := read(t, talk())
	golden.Check(t, "testdata/talk.html", []byte(doctreetest.Show(t, d)))
	if d.Meta.Title != "Deck" || d.Meta.Pages != 2 || d.Meta.TotalPages != 3 {
		t.Errorf("%+v", d.Meta)
	}
}

// TestOrder reads shapes that are not stored in reading order.
func TestOrder(t *testing.T) {
	at := func(top, left, right, bottom int) []byte { return rec(0xF010, 0, top, left, right, bottom) }
	wide := func(top, left, right, bottom uint32) []byte { return rec(0xF010, 0, top, left, right, bottom) }
	words := func(s string) []byte { return box(text(4, s)) }
	for _, c := range []struct {
		what   string
		shapes [][]byte
		want   []string
	}{
		{"above, and a group", [][]byte{
			shape(1, at(300, 0, 900, 400), words("last")),
			group(shape(0, wide(100, 500, 900, 200)), shape(1, rec(0xF00F, 0, uint32(9), uint32(9), uint32(9), uint32(9)), words("right")), shape(1, words("right too"))),
			shape(75), shape(20, words("left"), at(100, 0, 400, 200)),
		}, []string{"left", "right", "right too", "last"}},
		{"one somewhere", [][]byte{shape(1, at(300, 0, 900, 400), words("below")), shape(1, words("somewhere")), shape(1, rec(0xF010, 0, 1), at(0, 0, 900, 100), words("above"))}, []string{"below", "somewhere", "above"}},
	} {
		stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, c.shapes...)}, nil)
		got := doctreetest.Show(t, read(t, pack(stream, user)))
		_, got, _ = strings.Cut(got, "Slide 1</h2>\n")
		if want := "<p>" + strings.Join(c.want, "</p>\n<p>") + "</p>"; !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, want)
		}
	}
}

// TestScan reads presentations without a usable directory.
func TestScan(t *testing.T) {
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(1, box(text(0, "One")))), slide(0x3EE, 0, 0, shape(1, box(text(0, "Two"))))}, nil)
	for name, user := range map[string][]byte{"none": nil, "short": user[:10], "wrong": rec(0xFF6, 0, uint32(20), uint32(0xE391C05F), uint32(3))} {
		got := doctreetest.Show(t, read(t, pack(stream, user)))
		if !strings.Contains(got, ">One</h2>") || !strings.Contains(got, ">Two</h2>") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	stream, user = deck([][]byte{text(1, "Outline")}, [][]byte{rec(0x1234, 0, uint32(0))}, nil)
	if d := read(t, pack(stream, user)); !strings.Contains(doctreetest.Show(t, d), "Outline") || len(d.Warnings) != 1 {
		t.Errorf("a slide that is none:\n%s", doctreetest.Show(t, d))
	}
}

func TestErrors(t *testing.T) {
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0)}, nil)
	locked := rec(0xFF6, 0, uint32(20), uint32(0xF3D1C4DF), uint32(0))
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("x"), cfb.ErrMalformed},
		{"no presentation", cfbtest.Pack(cfbtest.Stream{Name: "Other", Data: []byte("x")}), cfb.ErrMalformed},
		{"no records", pack([]byte("12345678"), user), cfb.ErrMalformed},
		{"encrypted", pack(stream, locked), cfb.ErrEncrypted},
	} {
		if _, err := ppt.Read(t.Context(), c.data, ppt.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ppt.Read(ctx, talk(), ppt.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestHostile reads records with loops and with too large counts.
func TestHostile(t *testing.T) {
	deep := shape(1, box(text(4, "deep")))
	for range 500 {
		deep = group(shape(0), deep)
	}
	many := make([][]byte, 2000)
	for i := range many {
		many[i] = shape(1, box(text(4, "x"), rec(0xFA1, 0, uint32(0xFFFFFFFF), 0, uint32(0xFFFFFFFF))))
	}
	same := rec(0xFF0, 0, anys([][]byte{[]byte(strings.Repeat(string(rec(0x3F3, 0, uint32(1), uint32(0), uint32(0), uint32(1), uint32(0))), 5000))})...)
	for name, in := range map[string][][]byte{"deep": {deep}, "many": many, "no anchor": {group(shape(0, rec(0xF122, 9, 0x039F, uint32(1))), cell(5, 5, 1, 1, "a"))}} {
		stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, in...)}, nil, same)
		d, err := ppt.Read(t.Context(), pack(stream, user), ppt.Options{Nodes: 1000})
		if err != nil || d.Root == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0)}, nil)
	edit := binary.LittleEndian.Uint32(user[16:])
	binary.LittleEndian.PutUint32(stream[edit+8+8:], edit) // the previous edit is this edit
	read(t, pack(stream, user))
}

func FuzzRead(f *testing.F) {
	f.Add(talk())
	f.Add(cfbtest.Unpack(f, golden.Root("parse/testdata/legacy/slides.ppt.gz")))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ppt.Read(t.Context(), data, ppt.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// FuzzRecords reads arbitrary records, because a fuzzer can hardly guess an
// OLE container.
func FuzzRecords(f *testing.F) {
	file, err := cfb.Open(talk())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file.Root.Stream("PowerPoint Document"), file.Root.Stream("Current User"))
	if file, err = cfb.Open(encrypted(file.Root.Stream("PowerPoint Document"), file.Root.Stream("Current User"), "header")); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Root.Stream("PowerPoint Document"), file.Root.Stream("Current User"))
	unlock := func(cfb.Lock) (func([]byte, int64), error) { return pad, nil }
	f.Fuzz(func(t *testing.T, stream, user []byte) {
		d, err := ppt.Read(t.Context(), pack(stream, user), ppt.Options{Nodes: 10_000, Unlock: unlock})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// TestObjects reads a compressed object on its slide and an object that no slide
// shows. Damaged objects are counted, and the object of a hidden slide is left out.
func TestObjects(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte("packed"))
	_ = w.Close()
	object := func(id, persist uint32, program string) []byte {
		return rec(0xFCC, 0, rec(0xFCD, 0, uint32(0), uint32(0)), rec(0xFC3, 0, uint32(1), uint32(0), id, uint32(0), persist, uint32(0)), rec(0xFBA, 2, wide(program)))
	}
	slides := [][]byte{
		slide(0x3EE, 0, 0, shape(1, box(text(0, "First"))), shape(75, rec(0xF011, 0, rec(0xBC1, 0, uint32(1)))), shape(75, rec(0xF011, 0, rec(0xBC1, 0, uint32(9))))),
		slide(0x3EE, 0, 0, shape(1, box(text(0, "Second")))),
		slide(0x3EE, 0, 4, shape(75, rec(0xF011, 0, rec(0xBC1, 0, uint32(5))))), // hidden
	}
	data := [][]byte{rec(0x1011, 1, uint32(6), z.Bytes()), rec(0x1011, 0, "plain"), rec(0x1011, 1, uint32(6), z.Bytes()[:5])}
	stream, user := deck(nil, slides, data, rec(0x409, 0, object(1, 4, "Excel.Sheet"), object(2, 5, "Word.Document"), object(3, 6, "Visio"), object(4, 99, ""), object(5, 5, "Hidden")))
	child := func(_ context.Context, name, _ string, data []byte, _ int) *html.Node {
		n := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: name + "=" + string(data)})
		return n
	}
	d, err := ppt.Read(t.Context(), pack(stream, user), ppt.Options{Objects: embedded.Objects{Child: child}})
	if err != nil {
		t.Fatal(err)
	}
	got := doctreetest.Show(t, d)
	if strings.Contains(got, "Hidden=") {
		t.Errorf("the object of a hidden slide is read: %s", got)
	}
	at := 0
	for _, want := range []string{"2 embedded objects were not read: Visio, object.", "First", "Excel.Sheet=packed", "Second", "Word.Document=plain"} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %s, or not in order, in %s", want, got)
		}
		at += i
	}
}

// drawnText returns an EMF that draws a text, as a picture in a list.
func drawnText(text string) []byte {
	units := cfbtest.Wide(text)
	size := 76 + len(units) + len(units)%4
	record := cfbtest.Bytes(uint32(84), uint32(size), make([]byte, 36), uint32(len(units)/2), uint32(76), make([]byte, 24), units, make([]byte, len(units)%4))
	file := cfbtest.Bytes(uint32(1), uint32(88), make([]byte, 32), " EMF", make([]byte, 44), record)
	blip := cfbtest.Bytes(0x3D4<<4, 0xF01A, uint32(16+34+len(file)), make([]byte, 16), make([]byte, 32), byte(0xFE), byte(0xFE), file)
	return cfbtest.Bytes(0x22, 0xF007, uint32(36+len(blip)), make([]byte, 36), blip)
}

// TestMetafiles reads the text of a picture on a slide.
func TestMetafiles(t *testing.T) {
	group := rec(0x40B, 0, rec(0xF000, 0, rec(0xF001, 1, drawnText("words"))))
	picture := shape(75, rec(0xF00B, 1, 0x0104, uint32(1)))
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, picture, picture)}, nil, group)
	d, err := ppt.Read(t.Context(), pack(stream, user), ppt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := doctreetest.Show(t, d); strings.Count(got, "<p>words</p>") != 1 {
		t.Error(got)
	}
}

// TestDamagedRecord says that texts may be missing if a record has a wrong length.
func TestDamagedRecord(t *testing.T) {
	one := slide(0x3EE, 0, 0, shape(1, box(text(4, "One"))), shape(1, box(text(4, "Two"))))
	for _, torn := range []bool{false, true} {
		stream, user := deck(nil, [][]byte{bytes.Clone(one)}, nil)
		if torn {
			at := bytes.Index(stream, []byte(wide("Two")))
			stream[at-1] = 0x7F // of the length of the text
		}
		d := read(t, pack(stream, user))
		if got := doctreetest.Show(t, d); !strings.Contains(got, "One") || torn != strings.Contains(got, "part-unreadable: Records of the presentation are longer than what contains them.") {
			t.Errorf("damaged: %v\n%s", torn, got)
		}
	}
}

// TestOutline says which texts of the outline no shape shows, and which ones are missing.
func TestOutline(t *testing.T) {
	for _, c := range []struct {
		what    string
		outline []byte
		shapes  [][]byte
		want    string
	}{
		{"all are shown", cat(text(0, "One"), text(1, "Two")), [][]byte{shape(1, box(rec(0xF9E, 0, uint32(0)))), shape(1, box(rec(0xF9E, 0, uint32(1))))}, ""},
		{"shown as the text of a shape", cat(text(0, "One")), [][]byte{shape(1, box(text(0, "One")))}, ""},
		{"not shown", cat(text(0, "One"), text(1, "Two"), text(1, " ")), [][]byte{shape(1, box(rec(0xF9E, 0, uint32(0))))}, "Texts of the outline that no shape of the slide shows, and that were left out: 1."},
		{"missing", cat(text(0, "One")), [][]byte{shape(1, box(rec(0xF9E, 0, uint32(0)))), shape(1, box(rec(0xF9E, 0, uint32(7))))}, "Shapes whose text is in the outline, which does not have it: 1."},
	} {
		stream, user := deck([][]byte{c.outline}, [][]byte{slide(0x3EE, 0, 0, c.shapes...)}, nil)
		d := read(t, pack(stream, user))
		got := doctreetest.Show(t, d)
		if (c.want == "") != (len(d.Warnings) == 0) || !strings.Contains(got, c.want) || !strings.Contains(got, "One") {
			t.Errorf("%s: %v\n%s", c.what, d.Warnings, got)
		}
	}
}

// TestLostNotes reads slides with notes, without any, and with notes that are not in the
// file, which is said.
func TestLostNotes(t *testing.T) {
	notes := slide(0x3F0, 0, 0, shape(1, box(text(2, "Say this"))))
	for _, c := range []struct {
		what  string
		id    uint32
		notes []byte
		said  bool
	}{
		{"whole", 500, notes, false},
		{"none", 0, notes, false},
		{"not in the list", 501, notes, true},
		{"of another type", 500, rec(0x1234, 0, uint32(0)), true},
	} {
		d := read(t, pack(deck(nil, [][]byte{slide(0x3EE, c.id, 0, shape(1, box(text(0, "One"))))}, [][]byte{c.notes})))
		if got := doctreetest.Show(t, d); strings.Contains(got, "The notes of the slide could not be read.") != c.said || strings.Contains(got, "Say this") != (c.what == "whole") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// TestSymbols reads characters of symbol fonts.
func TestSymbols(t *testing.T) {
	font := func(number int, name string) []byte {
		return rec(0xFB7, number, wide(name), make([]byte, 68-2*len(name)))
	}
	fonts := rec(0x3F2, 0, rec(0x7D5, 0, font(0, "Arial"), font(1, "Symbol"), font(2, "Wingdings")))
	properties := func(mask uint32, values ...any) []byte {
		return rec(0xFA1, 0, append([]any{uint32(3), 0, uint32(0), uint32(3), mask}, values...)...)
	}
	for _, c := range []struct {
		what, text string
		styles     []byte
		want       string
	}{
		{"in a font of symbols only", "\uF0B3", properties(1<<16|1<<23|1<<17, 0, 1, 20), "≥"},
		{"in the font of the text", "\uF06D", properties(1<<16, 1), "μ"},
		{"in another one", "\uF0FC", properties(1<<23, 2), "✓"},
		{"without a font", "\uF0B3", nil, "≥"},
		{"with a font that is missing", "\uF0B3", properties(1<<23, 9), "≥"},
		{"in a font of letters", "\uF041", properties(1<<16, 0), "A"},
		{"other characters", "\uE041", properties(1<<16, 1), "\uE041"},
	} {
		stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(1, box(text(4, c.text+"x", c.styles))))}, nil, fonts)
		data := pack(stream, user)
		d, err := ppt.Read(t.Context(), data, ppt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "<p>"+c.want+"x</p>") {
			t.Errorf("%s: %s, want %s", c.what, b.String(), c.want)
		}
	}
}
