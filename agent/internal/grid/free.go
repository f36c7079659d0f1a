// SPDX-License-Identifier: Apache-2.0

// Package grid reads rows off a page without a model: from its structured data,
// from its tables, and by the layout of a list.
package grid

import (
	"maps"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/schema"
)

// synonyms maps the bare name of a field to the names that structured data uses for it, with a space
// between two.
var synonyms = map[string]string{
	"price":         "offers.price offers.lowprice offers.pricespecification.price lowprice product:price:amount og:price:amount",
	"currency":      "offers.pricecurrency pricecurrency product:price:currency offers.pricespecification.pricecurrency",
	"availability":  "offers.availability product:availability",
	"instock":       "offers.availability product:availability",
	"available":     "offers.availability product:availability",
	"brand":         "brand.name brand manufacturer product:brand",
	"rating":        "aggregaterating.ratingvalue ratingvalue",
	"reviews":       "aggregaterating.reviewcount reviewcount aggregaterating.ratingcount",
	"reviewcount":   "aggregaterating.reviewcount aggregaterating.ratingcount",
	"title":         "headline name",
	"name":          "name headline",
	"product":       "name",
	"author":        "author.name author creator",
	"date":          "datepublished startdate datecreated",
	"published":     "datepublished article:published_time",
	"publishedat":   "datepublished article:published_time",
	"publisheddate": "datepublished article:published_time",
	"publishdate":   "datepublished article:published_time",
	"updated":       "datemodified article:modified_time",
	"start":         "startdate",
	"end":           "enddate",
	"location":      "location.name joblocation.address.addresslocality location",
	"company":       "hiringorganization.name hiringorganization",
	"image":         "image image.url",
	"sku":           "sku productid mpn",
	"id":            "sku productid identifier",
	"phone":         "telephone",
	"email":         "email",
	"street":        "address.streetaddress",
	"city":          "address.addresslocality",
	"country":       "address.addresscountry",
	"zip":           "address.postalcode",
	"summary":       "description",
}

// WithoutModel returns the rows of t that can be read from a page without a model.
// whole says that the page has no others, so that no model has to read it.
func WithoutModel(p *grounding.Page, t *outline.Table) (rows []finding.Row, whole bool, method string) {
	if rows, whole = tabular(p, t); len(rows) > 0 {
		return rows, whole, "table"
	}
	rows, whole = structured(p, t)
	return rows, whole, "structured"
}

// structured returns the rows in the structured data of a page.
func structured(p *grounding.Page, t *outline.Table) (rows []finding.Row, whole bool) {
	things := map[int][]journal.Fact{}
	var order []int
	for _, f := range p.Rec.Facts {
		if _, ok := things[f.Thing]; !ok {
			order = append(order, f.Thing)
		}
		things[f.Thing] = append(things[f.Thing], f)
	}
	whole = true
	sure := 1 < len(slices.DeleteFunc(slices.Clone(t.Fields), func(f *outline.Field) bool { return !f.Required })) // a thing with all required fields is certainly one of the table's
	for _, n := range order {
		list := things[n]
		if lines.IsAside(list[0].Type) {
			continue
		}
		if t.Record() && !namesOf(p, list) {
			continue // the thing is not the subject of the page
		}
		row := fromFacts(p, t, list)
		if 2*len(row) < len(t.Fields) && !sure || len(row) < min(2, len(t.Fields)) {
			continue
		}
		missing := func(f *outline.Field) bool { _, ok := row[f.Name]; return !ok }
		if slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return missing(f) && (f.Required || slices.Contains(t.Keys, f.Name)) }) {
			continue
		}
		whole = whole && !slices.ContainsFunc(t.Fields, missing)
		rows = append(rows, row)
		if t.Record() {
			break
		}
	}
	switch {
	case t.Record():
	case len(rows) == 1:
		whole = whole && isAbout(p, t, rows[0])
	default:
		whole = whole && !listsRows(p, t, rows)
	}
	return rows, whole && len(rows) > 0
}

