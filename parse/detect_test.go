// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse"
)

// source returns a source for data with a name and a media type.
func source(name, contentType, data string) parse.Source {
	return parse.Source{Name: name, ContentType: contentType, Data: strings.NewReader(data), Size: int64(len(data))}
}

// zipped returns a ZIP container. The arguments are names and contents in
// turn.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &zip.FileHeader{Name: files[i], Method: zip.Deflate}
		if i == 0 {
			h.Method = zip.Store
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// office returns an Office Open XML package whose main part has the given
// content type.
func office(t testing.TB, part, contentType string) string {
	t.Helper()
	return zipped(t,
		"[Content_Types].xml", `<?xml version="1.0"?><Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/`+part+`" ContentType="`+contentType+`"/></Types>`,
		"_rels/.rels", `<?xml version="1.0"?><Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="`+part+`"/></Relationships>`,
		part, "<x/>")
}

// ole returns an OLE container whose root storage has streams with these
// names. Each is the right sibling of the previous one.
func ole(streams ...string) string {
	b := make([]byte, 512*(2+(len(streams)+4)/4))
	copy(b, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	put16 := binary.LittleEndian.PutUint16
	put32 := binary.LittleEndian.PutUint32
	put16(b[30:], 9)
	put32(b[48:], 1) // first sector of the directory
	put32(b[76:], 0) // first sector of the FAT
	fat := b[512:]
	sectors := (len(streams) + 4) / 4
	for i := range 128 {
		next := uint32(0xFFFFFFFF)
		if i >= 1 && i < sectors {
			next = uint32(i + 1)
		} else if i == sectors {
			next = 0xFFFFFFFE
		}
		put32(fat[4*i:], next)
	}
	dir := b[1024:]
	entry := func(i int, name string, left, right, child uint32) {
		e := dir[128*i:]
		for j, u := range utf16.Encode([]rune(name)) {
			put16(e[2*j:], u)
		}
		put16(e[64:], uint16(2*len(name)+2))
		put32(e[68:], left)
		put32(e[72:], right)
		put32(e[76:], child)
	}
	const none = 0xFFFFFFFF
	entry(0, "Root Entry", none, none, 1)
	for i, s := range streams {
		right := uint32(none)
		if i+1 < len(streams) {
			right = uint32(i + 2)
		}
		entry(i+1, s, none, right, none)
	}
	return string(b)
}

const odf = "application/vnd.oasis.opendocument."

func TestDetect(t *testing.T) {
	docx := office(t, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")
	for _, c := range []struct {
		what string
		src  parse.Source
		want parse.Kind
	}{
		// Signatures.
		{"PDF", source("a.txt", "text/plain", "%PDF-1.7\n1 0 obj"), parse.PDF},
		{"PDF after junk", source("a.bin", "", "junk\n%PDF-1.7\n1 0 obj\nstartxref"), parse.PDF},
		{"text about PDF", source("a.txt", "", "write %PDF- first"), parse.Text},
		{"RTF", source("a.doc", "", `{\rtf1\ansi text}`), parse.RTF},
		{"RTF after a mark", source("", "", "\xEF\xBB\xBF{\\rtf1 text}"), parse.RTF},
		{"RTF after lines", source("a.rtf", "", "\r\n {\\rtf1 text}"), parse.RTF},
		{"PNG", source("a.pdf", "", "\x89PNG\r\n\x1A\n\x00\x00"), parse.Image},
		{"JPEG", source("", "", "\xFF\xD8\xFF\xE0"), parse.Image},
		{"WebP", source("", "", "RIFF\x00\x00\x00\x00WEBPVP8 "), parse.Image},
		{"TIFF", source("", "", "MM\x00*\x00"), parse.Image},
		{"BMP", source("", "", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x02\x00"), parse.Image},
		{"no BMP", source("a.txt", "", "BMW builds cars, and not only cars."), parse.Text},

		// Containers.
		{"docx", source("a.docx", "", docx), parse.DOCX},
		{"docx named pdf", source("a.pdf", "application/pdf", docx), parse.DOCX},
		{"docx after other bytes", source("a.docx", "", "MZ\x00\x00stub"+docx), parse.DOCX},
		{"docm", source("", "", office(t, "word/document.xml", "application/vnd.ms-word.document.macroEnabled.main+xml")), parse.DOCX},
		{"xlsx", source("", "", office(t, "xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")), parse.XLSX},
		{"xlsm", source("", "", office(t, "xl/workbook.xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml")), parse.XLSX},
		{"xlsb", source("", "", office(t, "xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroEnabled.main")), parse.XLSB},
		{"pptx in an odd place", source("", "", office(t, "deck/main.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml")), parse.PPTX},
		{"office without types", source("", "", zipped(t, "_rels/.rels", `<Relationships><Relationship Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/d.xml"/></Relationships>`,
			"d.xml", `<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"/>`)), parse.DOCX},
		{"docx of one part", source("a.zip", "", zipped(t, "word/document.xml", "<x/>")), parse.DOCX},
		{"xlsb of one part", source("", "", zipped(t, "xl/workbook.bin", "")), parse.XLSB},
		{"docx with names of Windows", source("", "", zipped(t, "[Content_Types].xml", "<Types/>", `word\document.xml`, "<x/>")), parse.DOCX},
		{"docx in capitals", source("", "", zipped(t, "[CONTENT_TYPES].XML", "<Types/>", "WORD/DOCUMENT.XML", "<x/>")), parse.DOCX},
		{"office without relationships", source("", "", zipped(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", "")), parse.XLSX},
		{"odt", source("", "", zipped(t, "mimetype", odf+"text", "content.xml", "")), parse.ODT},
		{"odt for the web", source("", "", zipped(t, "mimetype", odf+"text-web")), parse.ODT},
		{"ods template", source("", "", zipped(t, "mimetype", odf+"spreadsheet-template\n")), parse.ODS},
		{"odp by manifest", source("", "", zipped(t, "META-INF/manifest.xml", `<m:manifest><m:file-entry m:full-path="/" m:media-type="`+odf+`presentation"/></m:manifest>`)), parse.ODP},
		{"sxw", source("a.sxw", "", zipped(t, "mimetype", "application/vnd.sun.xml.writer")), parse.ODT},
		{"template of sxc", source("a.stc", "application/vnd.sun.xml.calc", zipped(t, "mimetype", "application/vnd.sun.xml.calc.template")), parse.ODS},
		{"sxi by manifest", source("a.sxi", "", zipped(t, "META-INF/manifest.xml", `<m:manifest><m:file-entry m:full-path="/" m:media-type="application/vnd.sun.xml.impress"/></m:manifest>`)), parse.ODP},
		{"sxd", source("a.sxd", "", zipped(t, "mimetype", "application/vnd.sun.xml.draw")), parse.ODP},
		{"odg", source("a.odg", "", zipped(t, "mimetype", odf+"graphics")), parse.ODP},
		{"epub", source("", "", zipped(t, "mimetype", "application/epub+zip")), parse.EPUB},
		{"epub without mimetype", source("", "", zipped(t, "META-INF/container.xml", "<container/>")), parse.EPUB},
		{"ZIP", source("a.docx", "", zipped(t, "a.txt", "text")), ""},
		{"iWork", source("a.pages", "", zipped(t, "Index/Document.iwa", "x", "Metadata/Properties.plist", "x")), ""},
		{"jar", source("a.docx", "", zipped(t, "META-INF/MANIFEST.MF", "x", "a.class", "x")), ""},
		{"Visio", source("", "", office(t, "visio/document.xml", "application/vnd.ms-visio.drawing.main+xml")), parse.VSDX},
		{"cut ZIP", source("a.docx", "", docx[:100]), ""},
		{"doc", source("", "", ole("x", "WordDocument", "1Table")), parse.DOC},
		{"xls", source("a.doc", "", ole("Workbook")), parse.XLS},
		{"xls in XML", source("a.xls", "", `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>`), parse.XLS},
		{"old xls", source("", "", ole("BOOK")), parse.XLS},
		{"ppt", source("", "", ole("a", "b", "c", "d", "e", "f", "PowerPoint Document")), parse.PPT},
		{"msg", source("", "", ole("__nameid_version1.0", "__properties_version1.0")), parse.MSG},
		{"text named doc", source("README.DOC", "application/msword", "just words\n"), parse.Text},
		{"bytes named doc", source("a.doc", "", "caf\xE9\x01\x02"), ""},
		{"other OLE", source("a.doc", "", ole("Contents")), ""},
		{"cut OLE", source("a.doc", "", ole("WordDocument")[:200]), ""},

		// Markup.
		{"HTML", source("", "", " \n<!DOCTYPE html><p>x"), parse.HTML},
		{"HTML, UTF-16", source("", "", "\xFF\xFE<\x00h\x00t\x00m\x00l\x00>\x00"), parse.HTML},
		{"HTML after a mark", source("", "", "\xEF\xBB\xBF<html>"), parse.HTML},
		{"HTML named png", source("a.png", "image/png", "<html>"), parse.HTML},
		{"HTML fragment", source("", "", "<p>one"), parse.HTML},
		{"HTML comment", source("", "", "<!-- c --><html>"), parse.HTML},
		{"HTML by declaration", source("a.html", "", "just words"), parse.HTML},
		{"page that is JSON", source("", "text/html", `{"a":1}`), parse.HTML},
		{"README with a div", source("README.md", "", `<div align="center">x</div>`), parse.Markdown},
		{"README with a comment", source("README.md", "", "<!-- toc -->\n# A"), parse.Markdown},
		{"README with a link", source("README.md", "", "<https://example.org/>"), parse.Markdown},
		{"text that is a page", source("a.txt", "text/plain", "<!doctype html><p>x"), parse.HTML},
		{"XHTML", source("a.xml", "", `<?xml version="1.0"?><!-- c --><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html xmlns="http://www.w3.org/1999/xhtml"/>`), parse.HTML},
		{"XHTML with a prefix", source("", "", `<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"/>`), parse.HTML},
		{"XML", source("", "", `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><r/>`), parse.XML},
		{"page that begins with main", source("", "text/html", "<main><p>Hello.</p></main>"), parse.HTML},
		{"page of an element of its own", source("", "text/html", "<my-app><p>Hello.</p></my-app>"), parse.HTML},
		{"feed", source("feed", "text/html", "<rss version='2.0'>\n<channel/></rss>\n"), parse.XML},
		{"feed with a comment", source("", "", "<!-- c -->\n<feed></feed>"), parse.XML},
		{"svg", source("a.svg", "image/svg+xml", "<svg><g/></svg>"), parse.XML},
		{"XML, UTF-16 without a mark", source("", "", "<\x00?\x00x\x00m\x00l\x00 \x00v\x00=\x00'\x001\x00'\x00?\x00>\x00<\x00a\x00/\x00>\x00"), parse.XML},
		{"flat ODF", source("", "", `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="`+odf+`text">`), parse.ODT},
		{"less than", source("", "", "<3 this"), parse.Text},

		// Mail.
		{"mail", source("a.txt", "", "From: a@b\r\nSubject: x\r\n y\r\n\r\ntext"), parse.EML},
		{"mbox", source("", "", "From a@b Mon Jan 1\nFrom: a@b\nTo: c@d\n\ntext"), parse.EML},
		{"MHTML", source("", "", "From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary=x\r\n\r\n"), parse.MHTML},
		{"MHTML, folded", source("", "", "MIME-Version: 1.0\nContent-Type:\n multipart/related\n\n"), parse.MHTML},
		{"mail of one field, by name", source("a.eml", "", "X-Spam: no\nSubject: x\n\ntext"), parse.EML},
		{"mail of one field, by type", source("", "message/rfc822", "\r\n\r\nSubject: x\n\ntext"), parse.EML},
		{"mail of many fields", source("", "", "Received: a\n"+strings.Repeat("X-Spam: no\n", 500)+"From: a@b\n\ntext"), parse.EML},
		{"mail, a field at the end of the head", source("", "", "Received: a\nFrom: a@b\nX: "+strings.Repeat("x", 4<<10-30)+"\nSubject: b\n\ntext"), parse.EML},
		{"mail with pictures", source("a.eml", "", "Received: x\nTo: a@b\nContent-Type: multipart/related; boundary=x\n\n"), parse.EML},
		{"mail with pictures, by name", source("a.mht", "", "To: a@b\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"), parse.MHTML},
		{"fields of something else", source("a.txt", "", strings.Repeat("Date: x\nerror: y\n", 500)), parse.Text},
		{"front matter", source("a.md", "", "---\nfrom: x\nsubject: y\n---\n# A"), parse.Markdown},
		{"one field", source("a.txt", "", "Subject: x\n\ntext"), parse.Text},
		{"prose with colons", source("a.txt", "", "To: whom it may concern\nIt is said: no\n"), parse.Text},

		// Text.
		{"csv that begins with a tag", source("a.csv", "", "<b>name</b>,x\n1,2\n"), parse.CSV},
		{"csv of fields", source("a.csv", "", "From: a,b\nTo: c,d\n1,2\n"), parse.CSV},
		{"declared as an image, but text", source("upload.png", "image/png", "not-an-image"), ""},
		{"csv", source("a.csv", "application/vnd.ms-excel", "a,b\n1,2"), parse.CSV},
		{"csv by type", source("", "text/csv; charset=utf-8", "a,b\n1,2"), parse.CSV},
		{"csv in windows-1252", source("a.csv", "", "caf\xE9;b"), parse.CSV},
		{"csv with a control character", source("a.csv", "", "name,value\nabc\x16d,1\n"), parse.CSV},
		{"csv with padding", source("a.csv", "", "name,value\n"+strings.Repeat("a long name and a field,1\n", 4)+"abc\x00\x00,1\n"), parse.CSV},
		{"bytes that are called csv", source("a.csv", "", "\x01\x02\x00\x03data\x00\x00\x05\x06"), ""},
		{"text with a control character of no kind", source("", "", "name,value\nabc\x00d,1\n"), ""},
		{"csv in UTF-16", source("a.csv", "", "\xFF\xFEa\x00,\x00b\x00"), parse.CSV},
		{"csv in UTF-16 without mark", source("a.csv", "", "a\x00,\x00b\x00"), parse.CSV},
		{"tsv", source("a.tsv", "", "a\tb"), parse.TSV},
		{"markdown", source("a.md", "text/plain", "# A"), parse.Markdown},
		{"markdown by type", source("a.txt", "text/markdown", "# A"), parse.Markdown},
		{"markdown by type of a page", parse.Source{Name: "a.csv", ContentType: "text/markdown", URL: "https://example.org/a.csv", Data: strings.NewReader("# A"), Size: 3}, parse.Markdown},
		{"JSON", source("", "", ` {"a": [1, 2]} `), parse.JSON},
		{"JSON named txt", source("a.txt", "", `[1, 2]`), parse.JSON},
		{"JSON after a mark", source("a", "", "\xEF\xBB\xBF[1]"), parse.JSON},
		{"JSON lines", source("a.jsonl", "", "{}\n{}"), parse.JSON},
		{"JSON by type only", source("", "application/ld+json", "{,}"), parse.JSON},
		{"scalar", source("", "", "12"), parse.Text},
		{"scalar by type", source("", "application/json", "12"), parse.JSON},
		{"source code", source("main.go", "", "package main\n"), parse.Text},
		{"source code by type", source("main.py", "application/x-python", "import os\n"), parse.Text},
		{"octets that are text", source("x", "application/octet-stream", "text"), parse.Text},
		{"text of a song", source("a.mp3", "", "text"), ""},
		{"MP3", source("a.pdf", "application/pdf", "ID3\x03\x00\x00\xFF\xFB\x90\x00"), ""},
		{"gzip", source("a.csv", "", "\x1F\x8B\x08\x00\x00\x00\x00\x00\x03\x99"), ""},
		{"WordPerfect", source("a.wpd", "", "\xFFWPC\x10\x00\x00\x00"), ""},
		{"Write", source("a.wri", "", "1\xBE\x00\x00\x00\xAB\x00\x00"), ""},
		{"binary", source("", "", "\x00\x01\x02\x03\x04"), ""},
		{"binary declared text", source("a.txt", "", "\x01\x02\x03\x04"), ""},
		{"empty", source("a.csv", "", ""), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := parse.Detect(c.src)
			if d.Kind != c.want || d.Err != nil {
				t.Errorf("Detect = %+v, want %q", d, c.want)
			}
			if d.Evidence == "" || d.Confidence < 0 || d.Confidence > 1 || (d.Kind != "") != (d.Confidence > 0) {
				t.Errorf("Detect = %+v: no evidence, or a confidence that does not fit", d)
			}
		})
	}
}

func TestDetectEncrypted(t *testing.T) {
	locked := []byte(office(t, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"))
	for at := bytes.Index(locked, []byte("PK\x01\x02")); ; {
		locked[at+8] |= 1
		next := bytes.Index(locked[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	for _, c := range []struct {
		name string
		src  parse.Source
		kind parse.Kind
	}{
		{"OOXML", source("a.xlsx", "", ole("EncryptionInfo", "EncryptedPackage")), parse.XLSX},
		{"OOXML without a name", source("", "", ole("EncryptedPackage")), ""},
		{"ODF", source("", "", zipped(t, "mimetype", odf+"text", "META-INF/manifest.xml", `<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>`)), parse.ODT},
	} {
		if d := parse.Detect(c.src); !d.Encrypted || d.Kind != c.kind {
			t.Errorf("%s: Detect = %+v, want an encrypted %q", c.name, d, c.kind)
		}
		var e parse.Engine
		if _, err := e.Parse(t.Context(), c.src, nil); !errors.Is(err, parse.ErrEncrypted) {
			t.Errorf("%s: error %v, want ErrEncrypted", c.name, err)
		}
	}
	if d := parse.Detect(source("a.docx", "", string(locked))); !d.Encrypted && d.Kind == parse.DOCX {
		t.Errorf("locked parts: Detect = %+v", d)
	}
}

// TestDetectHostile checks that containers with false offsets and loops end
// detection.
func TestDetectHostile(t *testing.T) {
	loop := []byte(ole("WordDocument"))
	binary.LittleEndian.PutUint32(loop[512+4:], 1) // the directory chain points to itself
	binary.LittleEndian.PutUint32(loop[1024+128+72:], 1)
	far := []byte(ole("WordDocument"))
	binary.LittleEndian.PutUint32(far[48:], 0xFFFFFFF0)
	end := "PK\x05\x06" + strings.Repeat("\xFF", 18)
	bomb := zipped(t, "mimetype", strings.Repeat("a", 64<<20))
	for name, data := range map[string]string{
		"OLE directory in a loop":  string(loop),
		"OLE directory far away":   string(far),
		"ZIP end of all ones":      "PK\x03\x04" + end,
		"ZIP64 locator that lies":  "PK\x03\x04PK\x06\x07" + strings.Repeat("\xFF", 16) + end,
		"ZIP end at the very end":  "PK\x03\x04PK\x05\x06",
		"ZIP of many empty names":  "PK\x03\x04" + strings.Repeat("PK\x01\x02"+strings.Repeat("\x00", 42), 20_000) + "PK\x05\x06" + strings.Repeat("\x00", 18),
		"ZIP bomb for a mimetype":  bomb,
		"deep JSON":                strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20),
		"prolog of many comments":  "<?xml?>" + strings.Repeat("<!---->", 1000),
		"mail of one field":        strings.Repeat("a", 1<<20) + ": b\n",
		"XML name that never ends": "<" + strings.Repeat("a", 1<<20),
	} {
		parse.Detect(source("", "", data)) // must return
		_ = name
	}
}

func TestDetectReadsLittle(t *testing.T) {
	r := &countingReader{size: 40 << 20}
	if d := parse.Detect(parse.Source{Name: "a.txt", Data: r, Size: r.size}); d.Kind != parse.Text {
		t.Errorf("Detect = %+v", d)
	}
	if r.read > 80<<10 {
		t.Errorf("%d bytes were read", r.read)
	}
}

// countingReader simulates a text of size bytes and counts the bytes read.
type countingReader struct{ size, read int64 }

func (r *countingReader) ReadAt(b []byte, _ int64) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	r.read += int64(len(b))
	return len(b), nil
}

// TestDetectTexts checks the kinds of text that no signature at their beginning
// identifies, with no declaration, a generic one, a textual one and one of
// another kind.
func TestDetectTexts(t *testing.T) {
	texts := map[parse.Kind][3]string{ // content, name, media type
		parse.CSV:      {"a,b\n1,2\n", "a.csv", "text/csv"},
		parse.TSV:      {"a\tb\n1\t2\n", "a.tsv", "text/tab-separated-values"},
		parse.Markdown: {"# A\n\ntext\n", "a.md", "text/markdown"},
		parse.Text:     {"just words\n", "a.txt", "text/plain"},
		parse.JSON:     {`{"a": 1}`, "a.json", "application/json"},
	}
	for kind, text := range texts {
		undeclared := parse.Text
		if kind == parse.JSON {
			undeclared = kind
		}
		for _, c := range []struct {
			name, contentType string
			want              parse.Kind
		}{
			{text[1], "", kind},
			{"", text[2], kind},
			{text[1], text[2], kind},
			{text[1], "text/plain", kind},
			{text[1], "application/octet-stream", kind},
			{"a.txt", text[2], kind},
			{"", "", undeclared},
			{"a", "application/octet-stream", undeclared},
			{"a.txt", "text/plain", undeclared},
			{"a.png", "image/png", ""},
			{"a.pdf", "application/pdf", ""},
			{"", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
			{"a.mp3", "audio/mpeg", ""},
		} {
			if d := parse.Detect(source(c.name, c.contentType, text[0])); d.Kind != c.want {
				t.Errorf("%s as %q, %q is %+v, want %q", kind, c.name, c.contentType, d, c.want)
			}
		}
	}
}

// TestBroken checks that truncated containers are reported as malformed, not
// as unsupported.
func TestBroken(t *testing.T) {
	docx := office(t, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")
	for name, data := range map[string]string{"a.docx": docx[:200], "a.doc": ole("WordDocument")[:200], "": docx[:100]} {
		var e parse.Engine
		if _, err := e.Parse(t.Context(), source(name, "", data), nil); !errors.Is(err, parse.ErrCorrupt) {
			t.Errorf("%q: %v, want ErrCorrupt", name, err)
		}
	}
}

// TestCorpusKinds detects the kind of every document in the development data
// under its own name and, except for CSV and plain text, under false names.
func TestCorpusKinds(t *testing.T) {
	root := golden.Root("..", "shared", "corpora")
	kinds := map[string][]parse.Kind{
		"office-dev/csv": {parse.CSV}, "office-dev/doc": {parse.DOC}, "office-dev/docx": {parse.DOCX}, "office-dev/email": {parse.EML, parse.MSG},
		"office-dev/epub": {parse.EPUB}, "office-dev/html": {parse.HTML}, "office-dev/odf": {parse.ODT, parse.ODS, parse.ODP}, "office-dev/ppt": {parse.PPT},
		"office-dev/pptx": {parse.PPTX}, "office-dev/xls": {parse.XLS}, "office-dev/xlsx": {parse.XLSX},
		"pdf-layout-dev": {parse.PDF}, "pdf-real-dev": {parse.PDF}, "pdf-tables-dev": {parse.PDF},
	}
	files, right := 0, 0
	for folder, want := range kinds {
		_ = filepath.WalkDir(filepath.Join(root, folder), func(p string, entry fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir // the folder does not exist
			}
			if !entry.Type().IsRegular() || filepath.Ext(p) == ".md" || want[0] == parse.PDF && filepath.Ext(p) != ".pdf" {
				return nil
			}
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files++
			if d := parse.Detect(source(filepath.Base(p), "", string(data))); !slices.Contains(want, d.Kind) {
				t.Logf("%s is %+v, want %v", p, d, want)
				return nil
			}
			right++
			if want[0] == parse.CSV { // only its name distinguishes CSV from plain text
				return nil
			}
			for _, name := range []string{"", "a.bin", "a.pdf", "a.txt", "a.docx", "a.png"} {
				if d := parse.Detect(source(name, "", string(data))); !slices.Contains(want, d.Kind) {
					t.Errorf("%s under the name %q is %+v, want %v", p, name, d, want)
				}
			}
			return nil
		})
	}
	if files == 0 {
		t.Skipf("no corpus at %s", root)
	}
	t.Logf("%d of %d files right", right, files)
	if right*1000 < files*995 {
		t.Errorf("%d of %d files right, want 99.5 %%", right, files)
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{
		"%PDF-1.7", "<?xml version='1.0'?><a/>", "From: a\nTo: b\n\n", "{}", "\xFF\xFE<\x00", "<!-- --><a></a>",
		ole("WordDocument"), zipped(f, "mimetype", odf+"text"),
		office(f, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
	} {
		f.Add("a.md", "text/plain", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name, contentType string, data []byte) {
		d := parse.Detect(parse.Source{Name: name, ContentType: contentType, Data: bytes.NewReader(data), Size: int64(len(data))})
		if d.Err != nil || d.Evidence == "" || (d.Kind != "") != (d.Confidence > 0) {
			t.Errorf("Detect = %+v", d)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	for name, data := range map[string]string{
		"html": "<!doctype html>" + strings.Repeat("<p>text", 20_000),
		"docx": office(b, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
		"doc":  ole("x", "WordDocument"),
		"text": strings.Repeat("text ", 20_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			src := source("", "", data)
			for b.Loop() {
				parse.Detect(src)
			}
		})
	}
}
