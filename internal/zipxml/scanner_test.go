// SPDX-License-Identifier: Apache-2.0

package zipxml_test

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/curlew/internal/zipxml"
)

var words = zipxml.Vocabulary{"urn:w": "w", "urn:w:strict": "w", "urn:a": "a", "urn:plain": ""}

// dump writes the tokens of data, and the error unless it is io.EOF.
func dump(ctx context.Context, data []byte) string {
	var b strings.Builder
	s := zipxml.NewScanner(string(data), words)
	for {
		t, err := s.Next(ctx)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(&b, "!%v", err)
			}
			return b.String()
		}
		switch t.Kind {
		case zipxml.Start:
			fmt.Fprintf(&b, "<%s", t.Name)
			for _, a := range t.Attrs {
				fmt.Fprintf(&b, " %s=%q", a.Name, a.Value)
			}
			b.WriteString(">")
		case zipxml.End:
			fmt.Fprintf(&b, "</%s>", t.Name)
		case zipxml.Text:
			fmt.Fprintf(&b, "%q", t.Text)
		}
	}
}

func TestScanner(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`<a/>`, `<a></a>`},
		{"\xEF\xBB\xBF<?xml version='1.0'?>\n<a>x</a>\n", `<a>"x"</a>`},
		{`<x:p xmlns:x="urn:w" x:val="1" val='2'/>`, `<w:p w:val="1" val="2"></w:p>`},
		{`<x:p xmlns:x="urn:w:strict"><y:q xmlns:y="urn:w"/></x:p>`, `<w:p><w:q></w:q></w:p>`},
		{`<p xmlns="urn:w" val="no prefix"><q xmlns=""/><q/></p>`, `<w:p val="no prefix"><q></q><w:q></w:q></w:p>`},
		{`<x:p xmlns:x="urn:w"><x:p xmlns:x="urn:a"/><x:p/></x:p>`, `<w:p><a:p></a:p><w:p></w:p></w:p>`},
		{`<x:p xmlns:x="urn:other" x:a="1"><u:n/></x:p>`, `<?:p ?:a="1"><?:n></?:n></?:p>`},
		{`<x:p xmlns:x="urn:plain" xml:space="preserve"/>`, `<p xml:space="preserve"></p>`},
		{`<a b="&lt;&#x41;&#66;&amp;&quot;&apos;&gt;">&#160;&euro;&#0;&#xFFFFFFFF;&</a>`, `<a b="<AB&\"'>">"\u00a0&euro;&#xFFFFFFFF;&"</a>`},
		{"<a>1\r\n2\r3<![CDATA[<b>&amp;]]></a>", `<a>"1\n2\n3""<b>&amp;"</a>`},
		{`<a><!-- <b> --><?pi <c>?></a>`, `<a></a>`},
		{`<!DOCTYPE a [<!ENTITY e "x>]"><!ELEMENT a ANY>]><a>&e;</a>`, `<a>"&e;"</a>`},
		{"<a b = 'x' c d=e  f='>'>t</a >", `<a b="x" c="" d="e" f=">">"t"</a>!malformed: tags do not match: 1 of them`},
		{`<a><b>x</a>`, `<a><b>"x"</b></a>!malformed: tags do not match: 1 of them`},
		{`<a></b>x</a>`, `<a>"x"</a>!malformed: tags do not match: 1 of them`},
		{`<a><b><c>x</b></c></a></a>`, `<a><b><c>"x"</c></b></a>!malformed: tags do not match: 3 of them`},
		{`<a>1 < 2</a>`, `<a>"1 "" 2"</a>`},
		{"<a>\x01x\x00</a>", `<a>"x"</a>`},
		{"<a>\xFFx</a>", "<a>\"\uFFFDx\"</a>"},
		{"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xE9</a>", `<a>"café"</a>`},
		{`<a><b>`, `<a><b>!malformed: XML ends inside b`},
		{`<a b="x`, `!malformed: XML ends inside a tag`},
		{`<a><!-- x`, `<a>!malformed: XML ends inside a tag`},
		{`no XML`, ``},
		{strings.Repeat("<a>", 300), strings.Repeat("<a>", 256) + "!over a limit: more than 256 elements in each other"},
		{"<a " + strings.Repeat("b='' ", 1001) + "/>", "!over a limit: more than 1000 attributes"},
		{"<a b='" + strings.Repeat("x", 1<<20) + "' c=''/>", "!over a limit: more than 1048576 bytes in a tag"},
	} {
		if got := dump(t.Context(), []byte(c.in)); got != c.want {
			t.Errorf("%.80q = %.200s\nwant %.200s", c.in, got, c.want)
		}
	}
	for _, order := range []string{"little", "big"} {
		var wide []byte
		for _, u := range utf16.Encode([]rune("\uFEFF<a>é😀</a>")) {
			if order == "little" {
				wide = append(wide, byte(u), byte(u>>8))
			} else {
				wide = append(wide, byte(u>>8), byte(u))
			}
		}
		if got, want := dump(t.Context(), wide), `<a>"é😀"</a>`; got != want {
			t.Errorf("UTF-16, %s: %s, want %s", order, got, want)
		}
	}
}

func TestScannerContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(io.ErrNoProgress)
	data := []byte("<a>" + strings.Repeat("<b/>", 1<<16) + "</a>")
	if got := dump(ctx, data); !strings.HasSuffix(got, "!"+io.ErrNoProgress.Error()) {
		t.Errorf("the scanner goes on: %d bytes", len(got))
	}
	s := zipxml.NewScanner(string(data), words)
	if _, err := s.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Skip(ctx); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Skip = %v", err)
	}
}

func TestElement(t *testing.T) {
	root, err := zipxml.Parse(t.Context(), []byte(`<p xmlns="urn:w"><r a="7" b=" 8.5 " c="9999999999" d="x">one</r><q/><r>two<s>three</s></r></p>`), words)
	if err != nil {
		t.Fatal(err)
	}
	r := root.Get("w:r")
	for key, want := range map[string]int{"a": 7, "b": 8, "c": -1, "d": -1, "e": -1} {
		if got := r.Int(key, -1); got != want {
			t.Errorf("Int(%q) = %d, want %d", key, got, want)
		}
	}
	if got := root.Content(); got != "onetwothree" {
		t.Errorf("Content() = %q", got)
	}
	if got := root.Find("w:s").Content(); got != "three" {
		t.Errorf("Find = %q", got)
	}
	count := 0
	for r := root.Named("w:r"); r != nil; r = r.Same() {
		count++
	}
	if count != 2 || root.Get("w:q", "w:r") != nil {
		t.Errorf("%d elements r", count)
	}
	var none *zipxml.Element
	if none.Get("x") != nil || none.Named("x") != nil || none.Attr("x") != "" || none.Content() != "" || none.Find("x") != nil || none.Int("x", 3) != 3 {
		t.Error("a nil element has something")
	}
	torn, err := zipxml.Parse(t.Context(), []byte(`<p><r>one</r><r`), nil)
	if !errors.Is(err, zipxml.ErrMalformed) || torn.Content() != "one" {
		t.Errorf("torn: %v, %v", torn, err)
	}
	if _, err := zipxml.Parse(t.Context(), []byte("text"), nil); !errors.Is(err, zipxml.ErrMalformed) {
		t.Errorf("no XML: %v", err)
	}
}

