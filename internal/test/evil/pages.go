// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"fmt"
	"strings"
)

// Page is a page whose repetitions make superlinear algorithms slow.
type Page struct {
	Name string
	Type string // media type
	// Body creates the page. It has about size bytes, and at least one
	// repetition.
	Body func(size int) string
	// Selectors are expensive selectors for the page. A matcher that backtracks
	// cannot evaluate them in time.
	Selectors []string
}

// Pages returns the pages in a fixed order.
func Pages() []Page {
	html := func(name string, body func(size int) string, selectors ...string) Page {
		return Page{Name: name, Type: "text/html; charset=utf-8", Body: body, Selectors: selectors}
	}
	steps := strings.Repeat(" div", 8)
	return []Page{
		html("nested blocks", nested("div", 400), "x-y"+steps, "x-y > div"+steps+" > div", ":not(x-y"+steps+")", "div:has(x-y"+steps+")"),
		html("nested blocks in a row", nestedRows("div", 250), "x-y"+steps, "div:has("+strings.TrimSpace(steps)+" x-y)"),
		html("siblings", siblings("<p>a"), "x ~ p ~ p ~ p ~ p", "p:nth-last-child(3n+1 of p) ~ p", "p:nth-last-of-type(7n+3) ~ p:only-child", "x + p + p ~ p", "body:has(p ~ p ~ p ~ x)"),
		html("siblings of many kinds", numbered("<a%d>x</a%[1]d>"), ":nth-last-of-type(2)", ":only-of-type ~ :only-of-type ~ x"),
		html("list items", wrapped("<ul>", "<li><a href=/a>b</a> c", "</ul>"), "li:nth-child(odd) ~ li:nth-last-child(even)", "li:has(~ li x)"),
		html("text in blocks", nestedText("section", 200), ":contains('zzzz')", ":matches((a|aa)*z)", "section:not(:contains(q))"),
		html("a style sheet of descendants", styled(strings.Repeat("div ", 20)+"p{color:red}", nested("div", 400))),
		html("a style sheet of siblings", styled("x ~ p ~ p ~ p ~ p{color:red}x + p + p ~ *{color:blue}", siblings("<p>a"))),
		html("a style sheet of :has", styled("div:has(div:has(div x)) p, :has(~ * ~ * x) h1{color:red}", nested("div", 300))),
		html("a style sheet of universals", sheet("*:not(.c%d){--a%[1]d:var(--b%[1]d)}", "<h1>a</h1><p>b <a href=/c>d</a><button>e</button>")),
		html("a style sheet of variables", sheet("*{--a%d:var(--a%[2]d) var(--a%[2]d)}", "<p style='color:var(--a1)'>b<button style='color:var(--a0)'>e</button>")),
		html("a style sheet of blocks left open", styledOnly("@media all{")),
		html("attributes", attributes, "[a9 ~= q][b *= z]", "[a1][a2][a3]:not([a4])"),
		html("elements with attributes", siblings(`<p class="a b c d e" id=x data-a=1 data-b=2 title=t lang=en>a`), ".a.b.c.d.x", "[class~=e][data-b^='3'] ~ p"),
		html("classes", classes, ".a.a.a.zz", "[class~=zz]"),
		html("nested tables", nested("table><tr><td", 100), "td table td table td x"),
		html("table cells", wrapped("<table>", "<tr><td>a<td rowspan=9 colspan=9>b", "</table>"), "tr:nth-child(2n) td:last-child ~ td"),
		html("spans of a table", wrapped("<table><tr>", "<td colspan=1000 rowspan=65534>b", "</table>"), "td:nth-last-child(2)"),
		html("formatting left open", wrapped("", "<b><i><p>a", ""), "b i b i b i x"),
		html("links", wrapped("", "<a href='/a?b=c#d'>e</a> ", ""), "a ~ a ~ a ~ x"),
		html("links of their own", numbered("<a href='/a%d/../b?c=%[1]d'>e</a>")),
		html("lists in lists", nested("ul><li", 200), "li li li li li li x"),
		html("quotes in quotes", nested("blockquote", 300), "blockquote blockquote blockquote x"),
		html("fieldsets", nested("fieldset disabled><legend></legend", 200), ":disabled :disabled x", ":lang(de) :lang(de) x"),
		html("pictures of many sizes", wrapped("<img src=a.png srcset='", "a.png 1x, ", "'>")),
		html("pictures", numbered("<img src=/p%d.png alt='a b' srcset='/p%[1]d.png 2x, /q%[1]d.png 100w'>")),
		html("preformatted", wrapped("<pre>", "a  \t`````~~~ b\n", "</pre>")),
		html("marks of Markdown", wrapped("<p>", "*_`[](![<>\\#+-.!|", "</p>")),
		html("a line of one word", wrapped("<p>", "a", "</p>")),
		html("sentences", wrapped("<p>", "Mr. A. b! \"C?\" (D.) e. ", "</p>")),
		html("sentences of their own", numbered("<p>The price of article %d is %[1]d.50 EUR, says Anna.</p>")),
		html("headings", numbered("<h2>Related %d</h2><p>a <a href=/b>c</a></p>")),
		html("addresses of mail", wrapped("<p>", "a.b@c.example, +49 30 1234567, 4111 1111 1111 1111; ", "</p>")),
		html("addresses of mail that are none", wrapped("<p>", "a.b-c_d@e.", "</p>")),
		html("digits", wrapped("<p>", "1 2-3.4(5)", "</p>")),
		html("entities", wrapped("<p>", "&lt;&#x1F600;&notit;&amp", "</p>")),
		html("data for machines, nested", script(func(size int) string {
			n := min(size/8, 5000)
			return strings.Repeat(`{"a":[`, n) + strings.Repeat("]}", n)
		})),
		html("data for machines, a graph", graph),
		html("data for machines, one name", script(func(size int) string {
			return `{"@graph":[` + strings.TrimSuffix(strings.Repeat(`{"@id":"#a","@type":"Product","offers":{"@id":"#a"}},`, max(1, size/52)), ",") + "]}"
		})),
		html("microdata", wrapped("", `<div itemscope itemtype="https://schema.org/Product" itemref="a b c" id=a><b itemprop=offers itemscope itemref=a>`, "")),
		html("microdata that refers to itself", microdata),
		html("meta", numbered("<meta property='og:image' content='/a%d.png'><link rel='icon' sizes='1x1' href='/b%[1]d'>")),
		html("a menu", numbered("<div class=dish><h3>Dish %d</h3><span class=price>$%[1]d.00</span><p>With egg</p></div>")),
		html("products", numbered("<div class=product itemscope><h2>Thing %d</h2><del>%[1]d,99 €</del> <b>%[1]d,49 €</b></div>")),
		html("comments", wrapped("", "<!-- a --><!", "")),
		html("quotes left open", wrapped("", "<a href='", "")),
		html("scripts", wrapped("", "<script>a<!--<script></script>", "")),
		html("vectors", nested("svg><foreignObject", 150), "svg foreignObject svg x"),
		html("templates", nested("template", 200), "template template x"),
		html("ruby", wrapped("<p>", "<ruby>a<rt>b<rp>c", "</p>")),
		html("definitions", wrapped("<dl>", "<dt>a<dd>b", "</dl>"), "dt ~ dd ~ dt ~ x"),
		html("anchors to footnotes", numbered("<a href='#n%d' id='r%[1]d'>[%[1]d]</a><p id='n%[1]d'><a href='#r%[1]d'>back</a> note</p>")),
	}
}

