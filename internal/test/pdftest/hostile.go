// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// Hostile is a file that makes a naive reader spend far more time or memory
// than its size justifies.
type Hostile struct {
	Name string
	Make func() []byte
}

// HostileFiles returns one file of each kind, of at most some megabytes. Names
// are unique.
func HostileFiles() []Hostile {
	return []Hostile{
		{"words that are no headers", func() []byte { return headers("zzz obj", 400_000) }},
		{"headers without objects", func() []byte { return headers("1 0 obj", 400_000) }},
		{"headers of objects in each other", func() []byte { return numbered(150_000, "%d 0 obj <</A ") }},
		{"white space before headers", func() []byte { return headers(strings.Repeat(" ", 8_000)+"obj", 400) }},
		{"streams without an end", func() []byte { return numbered(60_000, "%d 0 obj <</Type /ObjStm /N 9 /First 9>> stream\n") }},
		{"strings without an end", func() []byte { return numbered(100_000, "%d 0 obj ((\n") }},
		{"hexadecimal strings without an end", func() []byte { return numbered(100_000, "%d 0 obj <<</ObjStm <\n") }},
		{"comments without an end", func() []byte { return numbered(100_000, "%d 0 obj %%") }},
		{"trailers", func() []byte { return headers("trailer <<", 300_000) }},
		{"places of cross-reference sections", func() []byte { return headers("startxref", 300_000) }},
		{"cross-reference sections in each other", sectionsInEachOther},
		{"a chain of cross-reference sections", sectionChain},
		{"subsections of a cross-reference table", func() []byte {
			return indexed("%PDF-1.4\n", "xref\n"+strings.Repeat("0 0\n", 500_000)+"trailer <</Root 1 0 R>>")
		}},
		{"a cross-reference table without an end", func() []byte {
			return indexed("%PDF-1.4\n", "xref\n0 4294967295\n"+strings.Repeat("0000000000 00000 n \n", 100_000))
		}},
		{"an object stream with wrong places", packedWrongly},
		{"object streams in object streams", packedInPacked},
		{"one object stream many times", packedAgain},
		{"a page tree of shared nodes", sharedNodes},
		{"a page tree of lists in lists", nestedLists},
		{"a page with a million children", func() []byte {
			return bare("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids ["+strings.Repeat("2 0 R ", 500_000)+"]>>")
		}},
		{"pages that share a content stream", sharedContent},
		{"pages that share fonts that are not one", sharedFonts},
		{"forms that double", doublingForms},
		{"an outline of circles", circularOutline},
		{"a tree of names that doubles", doublingNames},
		{"fields that double", doublingFields},
		{"annotations that are shared", sharedNotes},
		{"a structure tree that doubles", doublingStructure},
		{"ranges of a ToUnicode table", toUnicodeRanges},
		{"tables of characters that use each other", circularMaps},
		{"layers that double", doublingLayers},
		{"nested arrays", func() []byte {
			return bare("<</Type /Catalog /Pages 2 0 R /A "+strings.Repeat("[", 1_000_000)+">>", "<</Kids [3 0 R]>>", "<</Type /Page>>")
		}},
		{"filters on filters", func() []byte {
			data := string(deflated(deflated(deflated(make([]byte, 64<<20)))))
			return bare("<</Type /Catalog /Pages 2 0 R>>", "<</Kids [3 0 R]>>", "<</Type /Page /Contents ["+strings.Repeat("4 0 R ", 10_000)+"]>>",
				fmt.Sprintf("<</Filter [/FlateDecode /FlateDecode /FlateDecode] /Length %d>> stream\n%s\nendstream", len(data), data))
		}},
	}
}

// headers writes a line n times, and a wrong offset of the cross-reference
// section.
func headers(line string, n int) []byte {
	return []byte("%PDF-1.4\n" + strings.Repeat(line+"\n", n) + "startxref\n7\n%%EOF\n")
}

// numbered writes a format n times with increasing numbers, without the ends of
// the objects that it starts.
func numbered(n int, format string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	b.WriteString("\nstartxref\n7\n%%EOF\n")
	return b.Bytes()
}

// indexed writes a last section and its offset.
func indexed(body, section string) []byte {
	return fmt.Appendf(nil, "%s%s\nstartxref\n%d\n%%%%EOF\n", body, section, len(body))
}

