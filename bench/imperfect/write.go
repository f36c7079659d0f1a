// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"
)

// A writer writes a page as HTML, in a style, with one imperfection.
type writer struct {
	*source
	*page
	strings.Builder
	style  string
	flaw   string
	record string // how records are written
	n      int    // of parts that need an id
}

// styles are the ways in which the parts of pages are named.
var styles = []string{"semantic", "classes", "utility", "layout tables"}

// is reports whether the page has one of the imperfections.
func (w *writer) is(flaws ...string) bool { return slices.Contains(flaws, w.flaw) }

func (w *writer) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// esc returns a text in HTML.
func (w *writer) esc(text string) string {
	text = html.EscapeString(text)
	switch w.flaw {
	case "soft hyphens":
		return strings.ReplaceAll(text, "er", "e&shy;r")
	case "zero width":
		return strings.ReplaceAll(text, "e", "e\u200b")
	case "a span for each word":
		return "<span>" + strings.ReplaceAll(text, " ", "</span> <span>") + "</span>"
	case "no-break spaces":
		return strings.ReplaceAll(text, " ", "&nbsp;")
	case "no semicolons":
		return strings.ReplaceAll(text, "'", "&#39")
	case "font tags":
		return `<font face="Arial" size=2>` + text + "</font>"
	}
	return text
}

// open and shut write the tags of the part of a page that has a name.
func (w *writer) open(tag, name string) {
	switch w.style {
	case "semantic":
		w.f("<%s>", tag)
	case "classes":
		w.f(`<div class="%s">`, name)
	case "utility":
		w.WriteString(`<div class="flex flex-col px-4 py-2 mx-auto max-w-7xl">`)
	default:
		w.WriteString(`<table width="100%" cellpadding="0" border="0"><tr><td valign="top">`)
	}
}

func (w *writer) shut(tag string) {
	switch w.style {
	case "semantic":
		w.f("</%s>", tag)
	case "layout tables":
		w.WriteString("</td></tr></table>")
	default:
		w.end("div")
	}
}

// end writes an end tag, unless the page lacks it.
func (w *writer) end(tag string) {
	if w.is("end tags missing") && (tag != "div" || w.IntN(4) == 0) && tag != "table" && tag != "pre" && tag != "a" && tag[0] != 'h' {
		return
	}
	w.f("</%s>", tag)
}

// document returns the whole page.
func (w *writer) document(url string) string {
	w.f("<!DOCTYPE html><html lang=%s dir=%s><head>", w.lang, w.dir)
	if !w.is("no encoding") {
		w.WriteString("<meta charset=utf-8>")
	}
	w.f("<title>%s | Valley Site</title>", html.EscapeString(w.page.title))
	if w.is("paid") {
		w.f(`<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":%q,"isAccessibleForFree":false}</script>`, w.page.title)
	}
	w.WriteString("<style>.x{color:red}</style></head><body>")
	if w.is("consent first") {
		w.consent()
	}
	if w.is("shell") {
		w.shell(url)
		return w.String()
	}
	if w.is("all in a form") {
		w.WriteString(`<form method="post" action="./" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="/wEPDwUKMTY">`)
	}
	w.open("header", "site-header")
	if w.is("two main headings") {
		w.f(`<h1><a href="/">Valley Site</a></h1>`)
	}
	w.open("nav", "nav")
	w.WriteString("<ul>")
	for i, s := range []string{"Home", "Topics", "About us", "Contact", w.chrome[0]} {
		w.f(`<li><a href="/nav/%d">%s</a></li>`, i, s)
	}
	w.WriteString("</ul>")
	w.shut("nav")
	w.shut("header")
	w.main()
	w.open("footer", "footer")
	w.f(`<p>© 2024 Valley Site</p><ul><li><a href="/imprint">Imprint</a></li><li><a href="/terms">%s</a></li></ul>`, w.chrome[2])
	w.shut("footer")
	if w.is("all in a form") {
		w.WriteString("</form>")
	}
	if w.is("consent last") {
		w.consent()
	}
	w.WriteString(`<script>window.dataLayer=window.dataLayer||[];dataLayer.push({"page":"x"})</script></body></html>`)
	return w.String()
}