// Describe returns the only row that was read on a page, with what the structured data of the page states about
// the thing with its name for fields that the row lacks. Other rows are returned as they are.
func Describe(p *grounding.Page, t *outline.Table, rows []finding.Row) []finding.Row {
	if len(rows) != 1 || t.Record() || len(p.Rec.Facts) == 0 {
		return rows
	}
	key, ok := rows[0][FirstKey(t)]
	if !ok || !outline.Lacks(t.Fields, rows[0]) {
		return rows
	}
	added := finding.Row{}
	for _, f := range p.Rec.Facts {
		if f.Path != "name" || f.Thing == 0 || value.Canon(f.Value) != value.Canon(key.Value) || lines.IsAside(f.Type) {
			continue
		}
		stated := fromFacts(p, t, slices.DeleteFunc(slices.Clone(p.Rec.Facts), func(c journal.Fact) bool { return c.Thing != f.Thing }))
		for name, c := range stated {
			if before, ok := added[name]; ok && before.Value != c.Value || c.Value == 0.0 {
				c.Value = nil // two descriptions disagree, or it is the zero of what is not known
			}
			added[name] = c
		}
	}
	maps.DeleteFunc(added, func(_ string, c finding.Cell) bool { return c.Value == nil })
	maps.Copy(added, rows[0]) // what the lines state counts more
	return []finding.Row{added}
}

// listsRows reports whether a page links more things than it has rows. It counts the
// links with the shape of one whose text contains the key of a row. Many sites describe
// only the first things of a list in their structured data.
func listsRows(p *grounding.Page, t *outline.Table, rows []finding.Row) bool {
	var keys []string
	for _, row := range rows {
		if c, ok := row[FirstKey(t)]; ok && len(keys) < 50 {
			keys = append(keys, value.Canon(c.Value))
		}
	}
	count, own := map[string]int{}, map[string]bool{}
	for _, l := range p.Rec.Links {
		s := value.ShapeBy(l.URL, p.Rec.Slugs)
		count[s]++
		text := value.Canon(l.Text)
		own[s] = own[s] || slices.ContainsFunc(keys, func(key string) bool { return value.Holds(text, key) > 0 })
	}
	for s, is := range own {
		if is && count[s] > len(rows) {
			return true
		}
	}
	return false
}

// isAbout reports whether the thing of one row is the subject of a page: its key is in
// the title or in the first heading.
func isAbout(p *grounding.Page, t *outline.Table, row finding.Row) bool {
	if len(t.Keys) == 0 {
		return false
	}
	key := value.Canon(row[t.Keys[0]].Value)
	if strings.Contains(value.Canon(p.Rec.Title), key) {
		return true
	}
	for _, line := range p.Rec.Main[:min(len(p.Rec.Main), 20)] {
		if strings.HasPrefix(line, "#") {
			return strings.Contains(value.Canon(line), key)
		}
	}
	return false
}

// namesOf reports whether the title and the first headings of the page contain half of
// the words of a thing's name. It also returns true if the thing has no name, or if the
// page has neither title nor headings.
func namesOf(p *grounding.Page, list []journal.Fact) bool {
	i := slices.IndexFunc(list, func(f journal.Fact) bool {
		return slices.Contains([]string{"name", "headline", "title"}, value.BareName(f.Path))
	})
	if i < 0 {
		return true
	}
	own := map[string]bool{}
	for _, w := range value.Words(value.Normal(p.Rec.Title)) {
		own[w] = true
	}
	for _, line := range p.Rec.Main[:min(len(p.Rec.Main), 20)] {
		if strings.HasPrefix(line, "#") {
			for _, w := range value.Words(value.Normal(line)) {
				own[w] = true
			}
		}
	}
	name := value.Words(value.Normal(list[i].Value))
	n := 0
	for _, w := range name {
		if own[w] {
			n++
		}
	}
	return 2*n >= len(name) || len(own) == 0
}

// offered maps words for availability (schema.org's ItemAvailability) to whether the
// thing can be bought.
var offered = map[string]any{
	"instock": true, "instoreonly": true, "onlineonly": true, "limitedavailability": true,
	"outofstock": false, "soldout": false, "discontinued": false,
}

// fromFacts makes a row from the facts about one thing.
func fromFacts(p *grounding.Page, t *outline.Table, list []journal.Fact) finding.Row {
	row := finding.Row{}
	for _, f := range t.Fields {
		if kind := outline.KindOf(f.Node); strings.HasSuffix(kind, "[]") || kind == "object" || f.Free {
			continue
		}
		for _, path := range factPaths(f) {
			i := slices.IndexFunc(list, func(c journal.Fact) bool { return strings.ToLower(c.Path) == path || value.BareName(c.Path) == path })
			if i < 0 {
				continue
			}
			v := list[i].Value
			if rest, ok := strings.CutPrefix(v, "https://schema.org/"); ok {
				v = rest
			} else if rest, ok := strings.CutPrefix(v, "http://schema.org/"); ok {
				v = rest
			}
			got := single(f, v, p.Rec)
			if yes, ok := offered[value.BareName(v)]; ok && f.Node.Type == schema.Boolean && f.Node.Choices == nil {
				got = yes
			}
			if got != nil {
				row[f.Name] = finding.Cell{Value: got, Grade: finding.GradeExact, Source: p.Rec.ID}
			}
			break
		}
	}
	return row
}

