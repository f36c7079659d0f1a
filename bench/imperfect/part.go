// SPDX-License-Identifier: Apache-2.0

package main

import (
	"html"
	"strings"
)

// recordStyles are the ways in which lists of records are written.
var recordStyles = []string{"items", "cards", "articles", "rows", "links", "definitions"}

// block writes a part of the content.
func (w *writer) block(b *block) {
	switch b.tag {
	case "h2":
		if w.is("bold headings") {
			w.f("<div class=sub><b>%s</b></div>", w.esc(b.text))
			return
		}
		w.f("<h2>%s</h2>", w.esc(b.text))
	case "p":
		w.paragraph(b.text)
	case "ul", "ol":
		w.f("<%s>", b.tag)
		for _, item := range b.items {
			w.f("<li>%s", w.esc(item))
			w.end("li")
		}
		w.f("</%s>", b.tag)
	case "pre":
		w.f("<pre><code>%s</code></pre>", html.EscapeString(b.text))
	case "blockquote":
		w.f("<blockquote><p>%s</p></blockquote>", w.esc(b.text))
	case "figure":
		w.picture(b)
	case "table":
		w.WriteString("<table>")
		for i, row := range b.rows {
			w.WriteString("<tr>")
			for _, cell := range row {
				tag := "td"
				if i == 0 && row[0] == "Name" {
					tag = "th"
				}
				w.f("<%s>%s", tag, w.esc(cell))
				w.end(tag)
			}
			w.end("tr")
		}
		w.WriteString("</table>")
	case "price":
		w.price(b.text)
	case "post":
		w.post(b)
	case "question":
		w.question(b)
	case "records":
		w.records(b.list)
	}
}

// paragraph writes a paragraph.
func (w *writer) paragraph(text string) {
	switch {
	case w.is("line breaks"):
		w.f("%s<br><br>", w.esc(text))
	case w.is("divs for paragraphs"):
		w.f("<div>%s</div>", w.esc(text))
	case w.is("upper-case tags"):
		w.f("<P ALIGN=left CLASS=x>%s\n", w.esc(text))
	case w.is("stray end tags"):
		w.f("<p>%s</span></div></b></p>", w.esc(text))
	case w.is("misnested"):
		w.f("<p><b><i>%s</b></p></i>", w.esc(text))
	case w.is("attributes without spaces"):
		w.f(`<p class="x"id='y'title="z">%s</p>`, w.esc(text))
	case w.is("each in a section"):
		w.f(`<div class="row"><div class="col-12"><div class="text-block"><p>%s</p></div></div></div>`, w.esc(text))
	default:
		w.f("<p>%s", w.esc(text))
		w.end("p")
	}
}

// picture writes a picture with a caption.
func (w *writer) picture(b *block) {
	img := `<img src="` + b.text + `" alt="">`
	switch {
	case w.is("lazy pictures"):
		img = `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="` + b.text + `" alt="">`
	case w.is("pictures for no scripts"):
		img = `<img class="lazy" alt=""><noscript><img src="` + b.text + `" alt="the river in spring"></noscript>`
	}
	w.f("<figure>%s<figcaption>%s</figcaption></figure>", img, w.esc(b.more))
}

// price writes a price.
func (w *writer) price(text string) {
	whole, cents, _ := strings.Cut(text, ".")
	switch {
	case w.is("split prices"):
		w.f(`<div class="price"><span>%s</span><span>.</span><sup>%s</sup></div>`, whole, cents)
	case w.is("old prices"):
		w.f(`<div class="price"><del>$999.99</del> <ins>%s</ins></div>`, text)
	default:
		w.f(`<div class="price">%s</div>`, text)
	}
}

func (w *writer) post(b *block) {
	w.n++
	w.f(`<div class="post" id="p%d"><div class="post-author"><a href="/u/%d">%s</a></div>`, w.n, w.n, b.more)
	w.time(b.day)
	w.f(`<div class="post-body">%s</div>`, w.esc(b.text))
	w.end("div")
}

