// SPDX-License-Identifier: Apache-2.0

package rtf_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
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
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/rtf"
)

func TestMain(m *testing.M) { leak.Main(m) }

func read(t testing.TB, data string, nodes int) *doctree.Document {
	t.Helper()
	d, err := rtf.Read(t.Context(), []byte(data), rtf.Options{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.rtf") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			golden.Check(t, strings.TrimSuffix(p, ".rtf")+".html", []byte(doctreetest.Show(t, read(t, text, 0))))
		})
	}
}

// TestText reads single paragraphs.
func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`plain`, `plain`},
		{`a\~b\_c\-d\{\}\\`, "a\u00a0b-cd{}\\"},
		{`a\tab b\line c`, "a\tb<br/>c"},
		{`\ldblquote x\rdblquote\emdash y`, `“x”—y`},
		{`caf\'e9`, `café`},
		{`\u8364?\u8364\'80x`, `€€x`},
		{`\uc0\u8364x`, `€x`},
		{`\uc2\u8364??x{\uc1\u8364?y}`, `€x€y`},
		{`\u55357?\u56832?`, `😀`},
		{`\u-10179?\u-9215?`, `🐁`},
		{`{\f1\'ef\'f0\'e8}`, `при`},
		{`\f9\ansicpg65001 caf\'c3\'a9`, `café`},
		{`\f9\ansicpg1200 caf\'e9`, `café`},
		{`\f9\ansicpg20866 \'ce\'c5\'d4`, `нет`},
		{`{\f2\'93\'fa\'96\'7b}`, `日本`},
		{`{\f3 a\'b7}`, `α•`},
		{`{\f4 code} and`, `<code>code</code> and`},
		{`{\b bold{\i  both}}\b\ul x\b0\ulnone y`, `<strong>bold <em>both</em><u>x</u></strong>y`},
		{`x\super 2\nosupersub y{\sub 3}`, `x<sup>2</sup>y<sub>3</sub>`},
		{`{\strike s}{\highlight7 m}`, `<s>s</s><mark>m</mark>`},
		{`a{\v hidden}b{\deleted gone}c`, `abc`},
		{`a{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Word Art}}}}b{\nonesttables\par c}`, `a Word Art b`},
		{`{\*\unknown gone{\b too}}kept{\unknown kept}`, `keptkept`},
		{`{\field{\*\fldinst{HYPERLINK "https://example.org/"}}{\fldrslt{\ul link}}} x`, `<a href="https://example.org/">link</a> x`},
		{`{\field{\*\fldinst HYPERLINK \\l "mark"}{\fldrslt in}}{\*\bkmkstart mark}here{\*\bkmkend mark}`, `<a href="#mark">in</a><span id="mark"></span>here`},
		{`{\field{\*\fldinst HYPERLINK "javascript:x"}{\fldrslt script}}`, `script`},
		{`{\field{\*\fldinst PAGE}{\fldrslt 3}}`, `3`},
		{`{\field{\*\fldinst EQ \\f(1,2)}{\fldrslt }}.`, `<math><semantics><mtext>\frac{1}{2}</mtext><annotation encoding="application/x-tex">\frac{1}{2}</annotation></semantics></math>.`},
		{`{\field{\*\fldinst SYMBOL 97 \\f "Symbol"}{\fldrslt\f0 }}{\field{\*\fldinst SYMBOL 97 \\f "Symbol"}{\fldrslt a}}`, `αa`},
		{`{\field{\*\fldinst MACROBUTTON NoMacro [Click \b here]}}`, `[Click here]`},
		{`{\field{\*\fldinst {FORMCHECKBOX }{{\*\formfield{\fftype1\ffres25\ffdefres1{\*\ffname Box}}}}}{\fldrslt }} yes`, `<input type="checkbox" disabled="" checked=""/> yes`},
		{`{\field{\*\fldinst {FORMCHECKBOX }{{\*\formfield{\fftype1\ffdefres1\ffres0{\*\ffname Box}}}}}{\fldrslt }} no`, `<input type="checkbox" disabled=""/> no`},
		{`{\field{\*\fldinst {FORMDROPDOWN }{{\*\formfield{\fftype2\ffres1{\*\ffname L}{\*\ffl one}{\*\ffl two}}}}}{\fldrslt }}`, `two`},
		{`{\field{\*\fldinst {FORMDROPDOWN }{{\*\formfield{\fftype2\ffres7{\*\ffl one}}}}}}x`, `x`},
		{`{\field{\*\fldinst {FORMTEXT }{{\*\formfield{\fftype0{\*\ffdeftext Name}}}}}}`, `Name`},
		{`{\field{\*\fldinst {FORMTEXT }{{\*\formfield{\fftype0{\*\ffdeftext Name}}}}}{\fldrslt Ann}}`, `Ann`},
		{`{\field{\*\fldinst QUOTE {\field{\*\fldinst EQ \\r(2)}}}{\fldrslt {\field{\*\fldinst EQ \\r(2)}}}}`, `<math display="block"><semantics><mtext>\sqrt{2}</mtext><annotation encoding="application/x-tex">\sqrt{2}</annotation></semantics></math>`},
		{`{\upr{gone}{\*\ud{\u8364?}}}`, `€`},
		{`x\bin5 {}{}{y`, `xy`},
		{`{\pict{\*\picprop{\sp{\sn wzDescription}{\sv A  duck}}}89504e47}`, `<img alt="A duck"/>`},
		{`{\*\shppict{\pict 00}}{\nonshppict{\pict 00}}`, `<img alt=""/>`},
		{`{\object{\*\objdata 00ff}{\result shown}}`, `shown`},
		{`one}}} two`, `one two`},
		{`{\b one`, `<strong>one</strong>`},
		{`\'zz\`, `zz`},
	} {
		d := read(t, `{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\froman\fcharset0 Times;}{\f1\fcharset204 Arial;}{\f2\fcharset128 MS;}{\f3\fcharset2 Symbol;}{\f4\fmodern Courier;}}`+c.in, 0)
		got := doctreetest.Show(t, d)
		_, got, _ = strings.Cut(got, "<p>")
		got, _, _ = strings.Cut(got, "</p>")
		if got != c.want {
			t.Errorf("%s = %s, want %s", c.in, got, c.want)
		}
	}
}

// TestObjects counts the embedded objects that cannot be read.
func TestObjects(t *testing.T) {
	data := `{\rtf1 {\object\objemb{\*\objclass Excel.Sheet.8}{\*\objdata 00ff}{\result shown}}{\object{\*\objdata 00}}\par}`
	got := doctreetest.Show(t, read(t, data, 0))
	if want := "attachment-unread: 2 embedded objects were not read: Excel.Sheet.8, object."; !strings.Contains(got, want) || !strings.Contains(got, "shown") {
		t.Errorf("no %s in %s", want, got)
	}
}

// TestRunning reads the headers of all sections, each text once.
func TestRunning(t *testing.T) {
	got := doctreetest.Show(t, read(t, `{\rtf1 {\header all\par}{\headerf first\par}{\footer foot\par} one\par\sect {\header all\par}{\footer other foot\par} two\par}`, 0))
	want := "<header data-role=\"running\">\n<p>all</p></header>\n<header data-role=\"running\">\n<p>first</p></header>\n<p>one</p>\n<p>two</p>\n" +
		"<footer data-role=\"running\">\n<p>foot</p></footer>\n<footer data-role=\"running\">\n<p>other foot</p></footer>"
	if !strings.Contains(got, want) {
		t.Error(got)
	}
}

// TestNative reads objects that are written in hexadecimal digits. The text of an
// object's picture is read only if the object cannot be read.
func TestNative(t *testing.T) {
	field := func(s string) string { return string(cfbtest.Bytes(uint32(len(s)), s)) }
	file := string(cfbtest.Bytes("\x02\x00l\x00a.txt\x00", uint32(0), uint32(0), uint32(5), "inner"))
	native := func(class, data string) string {
		return hex.EncodeToString(cfbtest.Bytes(uint32(0x501), uint32(2), field(class+"\x00"), field(""), field(""), field(data)))
	}
	// A WMF that draws a text.
	wmf := cfbtest.Bytes(1, 9, 0x300, uint32(0), 0, uint32(0), 0, uint32(9), 0x0521, 5, "drawn\x00", 1, 1)
	picture := `{\result {\pict{\*\blipuid 00}\wmetafile8\picw12 ` + hex.EncodeToString(wmf) + `}}`
	data := `{\rtf1 before {\object\objemb{\*\objclass X}{\*\objdata ` + native("Package", file) + `}` + picture + `}\par ` +
		`{\object{\*\objdata ` + strings.ToUpper(native("Known", "D0CF")) + `}` + picture + `}\par {\object{\*\objdata zz}` + picture + `}\par after\par}`
	child := func(_ context.Context, name, _ string, data []byte, _ int) *html.Node {
		if name == "Known" {
			return nil
		}
		n := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: string(data)})
		return n
	}
	d, err := rtf.Read(t.Context(), []byte(data), rtf.Options{Objects: embedded.Objects{Child: child}})
	if err != nil {
		t.Fatal(err)
	}
	got := doctreetest.Show(t, d)
	for _, want := range []string{"2 embedded objects were not read: Known, object.", "Embedded object: a.txt (Package)</figcaption>inner", "<p>drawn</p>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if n := strings.Count(got, "<p>drawn</p>"); n != 2 {
		t.Errorf("%d pictures with text in %s", n, got)
	}
}

// TestBlocks reads typed numbers, which make items if they have a hanging
// indent, and code.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{
			`\pard\li360\fi-360 \bullet\tab a\par\pard\li720\fi-360 1.\tab b\par 2.\tab c\par\pard\li360\fi-360 \bullet\tab d\par\pard e`,
			`<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul><p>e</p>`,
		},
		{`\pard\li360\fi-360 (b)\tab a\par`, `<ol start="2" type="a"><li data-item-label="(b)">a</li></ol>`},
		{`\pard\li360\fi-360 iv:\tab a\par (V)\tab b\par`, `<ol start="4" type="i"><li data-item-label="iv:">a</li></ol><ol start="5" type="I"><li data-item-label="(V)">b</li></ol>`},
		{`\pard\li360\fi-360 i\tab a\par`, "<p>i\ta</p>"},
		{`\pard\li360\fi-360 1.)\tab a\par`, "<p>1.)\ta</p>"},
		{`\pard\li360\fi-360 1234567890\tab a\par`, "<p>1234567890\ta</p>"},
		{`\pard\li360\fi-360 Name\tab a\par`, "<p>Name\ta</p>"},
		{`\pard\li360 1.\tab a\par`, "<p>1.\ta</p>"},
		{`\pard\li360\fi-360 {\v 1.}\tab a\par`, "<p>a</p>"},
		{`\pard\li360\fi-360 1.\tab\par after`, "<p>after</p>"},
		{`\pard\li360\fi-360\tab 1.\tab x\par`, "<ol><li>x</li></ol>"},
		{`\pard\li360\fi-360\tab\tab\tab\tab 1.\tab x\par`, "<p>1.\tx</p>"},
		{`{\f4 if (x) \{\line  y\line\}\par z\par}w`, "<pre><code>if (x) {\n y\n}\nz</code></pre><p>w</p>"},
		{
			`{\*\moMath{\mr x}}\par a {\*\moMath{\mr x}}\par`,
			`<p><math display="block"><semantics><mtext>x</mtext><annotation encoding="application/x-tex">x</annotation></semantics></math></p><p>a <math><semantics><mtext>x</mtext><annotation encoding="application/x-tex">x</annotation></semantics></math></p>`,
		},
		{`{\f4 a typed letter\par}`, `<p>a typed letter</p>`},
	} {
		var b strings.Builder
		d := read(t, `{\rtf1\ansi{\fonttbl{\f0 Times;}{\f4\fmodern Courier;}}`+c.in, 0)
		for n := range d.Root.Descendants() {
			if n.DataAtom == atom.Body {
				for c := range n.ChildNodes() {
					if err := html.Render(&b, c); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if got := b.String(); got != c.want {
			t.Errorf("%s = %s, want %s", c.in, got, c.want)
		}
	}
}

// TestSheets reads more fonts and styles than the limit. Text in the others
// has no style.
func TestSheets(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{\rtf1{\fonttbl`)
	for i := range 10_010 {
		fmt.Fprintf(&b, `{\f%d\fmodern Courier;}`, i)
	}
	b.WriteString(`}{\stylesheet`)
	for i := range 10_010 {
		fmt.Fprintf(&b, `{\s%d\sbasedon0\i Quote;}`, i)
	}
	b.WriteString(`}\s7 kept\par\pard\s10009 not kept\par\pard{\f10009 if (x) \{\line  y\line\}\par}}`)
	got := doctreetest.Show(t, read(t, b.String(), 0))
	if strings.Count(got, "<blockquote>") != 1 || !strings.Contains(got, "<p>not kept</p>") || strings.Contains(got, "<pre>") {
		t.Error(got)
	}
}

