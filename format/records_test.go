// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/format"
)

// A shelf is a way to write a list of records: what is around them, and a record. In a
// record, %[1]d is its number and %[2]s is its title.
type shelf struct{ name, outer, record, other string }

// shelves are in the style of well-known forums, shops, calendars and lists. The field
// other is an imperfect record: a part of it is missing, or it has other classes.
var shelves = []shelf{
	{
		"threads in boxes", `<div class="block-body"><div class="structItemContainer"><div class="structItemContainer-group js-threadList">%s</div></div></div>`,
		`<div class="structItem structItem--thread js-inlineModContainer"><div class="structItem-cell structItem-cell--icon"><a href="/members/m%[1]d" class="avatar"><img src=/a.png></a></div>` +
			`<div class="structItem-cell structItem-cell--main"><div class="structItem-title"><a href="/threads/t%[1]d/">%[2]s</a></div><div class="structItem-minor"><ul class="structItem-parts">` +
			`<li><a href="/members/m%[1]d" class="username">member%[1]d</a></li><li class="structItem-startDate"><a href="/threads/t%[1]d/latest"><time datetime="2024-03-02">Mar 2, 2024</time></a></li></ul></div></div>` +
			`<div class="structItem-cell structItem-cell--meta"><dl class="pairs"><dt>Replies</dt><dd>1%[1]d</dd></dl><dl class="pairs"><dt>Views</dt><dd>2K</dd></dl></div></div>`,
		`<div class="structItem structItem--thread is-prefix1"><div class="structItem-cell structItem-cell--main"><div class="structItem-title"><span class="label">Sticky</span> <a href="/threads/t%[1]d/">%[2]s</a></div></div></div>`,
	},
	{
		"threads in lists", `<div class="forumbg"><div class="inner"><ul class="topiclist"><li class="header"><dl><dt>Topics</dt><dd class="posts">Replies</dd></dl></li></ul><ul class="topiclist topics">%s</ul></div></div>`,
		`<li class="row bg%[1]d"><dl class="row-item topic_read"><dt><div class="list-inner"><a href="./viewtopic.php?t=t%[1]d" class="topictitle">%[2]s</a><br><div class="topic-poster">by <a href="./memberlist.php?u=%[1]d" class="username">member%[1]d</a> » Sat Mar 02, 2024</div></div></dt>` +
			`<dd class="posts">1%[1]d</dd><dd class="views">240</dd><dd class="lastpost"><span>by <a href="./memberlist.php?u=9" class="username">other</a><br>Sun Mar 03, 2024</span></dd></dl></li>`,
		`<li class="row bg2 sticky"><dl class="row-item"><dt><a href="./viewtopic.php?t=t%[1]d" class="topictitle">%[2]s</a></dt></dl></li>`,
	},
	{
		"threads in a table", `<table class="topic-list"><thead><tr><th>Topic</th><th>Replies</th><th>Activity</th></tr></thead><tbody>%s</tbody></table>`,
		`<tr class="topic-list-item" id="topic-list-item-%[1]d"><td class="main-link"><span><a href="/t/t%[1]d" class="title raw-link raw-topic-link">%[2]s</a></span><div class="link-bottom-line"><a href="/c/help" class="badge-wrapper">Help</a></div></td><td class="replies"><span class="posts">1%[1]d</span></td><td>March 2, 2024</td></tr>`,
		`<tr class="topic-list-item pinned"><td class="main-link"><a href="/t/t%[1]d" class="title">%[2]s</a></td><td></td><td></td></tr>`,
	},
	{
		"news in a table", `<table class="itemlist">%s</table>`,
		`<tr class="athing"><td class="title"><span class="rank">%[1]d.</span></td><td class="title"><span class="titleline"><a href="https://news.example/t%[1]d">%[2]s</a> <span class="sitebit">(news.example)</span></span></td></tr>` +
			`<tr><td></td><td class="subtext"><span class="score">1%[1]d points</span> by <a href="user?id=m%[1]d" class="hnuser">member%[1]d</a> <a href="item?id=%[1]d">3 hours ago</a> | <a href="item?id=%[1]d">4%[1]d comments</a></td></tr>`,
		`<tr class="athing"><td></td><td class="title"><a href="https://news.example/t%[1]d">%[2]s</a></td></tr>`,
	},
	{
		"products in a list", `<ul class="products columns-4">%s</ul>`,
		`<li class="product type-product instock"><a href="/shop/t%[1]d/" class="woocommerce-LoopProduct-link"><img src="/i%[1]d.jpg" alt=""><h2 class="woocommerce-loop-product__title">%[2]s</h2><span class="price"><span class="amount">$2%[1]d.00</span></span></a><a href="?add-to-cart=%[1]d" class="button add_to_cart_button">Add to cart</a></li>`,
		`<li class="product outofstock last"><a href="/shop/t%[1]d/"><h2>%[2]s</h2></a></li>`,
	},
	{
		"products in boxes", `<div class="collection"><div id="product-grid" class="grid product-grid">%s</div></div>`,
		`<div class="grid__item"><div class="card-wrapper"><div class="card"><div class="card__content"><h3 class="card__heading"><a href="/products/t%[1]d" class="full-unstyled-link">%[2]s</a></h3><div class="card-information"><div class="price"><span class="price-item">€3%[1]d,95</span></div></div></div></div></div></div>`,
		`<div class="grid__item"><div class="card"><a href="/products/t%[1]d">%[2]s</a><span class="badge">Sold out</span></div></div>`,
	},
	{
		"events", `<div class="tribe-events-calendar-list">%s</div>`,
		`<div class="tribe-common-g-row tribe-events-calendar-list__event-row"><div class="tribe-events-calendar-list__event-date-tag"><time datetime="2024-05-%[1]d">May %[1]d</time></div><article class="tribe-events-calendar-list__event"><header><time datetime="2024-05-%[1]d">May %[1]d @ 7:00 pm</time><h4 class="tribe-events-calendar-list__event-title"><a href="/event/t%[1]d/">%[2]s</a></h4><address>Town hall, Main street %[1]d</address></header><p>An evening with guests and music for everybody who likes to come.</p></article></div>`,
		`<div class="tribe-events-calendar-list__event-row"><article class="tribe-events-calendar-list__event"><h4><a href="/event/t%[1]d/">%[2]s</a></h4></article></div>`,
	},
	{
		"teasers", `<section class="archive">%s</section>`,
		`<article class="post teaser"><a href="/n/t%[1]d"><img src="/n%[1]d.jpg" alt=""></a><h2 class="entry-title"><a href="/n/t%[1]d">%[2]s</a></h2><div class="entry-meta">March 2, 2024 by <a href="/author/jo">Jo Field</a></div><p>The council has decided on the matter after a long debate, and many people were there to listen.</p></article>`,
		`<article class="post video"><h2><a href="/n/t%[1]d">%[2]s</a></h2></article>`,
	},
	{
		"jobs", `<div class="job-listings"><ul class="jobs">%s</ul></div>`,
		`<li class="job"><a href="/jobs/t%[1]d"><div class="position"><h3>%[2]s</h3><div class="company"><strong>Acme %[1]d Ltd</strong></div></div><div class="location">Berlin, Germany</div><ul class="meta"><li>Full time</li><li>Posted 3 days ago</li></ul></a></li>`,
		`<li class="job featured"><a href="/jobs/t%[1]d"><h3>%[2]s</h3></a></li>`,
	},
	{
		"titles in headers of a layout table", `<table border=0 width="100%%">%s</table>`,
		`<tr><td><header><h3><a href="/n/t%[1]d">%[2]s</a></h3><time>March 2, 2024</time></header><footer>4%[1]d comments</footer></td></tr>`,
		`<tr><td><header><h3><a href="/n/t%[1]d">%[2]s</a></h3></header></td></tr>`,
	},
	{
		"parts to open", `<dl class="entries">%s</dl>`,
		`<dt>No. %[1]d<dd><header><div><a href="/n/t%[1]d">%[2]s</a></div></header><p>They met at the river again.</p><details><summary>Read more</summary><p>And they stayed until it was dark, as they always do.</p></details>`,
		`<dt>No. %[1]d<dd><header><div><a href="/n/t%[1]d">%[2]s</a></div></header>`,
	},
	{
		"search results", `<div id="results"><ol class="results">%s</ol></div>`,
		`<li class="result"><h3><a href="https://found.example/t%[1]d">%[2]s</a></h3><cite>found.example/t%[1]d</cite><p>Some words of the page that was found, with the term that somebody was looking for.</p></li>`,
		`<li class="result"><a href="https://found.example/t%[1]d">%[2]s</a></li>`,
	},
}

