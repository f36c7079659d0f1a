// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"html"
	"strings"
)

// HTML returns the source for browsers and pandoc. Notes are those of EPUB, at
// the end. There is no title, because pandoc would add it to the text.
func (d *Document) HTML() string {
	w := page{}
	dir, columns := "ltr", ""
	if d.RTL {
		dir = "rtl"
	}
	if d.Columns > 1 {
		columns = fmt.Sprintf("body{column-count:%d;column-gap:7mm}", d.Columns)
	}
	running := ""
	if d.Header != "" {
		running = `@top-center{content:"` + d.Header + `";font-size:8pt}@bottom-center{content:counter(page);font-size:8pt}`
	}
	fmt.Fprintf(&w.b, `<!DOCTYPE html>
<html lang="%s" dir="%s" xmlns:epub="http://www.idpf.org/2007/ops"><head><meta charset="utf-8"><style>
@page{size:A4;margin:2cm;%s}
body{font:11pt/1.3 "Liberation Serif","DejaVu Sans","Droid Sans Fallback",serif;text-align:justify;hyphens:auto}
h1,h2,h3{font-family:"Liberation Sans","DejaVu Sans","Droid Sans Fallback",sans-serif;text-align:start}
table{border-collapse:collapse;margin:3mm 0}td,th{padding:1mm 2mm;text-align:start;vertical-align:top;max-width:5cm}
.ruled td,.ruled th{border:.5pt solid black}pre{font:9pt/1.3 "Liberation Mono",monospace}aside{font-size:9pt}
%s</style></head><body>
`, d.Lang, dir, running, columns)
	for _, b := range d.Blocks {
		w.block(b)
	}
	for i, n := range w.notes {
		fmt.Fprintf(&w.b, "<aside epub:type=\"footnote\" id=\"n%d\"><style>#n%d p::before{content:\"%d\";vertical-align:super;font-size:6pt}</style><p>%s</p></aside>\n",
			i+1, i+1, i+1, html.EscapeString(n))
	}
	w.b.WriteString("</body></html>\n")
	return w.b.String()
}

type page struct {
	b     strings.Builder
	notes []string
}

func (w *page) block(b Block) {
	switch b := b.(type) {
	case Heading:
		fmt.Fprintf(&w.b, "<h%d>%s</h%d>\n", b.Level, html.EscapeString(b.Text), b.Level)
	case Paragraph:
		w.b.WriteString("<p>" + w.spans(b.Text) + "</p>\n")
	case List:
		w.list(b)
	case Table:
		class := "plain"
		if b.Ruled {
			class = "ruled"
		}
		head, body, _ := strings.Cut(b.rows(), "</tr>")
		w.b.WriteString(`<table class="` + class + `">` + b.widths() + `<thead>` + head + "</tr></thead><tbody>" + body + "</tbody></table>\n")
	case Code:
		w.b.WriteString("<pre><code>" + html.EscapeString(strings.Join(b.Lines, "\n")) + "</code></pre>\n")
	case Math:
		w.b.WriteString(`<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">` + b.Formula.annotated() + "</math></p>\n")
	}
}

// widths returns column widths if cells must wrap, because TeX would otherwise
// exceed the page. If no cell must wrap, it returns "".
func (t Table) widths() string {
	for _, row := range t.Rows {
		for _, c := range row {
			if wraps(c.Text) && c.Across < 2 {
				n := t.width()
				return "<colgroup>" + strings.Repeat(fmt.Sprintf(`<col style="width:%d%%">`, 60/(n-1)), n-1) + `<col style="width:40%"></colgroup>`
			}
		}
	}
	return ""
}

// annotated is MathML with its TeX as an annotation.
func (f Formula) annotated() string {
	return `<semantics><mrow>` + f.MathML + `</mrow><annotation encoding="application/x-tex">` + html.EscapeString(f.TeX) + `</annotation></semantics>`
}

func (w *page) list(l List) {
	tag := "ul"
	if l.Ordered {
		tag = "ol"
	}
	w.b.WriteString("<" + tag + ">\n")
	for _, item := range l.Items {
		w.b.WriteString("<li>" + w.spans(item.Text))
		if item.Sub != nil {
			w.list(*item.Sub)
		}
		w.b.WriteString("</li>\n")
	}
	w.b.WriteString("</" + tag + ">\n")
}

func (w *page) spans(all []Span) string {
	tags := [...]string{Strong: "strong", Emphasis: "em", Mono: "code"}
	var b strings.Builder
	for _, s := range all {
		text := html.EscapeString(s.Text)
		if s.Formula != nil {
			text = `<math xmlns="http://www.w3.org/1998/Math/MathML">` + s.Formula.annotated() + "</math>"
		}
		if tag := tags[s.Style]; tag != "" {
			text = "<" + tag + ">" + text + "</" + tag + ">"
		}
		if s.Link != "" {
			text = `<a href="` + html.EscapeString(s.Link) + `">` + text + "</a>"
		}
		b.WriteString(text)
		if s.Note != "" {
			w.notes = append(w.notes, s.Note)
			fmt.Fprintf(&b, `<a epub:type="noteref" href="#n%d"><sup>%d</sup></a>`, len(w.notes), len(w.notes))
		}
	}
	return b.String()
}
