// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/test/pdftest"
)

// mediaTypes contains the media types of documents.
var mediaTypes = map[string]string{
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"csv":  "text/csv; charset=utf-8",
	"pdf":  "application/pdf",
}

// buildFile makes a document of a catalog, and a page that links it.
func (c *catalog) buildFile(s site) {
	l := locales[c.lang]
	rows := [][]string{nil}
	for _, f := range columns {
		rows[0] = append(rows[0], l.labels[f])
	}
	for _, r := range c.records {
		var cells []string
		for _, f := range columns {
			text := r.printed(f)
			switch {
			case c.file != "xlsx" && c.file != "csv":
			case f == "price":
				text = strconv.FormatFloat(float64(r.cents)/100, 'f', -1, 64)
			case f == "stock":
				text = strconv.Itoa(r.stock)
			case f == "since":
				text = r.since.Format(time.DateOnly)
			}
			cells = append(cells, r.print(f, "", text))
		}
		rows = append(rows, cells)
	}
	var body []byte
	switch c.file {
	case "xlsx":
		body = workbook(rows)
	case "docx":
		body = letter(c.title(), rows)
	case "csv":
		body = commas(rows)
	case "pdf":
		body = leaflet(c.title(), rows)
	}
	s.add(c.document(), page{kind: mediaTypes[c.file], body: body})
	s.add(c.entry(), c.frame(c.title(), "", fmt.Sprintf(`<h1>%s</h1><p>The whole list is in one document, which is made anew every month and holds all articles with their prices, numbers in stock and makers, down to the last of them.</p><p><a href="/files/%s.%s">%s as %s</a></p>`,
		html.EscapeString(c.title()), c.id, c.file, html.EscapeString(c.title()), strings.ToUpper(c.file))))
}

func commas(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if w.WriteAll(rows) != nil {
		return nil // writing to a buffer never fails
	}
	return b.Bytes()
}

// pack makes a ZIP file of texts with names.
func pack(parts ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			return nil
		}
		if _, err := w.Write([]byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + parts[i+1])); err != nil {
			return nil
		}
	}
	if z.Close() != nil {
		return nil
	}
	return b.Bytes()
}

const (
	officeTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>%s</Types>`
	officeRels  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/></Relationships>`
)

// workbook makes an XLSX file with one sheet. Numbers are stored as numbers.
func workbook(rows [][]string) []byte {
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for k, cell := range row {
			ref := string(rune('A'+k)) + strconv.Itoa(i+1)
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, ref, cell)
			} else {
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, html.EscapeString(cell))
			}
		}
		b.WriteString(`</row>`)
	}
	b.WriteString(`</sheetData></worksheet>`)
	return pack(
		"[Content_Types].xml", fmt.Sprintf(officeTypes, `<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`),
		"_rels/.rels", fmt.Sprintf(officeRels, "officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", fmt.Sprintf(officeRels, "worksheet", "worksheets/sheet1.xml"),
		"xl/worksheets/sheet1.xml", b.String(),
	)
}

// letter makes a DOCX file with a heading and a table.
func letter(title string, rows [][]string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p><w:tbl><w:tblGrid>%s</w:tblGrid>`,
		html.EscapeString(title), strings.Repeat(`<w:gridCol w:w="1500"/>`, len(rows[0])))
	for i, row := range rows {
		b.WriteString(`<w:tr>`)
		if i == 0 {
			b.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
		}
		for _, cell := range row {
			fmt.Fprintf(&b, `<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>`, html.EscapeString(cell))
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl></w:body></w:document>`)
	return pack(
		"[Content_Types].xml", fmt.Sprintf(officeTypes, `<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`),
		"_rels/.rels", fmt.Sprintf(officeRels, "officeDocument", "word/document.xml"),
		"word/document.xml", b.String(),
	)
}

// leaflet makes a PDF with a line for each row.
func leaflet(title string, rows [][]string) []byte {
	const perPage = 30
	var pages []string
	for len(rows) > 1 {
		n := min(perPage, len(rows)-1)
		var ops strings.Builder
		ops.WriteString(pdftest.Text("F2", 14, 40, 760, title))
		for i, row := range append([][]string{rows[0]}, rows[1:n+1]...) {
			for k, cell := range row {
				ops.WriteString(pdftest.Text("F1", 8, 40+float64(k)*78, 730-float64(i)*20, cell))
			}
		}
		pages = append(pages, ops.String())
		rows = append(rows[:1:1], rows[n+1:]...)
	}
	return pdftest.Pages(pages...)
}
