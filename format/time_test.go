// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/format"
)

func TestTimes(t *testing.T) {
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	for _, test := range []struct{ name, src, published, modified string }{
		{"meta first", `<meta property="article:published_time" content="2020-01-01">` + ld(`{"@type":"NewsArticle","datePublished":"2021-01-01","dateModified":"2021-02-01T10:00:00Z"}`), "2020-01-01", "2021-02-01T10:00:00Z"},
		{"article before page", ld(`{"@graph":[{"@type":"WebPage","datePublished":"2019-01-01"},{"@type":["BlogPosting"],"datePublished":"2021-01-01"}]}`), "2021-01-01", ""},
		{"page", ld(`{"@type":"WebPage","datePublished":"2019-01-01","dateModified":"today"}`), "2019-01-01", ""},
		{"no date", ld(`{"@type":"Article","datePublished":"yesterday"}`) + `<time class=published datetime="soon">x</time>`, "", ""},
		{"others", ld(`{"@type":"JobPosting","datePublished":"2019-01-01"}`) + ld(`{"@type":"Person","datePublished":"2019-01-01"}`), "", ""},
		{"microdata", `<article itemscope itemtype="http://schema.org/Article"><time itemprop=datePublished datetime="2018-01-01">x</time><meta itemprop=dateModified content="20180202"></article>`, "2018-01-01", "20180202"},
		{"time", `<time class="entry-date published" datetime="2017-01-01T00:00:00+00:00">x</time><time class=updated datetime="2017-02-01">y</time>`, "2017-01-01T00:00:00+00:00", "2017-02-01"},
		{"time, text", `<time pubdate>2016-05-04</time>`, "2016-05-04", ""},
		{"other meta", `<meta name=parsely-pub-date content=2016-05-04T10:00:00Z>`, "2016-05-04T10:00:00Z", ""},
		{"a date in words in a meta", `<meta name=published content="July 17, 2025">`, "2025-07-17", ""},
		{"shown below the heading", `<meta name=author content="Jo Field"><h1>Birds</h1><p>Posted on <span>May 4th, 2016</span></p>`, "2016-05-04", ""},
		{"shown above the heading", `<meta property=og:type content=article><div><p>4. Mai 2016</p><h1>Birds</h1></div><p>June 1, 2020</p>`, "2016-05-04", ""},
		{"numbers", `<meta name=author content="Jo Field"><h1>Birds</h1><p>17.05.2021</p>`, "2021-05-17", ""},
		{"numbers with slashes", `<meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p><p>9/4/2021</p>`, "", ""},
		{"another date has the month first", `<meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p><p>9/24/2021</p>`, "2021-02-03", ""},
		{"another date has the day first", `<html lang=en-US><meta name=author content="Jo Field"><h1>Birds</h1><p>02-03-2021</p><p>24-09-2021</p>`, "2021-03-02", ""},
		{"other dates have either first", `<html lang=en-US><meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p><ul><li>9/24/2021<li>24/9/2021</ul>`, "2021-09-24", ""},
		{"the day in another notation", `<meta name=author content="Jo Field"><h1>Birds</h1><p>02-03-2021</p>` + strings.Repeat("<p>x</p>", 300) + `<time datetime=2021-03-02T10:00>x</time>`, "2021-03-02", ""},
		{"numbers in British English", `<html lang=en-GB><meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p>`, "2021-03-02", ""},
		{"numbers in American English", `<html lang=en_US><meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p>`, "2021-02-03", ""},
		{"numbers in French", `<html lang=fr><meta name=author content="Jo Field"><h1>Birds</h1><p>02/03/2021</p>`, "2021-03-02", ""},
		{"a date in Spanish", `<meta name=author content="Jo Field"><h1>Birds</h1><p>2 de enero de 2021</p>`, "2021-01-02", ""},
		{"the first of a month in French", `<meta name=author content="Jo Field"><h1>Birds</h1><p>1er février 2021</p>`, "2021-02-01", ""},
		{"a date in Polish", `<meta name=author content="Jo Field"><h1>Birds</h1><p>5 października 2021</p>`, "2021-10-05", ""},
		{"a date in Russian", `<meta name=author content="Jo Field"><h1>Birds</h1><p>7 сентября 2021 г.</p>`, "2021-09-07", ""},
		{"a date in Japanese", `<meta name=author content="Jo Field"><h1>Birds</h1><p>2021年3月2日</p>`, "2021-03-02", ""},
		{"a date in Korean", `<meta name=author content="Jo Field"><h1>Birds</h1><p>2021년 3월 12일</p>`, "2021-03-12", ""},
		{"place and date of a report", `<meta name=author content="Jo Field"><p>NEW YORK, Dec 20, 2020 (ABC) - Birds sing. ` + strings.Repeat("They sing. ", 30) + `</p>`, "2020-12-20", ""},
		{"a date in a long text", `<meta name=author content="Jo Field"><p>They came back, on Dec 20, 2020 - and sang. ` + strings.Repeat("They sing. ", 30) + `</p>`, "", ""},
		{"no such day", `<meta name=author content="Jo Field"><h1>Birds</h1><p>February 30, 2021, 99.99.2021, 2021-13-40</p>`, "", ""},
		{"no article", `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<p>May 4, 2016</p>`, "", ""},
		{"in comments", `<meta name=author content="Jo Field"><h1>Birds</h1><div class=comments><p>May 4, 2016</p></div>`, "", ""},
		{"time of something", `<time datetime="2016-05-04">x</time>`, "", ""},
		{"labels at the end", `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 100) + `<p>Published on <b>May 4, 2016</b></p><p>Last updated: <time datetime="2017-06-05">x</time></p>`, "2016-05-04", "2017-06-05"},
		{"a month in Croatian", `<h1>Birds</h1><p>12. listopada 2016.</p><p>x</p>`, "2016-10-12", ""},
		{"a month in Polish", `<h1>Birds</h1><p>12 listopada 2016</p><p>x</p>`, "2016-11-12", ""},
		{"label without a date", `<p>Published in the usual place</p><p>Updated daily</p>` + strings.Repeat("<p>x</p>", 20) + `<p>May 4, 2016</p>`, "", ""},
		{"label in comments", `<h1>Birds</h1><div class=comments><p>Posted May 4, 2016</p></div>`, "", ""},
		{"class of a date", `<meta name=author content="Jo Field"><h2>Birds</h2><div class="blog_post-date">May 4, 2016</div>`, "2016-05-04", ""},
		{"class of a date, no article", `<h2>Birds</h2>` + strings.Repeat("<p>x</p>", 40) + `<div class="blog_post-date">May 4, 2016</div>`, "2016-05-04", ""},
		{"classes of dates, no article", `<h2>Birds</h2>` + strings.Repeat("<p>x</p>", 40) + `<div class="blog_post-date">May 4, 2016</div><h2>Owls</h2><div class="blog_post-date">May 5, 2016</div>`, "", ""},
		{"shown long before the stated day", ld(`{"@type":"Article","datePublished":"2021-01-05T10:00:00Z"}`) + `<h1>Birds</h1><p>May 4, 2016</p>`, "2016-05-04", ""},
		{"shown on the day before the stated one", ld(`{"@type":"Article","datePublished":"2016-05-05T01:00:00Z"}`) + `<h1>Birds</h1><p>May 4, 2016</p>`, "2016-05-05T01:00:00Z", ""},
		{"shown on a day that no time zone explains", ld(`{"@type":"Article","datePublished":"2016-05-05T13:00:00Z"}`) + `<h1>Birds</h1><p>May 4, 2016</p>`, "2016-05-04", ""},
		{"shown long before Open Graph's day", `<meta property="article:published_time" content=2021-01-05><h1>Birds</h1><p>May 4, 2016</p>`, "2016-05-04", ""},
		{"in a sentence, long before the stated day", ld(`{"@type":"Article","datePublished":"2021-01-05"}`) + `<h1>Birds</h1><p>The court decided about the birds on May 4, 2016.</p>`, "2021-01-05", ""},
		{"the days of an event before the stated day", ld(`{"@type":"Article","datePublished":"2021-01-05"}`) + `<h1>Birds</h1><p>4-6 May 2016</p>`, "2021-01-05", ""},
		{"first published on a day that is shown", `<meta property="article:published_time" content=2021-01-05>` + ld(`{"@type":"Article","datePublished":"2016-05-04T10:00:00Z"}`) + `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<p>May 4, 2016</p>`, "2016-05-04T10:00:00Z", ""},
		{"a day between publication and change", ld(`{"@type":"Article","datePublished":"2016-01-05","dateModified":"2021-02-01T10:00:00Z"}`) + `<h1>Birds</h1><p>May 4, 2016</p>`, "2016-01-05", "2016-05-04"},
		{"a label between publication and change", ld(`{"@type":"Article","datePublished":"2016-01-05","dateModified":"2021-02-01"}`) + `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<p>Updated May 4, 2016</p>`, "2016-01-05", "2016-05-04"},
		{"a far day between publication and change", ld(`{"@type":"Article","datePublished":"2016-01-05","dateModified":"2021-02-01"}`) + `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<p>May 4, 2016</p>`, "2016-01-05", "2021-02-01"},
		{"full stops, month first", ld(`{"@type":"Article","datePublished":"2016-05-04"}`) + `<h1>Birds</h1><p>Updated 05.04.2016</p>`, "2016-05-04", "2016-05-04"},
		{"JSON-LD in a meta", `<meta name="script:ld+json" content='{"@type":"Article","datePublished":"2016-05-04"}'>`, "2016-05-04", ""},
		{"shown far below the heading", ld(`{"@type":"Article","datePublished":"2021-01-05"}`) + `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<p>May 4, 2016</p>`, "2021-01-05", ""},
		{"a change that only repeats the publication", ld(`{"@type":"Article","datePublished":"2025-06-17","dateModified":"2025-06-17"}`) + `<meta name=updated content="2025-12-18"><h1>Birds</h1>`, "2025-06-17", "2025-12-18"},
		{"a label against a change that only repeats", ld(`{"@type":"Article","datePublished":"2025-06-17","dateModified":"2025-06-17"}`) + `<h1>Birds</h1><p>Updated Dec 18, 2025</p>`, "2025-06-17", "2025-12-18"},
		{"a label before the stated change", ld(`{"@type":"Article","datePublished":"2025-06-17","dateModified":"2025-12-19"}`) + `<h1>Birds</h1><p>Updated Dec 18, 2025</p>`, "2025-06-17", "2025-12-18"},
		{"articles of a list", strings.Repeat(`<div itemscope itemtype="http://schema.org/NewsArticle"><b itemprop=headline>Owls</b><meta itemprop=datePublished content="2026-03-13"></div>`, 3) + `<i itemscope itemtype="http://schema.org/NewsArticle"><meta itemprop=datePublished content="2026-03-12"></i><h1>Birds</h1>`, "", ""},
		{"equal meta elements", `<meta name=pubdate content=2026-03-13><meta name=pubdate content=2026-03-13>`, "2026-03-13", ""},
		{"the article before a list", `<title>Birds sing</title><div itemscope itemtype="http://schema.org/NewsArticle"><b itemprop=headline>Birds sing</b><meta itemprop=datePublished content="2025-03-13"></div>` +
			strings.Repeat(`<div itemscope itemtype="http://schema.org/NewsArticle"><b itemprop=headline>Owls</b><meta itemprop=datePublished content="2026-03-13"></div>`, 3), "2025-03-13", ""},
		{"aside before the heading", `<meta name=author content="Jo Field"><article><aside><p>May 4, 2016</p></aside><h1>Birds</h1></article>`, "2016-05-04", ""},
		{"footer of an article beside the heading", `<meta name=author content="Jo Field"><main><div><h1>Birds</h1></div><article><footer class=meta-date>May 4, 2016</footer></article></main>`, "2016-05-04", ""},
		{"after a byline", strings.Repeat("<p>x</p>", 40) + `<p><a href=/author/jo>Jo Field</a></p><p>April 8, 2024</p>`, "2024-04-08", ""},
		{"below the first h2 of a page without h1", `<nav><h2>Menu</h2></nav><h2>Birds</h2><div>May 4, 2016</div>`, "2016-05-04", ""},
		{"below the h2 of the title, with the name of the site as h1", `<title>Birds of the lake - Site</title><header><h1>Site</h1></header>` + strings.Repeat("<p>x</p>", 40) + `<article><h2>Birds of the Lake</h2><time datetime=2016-05-04>May</time></article>`, "2016-05-04", ""},
		{"an h2 that is not in the title", `<title>Birds of the lake - Site</title><h1>Site</h1>` + strings.Repeat("<p>x</p>", 40) + `<h2>Other birds of it</h2><div>May 4, 2016</div>`, "", ""},
		{"an h2 beside an h1", `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 40) + `<h2>More</h2><div>May 4, 2016</div>`, "", ""},
		{"posts of a forum", strings.Repeat("<p>x</p>", 40) + `<p class=author><b>Jo</b> » Sat May 4, 2016 1:47 am</p><p class=author><b>Al</b> » Sun May 5, 2016 1:47 am</p>`, "2016-05-04", ""},
		{"a list of articles, the latest first", strings.Repeat("<p>x</p>", 40) + `<p class=author><b>Jo</b> » May 5, 2016</p><p class=author><b>Al</b> » May 4, 2016</p>`, "", ""},
		{"entries of a list", `<h1>Birds</h1>` + entries("%s", `<p>By <a class=author>Jo Field</a>, <time class=published datetime=2016-05-0%d>May</time></p>`), "", ""},
		{"cards of a list", `<h1>Birds</h1>` + entries("Bird %s", "<p>Published May %d, 2016</p>"), "", ""},
		{"posts with the title of the thread", `<h1>Birds</h1>` + entries("Re: Birds", "<p>May 4, 2016</p>"), "2016-05-04", ""},
		{"posts with dates as headings", `<h2>Birds</h2>` + entries("2016-05-0%s", "<p>x</p>"), "2016-05-01", ""},
		{"who began a thread", `<p>Started by Jo Field, May 4, 2016, 11:23</p>`, "2016-05-04", ""},
		{"time in a text", `<meta name=author content="Jo Field"><h1>Birds</h1><p>2016-05-04T08:10+02:00</p>`, "2016-05-04", ""},
		{"a code in a text", `<meta name=author content="Jo Field"><h1>Birds</h1><p>2016-05-04X8, 2016-05-T4, 2016-05-</p>`, "", ""},
		{"question and answer", `<h1>Birds</h1><time itemprop=dateCreated datetime="2014-02-04 13:02:51Z">x</time><div class=comment><time itemprop=datePublished>2019-01-21</time></div>`, "2014-02-04 13:02:51Z", ""},
		{"a label beside the article", `<h1>Birds</h1><p>x</p><aside><h4>Published</h4><div>May 4, 2016</div></aside>`, "2016-05-04", ""},
		{"a label beside the article, among others", `<h1>Birds</h1><p>x</p><aside><div class=related><h4>Published</h4><div>May 4, 2016</div></div></aside>`, "", ""},
		{"custom element", `<meta name=author content="Jo Field"><h1>Birds</h1><relative-time datetime="2016-05-04T08:10:00Z">long ago</relative-time>`, "2016-05-04", ""},
		{"names with the heading in them", `<meta name=author content="Jo Field"><div class="with-sidebar"><h1>Birds</h1><p>May 4, 2016</p></div>`, "2016-05-04", ""},
		{"custom element that says when it was published", `<meta name=author content="Jo Field"><h1>Birds</h1><lit-timestamp publishdate="2016-05-04 08:10:00 UTC"></lit-timestamp>`, "2016-05-04", ""},
		{"custom element around the heading", `<x-post created-timestamp="2016-05-04T08:10:00+0000"><h1>Birds</h1></x-post><x-comment created="2016-05-05"></x-comment>`, "2016-05-04", ""},
		{"custom element after the heading", `<h1>Birds</h1><x-comment created="2016-05-05"></x-comment>`, "", ""},
		{"numbers in a meta, the language has the month first", `<html lang=en-US><meta property="article:published_time" content="03-09-2026"><meta property="article:modified_time" content="03-07-2026">`, "2026-03-09", "2026-03-07"},
		{"numbers in a meta, another date has the day first", `<html lang=en-US><meta property="article:published_time" content="03-09-2026"><p>24-09-2026</p>`, "2026-09-03", ""},
		{"numbers in a meta with one meaning", `<meta property="article:published_time" content="02/28/2023 05:17:31 AM">`, "02/28/2023 05:17:31 AM", ""},
		{"change in a meta", `<meta name=updated content="2016-05-04">`, "", "2016-05-04"},
	} {
		m := build(t, test.src, format.Options{}).Metadata
		if m.PublishedTime != test.published || m.ModifiedTime != test.modified {
			t.Errorf("%s: got %q and %q", test.name, m.PublishedTime, m.ModifiedTime)
		}
	}
}

