// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// pageOf reads the page of a source.
func pageOf(t *testing.T, source string) *Page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	ix := MustRead(root)
	return NewPage(ix, ix.NewSet(), "")
}

// TestTrunk checks which element is the trunk, and the features that depend on it.
func TestTrunk(t *testing.T) {
	const sentence = "<p>The curlew is a wader with a long bill that is bent down.</p>"
	p := pageOf(t, "<h1>Birds</h1><div id=a>"+strings.Repeat(sentence, 4)+"</div><h3><a href=/1>Next story of the day</a></h3><div>"+sentence+"</div><h3><a href=/2>Another story</a></h3><p>Imprint</p>")
	if p.trunk.first != 1 || p.trunk.last != 4 || p.trunk.share < .75 || p.trunk.share > .85 {
		t.Fatalf("trunk %+v", p.trunk)
	}
	var row Row
	at := func(block, feature int) float32 {
		p.Features(block, &row)
		return row[featTrunk+feature]
	}
	if levels, past := at(2, trunkLevels), at(2, trunkPast); levels != 0 || past != 0 {
		t.Errorf("within: %v levels, %v past", levels, past)
	}
	if levels, past := at(0, trunkLevels), at(0, trunkPast); levels == 0 || past >= 0 {
		t.Errorf("before: %v levels, %v past", levels, past)
	}
	if levels, past, after := at(8, trunkLevels), at(8, trunkPast), at(8, trunkAfter); levels == 0 || past <= 0 || after != 0 {
		t.Errorf("after: %v levels, %v past, %v to come", levels, past, after)
	}
	if linked, heads := at(6, trunkHeadLinked), at(6, trunkHeads); linked != 1 || heads < 2 {
		t.Errorf("below a teaser: %v of the heading is linked, %v like it", linked, heads)
	}
	// A page without sentences has no trunk, and the features say so.
	p = pageOf(t, "<ul><li><a href=/a>A</a><li><a href=/b>B</a></ul>")
	if p.trunk.first != -1 || at(0, trunkPast) != -99 || at(0, trunkAfter) != 0 {
		t.Errorf("trunk %+v of a menu, past %v, after %v", p.trunk, at(0, trunkPast), at(0, trunkAfter))
	}
	// Nor has an empty page.
	if p = pageOf(t, ""); p.trunk.first != -1 || len(p.Picks(nil)) != Candidates {
		t.Errorf("trunk %+v of nothing", p.trunk)
	}
}

// TestRefuse checks that a label in a footer within the content is dropped, and that a
// sentence in such a footer is kept.
func TestRefuse(t *testing.T) {
	p := pageOf(t, "<article><p>One.</p><footer>x</footer><p>Two.</p><footer>The source of all that is the survey of last year.</footer></article>")
	keep := []bool{true, true, true, true}
	p.refuse(keep)
	if keep[1] || !keep[0] || !keep[2] || !keep[3] {
		t.Errorf("kept %v", keep)
	}
}