func (w *writer) consent() {
	w.WriteString(`<div class="cc-window" role="dialog"><p>We use cookies and process personal data for measurement and advertising. You can accept or refuse.</p><button>Accept all</button><button>Refuse</button></div>`)
}

func (w *writer) main() {
	tag := "main"
	if w.is("content in aside") {
		w.WriteString("<aside>")
	}
	if w.is("custom elements") {
		w.WriteString("<site-page><page-content>")
	}
	if w.is("misleading names") {
		w.WriteString(`<div class="no-sidebar ad-free newsletter-template related-layout">`)
	}
	if w.is("nested layout tables") {
		w.WriteString(`<table><tr><td width=10></td><td><table><tr><td>`)
	}
	if w.is("shadow root") {
		w.WriteString(`<site-page><template shadowrootmode="open"><style>p{margin:0}</style>`)
	}
	w.open(tag, "content")
	switch h := w.esc(w.page.title); {
	case w.is("no main heading"):
		w.f(`<div class="headline">%s</div>`, h)
	case w.is("heading outside"):
		w.shut(tag)
		w.f("<div class=hero><h1>%s</h1></div>", h)
		w.open(tag, "content")
	default:
		w.f("<h1>%s</h1>", h)
	}
	if w.kind == "article" || w.kind == "recipe" {
		w.f(`<p class="byline">By %s, %s</p>`, w.author, w.page.day.Format("2 January 2006"))
	}
	w.blocks()
	w.shut(tag)
	switch {
	case w.is("shadow root"):
		w.WriteString("</template></site-page>")
	case w.is("nested layout tables"):
		w.WriteString("</td></tr></table></td></tr></table>")
	case w.is("misleading names"):
		w.WriteString("</div>")
	case w.is("custom elements"):
		w.WriteString("</page-content></site-page>")
	case w.is("content in aside"):
		w.WriteString("</aside>")
	}
	if w.is("comments") {
		w.open("section", "comments")
		w.WriteString("<h2>Comments</h2>")
		for i, c := range w.comments {
			w.f(`<div class="comment"><b>Reader %d</b><p>%s</p></div>`, i, w.esc(c))
		}
		w.shut("section")
	}
	if w.is("related after") {
		w.teasers()
	}
}

func (w *writer) teasers() {
	w.open("aside", "related")
	w.WriteString("<h3>You may also like</h3><ul>")
	for i, t := range w.related {
		w.f(`<li><a href="/related/%d"><img src="/r%d.jpg" alt=""><span>%s</span></a></li>`, i, i, t)
	}
	w.WriteString("</ul>")
	w.shut("aside")
}

// hiders are the ways in which the second half of the content waits for a click.
var hiders = map[string][2]string{
	"tabs":               {`<div role="tablist"><button role="tab" aria-controls="t2">More</button></div><div role="tabpanel" id="t2" hidden>`, "</div>"},
	"tabs without roles": {`<ul class="tabs"><li><a href="#tab2">More</a></li></ul><div class="tab-content"><div class="tab" id="tab2" style="display:none">`, "</div></div>"},
	"a click shows it":   {`<a href="#" onclick="show('rest');return false">Show all</a><div id="rest" style="display:none">`, "</div>"},
	"read more":          {`<span class="dots">…</span><div class="more-text" style="display:none">`, `</div><button class="read-more">Read more</button>`},
	"details":            {"<details><summary>More</summary>", "</details>"},
	"accordion":          {`<button class="accordion">More</button><div class="panel" style="display:none">`, "</div>"},
	"dialog":             {"<dialog>", "</dialog>"},
	"dialog, open":       {"<dialog open>", "</dialog>"},
	"template":           {"<template>", "</template>"},
	"noscript":           {"<noscript>", "</noscript>"},
	"frame":              {`<iframe srcdoc="`, `"></iframe>`},
	"textarea":           {"<textarea>", "</textarea>"},
	"visibility":         {`<div class="fade" style="visibility:hidden">`, "</div>"},
	"opacity":            {`<div style="opacity:0">`, "</div>"},
	"aria-hidden":        {`<div aria-hidden="true">`, "</div>"},
	"comment":            {"<!-- <div>", "</div> -->"},
	"foreign object":     {`<svg viewBox="0 0 9 9"><foreignObject><div xmlns="http://www.w3.org/1999/xhtml">`, "</div></foreignObject></svg>"},
	"button":             {"<button>", "</button>"},
	"object":             {`<object data="/film.swf">`, "</object>"},
	"canvas":             {"<canvas>", "</canvas>"},
	"fieldset":           {"<form><fieldset><legend>More</legend>", "</fieldset></form>"},
	"carousel":           {`<div class="slick-slider"><div class="slick-slide">`, "</div></div>"},
	"header in content":  {"<header>", "</header>"},
	"footer in content":  {"<footer>", "</footer>"},
	"aside in content":   {"<aside>", "</aside>"},
	"nav in content":     {"<nav>", "</nav>"},
}

