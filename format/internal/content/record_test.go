// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

// TestComplete checks which records of a list get their titles back. The first block of
// each record is its title, the second is another text. There is a paragraph before them.
func TestComplete(t *testing.T) {
	record := func(i int) string { return fmt.Sprintf("<li><a href=/t%d>Title %d</a><p>text of it</p></li>", i, i) }
	thread := func(i int) string {
		return fmt.Sprintf("<div class=row><div><a href=/t%d>Title %d</a></div><div><a href=/u>Jo</a> <a href=/d>Today</a></div></div>", i, i)
	}
	list := func(outer string, record func(int) string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(record(i))
		}
		return strings.Replace(outer, "%", b.String(), 1)
	}
	const lead = "<p>A paragraph before the list.</p>"
	for _, c := range []struct {
		name  string
		src   string
		kind  content.Kind
		sure  bool
		kept  []int // of the records: the first block after its title is kept
		title []int // records whose title is kept then
	}{
		{"most records", list("<ul>%</ul>", record, 4), content.Listing, true, []int{0, 1, 3}, []int{0, 1, 2, 3}},
		{"half of the records", list("<ul>%</ul>", record, 4), content.Listing, true, []int{0, 1}, []int{0, 1, 2, 3}},
		{"less", list("<ul>%</ul>", record, 5), content.Listing, true, []int{0, 1}, nil},
		{"none", list("<ul>%</ul>", record, 4), content.Listing, true, nil, nil},
		{"half of the list of an article", list("<ul>%</ul>", record, 4), content.Article, true, []int{0, 1}, nil},
		{"most of the list of an article", list("<ul>%</ul>", record, 4), content.Article, true, []int{0, 1, 3}, []int{0, 1, 2, 3}},
		{"two records", list("<ul>%</ul>", record, 2), content.Listing, true, []int{0}, nil},
		{"navigation", list("<nav><ul>%</ul></nav>", record, 4), content.Listing, true, []int{0, 1, 3}, nil},
		{"threads", list("<div>%</div>", thread, 4), content.Forum, true, nil, []int{0, 1, 2, 3}},
		{"threads, in doubt", list("<div>%</div>", thread, 4), content.Article, false, nil, []int{0, 1, 2, 3}},
		{"boxes of links beside an article", list("<div>%</div>", thread, 4), content.Article, true, nil, nil},
		{"a few boxes of links on a long page", list("<div>%</div>", thread, 4) + strings.Repeat("<p>a text of some words</p>", 80), content.Listing, true, nil, nil},
		{"boxes that are named as menus", strings.ReplaceAll(list("<div>%</div>", thread, 4), "class=row", "class=menu"), content.Listing, true, nil, nil},
		{"cells of a grid", strings.NewReplacer("<li>", "<td>", "</li>", "</td>", "<ul>", "<table><tr>", "</ul>", "</table>").Replace(list("<ul>%</ul>", record, 4)), content.Listing, true, []int{0, 1}, []int{0, 1, 2, 3}},
		{"a cell of the last row", strings.NewReplacer("<li>", "<td>", "</li>", "</td>", "<ul>", "<table><tr>", "</ul>", "</table>", "<hr>", "<tr>").Replace("<ul>" + record(0) + record(1) + record(2) + "<hr>" + record(3) + "</ul>"), content.Listing, true, []int{0, 1, 2}, []int{0, 1, 2, 3}},
		{"descriptions", strings.NewReplacer("<li>", "<dt>1<dd>", "</li>", "", "ul>", "dl>").Replace(list("<ul>%</ul>", record, 4)), content.Listing, true, []int{0, 1, 3}, []int{0, 1, 2, 3}},
		{"records that have only a header", list("<ul>%</ul>", func(i int) string {
			return fmt.Sprintf("<li><header><h3>Title %d</h3><time>Today</time></header><footer>3 comments</footer></li>", i)
		}, 4), content.Listing, false, nil, []int{0, 1, 2, 3}},
		{"wrappers of what is around a page", "<div><div><aside><a href=/a>Title 0</a><p>text</p></aside></div><div><nav><a href=/b>Title 1</a></nav></div><div><footer><h3>Title 2</h3><p>text</p></footer></div></div>", content.Listing, false, nil, nil},
		{"text before and after the records", list("<section><p>A b c<p>A b c%<p>A b c<p>A b c</section>", func(i int) string {
			return strings.NewReplacer("li>", "article>").Replace(record(i))
		}, 4), content.Listing, true, []int{0, 1, 3}, []int{0, 1, 2, 3}},
		{"other elements between the records", strings.ReplaceAll(list("<ul>%</ul>", record, 4), "</li>", "</li><div>x</div>"), content.Listing, true, []int{0, 1, 3}, nil},
	} {
		p := newPage(t, lead+c.src)
		keep := make([]bool, len(p.Blocks))
		keep[0] = true
		titles := map[int]int{}
		for i := range p.Blocks {
			var n int
			if k, err := fmt.Sscanf(p.Text(i), "Title %d", &n); k == 1 && err == nil {
				titles[n] = i
			}
		}
		for _, n := range c.kept {
			keep[titles[n]+1] = true
		}
		more := p.Complete(c.kind, keep, c.sure)
		if more != (c.title != nil) {
			t.Errorf("%s: more is %v", c.name, more)
		}
		got := []int(nil)
		for n := range len(titles) {
			if keep[titles[n]] {
				got = append(got, n)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.title) {
			t.Errorf("%s: titles of %v are kept, want %v", c.name, got, c.title)
		}
	}
}

