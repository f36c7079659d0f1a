// SPDX-License-Identifier: Apache-2.0

package flat_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/flat"
)

func TestMain(m *testing.M) { leak.Main(m) }

// parts returns the parts of a package.
func parts(t testing.TB, p *flat.Package) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(p.Data), int64(len(p.Data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[f.Name]; twice {
			t.Errorf("part %s is there twice", f.Name)
		}
		all[f.Name] = string(b)
	}
	return all
}

func TestOPC(t *testing.T) {
	p, err := flat.OPC(t.Context(), []byte(`<?xml version="1.0"?><p:package xmlns:p="http://schemas.microsoft.com/office/2006/xmlPackage" xmlns:a="one">`+
		`<p:part p:name="/x.xml" p:contentType="t/x" p:padding="256"><p:xmlData><a:r b="1"><a:s>&amp;</a:s></a:r></p:xmlData></p:part>`+
		`<p:part p:name="/y.xml"><p:xmlData><r xmlns:a="two"/></p:xmlData></p:part>`+
		`<p:part p:name="/z.png" p:contentType="image/png" p:compression="store"><p:binaryData>AQ ID`+"\n"+`BA==</p:binaryData></p:part></p:package>`))
	if err != nil || len(p.Lost) > 0 {
		t.Fatal(p, err)
	}
	const space = ` xmlns:a="one" xmlns:p="http://schemas.microsoft.com/office/2006/xmlPackage"`
	for name, want := range map[string]string{
		"x.xml": `<a:r` + space + ` b="1"><a:s>&amp;</a:s></a:r>`,
		"y.xml": `<r xmlns:p="http://schemas.microsoft.com/office/2006/xmlPackage" xmlns:a="two"/>`,
		"z.png": "\x01\x02\x03\x04",
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/x.xml" ContentType="t/x"/>` +
			`<Override PartName="/z.png" ContentType="image/png"/></Types>`,
	} {
		if got := parts(t, p)[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestLimits refuses files whose packages would be much larger than they are.
func TestLimits(t *testing.T) {
	spaces := strings.Builder{}
	for range 900 {
		spaces.WriteString(" xmlns:n" + strings.Repeat("x", 1+spaces.Len()/100) + `="` + strings.Repeat("y", 100) + `"`)
	}
	for what, c := range map[string]struct {
		pack func(context.Context, []byte) (*flat.Package, error)
		text string
	}{
		"namespaces": {flat.OPC, `<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"` + spaces.String() + ">" +
			strings.Repeat(`<pkg:part pkg:name="/#"><pkg:xmlData><a/></pkg:xmlData></pkg:part>`, 9_000)},
		"links": {flat.Word, `<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body>` + strings.Repeat(`<w:hlink w:dest="a"/>`, 100_000)},
	} {
		if _, err := c.pack(t.Context(), []byte(numbered(c.text))); !errors.Is(err, zipxml.ErrLimit) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, pack := range []func(context.Context, []byte) (*flat.Package, error){flat.OPC, flat.Word} {
		if _, err := pack(t.Context(), []byte("<a/>")); !errors.Is(err, zipxml.ErrMalformed) {
			t.Errorf("nothing: %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if _, err := pack(ctx, []byte("<a>"+strings.Repeat("<b/>", 10_000))); !errors.Is(err, errStop) {
			t.Errorf("stopped: %v", err)
		}
	}
}

var errStop = errors.New("stop")

// numbered replaces each # in text by a number of its own.
func numbered(text string) string {
	var b strings.Builder
	for i, piece := range strings.Split(text, "#") {
		if i > 0 {
			b.WriteString(strings.Repeat("z", i%100) + string(rune('a'+i/100%26)) + string(rune('a'+i/2600)))
		}
		b.WriteString(piece)
	}
	return b.String()
}

func fuzz(f *testing.F, pack func(context.Context, []byte) (*flat.Package, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := pack(t.Context(), []byte(text))
		if err != nil {
			return
		}
		if len(p.Data) > 2*len(text)+2<<20 {
			t.Errorf("%d bytes from %d", len(p.Data), len(text))
		}
		parts(t, p)
	})
}

func FuzzOPC(f *testing.F) {
	fuzz(f, flat.OPC, `<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part pkg:name="/a.xml" pkg:contentType="x"><pkg:xmlData><a b="c">d</a></pkg:xmlData></pkg:part>`+
		`<pkg:part pkg:name="/b.bin"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part></pkg:package>`)
}

func FuzzWord(f *testing.F) {
	data, err := os.ReadFile("../../testdata/word2003.xml")
	if err != nil {
		f.Fatal(err)
	}
	fuzz(f, flat.Word, string(data))
}
