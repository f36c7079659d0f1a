// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse"
)

func render(t testing.TB, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden reads every document of testdata/parse and compares its kind,
// title, warnings and tree with the golden file.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob(golden.Testdata("parse", "*"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, p := range paths {
		if strings.HasSuffix(p, ".tree.html") {
			continue
		}
		read++
		t.Run(filepath.Base(p), func(t *testing.T) {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			var e parse.Engine
			tree, err := e.Parse(t.Context(), source(filepath.Base(p), "", string(data)), nil)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			fmt.Fprintf(&b, "<!-- %s, title %q -->\n", tree.Kind, tree.Meta.Title)
			for _, w := range tree.Warnings {
				fmt.Fprintf(&b, "<!-- %s: %s -->\n", w.Code, w.Text)
			}
			b.WriteString(render(t, tree.Root) + "\n")
			golden.Check(t, p+".tree.html", b.Bytes())
		})
	}
	if read < 12 {
		t.Errorf("only %d documents in testdata/parse", read)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		what     string
		src      parse.Source
		o        parse.Options
		kind     parse.Kind
		verbatim string
		warnings []string
	}{
		{"csv", source("a.csv", "", "a,b\n"), parse.Options{}, parse.CSV, "a,b\n", nil},
		{"charset of the type", source("a.txt", "text/plain; charset=koi8-r", "\xD0\xD2"), parse.Options{}, parse.Text, "пр", nil},
		{"HTML named pdf", source("a.pdf", "application/pdf", "<html><p>x"), parse.Options{}, parse.HTML, "<html><p>x", []string{parse.WarnDeclaredType}},
		{"page named txt", source("a.txt", "", "<html><p>x"), parse.Options{}, parse.HTML, "<html><p>x", []string{parse.WarnDeclaredType}},
		{"JSON sent as text", source("a", "text/plain", "{}"), parse.Options{}, parse.JSON, "{}", nil},
		{"forced", source("a.png", "image/png", "{}"), parse.Options{Kind: parse.Text}, parse.Text, "{}", nil},
		{"forced and empty", source("", "", ""), parse.Options{Kind: parse.HTML}, parse.HTML, "", nil},
		{"forced table and empty", source("", "", ""), parse.Options{Kind: parse.CSV}, parse.CSV, "", nil},
		{"deep HTML", source("a.html", "", "<html>"+strings.Repeat("<div>", 600)+"x"), parse.Options{}, parse.HTML, "<html>" + strings.Repeat("<div>", 600) + "x", []string{parse.WarnDeepNesting}},
		{"deep Markdown", source("a.md", "", strings.Repeat("> ", 600)+"x"), parse.Options{}, parse.Markdown, strings.Repeat("> ", 600) + "x", []string{parse.WarnDeepNesting}},
	} {
		t.Run(c.what, func(t *testing.T) {
			var e parse.Engine
			tree, err := e.Parse(t.Context(), c.src, &c.o)
			if err != nil {
				t.Fatal(err)
			}
			if tree.Kind != c.kind || tree.Verbatim != c.verbatim || tree.Root == nil {
				t.Errorf("Parse = %s, %.80q, want %s, %.80q", tree.Kind, tree.Verbatim, c.kind, c.verbatim)
			}
			var codes []string
			for _, w := range tree.Warnings {
				codes = append(codes, w.Code)
				if !strings.HasSuffix(w.Text, ".") {
					t.Errorf("warning %q is no sentence", w.Text)
				}
			}
			if !slices.Equal(codes, c.warnings) {
				t.Errorf("warnings %q, want %q", codes, c.warnings)
			}
		})
	}
}