// Selectors returns selectors that take a matcher without limits forever, for
// any of the pages.
func Selectors() []string {
	all := []string{
		strings.TrimSpace(strings.Repeat("* ", 500)) + " x",
		strings.Repeat("*~", 500) + "x",
		strings.Repeat(":not(", 15) + "x" + strings.Repeat(")", 15),
		strings.Repeat("*:has(", 12) + "x" + strings.Repeat(")", 12),
		strings.TrimSuffix(strings.Repeat("*:not(x *),", 90), ","),
		":matches((((a{9}){9}){9}))",
	}
	for _, p := range Pages() {
		all = append(all, p.Selectors...)
	}
	return all
}

const begin = "<!doctype html><title>a</title><body>"

// repeats is how often a part fits into size bytes.
func repeats(size int, part string) int { return max(1, size/max(1, len(part))) }

// nested repeats a sequence of depth nested elements.
func nested(tag string, depth int) func(int) string { return nestedText(tag, depth) }

func nestedText(tag string, depth int) func(int) string {
	name, _, _ := strings.Cut(tag, " ")
	name, _, _ = strings.Cut(name, ">")
	unit := strings.Repeat("<"+tag+">a ", depth) + "b<p>c</p>" + strings.Repeat("</"+name+">", depth)
	return wrapped("", unit, "")
}

