// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// html returns the page as HTML of one sheet of A4.
func (p *page) html() string {
	var b strings.Builder
	font, align := "'Liberation Sans',sans-serif", "left"
	if p.serif {
		font = "'Liberation Serif',serif"
	}
	if p.justify {
		align = "justify;hyphens:auto"
	}
	fmt.Fprintf(&b, `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>%s</title><style>
@page{size:210mm 297mm;margin:0}body{margin:0;font:%.1fpt/1.25 %s;position:relative}
main{padding:26mm 20mm 0}.flow{column-count:%d;column-gap:18pt}
p{margin:0 0 .6em;text-align:%s}h1{font-size:2em;margin:.2em 0 .5em}h2{font-size:1.35em;margin:.8em 0 .4em}h3{font-size:1.12em;margin:.7em 0 .4em}
.margin{float:left;clear:left;width:28mm;margin-left:-34mm;font-size:.8em;line-height:1.15;text-align:left}
.small{text-align:center;font-style:italic}figcaption,.caption{font-size:.88em;margin:.3em 0 .8em}figure{margin:.6em 0;break-inside:avoid}
figure div{height:30mm;background:linear-gradient(90deg,#cdd,#89a)}pre{font:.9em/1.3 'Liberation Mono',monospace;margin:.6em 0;break-inside:avoid}
ul,ol{margin:.3em 0 .6em;padding-left:2em}table{border-collapse:collapse;margin:.3em 0 .8em;break-inside:avoid}td,th{padding:.15em .6em;text-align:left}
td+td{text-align:right}.rules td,.rules th{border:.75pt solid #000}.lines{border-top:1pt solid #000;border-bottom:1pt solid #000}.lines th{border-bottom:.75pt solid #000}
%s
.run{position:absolute;font-size:%.1fpt;white-space:nowrap}.notes{position:absolute;left:20mm;right:20mm;bottom:0;font-size:.85em}.notes hr{width:50mm;margin:0 0 1mm;border:0;border-top:.5pt solid}
</style><body style="height:296mm">`, p.name, p.size, font, p.columns, align, p.style.css(), max(6, .9*p.size))
	for _, r := range p.running {
		fmt.Fprintf(&b, `<div class="run" style="%s">%s</div>`, cssPlaces[r.place], html.EscapeString(r.text))
	}
	if p.genre == "textbook" {
		b.WriteString(`<main style="padding-left:46mm">`)
	} else {
		b.WriteString("<main>")
	}
	w := htmlWriter{b: &b, style: &p.style}
	w.blocks(p.top)
	b.WriteString(`<div class="flow">`)
	w.blocks(p.body)
	b.WriteString("</div></main>")
	if len(w.notes) > 0 {
		b.WriteString(`<div class="notes" style="bottom:24mm"><hr>`)
		for i, n := range w.notes {
			fmt.Fprintf(&b, `<p><sup>%d</sup> %s</p>`, i+1, html.EscapeString(n))
		}
		b.WriteString("</div>")
	}
	b.WriteString("</body></html>")
	return b.String()
}

var cssPlaces = map[string]string{
	"head left":   "top:12mm;left:20mm",
	"head center": "top:12mm;left:0;right:0;text-align:center",
	"head right":  "top:12mm;right:20mm",
	"foot left":   "top:281mm;left:20mm",
	"foot center": "top:281mm;left:0;right:0;text-align:center",
	"foot right":  "top:281mm;right:20mm",
	"side":        "top:260mm;left:203mm;transform-origin:0 0;transform:rotate(-90deg);font-size:7pt",
	"watermark":   "top:100mm;left:0;right:0;text-align:center;transform:rotate(-45deg);font-size:64pt;color:#ddd;z-index:-1",
	"upright":     "top:100mm;left:0;right:0;text-align:center;font-size:64pt;color:#ddd;z-index:-1",
	"vertical":    "top:100mm;left:0;right:0;text-align:center;transform:rotate(-90deg);font-size:64pt;color:#ddd;z-index:-1",
	"stamp":       "top:220mm;left:5mm;transform-origin:0 0;transform:rotate(-90deg);font-size:16pt;color:#777",
}

type htmlWriter struct {
	b     *strings.Builder
	style *style
	notes []string
}

func (w *htmlWriter) blocks(blocks []block) {
	var open []string // the tags of the open lists
	for i, b := range blocks {
		depth := 0
		if b.kind == item {
			depth = b.depth
		}
		for len(open) > depth {
			w.b.WriteString("</li></" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
		s := html.EscapeString(b.text)
		switch b.kind {
		case title, section, subsection:
			fmt.Fprintf(w.b, "<%s>%s</%s>", b.kind, s, b.kind)
		case item:
			tag := "ul"
			if b.mark != "-" {
				tag = "ol"
			}
			if len(open) < depth {
				w.b.WriteString("<" + tag + w.style.list(tag) + ">")
				open = append(open, tag)
			} else {
				w.b.WriteString("</li>")
			}
			w.b.WriteString("<li>" + s)
		case figure:
			fmt.Fprintf(w.b, "<figure><div></div><figcaption>%s</figcaption></figure>", html.EscapeString(blocks[i+1].text))
		case caption:
			if i == 0 || blocks[i-1].kind != figure {
				w.b.WriteString(`<p class="caption">` + s + "</p>")
			}
		case table:
			w.table(&b)
		case formula:
			w.b.WriteString(`<p class="math"><math display="block">` + b.math.mathml + "</math></p>")
		case margin:
			w.b.WriteString(`<div class="margin">` + s + "</div>")
		case entry, blank, signature:
			w.paper(&b)
		case code:
			w.b.WriteString("<pre>" + html.EscapeString(strings.Join(b.lines, "\n")) + "</pre>")
		default:
			if b.note != "" {
				w.notes = append(w.notes, b.note)
				s += fmt.Sprintf("<sup>%d</sup>", len(w.notes))
			}
			class := ""
			if b.small {
				class = ` class="small"`
			}
			w.b.WriteString("<p" + class + ">" + s + "</p>")
		}
	}
	for i := len(open); i > 0; i-- {
		w.b.WriteString("</li></" + open[i-1] + ">")
	}
}

func (w *htmlWriter) table(b *block) {
	class := "lines"
	if b.ruled {
		class = "rules"
	}
	w.b.WriteString(`<table class="` + class + `">`)
	for i, row := range b.rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		w.b.WriteString("<tr>")
		for _, c := range row {
			w.b.WriteString("<" + tag + ">" + html.EscapeString(c) + "</" + tag + ">")
		}
		w.b.WriteString("</tr>")
	}
	w.b.WriteString("</table>")
}
