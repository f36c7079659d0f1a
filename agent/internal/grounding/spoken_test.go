// SPDX-License-Identifier: Apache-2.0

package grounding_test

import (
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/internal/schema"
)

// TestSpoken reads numbers in words and days that are counted from the day of the page.
func TestSpoken(t *testing.T) {
	page := []string{"Actualizada el 14 de mayo de 2026", "Sleeps six", "two bathrooms", "Aus zweiter Hand", "hace 3 días", "大正12年（1923年）", "17.000 € – 22.000 € brutos", "no parking", "four nights", "สร้าง พ.ศ. 2521", "built B.E. 2521, 1,978 m²", "built 2521", "Crew: single-hander; sails: a pair", "Deposit: none needed", "Seats left: sold out", "last place", "Kaution nicht erforderlich, Alter nicht angegeben", "มัดจำ ไม่เก็บ", "Wartezeit: keine", "Usual advance: none"}
	whole, date := &schema.Node{Type: schema.Integer}, &schema.Node{Type: schema.String, Format: "date"}
	for _, c := range []struct {
		name, lang string
		node       *schema.Node
		raw        any
		line       int
		want       any
		issue      finding.IssueKind
	}{
		{"sleeps", "en", whole, "Sleeps six", 2, 6.0, ""},
		{"sleeps", "en", whole, 6.0, 2, 6.0, ""},
		{"sleeps", "en", whole, 7.0, 2, nil, finding.IssueUnsupported},
		{"sleeps", "en", whole, "Sleeps seven", 2, nil, finding.IssueUnsupported},
		{"sleeps", "de", whole, "Sleeps six", 2, nil, finding.IssueInvalid}, // no word of that language
		{"owner", "de", whole, "zweiter Hand", 4, 2.0, ""},
		{"owner", "de", whole, 2.0, 4, 2.0, ""},
		{"posted", "es", date, "hace 3 días", 5, "2026-05-11", ""},
		{"posted", "es", date, "2026-05-11", 5, "2026-05-11", ""},
		{"posted", "es", date, "2026-05-10", 5, nil, finding.IssueUnsupported},
		{"posted", "es", date, "hace 2 días", 5, nil, finding.IssueUnsupported},
		{"founded", "ja", whole, "大正12年（1923年）", 6, 1923.0, ""},
		{"founded", "ja", whole, 12.0, 6, nil, finding.IssueUnsupported},
		{"built", "th", whole, "พ.ศ. 2521", 10, 1978.0, ""},
		{"built", "th", whole, 2521.0, 10, 1978.0, ""},
		{"built", "th", whole, 1978.0, 10, 1978.0, ""},
		{"built", "th", whole, 2522.0, 10, nil, finding.IssueUnsupported},
		{"built", "en", whole, "2521", 11, 1978.0, ""},
		{"built", "en", whole, 2521.0, 12, 2521.0, ""},
		{"most", "es", whole, "22.000 €", 7, 22000.0, ""},
		{"parking", "en", whole, "no parking", 8, 0.0, ""},
		{"parking", "en", whole, 0.0, 8, 0.0, ""},
		{"rating", "en", whole, "no rating", 8, nil, finding.IssueInvalid},
		{"crew", "en", whole, "single-hander", 13, 1.0, ""},
		{"crew", "en", whole, 1.0, 13, 1.0, ""},
		{"sails", "en", whole, 2.0, 13, 2.0, ""},
		{"sails", "en", whole, 3.0, 13, nil, finding.IssueUnsupported},
		{"deposit", "en", whole, "none needed", 14, 0.0, ""},
		{"deposit", "en", whole, 0.0, 14, 0.0, ""},
		{"age", "en", whole, "none needed", 14, nil, finding.IssueInvalid},
		{"places left", "en", whole, "sold out", 15, 0.0, ""},
		{"places left", "en", whole, 0.0, 15, 0.0, ""},
		{"places left", "en", whole, "last place", 16, 1.0, ""},
		{"places left", "en", whole, 1.0, 16, 1.0, ""},
		{"places", "en", whole, "sold out", 15, nil, finding.IssueInvalid},
		{"floor", "en", whole, "last place", 16, nil, finding.IssueInvalid},
		{"kaution", "de", whole, "nicht erforderlich", 17, 0.0, ""},
		{"kaution", "de", whole, 0.0, 17, 0.0, ""},
		{"kaution", "de", whole, "nicht angegeben", 17, nil, finding.IssueInvalid},
		{"wartezeit", "de", whole, "keine", 19, 0.0, ""},
		{"wartezeit", "de", whole, 0.0, 19, 0.0, ""},
		{"advance", "en", whole, "none", 20, 0.0, ""},
		{"price", "en", whole, "none", 20, nil, ""},
		{"มัดจำ", "th", whole, "ไม่เก็บ", 18, 0.0, ""},
	} {
		g := grounding.New(page, nil, c.lang)
		f := &outline.Field{Name: c.name, Path: []string{c.name}, Node: c.node}
		got := g.Check(f, c.raw, []int{c.line}, g.StyleOf(nil))
		if got.Value != c.want || got.Value == nil && got.Issue != c.issue {
			t.Errorf("%s, %v: %+v, want %v %s", c.name, c.raw, got, c.want, c.issue)
		}
	}
	metres := &outline.Field{Name: "lift", Path: []string{"lift"}, Node: &schema.Node{Type: schema.Number, Description: "height in metres"}}
	g := grounding.New([]string{"| type | lift (mm) |", "| --- | --- |", "| H25 | 4.350 |"}, nil, "de")
	for raw, want := range map[any]float64{4.35: 4.35, "4.350": 4.35, 4350.0: 4.35} { // the model may have converted it
		if got := g.Check(metres, raw, []int{3}, g.StyleOf(nil)); got.Value != want {
			t.Errorf("%v mm: %+v", raw, got)
		}
	}
	f := &outline.Field{Name: "posted", Path: []string{"posted"}, Node: date}
	if got := grounding.New(page[4:], nil, "es").Check(f, "hace 3 días", []int{1}, grounding.Style{}); got.Value != nil || got.Issue != finding.IssueDate {
		t.Errorf("without the day of the page: %+v", got)
	}
}
