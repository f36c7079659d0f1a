// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

func TestTidy(t *testing.T) {
	const c, r = ` align="center"`, ` align="right"`
	for _, x := range []struct{ what, table, want string }{
		{
			"heads are bold", "<thead><tr><th><strong>a</strong> <em><strong>b</strong></em></th><th><strong>c</strong> d</th></tr></thead>",
			"<thead><tr><th>a <em>b</em></th><th><strong>c</strong> d</th></tr></thead>",
		},
		{
			"the first rows are bold", "<tbody><tr><td rowspan=\"2\"><strong>a</strong></td><td><strong>b</strong></td></tr><tr><td><strong>c</strong></td></tr><tr><td><strong>d</strong></td><td>e</td></tr></tbody>",
			"<tbody><tr><th rowspan=\"2\">a</th><th>b</th></tr><tr><th>c</th></tr><tr><td><strong>d</strong></td><td>e</td></tr></tbody>",
		},
		{"all is bold", "<tbody><tr><td><strong>a</strong></td></tr><tr><td><strong>b</strong></td></tr></tbody>", "<tbody><tr><td><strong>a</strong></td></tr><tr><td><strong>b</strong></td></tr></tbody>"},
		{
			"more than heads have", "<tbody>" + strings.Repeat("<tr><td><strong>a</strong></td></tr>", 4) + "<tr><td>b</td></tr></tbody>",
			"<tbody>" + strings.Repeat("<tr><td><strong>a</strong></td></tr>", 4) + "<tr><td>b</td></tr></tbody>",
		},
		{"nothing is", "<tbody><tr><td><img/></td></tr><tr><td>b</td></tr></tbody>", "<tbody><tr><td><img/></td></tr><tr><td>b</td></tr></tbody>"},
		{
			"most of a column", "<tbody><tr><td" + r + ">1</td><td" + c + ">x</td></tr><tr><td" + r + ">2</td><td>y</td></tr><tr><td>3</td><td>z</td></tr></tbody>",
			"<tbody><tr><td" + r + ">1</td><td>x</td></tr><tr><td" + r + ">2</td><td>y</td></tr><tr><td>3</td><td>z</td></tr></tbody>",
		},
		{
			"empty cells, heads and spans have no say",
			"<thead><tr><th" + c + ">h</th><th" + c + ">i</th></tr></thead><tbody><tr><td" + r + ">1</td><td></td></tr><tr><td colspan=\"2\"" + c + ">all</td></tr><tr><td></td><td" + c + "></td></tr></tbody>",
			"<thead><tr><th>h</th><th>i</th></tr></thead><tbody><tr><td" + r + ">1</td><td></td></tr><tr><td colspan=\"2\">all</td></tr><tr><td></td><td></td></tr></tbody>",
		},
		{
			"columns below a cell of two rows",
			"<tbody><tr><td rowspan=\"2\">a</td><td" + r + ">1</td></tr><tr><td" + r + ">2</td></tr></tbody>",
			"<tbody><tr><td rowspan=\"2\">a</td><td" + r + ">1</td></tr><tr><td" + r + ">2</td></tr></tbody>",
		},
	} {
		n := first(t, tree(t, "<table>"+x.table+"</table>"), "table")
		doctree.Tidy(n)
		if got, want := render(t, n), "<table>"+x.want+"</table>"; got != want {
			t.Errorf("%s: %s, want %s", x.what, got, want)
		}
	}
}

func TestSide(t *testing.T) {
	var b doctree.Builder
	for _, x := range []struct {
		sides []string
		want  string
	}{
		{nil, ""}, {[]string{"right", "right"}, "right"}, {[]string{"center", ""}, ""}, {[]string{"left"}, ""}, {[]string{"", "right"}, ""},
	} {
		var s doctree.Side
		for _, side := range x.sides {
			s.Add(side)
		}
		td := b.Element(atom.Td)
		s.Set(td)
		if got := doctree.Attr(td, "align"); got != x.want {
			t.Errorf("%q: %q, want %q", x.sides, got, x.want)
		}
	}
}

func TestRoleOf(t *testing.T) {
	for _, x := range []struct {
		name  string
		role  doctree.Role
		depth int
	}{
		{"Title", doctree.Title, 0},
		{"Subtitle", doctree.Subtitle, 0},
		{"TOC 3", doctree.Contents, 2},
		{"toc heading", doctree.Plain, 0},
		{"Quotations", doctree.Quote, 0},
		{"Preformatted Text", doctree.Code, 0},
		{"Definition Term Tight", doctree.Term, 0},
		{"List Contents", doctree.Definition, 0},
		{"List Continue 2", doctree.Continues, 0},
		{"Numbering 1 Cont.", doctree.Continues, 0},
		{"Plain Text", doctree.Plain, 0},
		{"Body Text", doctree.Plain, 0},
	} {
		if role, depth := doctree.RoleOf(x.name); role != x.role || depth != x.depth {
			t.Errorf("%s: %d of depth %d, want %d of %d", x.name, role, depth, x.role, x.depth)
		}
	}
}

func TestShows(t *testing.T) {
	for bullet, want := range map[string]bool{"": false, " ": false, "\uF020": false, "•": true, "\uF0B7": true} {
		if got := doctree.Shows(bullet); got != want {
			t.Errorf("%q: %v", bullet, got)
		}
	}
}

func TestUnder(t *testing.T) {
	var b doctree.Builder
	div := b.Element(atom.Div)
	f := &doctree.Flow{B: &b, Into: div}
	b.Text(f.Item(doctree.Item{Left: 10}), "0")
	b.Text(f.Item(doctree.Item{Level: 1, Left: 20}), "1")
	b.Text(f.Under(20).Append(atom.P), "in 1")
	f.Under(10).Code("a")
	f.Gap()
	f.Gap()
	f.Under(10).Code("b")
	b.Text(f.Item(doctree.Item{Left: 12}), "00")
	if f.Under(10) != f || f.Under(0) != f {
		t.Error("a paragraph continues an item whose text begins elsewhere")
	}
	b.Text(f.Under(12).Append(atom.P), "in 00")
	f.Gap()
	f.Code("c")
	want := "<div><ul><li>0<ul><li>1<p>in 1</p></li></ul><pre><code>a\n\n\nb</code></pre></li><li>00<p>in 00</p></li></ul><pre><code>c</code></pre></div>"
	if got := render(t, div); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
