// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
)

// TestFlags learns what texts mean for a boolean from the pages of other rows.
func TestFlags(t *testing.T) {
	for _, test := range []struct {
		name, pages string // a page after the other: what the model says, and its lines
		want        string // y, n, or - if there is no value
		notes       int
	}{
		{"dropped values", "y Heating: gas\nn Heating: none\ny Heating: gas\nn Heating: none\ny Heating: gas", "ynyny", 0},
		{"values that are left out", "Y Heating: gas\nN Heating: none\nY Heating: gas\nN Heating: none\nY Heating: gas\n- Heating: none\n- Heating: gas\n- Heating: oil", "YNYNYny-", 0},
		{"a value that is turned around", "Y Vent: fitted\nY Vent: fitted\nY Vent: fitted\nY Vent: fitted\nN Vent: none\nN Vent: none\nN Vent: fitted", "YYYYNNy", 1},
		{"a value that its own line states", "Y Vent: fitted\nY Vent: fitted\nY Vent: fitted\nY Vent: fitted\nN Vent: none\nN Vent: none\nS Vent: fitted", "YYYYNNN", 0},
		{"too few for that", "Y Vent: fitted\nY Vent: fitted\nN Vent: none\nN Vent: none\nN Vent: fitted", "YYNNN", 0},
		{"a label on the line above", "y Heating / gas\nn Heating / none\ny Heating / gas\nn Heating / none\ny Heating / gas", "ynyny", 0},
		{"two labels fit", "y Vent: a; Side: left\nn Vent: b; Side: right\ny Vent: a; Side: left\nn Vent: b; Side: right\ny Vent: a; Side: left\n- Vent: a; Side: right", "-----" + "-", 0},
		{"one of them has the name", "y Heated by: a; Side: left\nn Heated by: b; Side: right\ny Heated by: a; Side: left\nn Heated by: b; Side: right\ny Heated by: a; Side: left\n- Heated by: a; Side: right", "ynyny" + "y", 0},
		{"one value occurs once", "y Heating: gas\ny Heating: gas\ny Heating: gas\ny Heating: gas\nn Heating: none\n- Heating: none", "yyyynn", 0},
		{"one value occurs once, without the name", "y Vent: gas\ny Vent: gas\ny Vent: gas\ny Vent: gas\nn Vent: none", "-----", 0},
		{"one value only", "y Heating: gas\ny Heating: gas\ny Heating: gas\ny Heating: gas\ny Heating: gas", "-----", 0},
		{"another text for each row", "y Heating: a\nn Heating: b\ny Heating: c\nn Heating: d\ny Heating: e\nn Heating: f\ny Heating: g", "-------", 0},
		{"no text agrees", "Y Heating: a\nN Heating: a\nY Heating: b\nN Heating: b\nY Heating: a\nN Heating: a", "YNYNYN", 0},
		{"a label with two texts", "y Heating: a; Heating: b\nn Heating: b; Heating: a\ny Heating: a; Heating: b\nn Heating: a; Heating: b\ny Heating: a; Heating: b", "-----", 0},
	} {
		o, err := outline.New([]byte(`{"type":"object","properties":{"things":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"heated":{"type":"boolean"}}}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		table := o.Tables[len(o.Tables)-1]
		var flags merge.Flags
		var seen []merge.Sighting
		for i, page := range strings.Split(test.pages, "\n") {
			row, said := finding.Row{"name": finding.Cell{Value: fmt.Sprint(i)}}, map[string]bool{}
			var sure []string
			switch page[0] {
			case 'S': // accepted, because a word says no
				row["heated"], sure = finding.Cell{Value: false, Lines: [2]int{1, 1}}, []string{"heated"}
			case 'Y', 'N': // accepted
				row["heated"] = finding.Cell{Value: page[0] == 'Y', Lines: [2]int{1, 1}}
			case 'y', 'n': // dropped
				said["heated"] = page[0] == 'y'
			}
			g := grounding.New(strings.Split(strings.ReplaceAll(page[2:], " / ", "\n\n"), "\n"), nil, "en")
			flags.See(i, g.Tails(1, len(g.Lines), 0), said, sure, fmt.Sprintf("S%d", i+1), false)
			seen = append(seen, merge.Sighting{Page: i + 1, Row: row})
		}
		before := fmt.Sprint(seen)
		var got strings.Builder
		for _, one := range flags.Settle(table, seen) {
			c, ok := one.Row["heated"]
			mark := map[bool]string{true: "Y", false: "N"}[c.Value == true]
			switch {
			case !ok:
				mark = "-"
			case c.Grade == finding.GradeDerived:
				mark = strings.ToLower(mark)
				if c.Source != fmt.Sprintf("S%d", one.Page) || c.Lines[0] == 0 {
					t.Errorf("%s: evidence %+v", test.name, c)
				}
			}
			got.WriteString(mark)
		}
		if notes := flags.Notes(table, seen); got.String() != test.want || len(notes) != test.notes || fmt.Sprint(seen) != before {
			t.Errorf("%s: %s, want %s; notes %q", test.name, got.String(), test.want, notes)
		}
	}
}

// TestFlagsByPlace learns several texts that mean the same and have no label, by their place
// behind the key or behind the last number, and nothing from the texts of another place.
func TestFlagsByPlace(t *testing.T) {
	o, err := outline.New([]byte(`{"type":"object","properties":{"things":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"animals":{"type":"boolean"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[len(o.Tables)-1]
	phrases := map[bool][]string{true: {"dogs welcome", "pet friendly"}, false: {"no dogs", "leave pets at home"}}
	for _, layout := range []string{"House\n- VILLAGE\n- PHRASE", "House\nVILLAGE - PHRASE", "House in VILLAGE. From £PRICE PHRASE. Call us.", "House\n- VILLAGE\n- PHRASE / £PRICE"} {
		for _, stated := range []bool{true, false} {
			var flags merge.Flags
			var seen []merge.Sighting
			for i := range 20 {
				v := i*7%5 < 2
				phrase := phrases[v][i%2]
				if !stated {
					phrase = phrases[i%3 == 0][i%2]
				}
				text := strings.NewReplacer("VILLAGE", []string{"Tarn", "Skerrow", "Ellin"}[i%3], "PHRASE", phrase, "PRICE", fmt.Sprint(31+i*17)).Replace(layout)
				g := grounding.New(strings.Split(text, "\n"), nil, "en")
				flags.See(i, g.Tails(1, len(g.Lines), 1), map[string]bool{"animals": v}, nil, "S1", false)
				seen = append(seen, merge.Sighting{Page: 1, At: i, Row: finding.Row{"name": finding.Cell{Value: fmt.Sprint(i)}}})
			}
			settled := flags.Settle(table, seen)
			for i := range settled {
				c, ok := settled[i].Row["animals"]
				if byPlace := stated && !strings.HasSuffix(layout, "£PRICE"); ok != byPlace || ok && c.Value != (i*7%5 < 2) {
					t.Errorf("%q, stated %v, row %d: %+v", layout, stated, i, c)
				}
			}
		}
	}
}

// TestTails finds short texts with their labels.
func TestTails(t *testing.T) {
	for page, want := range map[string]string{
		"**Heating:** none":                                 "heating=none",
		"**Heating**\n: none":                               "heating=none @1=none",
		"Name · 5 shelves · none":                           "#1=5 shelves #1+=shelves #-2=5 shelves #-2+=shelves #2=none #-1=none",
		"| Name | Heating |\n| --- | --- |\n| Ada | none |": "ada=none heating=none",
		"| | |\n| --- | --- |\n| Heating | none |":          "heating=none",
		"Soup (V) with (A, C)":                              "(0.0=v (0.1=a, c #1=c) #-1=c)",
		"| A | B | Sockets |\n| --- | --- | --- |\n| x | 1 | – |\n| y | 2 | ✔ |": "b=1 sockets=- b=2 sockets=✔",
		"| B1 | Ada | cash |\n| --- | --- | --- |\n| B2 | Bo | card |":           "ada=ada cash=cash ada=bo cash=card",
		"| **Ada** (gas) | | |\n| Tarn | £4 | no |":                              "~0.0=ada (0.0=gas",
		"Posted 9 May *Closed*":                "~0.0=closed",
		"# Heating\n\nnone":                    "@1=none",
		"Shed\n\n- Tarn\n- from £9 no dogs":    "shed=tarn @1=tarn tarn=from £9 no dogs tarn+=no dogs @2=from £9 no dogs @2+=no dogs",
		strings.Repeat("long ", 20) + ": none": "",
	} {
		g := grounding.New(strings.Split(page, "\n"), nil, "en")
		var got []string
		key := 1
		if strings.HasPrefix(page, "| A") || strings.HasPrefix(page, "| N") || strings.HasPrefix(page, "| |") {
			key = 3 // below the head
		}
		for _, tail := range g.Tails(1, len(g.Lines), key) {
			got = append(got, tail.Label+"="+tail.Text)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", page, s, want)
		}
	}
}
