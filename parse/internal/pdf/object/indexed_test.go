// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/pdftest"
)

// written replaces placeholders for the offsets of objects: {12} is the
// table row of object 12, <12> its offset in eight hexadecimal digits, and
// {xref} the offset of the last section, which begins with "xref" or with
// object 9.
func written(text string) []byte {
	text = regexp.MustCompile(`\{\d+\}|<\d+>`).ReplaceAllStringFunc(text, func(m string) string {
		return fmt.Sprintf("%c%09s", m[0], m[1:]) // ten bytes, like the offsets
	})
	offset := func(what string) int { return strings.LastIndex(text, what) + 1 }
	text = strings.ReplaceAll(text, "{xref}", fmt.Sprint(max(offset("\nxref"), offset("\n9 0 obj"))))
	return regexp.MustCompile(`\{ *\d+\}|< *\d+>`).ReplaceAllFunc([]byte(text), func(m []byte) []byte {
		var num int
		if m[0] == '<' {
			fmt.Sscanf(string(m), "<%d>", &num)
			return fmt.Appendf(nil, "  %08X", offset(fmt.Sprintf("\n%d 0 obj", num)))
		}
		fmt.Sscanf(string(m), "{%d}", &num)
		return fmt.Appendf(nil, "%010d", offset(fmt.Sprintf("\n%d 0 obj", num)))
	})
}

const (
	catalog = "%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Kids [3 0 R]>> endobj\n3 0 obj <</Type /Page /Tag (old)>> endobj\n"
	rows    = "xref\n0 4\n0000000000 65535 f \n{1} 00000 n \n{2} 00000 n \n{3} 00000 n \n"
	end     = "\nstartxref\n{xref}\n%%EOF\n"
)

// inPack is a file whose page tree is in an object stream.
const inPack = "%PDF-1.7\n" +
	"4 0 obj <</Type /ObjStm /N 3 /First 15 /Length 5 0 R>> stream\n" +
	"1 0 2 34 3 54  <</Type /Catalog /Pages 2 0 R>>   <</Kids [3 0 R]>>   <</Type /Page /Tag (new)>>\n" +
	"endstream endobj\n5 0 obj 96 endobj\n" +
	"9 0 obj <</Type /XRef /Size 6 /Root 1 0 R /W [1 4 1] /Filter /ASCIIHexDecode /Length 104>> stream\n" +
	"00 00000000 00\n02 00000004 00\n02 00000004 01\n02 00000004 02\n01 <4> 00\n01 <5> 00\n>" +
	"\nendstream endobj" + end

