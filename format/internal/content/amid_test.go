// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

// TestBoxes checks which elements among the content stay although their tag says that they are navigation and the like,
// and which count as left out.
func TestBoxes(t *testing.T) {
	const (
		remark = "Only the bridge over the old canal was not built again, because nobody crossed it any more."
		offer  = "Write to us for more"
	)
	all := "<p>" + remark + "</p><p>" + remark + "</p><p>" + remark + "</p><p>" + remark + "</p>"
	for _, c := range []struct {
		name, box string
		stays     bool
		left      int // words that count as left out
	}{
		{"an aside with sentences", "<aside>" + all + "</aside>", true, 0},
		{"a footer with sentences", "<footer>" + all + "</footer>", true, 0},
		{"navigation with sentences", "<nav>" + all + "</nav>", true, 0},
		{"few sentences", "<aside><p>" + remark + "</p><p>" + offer + "</p></aside>", false, 22},
		{"few words", "<aside><p>" + remark + "</p></aside>", false, 0},
		{"words without sentences", "<aside>" + strings.ReplaceAll(all, ".", "") + "</aside>", false, 68},
		{"more words without sentences", "<aside>" + all + strings.Repeat(strings.ReplaceAll(all, ".", ""), 2) + "</aside>", false, 204},
		{"a role", "<div role=complementary>" + all + "</div>", false, 68},
		{"links", "<nav>" + strings.ReplaceAll(strings.ReplaceAll(all, "<p>", "<p><a href=/x>"), "</p>", "</a></p>") + "</nav>", false, 0},
		{"hidden", "<aside hidden>" + all + "</aside>", false, 0},
	} {
		p := newPage(t, "<body><main><h1>The harbour</h1>"+prose+c.box+prose+"</main><footer>"+all+"</footer>")
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = strings.Contains(p.Text(i), "harbour")
		}
		p.KeepBoxes(keep)
		stays, left := 0, 0
		for i, k := range keep {
			if k && strings.Contains(p.Text(i), "canal") {
				stays++
			}
		}
		for _, x := range p.BoxesOf(keep) {
			left += x.Words
		}
		if stays != 4*one(c.stays) || left != c.left {
			t.Errorf("%s: %d paragraphs stay, and %d words count as left out, want %v and %d", c.name, stays, left, c.stays, c.left)
		}
	}
}

// TestQuotationSource checks that the footer of a quotation stays with it.
func TestQuotationSource(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool
	}{
		{"<blockquote><p>The harbour sleeps.</p><footer>Ann Other</footer></blockquote>", true},
		{"<blockquote><p>The sea sleeps.</p><footer>Ann Other</footer></blockquote>", false},
		{"<div><p>The harbour sleeps.</p><footer>Ann Other</footer></div>", false},
	} {
		p := newPage(t, "<body><main>"+prose+c.src+"</main>")
		keep := []bool{true, strings.Contains(p.Text(1), "harbour"), false}
		if p.KeepBoxes(keep); keep[2] != c.want {
			t.Errorf("%s: %v", c.src, keep)
		}
	}
}

// TestSpare checks that the blocks of an aside around the whole content do not count as stripped, and that this does not
// change the features of a page.
func TestSpare(t *testing.T) {
	body := prose + prose + prose + prose
	src := "<body><nav><a href=/>Home</a></nav><aside><main><h1>The harbour</h1>" + body + "<ul><li>Ropes</ul>" + body + body + "<nav><a href=/more>More</a></nav></main></aside>"
	p := newPage(t, src)
	if _, _, sure := content.Weights().Main(p); !sure {
		t.Fatal("the choice is not sure")
	}
	keep := make([]bool, len(p.Blocks))
	for i := range keep {
		if !p.Blocks[i].Stripped() {
			t.Errorf("%q is no longer stripped", p.Text(i))
		}
		keep[i] = strings.Contains(p.Text(i), "harbour")
	}
	p.Spare(keep)
	for i, b := range p.Blocks {
		if want := p.Text(i) == "Home" || p.Text(i) == "More"; b.Stripped() != want {
			t.Errorf("%q: stripped %v", p.Text(i), b.Stripped())
		}
	}
}

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// TestRecordBoxes checks that boxes with records count as left out although they are not among paragraphs, and that a
// list beside the content does not.
func TestRecordBoxes(t *testing.T) {
	const (
		rows   = "<table><tr><td><a href=/1>Boat one</a><td>$ 120<tr><td><a href=/2>Boat two</a><td>$ 130<tr><td><a href=/3>Boat three</a><td>$ 140<tr><td><a href=/4>Boat four</a><td>$ 150</table>"
		links  = "<ul><li><a href=/1>Boat one</a><li><a href=/2>Boat two</a><li><a href=/3>Boat three</a><li><a href=/4>Boat four</a></ul>"
		card   = "<a href=/1><h3>Boat one</h3><div>$ 120</div></a>"
		cards  = "<div>" + card + card + card + card + "</div>"
		posts  = "<div class=post><div>Ann</div><div>A quay of stone</div></div><div class=post><div>Bob</div><div>A quay of wood</div></div>"
		harbor = "<div class=post><div>Jo</div><div>The harbour sleeps</div></div>"
	)
	for _, c := range []struct {
		name, src string
		want      int // words that count as left out
	}{
		{"rows with prices", "<h2>The harbour</h2><aside>" + rows + "</aside>", 12},
		{"cards that are links", "<h2>The harbour</h2><footer>" + cards + "</footer>", 12},
		{"links", "<h2>The harbour</h2><aside>" + links + "</aside>", 0},
		{"a name", "<h2>The harbour</h2><aside class=related>" + rows + "</aside>", 0},
		{"a name within", "<h2>The harbour</h2><aside><div class=related>" + rows + "</div></aside>", 0},
		{"posts after posts", harbor + harbor + "<footer>" + posts + "</footer>", 10},
		{"other boxes after posts", harbor + harbor + "<footer>" + strings.ReplaceAll(posts, "class=post", "class=x") + "</footer>", 0},
		{"posts after one", harbor + "<footer>" + posts + "</footer>", 0},
	} {
		p := newPage(t, "<body><main>"+c.src+"</main><footer>"+rows+"</footer>")
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = strings.Contains(p.Text(i), "harbour") || p.Text(i) == "Jo"
		}
		left := 0
		for _, x := range p.BoxesOf(keep) {
			left += x.Words
		}
		if left != c.want {
			t.Errorf("%s: %d words count as left out, want %d", c.name, left, c.want)
		}
	}
}

// TestBoxesInPart checks that a box of sentences stays as a whole if only some of it was chosen.
func TestBoxesInPart(t *testing.T) {
	const said = "<p>The harbour sleeps in winter because the ferries rest until the first warm days of spring.</p>"
	p := newPage(t, "<body><main>"+prose+"<aside>"+said+said+said+said+"<h3>The ferries</h3></aside>"+prose+"</main>")
	keep := make([]bool, len(p.Blocks))
	for i := range keep {
		keep[i] = p.Text(i) != "The ferries"
	}
	p.KeepBoxes(keep)
	if slices.Contains(keep, false) {
		t.Errorf("a heading in a box of sentences does not stay: %v", keep)
	}
}
