// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

const odfHead = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.`

// ODF returns the source for LibreOffice: flat OpenDocument text, or a flat
// spreadsheet for a document of the form [Sheets].
func (d *Document) ODF() string {
	if d.Form == Sheets {
		return d.spreadsheet()
	}
	var w odf
	for _, b := range d.Blocks {
		w.block(b)
	}
	running := ""
	if d.Header != "" {
		running = `<style:header><text:p>` + html.EscapeString(d.Header) + `</text:p></style:header>
<style:footer><text:p><text:page-number text:select-page="current">1</text:page-number></text:p></style:footer>`
	}
	return odfHead + `text">
<office:styles>` + d.styles() + `</office:styles>
<office:automatic-styles>` + odfLooks + d.layout() + `</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page">` + running + `</style:master-page></office:master-styles>
<office:body><office:text>
` + sectioned(w.b.String(), d.Columns) + `</office:text></office:body></office:document>
`
}

// odfLooks are the styles of spans, cells and formulas.
const odfLooks = `
<style:style style:name="Strong" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="Emphasis" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
<style:style style:name="Mono" style:family="text">
 <style:text-properties fo:font-family="'Liberation Mono'" style:font-pitch="fixed"/></style:style>
<style:style style:name="Rule" style:family="table-cell">
 <style:table-cell-properties fo:padding="0.1cm" fo:border="0.5pt solid #000000"/></style:style>
<style:style style:name="NoRule" style:family="table-cell">
 <style:table-cell-properties fo:padding="0.1cm" fo:border="none"/></style:style>
<style:style style:name="Formula" style:family="graphic">
 <style:graphic-properties style:vertical-pos="middle" style:vertical-rel="text"/></style:style>
`

// styles returns the styles of paragraphs and lists.
func (d *Document) styles() string {
	language, country, _ := strings.Cut(d.Lang, "-")
	var b strings.Builder
	fmt.Fprintf(&b, `
<style:default-style style:family="paragraph"><style:paragraph-properties style:writing-mode="%s"/>
 <style:text-properties fo:font-family="'Liberation Serif'" style:font-family-asian="'Droid Sans Fallback'"
  style:font-family-complex="'DejaVu Sans'" fo:font-size="11pt" style:font-size-asian="11pt" style:font-size-complex="11pt"
  fo:language="%s" fo:country="%s" fo:hyphenate="true"
  fo:hyphenation-remain-char-count="2" fo:hyphenation-push-char-count="2"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph" style:class="text"/>
<style:style style:name="Body" style:family="paragraph" style:parent-style-name="Standard">
 <style:paragraph-properties fo:margin-bottom="0.25cm" fo:text-align="justify"/></style:style>
<style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text" style:family="paragraph" style:parent-style-name="Standard">
 <style:text-properties fo:font-family="'Liberation Mono'" style:font-pitch="fixed" fo:font-size="9pt"/></style:style>
<style:style style:name="Footnote" style:family="paragraph" style:parent-style-name="Standard">
 <style:text-properties fo:font-size="9pt"/></style:style>
`, d.mode(), language, country)
	bullets, numbers := "", ""
	for i := 1; i <= 3; i++ {
		size := 21 - 3*i
		fmt.Fprintf(&b, `<style:style style:name="Heading_20_%d" style:display-name="Heading %d" style:family="paragraph"
 style:parent-style-name="Standard" style:default-outline-level="%d">
 <style:paragraph-properties fo:margin-top="0.5cm" fo:margin-bottom="0.2cm" fo:keep-with-next="always" fo:text-align="start"/>
 <style:text-properties fo:font-weight="bold" style:font-weight-asian="bold" style:font-weight-complex="bold"
  fo:font-size="%dpt" style:font-size-asian="%dpt" style:font-size-complex="%dpt"/></style:style>
`, i, i, i, size, size, size)
		indent := fmt.Sprintf(`<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">
 <style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-0.6cm" fo:margin-left="%.1fcm"/></style:list-level-properties>`, .7*float64(i))
		bullets += fmt.Sprintf("<text:list-level-style-bullet text:level=\"%d\" text:bullet-char=\"•\">%s</text:list-level-style-bullet>\n", i, indent)
		numbers += fmt.Sprintf("<text:list-level-style-number text:level=\"%d\" style:num-format=\"1\" style:num-suffix=\".\">%s</text:list-level-style-number>\n", i, indent)
	}
	fmt.Fprintf(&b, "<text:list-style style:name=\"Bullets\">%s</text:list-style>\n<text:list-style style:name=\"Numbers\">%s</text:list-style>\n", bullets, numbers)
	return b.String()
}

// mode is the writing direction of lines and columns.
func (d *Document) mode() string {
	if d.RTL {
		return "rl-tb"
	}
	return "lr-tb"
}

// layout returns the layout of pages and columns.
func (d *Document) layout() string {
	columns := ""
	if d.Columns > 1 {
		columns = fmt.Sprintf(`<style:columns fo:column-count="%d" fo:column-gap="0.7cm"/>`, d.Columns)
	}
	return `<style:style style:name="Columns" style:family="section">
 <style:section-properties text:dont-balance-text-columns="true">` + columns + `</style:section-properties></style:style>
<style:page-layout style:name="Page">
 <style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin="2cm" style:writing-mode="` + d.mode() + `"/>
 <style:header-style><style:header-footer-properties fo:margin-bottom="0.4cm" fo:min-height="0cm"/></style:header-style>
 <style:footer-style><style:header-footer-properties fo:margin-top="0.4cm" fo:min-height="0cm"/></style:footer-style></style:page-layout>
`
}

