// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// odf returns the page as flat OpenDocument text.
func (p *page) odf() string {
	font, align := "Liberation Sans", "start"
	if p.serif {
		font = "Liberation Serif"
	}
	if p.justify {
		align = "justify"
	}
	var styles strings.Builder
	style := func(name, size, weight, extra, more string) {
		fmt.Fprintf(&styles, `<style:style style:name="%s" style:family="paragraph" style:parent-style-name="Standard"><style:paragraph-properties %s/><style:text-properties fo:font-size="%s" fo:font-weight="%s" %s/></style:style>`, name, extra, size, weight, more)
	}
	pt := func(scale float64) string { return fmt.Sprintf("%.1fpt", scale*p.size) }
	style("h1", pt(1.9), "bold", `fo:margin-bottom="3mm" fo:text-align="center"`, "")
	style("h2", pt(1.35), "bold", `fo:margin-top="4mm" fo:margin-bottom="1.5mm" fo:keep-with-next="always"`, "")
	style("h3", pt(1.12), "bold", `fo:margin-top="3mm" fo:margin-bottom="1.2mm" fo:keep-with-next="always"`, "")
	style("text", pt(1), "normal", `fo:margin-bottom="1.8mm" fo:text-align="`+align+`"`, "")
	style("item", pt(1), "normal", `fo:margin-bottom="0.5mm"`, "")
	style("small", pt(1), "normal", `fo:margin-bottom="3mm" fo:text-align="center"`, `fo:font-style="italic"`)
	style("caption", pt(.9), "normal", `fo:margin-top="1mm" fo:margin-bottom="2.5mm"`, `fo:font-style="italic"`)
	style("code", pt(.88), "normal", `fo:margin-bottom="2.5mm"`, `style:font-name="Liberation Mono"`)
	style("note", pt(.85), "normal", "", "")
	style("cell", pt(.95), "normal", "", "")
	style("head", pt(.95), "bold", "", "")
	style("number", pt(.95), "normal", `fo:text-align="end"`, "")
	for _, side := range []string{"start", "center", "end"} {
		style("run-"+side, pt(.9), "normal", `fo:text-align="`+side+`"`, "")
	}
	var bullets, numbers strings.Builder
	for i := 1; i <= 3; i++ {
		level := fmt.Sprintf(`<style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-0.6cm" fo:margin-left="%.1fcm"/></style:list-level-properties>`, .9*float64(i))
		fmt.Fprintf(&bullets, `<text:list-level-style-bullet text:level="%d" text:bullet-char="%s">%s</text:list-level-style-bullet>`, i, []string{"•", "–", "▪"}[i-1], level)
		fmt.Fprintf(&numbers, `<text:list-level-style-number text:level="%d" style:num-format="1" style:num-suffix=".">%s</text:list-level-style-number>`, i, level)
	}
	w := odfWriter{width: 170 / float64(p.columns), style: &p.style}
	if p.style.number != "" {
		styles.WriteString(p.style.odfStyles())
	}
	w.blocks(p.top)
	top := w.take()
	w.blocks(p.body)
	body := w.take()
	if p.columns > 1 {
		body = `<text:section text:style-name="Columns" text:name="Columns">` + body + `</text:section>`
	}
	return `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="Liberation Sans" svg:font-family="'Liberation Sans'"/><style:font-face style:name="Liberation Serif" svg:font-family="'Liberation Serif'"/><style:font-face style:name="Liberation Mono" svg:font-family="'Liberation Mono'" style:font-pitch="fixed"/></office:font-face-decls>
<office:styles><style:style style:name="Standard" style:family="paragraph"><style:text-properties fo:font-size="` + pt(1) + `" style:font-name="` + font + `" fo:language="en" fo:country="US" fo:hyphenate="true" fo:hyphenation-remain-char-count="2" fo:hyphenation-push-char-count="2"/></style:style>` + styles.String() + `
<text:list-style style:name="Bullets">` + bullets.String() + `</text:list-style><text:list-style style:name="Numbers">` + numbers.String() + `</text:list-style>` + p.style.odfList() + `</office:styles>
<office:automatic-styles>` + w.styles.String() + `<style:style style:name="Box" style:family="graphic"><style:graphic-properties draw:fill="solid" draw:fill-color="#88aaaa" draw:stroke="none"/></style:style>
<style:style style:name="sup" style:family="text"><style:text-properties style:text-position="super 60%"/></style:style>
<style:style style:name="Columns" style:family="section"><style:section-properties text:dont-balance-text-columns="true"><style:columns fo:column-count="` + fmt.Sprint(p.columns) + `" fo:column-gap="18pt"/></style:section-properties></style:style>
<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="210mm" fo:page-height="297mm" fo:margin="12mm 20mm" fo:margin-left="20mm" fo:margin-right="20mm"/>
<style:header-style><style:header-footer-properties fo:margin-bottom="7mm" fo:min-height="0cm"/></style:header-style><style:footer-style><style:header-footer-properties fo:margin-top="7mm" fo:min-height="0cm"/></style:footer-style></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"><style:header>` + p.odfRunning("head") + `</style:header><style:footer>` + p.odfRunning("foot") + `</style:footer></style:master-page></office:master-styles>
<office:body><office:text>` + top + body + `</office:text></office:body></office:document>`
}

