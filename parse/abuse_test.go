// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

var (
	measure = flag.Bool("abuse", false, "measure each bomb of TestAbuse in a child process: at most 512 MB and 5 s of CPU, or 1 s if it is refused")
	only    = flag.String("bombs", "", "with -abuse, measure only bombs whose names begin with this prefix")
	as      = flag.String("as", "", "the form that TestBomb writes: markdown or document")
	bomb    = flag.String("bomb", "", "the file that TestBomb reads; set by -abuse")
)

// bombs returns small documents that would expand to large, deep or endless
// content, keyed by file name, with the error that each must
// give. A nil error means a tree of bounded size.
func bombs() map[string]struct {
	data string
	want error
} {
	type answer = struct {
		data string
		want error
	}
	all := map[string]answer{}
	add := func(name, data string, want error) { all[name] = answer{data, want} }

	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	word := func(body string, parts ...string) string {
		return pack(append([]string{"[Content_Types].xml", types, "word/document.xml", "<w:document " + wordSpace + "><w:body>" + body}, parts...)...)
	}
	run := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	add("zip ratio", word(strings.Repeat(" ", 48<<20)), parse.ErrLimit)
	add("zip sizes that lie", lying(word(run("x"))), nil) // a warning says that the parts are damaged
	add("zip entries on each other", overlapping(word(run("x"), "word/styles.xml", "<w:styles/>")), parse.ErrLimit)
	add("zip names twice", word(run("first"), "word/document.xml", "<x/>"), nil)
	add("zip names outside", word(run("x"), "../../../../tmp/curlew", "x"), nil)
	many := make([]string, 0, 24_000)
	for i := range 12_000 {
		many = append(many, "word/"+strconv.Itoa(i), "")
	}
	add("zip of many entries", word(run("x"), many...), parse.ErrLimit)
	self := "<html><body><p>core</body></html>"
	name := "a.html"
	for range 8 {
		self = word(`<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="c"/></w:body></w:document>`,
			"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c" Type="x/aFChunk" Target="`+name+`"/></Relationships>`,
			"word/"+name, self)
		name = "a.docx"
	}
	add("nested documents", self, parse.ErrLimit)

	var laughs strings.Builder
	laughs.WriteString(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">`)
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&laughs, `<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	document := func(doctype, body string) string {
		return pack("[Content_Types].xml", types, "word/document.xml", doctype+"<w:document "+wordSpace+"><w:body>"+body+"</w:body></w:document>")
	}
	add("XML entities", document(laughs.String()+"]>", run("&z;")), nil)
	add("XML entities outside", document(`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>`, run("&a;")), nil)
	add("XML depth", word(strings.Repeat("<w:p>", 100_000)), parse.ErrLimit)
	add("XML attributes", word("<w:p "+strings.Repeat(`a="" `, 100_000)+"/>"), parse.ErrLimit)
	add("XML tag", word(`<w:p a="`+strings.Repeat("x", 2<<20)+`"/>`), parse.ErrLimit)
	add("XML charset that lies", document(`<?xml version="1.0" encoding="UTF-16"?>`, run("x")), nil)
	add("runs of a letter", document("", "<w:p>"+strings.Repeat(`<w:r><w:t>x</w:t></w:r>`, 200_000)+"</w:p>"), nil)
	add("nested tables", word(strings.Repeat("<w:tbl><w:tr><w:tc>", 80)+"<w:p>"+run("x")+"</w:p>"), parse.ErrLimit)
	add("cells across", document("", strings.Repeat(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, 2000)), nil)

	sheets := func(cells string, parts ...string) string {
		return pack(append([]string{
			"[Content_Types].xml", types,
			"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="s.xml"/><Relationship Id="t" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="t.xml"/></Relationships>`,
			"xl/s.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` + cells + "</worksheet>",
		}, parts...)...)
	}
	add("cells far apart", sheets(`<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>`), nil)
	add("merge of the whole sheet", sheets(`<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells>`+strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`, 50_000)+"</mergeCells>"), nil)
	add("shared strings", sheets("<sheetData>"+strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 20_000)+"</sheetData>",
		"xl/t.xml", `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>`+strings.Repeat("lots ", 10_000)+"</t></si></sst>"), nil)

	const flat = `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:mimetype="application/vnd.oasis.opendocument.`
	add("ODS repeats", flat+`spreadsheet"><office:body><office:spreadsheet><table:table table:name="S">`+
		strings.Repeat(`<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>ha</text:p></table:table-cell></table:table-row>`, 100)+
		`</table:table></office:spreadsheet></office:body></office:document>`, parse.ErrLimit)
	add("ODS long repeats", flat+`spreadsheet"><office:body><office:spreadsheet><table:table table:name="S">`+
		`<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>`+strings.Repeat("ha ", 300_000)+`</text:p></table:table-cell></table:table-row>`+
		`</table:table></office:spreadsheet></office:body></office:document>`, parse.ErrLimit)
	add("ODT spaces", flat+`text"><office:body><office:text><text:p>`+strings.Repeat(`<text:s text:c="2000000000"/>`, 10_000)+`x</text:p></office:text></office:body></office:document>`, nil)

	add("RTF groups", `{\rtf1 `+strings.Repeat("{", 1<<20), parse.ErrLimit)
	add("RTF groups with text", `{\rtf1 `+strings.Repeat("{", 1<<20)+"deep", nil)
	add("RTF binary", `{\rtf1 x\bin2147483647 `+strings.Repeat("y", 1<<20), nil)
	add("RTF cells", `{\rtf1\trowd`+strings.Repeat(`\cellx1`, 100_000)+strings.Repeat(`\intbl x\cell`, 100_000)+`\row}`, nil)

	add("CFB loops", looping("WordDocument"), parse.ErrLimit)
	cells := rec(0x809, "\x00\x06\x05\x00"+strings.Repeat("\x00", 12)) + rec(0xFC, "\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F\xFF\xFF\x01") +
		strings.Repeat(rec(0x3C, "\x01"), 200_000) + rec(0x85, strings.Repeat("\xFF", 8)) + rec(0x0A, "")
	add("BIFF lengths", string(cfbtest.Pack(cfbtest.Stream{Name: "Workbook", Data: []byte(cells)})), nil)
	grow := append(make([]byte, 16), bytes.Repeat([]byte("\xFF"), 4<<20)...)
	copy(grow[8:], "LZFu")
	properties := make([]byte, 32)
	add("LZFu references", string(cfbtest.Pack(cfbtest.Stream{Name: "__properties_version1.0", Data: properties}, cfbtest.Stream{Name: "__substg1.0_10090102", Data: grow})), nil)

	mail := "Subject: x\n\nx"
	for range 20 {
		mail = "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(mail)) + "\n--x--\n"
	}
	add("mail in mail", mail, nil)
	add("mail of many parts", "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n"+strings.Repeat("--x\n\nhello\n", 100_000), nil)
	add("zip in mail", "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Disposition: attachment; filename=a.docx\nContent-Transfer-Encoding: base64\n\n"+
		base64.StdEncoding.EncodeToString([]byte(all["zip ratio"].data))+"\n--x--\n", nil)

	add("HTML depth", "<!doctype html>"+strings.Repeat("<div>", 100_000), nil)
	add("HTML attribute", `<!doctype html><p title="`+strings.Repeat("x", 1<<20)+`">y`, nil)
	add("HTML text", "<!doctype html><p>"+strings.Repeat("words ", 10<<20/6), nil)
	add("RTF letters", `{\rtf1 `+strings.Repeat(`x\'41`, 500_000)+"}", nil)
	add("flowed mail", "Subject: x\nFrom: a@b\nContent-Type: text/plain; format=flowed\n\n"+strings.Repeat("word \n", 500_000), nil)
	add("JSON depth", strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20), nil)
	add("columns.csv", strings.Repeat(",", 20<<20)+"\n"+strings.Repeat("a,b\n", 1000), parse.ErrLimit)
	add("quotes.csv", strings.Repeat("a,\"b\n", 1<<20), nil)
	repeaters(add)
	if *measure {
		pdfs(add) // these give trees; -abuse measures what they cost
	}
	return all
}