// sectioned puts text in columns into a section with this number of columns.
func sectioned(body string, columns int) string {
	if columns < 2 {
		return body
	}
	return `<text:section text:style-name="Columns" text:name="Columns">` + body + `</text:section>`
}

type odf struct {
	b      strings.Builder
	tables int
	notes  int
}

func (w *odf) block(b Block) {
	switch b := b.(type) {
	case Heading:
		fmt.Fprintf(&w.b, "<text:h text:style-name=\"Heading_20_%d\" text:outline-level=\"%d\">%s</text:h>\n", b.Level, b.Level, html.EscapeString(b.Text))
	case Paragraph:
		w.b.WriteString(`<text:p text:style-name="Body">` + w.spans(b.Text) + "</text:p>\n")
	case List:
		w.list(b)
	case Table:
		w.table(b)
	case Code:
		lines := make([]string, len(b.Lines))
		for i, s := range b.Lines {
			lines[i] = preserved(s)
		}
		w.b.WriteString(`<text:p text:style-name="Preformatted_20_Text">` + strings.Join(lines, "<text:line-break/>") + `</text:p><text:p text:style-name="Body"/>` + "\n")
	case Math:
		w.b.WriteString(`<text:p text:style-name="Body">` + b.Formula.object() + "</text:p>\n")
	}
}

// preserved writes the spaces of a line so that they are preserved.
func preserved(s string) string {
	text := strings.TrimLeft(s, " ")
	if n := len(s) - len(text); n > 0 {
		return `<text:s text:c="` + strconv.Itoa(n) + `"/>` + html.EscapeString(text)
	}
	return html.EscapeString(text)
}

// object returns a formula in a frame.
func (f Formula) object() string {
	return `<draw:frame draw:style-name="Formula" text:anchor-type="as-char" svg:width="3cm" svg:height="0.8cm">` +
		`<draw:object><math xmlns="http://www.w3.org/1998/Math/MathML">` + f.annotated() + `</math></draw:object></draw:frame>`
}

func (w *odf) list(l List) {
	style := "Bullets"
	if l.Ordered {
		style = "Numbers"
	}
	w.b.WriteString(`<text:list text:style-name="` + style + `">`)
	for _, item := range l.Items {
		w.b.WriteString(`<text:list-item><text:p text:style-name="Standard">` + w.spans(item.Text) + `</text:p>`)
		if item.Sub != nil {
			w.list(*item.Sub)
		}
		w.b.WriteString("</text:list-item>")
	}
	w.b.WriteString("</text:list>\n")
}

func (w *odf) spans(all []Span) string {
	names := [...]string{Strong: "Strong", Emphasis: "Emphasis", Mono: "Mono", Plain: ""}
	var b strings.Builder
	for _, s := range all {
		text := html.EscapeString(s.Text)
		if s.Formula != nil {
			text = s.Formula.object()
		}
		if name := names[s.Style]; name != "" {
			text = `<text:span text:style-name="` + name + `">` + text + `</text:span>`
		}
		if s.Link != "" {
			text = `<text:a xlink:type="simple" xlink:href="` + html.EscapeString(s.Link) + `">` + text + `</text:a>`
		}
		b.WriteString(text)
		if s.Note != "" {
			w.notes++
			fmt.Fprintf(&b, `<text:note text:id="n%d" text:note-class="footnote"><text:note-citation>%d</text:note-citation>`+
				`<text:note-body><text:p text:style-name="Footnote">%s</text:p></text:note-body></text:note>`, w.notes, w.notes, html.EscapeString(s.Note))
		}
	}
	return b.String()
}

func (w *odf) table(t Table) {
	w.tables++
	style := "NoRule"
	if t.Ruled {
		style = "Rule"
	}
	fmt.Fprintf(&w.b, `<table:table table:name="T%d"><table:table-column table:number-columns-repeated="%d"/>`, w.tables, t.width())
	for i, row := range t.slots() {
		if i == 0 {
			w.b.WriteString("<table:table-header-rows>")
		}
		w.b.WriteString("<table:table-row>")
		for _, s := range row {
			if !s.begins {
				w.b.WriteString("<table:covered-table-cell/>")
				continue
			}
			fmt.Fprintf(&w.b, `<table:table-cell table:style-name="%s" table:number-columns-spanned="%d" table:number-rows-spanned="%d" office:value-type="string">
<text:p text:style-name="Standard">%s</text:p></table:table-cell>`, style, max(1, s.Across), max(1, s.Down), html.EscapeString(s.Text))
		}
		w.b.WriteString("</table:table-row>")
		if i == 0 {
			w.b.WriteString("</table:table-header-rows>")
		}
	}
	w.b.WriteString("</table:table>\n")
}

// spreadsheet writes a sheet for each heading. Texts that look like numbers
// become numbers.
func (d *Document) spreadsheet() string {
	var b strings.Builder
	b.WriteString(odfHead + "spreadsheet\">\n<office:body><office:spreadsheet>\n")
	name := ""
	for _, block := range d.Blocks {
		switch block := block.(type) {
		case Heading:
			name = block.Text
		case Table:
			b.WriteString(`<table:table table:name="` + html.EscapeString(name) + `">`)
			for _, row := range block.Rows {
				b.WriteString("<table:table-row>")
				for _, c := range row {
					value := `office:value-type="string"`
					if _, err := strconv.ParseFloat(c.Text, 64); err == nil {
						value = `office:value-type="float" office:value="` + c.Text + `"`
					}
					b.WriteString("<table:table-cell " + value + "><text:p>" + html.EscapeString(c.Text) + "</text:p></table:table-cell>")
				}
				b.WriteString("</table:table-row>\n")
			}
			b.WriteString("</table:table>\n")
		}
	}
	b.WriteString("</office:spreadsheet></office:body></office:document>\n")
	return b.String()
}