func TestParseOfATree(t *testing.T) {
	root := &html.Node{Type: html.DocumentNode}
	src := source("a.pdf", "text/html; charset=latin1", "<p>caf\xE9")
	src.Root = root
	var e parse.Engine
	tree, err := e.Parse(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Root != root || tree.Kind != parse.HTML || tree.Verbatim != "<p>café" {
		t.Errorf("Parse = %+v, want the tree that was given", tree)
	}
}

// TestForeign checks that documents which cannot be read are refused by name.
func TestForeign(t *testing.T) {
	zeros := strings.Repeat("\x00", 100)
	for want, starts := range map[string][]string{
		"Word 1 document":                   {"\x9B\xA5\x21\x00"},
		"Word 2 document":                   {"\xDB\xA5\x2D\x00"},
		"Word for Macintosh document":       {"\xFE\x32\x00", "\xFE\x34\x00", "\xFE\x37\x00\x23"},
		"presentation of PowerPoint 2 to 4": {"\xED\xDE\xAD\x0B\x02"},
		"Microsoft Works document":          {"\x01\xFE\x32\x01"},
		"Microsoft Works spreadsheet":       {"\xFF\x00\x02\x00\x04\x04"},
		"Microsoft Works database":          {" T\x02\x00\x00\x00\x05T"},
		"Outlook folder file (PST)":         {"!BDN\x01\x02\x03\x04SM"},
		"OneNote section":                   {"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D\xAE\xB1\x53\x78\xD0\x29\x96\xD3"},
		"OneNote notebook":                  {"\xA1\x2F\xFF\x43\xD9\xEF\x76\x4C\x9E\xE2\x10\xEA\x57\x22\x76\x5F"},
		"CAB archive":                       {"MSCF\x00\x00\x00\x00"},
		"Quattro Pro worksheet":             {"\x00\x00\x02\x00\x20\x51\x06"},
		"Palm or Mobipocket book":           {"a title" + zeros[:53] + "TEXtREAd", "a title" + zeros[:53] + "BOOKMOBI"},
		"dBASE table":                       {"\x03\x66\x03\x1D\x02\x00\x00\x00\x61\x00\x12\x00" + zeros[:20] + "WHO\x00\x00\x00\x00\x00\x00\x00\x00C"},
		"Zstandard archive":                 {"\x28\xB5\x2F\xFD"},
		"tar archive":                       {"a.txt" + strings.Repeat("\x00", 252) + "ustar"},
		"HDF5 file":                         {"\x89HDF\r\n\x1A\n"},
		"Avro file":                         {"Obj\x01"},
		"Stata file":                        {"<stata_dta><header>"},
		"icon":                              {"\x00\x00\x01\x00"},
		"font":                              {"\x00\x01\x00\x00\x00\x10", "OTTO\x00", "wOF2", "wOFF"},
		"program":                           {"MZ\x90\x00", "\x7FELF\x02", "\x00asm\x01", "\xCA\xFE\xBA\xBE"},
		"sound or video":                    {"ID3\x03", "OggS", "fLaC", "RIFF\x00\x00\x00\x00WAVE", "\x1A\x45\xDF\xA3", "\x00\x00\x00\x20ftypisom"},
		"no known signature, not text":      {"\x03\x66\x0D\x1D\x02\x00\x00\x00\x61\x00\x12\x00" + zeros[:20] + "WHO\x00\x00\x00\x00\x00\x00\x00\x00C"},
	} {
		for _, start := range starts {
			for _, name := range []string{"a.doc", "a", "a.txt", "a.pdf"} {
				d := parse.Detect(source(name, "", start+zeros))
				if d.Kind != "" || d.Evidence != want {
					t.Errorf("%q as %s is %+v, want %s", start, name, d, want)
				}
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(context.DeadlineExceeded)
	for _, c := range []struct {
		what string
		ctx  context.Context
		src  parse.Source
		o    parse.Options
		want error
		kind parse.Kind
		text string
	}{
		{"vector", nil, source("upload.png", "image/png", "not-an-image"), parse.Options{}, parse.ErrUnsupported, "", "parse upload.png: kind of document is not supported: no known signature, not text"},
		{"Works", nil, source("a.wps", "", ole("MatOST", "MM")), parse.Options{}, parse.ErrUnsupported, "", "parse a.wps: kind of document is not supported: OLE container: Microsoft Works document"},
		{"Works 6", nil, source("a.wps", "", ole("CONTENTS")+strings.Repeat("\x00", 8<<10)+"CHNKWKS\x04\x04"), parse.Options{}, parse.ErrUnsupported, "", "parse a.wps: kind of document is not supported: OLE container: Microsoft Works document"},
		{"Works 5", nil, source("a.wps", "", ole("CONTENTS")+strings.Repeat("\x00", 8<<10)+"CHNKINK \x04"), parse.Options{}, parse.ErrUnsupported, "", "parse a.wps: kind of document is not supported: OLE container: Microsoft Works document"},
		{"StarOffice", nil, source("a.sdc", "", ole("SfxDocumentInfo", "StarCalcDocument")), parse.Options{}, parse.ErrUnsupported, "", "parse a.sdc: kind of document is not supported: OLE container: StarOffice document"},
		{"Publisher", nil, source("a.pub", "", ole("Quill", "CONTENTS")), parse.Options{}, parse.ErrUnsupported, "", "parse a.pub: kind of document is not supported: OLE container: Microsoft Publisher document"},
		{"Visio 2003", nil, source("a.vsd", "", ole("VisioDocument")), parse.Options{}, parse.ErrUnsupported, "", "parse a.vsd: kind of document is not supported: OLE container: Microsoft Visio drawing"},
		{"Keynote", nil, source("a.key", "", zipped(t, "index.apxl.gz", "x")), parse.Options{}, parse.ErrUnsupported, "", "parse a.key: kind of document is not supported: ZIP container: Apple iWork document"},
		{"Visio", nil, source("a.vsdx", "", zipped(t, "[Content_Types].xml", "<Types/>", "visio/document.xml", "<VisioDocument/>")), parse.Options{}, parse.ErrCorrupt, parse.VSDX, "parse a.vsdx: document is malformed: malformed: no pages"},
		{"PowerPoint 95", nil, source("a.ppt", "", ole("PP40", "x")), parse.Options{}, parse.ErrUnsupported, "", "parse a.ppt: kind of document is not supported: OLE container: presentation of PowerPoint 4 or 95"},
		{"PowerPoint 3", nil, source("a.ppt", "", "\xED\xDE\xAD\x0B\x03\x00\x00\x00"), parse.Options{}, parse.ErrUnsupported, "", "parse a.ppt: kind of document is not supported: presentation of PowerPoint 2 to 4"},
		{"AppleWorks", nil, source("a.cwk", "", "\x06\x07\xBD\x00BOBO\x06\x07\xBD"+strings.Repeat("\x00", 20)+"\x01\x24\xDF"), parse.Options{}, parse.ErrUnsupported, "", "parse a.cwk: kind of document is not supported: AppleWorks document"},
		{"EMF", nil, source("a.emf", "", "\x01\x00\x00\x00\x6C\x00\x00\x00"+strings.Repeat("\x00", 32)+" EMF\x00\x00\x01\x00"), parse.Options{}, parse.ErrUnsupported, "", "parse a.emf: kind of document is not supported: Windows metafile (EMF)"},
		{"WMF", nil, source("a.wmf", "", "\xD7\xCD\xC6\x9A\x00\x00"+strings.Repeat("\x00", 32)), parse.Options{}, parse.ErrUnsupported, "", "parse a.wmf: kind of document is not supported: Windows metafile (WMF)"},
		{"OpenOffice 1", nil, source("a.sxm", "", zipped(t, "mimetype", "application/vnd.sun.xml.math", "content.xml", "<a/>")), parse.Options{}, parse.ErrUnsupported, "", "parse a.sxm: kind of document is not supported: ZIP container: document of OpenOffice 1"},
		{"database", nil, source("a.odb", "", zipped(t, "mimetype", "application/vnd.oasis.opendocument.base", "content.xml", "<a/>")), parse.Options{}, parse.ErrUnsupported, "", "parse a.odb: kind of document is not supported: ZIP container: OpenDocument base"},
		{"Project", nil, source("a.mpp", "", ole("Props14", "x")), parse.Options{}, parse.ErrUnsupported, "", "parse a.mpp: kind of document is not supported: OLE container: Microsoft Project plan"},
		{"OneNote", nil, source("a.one", "", "\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D\xAE\xB1\x53\x78\xD0\x29\x96\xD3\x00\x01"), parse.Options{}, parse.ErrUnsupported, "", "parse a.one: kind of document is not supported: OneNote section"},
		{"WordPerfect", nil, source("a.wpd", "", "\xFFWPC\x10\x00\x00\x00\x01\x0A"), parse.Options{}, parse.ErrUnsupported, "", "parse a.wpd: kind of document is not supported: WordPerfect document"},
		{"PDF", nil, source("a.bin", "", "%PDF-1.4"), parse.Options{}, parse.ErrCorrupt, parse.PDF, "parse a.bin: document is malformed: no pages"},
		{"image", nil, source("a.png", "", "\x89PNG\r\n\x1A\n"), parse.Options{}, parse.ErrUnsupported, parse.Image, "parse a.png: kind of document is not supported: image"},
		{"unknown kind forced", nil, source("", "", "x"), parse.Options{Kind: "klingon"}, parse.ErrUnsupported, "klingon", "parse: kind of document is not supported: klingon"},
		{"encrypted", nil, source("a.docx", "", ole("EncryptedPackage")), parse.Options{}, parse.ErrEncrypted, parse.DOCX, "parse a.docx: document is encrypted"},
		{"empty", nil, source("a.csv", "text/csv", ""), parse.Options{}, parse.ErrCorrupt, "", "parse a.csv: document is malformed: empty"},
		{"white space", nil, source("a.html", "", " \r\n\t"), parse.Options{}, parse.ErrCorrupt, parse.HTML, "parse a.html: document is malformed: empty"},
		{"a mark alone", nil, source("a.txt", "", "\xEF\xBB\xBF"), parse.Options{}, parse.ErrCorrupt, parse.Text, "parse a.txt: document is malformed: empty"},
		{"too large", nil, parse.Source{Name: "a.txt", Data: &countingReader{}, Size: 52_428_801}, parse.Options{}, parse.ErrLimit, "", "parse a.txt: document is over a limit: more than 52428800 bytes"},
		{"context", stopped, source("a.txt", "", "x"), parse.Options{}, context.DeadlineExceeded, "", "parse a.txt: context deadline exceeded"},
		{"reader", nil, parse.Source{Name: "a\nb", Data: failingReader{broken}, Size: 9}, parse.Options{}, broken, "", `parse "a\nb": disk on fire`},
		{"reader, forced", nil, parse.Source{Data: failingReader{broken}, Size: 9}, parse.Options{Kind: parse.Text}, broken, parse.Text, "parse: disk on fire"},
	} {
		t.Run(c.what, func(t *testing.T) {
			ctx := c.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			var e parse.Engine
			tree, err := e.Parse(ctx, c.src, &c.o)
			where, ok := errors.AsType[*parse.Error](err)
			if tree != nil || !errors.Is(err, c.want) || !ok {
				t.Fatalf("Parse = %v, %v, want %v", tree, err, c.want)
			}
			if where.Kind != c.kind || where.Name != c.src.Name || err.Error() != c.text {
				t.Errorf("error %+v says %q, want kind %q, %q", where, err, c.kind, c.text)
			}
		})
	}
	if got, want := (&parse.Error{Name: "a.pdf", Page: 3, Err: parse.ErrCorrupt}).Error(), "parse a.pdf: page 3: document is malformed"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

type failingReader struct{ err error }

func (r failingReader) ReadAt([]byte, int64) (int, error) { return 0, r.err }

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		what   string
		limits parse.Limits
		text   string
		code   string
		err    error
	}{
		{"input met", parse.Limits{Input: 3}, "a,b", "", nil},
		{"input", parse.Limits{Input: 3}, "a,bc", "", parse.ErrLimit},
		{"no limit", parse.Limits{Input: parse.Unlimited, Nodes: parse.Unlimited}, "a,b\nc,d", "", nil},
		{"nodes", parse.Limits{Nodes: 30}, strings.Repeat("a,b\n", 30), parse.WarnTruncated, nil},
	} {
		e := parse.Engine{Limits: c.limits}
		tree, err := e.Parse(t.Context(), source("a.csv", "", c.text), nil)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.what, err, c.err)
		}
		if got := err == nil && len(tree.Warnings) > 0 && tree.Warnings[0].Code == c.code; got != (c.code != "") {
			t.Errorf("%s: tree %+v, want a warning %q", c.what, tree, c.code)
		}
	}
}

// TestSizeThatLies reads data that is shorter than the size of the source.
func TestSizeThatLies(t *testing.T) {
	var e parse.Engine
	src := parse.Source{Name: "a.txt", Data: strings.NewReader("abc"), Size: 40 << 20}
	tree, err := e.Parse(t.Context(), src, &parse.Options{Kind: parse.Text})
	if err != nil || tree.Verbatim != "abc" || len(tree.Warnings) != 1 || !strings.Contains(tree.Warnings[0].Text, fmt.Sprint(40<<20-3)) {
		t.Errorf("Parse = %+v, %v", tree, err)
	}
	for _, src := range []parse.Source{{Size: 3}, {Size: -3, Data: strings.NewReader("abc")}} {
		if _, err := e.Parse(t.Context(), src, &parse.Options{Kind: parse.Text}); err == nil {
			t.Errorf("Parse(%+v) has no error", src)
		}
	}
}

// TestIndented reads JSON whose indented form would be far larger.
func TestIndented(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("1,", 5000) + "1" + strings.Repeat("]", 5000)
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.json", "", deep), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := render(t, tree.Root); len(got) > 8*len(deep)+1<<17 {
		t.Errorf("%d bytes became %d", len(deep), len(got))
	}
}

