// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// TestLooseReplies: plans and decisions that keep to no schema are taken as far
// as they are clear, and what is not clear ends the run and nothing else.
func TestLooseReplies(t *testing.T) {
	const plan = `{"tables":{"id":"T1","what":7,"keys":"name","expect":"5"},"queries":null,"start":"L1","fields":"none"}`
	for _, test := range []struct {
		name, decide string
		rows         int
		stop         finding.Reason
	}{
		{"numbers and handles as texts", `{"note":null,"actions":[{"do":"COLLECT","h":"G1","n":"9","follow":"Links","t":null}]}`, 5, finding.ReasonDone},
		{"handles in one text", `{"actions":[{"do":"read","h":"L2, L3 L4","n":2.0}]}`, 5, finding.ReasonDone},
		{"an action alone", `{"do":"collect","h":["G1"],"follow":"links"}`, 5, finding.ReasonDone},
		{"actions that are none", `{"actions":["read",7,null,[],{"do":["read"]},{"do":"delete","h":["G1"]}]}`, 5, finding.ReasonDone},
		{"handles that are none", `{"actions":[{"do":"read","h":["L999999999","G0","https://evil.test/","L-1",{"h":1}]}]}`, 5, finding.ReasonDone},
		{"a million actions", `{"actions":[` + strings.Repeat(`{"do":"find","q":"x"},`, 100_000) + `{"do":"read","h":["L2"]}]}`, 5, finding.ReasonDone},
		{"deep", `{"actions":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, 5, finding.ReasonDone},
		{"too deep", `{"actions":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, 5, finding.ReasonDone},
		{"huge texts", `{"note":"` + strings.Repeat("x", 1<<20) + `","actions":[{"do":"find","q":"` + strings.Repeat("y ", 1<<20) + `","why":"` + strings.Repeat("z", 1<<20) + `"}]}`, 5, finding.ReasonDone},
	} {
		web, truth := shop(5)
		direct := director(truth)
		model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			switch c.Role {
			case llm.RolePlan:
				return llm.Reply{JSON: json.RawMessage(plan)}, nil
			case llm.RoleDecide:
				return llm.Reply{JSON: json.RawMessage(test.decide)}, nil
			}
			return direct(ctx, c)
		}}
		j := &fakeJournal{}
		r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), agent.Task{
			Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Journal: j,
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if rows := strings.Count(string(r.Data), `"name"`); rows != test.rows || r.Stop != test.stop || model.count(llm.RoleDecide) > 5 {
			t.Errorf("%s: %d rows, stop %s, %d decisions; want %d, %s", test.name, rows, r.Stop, model.count(llm.RoleDecide), test.rows, test.stop)
		}
		for _, e := range j.all() {
			if e.Decided != nil && len(jsonOf(t, e)) > 20_000 {
				t.Errorf("%s: a decision of %d bytes is kept", test.name, len(jsonOf(t, e)))
			}
		}
	}
}

// TestNestedReplies takes objects where the schema of a reply has names with
// points, and maps where it has lists of pairs.
func TestNestedReplies(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"object","properties":{"width":{"type":"number"},"unit":{"type":"string"}}},"specs":{"type":"object","additionalProperties":{"type":"string"}}}}}}}`
	page := fakePage{title: "T", markdown: "Lamp\n30 cm wide\nColour: red\nFoot: oak"}
	const want = `{"items":[{"name":"Lamp","size":{"unit":"cm","width":30},"specs":{"Colour":"red","Foot":"oak"}}]}`
	for _, said := range []string{
		`{"rows":[{"v":{"name":"Lamp","size.width":30,"size.unit":"cm","specs":[{"key":"Colour","value":"red"},{"key":"Foot","value":"oak"}]},"ln":{"name":[1,1],"size.width":[2,2],"size.unit":[2,2],"specs":[3,4]}}]}`,
		`{"rows":[{"v":{"name":"Lamp","size":{"width":30,"unit":"cm"},"specs":{"Colour":"red","Foot":"oak"}},"ln":{"name":[1,1],"size":{"width":[2,2],"unit":2},"specs":[3,4]}}]}`,
		`{"rows":[{"name":"Lamp","size":{"width":30,"unit":"cm"},"specs":{"Colour":"red","Foot":"oak"},"ln":{"name":[1,1],"size":{"width":[2,2],"unit":2},"specs":[3,4]}}]}`,
	} {
		m := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{JSON: json.RawMessage(said)}, nil
		}}
		if r := one(t, page, schema, m); string(r.Data) != want {
			t.Errorf("%s:\n%s, issues %+v", said, r.Data, r.Issues)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestLongReplies does not read a reply that is longer than any that a call allows, and says so. A
// text that is longer than what lines of a page can contain is a value of no page.
func TestLongReplies(t *testing.T) {
	page := fakePage{title: "T", markdown: strings.Repeat("Lamp costs 3\n", 100)}
	for _, test := range []struct{ name, said, issue, data string }{
		{"many rows", `{"rows":[` + strings.Repeat(`{"v":{"name":"Lamp"},"ln":{"name":[1,1]}},`, 100_000) + `{"v":{}}]}`, "at most 4194304 are read", ""},
		{"a long number", `{"rows":[{"v":{"name":"Lamp","price":"` + strings.Repeat("7 1,200 ", 500_000) + `"},"ln":{"name":[1,1]}}]}`, "", `{"items":[{"name":"Lamp"}]}`},
		{"a long text", `{"rows":[{"v":{"name":"` + strings.Repeat("lamp ", 800_000) + `"},"ln":{"name":[1,1]}}]}`, "", `{"items":[]}`},
	} {
		m := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{JSON: json.RawMessage(test.said)}, nil
		}}
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": page}}
		r, err := (&agent.Engine{Model: planned{m}, Fetch: web}).Run(t.Context(), agent.Task{
			Prompt: "p", URLs: []string{"https://a.test/x"}, Strict: true,
			Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}}}}`),
		})
		if r == nil || (err != nil) != (test.issue != "") || test.issue == "" && string(r.Data) != test.data {
			t.Fatalf("%s: %v, %v", test.name, r, err)
		}
		if test.issue != "" && !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return strings.Contains(i.Detail, test.issue) }) {
			t.Errorf("%s: issues %+v", test.name, r.Issues)
		}
	}
}