func (w *writer) question(b *block) {
	w.n++
	switch {
	case w.is("buttons for questions"):
		w.f(`<div class="faq-item"><button aria-expanded="false" aria-controls="a%d">%s</button><div id="a%d" hidden><p>%s</p></div></div>`, w.n, w.esc(b.text), w.n, w.esc(b.more))
	case w.is("checkboxes for questions"):
		w.f(`<div class="faq-item"><input type="checkbox" id="c%d"><label for="c%d">%s</label><div class="answer"><p>%s</p></div></div>`, w.n, w.n, w.esc(b.text), w.esc(b.more))
	case w.is("closed answers"):
		w.f(`<div class="faq-item"><div class="q">%s</div><div class="a" style="display:none"><p>%s</p></div></div>`, w.esc(b.text), w.esc(b.more))
	case w.style == "semantic":
		w.f("<details><summary>%s</summary><p>%s</p></details>", w.esc(b.text), w.esc(b.more))
	default:
		w.f("<h3>%s</h3><p>%s</p>", w.esc(b.text), w.esc(b.more))
	}
}

// records writes a list of records.
func (w *writer) records(all []record) {
	around := map[string][2]string{
		"items": {`<ul class="list">`, "</ul>"}, "cards": {`<div class="grid">`, "</div>"}, "articles": {"<div>", "</div>"}, "rows": {"<table>", "</table>"},
		"links": {`<div class="grid">`, "</div>"}, "definitions": {"<dl>", "</dl>"},
	}[w.record]
	w.WriteString(around[0])
	for i, r := range all {
		if i == 5 && w.is("ads between records") {
			w.WriteString(`<div class="ad"><a href="https://ads.example/y">Buy this instead</a></div>`)
		}
		w.one(&r)
	}
	w.WriteString(around[1])
	if w.is("endless list") {
		w.WriteString(`<div class="spinner" data-next="/list?page=2"></div><button class="load-more">Load more</button>`)
	}
}

// one writes a record.
func (w *writer) one(r *record) {
	link := `<a href="` + r.link + `">` + w.esc(r.title) + "</a>"
	switch {
	case w.is("picture links"):
		link = `<a href="` + r.link + `"><img src="/i.jpg" alt="` + html.EscapeString(r.title) + `"></a>`
	case w.is("two links"):
		link = `<a href="` + r.link + `"><img src="/i.jpg" alt=""></a>` + link + `<a href="` + r.link + `">Details</a>`
	case w.is("scripts for links"):
		link = `<a href="` + r.link + `" onclick="go(event)" role="button">` + w.esc(r.title) + "</a>"
	}
	fields := func() {
		if r.price != "" {
			w.price(r.price)
		}
		if !r.day.IsZero() {
			w.time(r.day)
		}
	}
	switch w.record {
	case "items":
		w.f("<li><h3>%s</h3>", link)
		fields()
		w.f("<p>%s</p>", w.esc(r.text))
		w.end("li")
	case "cards":
		w.f(`<div class="card"><div class="card-title">%s</div>`, link)
		fields()
		w.f(`<div class="card-text">%s</div>`, w.esc(r.text))
		w.end("div")
	case "articles":
		w.f("<article><header><h2>%s</h2></header>", link)
		fields()
		w.f("<p>%s</p></article>", w.esc(r.text))
	case "rows":
		w.f("<tr><td>%s</td><td>", link)
		fields()
		w.f("</td><td>%s</td>", w.esc(r.text))
		w.end("tr")
	case "links":
		w.f(`<a class="card" href="%s"><h3>%s</h3>`, r.link, w.esc(r.title))
		fields()
		w.f("<p>%s</p></a>", w.esc(r.text))
	default:
		w.f("<dt>%s</dt><dd>", link)
		fields()
		w.f("<br>%s</dd>", w.esc(r.text))
	}
}