func TestIndexed(t *testing.T) {
	old := strconv.Itoa(len(catalog))
	newer := func(row, trailer string) string { // a trailer may leave the other entries to the older one
		return catalog + rows + "trailer <</Root 1 0 R>>\n" + "3 0 obj <</Type /Page /Tag (new)>> endobj\n" +
			"xref\n3 1\n" + row + "\ntrailer <<" + strings.ReplaceAll(trailer, "{old}", old) + ">>" + end
	}
	tests := []struct {
		name, file string
		want       Object // the page's Tag, or the error
	}{
		{"one table", catalog + rows + "trailer <</Root 1 0 R>>" + end, String("old")},
		{"several subsections", catalog + "xref\n0 1\n0000000000 65535 f \n1 1\n{1} 00000 n\r\n2 2\n{2} 00000 n\n{3} 00000 n\n trailer <</Root 1 0 R>>" + end, String("old")},
		{"objects in a stream", inPack, String("new")},
		{"an object that is not there", catalog + strings.Replace(rows, "0 4", "0 5", 1) + "0000000000 00000 n \ntrailer <</Root 1 0 R>>" + end, String("old")},
		{"a length that is its own stream's", strings.Replace(inPack, "/Length 5 0 R", "/Length 4 0 R", 1), String("new")},
		{"a wrong length", strings.Replace(inPack, "obj 96 endobj", "obj 90 endobj", 1), String("new")},

		{"a wrong place", catalog + strings.Replace(rows, "{3}", "0000000012", 1) + "trailer <</Root 1 0 R>>" + end, ErrCorrupt},
		{"another object's place", catalog + strings.Replace(rows, "{3}", "{2}", 1) + "trailer <</Root 1 0 R>>" + end, ErrCorrupt},
		{"another generation", catalog + strings.Replace(rows, "{3} 00000", "{3} 00001", 1) + "trailer <</Root 1 0 R>>" + end, ErrCorrupt},
		{"a circle", catalog + rows + "trailer <</Root 1 0 R /Prev {xref}>>" + end, ErrCorrupt},
		{"a section before the file", catalog + rows + "trailer <</Root 1 0 R /Prev -1>>" + end, ErrCorrupt},
		{"a section behind the file", catalog + rows + "trailer <</Root 1 0 R /Prev 99999>>" + end, ErrCorrupt},
		{"a section by reference", catalog + rows + "trailer <</Root 1 0 R /Prev 3 0 R>>" + end, ErrCorrupt},
		{"no begin", catalog + rows + "trailer <</Root 1 0 R>>", ErrCorrupt},
		{"no trailer", catalog + rows + end, ErrCorrupt},
		{"no root", catalog + rows + "trailer <<>>" + end, ErrCorrupt},
		{"a row that is none", catalog + strings.Replace(rows, "{3}", "{3} x", 1) + "trailer <</Root 1 0 R>>" + end, ErrCorrupt},
		{"a number beyond all", catalog + strings.Replace(rows, "0 4", "4000000 4", 1) + "trailer <</Root 1 0 R>>" + end, ErrCorrupt},
		{"no widths", strings.Replace(inPack, "/W [1 4 1]", "/W [1 4]", 1), ErrCorrupt},
		{"wide widths", strings.Replace(inPack, "/W [1 4 1]", "/W [1 9 1]", 1), ErrCorrupt},
		{"too few rows", strings.Replace(inPack, "/Size 6", "/Size 7", 1), ErrCorrupt},
		{"an object in itself", strings.Replace(inPack, "01 <4> 00", "02 00000004 00", 1), ErrCorrupt},
		{"an object in none", strings.Replace(inPack, "02 00000004 02", "02 00000008 02", 1), ErrCorrupt},

		{"a newer object", newer("{3} 00000 n ", "/Prev {old}"), String("new")},
		{"a free object", newer("0000000000 00001 f ", "/Root 1 0 R /Prev {old}"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := written(tt.file)
			s, err := readIndexed(t.Context(), data, "", Limits{}.withDefaults())
			var got any
			if errors.Is(err, ErrCorrupt) {
				got = ErrCorrupt
			} else if err == nil {
				page, _ := s.object(3).(Dict)
				got = page["Tag"]
			}
			if got != tt.want {
				t.Errorf("%v, %v, want %v\n%s", got, err, tt.want, data)
			}
		})
	}
}

// TestLost counts the objects that a bound leaves out or cuts short.
func TestLost(t *testing.T) {
	plain := catalog + rows + "trailer <</Root 1 0 R>>" + end
	before, rest, _ := strings.Cut(inPack, "stream\n")
	content, after, _ := strings.Cut(rest, "endstream")
	run := string([]byte{byte(len(content) - 1)}) + content + "\x80"
	filtered := strings.Replace(before, "/N 3", "/N 3 /Filter /RunLengthDecode", 1) + "stream\n" + run + "\nendstream" +
		strings.Replace(after, "obj 96 ", fmt.Sprintf("obj %d ", len(run)), 1)
	tests := []struct {
		name, file string
		bound      func(*indexed)
		want       int
	}{
		{"no bound", plain, func(*indexed) {}, 0},
		{"no elements", plain, func(s *indexed) { s.shared.left = 0 }, 3},
		{"elements of the first two objects", plain, func(s *indexed) { s.shared.left = 9 }, 1},
		{"no bytes", plain, func(s *indexed) { s.left = 0 }, 3},
		{"bytes of one object", plain, func(s *indexed) { s.left = 1 }, 2},
		{"objects in a stream", filtered, func(*indexed) {}, 0},
		{"half of a stream", filtered, func(s *indexed) { s.unread = 60 }, 2},
		{"nothing of a stream", filtered, func(s *indexed) { s.unread = 0 }, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := written(tt.file)
			x, err := readXref(t.Context(), data, Limits{}.withDefaults())
			if err != nil {
				t.Fatal(err)
			}
			s := newIndexed(t.Context(), data, x, Limits{}.withDefaults())
			tt.bound(s)
			for range 2 { // an object that is requested again counts once
				for num := range 3 {
					s.object(num + 1)
				}
			}
			if got := s.lost(); got != tt.want {
				t.Errorf("lost %d objects, want %d", got, tt.want)
			}
		})
	}
}