// page returns a page with a list of n records. If twin is not zero, every twin-th record is
// an imperfect one.
func (s *shelf) page(n, twin int) string {
	var b strings.Builder
	for i := range n {
		record := s.record
		if twin > 0 && i%twin == 1 {
			record = s.other
		}
		fmt.Fprintf(&b, record, i+1, recordTitle(i))
	}
	return `<html><head><title>All of them | The site</title></head><body><header><a href="/">The site</a><nav><ul><li><a href="/a">Home</a><li><a href="/b">News</a><li><a href="/c">Shop</a><li><a href="/d">Forum</a></ul></nav></header>` +
		`<div class="breadcrumbs"><a href="/">Home</a> » <a href="/x">Section</a></div><div class="container"><aside class="sidebar"><h3>Filter</h3><ul><li><a href="/f1">Red (12)</a><li><a href="/f2">Green (3)</a><li><a href="/f3">Blue (8)</a></ul><h3>Popular</h3><ul><li><a href="/p1">Something popular</a><li><a href="/p2">Another popular thing</a></ul></aside>` +
		`<div id="content"><h1>All of them</h1>` + fmt.Sprintf(s.outer, b.String()) + `<div class="pagination"><a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=3">3</a> <a href="?page=2">Next</a></div></div></div>` +
		`<footer><ul><li><a href="/imprint">Imprint</a><li><a href="/privacy">Privacy</a><li><a href="/contact">Contact</a></ul><p>© 2024 The site</p></footer></body></html>`
}