// rec returns a BIFF record.
func rec(id uint16, data string) string {
	b := binary.LittleEndian.AppendUint16(nil, id)
	return string(binary.LittleEndian.AppendUint16(b, uint16(len(data)))) + data
}

// directory returns the offsets of the entries in the central directory of a
// ZIP container.
func directory(data []byte) (at []int) {
	for i := range data {
		if bytes.HasPrefix(data[i:], []byte("PK\x01\x02")) {
			at = append(at, i)
		}
	}
	return at
}

// lying changes the uncompressed sizes in the central directory of a ZIP
// container to a false value.
func lying(data string) string {
	b := []byte(data)
	for _, at := range directory(b) {
		binary.LittleEndian.PutUint32(b[at+24:], 0x7FFFFFFF)
	}
	return string(b)
}

// overlapping makes all entries of a ZIP container point to the data of the
// first one.
func overlapping(data string) string {
	b := []byte(data)
	for _, at := range directory(b) {
		binary.LittleEndian.PutUint32(b[at+42:], 0)
	}
	return string(b)
}

// looping returns an OLE container in which every sector is followed by the
// first one.
func looping(stream string) string {
	b := cfbtest.Pack(cfbtest.Stream{Name: stream, Data: make([]byte, 100_000)})
	table := int(binary.LittleEndian.Uint32(b[76:])+1) << 9
	for at := table; at < table+512; at += 4 {
		binary.LittleEndian.PutUint32(b[at:], 0)
	}
	return string(b)
}