func TestSkip(t *testing.T) {
	for _, inside := range []string{"", "x", `<b c=">" d='/'/>`, "<b><b/></b>", "<!-- </a> -->", "<![CDATA[</a>]]>", `<b c="</a>"/>`, `<a><a/></a>`, `<ab></ab>`, `"<b/>`} {
		s := zipxml.NewScanner("<r><a>"+inside+"</a><z/></r>", nil)
		var names []string
		for {
			tok, err := s.Next(t.Context())
			if err != nil {
				break
			}
			if tok.Kind == zipxml.Start {
				names = append(names, tok.Name)
				if tok.Name == "a" {
					if err := s.Skip(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		}
		if got := strings.Join(names, " "); got != "r a z" {
			t.Errorf("past %q: %s", inside, got)
		}
	}
	s := zipxml.NewScanner("<a/>", nil)
	_, _ = s.Next(t.Context())
	if err := s.Skip(t.Context()); err != nil {
		t.Error(err)
	}
	s = zipxml.NewScanner("<a><b", nil)
	_, _ = s.Next(t.Context())
	if err := s.Skip(t.Context()); !errors.Is(err, zipxml.ErrMalformed) {
		t.Errorf("Skip to the end: %v", err)
	}
}

func TestLater(t *testing.T) {
	s := zipxml.NewScanner(`<r xmlns="urn:w" xmlns:x="urn:a"><a b="1">one<x:c/></a><a xmlns="urn:a">two</a><y xmlns:x="urn:w"><a><x:c/></a></y><a`, words)
	var later []func(context.Context) (*zipxml.Element, error)
	for {
		tok, err := s.Next(t.Context())
		if err != nil {
			break
		}
		if tok.Kind == zipxml.Start && strings.HasSuffix(tok.Name, "a") {
			l, err := s.Later(t.Context())
			if err != nil {
				t.Error(err)
			}
			later = append(later, l)
		}
	}
	for _, i := range []int{2, 0, 1, 0} {
		e, err := later[i](t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		got.WriteString(e.Name + " " + e.Attr("b") + e.Content())
		for c := e.First(); c != nil; c = c.Next() {
			got.WriteString(" " + c.Name)
		}
		if want := []string{"w:a 1one  a:c", "a:a two ", "w:a  w:c"}[i]; got.String() != want {
			t.Errorf("%d: %q, want %q", i, got.String(), want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(io.ErrNoProgress)
	long := zipxml.NewScanner("<r><a>"+strings.Repeat("<b/>", 10_000)+"</a></r>", nil)
	_, _ = long.Next(t.Context())
	_, _ = long.Next(t.Context())
	l, err := long.Later(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l(ctx); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("gathered after its context: %v", err)
	}
}

// FuzzScanner compares the scanner with encoding/xml on documents that
// encoding/xml accepts.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`<a b="c">d<e/>&amp;</a>`, `<x:a xmlns:x="u"><!-- c --><![CDATA[x]]></x:a>`, "<?xml version='1.0'?><a>\r\n</a>", `<a><b></a>`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, _ := tokens(t, zipxml.NewScanner(text, nil))
		if got, _ := tokens(t, zipxml.NewStreamScanner(iotest.HalfReader(strings.NewReader(text)), nil)); got != whole && utf8.ValidString(text) {
			t.Errorf("a stream of %q gives %s, want %s", text, got, whole)
		}
		root, err := zipxml.Parse(t.Context(), []byte(text), nil)
		want, ok := reference(text)
		if !ok {
			return
		}
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		if got := outline(root); got != want {
			t.Errorf("Parse(%q) = %s, want %s", text, got, want)
		}
	})
}

// outline writes local names and text.
func outline(e *zipxml.Element) string {
	if e.Name == "" {
		return e.Text
	}
	var b strings.Builder
	b.WriteString("<" + e.Name[strings.IndexByte(e.Name, ':')+1:] + ">")
	for c := e.First(); c != nil; c = c.Next() {
		b.WriteString(outline(c))
	}
	return b.String() + "</>"
}

// reference is outline by encoding/xml. If encoding/xml refuses the text, or
// for names that only one of the two accepts, it returns false.
func reference(text string) (string, bool) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || strings.Contains(text, "<!") && !strings.Contains(text, "<![CDATA[") && !strings.Contains(text, "<!--") || strings.Contains(text, "encoding") {
		return "", false
	}
	d := xml.NewDecoder(strings.NewReader(text))
	var b strings.Builder
	depth, roots := 0, 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), roots > 0
		}
		if err != nil {
			return "", false
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			if roots > 1 || depth > 200 || strings.ContainsRune(tok.Name.Local, ':') {
				return "", false
			}
			depth++
			b.WriteString("<" + tok.Name.Local + ">")
		case xml.EndElement:
			depth--
			b.WriteString("</>")
		case xml.CharData:
			if depth > 0 {
				b.Write(tok)
			}
		case xml.Directive:
			return "", false
		}
	}
}

