// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse"
)

// falseNames are names and media types that must not override a signature.
var falseNames = [][2]string{
	{"", ""},
	{"a.bin", "application/octet-stream"},
	{"a.pdf", "application/pdf"},
	{"a.txt", "text/plain"},
	{"a.html", "text/html"},
	{"a.csv", "text/csv"},
	{"a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	{"a.xls", "application/vnd.ms-excel"},
	{"a.doc", "application/msword"},
	{"a.png", "image/png"},
	{"a.zip", "application/zip"},
	{"a.eml", "message/rfc822"},
	{"a.json", "application/json"},
	{"a.md", "text/markdown"},
}

// TestDetectUnderFalseNames detects a file of every kind that its content alone
// decides, under every false declaration.
func TestDetectUnderFalseNames(t *testing.T) {
	locked := "application/vnd.oasis.opendocument."
	kinds := map[string]struct {
		data string
		want parse.Kind
	}{
		"pdf":        {"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF", parse.PDF},
		"late pdf":   {"junk\n%PDF-1.7\n1 0 obj\n<<>>\nstartxref\n0\n%%EOF", parse.PDF},
		"rtf":        {`{\rtf1\ansi x}`, parse.RTF},
		"doc":        {string(cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: make([]byte, 5000)}, cfbtest.Stream{Name: "1Table"})), parse.DOC},
		"xls":        {string(cfbtest.Pack(cfbtest.Stream{Name: "Workbook"})), parse.XLS},
		"old xls":    {string(cfbtest.Pack(cfbtest.Stream{Name: "Book"})), parse.XLS},
		"ppt":        {string(cfbtest.Pack(cfbtest.Stream{Name: "Current User"}, cfbtest.Stream{Name: "PowerPoint Document"})), parse.PPT},
		"msg":        {string(cfbtest.Pack(cfbtest.Stream{Name: "__properties_version1.0"}, cfbtest.Stream{Name: "__recip_version1.0_#0/__properties_version1.0"})), parse.MSG},
		"odt":        {zipped(t, "mimetype", locked+"text"), parse.ODT},
		"ods":        {zipped(t, "mimetype", locked+"spreadsheet"), parse.ODS},
		"odp":        {zipped(t, "mimetype", locked+"presentation"), parse.ODP},
		"epub":       {zipped(t, "mimetype", "application/epub+zip"), parse.EPUB},
		"docx":       {office(t, "word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"), parse.DOCX},
		"xlsx":       {office(t, "xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), parse.XLSX},
		"xlsb":       {office(t, "xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroEnabled.main"), parse.XLSB},
		"pptx":       {office(t, "ppt/presentation.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"), parse.PPTX},
		"png":        {"\x89PNG\r\n\x1A\n\x00\x00\x00\x0DIHDR", parse.Image},
		"jpeg":       {"\xFF\xD8\xFF\xE0\x00\x10JFIF\x00", parse.Image},
		"gif":        {"GIF89a\x01\x00\x01\x00", parse.Image},
		"webp":       {"RIFF\x10\x00\x00\x00WEBPVP8 ", parse.Image},
		"tiff":       {"II*\x00\x08\x00\x00\x00", parse.Image},
		"bmp":        {"BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x02\x00", parse.Image},
		"avif":       {"\x00\x00\x00\x1Cftypavif\x00\x00\x00\x00avifmif1", parse.Image},
		"heic":       {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", parse.Image},
		"jp2":        {"\x00\x00\x00\x0CjP  \r\n\x87\n", parse.Image},
		"html":       {"<!DOCTYPE html><html><p>x", parse.HTML},
		"xhtml":      {`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`, parse.HTML},
		"utf-16":     {"\xFF\xFE" + cfbtest.Wide("<!doctype html><p>é"), parse.HTML},
		"xml":        {`<?xml version="1.0"?><catalog><item/></catalog>`, parse.XML},
		"flat odt":   {`<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="` + locked + `text"/>`, parse.ODT},
		"eml":        {"Received: x\r\nFrom: a@b\r\nSubject: x\r\n\r\ntext", parse.EML},
		"eml, parts": {"From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x--", parse.EML},
		"mhtml":      {"From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=x\r\n\r\n--x--", parse.MHTML},
	}
	for name, c := range kinds {
		for _, said := range falseNames {
			if d := parse.Detect(source(said[0], said[1], c.data)); d.Kind != c.want {
				t.Errorf("%s as %q, %q is %+v", name, said[0], said[1], d)
			}
		}
	}
}

// TestLegacyErrors checks what the readers of mail and OLE containers
// refuse.
func TestLegacyErrors(t *testing.T) {
	fib := make([]byte, 600)
	copy(fib, "\xEC\xA5\xC1\x00")
	fib[0x0B] = 1
	for _, c := range []struct {
		what string
		data string
		want error
	}{
		{"image", "\x89PNG\r\n\x1A\n\x00\x00\x00\x0DIHDR", parse.ErrUnsupported},
		{"encrypted doc", string(cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: fib})), parse.ErrEncrypted},
		{"empty xls", string(cfbtest.Pack(cfbtest.Stream{Name: "Workbook"})), parse.ErrCorrupt},
		{"empty ppt", string(cfbtest.Pack(cfbtest.Stream{Name: "PowerPoint Document"})), parse.ErrCorrupt},
		{"empty doc", string(cfbtest.Pack(cfbtest.Stream{Name: "WordDocument"})), parse.ErrCorrupt},
		{"other container", string(cfbtest.Pack(cfbtest.Stream{Name: "Contents"})), parse.ErrUnsupported},
	} {
		var e parse.Engine
		if _, err := e.Parse(t.Context(), source("a", "", c.data), nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
}

// TestMailInMail reads attached documents and messages that are nested as
// deep as the limit allows.
func TestMailInMail(t *testing.T) {
	csv := "Content-Type: application/octet-stream; name=\"a.csv\"\nContent-Disposition: attachment\n\na,b\n1,2\n"
	inner := "Content-Type: application/octet-stream; name=\"m.eml\"\nContent-Transfer-Encoding: base64\n\n"
	message := "From: a@b\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n--x\n" + csv + "--x--\n"
	for range 6 {
		message = "From: a@b\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n--x\n" + inner +
			base64.StdEncoding.EncodeToString([]byte(message)) + "\n--x\n" + csv + "--x--\n"
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.eml", "", message), nil)
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for n := range tree.Root.Descendants() {
		if n.Data == "table" {
			tables++
		}
	}
	if tables != 3 {
		t.Errorf("%d tables, want one of each message as deep as documents are read", tables)
	}
}

// TestCorpusLegacy reads every legacy Office file and message in the
// development data and compares the words with the Markdown of another
// converter.
func TestCorpusLegacy(t *testing.T) {
	root := golden.Root("..", "shared", "corpora", "office-dev")
	files := 0
	for _, folder := range []string{"doc", "xls", "ppt", "email"} {
		paths, _ := filepath.Glob(filepath.Join(root, folder, "*"))
		for _, p := range paths {
			if filepath.Ext(p) == ".md" {
				continue
			}
			files++
			got := markdownOf(t, p)
			if len(strings.TrimSpace(got)) == 0 {
				t.Errorf("%s: nothing", p)
			}
			reference, err := os.ReadFile(p + ".md")
			if err != nil {
				continue // mail has no reference Markdown
			}
			r, precision := recall(tokens(got), tokens(string(reference)))
			t.Logf("%s: token recall %.3f, precision %.3f", filepath.Base(p), r, precision)
			if r < .98 {
				t.Errorf("%s: token recall %.3f, want .98", p, r)
			}
		}
	}
	if files == 0 {
		t.Skip("../shared is absent")
	}
}
