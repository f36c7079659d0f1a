// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEven checks that a field is kept in every record if it is kept in most of them.
func TestEven(t *testing.T) {
	card := func(i int) string {
		return fmt.Sprintf("<div class=card><h3 class=name><a href=%d>Bolt %d</a></h3><span class=price>$%d.50</span><b class=note></b></div>", i, i, i)
	}
	field := func(i int) string { return fmt.Sprintf("<li class=item><div class=name>Bolt %d</div></li>", i) }
	line := func(i int) string { return fmt.Sprintf("<p>Line %d</p>", i) }
	long := func(i int) string {
		return fmt.Sprintf("<div class=card><p>Line %d %s</p></div>", i, strings.Repeat("word ", 30))
	}
	for _, c := range []struct {
		name   string
		record func(i int) string
		n      int
		drop   []string // texts of blocks that are not kept before
		want   []string // those of them that are kept afterwards
	}{
		{"a price and a name", card, 10, []string{"$3.50", "Bolt 7"}, []string{"$3.50", "Bolt 7"}},
		{"fields in elements of their own", field, 10, []string{"Bolt 0"}, []string{"Bolt 0"}},
		{"too many differ", card, 10, []string{"$3.50", "$4.50", "$5.50"}, nil},
		{"too few records", card, 4, []string{"$3.50"}, nil},
		{"lines of one element", line, 20, []string{"Line 3"}, nil},
		{"running text", long, 10, []string{"Line 3"}, nil},
		{"navigation", func(i int) string { return "<nav><ul><li>" + card(i) + "</ul></nav>" }, 10, []string{"$3.50"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for i := range c.n {
				b.WriteString(c.record(i))
			}
			p := newPage(t, "<body><div>"+b.String()+"</div>")
			keep := make([]bool, len(p.Blocks))
			dropped := map[int]string{}
			for i := range keep {
				keep[i] = true
				for _, d := range c.drop {
					if strings.HasPrefix(strings.TrimSpace(p.Text(i)), d) && (len(p.Text(i)) == len(d) || p.Text(i)[len(d)] == ' ') {
						keep[i] = false
						dropped[i] = d
					}
				}
			}
			if len(dropped) != len(c.drop) {
				t.Fatalf("%d blocks are not kept, want %d", len(dropped), len(c.drop))
			}
			p.Even(keep)
			var got []string
			for i := range keep {
				if d, ok := dropped[i]; ok && keep[i] {
					got = append(got, d)
				}
			}
			if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(c.want))) {
				t.Errorf("kept again: %q, want %q", got, c.want)
			}
		})
	}
}

// TestOutvote checks when the last of several blocks that look alike goes with the others.
func TestOutvote(t *testing.T) {
	teasers := func(n int) string {
		return strings.Repeat("<div class=teaser><span>Another story of the day</span></div>", n)
	}
	text := strings.Repeat("The boats came in at night. ", 4)
	for _, c := range []struct {
		name  string
		src   string
		kept  int // of the blocks after the text, so many at the end are kept
		score float32
		forum float32
		stays bool
	}{
		{"one of five", teasers(5), 1, .6, 0, false},
		{"one of four", teasers(4), 1, .6, 0, true},
		{"two of ten", teasers(10), 2, .6, 0, false},
		{"three of ten", teasers(10), 3, .6, 0, true},
		{"sure", teasers(5), 1, .7, 0, true},
		{"a forum", teasers(5), 1, .6, .1, true},
		{"not like the others", teasers(5) + "<div class=note><span>Another story of the day</span></div>", 1, .6, 0, true},
		{"a heading", strings.Repeat("<h3>Another story of the day</h3>", 5), 1, .6, 0, true},
		{"most of the content", strings.Repeat("<div class=teaser>"+text+"</div>", 5), 1, .6, 0, true},
	} {
		p := newPage(t, "<p>"+text+"</p>"+c.src)
		n := len(p.Blocks)
		keep, scores := make([]bool, n), make([]float32, n)
		keep[0], scores[0] = true, .95
		for i := n - c.kept; i < n; i++ {
			keep[i], scores[i] = true, c.score
		}
		p.Outvote(c.forum, keep, scores)
		if keep[n-1] != c.stays || !keep[0] {
			t.Errorf("%s: kept %v, want %v; the text %v", c.name, keep[n-1], c.stays, keep[0])
		}
	}
}

// TestDropInsertions checks which blocks between two texts are insertions.
func TestDropInsertions(t *testing.T) {
	const (
		text = "<p>The birds flew over the hills and the lake.</p>"
		link = "<a href=/x>Ten birds that nobody has seen</a>"
	)
	for _, test := range []struct {
		name, src string
		want      []bool
	}{
		{"a link", text + "<p>" + link + "</p>" + text, []bool{true, false, true}},
		{"a link with a label", text + "<p>Read also: " + link + "</p>" + text, []bool{true, false, true}},
		{"two insertions", text + "<p>" + link + "</p>" + text + "<p>" + link + "</p>" + text, []bool{true, false, true, false, true}},
		{"a sentence with a link", text + "<p>The keepers of the park have counted them, and found " + link + "</p>" + text, []bool{true, true, true}},
		{"a short link", text + "<p><a href=/x>The whole report</a></p>" + text, []bool{true, true, true}},
		{"links in a row", text + "<p>" + link + "</p><p>" + link + "</p>" + text, []bool{true, true, true, true}},
		{"a heading", text + "<h2>" + link + "</h2>" + text, []bool{true, true, true}},
		{"an item", "<ul><li>The birds of the hills<li><p>" + link + "</p><li>The birds of the lake</ul>", []bool{true, true, true}},
		{"at the beginning and at the end", "<p>" + link + "</p>" + text + "<p>" + link + "</p>", []bool{true, true, true}},
	} {
		p := newPage(t, test.src)
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = true
		}
		if p.DropInsertions(keep); !slices.Equal(keep, test.want) {
			t.Errorf("%s: %v, want %v", test.name, keep, test.want)
		}
	}
	p := newPage(t, text+"<p>"+link+"</p><p>"+link+"</p>"+text)
	keep := []bool{true, false, true, true}
	if p.DropInsertions(keep); !slices.Equal(keep, []bool{true, false, false, true}) {
		t.Errorf("after a block that is not kept: %v", keep)
	}
}
