// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"
)

// page is the response of the simulated web for one URL.
type page struct {
	status   int
	kind     string // media type
	location string
	body     []byte
	pause    time.Duration // before the answer, in addition to the latency of the web
}

// site contains the pages of all catalogs, by host and path with query.
type site map[string]page

func (s site) add(url string, p page) {
	if p.status == 0 {
		p.status = 200
	}
	if p.kind == "" {
		p.kind = "text/html; charset=utf-8"
	}
	s[strings.TrimPrefix(url, "https://")] = p
}

// frame puts the usual parts of a page around its main content.
func (c *catalog) frame(title, head, main string) page {
	l := locales[c.lang]
	nav := `<a href="/about">About</a> <a href="/contact">Contact</a>`
	if c.maze {
		nav += ` <a href="/calendar?month=2024-01">Calendar</a> <a href="/loop">Offers</a> <a href="/away">Partner</a> <a href="/gone">Old catalogue</a> <a href="/wall">Members</a> <a href="/app">Configurator</a> <a href="/slow">Archive</a> <a href="/busy">Reviews</a> <a href="/feed?page=2">News feed</a>`
	}
	return page{body: fmt.Appendf(nil, `<!DOCTYPE html><html lang="%s"><head><title>%s</title>%s</head><body>
<header><nav>%s</nav></header>
<main>%s</main>
<footer><p>All prices without liability.</p></footer></body></html>
`, l.lang, html.EscapeString(title), head, nav, main)}
}

// build makes the pages of a catalog.
func (c *catalog) build(s site) {
	about := "<h1>About us</h1><p>We have traded for a long time, and answer letters within a week. This page says nothing about any article.</p>"
	for _, host := range c.allHosts() {
		s.add("https://"+host+"/about", c.frame("About", "", about))
		s.add("https://"+host+"/contact", c.frame("Contact", "", "<h1>Contact</h1><p>Write to us. We have no telephone, no shop window and no opening hours to speak of.</p>"))
	}
	switch {
	case c.file != "":
		c.buildFile(s)
	case len(c.hosts) > 0:
		for i, host := range c.hosts {
			c.buildList(s, host, i)
		}
	case c.sections != nil:
		c.buildSections(s)
	default:
		c.buildList(s, c.host(), 0)
	}
	if c.details {
		for _, r := range c.records {
			s.add(r.url(), c.detail(r))
		}
	}
	if c.maze {
		c.buildMaze(s)
	}
	if c.poison {
		c.buildPoison(s)
	}
}

func (c *catalog) allHosts() []string {
	if len(c.hosts) > 0 {
		return c.hosts
	}
	return []string{c.host()}
}

// buildSections makes a first page that links sections, and the lists of the sections.
func (c *catalog) buildSections(s site) {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1><p>Choose a section of the house. Each of them has its own shelf, its own keeper and its own list of what can be bought there today.</p><ul>\n", html.EscapeString(c.title()))
	for i, name := range c.sections {
		fmt.Fprintf(&b, "<li><a href=\"/section/%s\">%s</a></li>\n", name, capital(name))
		var list strings.Builder
		fmt.Fprintf(&list, "<h1>%s</h1>", capital(name))
		c.writeRows(&list, c.records[i*c.perPage:min((i+1)*c.perPage, c.n)], 0)
		s.add("https://"+c.host()+"/section/"+name, c.frame(capital(name), "", list.String()))
	}
	b.WriteString("</ul>")
	s.add(c.entry(), c.frame(c.title(), "", b.String()))
}

