// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"strings"
)

// The pages of this file are papers of everyday life: contracts with numbered clauses and
// signatures, forms with blanks, and lists of contents. Their lists, blanks and leaders
// are made in the different ways that people make them.

// style is how a page makes its lists, blanks, leaders and signatures.
type style struct {
	number string // of an item, as a format: "%s." or "(%s)"
	digits string // of its numbering: 1, a, A, i
	first  int    // number of the first item
	mark   string // how the number is set: native, before, hang, close
	blank  string // drawn, underscores
	leader string // touching, apart, spaced, drawn, none
	sign   string // lines, underscores
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// ordinal returns the number of an item.
func (s *style) ordinal(i int) string {
	n := s.first + i
	switch s.digits {
	case "a":
		return fmt.Sprintf(s.number, alphabet[n-1:n])
	case "A":
		return fmt.Sprintf(s.number, strings.ToUpper(alphabet[n-1:n]))
	case "i":
		return fmt.Sprintf(s.number, []string{"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii"}[n-1])
	}
	return fmt.Sprintf(s.number, fmt.Sprint(n))
}

func (p *page) styled() {
	p.size, p.serif, p.justify = []float64{10, 10.5, 11, 12}[p.r.IntN(4)], p.chance(.5), p.chance(.3)
	p.style = style{
		number: p.one("%s.", "%s)", "(%s)", "%s."),
		digits: p.one("1", "1", "a", "A", "i"),
		first:  []int{1, 1, 8, 11}[p.r.IntN(4)],
		mark:   p.one("native", "before", "hang", "close"),
		blank:  p.one("drawn", "underscores"),
		leader: p.one("touching", "apart", "spaced", "drawn", "none"),
		sign:   p.one("lines", "underscores"),
	}
	if p.style.digits == "A" && p.style.number == "%s." {
		p.style.first = 1 // initials and headings are written like this
	}
}

// numberedList adds items with the numbers of the style of the page.
func (p *page) numberedList() {
	for i := range p.between(3, 6) {
		b := block{kind: item, depth: 1, mark: p.style.ordinal(i), text: p.phrase(4, 12) + "."}
		if p.chance(.4) {
			b.text = p.prose(2, 3)
		}
		p.body = append(p.body, b)
	}
}

// fieldNames are the labels of the blanks of forms.
var fieldNames = []string{"Name", "Address", "Date of birth", "Telephone", "Place and date", "Customer number", "Name of the school", "Amount", "Post code", "Occupation", "Country", "Vehicle", "Witness"}

// blanks adds a line of a form: one or two labels, each with a blank to write on behind it.
func (p *page) blanks() {
	b := block{kind: blank}
	at := p.r.IntN(len(fieldNames))
	for i := range p.between(1, 2) {
		b.lines = append(b.lines, fieldNames[(at+i)%len(fieldNames)])
	}
	p.body = append(p.body, b)
}

// signatures adds two persons beside each other below lines to sign on.
func (p *page) signatures() {
	first, second := p.r.IntN(4), p.r.IntN(4)
	b := block{kind: signature, rows: [][]string{
		{[]string{"Jane Weaver", "Anna Rivers", "Mary Stone", "Ruth Glass"}[first], p.one("Director, Harbour Ltd.", "Tenant", "President of the board", "For the customer")},
		{[]string{"Tom Granite", "Paul Copper", "John Timber", "Mark Whitfield"}[second], p.one("Secretary, Copper plc", "Landlord", "Treasurer of the society", "For the provider")},
	}}
	p.body = append(p.body, b)
}

// contents adds a list of contents.
func (p *page) contents() {
	number := p.between(1, 4)
	for i := range p.between(5, 11) {
		title := p.phrase(1, 7)
		if p.numbered {
			title = fmt.Sprintf("%d. %s", i+1, title)
		}
		p.body = append(p.body, block{kind: entry, text: title, mark: fmt.Sprint(number)})
		number += p.between(1, 9)
	}
}

// paper returns the texts of a block that only papers have.
func (b *block) paper() []labelled {
	switch b.kind {
	case entry:
		text := strings.TrimLeft(b.text, "0123456789. ") // the list has the number
		return []labelled{{label: "item", text: bare(text + b.mark), level: 1}}
	case blank:
		return []labelled{{label: "text", text: bare(strings.Join(b.lines, ""))}}
	}
	var out []labelled
	for _, person := range b.rows {
		out = append(out, labelled{label: "text", text: bare(strings.Join(person, ""))})
	}
	return out
}

// contract has clauses with numbered items, and signatures.
func (p *page) contract() {
	p.styled()
	p.numbered = p.chance(.4)
	p.top = append(p.top, block{kind: title, text: p.titled(2, 5)})
	p.paragraph(1, 3)
	p.fill(func(i int) {
		switch i % 3 {
		case 0:
			p.heading(section)
			p.paragraph(1, 3)
		case 1:
			p.numberedList()
		default:
			p.paragraph(2, 4)
		}
	})
	p.body = p.body[:max(1, len(p.body)-3)]
	p.blanks()
	p.signatures()
}

// form has labels with blanks.
func (p *page) form() {
	p.styled()
	p.top = append(p.top, block{kind: title, text: p.titled(2, 5)})
	p.paragraph(1, 2)
	for range p.between(2, 3) {
		p.heading(section)
		for range p.between(2, 4) {
			p.blanks()
		}
		if p.chance(.5) {
			p.numberedList()
		}
	}
	p.paragraph(1, 3)
	p.signatures()
}

// outline has a list of contents before its first section.
func (p *page) outline() {
	p.styled()
	p.numbered = p.chance(.6)
	p.top = append(p.top, block{kind: title, text: p.titled(2, 5)})
	if p.chance(.5) {
		p.body = append(p.body, block{kind: section, text: "Contents"})
	}
	p.contents()
	p.heading(section)
	p.paragraph(2, 4)
	p.numberedList()
	p.paragraph(2, 4)
}

// css has the rules for the numbers of items that are not those of the browser's lists.
func (s *style) css() string {
	if s.number == "" {
		return ""
	}
	before, after, _ := strings.Cut(s.number, "%s")
	kind := map[string]string{"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman"}[s.digits]
	counter := fmt.Sprintf(`"%s" counter(n,%s) "%s"`, before, kind, after)
	rule := map[string]string{
		"native": fmt.Sprintf(`@counter-style own{system:extends %s;prefix:"%s";suffix:"%s "}ol.own{list-style:own;padding-left:2.6em}`, kind, before, after),
		"before": fmt.Sprintf(`ol.own{list-style:none;padding-left:1.5em}ol.own li::before{content:%s " "}`, counter),
		"hang":   fmt.Sprintf(`ol.own{list-style:none;padding-left:2.6em}ol.own li::before{content:%s;display:inline-block;width:2.2em;margin-left:-2.2em}`, counter),
		"close":  fmt.Sprintf(`ol.own{list-style:none;padding-left:2em}ol.own li::before{content:%s;padding-right:.12em}`, counter),
	}[s.mark]
	return rule + fmt.Sprintf(`ol.own{counter-reset:n %d}ol.own li{counter-increment:n}`, s.first-1) + `
.entry{display:flex}.entry i{flex:1;overflow:hidden;white-space:nowrap;font-style:normal;height:1.25em;text-align:right}.apart i{margin:0 .5em}.drawn i{border-bottom:1pt dotted #000;height:.9em}
.blank{display:flex;gap:1.5em}.blank span{flex:1;display:flex;gap:.4em}.blank u{flex:1;border-bottom:.75pt solid #000;height:1.1em}
.sign{display:flex;gap:3em;margin-top:14mm}.sign div{flex:1}.sign .above{border-top:.75pt solid #000;padding-top:.2em}`
}

// list returns the attributes of a list.
func (s *style) list(tag string) string {
	if tag == "ul" || s.number == "" {
		return ""
	}
	return fmt.Sprintf(` class="own" start="%d"`, s.first)
}

// leaderText returns the characters between an entry and its number.
func (s *style) leaderText() string {
	switch s.leader {
	case "touching", "apart":
		return strings.Repeat(".", 250)
	case "spaced":
		return strings.Repeat(". ", 150)
	}
	return ""
}

// paper writes a block that only papers have.
func (w *htmlWriter) paper(b *block) {
	s := w.style
	switch b.kind {
	case entry:
		fmt.Fprintf(w.b, `<div class="entry %s"><span>%s</span><i>%s</i><span>%s</span></div>`, s.leader, html.EscapeString(b.text), s.leaderText(), b.mark)
	case blank:
		if s.blank == "underscores" {
			var parts []string
			for _, l := range b.lines {
				parts = append(parts, l+": "+strings.Repeat("_", 22))
			}
			fmt.Fprintf(w.b, "<p>%s</p>", strings.Join(parts, " "))
			return
		}
		w.b.WriteString(`<p class="blank">`)
		for _, l := range b.lines {
			fmt.Fprintf(w.b, "<span>%s: <u></u></span>", l)
		}
		w.b.WriteString("</p>")
	case signature:
		w.b.WriteString(`<div class="sign">`)
		for _, person := range b.rows {
			class, line := ` class="above"`, ""
			if s.sign == "underscores" {
				class, line = "", strings.Repeat("_", 28)+"<br>"
			}
			fmt.Fprintf(w.b, "<div%s>%s%s</div>", class, line, strings.Join(person, "<br>"))
		}
		w.b.WriteString("</div>")
	}
}

// texPaper returns a block that only papers have as LaTeX.
func (p *page) texPaper(b *block) string {
	s := p.style
	switch b.kind {
	case entry:
		fill := map[string]string{"touching": `\leaders\hbox{.}\hfill`, "apart": `\ \leaders\hbox{.}\hfill\ `, "spaced": `\dotfill\ `, "drawn": `\dotfill`, "none": `\hfill`}[s.leader]
		return `\noindent ` + texSpecial.Replace(b.text) + fill + b.mark + "\\par\n"
	case blank:
		rule := map[string]string{"drawn": `\rule[-1pt]{5.5cm}{.4pt}`, "underscores": strings.Repeat(`\_`, 22)}[s.blank]
		return `\noindent ` + strings.Join(b.lines, ": "+rule+" ") + ": " + rule + "\\par\\medskip\n"
	}
	rule := map[string]string{"lines": `\rule{6cm}{.4pt}`, "underscores": strings.Repeat(`\_`, 26)}[s.sign]
	var people []string
	for _, person := range b.rows {
		people = append(people, `\begin{minipage}[t]{.45\linewidth}\raggedright `+rule+`\\ `+strings.Join(person, `\\ `)+`\end{minipage}`)
	}
	return "\\vspace{14mm}\\noindent " + strings.Join(people, `\hfill `) + "\\par\n"
}

// texList returns the options of LaTeX's numbered list.
func (s *style) texList() string {
	before, after, _ := strings.Cut(s.number, "%s")
	kind := map[string]string{"1": `\arabic*`, "a": `\alph*`, "A": `\Alph*`, "i": `\roman*`}[s.digits]
	more := map[string]string{"native": "", "before": ",wide", "hang": ",align=left,leftmargin=2.6em", "close": ",labelsep=.15em"}[s.mark]
	return fmt.Sprintf("[label={%s%s%s},start=%d%s]", before, kind, after, s.first, more)
}

// odfList returns the list style of the page in OpenDocument.
func (s *style) odfList() string {
	if s.number == "" {
		return ""
	}
	before, after, _ := strings.Cut(s.number, "%s")
	followed := map[string]string{"native": "listtab", "before": "space", "hang": "listtab", "close": "nothing"}[s.mark]
	indent := map[string]string{"native": "-0.6cm", "before": "-0.5cm", "hang": "-1cm", "close": "-0.6cm"}[s.mark]
	return fmt.Sprintf(`<text:list-style style:name="Own"><text:list-level-style-number text:level="1" style:num-format="%s" style:num-prefix="%s" style:num-suffix="%s" text:start-value="%d"><style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="%s" fo:text-indent="%s" fo:margin-left="1.2cm"/></style:list-level-properties></text:list-level-style-number></text:list-style>`, s.digits, before, after, s.first, followed, indent)
}

// odfStyles returns the paragraph styles of papers in OpenDocument.
func (s *style) odfStyles() string {
	leader := map[string]string{"none": `style:leader-style="none"`}[s.leader]
	if leader == "" {
		leader = `style:leader-style="dotted" style:leader-text="."`
	}
	blank := map[string]string{"drawn": `style:leader-style="solid" style:leader-text="_"`, "underscores": `style:leader-style="solid" style:leader-text="_"`}[s.blank]
	return `<style:style style:name="entry" style:family="paragraph" style:parent-style-name="Standard"><style:paragraph-properties><style:tab-stops><style:tab-stop style:position="165mm" style:type="right" ` + leader + `/></style:tab-stops></style:paragraph-properties></style:style>
<style:style style:name="blank" style:family="paragraph" style:parent-style-name="Standard"><style:paragraph-properties fo:margin-bottom="2mm"><style:tab-stops><style:tab-stop style:position="80mm" ` + blank + `/><style:tab-stop style:position="85mm"/><style:tab-stop style:position="165mm" ` + blank + `/></style:tab-stops></style:paragraph-properties></style:style>
<style:style style:name="under" style:family="text"><style:text-properties style:text-underline-style="solid" style:text-underline-width="auto" style:text-underline-color="font-color"/></style:style>
<style:style style:name="sign" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" fo:border="none"/></style:style><style:style style:name="signed" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" fo:border="none" fo:border-top="0.75pt solid #000000"/></style:style><style:style style:name="gap" style:family="table-column"><style:table-column-properties style:column-width="20mm"/></style:style><style:style style:name="person" style:family="table-column"><style:table-column-properties style:column-width="70mm"/></style:style>`
}

// paper writes a block that only papers have.
func (w *odfWriter) paper(b *block) {
	s := w.style
	switch b.kind {
	case entry:
		gap := map[string]string{"apart": " "}[s.leader]
		fmt.Fprintf(&w.b, `<text:p text:style-name="entry">%s%s<text:tab/>%s%s</text:p>`, html.EscapeString(b.text), gap, gap, b.mark)
	case blank:
		var parts []string
		for i, l := range b.lines {
			gap := `<text:tab/>`
			if s.blank == "underscores" {
				gap = strings.Repeat("_", 22)
			} else if i == 0 && len(b.lines) == 1 {
				gap = `<text:span text:style-name="under"><text:tab/></text:span>`
			}
			parts = append(parts, l+": "+gap)
		}
		fmt.Fprintf(&w.b, `<text:p text:style-name="blank">%s</text:p>`, strings.Join(parts, " "))
	case signature:
		w.b.WriteString(`<text:p text:style-name="text"/><text:p text:style-name="text"/><table:table table:name="Signatures"><table:table-column table:style-name="person"/><table:table-column table:style-name="gap"/><table:table-column table:style-name="person"/><table:table-row>`)
		for i, person := range b.rows {
			cell, line := "signed", ""
			if s.sign == "underscores" {
				cell, line = "sign", "<text:p>"+strings.Repeat("_", 26)+"</text:p>"
			}
			if i > 0 {
				w.b.WriteString(`<table:table-cell table:style-name="sign"><text:p/></table:table-cell>`)
			}
			fmt.Fprintf(&w.b, `<table:table-cell table:style-name="%s">%s<text:p>%s</text:p></table:table-cell>`, cell, line, strings.Join(person, "</text:p><text:p>"))
		}
		w.b.WriteString(`</table:table-row></table:table>`)
	}
}
