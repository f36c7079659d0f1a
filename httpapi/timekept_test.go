// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/format"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/evil"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse"
)

var all = flag.Bool("all", false, "run TestTimeIsKept, TestTimeIsKeptBySchemas and TestEntrances in full")

// timed is a document designed to take long, and its kind.
type timed struct {
	name      string
	kind      parse.Kind
	make      func() []byte
	selectors []string // selectors for this document; nil for a few of all
}

// timedDocuments returns the documents of TestTimeIsKept. Add a new case here
// or in one of the generators it uses.
func timedDocuments(size int) []timed {
	var docs []timed
	add := func(kind parse.Kind, name string, make func() []byte) {
		docs = append(docs, timed{name: string(kind) + ": " + name, kind: kind, make: make})
	}
	text := func(kind parse.Kind, name, before, again, after string) {
		add(kind, name, func() []byte { return []byte(before + strings.Repeat(again, max(1, size/len(again))) + after) })
	}
	packed := func(kind parse.Kind, name string, parts ...string) {
		add(kind, name, func() []byte { return packed(size, parts) })
	}
	for _, p := range evil.Pages() {
		docs = append(docs, timed{name: "html: " + p.Name, kind: parse.HTML, make: func() []byte { return []byte(p.Body(size)) }, selectors: p.Selectors})
	}
	for _, f := range pdftest.HostileFiles() {
		add(parse.PDF, f.Name, f.Make)
	}

	text(parse.Markdown, "brackets", "", "[", "")
	text(parse.Markdown, "brackets that close", "", "[a](", "")
	text(parse.Markdown, "pictures in each other", "", "![", "")
	text(parse.Markdown, "emphasis", "", "*a **b ", "")
	text(parse.Markdown, "emphasis that changes", "", "*a_", "")
	text(parse.Markdown, "runs of marks", "", "**_** ", "")
	text(parse.Markdown, "ticks", "", "`a``b", "")
	text(parse.Markdown, "quotes in quotes", "", "> ", "a")
	text(parse.Markdown, "lists in lists", "", "- ", "a")
	text(parse.Markdown, "references", "", "[a]: /b\n", "[a]")
	text(parse.Markdown, "definitions left open", "", "[a]: <", "")
	text(parse.Markdown, "tags left open", "", "<a b='", "")
	text(parse.Markdown, "comments left open", "", "<!-- ", "")
	text(parse.Markdown, "processing left open", "", "<? a <![CDATA[ ", "")
	text(parse.Markdown, "tables", "|a|b|\n|-|-|\n", "|\\|`|`", "")
	text(parse.Markdown, "footnotes", "", "[^a] [^a]: ", "")
	text(parse.Markdown, "addresses", "", "a@b.c_www.http://", "")
	text(parse.Markdown, "entities", "", "&amp&#x", "")

	text(parse.CSV, "quotes", "", `"`, "")
	text(parse.CSV, "quotes that change", "", `"a""",`, "")
	text(parse.CSV, "columns", "", ",", "")
	text(parse.CSV, "separators of all kinds", "", "a;b\tc|d,\n", "")
	text(parse.TSV, "columns", "a\tb\n", "\t", "")
	text(parse.JSON, "lists in lists", "", "[", "")
	text(parse.JSON, "objects in objects", "", `{"a":`, "")
	text(parse.JSON, "names", "{", `"a":1,`, `"b":1}`)
	text(parse.XML, "elements in elements", "<?xml version='1.0'?>", "<a>", "")
	text(parse.XML, "attributes", "<?xml version='1.0'?><a ", "b='c' ", "/>")
	text(parse.XML, "spaces of names", "<?xml version='1.0'?>", "<a xmlns='u' xmlns:b='v'>", "")
	text(parse.Text, "one word", "", "a", "")
	text(parse.Text, "spaces", "a", " ", "b")
	text(parse.Text, "sentences", "", "Mr. A. b! (D.) ", "")
	text(parse.RTF, "groups", "{\\rtf1 ", "{", "")
	text(parse.RTF, "controls", "{\\rtf1 ", "\\b\\i\\par ", "}")
	text(parse.RTF, "tables", "{\\rtf1 ", "\\trowd\\cellx1\\cellx2 a\\cell b\\cell\\row", "}")
	text(parse.RTF, "styles", "{\\rtf1{\\stylesheet", "{\\s1\\sbasedon1 a;}", "}}")
	text(parse.RTF, "fields in fields", "{\\rtf1 ", "{\\field{\\*\\fldinst HYPERLINK a}{\\fldrslt ", "")
	text(parse.EML, "parts in parts", "Subject: a\nMIME-Version: 1.0\n", "Content-Type: multipart/mixed; boundary=x\n\n--x\n", "")
	text(parse.EML, "borders", "Subject: a\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n", "--x\n\n", "")
	text(parse.EML, "a head", "Subject: ", "=?utf-8?q?a?= ", "\n\na")
	text(parse.EML, "heads", "Subject: a\n", "X-A: b\n c\n", "\nd")
	text(parse.EML, "quoted", "Subject: a\nMIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\nContent-Type: text/html\n\n", "=3Cdiv=3E=\n", "")
	text(parse.MHTML, "parts", "Subject: a\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n",
		"--x\nContent-Type: text/html\nContent-Location: http://a.test/\n\n<p>a<img src='cid:b'>\n", "--x--\n")
	text(parse.MHTML, "parts in parts", "Subject: a\nMIME-Version: 1.0\n", "Content-Type: multipart/related; boundary=x\n\n--x\n", "")

	const word = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	const again = "\x00" // encloses the part that is repeated
	docx := func(name, body string) {
		packed(parse.DOCX, name, "[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
			"word/document.xml", `<w:document `+word+`><w:body>`+body+`</w:body></w:document>`)
	}
	docx("short paragraphs", again+`<w:p><w:pPr><w:pStyle w:val="a"/><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>`+again)
	docx("runs", `<w:p>`+again+`<w:r><w:rPr><w:b/><w:i/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>`+again+`</w:p>`)
	docx("tables in tables", again+`<w:tbl><w:tr><w:tc>`+again)
	docx("cells", `<w:tbl>`+again+`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="60"/><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr>`+again+`</w:tbl>`)
	docx("fields in fields", `<w:p>`+again+`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "a"</w:instrText></w:r>`+again+`</w:p>`)
	docx("lists", again+`<w:p><w:pPr><w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`+again)
	const sheet = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	xlsx := func(name, rows string) {
		packed(parse.XLSX, name, "[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
			"xl/workbook.xml", `<workbook `+sheet+`><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="s.xml"/></Relationships>`,
			"xl/s.xml", `<worksheet `+sheet+`>`+rows+`</worksheet>`)
	}
	xlsx("cells far from each other", `<sheetData>`+again+`<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`+again+`</sheetData>`)
	xlsx("joined cells", `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells>`+again+`<mergeCell ref="A1:XFD1048576"/>`+again+`</mergeCells>`)
	xlsx("formulas", `<sheetData>`+again+`<row><c t="str"><f t="shared" ref="A1:A9" si="0">A1+B2</f><v>a</v></c></row>`+again+`</sheetData>`)
	const talk = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	packed(parse.PPTX, "groups in groups", "[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"ppt/presentation.xml", `<p:presentation `+talk+`><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/slide" Target="s.xml"/></Relationships>`,
		"ppt/s.xml", `<p:sld `+talk+`><p:cSld><p:spTree>`+again+`<p:grpSp>`+again+`</p:spTree></p:cSld></p:sld>`)
	const office = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"`
	odf := func(kind parse.Kind, of, name, body string) {
		packed(kind, name, "mimetype", "application/vnd.oasis.opendocument."+of, "content.xml",
			`<office:document-content `+office+`><office:body><office:`+of+`>`+body+`</office:`+of+`></office:body></office:document-content>`)
	}
	odf(parse.ODT, "text", "lists in lists", again+`<text:list><text:list-item>`+again)
	odf(parse.ODT, "text", "spaces", `<text:p>`+again+`<text:s text:c="9999"/>a`+again+`</text:p>`)
	odf(parse.ODS, "spreadsheet", "rows that repeat", `<table:table>`+again+`<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>a</text:p></table:table-cell></table:table-row>`+again+`</table:table>`)
	odf(parse.ODP, "presentation", "lists in lists", `<draw:page xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:frame><draw:text-box>`+again+`<text:list><text:list-item>`+again)
	odf(parse.ODP, "presentation", "pages", again+`<draw:page xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame></draw:page>`+again)
	packed(parse.EPUB, "chapters", "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"a.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine>`+again+`<itemref idref="c"/>`+again+`</spine></package>`,
		"c.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p></body></html>`)
	add(parse.Image, "a large picture", func() []byte {
		var b bytes.Buffer
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 8000, 8000))) // a buffer returns no error
		return b.Bytes()
	})
	return docs
}