// blocks writes the content.
func (w *writer) blocks() {
	half := len(w.body) / 2
	for i := range w.body {
		if i == half {
			w.interrupt()
			if w.is("cut", "paid") {
				w.WriteString(`<div class="paywall">Subscribe to read on. <a href="/subscribe">Subscribe</a></div>`)
				return
			}
			if h, ok := hiders[w.flaw]; ok {
				w.WriteString(h[0])
				from := w.Len()
				for _, b := range w.body[i:] {
					w.block(&b)
				}
				if w.is("frame") {
					rest := html.EscapeString(w.String()[from:])
					head := w.String()[:from]
					w.Reset()
					w.WriteString(head + rest)
				}
				w.WriteString(h[1])
				return
			}
		}
		w.block(&w.body[i])
		if w.is("ads between") {
			w.WriteString(`<div class="ad-slot"><span>Advertisement</span><a href="https://ads.example/x">Buy now</a></div>`)
		}
	}
}

// interrupt writes what is in the middle of the content.
func (w *writer) interrupt() {
	switch w.flaw {
	case "newsletter":
		w.WriteString(`<div class="newsletter-box"><h3>Our newsletter</h3><p>Get the best stories every week in your inbox.</p><form><input type=email placeholder="Your address"><button>Sign up</button></form></div>`)
	case "consent within":
		w.consent()
	case "related within":
		w.teasers()
	case "script within":
		w.f(`<script type="application/json">{"story":%q}</script><script>var items=[{"name":"x"}]; document.write("<p>hello</p>")</script>`, w.phrase(5, 9))
	case "film":
		w.WriteString(`<div class="player"><video src="/film.mp4"></video><p class="vjs">Play Mute Loaded 0%</p></div>`)
	}
}

// shell writes a page whose content is in the data of its scripts.
func (w *writer) shell(url string) {
	var texts []string
	for _, b := range w.body {
		texts = append(texts, b.text, b.more)
		texts = append(texts, b.items...)
		for _, r := range b.list {
			texts = append(texts, r.title+" "+r.price+" "+r.text)
		}
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	data, _ := json.Marshal(map[string]any{"props": map[string]any{"pageProps": map[string]any{"article": map[string]any{"url": url, "title": w.page.title, "body": strings.Join(texts, "\n")}}}})
	switch w.IntN(3) {
	case 0:
		w.f(`<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">%s</script><script src="/app.js"></script>`, data)
	case 1:
		w.f(`<div id="app" data-page="%s"></div><script src="/app.js"></script>`, html.EscapeString(string(data)))
	default:
		w.f(`<div id="root"></div><script>window.__INITIAL_STATE__=%s</script><script src="/app.js"></script>`, data)
	}
	w.WriteString("</body></html>")
}

// time writes a day.
func (w *writer) time(t time.Time) {
	switch {
	case w.is("empty dates"):
		w.f(`<time datetime="%s"></time>`, t.Format(time.RFC3339))
	case w.style == "semantic":
		w.f(`<time datetime="%s">%s</time>`, t.Format(time.DateOnly), t.Format("2 January 2006"))
	default:
		w.f("<span>%s</span>", t.Format("2 January 2006"))
	}
}