// recordTitle returns the title of record i. The titles differ in length and words.
func recordTitle(i int) string {
	things := []string{"Kettle", "Lamp with a wooden foot", "How do I mend a broken chair", "Tea", "Blue paint does not dry in winter", "Bench", "A walk along the river at night"}
	return fmt.Sprintf("%s number %d", things[i%len(things)], i+1)
}

// TestRecords checks that no record of a list loses its title or its link, however many
// records there are and whether each is complete.
func TestRecords(t *testing.T) {
	for _, s := range shelves {
		for _, n := range []int{3, 6, 12, 40} {
			for _, twin := range []int{0, 5, 2} {
				d := build(t, s.page(n, twin), format.Options{Forms: []format.Form{format.Markdown}})
				titles, links := 0, 0
				for i := range n {
					title := recordTitle(i)
					if strings.Contains(*d.Markdown, title) {
						titles++
					}
					if strings.Contains(*d.Markdown, fmt.Sprintf("t%d)", i+1)) || strings.Contains(*d.Markdown, fmt.Sprintf("t%d/)", i+1)) || strings.Contains(*d.Markdown, fmt.Sprintf("t%d \"", i+1)) {
						links++
					}
				}
				if titles < n || links < n {
					t.Errorf("%s: %d records, each %d. imperfect: %d titles, %d links", s.name, n, twin, titles, links)
				}
			}
		}
	}
}

// TestPriceOfProduct checks that the main content of a product has the price between its name and the text about it, and
// that an article does not get the price of what stands below it.
func TestPriceOfProduct(t *testing.T) {
	prose := "<p>" + strings.Repeat("This lamp has a wooden foot and gives a warm light in the evening. ", 12) + "</p>"
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"a product", "<div class=price>€49.90</div>" + prose + prose, true},
		{"an offer beside a text", prose + prose + "<aside><div class=price>€49.90</div></aside>", false},
		{"a link", "<div class=price><a href=/offer>€49.90</a></div>" + prose + prose, false},
	} {
		d := build(t, "<title>Lamp</title><body><nav><a href=/>Home</a></nav><div class=content><h1>Lamp</h1>"+c.src+"</div>", format.Options{Forms: []format.Form{format.Markdown}})
		if got := strings.Contains(*d.Markdown, "49.90"); got != c.want {
			t.Errorf("%s: the price is in the Markdown: %v, want %v\n%s", c.name, got, c.want, *d.Markdown)
		}
	}
}
