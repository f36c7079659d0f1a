// SPDX-License-Identifier: Apache-2.0

// Gen writes the demo site: pages about a nature reserve, their documentation
// and a partner site. Run it by go generate in the parent directory.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"
)

const (
	home    = "demo.test"      // the start host
	docs    = "docs.demo.test" // a subdomain
	partner = "partner.test"   // another site
)

func main() {
	var s site
	s.head()
	s.birds()
	s.reserves()
	s.news()
	s.shop()
	s.oddities()
	s.docs()
	s.partner()
	s.sitemaps()
	if err := os.WriteFile("site.txtar", s.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.pages, "pages")
}

// site collects the files of the txtar archive.
type site struct {
	bytes.Buffer
	pages  int
	listed []string // URLs of the sitemap
}

// raw adds one file.
func (s *site) raw(url, content string) {
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	fmt.Fprintf(s, "-- %s --\n%s", url, content)
}

// page adds an HTML page with the frame of the site around body.
func (s *site) page(host, path, title, body string) {
	s.pages++
	nav := `<a href="/">Home</a> <a href="/birds/">Birds</a> <a href="/reserves/">Reserves</a> <a href="/news/">News</a> <a href="/shop/">Shop</a>`
	switch host {
	case docs:
		nav = `<a href="/">Handbook</a> <a href="http://demo.test/">The trust</a>`
	case partner:
		nav = `<a href="/">Partner</a>`
	}
	s.raw(host+path, fmt.Sprintf(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>%s</title>
<meta name="description" content="%s, a page of the curlew demo site."></head>
<body>
<header><nav>%s</nav></header>
<main>
<h1>%[1]s</h1>
%[4]s
</main>
<footer><p>The Wader Trust is made up. <a href="/about">About</a></p></footer>
</body>
</html>`, title, title, nav, body))
}

// head adds the home page and the files in the root directory.
func (s *site) head() {
	s.raw(home+"/robots.txt", "User-agent: *\nDisallow: /private/\nDisallow: /*.bak$\nAllow: /private/open\n\nSitemap: http://demo.test/sitemap.xml\n")
	s.page(home, "/", "The Wader Trust", `<p>We count waders, keep their marshes wet and write down what we see.</p>
<ul>
<li><a href="/birds/">The birds</a>, one page for each</li>
<li><a href="reserves/">Our reserves</a></li>
<li><a href="./news/">News</a> and the <a href="/news/archive?year=2025">archive</a></li>
<li><a href="http://docs.demo.test/">The handbook</a>, on its own host</li>
<li><a href="http://partner.test/">Our partner</a></li>
<li><a href='/about#people'>Who we are</a></li>
<li><a href=/birds/curlew>The curlew</a>, our namesake</li>
</ul>
<p><img src="/img/marsh.png" alt="A marsh at dawn"> <a href="mailto:post@demo.test">Write to us</a></p>`)
	s.page(home, "/about", "About the trust", `<p id="people">Three wardens, one boat and a shed. See the <a href="/about/history">history</a>, <a href="/about/">this page</a> again, or the <a href="/files/counts.csv">counts as a table</a>.</p>
<p><a href="/private/accounts">Accounts</a> are for members; the <a href="/private/open">open book</a> is for all.</p>`)
	s.page(home, "/about/history", "History", `<p>Founded in 1911 by a retired postman.</p><p><a href="../about">Back</a>, or <a href="/old-home">the old home page</a>.</p>`)
	s.page(home, "/private/accounts", "Accounts", `<p>Nobody who obeys robots.txt reads this. <a href="/private/ledger">Ledger</a></p>`)
	s.page(home, "/private/ledger", "Ledger", `<p>Nor this.</p>`)
	s.page(home, "/private/open", "The open book", `<p>Income equals outgo.</p>`)
	s.raw(home+"/files/counts.csv", "species,year,pairs\ncurlew,2024,41\nlapwing,2024,98\nredshank,2024,37\n")
	s.raw(home+"/files/counts.json", `{"curlew":{"2024":41},"lapwing":{"2024":98}}`)
	s.raw(home+"/files/read.me.md", "# Counts\n\nSee [the table](/files/counts.csv) and [the data](/files/counts.json).\n")
	s.raw(home+"/files/notes.txt", "Walk at low tide. Take boots.\n")
}

var families = []string{"curlew", "lapwing", "redshank", "snipe", "dunlin", "plover", "avocet", "godwit", "knot", "turnstone"}

var traits = []string{
	"It probes soft mud with a bill longer than its patience.",
	"It nests on open ground and trusts its eggs to their colour.",
	"It arrives with the first warm wind and leaves before the hay is in.",
	"Its call carries across a mile of marsh.",
	"It runs, stops, tilts, and runs again.",
	"In winter it gathers in flocks that turn like smoke.",
	"It eats worms, small crabs, and whatever the tide forgot.",
}

// birds adds a list, families, and species below them: depth 1 to 3.
func (s *site) birds() {
	var list strings.Builder
	for i, f := range families {
		fmt.Fprintf(&list, "<li><a href=\"/birds/%s\">%s</a></li>\n", f, f)
		var kinds strings.Builder
		for n := 1; n <= 10; n++ {
			name := fmt.Sprintf("%s-%d", f, n)
			fmt.Fprintf(&kinds, "<tr><td><a href=\"%s/%s\">%s</a></td><td>%d</td></tr>\n", f, name, name, 10+(i*7+n*3)%40)
			next := fmt.Sprintf("%s-%d", f, n%10+1)
			body := fmt.Sprintf("<p>%s %s</p>\n<h2>Where</h2>\n<p>Seen on <a href=\"/reserves/r%d\">reserve %d</a>. Compare <a href=\"%s\">%s</a>.</p>",
				traits[(i+n)%len(traits)], traits[(i*3+n)%len(traits)], (i+n)%20+1, (i+n)%20+1, next, next)
			s.page(home, "/birds/"+f+"/"+name, "The "+name, body)
			s.listed = append(s.listed, "http://"+home+"/birds/"+f+"/"+name)
		}
		s.page(home, "/birds/"+f, "Family "+f, "<p>"+traits[i%len(traits)]+"</p>\n<table>\n<tr><th>Kind</th><th>Wing, cm</th></tr>\n"+kinds.String()+"</table>")
	}
	s.page(home, "/birds/", "Birds", "<ul>\n"+list.String()+"</ul>\n<p><a href=\"/birds/index.html\">This list</a> again, and <a href=\"http://www.demo.test/birds\">once more</a>.</p>")
}

// reserves adds places that link to each other in a ring, so that the depth
// follows the shortest path.
func (s *site) reserves() {
	var list strings.Builder
	for n := 1; n <= 20; n++ {
		if n <= 3 {
			fmt.Fprintf(&list, "<li><a href=\"r%d\">Reserve %d</a></li>\n", n, n)
		}
		body := fmt.Sprintf("<p>%d hectares of wet meadow. The path goes on to <a href=\"/reserves/r%d\">the next</a>.</p>\n<p><a href=\"/reserves/r%d/map?scale=%d\">Map</a>, <a href=\"/reserves/r%[3]d/map?scale=%[5]d\">larger map</a></p>",
			20+n*3, n%20+1, n, 1, 2)
		s.page(home, fmt.Sprintf("/reserves/r%d", n), fmt.Sprintf("Reserve %d", n), body)
		for scale := 1; scale <= 2; scale++ {
			s.page(home, fmt.Sprintf("/reserves/r%d/map?scale=%d", n, scale), fmt.Sprintf("Map of reserve %d at scale %d", n, scale),
				fmt.Sprintf("<p>Gate, hide, pond %d.</p>", n*scale))
		}
	}
	s.page(home, "/reserves/", "Reserves", "<ol>\n"+list.String()+"</ol>")
}

// news adds a list with several pages, and its articles. Only the sitemap links
// to the last ten.
func (s *site) news() {
	const articles, perPage = 60, 10
	for p := 1; p <= articles/perPage-1; p++ {
		var list strings.Builder
		for n := (p-1)*perPage + 1; n <= p*perPage; n++ {
			fmt.Fprintf(&list, "<li><a href=\"/news/%d\">Note %d</a></li>\n", n, n)
		}
		path, more := "/news/", ""
		if p > 1 {
			path = fmt.Sprintf("/news/page/%d", p)
		}
		if p < articles/perPage-1 {
			more = fmt.Sprintf("<p><a rel=\"next\" href=\"/news/page/%d\">Older</a></p>", p+1)
		}
		s.page(home, path, fmt.Sprintf("News, page %d", p), "<ul>\n"+list.String()+"</ul>\n"+more)
	}
	for n := 1; n <= articles; n++ {
		body := fmt.Sprintf("<p><em>Day %d.</em> %s %s</p>\n<blockquote><p>%s</p></blockquote>", n, traits[n%len(traits)], traits[(n*5)%len(traits)], traits[(n*3)%len(traits)])
		if n%6 == 0 {
			body += fmt.Sprintf("\n<p>Earlier: <a href=\"%d\">note %d</a>.</p>", n-1, n-1)
		}
		s.page(home, fmt.Sprintf("/news/%d", n), fmt.Sprintf("Note %d", n), body)
		s.listed = append(s.listed, fmt.Sprintf("http://%s/news/%d", home, n))
	}
	s.page(home, "/news/archive?year=2025", "Archive 2025", `<p><a href="/news/archive?year=2024">2024</a></p>`)
	s.page(home, "/news/archive?year=2024", "Archive 2024", `<p>Nothing happened.</p>`)
}

// shop adds pages with links in many spellings.
func (s *site) shop() {
	var list strings.Builder
	spell := []string{"/shop/item-%d", "item-%d", "./item-%d", "../shop/item-%d", "http://demo.test/shop/item-%d", "//demo.test/shop/item-%d", "HTTP://DEMO.test:80/shop/item-%d", "/shop/x/../item-%d", "/shop/%%69tem-%d", " /shop/item-%d\n"}
	for n := 1; n <= 20; n++ {
		href := fmt.Sprintf(spell[n%len(spell)], n)
		if n%len(spell) == 8 {
			href = fmt.Sprintf("/shop/item-%d", n) // an escaped letter would be a different path, not another spelling
		}
		fmt.Fprintf(&list, "<li><a href=\"%s\">Item %d</a></li>\n", href, n)
		s.page(home, fmt.Sprintf("/shop/item-%d", n), fmt.Sprintf("Item %d", n),
			fmt.Sprintf("<p>Price: %d.50. <img src=\"/img/item-%d.jpg\" alt=\"Item %d\"></p>\n<p>Not links: <a href=\"javascript:buy(%d)\">buy</a>, <a href=\"tel:+100\">call</a>.</p>\n<!-- <a href=\"/never/%d\">x</a> -->\n<script>var u = \"<a href='/never/script-%d'>x</a>\";</script>", n, n, n, n, n, n))
	}
	s.page(home, "/shop/", "Shop", "<ul>\n"+list.String()+"</ul>\n<p><a href=\"/shop/cart\">Cart</a> <a href=\"/files/list.zip\">All as a file</a> <a href=\"/files/read.me.md\">Read me</a> <a href=\"/files/notes.txt\">Notes</a> <a href=\"/odd/\">Odds and ends</a></p>")
}

// oddities adds redirects, errors, a base element and a page with a canonical
// link to itself.
func (s *site) oddities() {
	s.page(home, "/odd/", "Odds and ends", `<ul>
<li><a href="/old-home">moved for good</a></li>
<li><a href="/odd/moved">moved</a></li>
<li><a href="/odd/chain-1">moved thrice</a></li>
<li><a href="/odd/loop-a">moved in a circle</a></li>
<li><a href="/odd/gone">gone</a></li>
<li><a href="/odd/missing">never there</a></li>
<li><a href="/odd/broken">broken</a></li>
<li><a href="/odd/base">with a base</a></li>
<li><a href="/odd/self?b=2&amp;a=1">with a query</a></li>
<li><a href="/odd/out">moved to the partner</a></li>
<li><a href="/odd/page.bak">a backup that robots.txt forbids</a></li>
<li><a href="/odd/caf%C3%A9">café</a></li>
<li><a href="/odd/café">café, not escaped</a></li>
</ul>`)
	s.raw(home+"/old-home", "HTTP 301\nLocation: /\n\n")
	s.raw(home+"/odd/moved", "HTTP 302\nLocation: /odd/target\n\n")
	s.page(home, "/odd/target", "A target", `<p>You were sent here.</p>`)
	s.raw(home+"/odd/chain-1", "HTTP 307\nLocation: chain-2\n\n")
	s.raw(home+"/odd/chain-2", "HTTP 308\nLocation: /odd/chain-3\n\n")
	s.page(home, "/odd/chain-3", "The end of a chain", `<p>Two hops.</p>`)
	s.raw(home+"/odd/loop-a", "HTTP 302\nLocation: /odd/loop-b\n\n")
	s.raw(home+"/odd/loop-b", "HTTP 302\nLocation: /odd/loop-a\n\n")
	s.raw(home+"/odd/gone", "HTTP 410\nContent-Type: text/html; charset=utf-8\n\n<!doctype html><title>Gone</title><p>It was here.</p>")
	s.raw(home+"/odd/broken", "HTTP 500\nContent-Type: text/html; charset=utf-8\n\n<!doctype html><title>Broken</title><p>It never works.</p>")
	s.pages += 2
	s.raw(home+"/odd/base", `<!doctype html><html lang="en"><head><meta charset="utf-8"><base href="/odd/deep/"><title>With a base</title></head>
<body><main><h1>With a base</h1><p><a href="one">one</a> <a href="../target">target</a></p></main></body></html>`)
	s.pages++
	s.page(home, "/odd/deep/one", "One, below the base", `<p>Found through a base element.</p>`)
	s.page(home, "/odd/self?b=2&a=1", "A page with a query", `<p><a href="?b=2&amp;a=1">Itself</a>, <a href="?page=2">its second page</a>.</p>`)
	s.page(home, "/odd/self?page=2", "The second page", `<p>The end.</p>`)
	s.raw(home+"/odd/out", "HTTP 302\nLocation: http://partner.test/welcome\n\n")
	s.page(home, "/odd/page.bak", "A backup", `<p>Kept out by robots.txt.</p>`)
	s.page(home, "/odd/caf%C3%A9", "Café", `<p>One page, two spellings.</p>`)
}

// docs adds the subdomain.
func (s *site) docs() {
	s.raw(docs+"/robots.txt", "User-agent: *\nDisallow: /draft\n")
	var list strings.Builder
	for n := 1; n <= 24; n++ {
		if n%2 == 1 {
			fmt.Fprintf(&list, "<li><a href=\"/guide/chapter-%d\">Chapter %d</a></li>\n", n, n)
		}
		body := fmt.Sprintf("<p>Step one, step two.</p>\n<pre><code class=\"language-sh\">count --reserve %d</code></pre>", n)
		if n%2 == 1 {
			body += fmt.Sprintf("\n<p>Next: <a href=\"chapter-%d\">chapter %d</a></p>", n+1, n+1)
		}
		s.page(docs, fmt.Sprintf("/guide/chapter-%d", n), fmt.Sprintf("Chapter %d", n), body)
	}
	s.page(docs, "/", "The handbook", "<ul>\n"+list.String()+"</ul>\n<p><a href=\"/draft\">Draft</a></p>")
	s.page(docs, "/draft", "Draft", `<p>Not for robots.</p>`)
}

// partner adds the other site. Its inner pages are two links away.
func (s *site) partner() {
	s.page(partner, "/", "The partner", `<p>We print maps. <a href="/inner">Inside</a>, <a href="http://demo.test/reserves/r9">a reserve</a>.</p>`)
	s.page(partner, "/inner", "Inside the partner", `<p>Two hops from the trust.</p>`)
	s.page(partner, "/welcome", "Welcome", `<p>Sent over by the trust. <a href="/inner">Inside</a></p>`)
}

// sitemaps adds a sitemap index, two sitemaps, and pages that only these list.
func (s *site) sitemaps() {
	s.raw(home+"/sitemap.xml", `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://demo.test/sitemap-1.xml</loc></sitemap>
<sitemap><loc>http://demo.test/sitemap-2.xml</loc></sitemap>
</sitemapindex>`)
	for n := 1; n <= 10; n++ {
		path := fmt.Sprintf("/hidden/leaf-%d", n)
		s.page(home, path, fmt.Sprintf("Hidden leaf %d", n), fmt.Sprintf("<p>Only the sitemap knows this page. It knows <a href=\"/hidden/under-%d\">another</a>.</p>", n))
		s.page(home, fmt.Sprintf("/hidden/under-%d", n), fmt.Sprintf("Under leaf %d", n), `<p>One link below a page of the sitemap.</p>`)
		s.listed = append(s.listed, "http://"+home+path)
	}
	s.listed = append(s.listed, "http://demo.test/private/ledger", "http://partner.test/inner")
	half := len(s.listed) / 2
	for i, part := range [][]string{s.listed[:half], s.listed[half:]} {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
		for _, u := range part {
			fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", u)
		}
		b.WriteString("</urlset>")
		s.raw(fmt.Sprintf("%s/sitemap-%d.xml", home, i+1), b.String())
	}
}
