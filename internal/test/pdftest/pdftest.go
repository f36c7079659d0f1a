// SPDX-License-Identifier: Apache-2.0

// Package pdftest creates small PDF files for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Fonts is a resource dictionary with F1 Helvetica, F2 Helvetica-Bold, F3
// Courier, F4 Times-Roman, F5 Helvetica-Oblique and F6 CMMI10, which TeX uses
// for letters in formulas.
const Fonts = `<</Font <<` +
	`/F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>> ` +
	`/F2 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding>> ` +
	`/F3 <</Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding>> ` +
	`/F4 <</Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding>> ` +
	`/F5 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica-Oblique /Encoding /WinAnsiEncoding>> ` +
	`/F6 <</Type /Font /Subtype /Type1 /BaseFont /CMMI10 /Encoding /WinAnsiEncoding /FirstChar 32 /Widths [250] ` +
	`/FontDescriptor <</Type /FontDescriptor /FontName /CMMI10 /Flags 68 /ItalicAngle -14 /MissingWidth 500>> >> >> >>`

// Document is a PDF that is being built. The zero value is empty.
type Document struct {
	objects []string // from number 1; 1 is the catalog, 2 the page tree
	pages   []int
	Catalog string // additional entries of the catalog
	Info    string // entries of the information dictionary
}

func (d *Document) init() {
	if d.objects == nil {
		d.objects = make([]string, 2)
	}
}

// Add adds an object and returns its number.
func (d *Document) Add(body string) int {
	d.init()
	d.objects = append(d.objects, body)
	return len(d.objects)
}

// Stream adds a stream. entries are added to its dictionary besides Length.
func (d *Document) Stream(entries, data string) int {
	return d.Add(fmt.Sprintf("<<%s /Length %d>>\nstream\n%s\nendstream", entries, len(data), data))
}

// Page adds a page of 612 by 792 points with a content stream, resources and
// additional entries.
func (d *Document) Page(content, resources, entries string) {
	c := d.Stream("", content)
	d.pages = append(d.pages, d.Add(fmt.Sprintf(
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources %s /Contents %d 0 R %s>>", resources, c, entries)))
}

// Bytes returns the PDF file.
func (d *Document) Bytes() []byte {
	d.init()
	var kids strings.Builder
	for _, p := range d.pages {
		fmt.Fprintf(&kids, "%d 0 R ", p)
	}
	d.objects[0] = "<</Type /Catalog /Pages 2 0 R " + d.Catalog + ">>"
	d.objects[1] = fmt.Sprintf("<</Type /Pages /Count %d /Kids [%s]>>", len(d.pages), kids.String())
	objects := d.objects
	trailer := ""
	if d.Info != "" {
		objects = append(slices.Clip(objects), "<<"+d.Info+">>")
		trailer = fmt.Sprintf("/Info %d 0 R", len(objects))
	}
	return file(objects, trailer)
}

// file writes objects from number 1 on, and additional entries of the trailer.
func file(objects []string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

// Pages returns a file with one page for each content, with [Fonts] as
// resources.
func Pages(contents ...string) []byte {
	var d Document
	for _, c := range contents {
		d.Page(c, Fonts, "")
	}
	return d.Bytes()
}

// Text returns operators that show a string with a font such as "F1", a size,
// and a position in points from the bottom left corner.
func Text(font string, size, x, y float64, s string) string {
	s = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s)
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, s)
}

// Lines returns operators that show strings below each other.
func Lines(font string, size, x, y, leading float64, lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(Text(font, size, x, y-float64(i)*leading, l))
	}
	return b.String()
}