// odfRunning returns the running lines of one end of the page: one text as a
// paragraph, and several as a table of three cells without lines.
func (p *page) odfRunning(where string) string {
	cells := map[string]string{}
	for _, r := range p.running {
		if w, side, _ := strings.Cut(r.place, " "); w == where {
			cells[side] = r.text
		}
	}
	paragraph := func(side string) string {
		align := map[string]string{"left": "start", "center": "center", "right": "end"}[side]
		return `<text:p text:style-name="run-` + align + `">` + html.EscapeString(cells[side]) + `</text:p>`
	}
	var b strings.Builder
	for _, side := range []string{"left", "center", "right"} {
		if len(cells) == 1 && cells[side] != "" {
			return paragraph(side)
		}
		b.WriteString("<table:table-cell>" + paragraph(side) + "</table:table-cell>")
	}
	return `<table:table table:name="` + where + `"><table:table-column table:number-columns-repeated="3"/><table:table-row>` + b.String() + `</table:table-row></table:table>`
}

type odfWriter struct {
	b, styles strings.Builder
	style     *style
	width     float64 // of a column in mm
	notes     int
	tables    int
}

func (w *odfWriter) take() string {
	s := w.b.String()
	w.b.Reset()
	return s
}

func (w *odfWriter) blocks(blocks []block) {
	depth := 0 // of the open lists
	for _, b := range blocks {
		want := 0
		if b.kind == item {
			want = b.depth
		}
		for ; depth > want; depth-- {
			w.b.WriteString("</text:list-item></text:list>")
		}
		s := html.EscapeString(b.text)
		switch b.kind {
		case title, section, subsection:
			fmt.Fprintf(&w.b, `<text:h text:style-name="%s" text:outline-level="%c">%s</text:h>`, b.kind, b.kind[1], s)
		case item:
			if depth < want {
				name := map[bool]string{true: "Bullets", false: "Numbers"}[b.mark == "-"]
				if w.style.number != "" {
					name = "Own"
				}
				w.b.WriteString(`<text:list text:style-name="` + name + `"><text:list-item>`)
				depth = want
			} else {
				w.b.WriteString("</text:list-item><text:list-item>")
			}
			w.b.WriteString(`<text:p text:style-name="item">` + s + "</text:p>")
		case figure:
			fmt.Fprintf(&w.b, `<text:p text:style-name="text"><draw:rect draw:style-name="Box" text:anchor-type="as-char" svg:width="%.0fmm" svg:height="30mm"/></text:p>`, w.width-12)
		case table:
			w.table(&b)
		case entry, blank, signature:
			w.paper(&b)
		case code:
			var lines []string
			for _, l := range b.lines {
				t := strings.TrimLeft(l, " ")
				lines = append(lines, strings.Repeat(`<text:s/>`, len(l)-len(t))+html.EscapeString(t))
			}
			w.b.WriteString(`<text:p text:style-name="code">` + strings.Join(lines, "<text:line-break/>") + "</text:p>")
		default:
			name := string(b.kind)
			if b.small {
				name = "small"
			}
			if b.note != "" {
				w.notes++
				s += fmt.Sprintf(`<text:note text:id="n%d" text:note-class="footnote"><text:note-citation>%d</text:note-citation><text:note-body><text:p text:style-name="note">%s</text:p></text:note-body></text:note>`, w.notes, w.notes, html.EscapeString(b.note))
			}
			w.b.WriteString(`<text:p text:style-name="` + name + `">` + s + "</text:p>")
		}
	}
	for ; depth > 0; depth-- {
		w.b.WriteString("</text:list-item></text:list>")
	}
}

func (w *odfWriter) table(b *block) {
	w.tables++
	border := "none"
	if b.ruled {
		border = ".5pt solid #000000"
	}
	for _, row := range []struct{ name, above, below string }{{"top", ".75pt solid #000000", ".5pt solid #000000"}, {"mid", border, border}, {"end", border, ".75pt solid #000000"}} {
		if b.ruled {
			row.above, row.below = border, border
		}
		fmt.Fprintf(&w.styles, `<style:style style:name="%s%d" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" fo:border-left="%s" fo:border-right="%s" fo:border-top="%s" fo:border-bottom="%s"/></style:style>`, row.name, w.tables, border, border, row.above, row.below)
	}
	fmt.Fprintf(&w.b, `<table:table table:name="T%d"><table:table-column table:number-columns-repeated="%d"/>`, w.tables, len(b.rows[0]))
	for i, row := range b.rows {
		at, style := "mid", "cell"
		switch i {
		case 0:
			at, style = "top", "head"
			w.b.WriteString("<table:table-header-rows>")
		case len(b.rows) - 1:
			at = "end"
		}
		w.b.WriteString("<table:table-row>")
		for j, c := range row {
			if j > 0 && i > 0 {
				style = "number"
			}
			fmt.Fprintf(&w.b, `<table:table-cell table:style-name="%s%d"><text:p text:style-name="%s">%s</text:p></table:table-cell>`, at, w.tables, style, html.EscapeString(c))
		}
		w.b.WriteString("</table:table-row>")
		if i == 0 {
			w.b.WriteString("</table:table-header-rows>")
		}
	}
	w.b.WriteString(`</table:table><text:p text:style-name="item"/>`)
}
