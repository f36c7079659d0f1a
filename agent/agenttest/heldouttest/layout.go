// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
)

// writer writes the main content of a page and notes what it says.
type writer struct {
	strings.Builder
	page *page
	loud bool   // names are in capitals
	view string // the view that the page is; empty: it is none
}

// cell returns the markup of a cell, and notes it; it is empty if the thing lacks it.
func (b *writer) cell(t *thing, c *column, label string) string {
	v, ok := t.cells[c.name]
	if !ok {
		return c.blank
	}
	if f := c.retold[b.view]; f != nil {
		v.text = f(v.truth)
	}
	if b.loud && c == &t.site.columns[0] {
		v.text = strings.ToUpper(v.text)
	}
	b.page.mentions = append(b.page.mentions, mention{thing: t, field: c.name, label: label, text: v.text})
	if v.html != "" {
		return v.html
	}
	if c.note != "" && t.index%5 == 0 {
		return html.EscapeString(v.text) + "<sup>" + c.note + "</sup>"
	}
	return html.EscapeString(v.text)
}

// name returns the name of a thing, linked if it has a page.
func (b *writer) name(s *site, t *thing) string {
	text := b.cell(t, &s.columns[0], "")
	if s.detail == "" || s.anchor != "" || s.bare {
		return text
	}
	return fmt.Sprintf(`<a href="%s">%s</a>`, s.path(t.index, t), text)
}

// more returns the link to a detail that does not have the name.
func (b *writer) more(s *site, t *thing) string {
	if s.detail != "" && s.bare {
		return fmt.Sprintf(` <a href="%s"><svg width=9 height=9></svg></a>`, s.path(t.index, t))
	}
	if s.detail == "" || s.anchor == "" {
		return ""
	}
	return fmt.Sprintf(` <a href="%s">%s</a>`, s.path(t.index, t), s.anchor)
}

// shown returns the columns of lists or of details, without the name.
func (s *site) shown(on string) []*column {
	var out []*column
	for i := range s.columns[1:] {
		if c := &s.columns[i+1]; c.on == "" || c.on == on {
			out = append(out, c)
		}
	}
	return out
}