// TestAbuse checks that every bomb gives its error or a tree of bounded
// size. With -abuse it measures the CPU time and memory of each.
func TestAbuse(t *testing.T) {
	if *measure {
		all := largest()
		for name, b := range bombs() {
			all[name] = func() string { return b.data }
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if strings.HasPrefix(name, *only) {
				report(t, name, all[name]())
			}
		}
		return
	}
	all := bombs()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := all[name]
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source(name, "", b.data), nil)
		if !errors.Is(err, b.want) || err != nil && b.want == nil {
			t.Errorf("%s: %v, want %v", name, err, b.want)
			continue
		}
		if limit, ok := errors.AsType[*parse.LimitError](err); ok != errors.Is(err, parse.ErrLimit) || ok && limit.Value == 0 && limit.Err == nil {
			t.Errorf("%s: %v does not tell which limit", name, err)
		}
		if tree == nil {
			continue
		}
		nodes, text := 0, 0
		for n := range tree.Root.Descendants() {
			nodes++
			text += len(n.Data)
		}
		if nodes > 2_100_000 || text > 100<<20 {
			t.Errorf("%s: %d bytes became %d nodes and %d bytes of text", name, len(b.data), nodes, text)
		}
	}
}

// report reads a bomb in two child processes, which write it as Markdown and
// as a Document, and checks what they cost.
func report(t *testing.T, name, data string) {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{"markdown", "document"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBomb$", "-test.v", "-bomb="+path, "-as="+as)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			return
		}
		_, line, _ := strings.Cut(string(out), "cost: ")
		line, answer, _ := strings.Cut(line, ";")
		answer, _, _ = strings.Cut(answer, "\n")
		var read, written struct {
			ms   int
			peak int
		}
		if _, err := fmt.Sscan(line, &read.ms, &read.peak, &written.ms, &written.peak); err != nil {
			t.Fatalf("%s: %s", name, out)
		}
		t.Logf("%-28s %9d bytes %6d ms %5d MB, %s %6d ms %5d MB %s", name, len(data), read.ms, read.peak, as, written.ms, written.peak, answer)
		most := 1000
		if strings.HasPrefix(answer, " a tree") {
			most = 5000 // a document that is read up to its limits may take longer than one that is refused
		}
		if read.ms > most || written.peak > 512 {
			t.Errorf("%s took %d ms of CPU and, with its %s, %d MB", name, read.ms, as, written.peak)
		}
		if !strings.HasPrefix(answer, " a tree") {
			return
		}
	}
}

// TestBomb reads one file and writes it. After each step it prints the CPU
// time in milliseconds and the peak memory in MiB of the process.
func TestBomb(t *testing.T) {
	if *bomb == "" {
		return // only report passes a file
	}
	f, err := os.Open(*bomb)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, failed := e.Parse(t.Context(), parse.Source{Name: filepath.Base(*bomb), Data: f, Size: info.Size()}, nil)
	read := cost(t)
	answer := fmt.Sprint(failed)
	if failed == nil {
		answer = "a tree"
		for _, w := range tree.Warnings[:min(len(tree.Warnings), 3)] {
			answer += ", " + w.Code
		}
		if *as == "markdown" {
			var out counter
			err = markdown.Render(t.Context(), &out, tree.Root, nil)
			answer += fmt.Sprintf(", %d bytes", out)
		} else {
			in := &format.Input{Root: tree.Root, Raw: tree.Verbatim, NotWeb: tree.Kind != parse.HTML, Verbatim: tree.Kind == parse.Text || tree.Kind == parse.Markdown}
			if tree.Kind == parse.JSON || tree.Kind == parse.XML {
				in.Lang = string(tree.Kind)
			}
			var doc *format.Document
			if doc, err = format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Markdown, format.JSONForm}}); err == nil {
				answer += fmt.Sprintf(", %d bytes", len(*doc.Markdown))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("cost: %s %s; %s", read, cost(t), answer)
}

// cost returns the CPU time that the process has used, in ms, and its peak
// memory, in MiB.
func cost(t *testing.T) string {
	return fmt.Sprintf("%d %d", cputest.Used(t).Milliseconds(), memtest.Peak(t)>>20)
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