// entries returns three elements with a heading that is a link and a text, with their numbers in them.
func entries(heading, text string) string {
	var b strings.Builder
	for i := range 3 {
		n := strconv.Itoa(i + 1)
		fmt.Fprintf(&b, "<div><h3><a href=/%s>%s</a></h3>%s</div>", n, strings.ReplaceAll(heading, "%s", n), strings.ReplaceAll(text, "%d", n))
	}
	return "<section>" + b.String() + "</section>"
}

// TestHome checks that the first page of a site has no day and no author because of what it leads to, except if it
// calls itself an article.
func TestHome(t *testing.T) {
	const news = `<h1>Birds</h1><p>By <a class=author>Jo Field</a></p><p>May 4, 2016</p>`
	for _, c := range []struct{ url, src, published, author, modified string }{
		{"https://a.example/", news, "", "", ""},
		{"https://a.example", news, "", "", ""},
		{"https://a.example/index.html", news + "<p>Last updated: May 5, 2016</p>", "", "", "2016-05-05"},
		{"https://a.example/birds", news, "2016-05-04", "Jo Field", ""},
		{"https://a.example/?p=1", news, "2016-05-04", "Jo Field", ""},
		{"", news, "2016-05-04", "Jo Field", ""},
		{"https://a.example/", `<meta property=og:type content=article>` + news, "2016-05-04", "Jo Field", ""},
		{"https://a.example/", `<meta name=author content="Al Moor"><meta name=date content=2016-05-06>` + news, "2016-05-06", "Al Moor", ""},
		{"https://a.example/birds", `<h1>Birds</h1>` + entries("%s", `<p>By <a class=author href=/author/jo>Jo Field</a></p>`), "", "", ""},
	} {
		d, err := format.Build(t.Context(), &format.Input{Root: tree(t, c.src), URL: c.url}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m := &d.Metadata; m.PublishedTime != c.published || m.Extra["author"] != c.author || m.ModifiedTime != c.modified {
			t.Errorf("%s, %s: %q, %q, %q", c.url, c.src, m.PublishedTime, m.Extra["author"], m.ModifiedTime)
		}
	}
}

// TestDayInPath checks that the day in the URL is used on a page without another date, and
// marked as a guess.
func TestDayInPath(t *testing.T) {
	for href, want := range map[string]string{
		"https://a.example/2016/05/04/birds":            "2016-05-04",
		"https://a.example/blog/2016-05-04-birds":       "2016-05-04",
		"https://a.example/2016/13/04/birds":            "",
		"https://a.example/2016/may/4/birds":            "2016-05-04",
		"https://a.example/2016/may/bird/4":             "",
		"https://a.example/12016/05/04/birds":           "",
		"https://a.example/birds?since=2016/05/04":      "",
		"https://a.example/birds#2016-05-04":            "",
		"https://2016-05-04.example/":                   "",
		"https://a.example/2016/05/birds/04":            "",
		"https://a.example/" + "9/" + "2016/05/04.html": "2016-05-04",
		"": "",
	} {
		d, err := format.Build(t.Context(), &format.Input{Root: tree(t, "<h1>Birds</h1>"), URL: href}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Metadata.PublishedTime; got != want {
			t.Errorf("%s: got %q, want %q", href, got, want)
		}
		if guessed := slices.Contains(d.Metadata.Guessed, "publishedTime"); guessed != (want != "") {
			t.Errorf("%s: marked as a guess: %v", href, guessed)
		}
	}
}

// TestGuessed checks that exactly the members that were read from the visible text are marked
// as guesses.
func TestGuessed(t *testing.T) {
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	full := func(names int) string {
		var b strings.Builder
		for i := range names {
			fmt.Fprintf(&b, `<meta name="x%d" content=y>`, i)
		}
		return b.String()
	}
	const (
		author = `<meta name=author content="Jo Field">`
		date   = `<meta property="article:published_time" content="2020-01-01">`
		byline = `<h1>Birds</h1><p class=byline>By Jo Field</p>`
		day    = `<p>Posted on May 4, 2016</p>`
	)
	for _, test := range []struct {
		name, src string
		want      []string
	}{
		{"both", byline + day, []string{"author", "publishedTime"}},
		{"a byline", date + byline, []string{"author"}},
		{"a day long before the stated one", author + date + byline + day, []string{"publishedTime"}},
		{"a date", author + byline + day, []string{"publishedTime"}},
		{"neither", author + date + byline, nil},
		{"nothing to find", `<h1>Birds</h1><p>x</p>`, nil},
		{"a signature", date + `<h1>Birds</h1><div>Written by <b>Jo Field</b></div>`, []string{"author"}},
		{"a person for an organization", date + ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) + byline, []string{"author"}},
		{"an organization", date + ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) + `<h1>Birds</h1>`, nil},
		{"JSON-LD", ld(`{"@type":"Article","author":{"name":"Jo Field"},"datePublished":"2015-01-01"}`) + byline + day, nil},
		{"an account", date + `<meta name=author content=jfield><h1>x</h1>`, nil},
		{"a signature before an account", date + `<meta name=author content=jfield>` + byline, []string{"author"}},
		{"a date in words in a meta", author + `<meta name=published content="July 17, 2015"><h1>Birds</h1>` + day, nil},
		{"numbers in a meta", author + `<html lang=en-US><meta property="article:published_time" content="03-09-2026"><h1>Birds</h1>`, []string{"publishedTime"}},
		{"a time element that says what it is", author + `<h1>Birds</h1><time class=published datetime="2017-01-01">x</time>`, nil},
		{"a time element that does not", author + `<h1>Birds</h1><time datetime="2017-01-01">x</time>`, []string{"publishedTime"}},
		{"an author without space", full(256) + date + byline, nil},
		{"forged", author + date + `<meta name=guessed content=title><meta name=Guessed content=title>`, nil},
	} {
		if got := build(t, test.src, format.Options{}).Metadata.Guessed; !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	m := build(t, byline+day, format.Options{Redact: &format.Redact{}}).Metadata
	if !slices.Equal(m.Guessed, []string{"author", "publishedTime"}) || strings.Contains(m.Extra["author"], "Field") {
		t.Errorf("redacted: %+v", m)
	}
}

// An author without any markup is recognized only in articles, by what is beside the name.
func TestUnmarkedAuthor(t *testing.T) {
	const article = `<title>Owls hunt at night</title><meta property=og:type content=article>`
	for _, test := range []struct{ name, src, want string }{
		{"beside a date", `<h1>Owls hunt at night</h1><div><span>2025-12-17</span> · <a href=/p/1>Jo Field</a></div>`, "Jo Field"},
		{"above the heading", `<p><span>Dec 17, 2025</span> <span>Jo K. Field</span></p><h1>Owls hunt at night</h1>`, "Jo K. Field"},
		{"before a category", `<h1>Owls hunt at night</h1><p>Dec 26, 2025</p><p>Jo Field   in <a>Night Life</a></p>`, "Jo Field"},
		{"time for reading", `<h1>Owls hunt at night</h1><p>Jo Field</p><p>5 min read</p>`, "Jo Field"},
		{"role", `<h1>Owls hunt at night</h1><p>Jo Field</p><p>Tech Writer</p>`, "Jo Field"},
		{"degree", `<h1>Owls hunt at night</h1><p>Jo Field, Ph.D.</p>`, "Jo Field"},
		{"biography", `<h1>Owls hunt at night</h1><p>Jo Field</p><p>Owls.</p><p>Jo is a teacher.</p>`, "Jo Field"},
		{"several", `<h1>Owls hunt at night</h1><p>Jo Field, Al K. Moor</p><p>Dec 26, 2025</p>`, "Jo Field, Al K. Moor"},
		{"box", `<h1>Owls hunt at night</h1>` + strings.Repeat("<p>x</p>", 20) + `<div class=author_text><b>Jo Field</b></div>`, "Jo Field"},
		{"first name of the stated account", `<meta name=author content=Jo><h1>Owls hunt at night</h1><p>Jo Field</p><p>5 min read</p>`, "Jo Field"},
		{"box for an account", `<meta name=author content=jf1><h1>Owls hunt at night</h1><p class=author-info>Jo Field</p>`, "Jo Field"},

		{"nothing beside it", `<h1>Owls hunt at night</h1><p>Jo Field</p>`, ""},
		{"words of the page", `<h1>Owls hunt at night</h1><p>Dec 26, 2025</p><p>Night Life</p><p>The life of owls</p>`, ""},
		{"category", `<h1>Owls hunt at night</h1><p>Dec 26, 2025</p><a href=/category/birds>Strix Aluco</a>`, ""},
		{"German nouns", `<meta http-equiv=content-language content=de><h1>Owls hunt at night</h1><p>26.12.2025</p><p>Olympische Spiele</p>`, ""},
		{"quotation", `<p>Jo Field, 1984</p><h1>Owls hunt at night</h1><p>Dec 26, 2025</p>`, ""},
		{"another person than the account", `<meta name=author content=jf1><h1>Owls hunt at night</h1><p>Al Moor</p><p>5 min read</p>`, "jf1"},
		{"two boxes", `<h1>Owls hunt at night</h1>` + strings.Repeat("<p>x</p>", 20) + `<div class=author_text>Jo Field</div><div class=author_text>Al Moor</div>`, ""},
		{"in comments", `<h1>Owls hunt at night</h1><div class=comments><p>Jo Field</p><p>5 min read</p></div>`, ""},
		{"subject", `<h1>Owls</h1><meta property=og:site_name content="Strix Aluco"><p>Strix Aluco</p><p>5 min read</p>`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := build(t, article+test.src, format.Options{}).Metadata
			if m.Extra["author"] != test.want {
				t.Errorf("author = %q, want %q", m.Extra["author"], test.want)
			}
		})
	}
	t.Run("not an article", func(t *testing.T) {
		m := build(t, `<title>Owls</title><h1>Owls</h1><p>Jo Field</p><p>5 min read</p>`, format.Options{}).Metadata
		if m.Extra["author"] != "" {
			t.Errorf("author = %q", m.Extra["author"])
		}
	})
}

