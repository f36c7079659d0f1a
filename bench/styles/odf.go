// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// odf returns the document as flat OpenDocument text.
func (d *sample) odf() string {
	var styles, body strings.Builder
	const page = 170.0 // mm between the margins
	fmt.Fprintf(&styles, `<style:style style:name="T" style:family="table"><style:table-properties style:width="%.1fmm" table:align="left" table:border-model="collapsing" fo:margin-top="4mm" fo:margin-bottom="4mm"/></style:style>`, page*d.width)
	sum := 0.0
	for _, s := range d.shares {
		sum += s
	}
	for j, s := range d.shares {
		fmt.Fprintf(&styles, `<style:style style:name="C%d" style:family="table-column"><style:table-column-properties style:column-width="%.2fmm"/></style:style>`, j, page*d.width*s/sum)
		fmt.Fprintf(&body, `<table:table-column table:style-name="C%d"/>`, j)
	}
	styles.WriteString(`<style:style style:name="R" style:family="table-row"><style:table-row-properties fo:keep-together="always"/></style:style>`)
	for _, weight := range []string{"normal", "bold"} {
		for _, align := range []string{"", "right", "center"} {
			fmt.Fprintf(&styles, `<style:style style:name="P%s%s" style:family="paragraph"><style:paragraph-properties fo:text-align="%s" fo:margin-bottom="0mm"/><style:text-properties fo:font-size="%spt" fo:font-weight="%s" style:font-name="Liberation Sans"/></style:style>`,
				weight, align, or(align, "start"), d.style["size"], weight)
		}
	}
	for i := range len(d.head) + len(d.body) {
		if i == 0 && len(d.head) > 0 {
			body.WriteString("<table:table-header-rows>")
		}
		body.WriteString(`<table:table-row table:style-name="R">`)
		for j := range d.shares {
			d.odfCell(&styles, &body, i, j)
		}
		body.WriteString("</table:table-row>")
		if i == len(d.head)-1 {
			body.WriteString("</table:table-header-rows>")
		}
	}
	table := `<table:table table:name="T" table:style-name="T">` + body.String() + "</table:table>"
	note := `<text:p text:style-name="K">` + caption + "</text:p>"
	switch d.style["caption"] {
	case "above":
		table = note + table
	case "below":
		table += note
	}
	return `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="Liberation Sans" svg:font-family="'Liberation Sans'"/><style:font-face style:name="Liberation Serif" svg:font-family="'Liberation Serif'"/></office:font-face-decls>
<office:styles><style:style style:name="Standard" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="3mm"/><style:text-properties fo:font-size="10.5pt" style:font-name="Liberation Serif"/></style:style></office:styles>
<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="210mm" fo:page-height="297mm" fo:margin="20mm"/></style:page-layout>
<style:style style:name="H" style:family="paragraph" style:parent-style-name="Standard"><style:text-properties fo:font-size="18pt" fo:font-weight="bold"/></style:style>
<style:style style:name="K" style:family="paragraph" style:parent-style-name="Standard"><style:text-properties fo:font-size="9pt" fo:font-style="italic"/></style:style>` + styles.String() + `</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"/></office:master-styles>
<office:body><office:text><text:h text:style-name="H" text:outline-level="1">Report on ` + d.name + `</text:h><text:p text:style-name="Standard">` + d.before + `</text:p>` + table +
		`<text:p text:style-name="Standard">` + d.after + `</text:p></office:text></office:body></office:document>`
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (d *sample) odfCell(styles, body *strings.Builder, i, j int) {
	c := d.at(i, j)
	if c.covered {
		body.WriteString("<table:covered-table-cell/>")
		return
	}
	l := d.lookOf(i, j)
	v, h := d.padding()
	fmt.Fprintf(styles, `<style:style style:name="c%d-%d" style:family="table-cell"><style:table-cell-properties style:vertical-align="%s" fo:padding-top="%.1fpt" fo:padding-bottom="%.1fpt" fo:padding-left="%.1fpt" fo:padding-right="%.1fpt"`, i, j, d.stand(), v, v, h, h)
	for _, side := range []struct {
		name string
		on   bool
	}{{"top", l.top}, {"bottom", l.bottom}, {"left", l.left}, {"right", l.right}} {
		line := "none"
		if side.on {
			line = ".75pt solid #000000"
		}
		fmt.Fprintf(styles, ` fo:border-%s="%s"`, side.name, line)
	}
	if l.fill != "" {
		fmt.Fprintf(styles, ` fo:background-color="%s"`, l.fill)
	}
	styles.WriteString(`/></style:style>`)
	weight := "normal"
	if l.bold {
		weight = "bold"
	}
	text := html.EscapeString(c.text)
	if c.note != "" {
		text += `<text:span text:style-name="S">` + c.note + `</text:span>`
		if !strings.Contains(styles.String(), `style:name="S"`) {
			styles.WriteString(`<style:style style:name="S" style:family="text"><style:text-properties style:text-position="super 65%"/></style:style>`)
		}
	}
	fmt.Fprintf(body, `<table:table-cell table:style-name="c%d-%d"%s><text:p text:style-name="P%s%s">%s</text:p></table:table-cell>`,
		i, j, c.spanning("table:number-rows-spanned", "table:number-columns-spanned"), weight, c.align(), text)
}