// nestedRows returns nested elements, each with a sibling.
func nestedRows(tag string, depth int) func(int) string {
	return wrapped("", strings.Repeat("<"+tag+"><i></i>", depth)+strings.Repeat("</"+tag+">", depth), "")
}

func siblings(part string) func(int) string { return wrapped("", part, "") }

func wrapped(before, part, after string) func(int) string {
	return func(size int) string {
		return begin + before + strings.Repeat(part, repeats(size, part)) + after
	}
}

// numbered repeats a part with an increasing number.
func numbered(part string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		b.WriteString(begin)
		for i := 0; i == 0 || b.Len() < size; i++ {
			fmt.Fprintf(&b, part, i)
		}
		return b.String()
	}
}

// sheet returns a style sheet of numbered rules, each of which contains the
// next number.
func sheet(rule, body string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		b.WriteString("<!doctype html><style>")
		for i := 0; i == 0 || b.Len() < size; i++ {
			if strings.Contains(rule, "%[2]d") {
				fmt.Fprintf(&b, rule, i, i+1)
			} else {
				fmt.Fprintf(&b, rule, i)
			}
		}
		return b.String() + "</style><body>" + body
	}
}

func styled(css string, page func(int) string) func(int) string {
	return func(size int) string {
		return strings.Replace(page(size), "<body>", "<style>"+css+"</style><body>", 1)
	}
}

func styledOnly(css string) func(int) string {
	return func(size int) string {
		return "<!doctype html><style>" + strings.Repeat(css, repeats(size, css)) + "</style><p>a"
	}
}

func attributes(size int) string {
	var b strings.Builder
	b.WriteString(begin + "<p")
	for i := 0; i == 0 || b.Len() < size; i++ {
		fmt.Fprintf(&b, " a%d=b", i)
	}
	return b.String() + ">c</p>"
}

func classes(size int) string {
	return begin + "<p class='" + strings.Repeat("a ", size/4) + "'>b</p><p class='" + strings.Repeat("b ", size/4) + "'>c</p>"
}

func script(data func(int) string) func(int) string {
	return func(size int) string {
		return "<!doctype html><title>a</title><script type=application/ld+json>" + data(size) + "</script><body><p>b"
	}
}

// graph returns items, each of which refers to the next two.
func graph(size int) string {
	return script(func(size int) string {
		var b strings.Builder
		b.WriteString(`{"@context":"https://schema.org","@graph":[`)
		for i := 0; i == 0 || b.Len() < size; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"@id":"#%d","@type":"Product","isRelatedTo":[{"@id":"#%d"},{"@id":"#%d"}],"offers":{"@id":"#%[2]d"}}`, i, i+1, i+2)
		}
		return b.String() + "]}"
	})(size)
}

// microdata returns items, each of which includes the next two by itemref.
func microdata(size int) string {
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; i == 0 || b.Len() < size; i++ {
		fmt.Fprintf(&b, `<div id=i%d itemprop=offers itemscope itemtype="https://schema.org/Product" itemref="i%d i%d"></div>`, i, i+1, i+2)
	}
	return b.String()
}