// TestConcurrency parses the same source in many goroutines.
func TestConcurrency(t *testing.T) {
	var e parse.Engine
	src := source("a.csv", "", strings.Repeat("a,b,c\n1,2,3\n", 500))
	want, err := e.Parse(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan string)
	for range 8 {
		go func() {
			tree, err := e.Parse(t.Context(), src, nil)
			if err != nil {
				results <- err.Error()
				return
			}
			var b strings.Builder
			_ = html.Render(&b, tree.Root)
			results <- b.String()
		}()
	}
	for range 8 {
		if got := <-results; got != render(t, want.Root) {
			t.Errorf("got %.200s", got)
		}
	}
}

// TestCorpusTables compares the words of tables with the Markdown of another
// converter.
func TestCorpusTables(t *testing.T) {
	dir := golden.Root("..", "shared", "corpora", "office-dev", "csv")
	paths, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	if len(paths) == 0 {
		t.Skipf("no corpus at %s", dir)
	}
	word := regexp.MustCompile(`[^\s|]+`)
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := os.ReadFile(p + ".md")
		if err != nil {
			t.Fatal(err)
		}
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source(filepath.Base(p), "", string(data)), nil)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]int{}
		rows := 0
		for n := range tree.Root.Descendants() {
			if n.Type == html.TextNode {
				for _, w := range word.FindAllString(n.Data, -1) {
					given[w]++
				}
			}
			if n.Data == "tr" {
				rows++
			}
		}
		found, all := 0, 0
		text := html.UnescapeString(string(reference))
		for _, w := range word.FindAllString(text, -1) {
			if strings.Trim(w, "-") == "" {
				continue
			}
			all++
			if given[w] > 0 {
				given[w]--
				found++
			}
		}
		if recall := float64(found) / float64(max(all, 1)); recall < .99 {
			t.Errorf("%s: word recall %.3f", p, recall)
		}
		if want := strings.Count(strings.TrimSpace(string(reference)), "\n"); rows != want {
			t.Errorf("%s: %d rows, want %d", p, rows, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob(golden.Testdata("parse", "*"))
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil && !strings.HasSuffix(p, ".tree.html") {
			f.Add(filepath.Base(p), data)
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e := parse.Engine{Limits: parse.Limits{Nodes: 1000}}
		src := parse.Source{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}
		check(t, &e, src, parse.Options{})
		for _, kind := range []parse.Kind{parse.HTML, parse.Text, parse.Markdown, parse.CSV, parse.TSV, parse.JSON, parse.XML} {
			check(t, &e, src, parse.Options{Kind: kind})
		}
	})
}