// things writes a listing.
func (b *writer) things(s *site, layout string, all []*thing) {
	columns := b.restate(s.shown(cmp.Or(b.view, "list")))
	labelled := func(t *thing, open, between, end string) {
		for _, c := range columns {
			if text := b.cell(t, c, c.label); text != "" {
				b.WriteString(open + c.label + between + text + end)
			}
		}
	}
	switch layout {
	case "form":
		b.form(s, all)
	case "state":
		b.state(s, columns, all)
	case "story":
		b.tell(s, columns, all)
	case "abbreviated": // a line for each thing
		b.WriteString("<ul>")
		for _, t := range all {
			fmt.Fprintf(b, "<li><b>%s</b>", b.name(s, t))
			labelled(t, ", ", " ", "")
			fmt.Fprintf(b, "%s</li>\n", b.more(s, t))
		}
		b.WriteString("</ul>")
	case "tableless": // a table of divs
		fmt.Fprintf(b, "<div role=table><div role=row><div role=columnheader>%s</div>", s.columns[0].label)
		for _, c := range columns {
			fmt.Fprintf(b, "<div role=columnheader>%s</div>", c.label)
		}
		b.WriteString("</div>\n")
		for _, t := range all {
			fmt.Fprintf(b, "<div role=row><div role=cell>%s</div>", b.name(s, t))
			for _, c := range columns {
				fmt.Fprintf(b, "<div role=cell>%s</div>", b.cell(t, c, ""))
			}
			b.WriteString("</div>\n")
		}
		b.WriteString("</div>")
	case "totals": // a head of two rows, an advertisement and a row of totals
		b.totals(s, columns, all)
	case "shuffled": // cards that state their properties in a different order each
		for k, t := range all {
			fmt.Fprintf(b, "<section class=card><h3>%s</h3>\n", b.name(s, t))
			for i := range columns {
				c := columns[(i+k)%len(columns)]
				fmt.Fprintf(b, "<p>%s: %s</p>\n", c.label, b.cell(t, c, c.label))
			}
			fmt.Fprintf(b, "%s</section>\n", b.more(s, t))
		}
	case "ranked": // a numbered list
		b.WriteString("<ol>")
		for _, t := range all {
			fmt.Fprintf(b, "<li><p>%s</p>\n", b.name(s, t))
			labelled(t, "<p><span>", "</span> ", "</p>\n")
			fmt.Fprintf(b, "%s</li>\n", b.more(s, t))
		}
		b.WriteString("</ol>")
	case "table", "headless", "linked", "captioned", "headed":
		if layout == "headed" {
			fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(s.caption))
		}
		b.WriteString("<table>")
		if layout == "captioned" {
			fmt.Fprintf(b, "<caption>%s</caption>\n", s.caption)
		}
		if layout != "headless" {
			fmt.Fprintf(b, "<tr><th>%s</th>", s.columns[0].label)
			for _, c := range columns {
				fmt.Fprintf(b, "<th>%s</th>", c.label)
			}
			b.WriteString("</tr>\n")
		}
		for _, t := range all {
			fmt.Fprintf(b, "<tr><td>%s%s</td>", b.name(s, t), b.more(s, t))
			for _, c := range columns {
				fmt.Fprintf(b, "<td>%s</td>", b.cell(t, c, ""))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>")
	case "columns": // each column is a thing
		b.page.columns = true
		rows := make([]strings.Builder, len(columns)+1)
		fmt.Fprint(&rows[0], "<tr><th></th>")
		for i, c := range columns {
			fmt.Fprintf(&rows[i+1], "<tr><th>%s</th>", c.label)
		}
		for _, t := range all {
			fmt.Fprintf(&rows[0], "<th>%s%s</th>", b.name(s, t), b.more(s, t))
			for i, c := range columns {
				fmt.Fprintf(&rows[i+1], "<td>%s</td>", b.cell(t, c, c.label))
			}
		}
		b.WriteString("<table>")
		for i := range rows {
			b.WriteString(rows[i].String() + "</tr>\n")
		}
		b.WriteString("</table>")
	case "sections": // the heading of a section is a property of its things
		by := s.column(s.by)
		last := ""
		for _, t := range slices.SortedStableFunc(slices.Values(all), func(x, y *thing) int { return strings.Compare(x.cells[s.by].text, y.cells[s.by].text) }) {
			if text := t.cells[s.by].text; text != last {
				fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(text))
				last = text
			}
			fmt.Fprintf(b, "<p>%s", b.name(s, t))
			b.page.mentions = append(b.page.mentions, mention{thing: t, field: by.name, text: last, heading: true})
			for _, c := range columns {
				if text := b.cell(t, c, ""); text != "" {
					b.WriteString(" · " + text)
				}
			}
			fmt.Fprintf(b, "%s</p>\n", b.more(s, t))
		}
	case "nested": // a definition list within a definition list
		b.WriteString("<dl>")
		for _, t := range all {
			fmt.Fprintf(b, "<dt>%s</dt>\n<dd><dl>", b.name(s, t))
			labelled(t, "<dt>", "</dt><dd>", "</dd>\n")
			fmt.Fprintf(b, "</dl>%s</dd>\n", b.more(s, t))
		}
		b.WriteString("</dl>")
	case "terms": // a definition list of definition lists
		for _, t := range all {
			fmt.Fprintf(b, "<h2>%s</h2>\n<dl>", b.name(s, t))
			labelled(t, "<dt>", "</dt><dd>", "</dd>\n")
			fmt.Fprintf(b, "</dl>%s\n", b.more(s, t))
		}
	case "cards":
		b.WriteString("<div class=grid>")
		for _, t := range all {
			fmt.Fprintf(b, "<article><h3>%s</h3>\n", b.name(s, t))
			labelled(t, "<div class=row><span class=k>", "</span> <span class=v>", "</span></div>\n")
			fmt.Fprintf(b, "%s</article>\n", b.more(s, t))
		}
		b.WriteString("</div>")
	case "paragraphs":
		for _, t := range all {
			fmt.Fprintf(b, "<p><b>%s</b><br>", b.name(s, t))
			labelled(t, "", ": ", "<br>\n")
			fmt.Fprintf(b, "%s</p>\n", b.more(s, t))
		}
	case "accordion":
		for _, t := range all {
			fmt.Fprintf(b, "<details><summary>%s</summary>\n<ul>", b.name(s, t))
			labelled(t, "<li>", " – ", "</li>\n")
			fmt.Fprintf(b, "</ul>%s</details>\n", b.more(s, t))
		}
	case "microdata":
		for _, t := range all {
			fmt.Fprintf(b, `<div itemscope itemtype="https://schema.org/%s"><span itemprop="name">%s</span>`+"\n", "Thing", b.name(s, t))
			labelled(t, "<div><em>", "</em>: ", "</div>\n")
			fmt.Fprintf(b, "%s</div>\n", b.more(s, t))
		}
	case "prose": // one paragraph of sentences for each thing
		for _, t := range all {
			fmt.Fprintf(b, "<p>%s. ", b.name(s, t))
			labelled(t, "", " ", ". ")
			fmt.Fprintf(b, "%s</p>\n", b.more(s, t))
		}
	case "tiles": // only links to details, which do not name the things
		for _, t := range all {
			b.WriteString("<figure><img src=\"/i/t.jpg\" alt=\"\"><figcaption>")
			for _, c := range columns {
				b.WriteString(html.EscapeString(t.cells[c.name].text) + " ")
			}
			fmt.Fprintf(b, "%s</figcaption></figure>\n", b.more(s, t))
		}
	case "merged": // a cell of the first column is shared by all things of a group
		by := s.column(s.by)
		fmt.Fprintf(b, "<table><tr><th>%s</th><th>%s</th>", by.label, s.columns[0].label)
		for _, c := range columns {
			fmt.Fprintf(b, "<th>%s</th>", c.label)
		}
		b.WriteString("</tr>\n")
		groups := map[string]int{}
		for _, t := range all {
			groups[t.cells[s.by].text]++
		}
		last := ""
		for _, t := range slices.SortedStableFunc(slices.Values(all), func(x, y *thing) int { return strings.Compare(x.cells[s.by].text, y.cells[s.by].text) }) {
			b.WriteString("<tr>")
			if text := t.cells[s.by].text; text != last {
				fmt.Fprintf(b, "<td rowspan=%d>%s</td>", groups[text], html.EscapeString(text))
				last = text
			}
			fmt.Fprintf(b, "<td>%s%s</td>", b.name(s, t), b.more(s, t))
			b.page.mentions = append(b.page.mentions, mention{thing: t, field: by.name, text: last, above: true})
			for _, c := range columns {
				fmt.Fprintf(b, "<td>%s</td>", b.cell(t, c, ""))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>")
	case "boxes": // cards without headings
		for _, t := range all {
			fmt.Fprintf(b, "<div class=box><div class=n>%s</div>\n", b.name(s, t))
			labelled(t, "<div>", ": ", "</div>\n")
			fmt.Fprintf(b, "%s</div>\n", b.more(s, t))
		}
	case "glossary": // a definition list whose terms are the things
		b.WriteString("<dl>")
		for _, t := range all {
			fmt.Fprintf(b, "<dt>%s</dt>\n", b.name(s, t))
			labelled(t, "<dd>", ": ", "</dd>\n")
		}
		b.WriteString("</dl>")
	case "lines":
		b.WriteString("<ul>")
		for _, t := range all {
			fmt.Fprintf(b, "<li>%s", b.name(s, t))
			for _, c := range columns {
				if text := b.cell(t, c, ""); text != "" {
					b.WriteString(" | " + text)
				}
			}
			fmt.Fprintf(b, "%s</li>\n", b.more(s, t))
		}
		b.WriteString("</ul>")
	}
}

// totals writes a table that has a head of two rows, an advertisement and a row of totals.
func (b *writer) totals(s *site, columns []*column, all []*thing) {
	fmt.Fprintf(b, "<table><thead><tr><th rowspan=2>%s</th><th colspan=%d>%s</th></tr><tr>", s.columns[0].label, len(columns), s.noun)
	for _, c := range columns {
		fmt.Fprintf(b, "<th>%s</th>", c.label)
	}
	b.WriteString("</tr></thead><tbody>\n")
	sums := make([]float64, len(columns))
	for k, t := range all {
		if k == len(all)/2 {
			fmt.Fprintf(b, "<tr><td colspan=%d>Advertisement: warm gloves at half price, this week only</td></tr>\n", len(columns)+1)
		}
		fmt.Fprintf(b, "<tr><td>%s%s</td>", b.name(s, t), b.more(s, t))
		for i, c := range columns {
			if v, ok := t.cells[c.name].truth.(float64); ok {
				sums[i] += v
			}
			fmt.Fprintf(b, "<td>%s</td>", b.cell(t, c, ""))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody><tfoot><tr><td>Total</td>")
	for i, c := range columns {
		text := ""
		if c.kind == "integer" {
			text = grouped(int(sums[i]), ",")
		}
		fmt.Fprintf(b, "<td>%s</td>", text)
	}
	b.WriteString("</tr></tfoot></table>")
}

// detail writes the page of a thing and returns what stands in its head.
func (b *writer) detail(s *site, t *thing) string {
	name := b.cell(t, &s.columns[0], "")
	fmt.Fprintf(b, "<p class=crumbs><a href=\"/\">%s</a> › %s</p>\n<h1>%s</h1>\n<p>%s</p>\n", html.EscapeString(s.title), name, name, lead[s.lang])
	head := ""
	columns := s.shown("detail")
	labelled := func(some []*column, open, between, end string) {
		for _, c := range some {
			if text := b.cell(t, c, c.label); text != "" {
				b.WriteString(open + c.label + between + text + end)
			}
		}
	}
	switch s.detail {
	case "form":
		b.about(s, t)
	case "terms":
		b.WriteString("<dl>")
		labelled(columns, "<dt>", "</dt><dd>", "</dd>\n")
		b.WriteString("</dl>")
	case "neighbours": // a table of other things follows the properties
		b.WriteString("<dl>")
		labelled(columns, "<dt>", "</dt><dd>", "</dd>\n")
		b.WriteString("</dl><h2>Others nearby</h2><table><tr><th>Name</th>")
		for _, c := range columns {
			fmt.Fprintf(b, "<th>%s</th>", c.label)
		}
		b.WriteString("</tr>\n")
		for k := range 3 {
			o := s.things[(t.index+k+5)%len(s.things)]
			fmt.Fprintf(b, "<tr><td>%s</td>", html.EscapeString(o.name))
			for _, c := range columns {
				fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(cmp.Or(o.cells[c.name].text, c.blank)))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>")
	case "table":
		b.WriteString("<table>")
		labelled(columns, "<tr><td>", "</td><td>", "</td></tr>\n")
		b.WriteString("</table>")
	case "paragraphs":
		labelled(columns, "<p><strong>", ":</strong> ", "</p>\n")
	case "pairs": // two columns of divs
		b.WriteString("<div class=cols>")
		labelled(columns, "<div>", "</div><div>", "</div>\n")
		b.WriteString("</div>")
	case "tabs":
		half := len(columns) / 2
		b.WriteString("<div role=tablist><a href=\"#facts\">Facts</a> <a href=\"#more\">More</a></div><div role=tabpanel id=facts>")
		labelled(columns[:half], "<p>", ": ", "</p>\n")
		b.WriteString("</div><div role=tabpanel id=more hidden>")
		labelled(columns[half:], "<p>", ": ", "</p>\n")
		b.WriteString("</div>")
	case "jsonld":
		graph := map[string]any{"@context": "https://schema.org", "@type": "LocalBusiness", "name": t.name}
		for _, c := range columns {
			if v, ok := t.cells[c.name]; ok && c.kind == "string" {
				graph[c.name] = v.text
			}
		}
		if raw, err := json.Marshal(graph); err == nil {
			head = `<script type="application/ld+json">` + string(raw) + `</script>`
		}
		b.WriteString("<ul>")
		labelled(columns, "<li>", ": ", "</li>\n")
		b.WriteString("</ul>")
	}
	for _, c := range columns {
		if c.remark != "" && t.index%5 == 0 {
			fmt.Fprintf(b, "<p class=notes>%s %s</p>\n", c.note, c.remark)
		}
	}
	b.WriteString("<h2>See also</h2><p>")
	for k := range 3 { // other things: the page says no more of them than their names
		o := s.things[(t.index+k+1)%len(s.things)]
		fmt.Fprintf(b, `<a href="%s">%s</a> `, s.path(o.index, o), html.EscapeString(o.name))
	}
	b.WriteString("</p>")
	return head
}