// TestOddRows reads what is clear of a reply. If that is not all of it, an issue says so, and the
// answer is not done. What a provider says of its usage costs no more than the call may.
func TestOddRows(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}}}`
	row := func(line int, name, v string) string {
		return `{"` + v + `":{"name":"` + name + `","price":1` + strconv.Itoa(line) + `},"ln":{"name":[` + strconv.Itoa(line) + `],"price":[` + strconv.Itoa(line) + `]}}`
	}
	a, b, c := row(3, "Aber", "v"), row(4, "Bala", "v"), row(5, "Cwm", "v")
	whole := `{"rows":[` + a + `,` + b + `,` + c + `],"kind":"list"}`
	rows := func(second string) string { return `{"rows":[` + a + `,` + second + `,` + c + `],"kind":"list"}` }
	for name, test := range map[string]struct {
		reply string
		rows  int
		stop  finding.Reason
	}{
		"whole":                      {whole, 3, finding.ReasonDone},
		"twice":                      {whole + "\n" + whole, 3, finding.ReasonDone},
		"null as a row":              {`{"rows":[` + a + `,` + b + `,` + c + `,null],"kind":"list"}`, 3, finding.ReasonDone},
		"a row of nulls":             {`{"rows":[` + a + `,` + b + `,` + c + `,{"v":{"name":null,"price":null}}],"kind":"list"}`, 3, finding.ReasonDone},
		"rows begin again":           {`{"rows":[` + a + `],"rows":[` + b + `,` + c + `],"kind":"list"}`, 3, finding.ReasonDone},
		"a text as a row":            {rows(`"Bala $14"`), 2, finding.ReasonDry},
		"a list as a row":            {rows(`["Bala",14]`), 2, finding.ReasonDry},
		"a row of another form":      {rows(row(4, "Bala", "values")), 2, finding.ReasonDry},
		"a row of other fields":      {rows(`{"v":{"title":"Bala","cost":14}}`), 2, finding.ReasonDry},
		"two different objects":      {`{"rows":[` + a + `],"kind":"list"} {"rows":[` + b + `,` + c + `],"kind":"list"}`, 0, finding.ReasonProvider},
		"the end of thoughts, cited": {strings.Replace(whole, `"kind":`, `"note":"</think>","kind":`, 1), 3, finding.ReasonDone},
	} {
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "X", markdown: "# X\n\n- Aber $13\n- Bala $14\n- Cwm $15\n"}}}
		m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RolePlan {
				return llm.Reply{JSON: json.RawMessage(`{"tables":[]}`), Usage: llm.Usage{Input: -5, Output: 9}}, nil
			}
			return llm.Reply{JSON: json.RawMessage(test.reply), Usage: llm.Usage{Input: math.MaxInt, Cached: math.MaxInt, Output: math.MaxInt, Reasoning: math.MinInt}}, nil
		}}
		r, err := (&agent.Engine{Model: m, Fetch: web}).Run(t.Context(), agent.Task{Prompt: "All", URLs: []string{"https://a.test/x"}, Strict: true, Schema: json.RawMessage(schema), Limits: agent.Limits{Credits: 20 * llm.Credit}})
		if (err != nil) != (test.rows == 0) {
			t.Fatalf("%s: %v", name, err)
		}
		if n := strings.Count(string(r.Data), `"price"`); n != test.rows || r.Stop != test.stop {
			t.Errorf("%s: %d rows, %s, want %d, %s; issues %v", name, n, r.Stop, test.rows, test.stop, r.Issues)
		}
		if test.stop == finding.ReasonDry && !hasIssue(r, finding.IssueProvider) {
			t.Errorf("%s: no issue about rows that could not be read", name)
		}
		if u := r.Spend.Usage; u.Input < 0 || u.Output < 0 || u.Reasoning < 0 || r.Spend.Credits <= llm.Credit || r.Spend.Credits > 20*llm.Credit {
			t.Errorf("%s: spent %v for %+v", name, r.Spend.Credits, u)
		}
	}
}