func FuzzMarkdown(f *testing.F) { fuzzKind(f, parse.Markdown, "*.md") }

func FuzzCSV(f *testing.F) { fuzzKind(f, parse.CSV, "*.[ct]sv") }

func FuzzJSON(f *testing.F) { fuzzKind(f, parse.JSON, "*.json") }

// fuzzKind fuzzes the reader of one kind. The golden inputs are its seeds.
func fuzzKind(f *testing.F, kind parse.Kind, pattern string) {
	paths, _ := filepath.Glob(golden.Testdata("parse", pattern))
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var e parse.Engine
		check(t, &e, parse.Source{Data: bytes.NewReader(data), Size: int64(len(data))}, parse.Options{Kind: kind})
	})
}

// check tests properties that hold for every document.
func check(t *testing.T, e *parse.Engine, src parse.Source, o parse.Options) {
	t.Helper()
	tree, err := e.Parse(t.Context(), src, &o)
	if err != nil {
		if where, ok := errors.AsType[*parse.Error](err); !ok || where.Err == nil {
			t.Errorf("error %#v", err)
		}
		if o.Kind != "" || strings.Contains(err.Error(), "panicked") {
			t.Errorf("Parse as %q: %v", o.Kind, err)
		}
		return
	}
	if tree.Root == nil || tree.Root.Type != html.DocumentNode || tree.Kind == "" {
		t.Errorf("Parse = %+v", tree)
	}
	if err := html.Render(io.Discard, tree.Root); err != nil && !strings.Contains(err.Error(), "void element") {
		t.Error(err)
	}
}