// buildList makes the pages of a listing.
func (c *catalog) buildList(s site, host string, mirror int) {
	l := locales[c.lang]
	pages := (c.n + c.perPage - 1) / c.perPage
	for k := range pages {
		rows := c.records[k*c.perPage : min((k+1)*c.perPage, c.n)]
		shown := rows
		if c.twice && k > 0 { // repeat the last things of the previous page
			shown = append(append([]*record{}, c.records[k*c.perPage-3:k*c.perPage]...), rows...)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<h1>%s</h1>", html.EscapeString(c.title()))
		if !c.noClaim {
			fmt.Fprintf(&b, "<p>%s</p>", l.claimed(k*c.perPage+1, k*c.perPage+len(rows), c.n+c.claim))
		}
		c.writeRows(&b, shown, mirror)
		if k+1 < pages {
			fmt.Fprintf(&b, `<p class="paging"><a href="/list?page=%d">%s</a></p>`, k+2, l.next)
		}
		path := "/list"
		if k > 0 {
			path = fmt.Sprintf("/list?page=%d", k+1)
		}
		s.add("https://"+host+path, c.frame(c.title(), "", b.String()))
	}
	s.add("https://"+host+"/", page{status: 301, location: "https://" + host + "/list"})
}

// title returns the title of the catalog.
func (c *catalog) title() string { return "Catalogue of every " + c.noun + " (" + c.id + ")" }

// writeRows writes the rows of one page of a listing.
func (c *catalog) writeRows(b *strings.Builder, rows []*record, mirror int) {
	cell := func(r *record, field, label string) string {
		return html.EscapeString(r.print(field, label, c.variant(r, field, mirror)))
	}
	switch c.listing {
	case "table":
		b.WriteString("<table><thead><tr>")
		for _, f := range c.printable() {
			fmt.Fprintf(b, "<th>%s</th>", c.label(f))
		}
		b.WriteString("</tr></thead><tbody>\n")
		for _, r := range rows {
			b.WriteString("<tr>")
			for _, f := range c.printable() {
				fmt.Fprintf(b, "<td>%s</td>", cell(r, f, ""))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody></table>")
	case "bullets":
		b.WriteString("<ul>\n")
		for _, r := range rows {
			var parts []string
			for _, f := range c.printable() {
				if r.printed(f) != "" {
					parts = append(parts, cell(r, f, ""))
				}
			}
			fmt.Fprintf(b, "<li>%s</li>\n", strings.Join(parts, " · "))
		}
		b.WriteString("</ul>")
	case "cards":
		for _, r := range rows {
			fmt.Fprintf(b, "<section class=card><h3>%s</h3><ul>\n", cell(r, "name", ""))
			for _, f := range c.printable() {
				if f != "name" && r.printed(f) != "" {
					fmt.Fprintf(b, "<li>%s: %s</li>\n", c.label(f), cell(r, f, c.label(f)))
				}
			}
			b.WriteString("</ul></section>\n")
		}
	case "names":
		b.WriteString("<ul>\n")
		for _, r := range rows {
			name, shows, parts := cell(r, "name", ""), c.shows, []string{}
			if shows == nil {
				shows = []string{"code"}
			}
			for _, f := range shows {
				parts = append(parts, cell(r, f, ""))
			}
			if c.anchor != "" {
				fmt.Fprintf(b, `<li>%s (%s) <a href="%s">%s</a></li>`+"\n", name, strings.Join(parts, ", "), r.path(), c.anchor)
				continue
			}
			fmt.Fprintf(b, `<li><a href="%s">%s</a> (%s)</li>`+"\n", r.path(), name, strings.Join(parts, ", "))
		}
		b.WriteString("</ul>")
	}
}

// variant returns a cell as one of several hosts prints it. Names have other words
// around them, and a few prices differ on one host.
func (c *catalog) variant(r *record, field string, mirror int) string {
	switch {
	case mirror == 1 && field == "name":
		return strings.ToUpper(r.name)
	case mirror == 2 && field == "price" && r.index%5 == 0:
		return locales[c.lang].money(r.cents + 1000)
	}
	return r.printed(field)
}

// detail makes the page of one record.
func (c *catalog) detail(r *record) page {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p>A %s that has been tried and found good. It ships in plain paper, with the papers that the law wants and without a word of praise.</p>\n<table class=facts>\n",
		html.EscapeString(r.print("name", "", r.name)), html.EscapeString(c.noun))
	for _, f := range c.printable() {
		if f == "name" || r.printed(f) == "" {
			continue
		}
		fmt.Fprintf(&b, "<tr><th>%s</th><td class=%s>%s</td></tr>\n", c.label(f), f, html.EscapeString(r.print(f, c.label(f), r.printed(f))))
	}
	b.WriteString("</table>\n")
	paragraphs, around := 12, 0
	if c.bulky {
		paragraphs, around = 48, 64
	}
	for i := range paragraphs { // text that every shop has
		fmt.Fprintf(&b, "<p>%s</p>\n", boilerplate[(r.index+i)%len(boilerplate)])
	}
	fmt.Fprintf(&b, `<p><a href="/list">%s</a></p>`, html.EscapeString(c.title()))
	head := ""
	if c.linked {
		thing := map[string]any{
			"@context": "https://schema.org", "@type": "Product", "name": r.name, "sku": r.code, "releaseDate": r.truth("since"),
			"offers": map[string]any{"@type": "Offer", "price": fmt.Sprintf("%.2f", float64(r.cents)/100), "priceCurrency": "USD", "availability": availability(r)},
			"brand":  map[string]any{"@type": "Brand", "name": r.maker},
		}
		raw, err := json.Marshal(thing)
		if err == nil {
			head = `<script type="application/ld+json">` + string(raw) + `</script>`
		}
	}
	p := c.frame(r.name, head, b.String())
	if around > 0 {
		var aside strings.Builder
		for i := range around {
			fmt.Fprintf(&aside, "<li><a href=\"/topic/advice-%d\">Advice %d</a> %s</li>\n", i, i, boilerplate[i%len(boilerplate)])
		}
		p.body = bytes.Replace(p.body, []byte("<footer>"), []byte("<aside><ul>"+aside.String()+"</ul></aside><footer>"), 1)
	}
	return p
}

func availability(r *record) string {
	if r.shipped {
		return "https://schema.org/InStock"
	}
	return "https://schema.org/OutOfStock"
}

// boilerplate is text without facts.
var boilerplate = []string{
	"Our parcels leave the house on working days. Whoever orders before noon can hope to see the parcel the day after, and nobody minds if it takes a little longer.",
	"Whatever you send back within the month is taken back, as long as it is whole and clean. The postage of what is returned is borne by whoever returns it.",
	"Payment is by card, by transfer or on account for those whom we know. We keep no card data, and would not know what to do with them.",
	"The guarantee covers what breaks by itself. It does not cover what is broken by hammers, dogs, floods or children.",
	"Questions are answered by people, in the order in which they arrive. Please give the reference of the article, and a little time.",
	"Pictures show the article as it looked on the day of the picture. Colours on screens differ from those of the world.",
	"Larger quantities are cheaper. Write to us before you order a lorry of them, and we shall find terms that suit both sides.",
	"We pack with paper and cord. Foam and foil have not been seen in our house for years, and nobody misses them.",
}