// TestHybrid reads objects that a table marks as free and that the file's
// cross-reference stream contains.
func TestHybrid(t *testing.T) {
	data := string(written(inPack))
	stream := strings.LastIndex(data, "\n9 0 obj") + 1
	data = data[:strings.LastIndex(data, "startxref")]
	at := len(data)
	data += fmt.Sprintf("xref\n0 4\n0000000001 65535 f \n0000000002 00000 f \n0000000003 00000 f \n0000000000 00000 f \ntrailer <</Root 1 0 R /XRefStm %d>>\nstartxref\n%d\n", stream, at)
	s, err := readIndexed(t.Context(), []byte(data), "", Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := s.object(3).(Dict); page["Tag"] != String("new") {
		t.Errorf("the page is %v", page)
	}
}

// TestIndexedAgrees reads files by cross-reference sections, by scan and
// with pdfcpu, and compares all objects. It also reads the files of the
// development data, if they are available, except where pdfcpu's tolerance
// for faults differs.
func TestIndexedAgrees(t *testing.T) {
	var d pdftest.Document
	d.Info = "/Title (T\\351st \\(1\\)) /Author <FEFF00E9>"
	d.Add("[1 -2 +3 .5 -.5 4. 1.25 true false null /Na#6de (s\\\ntr) <4a4B5> 1 0 R [[]] <</A <</B 7>>>>]")
	d.Page(pdftest.Text("F1", 12, 72, 700, "a"), pdftest.Fonts, "/Rotate 90")
	files := map[string][]byte{"made": d.Bytes(), "packed": written(inPack)}
	for name, data := range files {
		limits := Limits{}.withDefaults()
		one, err := readIndexed(t.Context(), data, "", limits)
		if err != nil {
			t.Fatal(name, err)
		}
		two, err := readTable(t.Context(), data, "", limits)
		if err != nil {
			t.Fatal(name, err)
		}
		three, err := readScanned(t.Context(), data, "", limits)
		if err != nil {
			t.Fatal(name, err)
		}
		for num := range one.xref.all() {
			if p, _ := one.xref.get(num); p.kind == free || num == 4 && name == "packed" {
				continue // pdfcpu does not return the object streams themselves
			}
			a, b, c := one.object(num), two.object(num), three.object(num)
			if diff := cmp.Diff(a, b, cmp.AllowUnexported(Stream{})); diff != "" {
				t.Errorf("%s: object %d (-indexed +pdfcpu):\n%s", name, num, diff)
			}
			if diff := cmp.Diff(a, c, cmp.AllowUnexported(Stream{})); diff != "" {
				t.Errorf("%s: object %d (-indexed +rebuilt):\n%s", name, num, diff)
			}
		}
	}
}

// TestIndexedReal compares the first page's content of each file in the
// development data, read by the cross-reference sections and by a scan.
func TestIndexedReal(t *testing.T) {
	paths, _ := filepath.Glob(golden.Root("../shared/corpora/pdf-real-dev/pdfs/*.pdf"))
	if len(paths) == 0 {
		t.Skip("../shared is absent")
	}
	sound := 0
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		limits := Limits{}.withDefaults()
		data = skipJunk(data)
		one, err := readIndexed(t.Context(), data, "", limits)
		if err != nil {
			continue
		}
		sound++
		two, err := readScanned(t.Context(), data, "", limits)
		if err != nil {
			continue
		}
		if a, b := firstContent(t, one, limits), firstContent(t, two, limits); a != b && b != "" {
			t.Logf("%s: content differs: %.60q, %.60q", filepath.Base(p), a, b)
		}
	}
	if sound*10 < len(paths)*9 {
		t.Errorf("%d of %d files are taken for sound", sound, len(paths))
	}
}