// bare writes objects from number 1 on, the catalog first, with a valid
// cross-reference table.
func bare(objects ...string) []byte {
	return file(objects, "")
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// sectionsInEachOther is a file of cross-reference sections whose trailers are
// not closed, so that each contains all later ones. Each refers to the previous
// one.
func sectionsInEachOther() []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	prev := 0
	for range 4000 {
		at := b.Len()
		fmt.Fprintf(&b, "xref\n0 1\n0000000000 65535 f \ntrailer <</Root 1 0 R /Prev %d /A (%s", prev, strings.Repeat("x", 500))
		prev = at
	}
	return fmt.Appendf(nil, "%s\nstartxref\n%d\n%%%%EOF\n", b.String(), prev)
}

// sectionChain is a file of many valid sections, each of which refers to the
// previous one.
func sectionChain() []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Kids [3 0 R]>> endobj\n3 0 obj <</Type /Page>> endobj\n")
	prev := ""
	for range 20_000 {
		at := b.Len()
		fmt.Fprintf(&b, "xref\n0 1\n0000000000 65535 f \ntrailer <</Root 1 0 R %s>>\n", prev)
		prev = fmt.Sprintf("/Prev %d", at)
	}
	return fmt.Appendf(nil, "%sstartxref\n%s\n%%%%EOF\n", b.String(), strings.TrimPrefix(prev, "/Prev "))
}

// crossed writes objects and an uncompressed cross-reference stream with
// additional rows of one, four and four bytes.
func crossed(rows []byte, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	all := make([]byte, 9)
	for i, o := range objects {
		all = append(all, 1, byte(b.Len()>>24), byte(b.Len()>>16), byte(b.Len()>>8), byte(b.Len()), 0, 0, 0, 0)
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	all = append(all, rows...)
	fmt.Fprintf(&b, "%d 0 obj\n<</Type /XRef /Size %d /Root 1 0 R /W [1 4 4] /Length %d>> stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, len(all)/9, len(all), all, at)
	return b.Bytes()
}

// row is the row of an object in an object stream.
func row(stream, index int) []byte {
	return []byte{2, byte(stream >> 24), byte(stream >> 16), byte(stream >> 8), byte(stream), byte(index >> 24), byte(index >> 16), byte(index >> 8), byte(index)}
}

// packedWrongly is a file with an object stream in which all objects have the
// same offset. Their cross-reference entries have wrong indexes.
func packedWrongly() []byte {
	const n = 100_000
	var heads, rows bytes.Buffer
	kids := make([]string, 0, n)
	for i := range n {
		fmt.Fprintf(&heads, "%d 0 ", 5+i)
		rows.Write(row(4, n-1-i))
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+i))
	}
	body := deflated([]byte(heads.String() + "<</Type /Page>>"))
	return crossed(rows.Bytes(), "<</Type /Catalog /Pages 2 0 R>>", "<</Kids 3 0 R>>", "["+strings.Join(kids, " ")+"]",
		fmt.Sprintf("<</Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d>> stream\n%s\nendstream", n, heads.Len(), len(body), body))
}

// packedInPacked is a file of object streams, each of which needs the next one
// for its length, and the last one the first.
func packedInPacked() []byte {
	const n = 5000
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>", fmt.Sprintf("<</Kids [%d 0 R]>>", 3+n)}
	var rows []byte
	for i := range n {
		objects = append(objects, fmt.Sprintf("<</Type /ObjStm /N %d 0 R /First %d 0 R /Extends %d 0 R /Length %d 0 R>> stream\n%d 0 1\nendstream",
			3+n+(i+1)%n, 3+n+(i+2)%n, 3+(i+1)%n, 3+n+(i+1)%n, 3+n+i))
	}
	rows = append(rows, make([]byte, 9)...) // for the cross-reference stream itself
	for i := range n {
		rows = append(rows, row(3+i, 0)...)
	}
	return crossed(rows, objects...)
}

// packedAgain is a damaged file with many object streams. They have the same
// data, which decompresses to many megabytes.
func packedAgain() []byte {
	body := deflated(bytes.Repeat([]byte("7 0 "), 4<<20))
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Kids [3 0 R]>> endobj\n3 0 obj <</Type /Page>> endobj\n")
	for i := range 20 {
		fmt.Fprintf(&b, "%d 0 obj <</Type /ObjStm /N 200000 /First 1000 /Filter /FlateDecode /Length %d>> stream\n%s\nendstream endobj\n", 10+i, len(body), body)
	}
	b.WriteString("startxref\n7\n%%EOF\n")
	return b.Bytes()
}

// doubling writes n objects of a format that refers to the next one twice; the
// last one is given.
func doubling(first, n int, format, last string) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(strings.ReplaceAll(format, "NEXT", "%[1]d 0 R"), first+i+1))
	}
	return append(all, last)
}