func TestAuthor(t *testing.T) {
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	for _, test := range []struct{ name, src, want string }{
		{"meta", `<meta name=author content="Jo Field">` + ld(`{"@type":"Article","author":{"name":"Al Moor"}}`), "Jo Field"},
		{"meta twice", `<meta name=author content="Jo Field"><meta name=author content="Jo Field">`, "Jo Field"},
		{"account in meta", `<meta name=author content="jfield">` + ld(`{"@type":"Article","author":{"@type":"Person","name":"Jo Field"}}`), "Jo Field"},
		{"only an account", `<meta name=author content="jfield">`, "jfield"},
		{"URL in meta", `<meta name=author content="https://social.example/jo"><p class=byline>By <a>Jo Field</a></p>`, "Jo Field"},
		{"Dublin Core property first", `<meta name=author content="Al Moor"><meta property="dc:creator" content="Jo Field">`, "Jo Field"},
		{"list of properties", `<meta name=author content="Al Moor"><meta property="dc:creator twitter:site_name" content="Jo Field">`, "Jo Field"},
		{"marked account below an organization", ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) + `<h1>Owls</h1><p class=byline>By <a rel=author>jofield</a></p>`, "jofield"},
		{"second author beside the organization", ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) + `<h1>Owls</h1><ul><li><b class=post-author>Birds</b><li><b class=post-author>Jo Field</b></ul>`, "Jo Field"},
		{"author of another article after the organization", ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) +
			`<main><h1>Owls</h1><p><b class=post-author>Birds</b></p></main><div><div><div><div><b class=post-author>Jo Field</b></div></div></div></div>`, "Birds"},
		{"authors after the stated one", `<meta name=author content="Jo Field"><h1>Owls</h1><p><a>Jo Field</a>, <a>Al Moor</a> &amp; <a>Di Pond</a></p><p><a>Li Hill</a></p>`, "Jo Field, Al Moor, Di Pond"},
		{"text after the stated one", `<meta name=author content="Jo Field"><h1>Owls</h1><p><a>Jo Field</a> met <a>Al Moor</a></p>`, "Jo Field"},
		{"account alone after by", `<h1>Owls</h1><p>by jofield</p>`, "jofield"},
		{"a sentence", `<h1>Owls</h1><p>by flying at night</p> <p>by <b>Night Owls</b> of which we know nothing</p>`, "Night Owls"},
		{"by in a paragraph", `<h1>Owls</h1><p>` + strings.Repeat("Owls hunt. ", 20) + `<a>Owls</a> <i>by</i> <a>Jo Field</a></p><p>Ink <a>Tale</a> by <a>Al Moor</a> and ` + strings.Repeat("more ", 50) + `</p>`, "Jo Field"},
		{"first entry of a list", `<meta name=author content="Birds Daily"><h1>Owls</h1><a href=/1><h2>One</h2><p>By Jo Field</p></a>`, "Birds Daily"},
		{"under the second heading", `<meta name=author content="Al Moor"><h1>Owls</h1><h2>About</h2><h3>New</h3><p>Authors: Jo Field</p>`, "Al Moor"},
		{"in a heading", `<meta name=author content="Al Moor"><h1>Owls</h1><h3>By <a href=/jo>Jo Field</a></h3>`, "Jo Field"},
		{"label with a colon of its own", `<h1>Owls</h1><dl><dt>Author<span>:</span></dt><dd>Jo Field</dd></dl>`, "Jo Field"},
		{"the heading that the title has", `<title>Owls hunt at night</title><h1>Birds</h1><h2><a href=/2>Menu</a></h2><h1>Owls hunt at night</h1><p>By Jo Field</p>`, "Jo Field"},
		{"aside that nobody closed", `<aside><main><h1>Owls</h1><p class=post-author>Jo Field</p></main>`, "Jo Field"},
		{"menu in a byline", `<h1>Owls</h1><p class=byline>Skip to content</p>`, ""},
		{"list", ld(`{"@type":"NewsArticle","author":[{"name":"Jo Field"},{"name":"Al Moor"},"Jo Field"]}`), "Jo Field, Al Moor"},
		{"of something else", ld(`{"@type":"Book","author":{"name":"Jo Field"}}`), ""},
		{"a signature below the heading before the account that uploaded the page", `<meta name=author content="Al Moor"><h1>Birds</h1><p>By Jo Field</p>`, "Jo Field"},
		{"the same name in a list", `<meta name=author content="Al Moor, Jo Field"><h1>Birds</h1><p>By Jo Field</p>`, "Al Moor, Jo Field"},
		{"a signature far below the heading", `<meta name=author content="Al Moor"><h1>Birds</h1>` + strings.Repeat("<p>x</p>", 60) + `<p>By Jo Field</p>`, "Al Moor"},
		{"two in a byline before the account that uploaded the page", `<meta name=author content="Al Moor"><h1>x</h1><p class=byline>By <a>Jo Field</a> and <a>Bo Lee</a></p>`, "Jo Field, Bo Lee"},
		{"no name below the heading", `<meta name=author content="Al Moor"><h1>Birds</h1><p>Von Berlin nach Paris</p>`, "Al Moor"},
		{"an article below the heading", `<meta name=author content="Al Moor"><h1>Birds</h1><p>By The Numbers</p>`, "Al Moor"},
		{"a particle in a signature", `<meta name=author content="Al Moor"><h1>Birds</h1><p>Von Jo van der Feld</p>`, "Jo van der Feld"},
		{"a reviewer", `<meta name=author content="Al Moor"><h1>Birds</h1><p><a>Medically reviewed</a> by <a>Jo Field</a></p>`, "Al Moor"},
		{"name of the site in meta", `<meta property=og:site_name content="One Bird"><meta name=author content="One Bird"><h1>Birds</h1><a>by Jo Field</a>`, "Jo Field"},
		{"only the name of the site in meta", `<meta property=og:site_name content="One Bird"><meta name=author content="One Bird"><h1>Birds</h1>`, "One Bird"},
		{"with a long role", `<h1>Birds</h1><p>by Jo Field, Representative to the Committee of all Candidates</p>`, "Jo Field"},
		{"without h1", `<h2>Birds</h2><p>By Jo Field</p>`, "Jo Field"},
		{"a credit at the end", `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 900) + `<p>This post was written by Jo Field,
Head of Birds and of Marketing.</p>`, "Jo Field"},
		{"a credit without a name", `<h1>Birds</h1>` + strings.Repeat("<p>x</p>", 900) + `<p>Written by hand</p>`, ""},
		{"in the footer of an article", `<article><header><h1>Birds</h1></header><p>x</p><footer><a rel=author>Jo Field</a></footer></article>`, "Jo Field"},
		{"in the footer of a page", `<div><h1>Birds</h1><footer><a rel=author>Jo Field</a></footer></div>`, ""},
		{"a post of phpBB", `<dl class=postprofile><dt><a><img></a><a>jfield</a></dt><dd>Joined: May 2015</dd></dl>`, "jfield"},
		{"a post of FluxBB", `<div class=postleft><dl><dt><strong>jfield</strong></dt><dd>Member</dd></dl></div>`, "jfield"},
		{"a variable of a template", `<meta name=author content="page.extra.author">`, "page.extra.author"},
		{"organization and byline", ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`) + `<h1>x</h1><span class=author-name>Jo Field</span>`, "Jo Field"},
		{"organization", ld(`{"@type":"Article","author":{"@type":"Organization","name":"Birds"}}`), "Birds"},
		{"article:author", `<meta property=article:author content="Jo Field">`, "Jo Field"},
		{"article:author is a URL", `<meta property=article:author content="https://social.example/jo">`, ""},
		{"link", `<h1>x</h1><a rel=author href=/jo>Jo Field</a>`, "Jo Field"},
		{"two", `<h1>x</h1><p class=byline>By <a>Jo Field</a> and <a>Al Moor</a></p>`, "Jo Field, Al Moor"},
		{"date in the byline", `<h1>x</h1><p class=byline>By Jo Field, March 4, 2020</p>`, "Jo Field"},
		{"thread", `<h1>x</h1><article data-author=jo1234567><h4><a class=username>jo1234567</a></h4></article>`, "jo1234567"},
		{"an address instead of a name", `<div itemscope itemtype=https://schema.org/Article><h1>x</h1><a href=/author/jo/ itemprop=author>Jo Field</a></div>`, "Jo Field"},
		{"a line below a price", `<h1>x</h1><p class=pricing-table-byline>billed annually, or $50<span>/</span><span>month</span></p>`, ""},
		{"in a long sentence", `<h1>x</h1><p>` + strings.Repeat("Owls hunt. ", 20) + `It has <a>audits</a> by Securitum since 2022.</p>`, ""},
		{"a class of the body", `<body class="page single-author"><form><label>SEARCH:</label></form><h1>x</h1>`, ""},
		{"no class", `<h1>x</h1><div>Written by <b>Jo Field</b></div>`, "Jo Field"},
		{"by chance", `<h1>x</h1><p>by the river they walked</p>`, ""},
		{"comments", `<h1>x</h1><div id=comments><span class=author>Jo Field</span></div>`, ""},
		{"label", `<h1>x</h1><span class=author>Author</span>`, ""},
		{"card of a link", `<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Jo Field">`, "Jo Field"},
		{"card of a link, time to read", `<meta name="twitter:label1" content="Time to read"><meta name="twitter:data1" content="3 minutes">`, ""},
		{"link to the page of an author", `<h1>x</h1><a href="/blog/author/jo-field">Jo Field</a>`, "Jo Field"},
		{"link to a list of authors", `<h1>x</h1><a href="/authors/">Our Authors</a><a href="/author/?page=2">Next Page</a>`, ""},
		{"custom element", `<h1>x</h1><forum-post author=jo1234567>y</forum-post>`, "jo1234567"},
		{"class of a module", `<h1>x</h1><p class="Author_author__4ceOm">Jo Field</p>`, "Jo Field"},
		{"label in another element", `<h1>x</h1><h3>Author</h3><p>Jo Field</p>`, "Jo Field"},
		{"list of articles", `<h1>x</h1><a rel=author href=/a/jo>Articles by Jo Field</a>`, "Jo Field"},
		{"footer of an article", `<article><h1>x</h1><footer class=meta><a rel=author href=/jo>Jo Field</a></footer></article>`, "Jo Field"},
		{"footer of the page", `<h1>x</h1><footer><a rel=author href=/jo>Jo Field</a></footer>`, ""},
		{"weekday", `<h1>x</h1><span class=author>Sat, 20 Dec 2025</span>`, ""},
		{"long", `<h1>x</h1><div class=author>` + strings.Repeat("word ", 100) + `</div>`, ""},
		{"empty", `<meta name=author content=" "><h1 class=author></h1>`, ""},
	} {
		if got := build(t, test.src, format.Options{}).Metadata.Extra["author"]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