// BenchmarkScanner compares the scanner with encoding/xml.
func BenchmarkScanner(b *testing.B) {
	text := `<w:d xmlns:w="urn:w">` + strings.Repeat(`<w:p w:rsidR="00A" w:val="1"><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">some text </w:t></w:r></w:p>`, 2000) + `</w:d>`
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			s := zipxml.NewScanner(text, words)
			for {
				if _, err := s.Next(b.Context()); err != nil {
					break
				}
			}
		}
	})
	b.Run("encoding-xml", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			d := xml.NewDecoder(strings.NewReader(text))
			for {
				if _, err := d.Token(); err != nil {
					break
				}
			}
		}
	})
}

// TestAfterRoot reports elements that follow the root, which damage has ended too early.
func TestAfterRoot(t *testing.T) {
	for _, c := range []struct {
		in      string
		damaged bool
	}{
		{"<a><b/></a>", false},
		{"<a><b/></a>\n<!-- <c/> --><?d?>\n\x00\x00", false},
		{"<a/><b>text</b>", true},
		{"<a/>me='1'/><b>text</b></a>", true},
	} {
		root, err := zipxml.Parse(t.Context(), []byte(c.in), nil)
		if root == nil || root.Name != "a" || errors.Is(err, zipxml.ErrTags) != c.damaged || err != nil && !c.damaged {
			t.Errorf("%q: %v, %v", c.in, root, err)
		}
	}
}

// TestDamagedNamespaces reads names whose namespace is damaged or missing by their usual
// prefix, and reports the damage. Other namespaces stay unknown.
func TestDamagedNamespaces(t *testing.T) {
	v := zipxml.Vocabulary{"urn:example:names:text:1.0": "text", "urn:example:names:table:1.0": "table"}
	for _, c := range []struct {
		what, in, want string
		damaged        bool
	}{
		{"whole", `<text:p xmlns:text="urn:example:names:text:1.0"/>`, "text:p", false},
		{"a damaged number", `<text:p xmlns:text="urn:example:names:text:1e9.0"/>`, "text:p", true},
		{"another letter", `<text:p xmlns:text="urn:exbmple:names:text:1.0"/>`, "text:p", true},
		{"something inserted", `<text:p xmlns:text="urn:example:nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxames:text:1.0"/>`, "text:p", true},
		{"half of it", `<text:p xmlns:text="urn:example:names"/>`, "text:p", true},
		{"a part deleted", `<text:p xmlns:text="urn:exam0"/>`, "text:p", true},
		{"a quote that swallows tags", `<text:p xmlns:text="urn:example:names:text:1.0" text:a="1><b text:a="/>`, "text:p", true},
		{"no declaration", `<text:p xmlns:txt="urn:example:names:text:1.0"/>`, "text:p", true},
		{"another prefix", `<t:p xmlns:t="urn:example:names:text:1e9.0"/>`, "?:p", false},
		{"another namespace", `<text:p xmlns:text="http://example.com/text"/>`, "?:p", false},
		{"a known one under another prefix", `<text:p xmlns:text="urn:example:names:table:1.0"/>`, "table:p", false},
		{"no namespace", `<p/>`, "p", false},
	} {
		root, err := zipxml.Parse(t.Context(), []byte(c.in), v)
		if root == nil || root.Name != c.want || errors.Is(err, zipxml.ErrTags) != c.damaged || err != nil && !c.damaged {
			t.Errorf("%s: %v, %v", c.what, root, err)
		}
	}
}