// sharedNodes is a page tree of nodes that refer to the next one a thousand
// times.
func sharedNodes() []byte {
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>"}
	return bare(append(objects, doubling(2, 60, "<</Type /Pages /Kids ["+strings.Repeat("NEXT ", 1000)+"]>>", "<</Type /Page>>")...)...)
}

// nestedLists is a page tree of direct nodes that share their lists.
func nestedLists() []byte {
	objects := []string{"<</Type /Catalog /Pages <</Kids 2 0 R>> >>"}
	return bare(append(objects, doubling(2, 60, "[<</Kids NEXT>> <</Kids NEXT>> <</Kids NEXT>>]", "[<</Type /Page>>]")...)...)
}

// sharedContent is a file of many pages with the same content stream, which
// takes some time.
func sharedContent() []byte {
	var d Document
	content := deflated([]byte(strings.Repeat("BT /F1 9 Tf 1 0 0 1 72 700 Tm (words and words and words) Tj ET 72 72 m 90 90 l S\n", 4_000)))
	c := d.Stream("/Filter /FlateDecode", string(content))
	f := d.Add(Fonts)
	for range 3_000 {
		d.pages = append(d.pages, d.Add(fmt.Sprintf("<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %d 0 R /Contents %d 0 R>>", f, c)))
	}
	return d.Bytes()
}

// sharedFonts is a file of pages with different fonts that share one font
// program.
func sharedFonts() []byte {
	var d Document
	program := deflated(bytes.Repeat([]byte("dup 65 /A put\n"), 100_000))
	p := d.Stream(fmt.Sprintf("/Length1 %d /Filter /FlateDecode", 1_400_000), string(program))
	for range 2_000 {
		d.Page(Text("F1", 12, 72, 700, "text"), fmt.Sprintf("<</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /A /FontDescriptor <</FontName /A /Flags 4 /FontFile %d 0 R>> >> >> >>", p), "")
	}
	return d.Bytes()
}

// doublingForms is a file of pages with a form that paints another form eight
// times, which does the same with the next one, and so on.
func doublingForms() []byte {
	var d Document
	const depth = 14
	first := d.Stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources "+Fonts, Text("F1", 9, 72, 700, "innermost"))
	for range depth {
		first = d.Stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources <</XObject <</X %d 0 R>> >>", first), strings.Repeat("/X Do ", 8))
	}
	for range 20 {
		d.Page("/X Do", fmt.Sprintf("<</XObject <</X %d 0 R>> >>", first), "")
	}
	return d.Bytes()
}

func circularOutline() []byte {
	var d Document
	n := d.Add("<</Type /Outlines /First 4 0 R /Last 4 0 R>>")
	const items = 5000
	for i := range items {
		d.Add(fmt.Sprintf("<</Title (item) /First %d 0 R /Next %d 0 R /Dest [9 0 R /Fit]>>", n+1+(i*7+1)%items, n+1+(i+1)%items))
	}
	d.Catalog = fmt.Sprintf("/Outlines %d 0 R", n)
	d.Page(Text("F1", 12, 72, 700, "text"), Fonts, "")
	return d.Bytes()
}

func doublingNames() []byte {
	var d Document
	d.init()
	const depth = 60
	for _, o := range doubling(3, depth, "<</Kids [NEXT NEXT] /Nums [0 1] /Names [(a) 1]>>", "<</Names [(a) [9 0 R /Fit]]>>") {
		d.Add(o)
	}
	d.Catalog = "/Names <</Dests 3 0 R /EmbeddedFiles 3 0 R>> /PageLabels 3 0 R"
	d.Page(Text("F1", 12, 72, 700, "text"), Fonts, "/Annots [<</Subtype /Link /Rect [0 0 99 99] /Dest (b)>>]")
	return d.Bytes()
}

func doublingFields() []byte {
	var d Document
	d.init()
	const depth = 60
	for _, o := range doubling(3, depth, "<</T (f) /FT /Tx /V (v) /Kids [NEXT NEXT] /Parent NEXT>>", "<</T (g) /V (w)>>") {
		d.Add(o)
	}
	d.Catalog = "/AcroForm <</Fields [3 0 R 3 0 R]>>"
	d.Page(Text("F1", 12, 72, 700, "text"), Fonts, "/Annots ["+strings.Repeat("<</Subtype /Widget /Rect [0 0 99 99] /Parent 3 0 R>> ", 2_000)+"]")
	return d.Bytes()
}