func BenchmarkParse(b *testing.B) {
	paths, _ := filepath.Glob(golden.Testdata("parse", "*.*"))
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil || strings.HasSuffix(p, ".tree.html") {
			continue
		}
		b.Run(filepath.Base(p), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var e parse.Engine
			for b.Loop() {
				if _, err := e.Parse(b.Context(), source(filepath.Base(p), "", string(data)), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGap reads archives that lack as many bytes as a directory entry has.
// The first part then seems to begin at a negative offset, which is a fault
// of the document, not of the source.
func TestGap(t *testing.T) {
	for _, name := range []string{"notes.docx", "slides.pptx", "records.xlsb"} {
		doc, err := os.ReadFile(golden.Testdata("parse", name))
		if err != nil {
			t.Fatal(err)
		}
		first := bytes.Index(doc, []byte("PK\x01\x02"))
		gap := bytes.Index(doc[first+1:], []byte("PK\x01\x02")) + 1
		cut := slices.Concat(doc[:40], doc[40+gap:])
		var e parse.Engine
		if _, err := e.Parse(t.Context(), source(name, "", string(cut)), nil); err != nil && !errors.Is(err, parse.ErrCorrupt) {
			t.Errorf("%s without %d bytes: %v", name, gap, err)
		}
	}
}

// TestNil calls the methods of trees and blocks without nodes.
func TestNil(t *testing.T) {
	for _, tree := range []*parse.Tree{nil, {}} {
		for range tree.Blocks() {
			t.Error("a tree without nodes has a block")
		}
		if tree.Page(1) != nil {
			t.Error("a tree without nodes has a page")
		}
	}
	if b := (parse.Block{}); b.Places() != nil || b.Cells() != nil {
		t.Error("a block without a node has places or cells")
	}
	if _, ok := parse.PlaceOf(nil); ok {
		t.Error("no node has a place")
	}
	var e parse.Engine
	if _, err := e.Parse(t.Context(), parse.Source{Name: "a.txt", Size: 3}, nil); err == nil || errors.Is(err, parse.ErrCorrupt) {
		t.Errorf("a size without data: %v, want an error that names it", err)
	}
}

// TestDamagedText reads JSON and XML that are not whole. Their text is shown
// unchanged, with a warning. Their imperfect twins that are whole have none.
func TestDamagedText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.json", `{"a": [1, 2]}`, ""},
		{"a.json", "{\"a\": 1}\n{\"a\": 2}\n", ""},
		{"a.json", `{"a": [1, {"b": "cut`, "The JSON ends before it is complete."},
		{"a.json", strings.Repeat("[", 5000), "The JSON ends before it is complete."}, // too deep to be indented
		{"a.json", `{"a": 1,}`, "The JSON is not valid at byte 9: invalid character '}' looking for beginning of object key string."},
		{"a.json", "{\"a\": 1}\n{\"a\": 2}\n{\"a\":", "The JSON is not valid: of its values, 2 are complete."},
		{"a.xml", `<?xml version="1.0"?><a><b>text</b><c/><!-- > --></a>`, ""},
		{"a.xml", "<?xml version=\"1.0\"?><!DOCTYPE a [<!-- isn't > -->]><a/>", ""},
		{"a.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>t\xE4xt</a>\n", ""},
		{"a.xml", `<?xml version="1.0"?><a><b>text</b><c>cut`, "The XML ends before it is complete."},
		{"a.xml", `<?xml version="1.0"?><a><b>text</b><c hre`, "The XML ends before it is complete."},
		{"a.html", `<html><body><p>text</p><a h`, "The document ends in a tag, a comment, or a title, style or script that has no end. Text may be missing. Bytes in it: 3 of 27."},
		{"a.html", `<html><body><p>text</p></body></ht`, ""},
		{"a.html", `<html><body><p>text</p><script>let duck = "Mallard"`, "The document ends in a tag, a comment, or a title, style or script that has no end. Text may be missing. Bytes in it: 20 of 51."},
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), source(c.name, "", c.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, w := range tree.Warnings {
			got.WriteString(w.Code + ": " + w.Text)
		}
		if c.want != "" {
			c.want = parse.WarnDamaged + ": " + c.want
		}
		if got.String() != c.want {
			t.Errorf("%s gives %q, want %q", c.text, got.String(), c.want)
		}
	}
}
