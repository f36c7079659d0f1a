// SPDX-License-Identifier: Apache-2.0

package zipxml_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
)

// TestStream reads parts as streams and as texts within the limits.
func TestStream(t *testing.T) {
	long := strings.Repeat("<a>long part</a>", 10_000)
	data := zipxmltest.Pack(zipxmltest.Part{Name: "stored", Text: "one"}, zipxmltest.Part{Name: "long", Text: long}, zipxmltest.Part{Name: "zeros", Text: strings.Repeat("\x00", 20<<20)})
	open := func(l zipxml.Limits) *zipxml.Archive {
		a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), l)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		name   string
		limits zipxml.Limits
		size   int
		want   error
	}{
		{"stored", zipxml.Limits{}, 3, nil},
		{"long", zipxml.Limits{}, len(long), nil},
		{"long", zipxml.Limits{Part: 10}, len(long), nil}, // streams are limited only by the total
		{"long", zipxml.Limits{Total: int64(len(long))}, len(long), nil},
		{"long", zipxml.Limits{Total: int64(len(long)) - 1}, -1, zipxml.ErrLimit},
		{"zeros", zipxml.Limits{}, -1, zipxml.ErrLimit}, // because of the ratio
		{"none", zipxml.Limits{}, -1, fs.ErrNotExist},
	} {
		a := open(c.limits)
		r, err := a.Stream(c.name)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
			r.Close()
		}
		if !errors.Is(err, c.want) || err != nil && c.want == nil || c.size >= 0 && len(got) != c.size {
			t.Errorf("%s %+v: %d bytes, %v", c.name, c.limits, len(got), err)
		}
	}
	if text, err := open(zipxml.Limits{}).Text("long"); err != nil || text != long {
		t.Errorf("Text: %d bytes, %v", len(text), err)
	}
	if text, err := open(zipxml.Limits{}).Text("zeros"); !errors.Is(err, zipxml.ErrLimit) || text != "" {
		t.Errorf("Text of a bomb: %d bytes, %v", len(text), err)
	}
}

// tokens writes the tokens of s, and joins adjacent texts.
func tokens(t *testing.T, s *zipxml.Scanner) (string, error) {
	t.Helper()
	var b strings.Builder
	for {
		token, err := s.Next(t.Context())
		switch {
		case errors.Is(err, io.EOF):
			return b.String(), nil
		case err != nil:
			return b.String(), err
		case token.Kind == zipxml.Start:
			fmt.Fprintf(&b, "<%s %q>", token.Name, token.Attrs)
		case token.Kind == zipxml.End:
			fmt.Fprintf(&b, "</%s>", token.Name)
		default:
			b.WriteString(token.Text)
		}
		if token.Name == "skipped" && token.Kind == zipxml.Start {
			if err := s.Skip(t.Context()); err != nil {
				return b.String(), err
			}
		}
	}
}

// TestStreamScanner reads documents that are longer than the buffer, with
// pieces that end anywhere.
func TestStreamScanner(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{
		`<a b="c">`, "</a>", "text ", "é", "日本", "\U0001F600", "&amp;", "&#233;", "\r\n", "\x01", "<![CDATA[<x>]]>", "<!-- > -->", "<?pi x?>", `<e f='"'/>`,
		"<skipped><a>é</a><!-- </skipped> --></skipped>",
	}
	for range 6 {
		var b strings.Builder
		b.WriteString("<root>")
		for size := 1<<20 + rnd.IntN(2<<20); b.Len() < size; {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
			if rnd.IntN(200_000) == 0 {
				b.WriteString(strings.Repeat("long&lt;é", 300_000))
			}
		}
		want, wantErr := tokens(t, zipxml.NewScanner(b.String(), nil))
		got, err := tokens(t, zipxml.NewStreamScanner(iotest.HalfReader(strings.NewReader(b.String())), nil))
		if got != want || errors.Is(err, zipxml.ErrMalformed) != errors.Is(wantErr, zipxml.ErrMalformed) {
			t.Fatalf("a stream gives %d bytes, %v; the text %d, %v", len(got), err, len(want), wantErr)
		}
	}
	for name, data := range map[string]string{
		"UTF-16": "\xFF\xFE" + wide("<a>é</a>"), "mark": "\xEF\xBB\xBF<a>é</a>", "short": "<a", "empty": "",
		"Latin-1": `<?xml version="1.0" encoding="ISO-8859-1"?><a>` + strings.Repeat("\xE9", 100_000) + "</a>",
	} {
		want, wantErr := tokens(t, zipxml.NewScanner(data, nil))
		got, err := tokens(t, zipxml.NewStreamScanner(iotest.OneByteReader(strings.NewReader(data)), nil))
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %s, %v; want %s, %v", name, got, err, want, wantErr)
		}
	}
}

func wide(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// TestStreamLimits uses streams that fail, and elements that would require the
// whole stream in memory.
func TestStreamLimits(t *testing.T) {
	many := func(piece string) io.Reader {
		return strings.NewReader("<a>" + strings.Repeat(piece, 70<<20/len(piece)) + "</a>")
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"tag":       {strings.NewReader(`<a b="` + strings.Repeat("x", 3<<20) + `"/>`), zipxml.ErrLimit},
		"comment":   {strings.NewReader(`<a><!--` + strings.Repeat("x", 3<<20) + `--></a>`), zipxml.ErrLimit},
		"elements":  {many(`<b c="` + strings.Repeat("x", 1000) + `"/>`), zipxml.ErrMalformed},
		"Latin-1":   {io.MultiReader(strings.NewReader(`<?xml version="1.0" encoding="ISO-8859-1"?>`), many("text ")), zipxml.ErrLimit},
		"fails":     {io.MultiReader(strings.NewReader("<a>text"), iotest.ErrReader(broken)), broken},
		"fails now": {iotest.ErrReader(broken), broken},
	} {
		s := zipxml.NewStreamScanner(c.r, nil)
		token, err := s.Next(t.Context())
		if err == nil {
			_, err = s.Tree(t.Context(), token)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	s := zipxml.NewStreamScanner(io.MultiReader(strings.NewReader("<a>text"), iotest.ErrReader(broken)), nil)
	if got, err := tokens(t, s); got != "<a []>text" || !errors.Is(err, broken) {
		t.Errorf("before it fails a stream gives %s, %v", got, err)
	}
	s = zipxml.NewStreamScanner(many(`<b c="`+strings.Repeat("x", 1000)+`"/>`), nil)
	for n := 0; ; n++ {
		token, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) && n > 50_000 {
			break
		}
		if err == nil && token.Name == "b" && token.Kind == zipxml.Start {
			_, err = s.Tree(t.Context(), token)
			s.Recycle()
		}
		if err != nil {
			t.Fatalf("elements that are let go of: %v after %d", err, n)
		}
	}
}

// TestKeep checks that elements in use stay intact when the memory of later
// ones is reused.
func TestKeep(t *testing.T) {
	s := zipxml.NewScanner(`<a><b c="1">x</b><b c="2">y</b><b c="3">z</b></a>`, nil)
	next := func() *zipxml.Element {
		for {
			token, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if token.Name == "b" && token.Kind == zipxml.Start {
				e, err := s.Tree(t.Context(), token)
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
		}
	}
	kept := next()
	s.Keep()
	next()
	s.Recycle()
	if last := next(); kept.Attr("c") != "1" || kept.Content() != "x" || last.Attr("c") != "3" {
		t.Errorf("kept %q %q, last %q", kept.Attr("c"), kept.Content(), last.Attr("c"))
	}
}
