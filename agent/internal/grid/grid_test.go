// SPDX-License-Identifier: Apache-2.0

package grid_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/journal"
)

const (
	text   = `{"type":"string"}`
	number = `{"type":"number"}`
)

// listOf returns the table of a list of objects. Members are names and types in
// turn. The first one is required.
func listOf(t *testing.T, members ...string) *outline.Table {
	t.Helper()
	object := objectOf(members...)
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":` + object + `}}}`))
	if err != nil || len(o.Tables) != 1 {
		t.Fatal(o, err)
	}
	return o.Tables[0]
}

// recordOf returns the table of one object with these members.
func recordOf(t *testing.T, members ...string) *outline.Table {
	t.Helper()
	o, err := outline.New(json.RawMessage(objectOf(members...)))
	if err != nil || len(o.Tables) != 1 {
		t.Fatal(o, err)
	}
	return o.Tables[0]
}

func objectOf(members ...string) string {
	var all []string
	for i := 0; i < len(members); i += 2 {
		all = append(all, fmt.Sprintf("%q:%s", members[i], members[i+1]))
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%q]}`, strings.Join(all, ","), members[0])
}

// pageOf returns a page with these lines.
func pageOf(lines ...string) *grounding.Page {
	return grounding.NewPage(&journal.PageRecord{ID: "S1", URL: "https://a.test/", Lang: "en", Main: lines}, 1, time.Time{})
}

// shown writes rows as text: name=value@line, the names sorted.
func shown(rows []finding.Row) []string {
	var all []string
	for _, row := range rows {
		var cells []string
		for name, c := range row {
			cells = append(cells, fmt.Sprintf("%s=%v@%d", name, c.Value, c.Lines[0]))
		}
		slices.Sort(cells)
		all = append(all, strings.Join(cells, " "))
	}
	return all
}

// TestTables reads the rows of tables whose header names every field.
func TestTables(t *testing.T) {
	head := []string{"| Name | Price |", "| --- | ---: |"}
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
		whole bool
	}{
		{"a table", append(slices.Clone(head), "| Heron | $1.50 |", "| Stork | 2 |"), []string{"name=Heron@3 price=1.5@3", "name=Stork@4 price=2@4"}, true},
		{"other columns", []string{"| Rank | Price | Name |", "| --- | --- | --- |", "| 1 | 3 | Heron |"}, []string{"name=Heron@3 price=3@3"}, true},
		{"a missing cell", append(slices.Clone(head), "| Heron | - |", "| Stork | |"), []string{"name=Heron@3", "name=Stork@4"}, true},
		{"a row without its key", append(slices.Clone(head), "| | 1 |", "| Stork | 2 |"), []string{"name=Stork@4 price=2@4"}, true},
		{"a repeated header", append(slices.Clone(head), "| Heron | 1 |", "| Name | Price |", "| Stork | 2 |"), []string{"name=Heron@3 price=1@3", "name=Stork@5 price=2@5"}, true},
		{"a total", append(slices.Clone(head), "| Heron | 1 |", "| Stork | 2 |", "| **Total** | 3 |"), []string{"name=Heron@3 price=1@3", "name=Stork@4 price=2@4"}, true},
		{"a thing with the name Total", append(slices.Clone(head), "| Heron | 5 |", "| Total | 3 |"), []string{"name=Heron@3 price=5@3", "name=Total@4 price=3@4"}, true},
		{"an advertisement between things", []string{"| Name | Price | Note |", "| --- | --- | --- |", "| Heron | 1 | a |", "| Advertisement: nets at half price | | |", "| Stork | 2 | b |"}, []string{"name=Heron@3 price=1@3", "name=Stork@5 price=2@5"}, true},
		{"a thing without values that has a page", []string{"| Name | Price | Note |", "| --- | --- | --- |", "| Heron | 1 | a |", "| [Stork](L1) | | |"}, []string{"name=Heron@3 price=1@3", "name=Stork@4"}, true},
		{"signs that code cannot read", append(slices.Clone(head), "| Heron | ● |", "| Stork | ○ |"), []string{"name=Heron@3", "name=Stork@4"}, false},
		{"an escaped bar", []string{"| Note | Name | Price |", "| --- | --- | --- |", `| a \| b | Heron | 1 |`}, []string{"name=Heron@3 price=1@3"}, true},
		{"two tables", slices.Concat(head, []string{"| Heron | 1 |", ""}, head, []string{"| Stork | 2 |"}), []string{"name=Heron@3 price=1@3", "name=Stork@7 price=2@7"}, true},
		{"another table that may have rows", slices.Concat(head, []string{"| Heron | 1 |", "", "| Name | Cost |", "| --- | --- |", "| Stork | 2 |", "| Crane | 3 |"}), []string{"name=Heron@3 price=1@3"}, false},
		{"a field without a column", []string{"| Name | Cost |", "| --- | --- |", "| Heron | 1 |"}, nil, false},
		{"no table", []string{"# Birds", "Heron, 1"}, nil, false},
	} {
		rows, whole, method := grid.WithoutModel(pageOf(test.lines...), listOf(t, "name", text, "price", number))
		if d := cmp.Diff(test.want, shown(rows)); d != "" || whole != test.whole {
			t.Errorf("%s: whole %v: %s", test.name, whole, d)
		}
		if len(rows) > 0 && (method != "table" || rows[0]["name"].Source != "S1" || rows[0]["name"].Grade != finding.GradeExact) {
			t.Errorf("%s: read by %s as %+v", test.name, method, rows[0]["name"])
		}
	}
}

// TestEscapes checks that the value of a cell does not contain the Markdown
// escapes of its text.
func TestEscapes(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{`a \| b`, "a | b"},
		{`x\\\|y`, `x\|y`},
		{`\*s\*\_t`, "*s*_t"},
		{`snake_case \~`, "snake_case ~"},
		{`C:\dir\*`, `C:\dir*`},
		{`a\\`, `a\`},
		{`&amp;lt; & \<`, "&lt; & <"},
		{`[k\|l](L1)`, "k|l"},
		{"`p\\|q\\d\\*`", `p|q\d\*`},
		{"`p\\\\|q`", `p\|q`},
		{"use `p\\|q\\*` \\*", "use `p|q\\*` *"},
		{"`a\\*` or `b` \\*", "`a\\*` or `b` *"},
		{"a\\`b\\*", "a`b*"},
	} {
		page := pageOf("| Name | Price |", "| --- | ---: |", "| "+test.cell+" | 1 |")
		rows, _, _ := grid.WithoutModel(page, listOf(t, "name", text, "price", number))
		if len(rows) != 1 || rows[0]["name"].Value != test.want || rows[0]["price"].Value != 1.0 {
			t.Errorf("the cell %s gives %v, want %s", test.cell, shown(rows), test.want)
		}
	}
}

// factsOf returns facts of one thing from alternating paths and values.
func factsOf(thing int, kind string, members ...string) []journal.Fact {
	var all []journal.Fact
	for i := 0; i < len(members); i += 2 {
		all = append(all, journal.Fact{Thing: thing, Type: kind, Path: members[i], Value: members[i+1]})
	}
	return all
}

// TestStructured reads rows from the structured data of a page.
func TestStructured(t *testing.T) {
	fields := []string{"name", text, "price", number, "inStock", `{"type":"boolean"}`}
	heron := factsOf(1, "Product", "name", "Heron", "offers.price", "1.50", "offers.availability", "https://schema.org/InStock")
	stork := factsOf(2, "Product", "name", "Stork", "offers.price", "2", "offers.availability", "http://schema.org/OutOfStock")
	for _, test := range []struct {
		name  string
		table *outline.Table
		title string
		facts []journal.Fact
		links int // links to other birds
		want  []string
		whole bool
	}{
		{"a record", recordOf(t, fields...), "Heron", heron, 0, []string{"inStock=true@0 name=Heron@0 price=1.5@0"}, true},
		{"a record beside others", recordOf(t, fields...), "Stork", slices.Concat(heron, stork), 0, []string{"inStock=false@0 name=Stork@0 price=2@0"}, true},
		{"a list", listOf(t, fields...), "Birds", slices.Concat(heron, stork), 0, []string{"inStock=true@0 name=Heron@0 price=1.5@0", "inStock=false@0 name=Stork@0 price=2@0"}, true},
		{"a list that links more", listOf(t, fields...), "Birds", slices.Concat(heron, stork), 3, []string{"inStock=true@0 name=Heron@0 price=1.5@0", "inStock=false@0 name=Stork@0 price=2@0"}, false},
		{"one of a list, on its own page", listOf(t, fields...), "Heron", heron, 0, []string{"inStock=true@0 name=Heron@0 price=1.5@0"}, true},
		{"one of a list, on another page", listOf(t, fields...), "Birds", heron, 0, []string{"inStock=true@0 name=Heron@0 price=1.5@0"}, false},
		{"no required field", recordOf(t, fields...), "Heron", factsOf(1, "Product", "offers.price", "1", "offers.availability", "InStock"), 0, nil, false},
		{"part of the page's frame", listOf(t, fields...), "Heron", factsOf(1, "BreadcrumbList", "name", "Heron", "offers.price", "1", "offers.availability", "InStock"), 0, nil, false},
		{"nothing", recordOf(t, fields...), "Heron", nil, 0, nil, false},
	} {
		rec := &journal.PageRecord{ID: "S1", URL: "https://a.test/", Title: test.title, Facts: test.facts}
		for i := range test.links {
			rec.Links = append(rec.Links, journal.LinkRecord{URL: fmt.Sprintf("https://a.test/birds/%d", i), Text: "Heron"})
		}
		rows, whole, _ := grid.WithoutModel(grounding.NewPage(rec, 1, time.Time{}), test.table)
		if d := cmp.Diff(test.want, shown(rows)); d != "" || whole != test.whole {
			t.Errorf("%s: whole %v: %s", test.name, whole, d)
		}
	}
}

// TestDescribe adds what only the structured data of a page states to the row that its lines gave.
func TestDescribe(t *testing.T) {
	table := listOf(t, "bird", text, "gtin", text, "weight", number, "price", number)
	table.Keys = []string{"bird"}
	heron := factsOf(1, "Product", "name", "Heron", "gtin", "40123", "weight", "1.4", "offers.price", "0.00")
	for _, test := range []struct {
		name  string
		row   string
		facts []journal.Fact
		want  string
	}{
		{"the same name", "heron", heron, "bird=heron@3 gtin=40123@0 weight=2@3"},
		{"another name", "Heron XL", heron, "bird=Heron XL@3 weight=2@3"},
		{"two that agree", "Heron", slices.Concat(heron, factsOf(2, "Product", "name", "Heron", "gtin", "40123")), "bird=Heron@3 gtin=40123@0 weight=2@3"},
		{"two that do not", "Heron", slices.Concat(heron, factsOf(2, "Product", "name", "Heron", "gtin", "40999")), "bird=Heron@3 weight=2@3"},
		{"part of the page's frame", "Heron", factsOf(1, "WebPage", "name", "Heron", "gtin", "40123"), "bird=Heron@3 weight=2@3"},
	} {
		at := func(v any) finding.Cell {
			return finding.Cell{Value: v, Grade: finding.GradeExact, Lines: [2]int{3, 3}}
		}
		rec := &journal.PageRecord{ID: "S1", URL: "https://a.test/", Facts: test.facts}
		rows := grid.Describe(grounding.NewPage(rec, 1, time.Time{}), table, []finding.Row{{"bird": at(test.row), "weight": at(2.0)}})
		if d := cmp.Diff([]string{test.want}, shown(rows)); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
}

// longTable returns a table of n rows with the columns Name and Cost.
func longTable(n int) []string {
	lines := []string{"| Name | Cost |", "| --- | --- |"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("| bird %c%c | %d |", 'a'+i/26, 'a'+i%26, 100+i))
	}
	return lines
}

// TestPartly finds the one long table that names some of the fields.
func TestPartly(t *testing.T) {
	both := listOf(t, "name", text, "price", number)
	for _, test := range []struct {
		name  string
		lines []string
		want  int // rows; 0 for none
	}{
		{"long", longTable(30), 30},
		{"short", longTable(10), 0},
		{"two long ones", slices.Concat(longTable(30), []string{""}, longTable(30)), 0},
		{"a long one and a short one", slices.Concat(longTable(30), []string{""}, longTable(10)), 30},
		{"all fields named", slices.Concat([]string{"| Name | Price |"}, longTable(30)[1:]), 0},
		{"no field named", slices.Concat([]string{"| Bird | Cost |"}, longTable(30)[1:]), 0},
	} {
		got := 0
		if g := grid.Partly(pageOf(test.lines...), both); g != nil {
			got = len(g.Lines)
		}
		if got != test.want {
			t.Errorf("%s: %d rows, want %d", test.name, got, test.want)
		}
	}
}

// TestColumnOf learns the column of a field from the rows that a model read in
// the sample, and RowsOf reads the whole table by it.
func TestColumnOf(t *testing.T) {
	table := listOf(t, "name", text, "price", number)
	page := pageOf(longTable(40)...)
	g := grid.Partly(page, table)
	if g == nil {
		t.Fatal("the table was not found")
	}
	var sample []finding.Row
	for i := range grid.SampleRows {
		line := [2]int{i + 3, i + 3}
		sample = append(sample, finding.Row{
			"name":  {Value: fmt.Sprintf("bird %c%c", 'a'+i/26, 'a'+i%26), Lines: line},
			"price": {Value: float64(100 + i), Lines: line},
		})
	}
	columns := make([]grid.Column, 2)
	for i, f := range table.Fields {
		column, stated, sure := grid.ColumnOf(page, f, g, sample)
		if stated != grid.SampleRows || !sure {
			t.Errorf("%s: column %d in %d rows, sure %v", f.Name, column, stated, sure)
		}
		columns[i].Of = column
	}
	rows := grid.RowsOf(page, table, g, columns)
	if len(rows) != 40 {
		t.Fatalf("%d rows, want 40", len(rows))
	}
	if got, want := shown(rows[39:]), []string{"name=bird bn@42 price=139@42"}; !cmp.Equal(got, want) {
		t.Errorf("last row %q, want %q", got, want)
	}

	price := table.Field("price")
	for i := range sample { // the values are in no column
		sample[i]["price"] = finding.Cell{Value: float64(i), Lines: sample[i]["price"].Lines}
	}
	if column, _, sure := grid.ColumnOf(page, price, g, sample); sure {
		t.Errorf("values that the table does not contain are in column %d", column)
	}
	if _, stated, _ := grid.ColumnOf(page, price, g, []finding.Row{{}, {"price": {Value: 1.0}}}); stated != 0 {
		t.Errorf("%d rows state a value, want none", stated)
	}
}

// TestShared reads a column whose cells several rows share, and one whose numbers are in
// thousands, as the rows of a sample show.
func TestShared(t *testing.T) {
	table := listOf(t, "name", text, "coast", text, "cost", number)
	lines := []string{"| Coast | Name | Cost (£ thousand) |", "| --- | --- | --- |"}
	for i := range 40 {
		coast := ""
		if i%8 == 0 {
			coast = fmt.Sprintf("coast %c", 'a'+i/8)
		}
		lines = append(lines, fmt.Sprintf("| %s | bird %c%c | ~~%d~~ %d |", coast, 'a'+i/26, 'a'+i%26, 900+i, 100+i))
	}
	page := pageOf(lines...)
	g := grid.Partly(page, table)
	if g == nil {
		t.Fatal("the table was not found")
	}
	sample := func(shared func(i int) bool) []finding.Row {
		var rows []finding.Row
		for i := range grid.SampleRows {
			at, above := [2]int{i + 3, i + 3}, [2]int{i/8*8 + 3, i/8*8 + 3}
			row := finding.Row{
				"name": {Value: fmt.Sprintf("bird %c%c", 'a'+i/26, 'a'+i%26), Lines: at},
				"cost": {Value: float64(100+i) * 1000, Lines: at},
			}
			if i%8 == 0 || shared(i) {
				row["coast"] = finding.Cell{Value: fmt.Sprintf("coast %c", 'a'+i/8), Lines: above}
			}
			rows = append(rows, row)
		}
		return rows
	}
	for _, test := range []struct {
		name   string
		shared func(i int) bool
		want   []string // the first and the last row; nil: it is not certain
	}{
		{"shared", func(int) bool { return true }, []string{"coast=coast a@3 cost=100000@3 name=bird aa@3", "coast=coast e@35 cost=139000@42 name=bird bn@42"}},
		{"empty", func(int) bool { return false }, []string{"coast=coast a@3 cost=100000@3 name=bird aa@3", "cost=139000@42 name=bird bn@42"}},
		{"both", func(i int) bool { return i%2 == 0 }, nil},
	} {
		rows := sample(test.shared)
		columns := make([]grid.Column, len(table.Fields))
		certain := true
		for i, f := range table.Fields {
			column, _, sure := grid.ColumnOf(page, f, g, rows)
			if !sure {
				t.Errorf("%s: the column of %s is not certain", test.name, f.Name)
			}
			own, ok := grid.SharedBy(table, f, g, column, rows)
			columns[i], certain = own, certain && ok
		}
		if certain != (test.want != nil) {
			t.Errorf("%s: certain %v", test.name, certain)
		}
		if test.want == nil {
			continue
		}
		all := shown(grid.RowsOf(page, table, g, columns))
		if got := []string{all[0], all[len(all)-1]}; len(all) != 40 || !cmp.Equal(got, test.want) {
			t.Errorf("%s: %d rows %q, want %q", test.name, len(all), got, test.want)
		}
	}
}

// replyOf returns lines "bird i" and "costs 10i" for n birds, and the rows that
// cite them.
func replyOf(n int) (*grounding.Ground, []finding.Row) {
	var lines []string
	var rows []finding.Row
	for i := range n {
		name, price := "bird "+strconv.Itoa(i), 10*i+10
		lines = append(lines, name, "costs "+strconv.Itoa(price))
		rows = append(rows, finding.Row{
			"name":  {Value: name, Lines: [2]int{2*i + 1, 2*i + 1}, Grade: finding.GradeExact, Source: "S1"},
			"price": {Value: float64(price), Lines: [2]int{2*i + 2, 2*i + 2}, Grade: finding.GradeExact, Source: "S1"},
		})
	}
	return grounding.New(lines, nil, "en"), rows
}

// TestSettle moves cells that cite the lines of another row to their own row,
// and takes out those that their own row does not state.
func TestSettle(t *testing.T) {
	table := listOf(t, "name", text, "price", number)
	settle := func(g *grounding.Ground, rows []finding.Row, lost ...grounding.LostCell) []grounding.LostCell {
		return grid.NewLayout(table, g, rows).Settle(lost, map[string]grounding.Style{})
	}

	g, rows := replyOf(6)
	want := shown(rows)
	if lost := settle(g, rows); len(lost) != 0 || !cmp.Equal(shown(rows), want) {
		t.Errorf("a correct reply became %q and lost %+v", shown(rows), lost)
	}

	c := rows[2]["price"]
	c.Lines = [2]int{4, 4} // the line of row 1, but the value of row 2
	rows[2]["price"] = c
	if lost := settle(g, rows); len(lost) != 0 || !cmp.Equal(shown(rows), want) {
		t.Errorf("a wrong line became %q and lost %+v", shown(rows), lost)
	}

	g, rows = replyOf(6)
	rows[2]["price"] = rows[1]["price"] // both the line and the value of row 1
	lost := settle(g, rows)
	if len(lost) != 1 || lost[0].Field != "price" || lost[0].Issue != finding.IssueUnsupported {
		t.Errorf("the value of another row: lost %+v", lost)
	}
	if _, ok := rows[2]["price"]; ok {
		t.Error("the value of another row stays")
	}

	g, rows = replyOf(6)
	delete(rows[3], "price")
	found := grounding.LostCell{Row: rows[3], Field: "price", Raw: 40.0, Issue: finding.IssueUnsupported}
	if lost := settle(g, rows, found); len(lost) != 0 || rows[3]["price"].Value != 40.0 || rows[3]["price"].Lines != [2]int{8, 8} {
		t.Errorf("a value that its row states became %+v and lost %+v", rows[3]["price"], lost)
	}
	delete(rows[4], "price")
	invented := grounding.LostCell{Row: rows[4], Field: "price", Raw: 41.0, Issue: finding.IssueUnsupported}
	if lost := settle(g, rows, invented); len(lost) != 1 {
		t.Errorf("an invented value: lost %+v", lost)
	}
}

// TestSettleHeadings leaves cells alone that many rows cite from a heading
// above them.
func TestSettleHeadings(t *testing.T) {
	table := listOf(t, "name", text, "kind", text)
	lines := []string{"# Waders"}
	var rows []finding.Row
	for i := range 6 {
		lines = append(lines, "bird "+strconv.Itoa(i))
		rows = append(rows, finding.Row{
			"name": {Value: "bird " + strconv.Itoa(i), Lines: [2]int{i + 2, i + 2}, Grade: finding.GradeExact},
			"kind": {Value: "Waders", Lines: [2]int{1, 1}, Grade: finding.GradeExact},
		})
	}
	want := shown(rows)
	l := grid.NewLayout(table, grounding.New(lines, nil, "en"), rows)
	if lost := l.Settle(nil, map[string]grounding.Style{}); len(lost) != 0 || !cmp.Equal(shown(rows), want) {
		t.Errorf("the reply became %q and lost %+v", shown(rows), lost)
	}
}

// TestSettleSections leaves cells alone that cite the heading of their section, although each row has a
// heading of its own below it, and the last section has few rows.
func TestSettleSections(t *testing.T) {
	table := listOf(t, "name", text, "kind", text)
	var lines []string
	var rows []finding.Row
	for _, kind := range []string{"Waders", "Owls"} {
		lines = append(lines, "## "+kind)
		at := len(lines)
		for i := range map[string]int{"Waders": 6, "Owls": 2}[kind] {
			lines = append(lines, "### "+kind+" "+strconv.Itoa(i), "seen often")
			rows = append(rows, finding.Row{
				"name": {Value: kind + " " + strconv.Itoa(i), Lines: [2]int{at + 2*i + 1, at + 2*i + 1}, Grade: finding.GradeExact},
				"kind": {Value: kind, Lines: [2]int{at, at}, Grade: finding.GradeExact},
			})
		}
	}
	want := shown(rows)
	l := grid.NewLayout(table, grounding.New(lines, nil, "en"), rows)
	if lost := l.Settle(nil, map[string]grounding.Style{}); len(lost) != 0 || !cmp.Equal(shown(rows), want) {
		t.Errorf("the reply became %q and lost %+v", shown(rows), lost)
	}
}

// TestShare gives rows the value that the heading of their section states if the model did
// not, or took it from another section. A section without such a heading, a field that rows
// state themselves, and headings about which rows disagree change nothing.
func TestShare(t *testing.T) {
	table := listOf(t, "name", text, "kind", text)
	sections := func(change func(rows []finding.Row)) string {
		lines := []string{}
		var rows []finding.Row
		for _, kind := range []string{"Waders", "Owls"} {
			lines = append(lines, "## "+kind)
			at := len(lines)
			for i := range 4 {
				name := kind + " " + strconv.Itoa(i)
				lines = append(lines, name)
				rows = append(rows, finding.Row{
					"name": {Value: name, Lines: [2]int{len(lines), len(lines)}, Grade: finding.GradeExact},
					"kind": {Value: kind, Lines: [2]int{at, at}, Grade: finding.GradeExact},
				})
			}
		}
		lines = append(lines, "## Others", "Heron")
		rows = append(rows, finding.Row{"name": {Value: "Heron", Lines: [2]int{len(lines), len(lines)}, Grade: finding.GradeExact}})
		change(rows)
		grid.NewLayout(table, grounding.New(lines, nil, "en"), rows).Share()
		var kinds []string
		for _, row := range rows {
			if c, ok := row["kind"]; ok {
				kinds = append(kinds, fmt.Sprint(c.Value, c.Lines[0]))
			} else {
				kinds = append(kinds, "-")
			}
		}
		return strings.Join(kinds, " ")
	}
	const right = "Waders1 Waders1 Waders1 Waders1 Owls6 Owls6 Owls6 Owls6 -"
	own := finding.Cell{Value: "Owls", Lines: [2]int{8, 8}, Grade: finding.GradeExact}
	for _, test := range []struct {
		name   string
		change func(rows []finding.Row)
		want   string
	}{
		{"nothing is missing", func([]finding.Row) {}, right},
		{"first and last of a section", func(rows []finding.Row) { delete(rows[3], "kind"); delete(rows[4], "kind") }, right},
		{"from another section", func(rows []finding.Row) { rows[5]["kind"] = rows[0]["kind"] }, right},
		{"a row that states it itself", func(rows []finding.Row) { rows[5]["kind"] = own }, strings.Replace(right, "Owls6 Owls6", "Owls6 Owls8", 1)},
		{"a heading with two values", func(rows []finding.Row) {
			c := rows[0]["kind"]
			c.Value = "Wade"
			rows[0]["kind"] = c
			delete(rows[1], "kind")
		}, "Wade1 - " + right[len("Waders1 Waders1 "):]},
		{"few rows", func(rows []finding.Row) {
			for _, row := range rows[:4] {
				delete(row, "kind")
			}
			delete(rows[4], "kind")
		}, "- - - - - Owls6 Owls6 Owls6 -"},
	} {
		if got := sections(test.change); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestSameRow compares rows by values and lines.
func TestSameRow(t *testing.T) {
	a := finding.Row{"x": {Value: 1.0, Lines: [2]int{1, 1}}}
	for _, test := range []struct {
		name string
		b    finding.Row
		want bool
	}{
		{"equal", finding.Row{"x": {Value: 1.0, Lines: [2]int{1, 1}}}, true},
		{"another value", finding.Row{"x": {Value: 2.0, Lines: [2]int{1, 1}}}, false},
		{"another line", finding.Row{"x": {Value: 1.0, Lines: [2]int{2, 2}}}, false},
		{"another field", finding.Row{"y": {Value: 1.0, Lines: [2]int{1, 1}}}, false},
		{"more fields", finding.Row{"x": a["x"], "y": a["x"]}, false},
	} {
		if got := grid.SameRow(a, test.b); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}
