// SPDX-License-Identifier: Apache-2.0

package scoretest_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/scoretest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestScore contains the published vectors of the measures.
func TestScore(t *testing.T) {
	const skip = -2
	for _, c := range []struct {
		truth, got     string
		nid, teds, mhs float64
	}{
		{"abc", "abd", 4. / 6, -1, -1},
		{"| a | b |\n| --- | --- |\n| c | d |", "| a | b |\n| --- | --- |", skip, 1 - 3./7, -1},
		{"# A\n\ntext", "# A", skip, -1, 1 - 1./3},
		{"# A\n\ntext", "# A\n\ntext", 1, -1, 1},
		{"# A", "A", skip, -1, 0},
		{"", "x", -1, -1, -1},
		{"<table><tr><td colspan=2>a</td></tr></table>", "<table><tr><td>a</td></tr></table>", skip, 1 - 1./3, -1},
		{"<table><tr><td>a<br>b</td></tr></table>", "| a b |\n| --- |", skip, 1, -1},
	} {
		got := scoretest.Score(c.truth, c.got)
		for i, v := range [][2]float64{{got.NID, c.nid}, {got.TEDS, c.teds}, {got.MHS, c.mhs}} {
			if v[1] != skip && math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("Score(%q, %q), measure %d: %v, want %v", c.truth, c.got, i, v[0], v[1])
			}
		}
	}
}

// TestNID compares with the simple algorithm of textbooks.
func TestNID(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(300) {
			b.WriteByte("abcd"[r.IntN(4)])
		}
		return b.String()
	}
	for range 50 {
		a, b := text(), text()
		if a == "" {
			continue
		}
		want := 2 * float64(lcs(a, b)) / float64(len(a)+len(b))
		if got := scoretest.Score(a, b).NID; math.Abs(got-want) > 1e-12 {
			t.Fatalf("NID of %q and %q is %v, want %v", a, b, got, want)
		}
	}
}

func lcs(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range len(a) {
		diagonal := 0
		for j := range len(b) {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		md   string
		want map[string]int
	}{
		{"**One** [two](http://a.test/x) one[^1]\n\n[^1]: Note", map[string]int{"one": 2, "two": 1, "note": 1}},
		{"| a | b<br>c |\n|---|---|", map[string]int{"a": 1, "b": 1, "c": 1}},
		{"<table><tr><td colspan=2>a</td></tr></table>", map[string]int{"a": 1}},
		{"so $x^2$ and\n\n$$\ny\n$$\n\nfor \\$5 <!-- not --> &amp;", map[string]int{"so": 1, "and": 1, "for": 1, "5": 1}},
	} {
		if diff := cmp.Diff(c.want, scoretest.Words(c.md)); diff != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", c.md, diff)
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		md   string
		want []string
	}{
		{"# A\ntext *of*\nlines\n\nmore", []string{"h1 A", "p text of lines", "p more"}},
		{"- a\n  - b\n    1. c\n- d\n\nend", []string{"item 1 - a", "item 2 - b", "item 3 1. c", "item 1 - d", "p end"}},
		{"* a\n\n  below\n\n  * b", []string{"item 1 - a", "p below", "item 2 - b"}},
		{"```go\na  b\n\nc\n```\n\n$$\nx\n$$\n\n$$y$$\n\n$\\z x$\n\na $b + c$ d", []string{"code a  b\n\nc", "math x", "math y", "math \\zx", "p a $b+c$ d"}},
		{"| a | **b** |\n| --- | --- |\n| c | |\n", []string{"row a|b", "row c|"}},
		{"<table><tr><td rowspan=\"2\">a</td>\n<td>b</td></tr></table>", []string{"row  rowspan2a|b"}},
		{"x[^1]\n\n[^1]: N\\_ote\n", []string{"p x[^1]", "note 1 N_ote"}},
		{"> a\n> b\n\n7) c", []string{"quote a b", "item 1 7. c"}},
		{"```\nopen", []string{"code open"}},
	} {
		if diff := cmp.Diff(c.want, scoretest.Blocks(c.md)); diff != "" {
			t.Errorf("Blocks(%q) (-want +got):\n%s", c.md, diff)
		}
	}
	if got := scoretest.Score("# A\n\nb\n\nc\n\nd", "## A\n\nb\n\nd").Blocks; math.Abs(got-4./7) > 1e-12 {
		t.Errorf("blocks score %v, want %v", got, 4./7)
	}
}

func TestTables(t *testing.T) {
	got := scoretest.Tables("| a | b |\n|--|--|\n| c | d |\n\n<table><tr><td colspan=2>e</td><td>f</td></tr></table>" +
		"<table><tr><td rowspan=3>g</td><td colspan=2 rowspan=2>h</td><td rowspan=2>i</td></tr><tr></tr><tr><td>j</td></tr></table>")
	want := [][][]string{
		{{"a", "b"}, {"c", "d"}},
		{{"e", "", "f"}},
		{{"g", "h", "", "i"}, {"", "", "", ""}, {"", "j"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Tables (-want +got):\n%s", diff)
	}
}

func TestMean(t *testing.T) {
	if got := scoretest.Mean([]float64{1, scoretest.None, .5}); got != .75 {
		t.Errorf("Mean = %v, want .75", got)
	}
	if got := scoretest.Mean(nil); got != scoretest.None {
		t.Errorf("Mean of none = %v", got)
	}
}

func TestShown(t *testing.T) {
	for src, want := range map[string]string{
		"<p> a\n b </p>":                                    "<p>a b</p>",
		"<p>a <b> c</b> </p>":                               "<p>a <b> c</b></p>",
		"<pre> a\n</pre>":                                   "<pre> a\n</pre>",
		`<td style="text-align: right;" class=x>1`:          "1", // a cell outside a table is ignored
		"<ul><li><p>a</p></li></ul>":                        "<ul><li>a</li></ul>",
		`<a title=t href="/x">a</a><br> b`:                  `<a href="/x" title="t">a</a><br></br>b`,
		`<table><tr><td align=left>1</table>`:               `<table><tbody><tr><td align="left">1</td></tr></tbody></table>`,
		`<table><tr><td style="text-align: left">1</table>`: `<table><tbody><tr><td align="left">1</td></tr></tbody></table>`,
	} {
		want = "<html><head></head><body>" + want + "</body></html>"
		if got := scoretest.Shown(src, true); got != want {
			t.Errorf("Shown(%q)\ngot  %s\nwant %s", src, got, want)
		}
	}
	if loose, tight := scoretest.Shown("<ul><li><p>a</ul>", false), scoretest.Shown("<ul><li>a</ul>", false); loose == tight {
		t.Errorf("loose and tight items are %s", loose)
	}
}