// TestCompleteEnd checks that the last record of a list keeps its end if most records do, and that a list whose ends are
// left out stays so.
func TestCompleteEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		last string
		ends int // records that are kept to their end
		want bool
	}{
		{"most ends are kept", "3 pounds", 3, true},
		{"half of the ends is kept", "3 pounds", 2, false},
		{"a long end", strings.Repeat("many words of other things ", 3), 3, false},
	} {
		var src strings.Builder
		src.WriteString("<ul>")
		for i := range 4 {
			fmt.Fprintf(&src, "<li><a href=/t%d>Title %d</a><p>text of it</p><p class=end%d>%s</p></li>", i, i, i, c.last)
		}
		p := newPage(t, src.String()+"</ul>")
		keep := make([]bool, len(p.Blocks))
		for i := range 4 {
			keep[3*i], keep[3*i+1], keep[3*i+2] = true, true, i < c.ends
		}
		if more := p.Complete(content.Listing, keep, true); more != c.want || keep[11] != c.want {
			t.Errorf("%s: more is %v, kept is %v", c.name, more, keep[11])
		}
	}
}

// TestFields checks that the fields of records are kept that are prices, or that are kept in two thirds of the records, but
// not the prices of other products on the page of a product.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  content.Kind
		field string
		kept  int // records whose field is kept
		want  bool
	}{
		{"two of three", content.Listing, "<p class=by>by the author</p>", 2, true},
		{"one of three", content.Listing, "<p class=by>by the author</p>", 1, false},
		{"a long text", content.Listing, "<p class=by>" + strings.Repeat("of many words ", 4) + "</p>", 2, false},
		{"a price", content.Listing, "<p class=by>$12.50</p>", 0, true},
		{"a price beside a product", content.Product, "<p class=by>$12.50</p>", 0, false},
		{"a price in a footer", content.Listing, "<footer><a href=/t>From $12.50</a></footer>", 0, true},
		{"a price in an element that is named a footer", content.Listing, "<div class=card-footer><b>$12.50</b></div>", 2, true},
		{"a price of which others are not kept, in such an element", content.Listing, "<div class=card-footer><b>$12.50</b></div>", 1, false},
		{"a text in a footer", content.Listing, "<footer>by the author</footer>", 2, false},
		{"a stripped text", content.Listing, "<aside class=by>by the author</aside>", 2, false},
	} {
		p := newPage(t, "<ul>"+strings.Repeat("<li><h3><a href=/t>Title</a></h3>"+c.field+"<p>text of it with some more words</p></li>", 3)+"</ul>")
		keep := make([]bool, len(p.Blocks))
		for i := range 3 {
			keep[3*i], keep[3*i+1], keep[3*i+2] = true, i < c.kept, true
		}
		p.Complete(c.kind, keep, true)
		if keep[7] != c.want {
			t.Errorf("%s: kept is %v", c.name, keep[7])
		}
	}
}

// TestPosters checks that posts of a thread keep the names of their posters.
func TestPosters(t *testing.T) {
	const text = "<p>It flew over the lake.</p>"
	for _, c := range []struct {
		name, post string // of which X stands for the name
		kind       content.Kind
		want       bool
	}{
		{"a name", "<b class=username><a href=/u>X</a></b>" + text, content.Forum, true},
		{"not in a forum", "<b class=username><a href=/u>X</a></b>" + text, content.Article, false},
		{"a link elsewhere", "<div><a href=/u>X</a></div>" + text, content.Forum, false},
		{"no link", "<div class=username>X</div>" + text, content.Forum, false},
		{"a link of many words", "<div class=username><a href=/u>X who has been here for years</a></div>" + text, content.Forum, false},
		{"two names", "<div class=username><a href=/u>X</a></div><div class=username><a href=/v>Y X</a></div>" + text, content.Forum, false},
		{"what all posts share", "<div class=username><a href=/u>Member</a></div>" + text, content.Forum, false},
		{"several texts", "<div class=username><a href=/u>X<br>Offline</a></div>" + text, content.Forum, false},
		{"a post that is not kept", "<div class=username><a href=/u>X</a></div>", content.Forum, false},
	} {
		var src strings.Builder
		for _, name := range []string{"Ann", "Bob", "Cleo"} {
			src.WriteString("<div class=post><div>" + strings.ReplaceAll(c.post, "X", name) + "</div></div>")
		}
		p := newPage(t, "<main>"+src.String()+"</main>")
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = strings.HasPrefix(p.Text(i), "It flew")
		}
		kept := slices.Clone(keep)
		if p.KeepPosters(c.kind, kept); slices.Equal(keep, kept) == c.want {
			t.Errorf("%s: kept are %v", c.name, kept)
		}
	}
}