// factPaths returns the paths at which structured data may contain a field, the best
// first.
func factPaths(f *outline.Field) []string {
	last := value.BareName(f.Path[len(f.Path)-1])
	paths := []string{value.BareName(f.Name), last}
	return append(paths, strings.Fields(synonyms[last])...)
}

// single converts a value to the type of a field. If it does not fit, it returns nil.
func single(f *outline.Field, v string, rec *journal.PageRecord) any {
	g := grounding.New([]string{v}, nil, "")
	s := g.StyleOf([]string{v})
	s.Marks = value.MarksPoint // data for programs uses points
	if outline.KindOf(f.Node) == "url" {
		l := lines.NewLinker(rec.Final)
		if n := l.Number(v, ""); n > 0 {
			return l.Links[n-1].URL
		}
		return nil
	}
	return g.Check(f, v, []int{1, 1}, s).Value
}

// tabular returns the rows of the tables whose header has all fields of t. whole says
// that no other table is similar to them.
func tabular(p *grounding.Page, t *outline.Table) (rows []finding.Row, whole bool) {
	if t.Record() || t.Bare {
		return nil, false
	}
	whole = true
	for _, table := range grids(p.All().Lines) {
		if columns := match(t, table.Header); columns != nil && !table.shares(t, columns) {
			own := make([]Column, len(columns))
			for i, k := range columns {
				own[i].Of = k
			}
			read := RowsOf(p, t, &table, own)
			rows, whole = append(rows, read...), whole && table.legible(t, own, read)
		} else {
			whole = whole && !table.resembles(t)
		}
	}
	rows = rows[:min(len(rows), grounding.MaxPageRows*20)]
	return rows, whole && len(rows) > 0
}

// FirstKey returns the first key of a table, or "" if it has none.
func FirstKey(t *outline.Table) string {
	if len(t.Keys) == 0 {
		return ""
	}
	return t.Keys[0]
}

// fromCells makes a row from the cells in line n. A field with the column -1 gets no
// value.
func fromCells(p *grounding.Page, t *outline.Table, g *grounding.Ground, cells []string, columns []int, styles map[string]grounding.Style, n int) finding.Row {
	row := finding.Row{}
	for i, f := range t.Fields {
		if columns[i] < 0 {
			continue
		}
		if v, ok := fromCell(f, g, cells[columns[i]], styles[f.Name]); ok {
			row[f.Name] = finding.Cell{Value: v, Grade: finding.GradeExact, Source: p.Rec.ID, Lines: [2]int{n, n}, Full: p.Full != nil}
		}
	}
	return row
}

// fromCell reads the value of a field from a cell. If the cell has none, or a dash in
// its place, it returns false.
func fromCell(f *outline.Field, g *grounding.Ground, text string, s grounding.Style) (any, bool) {
	text = value.Unstruck(text)
	if strings.Trim(value.Normal(text), "-. ") == "" {
		return nil, false
	}
	raw := any(text)
	if outline.KindOf(f.Node) == "url" {
		if _, handle, ok := strings.Cut(text, "](L"); ok {
			raw = "L" + strings.TrimSuffix(handle, ")")
		}
	}
	got := grounding.New([]string{text}, g.Links, g.Lang).Check(f, raw, []int{1, 1}, s)
	if got.Value == value.Clip(grounding.PlainText(text), value.MaxCell) {
		got.Value = value.Clip(unescaped(text), value.MaxCell)
	}
	_, number := got.Value.(float64) // the model has said which number the text states
	return got.Value, got.Value != nil && (number || got.Grade != finding.GradeDerived)
}

// unescaped returns the plain text of a cell without the escapes of Markdown. In a
// code span, a backslash escapes only a bar.
func unescaped(cell string) string {
	text := grounding.PlainText(cell)
	code := strings.Count(text, "`") < strings.Count(cell, "`") // PlainText has removed the marks around a code span
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
			code = !code
		case c == '\\' && i+1 < len(text) && (text[i+1] == '|' || !code && strings.IndexByte(punctuation, text[i+1]) >= 0):
			i++
		case c == '&' && !code && strings.HasPrefix(text[i:], "&amp;"):
			b.WriteByte('&')
			i += len("&amp;") - 1
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// punctuation contains the characters that a backslash can escape (CommonMark 2.4).
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
