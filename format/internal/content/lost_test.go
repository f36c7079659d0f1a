// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

// prose is a paragraph that shares no text with records.
const prose = "<p>The old harbour was built again in the last century, and those who live there remember how the boats came in every morning.</p>"

// records returns an element with n records, each of which contains its number.
func records(outer, record string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, record, i+1)
	}
	return strings.Replace(outer, "%", b.String(), 1)
}

// lose returns a page with a list, and keeps only its blocks of prose.
func lose(t *testing.T, before, list, after string) (p *content.Page, keep []bool) {
	t.Helper()
	p = newPage(t, "<body><nav><a href=/>Home</a></nav><article><h1>The harbour</h1>"+before+list+after+"</article>")
	keep = make([]bool, len(p.Blocks))
	for i := range keep {
		keep[i] = strings.Contains(p.Text(i), "harbour")
	}
	return p, keep
}

// TestLost checks which lists and tables that the main content lacks count as lost.
func TestLost(t *testing.T) {
	const (
		item   = "<li>Bolt %d of steel</li>"
		linked = "<li><a href=/b>Bolt %d of the finest blue steel there is</a></li>"
		sold   = "<li><a href=/b>Bolt of blue steel</a> for $%d.50</li>"
		dated  = "<li><a href=/b>Bolt of blue steel</a> on March %d</li>"
		row    = "<tr><td>Bolt %d<td>steel</tr>"
		card   = "<div class=card><h3><a href=/b>Bolt of steel</a></h3><b>$%d</b></div>"
		event  = "<div class=event><h4>Concert</h4><div>March %d, City Hall</div></div>"
		line   = "<div class=line>Concert of March %d</div>"
	)
	within, after := [2]string{prose, prose}, [2]string{prose + prose, ""}
	loss := func(table bool, n, words int) []content.Loss {
		return []content.Loss{{Table: table, Records: n, Words: words}}
	}
	for _, c := range []struct {
		name  string
		list  string
		prose [2]string
		want  []content.Loss
	}{
		{"items", records("<ul>%</ul>", item, 8), within, loss(false, 8, 32)},
		{"numbered items", records("<ol>%</ol>", item, 4), within, loss(false, 4, 16)},
		{"three items", records("<ul>%</ul>", item, 3), within, nil},
		{"items with numbers, at the end", records("<ul>%</ul>", item, 8), after, loss(false, 8, 32)},
		{"items without numbers, at the end", records("<ul>%</ul>", "<li>Bolt of steel<!-- %d --></li>", 8), after, nil},
		{"items without numbers, within", records("<ul>%</ul>", "<li>Bolt of steel<!-- %d --></li>", 8), within, loss(false, 8, 24)},
		{"links", records("<ul>%</ul>", "<li><a href=/b>A bolt of the finest blue steel there is</a><!-- %d --></li>", 5), within, nil},
		{"links with numbers in them, at the end", records("<ul>%</ul>", linked, 5), after, nil},
		{"links with prices", records("<ul>%</ul>", sold, 6), within, loss(false, 6, 42)},
		{"links with prices, at the end", records("<ul>%</ul>", sold, 6), after, loss(false, 6, 42)},
		{"links with dates", records("<ul>%</ul>", dated, 6), within, loss(false, 6, 42)},
		{"links with dates, at the end", records("<ul>%</ul>", dated, 6), after, nil},
		{"numbers of pages", records("<ul>%</ul>", "<li>%d</li>", 8), within, nil},
		{"terms", records("<dl>%</dl>", "<dt>Bolt<dd>Of steel, %d of them</dd>", 5), within, loss(false, 5, 30)},
		{"rows", records("<table>%</table>", row, 6), within, loss(true, 6, 18)},
		{"rows with a head", records("<table><thead><tr><th>Name<th>Made of</thead><tbody>%</table>", row, 6), after, loss(true, 7, 21)},
		{"three rows", records("<table>%</table>", row, 3), within, nil},
		{"a table for layout", records("<table>%</table>", "<tr><td>%d "+strings.Repeat("word ", 80)+"</tr>", 4), within, nil},
		{"boxes with prices", records("<div class=grid>%</div>", card, 6), within, loss(false, 6, 24)},
		{"boxes with headings and numbers", records("<div class=grid>%</div>", event, 6), within, loss(false, 6, 30)},
		{"boxes with headings and numbers, at the end", records("<div class=grid>%</div>", event, 6), after, nil},
		{"boxes with numbers", records("<div class=grid>%</div>", line, 6), within, nil},
		{"related", records("<div class=related><ul>%</ul></div>", sold, 6), within, nil},
		{"more to read", records("<div class=recommendations><ul>%</ul></div>", sold, 6), within, nil},
		{"tags", records("<ul class=tags>%</ul>", item, 6), within, nil},
		{"to share", records("<ul class=sharedaddy>%</ul>", item, 6), within, nil},
		{"a user", records("<ul class=userinfo>%</ul>", item, 6), within, nil},
		{"no spaces", records("<ul>%</ul>", "<li>鋼鐵螺栓%d</li>", 6), within, loss(false, 6, 6)},
		{"single words", records("<ul>%</ul>", "<li>bolt%d</li>", 6), within, nil},
		{"navigation", records("<nav><ul>%</ul></nav>", item, 6), within, nil},
		{"a form", records("<form><ul>%</ul></form>", item, 6), within, nil},
		{"before all that is kept", records("<ul>%</ul>", item, 6), [2]string{"", ""}, nil},
		{"said elsewhere", records("<ul>%</ul>", "<li>All of the harbour boats<!-- %d --></li>", 6), within, nil},
		{"a grid in a list", "<ul><li>" + strings.Repeat("x ", 200) + records("<table>%</table>", row, 6) + "</ul>", within, loss(true, 6, 18)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, keep := lose(t, c.prose[0], c.list, c.prose[1])
			if c.prose[0] == "" { // the list is before the title as well
				p = newPage(t, "<body><article>"+c.list+"<h1>The harbour</h1>"+prose+prose+"</article>")
				keep = make([]bool, len(p.Blocks))
				for i := range keep {
					keep[i] = strings.Contains(p.Text(i), "harbour")
				}
			}
			got := p.Lost(keep)
			for i := range got {
				if got[i].ID == 0 || got[i].Part {
					t.Errorf("%+v", got[i])
				}
				got[i].ID = 0
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestLostPart checks the number of words that are lost from a list, and that nothing
// counts as lost if half of it is kept.
func TestLostPart(t *testing.T) {
	p, keep := lose(t, prose, records("<ul>%</ul>", "<li>Bolt %d of steel</li>", 8), prose)
	for kept := range 9 {
		now := slices.Clone(keep)
		for i, n := 0, 0; n < kept; i++ {
			if strings.Contains(p.Text(i), "Bolt") {
				now[i] = true
				n++
			}
		}
		got := p.Lost(now)
		switch {
		case kept >= 4:
			if got != nil {
				t.Errorf("%d of 8: %+v", kept, got)
			}
		case len(got) != 1 || got[0].Words != 32-4*kept || got[0].Records != 8 || got[0].Part != (kept > 0):
			t.Errorf("%d of 8: %+v", kept, got)
		}
	}
}

// TestRestore checks that data between the paragraphs of an article is kept, and only there.
func TestRestore(t *testing.T) {
	list := records("<ul>%</ul>", "<li>Bolt %d of steel</li>", 8)
	article := map[content.Kind]float32{content.Article: 1}
	for _, c := range []struct {
		name                string
		kinds               map[content.Kind]float32
		before, list, after string
		want                int // items
	}{
		{"an article", article, prose, list, prose, 8},
		{"another kind", map[content.Kind]float32{content.Article: .5, content.Service: .6}, prose, list, prose, 0},
		{"another kind is likely", map[content.Kind]float32{content.Article: .5, content.Service: .45}, prose, list, prose, 0},
		{"another kind is possible", map[content.Kind]float32{content.Article: .3, content.Service: .25}, prose, list, prose, 8},
		{"at the end", article, prose + prose, list, "", 0},
		{"navigation", article, prose, "<nav>" + list + "</nav>", prose, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, keep := lose(t, c.before, c.list, c.after)
			p.Restore(c.kinds, keep)
			got := 0
			for i, k := range keep {
				if k && strings.Contains(p.Text(i), "Bolt") {
					got++
				}
			}
			if got != c.want {
				t.Errorf("%d items are kept, want %d", got, c.want)
			}
		})
	}
}

// TestDoubts checks which blocks that are left out count as doubtful. The score of the blocks
// with a number is middling, and that of all others is high or very low.
func TestDoubts(t *testing.T) {
	const caption = "<figure><img src=a.jpg><figcaption>View %d of the old quay in the west of the town</figcaption></figure>"
	captions := func(n int) string { return records("<div>%</div>", caption, n) }
	list := records("<ul>%</ul>", "<li>Bolt %d of steel, which is as long as a hand and sold by the dozen</li>", 8)
	long := strings.Repeat(prose, 40)
	for _, c := range []struct {
		name, before, block string
		score               float32
		want                []int // words
	}{
		{"captions", prose, captions(3), .35, []int{12, 12, 12}},
		{"a low score", prose, captions(3), .2, nil},
		{"a few words", prose, captions(2), .35, nil},
		{"a few words of many", long, captions(4), .35, nil},
		{"many words of many", long, captions(12), .35, slices.Repeat([]int{12}, 12)},
		{"a list that is lost", prose, list, .35, nil},
		{"a list that is lost, and captions", prose, list + captions(3), .35, []int{12, 12, 12}},
		{"captions, and a list that is lost", prose, captions(3) + list, .35, []int{12, 12, 12}},
		{"navigation", prose, "<nav>" + captions(3) + "</nav>", .35, nil},
		{"all is kept", prose, "", .35, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, keep := lose(t, c.before, c.block, prose)
			var got []int
			for _, d := range p.DoubtsOf(keep, middling(p, keep, c.score), p.Lost(keep)) {
				got = append(got, d.Words)
				if d.ID == 0 {
					t.Error("no number of a node")
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	t.Run("a text that is kept elsewhere", func(t *testing.T) {
		p, keep := lose(t, prose, captions(3)+captions(3), prose)
		scores := middling(p, keep, .35)
		if got := p.DoubtsOf(keep, scores, nil); len(got) != 6 {
			t.Errorf("%d are left out, want 6: %v", len(got), got)
		}
		for i := range keep { // keep the first of the captions
			if strings.Contains(p.Text(i), "View 1") {
				keep[i] = true
				break
			}
		}
		if got := p.DoubtsOf(keep, scores, nil); len(got) != 4 {
			t.Errorf("%d are left out after one was kept, want 4: %v", len(got), got)
		}
	})
}

// middling returns scores for the blocks of p: this score for those with a digit, and a high
// one for the others that are kept.
func middling(p *content.Page, keep []bool, score float32) []float32 {
	scores := make([]float32, len(keep))
	for i := range scores {
		switch {
		case strings.ContainsAny(p.Text(i), "0123456789"):
			scores[i] = score
		case keep[i]:
			scores[i] = .9
		}
	}
	return scores
}

// TestFeet checks which footers of records count as left out.
func TestFeet(t *testing.T) {
	const record = "<article><h2><a href=/r>Record %d of the harbour</a></h2>" + prose + "<footer>%s</footer></article>"
	page := func(n int, foot string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, record, i, foot)
		}
		return "<body><nav><a href=/>Home</a></nav><main>" + b.String() + "</main><footer><p>Copyright of the site</p></footer>"
	}
	for _, c := range []struct {
		name, src   string
		feet, words int
	}{
		{"footers", page(5, "<p>Filed in the year <a href=/y>1990</a></p>"), 5, 25},
		{"links", page(5, "<a href=/x>Filed in the year</a> <a href=/y>1990</a>"), 0, 0},
		{"two records", page(2, "<p>Filed in the year</p>"), 0, 0},
		{"only that of the site", page(5, ""), 0, 0},
		{"hidden", page(5, "<p hidden>Filed in the year</p>"), 0, 0},
	} {
		ix := parse(t, c.src).ix
		words, feet := 0, ix.MustMain(ix.NewSet(), "https://a.example/records").Feet
		for _, f := range feet {
			words += f.Words
		}
		if len(feet) != c.feet || words != c.words {
			t.Errorf("%s: %d footers with %d words, want %d with %d", c.name, len(feet), words, c.feet, c.words)
		}
	}
}
