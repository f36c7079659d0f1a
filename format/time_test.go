// SPDX-License-Identifier: Apache-2.0

package format_test

import (
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
		{"time of something", `<time datetime="2016-05-04">x</time>`, "", ""},
	} {
		m := build(t, test.src, format.Options{}).Metadata
		if m.PublishedTime != test.published || m.ModifiedTime != test.modified {
			t.Errorf("%s: got %q and %q", test.name, m.PublishedTime, m.ModifiedTime)
		}
	}
}
