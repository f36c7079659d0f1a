// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"example.com/curlew/internal/test/cfbtest"
)

// largest returns functions that make documents of at most 50 MiB with the
// largest possible trees or texts, keyed by file name.
func largest() map[string]func() string {
	all := map[string]func() string{}
	add := func(name string, data func() string) { all[name] = data }
	rnd := rand.New(rand.NewPCG(1, 2)) // random, because repeated content would exceed the compression ratio limit
	fill := func(size int, piece func(b *strings.Builder)) string {
		var b strings.Builder
		b.Grow(size + 1<<20)
		for b.Len() < size {
			piece(&b)
		}
		return b.String()
	}
	again := func(size int, piece string) string { return strings.Repeat(piece, size/len(piece)) }
	letter := func() byte { return byte('a' + rnd.IntN(26)) }
	word := func() string { return string([]byte{letter(), letter(), letter(), letter()}) }

	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	const relation = `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`
	relations := func(list string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + list + `</Relationships>`
	}
	book := func(shared string, sheets ...string) string {
		var list, links strings.Builder
		parts := []string{"[Content_Types].xml", types}
		for i, s := range sheets {
			fmt.Fprintf(&list, `<sheet name="S%d" sheetId="%d" r:id="s%d"/>`, i, i+1, i)
			fmt.Fprintf(&links, relation, fmt.Sprintf("s%d", i), "worksheet", fmt.Sprintf("s%d.xml", i))
			parts = append(parts, fmt.Sprintf("xl/s%d.xml", i), `<worksheet `+sheetSpace+`><sheetData>`+s+`</sheetData></worksheet>`)
		}
		if shared != "" {
			fmt.Fprintf(&links, relation, "t", "sharedStrings", "t.xml")
			parts = append(parts, "xl/t.xml", `<sst `+sheetSpace+`>`+shared+`</sst>`)
		}
		return pack(append(parts, "xl/workbook.xml", `<workbook `+sheetSpace+`><sheets>`+list.String()+`</sheets></workbook>`, "xl/_rels/workbook.xml.rels", relations(links.String()))...)
	}
	rows := func(rows, columns int, cell func(b *strings.Builder)) string {
		var b strings.Builder
		for range rows {
			b.WriteString("<row>")
			for range columns {
				cell(&b)
			}
			b.WriteString("</row>")
		}
		return b.String()
	}
	number := func(b *strings.Builder) { fmt.Fprintf(b, "<c><v>%d</v></c>", rnd.IntN(1000)) }
	long := func(size int) func(b *strings.Builder) {
		return func(b *strings.Builder) {
			b.WriteString(`<c t="str"><v>` + strings.Repeat(word()+" ", size/5) + "</v></c>")
		}
	}
	add("XLSX one sheet", func() string { return book("", rows(200_000, 20, number)) })
	sheets := func(n int, cell func(b *strings.Builder)) (all []string) {
		for range 100 {
			all = append(all, rows(n, 20, cell))
		}
		return all
	}
	add("XLSX many sheets", func() string { return book("", sheets(2000, number)...) })
	add("XLSX long columns", func() string { return book("", rows(1<<20, 3, number)) })
	add("XLSX texts", func() string {
		return book("", rows(12_000, 20, long(500)), rows(12_000, 20, long(500)), rows(12_000, 20, long(500)))
	})
	add("XLSX texts in many sheets", func() string { return book("", sheets(100, long(2000))...) })
	add("XLSX shared texts", func() string {
		return book(fill(120<<20, func(b *strings.Builder) { b.WriteString("<si><t>" + strings.Repeat(word()+" ", 50) + "</t></si>") }),
			rows(25_000, 20, func(b *strings.Builder) { fmt.Fprintf(b, `<c t="s"><v>%d</v></c>`, rnd.IntN(400_000)) }))
	})
	add("XLSX markup", func() string {
		return book("", rows(100_000, 20, func(b *strings.Builder) { b.WriteString(`<c t="str"><v>*_[` + word() + `](` + word() + "|`</v></c>") }))
	})

	const spaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"`
	open := func(kind, body string) string {
		return pack("mimetype", odf+map[string]string{"text": "text", "spreadsheet": "spreadsheet"}[kind],
			"content.xml", `<office:document-content `+spaces+`><office:body><office:`+kind+`>`+body+`</office:`+kind+`></office:body></office:document-content>`)
	}
	const table, row = `<table:table table:name="S">`, `<table:table-row>`
	value := func(b *strings.Builder) {
		fmt.Fprintf(b, "<table:table-cell><text:p>%d</text:p></table:table-cell>", rnd.IntN(1000))
	}
	odsRows := func(n int) string {
		return fill(n, func(b *strings.Builder) {
			b.WriteString(row)
			for range 20 {
				value(b)
			}
			b.WriteString("</table:table-row>")
		})
	}
	add("ODS one sheet", func() string { return open("spreadsheet", table+odsRows(126<<20)+`</table:table>`) })
	add("ODS of 280 MB", func() string {
		return open("spreadsheet", table+fill(280<<20, func(b *strings.Builder) {
			b.WriteString(`<table:table-row table:style-name="ro1">`)
			for range 20 {
				n := rnd.IntN(100_000)
				fmt.Fprintf(b, `<table:table-cell table:style-name="ce%d" office:value-type="float" office:value="%d" calcext:value-type="float"><text:p>%d</text:p></table:table-cell>`, n%9, n, n)
			}
			b.WriteString("</table:table-row>")
		})+`</table:table>`)
	})
	add("ODS many sheets", func() string { return open("spreadsheet", strings.Repeat(table+odsRows(2<<20)+`</table:table>`, 62)) })
	add("ODT paragraphs", func() string {
		return open("text", fill(126<<20, func(b *strings.Builder) { b.WriteString("<text:p>" + word() + "</text:p>") }))
	})
	add("ODT lists", func() string {
		return open("text", "<text:list>"+fill(126<<20, func(b *strings.Builder) {
			b.WriteString("<text:list-item><text:p>" + word() + "</text:p></text:list-item>")
		})+"</text:list>")
	})
	add("ODT cells", func() string { return open("text", table+odsRows(126<<20)+`</table:table>`) })

	docx := func(body string) string {
		return pack("[Content_Types].xml", types, "word/document.xml", "<w:document "+wordSpace+"><w:body>"+body+"</w:body></w:document>")
	}
	const most = 126 << 20 // bytes of one part
	add("DOCX paragraphs", func() string {
		return docx(fill(most, func(b *strings.Builder) { b.WriteString("<w:p><w:r><w:t>" + word() + "</w:t></w:r></w:p>") }))
	})
	bold := func(b *strings.Builder) {
		b.WriteString("<w:r><w:rPr><w:b/></w:rPr><w:t>" + word() + "</w:t></w:r><w:r><w:t>" + word() + "</w:t></w:r>")
	}
	add("DOCX runs", func() string { return docx("<w:p>" + fill(most, bold) + "</w:p>") })
	add("DOCX runs in paragraphs", func() string {
		return docx(fill(most, func(b *strings.Builder) {
			b.WriteString("<w:p>")
			bold(b)
			b.WriteString("</w:p>")
		}))
	})
	add("DOCX cells", func() string {
		return docx("<w:tbl>" + fill(most, func(b *strings.Builder) {
			b.WriteString("<w:tr>")
			for range 20 {
				b.WriteString("<w:tc><w:p><w:r><w:t>" + word() + "</w:t></w:r></w:p></w:tc>")
			}
			b.WriteString("</w:tr>")
		}) + "</w:tbl>")
	})
	add("DOCX text", func() string {
		return docx(fill(most, func(b *strings.Builder) {
			b.WriteString("<w:p><w:r><w:t>" + strings.Repeat(word()+" ", 200) + "</w:t></w:r></w:p>")
		}))
	})
	add("DOCX one text", func() string {
		return docx("<w:p><w:r>" + fill(most, func(b *strings.Builder) {
			b.WriteString("<w:t>" + strings.Repeat(word()+" ", 200) + "</w:t>")
		}) + "</w:r></w:p>")
	})
	add("DOCX headings", func() string {
		return docx(fill(most, func(b *strings.Builder) {
			b.WriteString(`<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>` + word() + "</w:t></w:r></w:p>")
		}))
	})

	const whole = 50 << 20
	add("RTF paragraphs", func() string { return `{\rtf1 ` + again(whole-16, `x\par `) + "}" })
	add("RTF bold", func() string { return `{\rtf1 ` + again(whole-16, `\b x\b0 y\par `) + "}" })
	add("RTF table", func() string {
		return `{\rtf1\trowd\cellx1\cellx2\cellx3 ` + again(whole-64, `\pard\intbl x\cell y\cell z\cell\row `) + "}"
	})

	for _, h := range []struct{ name, piece string }{
		{"paragraphs", "<p>x"},
		{"breaks", "x<br>"},
		{"bold", "<b>x</b>y"},
		{"attributes", "<i a=b>x</i>"},
		{"links", "<a href=x>y</a> "},
		{"cells", "<tr><td>x<td>y"},
		{"items", "<li>x"},
	} {
		size := whole - 64
		if h.name == "attributes" {
			size = 2_000_000 * len(h.piece) // the most tags and attributes that are read
		}
		start := "<!doctype html>"
		if h.name == "cells" {
			start += "<table>"
		}
		add("HTML "+h.name, func() string { return start + again(size, h.piece) })
	}
	add("HTML formatting", func() string {
		return "<!doctype html>" + strings.Repeat("<b><i><u><s><tt><em><big>", 3) + again(whole-256, "<p>x")
	})
	add("HTML tables", func() string { return "<!doctype html>" + again(whole-64, "<table><td>x</table>") })
	add("HTML ends", func() string { return "<!doctype html>" + again(whole-64, "</p>") })
	add("HTML long text", func() string { return "<!doctype html><p>" + again(whole-64, "words and *words* ") })

	add("EPUB paragraphs", func() string {
		chapters := make([]string, 0, 64)
		var items, spine strings.Builder
		for i := range 16 {
			fmt.Fprintf(&items, `<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
			fmt.Fprintf(&spine, `<itemref idref="c%d"/>`, i)
			chapters = append(chapters, fmt.Sprintf("c%d.xhtml", i), "<html><body>"+fill(8<<20, func(b *strings.Builder) { b.WriteString("<p>" + word() + "</p>") })+"</body></html>")
		}
		return pack(append([]string{
			"mimetype", "application/epub+zip", "META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
			"p.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest>` + items.String() + `</manifest><spine>` + spine.String() + `</spine></package>`,
		}, chapters...)...)
	})

	add("mail of HTML", func() string {
		return "From: a@b\nSubject: x\nContent-Type: text/html\n\n" + again(whole-256, "<p>x\n")
	})
	add("mail of lines", func() string {
		return "From: a@b\nSubject: x\nContent-Type: text/plain\n\n" + again(whole-256, "x\n\n")
	})
	add("mail of HTML parts", func() string {
		return "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\nContent-Type: text/html\n\n"+again(whole/4, "<p>x\n")+"\n", 3) + "--x--\n"
	})

	add("one column.csv", func() string { return again(whole-16, "x,\n") })
	add("columns of numbers.csv", func() string {
		return fill(whole-1<<10, func(b *strings.Builder) {
			for range 19 {
				fmt.Fprintf(b, "%d,", rnd.IntN(10))
			}
			b.WriteString("1\n")
		})
	})
	add("long fields.csv", func() string {
		return fill(whole-1<<12, func(b *strings.Builder) { b.WriteString(strings.Repeat(word()+" ", 60) + ",b\n") })
	})
	add("lines.txt", func() string { return again(whole-16, "x\n") })
	add("latin.txt", func() string { return again(whole-16, "\xe9\xe8\xea ein\xe9 w\xf6rt\n") })
	add("empty lists.json", func() string { return "[" + again(whole-16, "[],") + "0]" })
	add("numbers.json", func() string { return "[" + again(whole-16, "1,") + "0]" })
	add("elements.xml", func() string { return `<?xml version="1.0"?><a>` + again(whole-64, "<b/>\n") + "</a>" })
	add("paragraphs.md", func() string { return "# x\n\n" + again(whole-64, "x\n\n") })
	add("paragraphs short.md", func() string { return "# x\n\n" + again(2<<20-64, "x\n\n") })
	add("emphasis short.md", func() string { return "# x\n\n" + again(2<<20-64, "*x* ") })

	add("XLS one sheet", func() string {
		var workbook strings.Builder
		workbook.WriteString(rec(0x809, "\x00\x06\x05\x00"+strings.Repeat("\x00", 12)))
		sheet := "\x00\x00\x00\x00\x00\x00\x01\x00S"
		begin := 20 + 4 + len(sheet) + 4
		workbook.WriteString(rec(0x85, string(binary.LittleEndian.AppendUint32(nil, uint32(begin)))+sheet[4:]))
		workbook.WriteString(rec(0x0A, ""))
		workbook.WriteString(rec(0x809, "\x00\x06\x10\x00"+strings.Repeat("\x00", 12)))
		for r := range 10_000 {
			b := binary.LittleEndian.AppendUint16(nil, uint16(r))
			b = append(b, 0, 0)
			for c := range 100 {
				b = append(b, 0, 0)
				b = binary.LittleEndian.AppendUint32(b, uint32((r*c%1000)<<2|2))
			}
			b = append(b, 99, 0)
			workbook.WriteString(rec(0xBD, string(b)))
		}
		workbook.WriteString(rec(0x0A, ""))
		return string(cfbtest.Pack(cfbtest.Stream{Name: "Workbook", Data: []byte(workbook.String())}))
	})
	return all
}