// firstContent returns the content of the first page.
func firstContent(t *testing.T, s source, limits Limits) string {
	f := newFile(t.Context(), s, limits)
	pages, _ := f.Pages(1)
	if len(pages) == 0 {
		return ""
	}
	b, _ := f.Data(f.Stream(pages[0].Dict["Contents"])) // damaged streams are compared too
	return string(b)
}

// TestNested reads objects that overlap. The bytes read must be a small
// multiple of the file size, not its square.
func TestNested(t *testing.T) {
	const n = 3000
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	places := make([]int, n)
	for i := range places {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj(", i+1)
	}
	at := b.Len()
	fmt.Fprintf(&b, ")\nxref\n0 %d\n0000000000 65535 f \n", n+1)
	for _, p := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer <</Root 1 0 R>> startxref\n%d\n", at+2)
	data := []byte(b.String())
	limits := Limits{}.withDefaults()
	one, err := readIndexed(t.Context(), data, "", limits)
	if err != nil {
		t.Fatal(err)
	}
	two, err := readScanned(t.Context(), data, "", limits)
	if err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]*indexed{"indexed": one, "rebuilt": two} {
		sum := 0
		for num := range s.xref.all() {
			text, _ := s.object(num).(String)
			sum += len(text)
		}
		if most := spendable(data) + len(data); sum > most {
			t.Errorf("%s: %d bytes of objects from %d bytes", what, sum, len(data))
		}
	}
}

// TestLazy counts the allocations of opening a file. They must not grow with
// the number of objects that are never requested.
func TestLazy(t *testing.T) {
	allocs := func(objects int) float64 {
		var d pdftest.Document
		d.Page("", pdftest.Fonts, "")
		for range objects {
			d.Add("<</A [1 2 3] /B (text) /C <</D 1000>>>>")
		}
		data := Bytes(d.Bytes())
		return testing.AllocsPerRun(10, func() {
			f, err := Open(t.Context(), data, int64(len(data)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			f.Pages(0)
		})
	}
	few, many := allocs(10), allocs(5000)
	if many > few+50 { // the table of places grows
		t.Errorf("%v allocations for 5000 objects, %v for 10", many, few)
	}
}

// FuzzIndexed opens arbitrary bytes by cross-reference sections and reads
// all objects.
func FuzzIndexed(f *testing.F) {
	f.Add(written(inPack))
	f.Add(written(catalog + rows + "trailer <</Root 1 0 R /Prev 20>>" + end))
	f.Add(pdftest.Pages(pdftest.Text("F1", 12, 72, 700, "seed")))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Stream: 1 << 20, Total: 1 << 22, Objects: 10_000}.withDefaults()
		s, err := readIndexed(t.Context(), data, "", limits)
		if err != nil {
			return
		}
		file := newFile(t.Context(), s, limits)
		for num := range s.xref.all() {
			if st, ok := s.object(num).(*Stream); ok {
				file.Data(st)
			}
			if !bytes.Equal(s.data, data) {
				t.Fatal("reading changed the file")
			}
		}
		file.Pages(100)
	})
}

// TestSparse checks that a search in a damaged file visits only existing
// objects, not all numbers up to the highest.
func TestSparse(t *testing.T) {
	data := "%PDF-1.4\n7 0 obj <</Type /Catalog>> endobj\n3000000 0 obj <</Type /Page>> endobj\ntrailer <</Root 7 0 R>>"
	f, err := Open(t.Context(), strings.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.source.(*indexed)
	if n := len(s.xref.places) + len(s.xref.far); n > 10 {
		t.Errorf("%d places", n)
	}
	if pages, _ := f.Pages(0); len(pages) != 1 {
		t.Errorf("%d pages", len(pages))
	}
}