func TestMeta(t *testing.T) {
	d := read(t, `{\rtf1{\info{\title A \u8364?}{\author Ann}{\subject S}{\keywords k}{\creatim\yr2024\mo2\dy3\hr4\min5}{\revtim\yr2025}}x}`, 0)
	want := doctree.Meta{
		Title: "A €", Author: "Ann", Subject: "S", Keywords: "k",
		Created: time.Date(2024, 2, 3, 4, 5, 0, 0, time.UTC), Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	if d.Meta != want {
		t.Errorf("Meta = %+v, want %+v", d.Meta, want)
	}
}

func TestErrors(t *testing.T) {
	for _, s := range []string{"", "text", `{\rt`, `\rtf1`} {
		if _, err := rtf.Read(t.Context(), []byte(s), rtf.Options{}); !errors.Is(err, rtf.ErrMalformed) {
			t.Errorf("Read(%q) = %v", s, err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(os.ErrDeadlineExceeded)
	if _, err := rtf.Read(ctx, []byte(`{\rtf1 x}`), rtf.Options{}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its context a document gives %v", err)
	}
}

// TestHostile reads documents that would need more resources than allowed.
func TestHostile(t *testing.T) {
	for _, c := range []struct{ what, in, text string }{
		{"groups", strings.Repeat("{", 1_000_000) + "deep" + strings.Repeat("}", 1_000_000) + " after", "Groups in more than 100 others, whose properties apply to what follows them as well: 999901."},
		{"bin", `x\bin2147483647 ` + "y", "x"},
		{"negative bin", `x\bin-5 y`, "xy"},
		{"notes", strings.Repeat(`{\footnote `, 90) + "deep", "The document is nested too deeply: 1 note or shape was left out."},
		{"cells", `\trowd` + strings.Repeat(`\cellx1`, 5000) + strings.Repeat(`\intbl x\cell`, 5000) + `\row`, "x"},
		{"nested tables", strings.Repeat(`\pard\intbl\itap99 x\nestcell`, 50), "x"},
		{"table without rows", `\pard\intbl lost?\cell\pard after`, "lost?"},
		{"numbers", `\u99999999999999999999?\f999999999999 x\itap-7\ilvl-3\ls1 y`, "y"},
	} {
		got := doctreetest.Show(t, read(t, `{\rtf1 `+c.in, 100_000))
		if !strings.Contains(got, c.text) {
			t.Errorf("%s: %.300s", c.what, got)
		}
	}
	if got := doctreetest.Show(t, read(t, `{\rtf1 `+strings.Repeat(`x\par `, 1000), 100)); !strings.Contains(got, "truncated") {
		t.Errorf("%.300s", got)
	}
}

// TestCut counts the paragraphs that are left out because the tree is full.
func TestCut(t *testing.T) {
	doctreetest.CheckCut(t, read(t, `{\rtf1 `+strings.Repeat(`one\par `, 1000), 100), 1000)
}

// TestTorn checks that a truncated file gives a warning.
func TestTorn(t *testing.T) {
	for text, want := range map[string]string{
		`{\rtf1 one {\b two}}`: "",
		`{\rtf1 one {\b tw`:    "part-unreadable: The file ends before its text does; groups that are not closed: 2.",
	} {
		var got strings.Builder
		for _, w := range read(t, text, 0).Warnings {
			got.WriteString(w.Code + ": " + w.Text)
		}
		if got.String() != want {
			t.Errorf("%s: %q, want %q", text, got.String(), want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.rtf") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := rtf.Read(t.Context(), []byte(text), rtf.Options{Nodes: 5000})
		if err != nil {
			return
		}
		_ = doctreetest.Show(t, d)
		for n := range d.Root.Descendants() {
			up := 0
			for p := n.Parent; p != nil; p = p.Parent {
				up++
			}
			if up > 256 {
				t.Fatalf("the tree is %d deep", up)
			}
		}
	})
}

// TestOmitted counts the places of deleted text and of hidden text apart.
func TestOmitted(t *testing.T) {
	d := read(t, `{\rtf1 a{\deleted gone}b{\deleted too}c{\v hidden}d\deleted left\plain e}`, 0)
	want := []doctree.Warning{
		{Code: "hidden-text", Text: "Text that the document hides was left out at 1 place."},
		{Code: "tracked-changes", Text: "Text of tracked changes was left out at 3 places."},
	}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("%+v", d.Warnings)
	}
}