// sharedNotes is a file of pages with the same list of annotations with
// appearances.
func sharedNotes() []byte {
	var d Document
	look := d.Stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources "+Fonts, strings.Repeat(Text("F1", 9, 72, 700, "look"), 2_000))
	notes := d.Add("[" + strings.Repeat(fmt.Sprintf("<</Subtype /FreeText /Contents (note) /Rect [0 0 612 792] /AP <</N %d 0 R>> >> ", look), 1_000) + "]")
	for range 500 {
		d.Page("", "<<>>", fmt.Sprintf("/Annots %d 0 R", notes))
	}
	return d.Bytes()
}

func doublingStructure() []byte {
	var d Document
	d.init()
	const depth = 60
	for _, o := range doubling(3, depth, "<</Type /StructElem /S /Div /K [NEXT NEXT]>>", "<</S /P /K 0>>") {
		d.Add(o)
	}
	roles := make([]string, 0, 2000)
	for i := range 2000 {
		roles = append(roles, fmt.Sprintf("/R%d /R%d", i, (i+1)%2000))
	}
	d.Catalog = "/MarkInfo <</Marked true>> /StructTreeRoot <</Type /StructTreeRoot /K [3 0 R 3 0 R] /RoleMap <<" + strings.Join(roles, " ") + ">> >>"
	d.Page("/P <</MCID 0>> BDC "+Text("F1", 12, 72, 700, "text")+" EMC", Fonts, "/StructParents 0")
	return d.Bytes()
}

func toUnicodeRanges() []byte {
	var d Document
	data := "/CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange\n" +
		strings.Repeat("1 beginbfrange <0000> <FFFF> <0041> endbfrange\n", 50_000)
	m := d.Stream("/Filter /FlateDecode", string(deflated([]byte(data))))
	font := fmt.Sprintf("<</Font <</F1 <</Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode %d 0 R /DescendantFonts [<</Type /Font /Subtype /CIDFontType2 /BaseFont /A "+
		"/W [0 4294967295 500 %s] >>]>> >> >>", m, strings.Repeat("0 65535 500 ", 20_000))
	text := "BT /F1 12 Tf 72 700 Td <" + strings.Repeat("FFFE", 100_000) + "> Tj ET"
	for range 10 {
		d.Page(text, font, "")
	}
	return d.Bytes()
}

func circularMaps() []byte {
	var d Document
	d.init()
	const n = 500
	for i := range n {
		data := "begincmap 1 begincodespacerange <00> <FF> endcodespacerange " + strings.Repeat("1 begincidrange <00> <FF> 0 endcidrange ", 200)
		d.Stream(fmt.Sprintf("/Type /CMap /CMapName /M%d /UseCMap %d 0 R", i, 3+(i+1)%n), data)
	}
	fonts := make([]string, 0, n)
	show := make([]string, 0, n)
	for i := range n {
		fonts = append(fonts, fmt.Sprintf("/F%d <</Type /Font /Subtype /Type0 /BaseFont /A /Encoding %d 0 R /ToUnicode %[2]d 0 R /DescendantFonts [<</Type /Font /Subtype /CIDFontType0 /BaseFont /A>>]>>", i, 3+i))
		show = append(show, fmt.Sprintf("/F%d 9 Tf (text) Tj", i))
	}
	d.Page("BT 72 700 Td "+strings.Join(show, " ")+" ET", "<</Font <<"+strings.Join(fonts, " ")+">> >>", "")
	return d.Bytes()
}

func doublingLayers() []byte {
	var d Document
	d.init()
	const depth = 60
	for _, o := range doubling(3, depth, "<</Type /OCMD /OCGs [NEXT NEXT] /VE [/And NEXT NEXT]>>", "<</Type /OCG /Name (layer)>>") {
		d.Add(o)
	}
	for _, o := range doubling(3+depth+1, depth, "[/Or NEXT NEXT]", "[/Not 60 0 R]") {
		d.Add(o)
	}
	d.Catalog = "/OCProperties <</OCGs [63 0 R] /D <</OFF [63 0 R] /Order 3 0 R>> >>"
	d.Page(strings.Repeat("/OC /L BDC "+Text("F1", 12, 72, 700, "text")+" EMC /OC /M BDC EMC\n", 1_000),
		strings.TrimSuffix(Fonts, ">>")+fmt.Sprintf("/Properties <</L 3 0 R /M <</Type /OCMD /VE %d 0 R>> >> >>", 3+depth+1), "")
	return d.Bytes()
}
