// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// said is a row of a reply: values by field, and the line of each.
type said struct {
	V  map[string]any   `json:"v"`
	Ln map[string][]int `json:"ln"`
}

// rowSaid makes a row of triples: field, value, line.
func rowSaid(triples ...any) said {
	s := said{map[string]any{}, map[string][]int{}}
	for i := 0; i < len(triples); i += 3 {
		name := triples[i].(string)
		s.V[name], s.Ln[name] = triples[i+1], []int{triples[i+2].(int), triples[i+2].(int)}
	}
	return s
}

func extracted(rows ...said) (llm.Reply, error) {
	return reply(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "list"})
}

// aboveAll moves rows down by a line, in which all of them cite a maker.
func aboveAll(rows []said, maker string) []said {
	var out []said
	for _, s := range rows {
		out = append(out, rowSaid("code", s.V["code"], s.Ln["code"][0]+1, "name", s.V["name"], s.Ln["name"][0]+1, "maker", maker, 2))
	}
	return out
}

const madeSchema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"name":{"type":"string"},"maker":{"type":"string"}},"required":["code","name"]}}}}`

// TestLayout: where a citation is wrong, the lines of the row itself decide.
func TestLayout(t *testing.T) {
	// Cards: name, code, maker; the first line is the page's title.
	var cards, lines []string
	var rows, flat []said
	for i := range 6 {
		name, code, maker := fmt.Sprintf("Lamp %d", i), fmt.Sprintf("C-%d", i), []string{"Lux", "Nox"}[i%2]
		cards = append(cards, "### "+name, "- Code: "+code, "- Maker: "+maker)
		at := 2 + 3*i
		rows = append(rows, rowSaid("name", name, at, "code", code, at+1, "maker", maker, at+2))
		lines = append(lines, code+" "+name+" by "+maker)
		flat = append(flat, rowSaid("name", name, i+2, "code", code, i+2, "maker", maker, i+2))
	}
	change := func(rows []said, i int, field string, value any, line int) []said {
		out := slices.Clone(rows)
		own := rowSaid()
		for k := range out[i].V {
			own.V[k], own.Ln[k] = out[i].V[k], out[i].Ln[k]
		}
		own.V[field], own.Ln[field] = value, []int{line, line}
		out[i] = own
		return out
	}
	for _, test := range []struct {
		name  string
		lines []string
		rows  []said
		at    int    // of the row that is looked at
		want  string // of it
	}{
		{"name of the next card", cards, change(rows, 2, "name", "Lamp 3", 11), 2, ""},
		{"name cited in the next card", cards, change(rows, 2, "name", "Lamp 2", 11), 2, `{"code":"C-2","maker":"Lux","name":"Lamp 2"}`},
		{"maker of the card before", cards, change(rows, 3, "maker", "Lux", 10), 3, `{"code":"C-3","name":"Lamp 3"}`},
		{"maker above all", append([]string{"By Lux"}, lines...), aboveAll(flat, "By Lux"), 4, `{"code":"C-4","maker":"By Lux","name":"Lamp 4"}`},
		{"line behind the page", lines, change(flat, 5, "maker", "Nox", 40), 5, `{"code":"C-5","maker":"Nox","name":"Lamp 5"}`},
		{"no line", lines, change(flat, 4, "maker", "Lux", 0), 4, `{"code":"C-4","maker":"Lux","name":"Lamp 4"}`},
		{"value of a row that is not in the reply", lines, change(flat, 4, "maker", "Nox", 7)[:5], 4, `{"code":"C-4","name":"Lamp 4"}`},
	} {
		model := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) { return extracted(test.rows...) }}
		r := one(t, fakePage{title: "T", markdown: "# All lamps\n" + strings.Join(test.lines, "\n")}, madeSchema, model)
		var data struct{ Rows []json.RawMessage }
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, row := range data.Rows {
			if strings.Contains(string(row), fmt.Sprintf(`"C-%d"`, test.at)) {
				got.WriteString(string(row))
			}
		}
		if got.String() != test.want {
			t.Errorf("%s: %s, want %s; issues %v", test.name, got.String(), test.want, r.Issues)
		}
	}
}

// TestRepairPrompt: a second question holds the lines of its rows alone, under
// the header of their table; without it the row would be left out.
func TestRepairPrompt(t *testing.T) {
	md := []string{"# All", "| Ref | Label | By |", "|---|---|---|"}
	var first []said
	for i := range 10 {
		md = append(md, fmt.Sprintf("| C-%d | Lamp %d | Lux |", i, i))
		first = append(first, rowSaid("code", fmt.Sprintf("C-%d", i), i+4, "name", fmt.Sprintf("Lamp %d", i), i+4, "maker", "Lux", i+4))
	}
	delete(first[6].V, "name")
	var second asked
	model := &fakeModel{}
	model.answer = func(_ context.Context, c llm.Call) (llm.Reply, error) {
		if model.count(llm.RoleExtract) == 1 {
			return extracted(first...)
		}
		second = read(c.User)
		return extracted(rowSaid("code", "C-6", 10, "name", "Lamp 6", 10))
	}
	r := one(t, fakePage{title: "T", markdown: strings.Join(md, "\n")}, madeSchema, model)
	if n := strings.Count(string(r.Data), `"code"`); n != 10 || len(r.Issues) > 0 {
		t.Errorf("%d rows, want 10; issues %v", n, r.Issues)
	}
	want := map[int]string{2: md[1], 3: md[2], 10: md[9]}
	if len(second.lines) != len(want) {
		t.Errorf("lines %v, want %v", second.lines, want)
	}
	for n, line := range want {
		if second.lines[n] != line {
			t.Errorf("line %d is %q, want %q", n, second.lines[n], line)
		}
	}
}

// TestFull: what is read in the main content and in all of a page is one thing,
// and all is read where a column is missing, not a cell.
func TestFull(t *testing.T) {
	schema := strings.Replace(madeSchema, `"required":["code","name"]`, `"required":["code","name","maker"]`, 1)
	page := fakePage{title: "T", main: "C-1 Lamp\nC-2 Lamp\nC-3 Lamp", markdown: "By Lux\nC-1 Lamp\nC-2 Lamp\nC-3 Lamp\nthe C-1 Torch"}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		if !strings.Contains(c.User, "Torch") {
			return extracted(rowSaid("code", "C-1", 1, "name", "Lamp", 1), rowSaid("code", "C-2", 2, "name", "Lamp", 2), rowSaid("code", "C-3", 3, "name", "Lamp", 3))
		}
		return extracted(rowSaid("code", "C-1", 5, "name", "Torch", 5, "maker", "Lux", 1), rowSaid("code", "C-2", 3, "name", "Lamp", 3, "maker", "Lux", 1), rowSaid("code", "C-3", 4, "name", "Lamp", 4, "maker", "Lux", 1))
	}}
	r := one(t, page, schema, model)
	if want := `{"rows":[{"code":"C-1","maker":"Lux","name":"Lamp"},{"code":"C-2","maker":"Lux","name":"Lamp"},{"code":"C-3","maker":"Lux","name":"Lamp"}]}`; string(r.Data) != want {
		t.Errorf("%s, want %s", r.Data, want)
	}
	if r.Fields["/rows/0/name"].Full || !r.Fields["/rows/0/maker"].Full {
		t.Errorf("fields %+v", r.Fields)
	}
	if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == finding.IssueConflict && i.Pointer == "/rows/0/name" }) {
		t.Errorf("issues %v", r.Issues)
	}
}