// packed returns an archive of alternating names and texts. Text between two
// NULs is repeated until the archive has about size bytes.
func packed(size int, parts []string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		text := parts[i+1]
		if s := strings.Split(text, "\x00"); len(s) == 3 {
			text = s[0] + strings.Repeat(s[1], max(1, size/len(s[1]))) + s[2]
		}
		method := zip.Deflate
		if parts[i] == "mimetype" {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			panic(err) // a buffer returns no error
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// timedOptions are the options with which TestTimeIsKept builds a document.
var timedOptions = []struct {
	name string
	set  func(o *curlew.ParseOptions, s []format.Selector, texts []string)
}{
	{"markdown", func(*curlew.ParseOptions, []format.Selector, []string) {}},
	{"include", func(o *curlew.ParseOptions, s []format.Selector, _ []string) { o.Format.Include = s }},
	{"exclude", func(o *curlew.ParseOptions, s []format.Selector, _ []string) { o.Format.Exclude = s }},
	{"attributes", func(o *curlew.ParseOptions, _ []format.Selector, texts []string) {
		o.Format.Forms = []format.Form{format.Attributes}
		for _, t := range texts {
			o.Format.Attributes = append(o.Format.Attributes, format.Attribute{Selector: t, Attribute: "href"})
		}
	}},
	{"branding", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Forms = []format.Form{format.BrandingForm}
	}},
	{"html, links, images, whole page", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Forms, o.Format.WholePage = []format.Form{format.HTML, format.RawHTML, format.Links, format.Images}, true
	}},
	{"summary, highlights, answer", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Forms, o.Format.Query, o.Format.Question = []format.Form{format.Summary, format.Highlights, format.Answer}, "price of a", "What is a?"
	}},
	{"product, menu, media", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Forms = []format.Form{format.ProductForm, format.MenuForm, format.Audio, format.VideoForm}
	}},
	{"clean, redacted", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Clean, o.Format.Redact = true, new(format.Redact)
	}},
	{"json", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Forms = []format.Form{format.JSONForm}
		o.Format.JSON.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}}}`)
	}},
	{"pages and blocks", func(o *curlew.ParseOptions, _ []format.Selector, _ []string) {
		o.Format.Pages, o.Format.Blocks, o.Read.PDF.Words, o.Read.PDF.Extras, o.Read.Changes = true, true, true, true, parse.ChangesMarked
	}},
}

// timedCalls calls f with documents and options. With -all it is each document with each
// option. Otherwise it is a part that is always the same: the first document of each kind
// and every third one, each with one option, and pages also with one that selects elements.
func timedCalls(docs []timed, f func(i, option int)) {
	first := map[parse.Kind]bool{}
	for i, d := range docs {
		taken := i%3 == 0 || !first[d.kind]
		first[d.kind] = true
		for j := range timedOptions {
			selects := d.kind == parse.HTML && j == 1+i/3%4
			if *all || taken && (selects || j == i/3%len(timedOptions)) {
				f(i, j)
			}
		}
	}
}

// TestTimeIsKept reads documents designed to take long, with a deadline of half a
// second, or with -all of one. The call returns soon after the deadline, and its goroutines end. The
// bound is one of CPU time, because the machine may be busy. It is far above the half
// second of the reference: the bugs that the test looks for take minutes or never end.
func TestTimeIsKept(t *testing.T) {
	const late = 20 * time.Second
	deadline := time.Second / 2
	if *all {
		deadline = time.Second
	}
	service := &curlew.Service{Fetcher: fakeWeb{}}
	docs := timedDocuments(300 << 10)
	ran := 0
	timedCalls(docs, func(i, option int) {
		d, o := docs[i], timedOptions[option]
		data := d.make()
		texts := d.selectors
		if texts == nil {
			all := evil.Selectors()
			texts = all[i%len(all):][:1]
		}
		var selectors []format.Selector
		for _, text := range texts {
			if s, err := format.ParseSelector(text); err == nil {
				selectors = append(selectors, s)
			} // otherwise the document is refused, which takes no time
		}
		how := curlew.ParseOptions{Read: parse.Options{Kind: d.kind}}
		o.set(&how, selectors, texts)
		ran++
		name, goroutines := d.name+", "+o.name, runtime.NumGoroutine()
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		before, done := cputest.Used(t), make(chan struct{})
		go func() {
			defer close(done)
			_, _ = service.Parse(ctx, parse.Source{Name: "d", Data: bytes.NewReader(data), Size: int64(len(data)), URL: "http://a.test/"}, &how)
		}()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("%s: does not return (%s)", name, sample(data))
		}
		switch used := cputest.Used(t) - before; {
		case used > deadline+late:
			t.Errorf("%s: returned after %v of CPU time (%s)", name, used.Round(time.Millisecond), sample(data))
		case used > 2*deadline:
			t.Logf("%s: returned after %v of CPU time", name, used.Round(time.Millisecond))
		}
		ended(t, name, goroutines)
	})
	t.Logf("%d documents, %d calls", len(docs), ran)
}

// patience is how long a test waits for a call that may never return.
const patience = 10 * time.Minute

// ended waits until there are no more goroutines than before a call.
func ended(t *testing.T, call string, before int) {
	t.Helper()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 64<<10)
			t.Fatalf("%s: a goroutine is left after %v:\n%s", call, patience, b[:runtime.Stack(b, true)])
		}
	}
}

// replier is a model that always gives the same reply.
type replier struct{ reply string }

func (r replier) Write(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(r.reply), nil
}

// TestTimeIsKeptBySchemas sends schemas designed to take long to compile, and
// model replies that take long to check. Each request is answered soon after
// its timeout, and its goroutines end.
func TestTimeIsKeptBySchemas(t *testing.T) {
	// A schema with 5,000 parts takes a third of a second to compile. With the
	// race detector it takes 20 times as long.
	const deadline, late = time.Second, 20 * time.Second
	for _, s := range evil.Schemas() {
		if s.Name == "many small alternatives" && !*all {
			continue // it takes half of the time, and internal/schema tests it too
		}
		service := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": "<title>A</title><p>Hello.</p>"}, Format: format.Engine{Writer: replier{s.Value}}}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		goroutines, before := runtime.NumGoroutine(), cputest.Used(t)
		body := `{"url":"http://a.test/","timeout":1000,"formats":["markdown",{"type":"json","schema":` + s.Doc + `}]}`
		w, answer := ask(t, h, "POST", "/v2/scrape", body)
		used := cputest.Used(t) - before
		if used > deadline+late {
			t.Errorf("%s: answered after %v of CPU time", s.Name, used)
		}
		switch w.Code {
		case 200, 400, 408:
		default:
			t.Errorf("%s: %d %.200s", s.Name, w.Code, answer)
		}
		ended(t, s.Name, goroutines)
		t.Logf("%s: %d after %v of CPU time, over after %v", s.Name, w.Code, used.Round(time.Millisecond), (cputest.Used(t) - before).Round(time.Millisecond))
	}
}

// sample returns the beginning of a document.
func sample(data []byte) string {
	return fmt.Sprintf("%d bytes, base64 %.60s", len(data), base64.StdEncoding.EncodeToString(data[:min(len(data), 45)]))
}
