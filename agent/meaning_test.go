// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// reader is a model that plans as it is told and reads lines such as
// "- name=W1; price=$40": one row each. It decides to finish at once.
func reader(plan string) *fakeModel {
	return &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		switch c.Role {
		case llm.RolePlan:
			return llm.Reply{JSON: json.RawMessage(plan)}, nil
		case llm.RoleDecide:
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
		case llm.RoleExtract:
			return reply(readLines(c.User))
		}
		return reply(map[string]any{})
	}}
}

func readLines(user string) (out protocol.ExtractReply) {
	out.Kind = "list"
	for line := range strings.Lines(user) {
		number, text, _ := strings.Cut(strings.TrimSpace(line), "| ")
		n, err := strconv.Atoi(number)
		text, ok := strings.CutPrefix(text, "- ")
		if err != nil || !ok {
			continue
		}
		values, lines := map[string]any{}, map[string][]int{}
		for part := range strings.SplitSeq(text, "; ") {
			name, v, ok := strings.Cut(part, "=")
			if ok && strings.Contains(user, `"name":"`+name+`"`) {
				v, _, _ = strings.Cut(v, " [")
				values[name], lines[name] = v, []int{n, n}
			}
		}
		out.Rows = append(out.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{values, lines})
	}
	if len(out.Rows) == 0 {
		out.Kind = "none"
	}
	return out
}

// TestMeaning applies what a plan says of the question to rows.
func TestMeaning(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}}}`
	const counted = `{"type":"object","properties":{"count":{"type":"integer"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"required":["count"]}`
	const one = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}`
	under := func(table, field, op, v, words string) string {
		return `{"tables":[{"id":"` + table + `","conditions":[{"field":"` + field + `","op":"` + op + `","value":"` + v + `","words":"` + words + `"}]}]}`
	}
	list := "# Shop\n- name=W1; price=$40; color=red; city=Bern\n- name=W2; price=$60; color=blue\n- name=W3; price=$20; color=red; city=Bonn\n"
	for _, test := range []struct {
		name, prompt, schema, plan, page, want string
		issues                                 []finding.IssueKind
	}{
		{"a price", "All under $50", items, under("T1", "price", "<", "50", "under $50"), list, `{"items":[{"name":"W1","price":40},{"name":"W3","price":20}]}`, nil},
		{"the member's name for the table", "All under $50", items, under("items", "price", "<", "50", "under $50"), list, `{"items":[{"name":"W1","price":40},{"name":"W3","price":20}]}`, nil},
		{"beside the tables", "All under $50", items, `{"conditions":[{"field":"items.price","op":"lt","value":50,"words":"under $50"}]}`, list, `{"items":[{"name":"W1","price":40},{"name":"W3","price":20}]}`, nil},
		{"between", "All between 30 and 50", items, under("T1", "price", "between", "30 | 50", "between 30 and 50"), list, `{"items":[{"name":"W1","price":40}]}`, nil},
		{"a hidden column", "All red ones", items, under("T1", "color", "=", "red", "red"), list, `{"items":[{"name":"W1","price":40},{"name":"W3","price":20}]}`, nil},
		{"undecided", "All of Bern", items, under("T1", "city", "=", "Bern", "of Bern"), list, `{"items":[{"name":"W1","price":40}]}`, []finding.IssueKind{finding.IssueUndecided}},
		{"not in the question", "All of them", items, under("T1", "price", "<", "50", "under $50"), list, `{"items":[{"name":"W1","price":40},{"name":"W2","price":60},{"name":"W3","price":20}]}`, []finding.IssueKind{finding.IssueUndecided}},
		{"another currency", "All under €50", items, under("T1", "price", "<", "50", "under €50"), list, `{"items":[]}`, []finding.IssueKind{finding.IssueUndecided}},
		{"the cheapest", "The cheapest", one, `{"shape":"best",` + under("T0", "price", "bottom", "1", "cheapest")[1:], list, `{"name":"W3","price":20}`, nil},
		{"a tie", "The cheapest", one, `{"shape":"best",` + under("T0", "price", "bottom", "1", "cheapest")[1:], list + "- name=W4; price=$20\n", `{"name":"W3","price":20}`, []finding.IssueKind{finding.IssueUndecided}},
		{"a tie among the kept", "The cheapest two", items, under("T1", "price", "bottom", "2", "cheapest two"), list + "- name=W4; price=$20\n", `{"items":[{"name":"W3","price":20},{"name":"W4","price":20}]}`, nil},
		{"a range that may decide", "All under $50", items, under("T1", "price", "<", "50", "under $50"), list + "- name=W4; price=$45 – $55\n", `{"items":[{"name":"W1","price":40},{"name":"W3","price":20},{"name":"W4","price":45}]}`, []finding.IssueKind{finding.IssueUndecided}},
		{"a range that does not decide", "All red ones", items, under("T1", "color", "=", "red", "red"), list + "- name=W4; price=$45 – $55; color=red\n", `{"items":[{"name":"W1","price":40},{"name":"W3","price":20},{"name":"W4","price":45}]}`, nil},
		{"a range below the bound", "All under $50", items, under("T1", "price", "<", "50", "under $50"), list + "- name=W4; price=$45 – $48\n", `{"items":[{"name":"W1","price":40},{"name":"W3","price":20},{"name":"W4","price":45}]}`, nil},
		{"counted rows", "How many red ones, and which?", counted, `{"shape":"count",` + under("T1", "color", "=", "red", "red")[1:], list, `{"count":2,"items":[{"name":"W1"},{"name":"W3"}]}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: test.page}}}
			r := run(t, &agent.Engine{Model: reader(test.plan), Fetch: web}, agent.Task{Prompt: test.prompt, URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(test.schema)})
			if string(r.Data) != test.want {
				t.Errorf("data %s, want %s; issues %v", r.Data, test.want, r.Issues)
			}
			for _, kind := range test.issues {
				if !hasIssue(r, kind) {
					t.Errorf("no issue %s: %v", kind, r.Issues)
				}
			}
			if len(test.issues) == 0 && hasIssue(r, finding.IssueUndecided) {
				t.Errorf("issues %v", r.Issues)
			}
			if strings.HasPrefix(test.name, "a range") && (hasIssue(r, finding.IssueUndecided) == hasIssue(r, finding.IssueUnits) || hasIssue(r, finding.IssueUndecided) != (r.Stop == finding.ReasonDry)) {
				t.Errorf("%s, issues %v", r.Stop, r.Issues)
			}
		})
	}
}

// TestPeriods compares prices only if they are for one period. What cannot be converted is left out or said,
// and the answer is not done.
func TestPeriods(t *testing.T) {
	schema := func(price string) string {
		return `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"` + price + `}},"required":["name"]}}}}`
	}
	plan := func(words string) string {
		return `{"tables":[{"id":"T1","conditions":[{"field":"price","op":"<","value":"500","words":"` + words + `"}]}]}`
	}
	const monthly, plain = `,"description":"rent in GBP per month"`, `,"description":"rent in GBP"`
	const list = "# Flats\n- name=W1; price=£400 pcm\n- name=W2; price=£310 pw\n- name=W3; price=£3,600 a year\n- name=W4; price=£450\n"
	for _, test := range []struct {
		name, prompt, schema, plan, want string
		issue                            finding.IssueKind
		stop                             finding.Reason
	}{
		{"of the field", "All flats", schema(monthly), `{"shape":"list"}`, `{"items":[{"name":"W1","price":400},{"name":"W2"},{"name":"W3","price":300},{"name":"W4","price":450}]}`, finding.IssueInvalid, finding.ReasonDry},
		{"of a condition", "Flats under £500 a month", schema(plain), plan("under £500 a month"), `{"items":[{"name":"W1","price":400},{"name":"W3","price":300},{"name":"W4","price":450}]}`, finding.IssueUndecided, finding.ReasonDry},
		{"of neither", "All flats", schema(plain), `{"shape":"list"}`, `{"items":[{"name":"W1","price":400},{"name":"W2","price":310},{"name":"W3","price":3600},{"name":"W4","price":450}]}`, finding.IssueUnits, finding.ReasonDone},
		{"of neither, for a condition", "Flats under £500", schema(plain), plan("under £500"), `{"items":[{"name":"W1","price":400},{"name":"W2","price":310},{"name":"W4","price":450}]}`, finding.IssueUndecided, finding.ReasonDry},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Flats", markdown: list}}}
			r := run(t, &agent.Engine{Model: reader(test.plan), Fetch: web}, agent.Task{Prompt: test.prompt, URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(test.schema)})
			if string(r.Data) != test.want || !hasIssue(r, test.issue) || r.Stop != test.stop {
				t.Errorf("data %s, want %s; %s, issues %v", r.Data, test.want, r.Stop, r.Issues)
			}
		})
	}
}

// planner returns a model that plans twice, and how often it did. The second prompt must say that the first plan
// has ignored something.
func planner(t *testing.T, first, second, ignored string) (model *fakeModel, plans *int) {
	t.Helper()
	model, plans = reader(""), new(int)
	read := model.answer
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role != llm.RolePlan {
			return read(ctx, c)
		}
		if *plans++; *plans == 1 {
			return llm.Reply{JSON: json.RawMessage(first)}, nil
		}
		if !strings.Contains(c.User, "ignored:\n- "+ignored) {
			t.Errorf("the second plan does not see what was ignored: %s", c.User)
		}
		return llm.Reply{JSON: json.RawMessage(second)}, nil
	}
	return model, plans
}

// TestIgnored asks for a plan again that ignores a limit of the prompt. If it still does, the answer is not done.
func TestIgnored(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	const under = `{"shape":"list","tables":[{"id":"T1","conditions":[{"field":"price","op":"<","value":"50","words":"under $50"}]}]}`
	for _, test := range []struct {
		name, first, second, want string
		stop                      finding.Reason
	}{
		{"once", `{"shape":"list"}`, under, `{"items":[{"name":"W1","price":40}]}`, finding.ReasonDone},
		{"twice", `{"shape":"list"}`, `{"shape":"list"}`, `{"items":[{"name":"W1","price":40},{"name":"W2","price":60}]}`, finding.ReasonDry},
		{"never", under, "", `{"items":[{"name":"W1","price":40}]}`, finding.ReasonDone},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, plans := planner(t, test.first, test.second, `"under $50"`)
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n- name=W1; price=$40\n- name=W2; price=$60\n"}}}
			r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All under $50", URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(items)})
			if string(r.Data) != test.want || r.Stop != test.stop || hasIssue(r, finding.IssueUndecided) != (test.stop == finding.ReasonDry) || *plans != 1 && test.second == "" {
				t.Errorf("data %s, want %s; %s after %d plans, issues %v", r.Data, test.want, r.Stop, *plans, r.Issues)
			}
		})
	}
}

// TestOverlooked asks for a plan again that overlooks a name of the prompt. If the rows show that the name tells
// them apart, and the plan still has no condition on it, the answer is not done.
func TestOverlooked(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"town":{"type":"string"}},"required":["name","town"]}}}}`
	const none, there = `{"shape":"list"}`, `{"shape":"list","tables":[{"id":"T1","conditions":[{"field":"town","op":"=","value":"Zurich","words":"in Zurich"}]}]}`
	const zurich = `{"items":[{"name":"Cook","town":"Zurich"},{"name":"Smith","town":"Bern, Zurich"}]}`
	const all = `{"items":[{"name":"Cook","town":"Zurich"},{"name":"Baker","town":"Basel"},{"name":"Smith","town":"Bern, Zurich"}]}`
	for _, test := range []struct {
		name, prompt, ignored, first, second, want string
		stop                                       finding.Reason
	}{
		{"once", "All jobs in Zurich", `"Zurich"`, none, there, zurich, finding.ReasonDone},
		{"twice", "All jobs in Zurich", `"Zurich"`, none, none, all, finding.ReasonDry},
		{"never", "All jobs in Zurich", "", there, "", zurich, finding.ReasonDone},
		{"a name of all", "All jobs of Norwik", `"Norwik"`, none, none, all, finding.ReasonDone},
		{"no name", "All jobs with their towns", "", none, "", all, finding.ReasonDone},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, plans := planner(t, test.first, test.second, test.ignored)
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Jobs", markdown: "# Jobs\n- name=Cook; town=Zurich\n- name=Baker; town=Basel\n- name=Smith; town=Bern, Zurich\n"}}}
			r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: test.prompt, URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(items)})
			want := 1
			if test.second != "" {
				want = 2
			}
			if string(r.Data) != test.want || r.Stop != test.stop || hasIssue(r, finding.IssueUndecided) != (test.stop == finding.ReasonDry) || *plans != want {
				t.Errorf("data %s, want %s; %s after %d plans, issues %v", r.Data, test.want, r.Stop, *plans, r.Issues)
			}
		})
	}
}

// TestWithoutSchema keeps the rows that lack a value that only the plan calls required, unless they lack most of
// them, and says how many do. The answer is not done.
func TestWithoutSchema(t *testing.T) {
	const plan = `{"shape":"list","fields":[{"name":"name","type":"string","key":true,"required":true},{"name":"price","type":"number","required":true},{"name":"users","type":"integer","required":true},{"name":"storage","type":"string","required":true}]}`
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Plans", markdown: "# Plans\n- name=Solo; price=$9; users=1; storage=2 GB\n- name=Enterprise; users=500; storage=2 TB\n- name=Classic; users=3\n"}}}
	r := run(t, &agent.Engine{Model: reader(plan), Fetch: web}, agent.Task{Prompt: "Compare the plans", URLs: []string{"https://a.test/x"}})
	const want = `{"items":[{"name":"Solo","price":9,"storage":"2 GB","users":1},{"name":"Enterprise","price":null,"storage":"2 TB","users":500}]}`
	if string(r.Data) != want || !r.Valid || r.Stop != finding.ReasonDry {
		t.Errorf("data %s, want %s; valid %v, %s", r.Data, want, r.Valid, r.Stop)
	}
	var said []string
	for _, issue := range r.Issues {
		if issue.Kind == finding.IssueMissing {
			said = append(said, issue.Detail)
		}
	}
	if d := cmp.Diff([]string{`a row without price is left out: {"name":"Classic","users":3}`, `no page that was read states price for 1 rows, such as {"name":"Enterprise","storage":"2 TB","users":500}`}, said); d != "" {
		t.Error(d)
	}
}

// TestCountWithoutSchema answers "how many" with a number beside the rows that it counts.
func TestCountWithoutSchema(t *testing.T) {
	const plan = `{"shape":"count","tables":[{"id":"T1","keys":["name"],"conditions":[{"field":"price","op":"<","value":"50","words":"under $50"}]}],"fields":[{"name":"name","type":"string","key":true,"required":true},{"name":"price","type":"number","required":true}]}`
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n- name=W1; price=$40\n- name=W2; price=$60\n- name=W3; price=$20\n"}}}
	r := run(t, &agent.Engine{Model: reader(plan), Fetch: web}, agent.Task{Prompt: "How many are under $50?", URLs: []string{"https://a.test/x"}})
	if want := `{"count":2,"items":[{"name":"W1","price":40},{"name":"W3","price":20}]}`; string(r.Data) != want || r.Stop != finding.ReasonDone {
		t.Errorf("data %s, want %s; %s, issues %v", r.Data, want, r.Stop, r.Issues)
	}
}

// TestFewCredits applies the conditions of a question whatever the credits are. If they
// do not allow a plan, or the model gives none, the answer says so, and is not complete.
func TestFewCredits(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	const one = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`
	const under = `{"tables":[{"id":"T1","conditions":[{"field":"price","op":"<","value":"50","words":"under $50"}]}]}`
	const lowest = `{"shape":"best","tables":[{"id":"T0","conditions":[{"field":"price","op":"bottom","value":"1","words":"cheapest"}]}]}`
	const table = "| Name | Price |\n|---|---|\n| W1 | $40 |\n| W2 | $60 |\n"
	const list = "# Shop\n- name=W1; price=$40\n- name=W2; price=$60\n"
	const all = `{"items":[{"name":"W1","price":40},{"name":"W2","price":60}]}`
	const some = `{"items":[{"name":"W1","price":40}]}`
	for _, test := range []struct {
		name                 string
		credits              agent.Credits
		page                 string
		prompt, schema, plan string
		want                 string
		stop                 finding.Reason
		why                  string // in the issue that says that there is no plan; "": there is none
	}{
		{"a table, 1", 1, table, "All under $50", items, under, all, finding.ReasonCredits, "the credits do not allow a plan"},
		{"a table, 2", 2, table, "All under $50", items, under, all, finding.ReasonCredits, "the credits do not allow a plan"},
		{"a table, 4", 4, table, "All under $50", items, under, some, finding.ReasonDone, ""},
		{"a table, 29", 29, table, "All under $50", items, under, some, finding.ReasonDone, ""},
		{"a table, 30", 30, table, "All under $50", items, under, some, finding.ReasonDone, ""},
		{"a list, 5", 5, list, "All under $50", items, under, some, finding.ReasonDone, ""},
		{"a list, 29", 29, list, "All under $50", items, under, some, finding.ReasonDone, ""},
		{"a choice, 5", 5, list, "The cheapest", one, lowest, `{"name":"W1","price":40}`, finding.ReasonDone, ""},
		{"no plan that could be used", 29, table, "All under $50", items, `I cannot plan.`, all, finding.ReasonStalled, "the model gave no plan that could be used"},
		{"nor with many credits", 300, table, "All under $50", items, `I cannot plan.`, all, finding.ReasonStalled, "the model gave no plan that could be used"},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: test.page}}}
			model := reader("")
			answer := model.answer
			model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
				r, err := answer(ctx, c)
				if c.Role == llm.RolePlan {
					r = llm.Reply{JSON: json.RawMessage(test.plan), Finish: llm.FinishOK}
				}
				r.Usage = llm.Usage{Input: (len(c.System) + len(c.User) + len(c.Schema)) / 4, Output: len(r.JSON) / 3}
				return r, err
			}
			r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{
				Prompt: test.prompt, URLs: []string{"https://a.test/x"}, Strict: true, Schema: json.RawMessage(test.schema), Limits: agent.Limits{Credits: test.credits * llm.Credit},
			})
			if string(r.Data) != test.want || r.Stop != test.stop || r.Partial != (test.why != "") {
				t.Errorf("data %s, want %s; stop %s, partial %v", r.Data, test.want, r.Stop, r.Partial)
			}
			said := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
				return i.Kind == finding.IssueUndecided && strings.HasSuffix(i.Detail, test.why)
			})
			if said != (test.why != "") {
				t.Errorf("issues %v", r.Issues)
			}
			if r.Spend.Credits > test.credits*llm.Credit || test.why == "" && r.Spend.Calls == 0 {
				t.Errorf("spend %+v", r.Spend)
			}
		})
	}
}

// TestPartial says in an issue what a limit that ended the run means for the answer.
func TestPartial(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	const one = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`
	const counted = `{"type":"object","properties":{"count":{"type":"integer"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"required":["count"]}`
	const lowest = `"tables":[{"id":"T0","conditions":[{"field":"price","op":"bottom","value":"1","words":"cheapest"}]}]}`
	const two = `{"tables":[{"id":"T1","conditions":[{"field":"price","op":"bottom","value":"2","words":"cheapest two"}]}]}`
	const complete = " before the answer is known to be complete"
	const unread = "; 3 of 4 given pages were not read"
	const chosen = "; it is chosen from, or counts, only what was found by then"
	for _, test := range []struct {
		name, prompt, schema, plan string
		limits                     agent.Limits
		want                       string
	}{
		{"no limit", "All", items, `{"tables":[]}`, agent.Limits{}, ""},
		{"pages of a list", "All", items, `{"tables":[]}`, agent.Limits{Pages: 1}, "the limit of pages is reached" + complete + unread},
		{"pages of a choice", "The cheapest", one, `{"shape":"best",` + lowest, agent.Limits{Pages: 1}, "the limit of pages is reached" + complete + unread + chosen},
		{"a choice without a shape", "The cheapest", one, "{" + lowest, agent.Limits{Pages: 1}, "the limit of pages is reached" + complete + unread + chosen},
		{"the first of a list", "The cheapest two", items, two, agent.Limits{Pages: 1}, "the limit of pages is reached" + complete + unread + chosen},
		{"a count", "How many?", counted, `{"shape":"count","tables":[]}`, agent.Limits{Pages: 1}, "the limit of pages is reached" + complete + unread + chosen},
		{"tokens", "All", items, `{"tables":[]}`, agent.Limits{Tokens: 1}, "the limit of tokens is reached" + complete + "; 4 of 4 given pages were not read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{}}
			var urls []string
			for i := range 4 {
				u := "https://a.test/" + strconv.Itoa(i)
				urls = append(urls, u)
				web.pages[u] = fakePage{title: "Shop", markdown: "# Shop\n- name=W" + strconv.Itoa(i) + "; price=$4" + strconv.Itoa(i) + "\n"}
			}
			r := run(t, &agent.Engine{Model: reader(test.plan), Fetch: web, Fetches: 1, Calls: 1}, agent.Task{Prompt: test.prompt, URLs: urls, Strict: true, Schema: json.RawMessage(test.schema), Limits: test.limits})
			var got []string
			for _, i := range r.Issues {
				if i.Kind == finding.IssueLimit {
					got = append(got, i.Detail)
				}
			}
			if strings.Join(got, "\n") != test.want || r.Partial != (test.want != "") {
				t.Errorf("stop %s, partial %v, issues %q, want %q; data %s", r.Stop, r.Partial, got, test.want, r.Data)
			}
		})
	}
}

// TestNoCredits fails for want of credits if these allow neither a plan nor a page, also
// if the planner then ends the run.
func TestNoCredits(t *testing.T) {
	model := reader("")
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		r, err := reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
		r.Usage = llm.Usage{Input: 1}
		return r, err
	}
	r, err := (&agent.Engine{Model: model, Fetch: &fakeWeb{}, Search: &fakeSearch{}, Profiles: map[string]llm.Profile{"": {Rate: 0.1}}}).Run(t.Context(), agent.Task{
		Prompt: "All under $50", Limits: agent.Limits{Credits: llm.Credit}, Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`),
	})
	if !errors.Is(err, agent.ErrBudget) || r.Stop != finding.ReasonCredits || !r.Partial || !hasIssue(r, finding.IssueUndecided) {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestStopped says in an issue that the caller stopped the run.
func TestStopped(t *testing.T) {
	stopped := make(chan struct{})
	model := reader(`{"tables":[]}`)
	answer := model.answer
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		<-stopped
		return answer(ctx, c)
	}
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n- name=W1\n"}}}
	run, err := (&agent.Engine{Model: model, Fetch: web}).Start(t.Context(), agent.Task{
		Prompt: "All", URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	run.Stop()
	close(stopped)
	r, err := run.Wait(t.Context())
	if err != nil || r.Stop != finding.ReasonStopped || !r.Partial || !hasIssue(r, finding.IssueLimit) {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestPlanTooLarge counts what of a plan, and of the issues, is beyond their bounds.
func TestPlanTooLarge(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}}}`
	condition := `{"field":"price","op":"<","value":"50","words":"under $50"}`
	for _, test := range []struct {
		name, plan string
		want       []string // in the details of issues
	}{
		{"conditions", `{"tables":[{"id":"T1","conditions":[` + strings.Repeat(condition+",", 24) + condition + `]}]}`, []string{"5 conditions of the plan are not applied: there are more than 20"}},
		{"further questions", `{"hops":[` + strings.Repeat(`{"field":"name","question":"Who?"},`, 6) + `{"field":"name","question":"Where?"}]}`, []string{"3 further questions of the plan are not followed: there are more than 4"}},
		{
			"issues", `{"tables":[` + strings.Repeat(`{"id":"T1","conditions":[`+strings.Repeat(strings.ReplaceAll(condition, "under", "beyond")+",", 19)+condition+`]},`, 59) + `{"id":"T1"}]}`,
			[]string{"121 more issues are not listed"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n- name=W1; price=$40\n"}}}
			r := run(t, &agent.Engine{Model: reader(test.plan), Fetch: web}, agent.Task{Prompt: "All under $50", URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(items)})
			for _, want := range test.want {
				if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Detail == want }) {
					t.Errorf("%d issues, none is %q: %v", len(r.Issues), want, r.Issues[max(0, len(r.Issues)-3):])
				}
			}
		})
	}
}

// TestPlanFields says how many fields of a plan are left out of the schema made of it.
func TestPlanFields(t *testing.T) {
	var fields []string
	for i := range 35 {
		fields = append(fields, `{"name":"f`+strconv.Itoa(i)+`","type":"string","key":`+strconv.FormatBool(i == 0)+`}`)
	}
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n- f0=W1; f1=$40\n"}}}
	for _, n := range []int{30, 35} {
		r := run(t, &agent.Engine{Model: reader(`{"fields":[` + strings.Join(fields[:n], ",") + `]}`), Fetch: web}, agent.Task{Prompt: "All of it", URLs: []string{"https://a.test/x"}})
		told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
			return i.Detail == "5 of 35 fields of the plan are left out: a row has at most 30"
		})
		if string(r.Data) != `{"items":[{"f0":"W1","f1":"$40"}]}` || told != (n == 35) {
			t.Errorf("%d fields: %s, %v", n, r.Data, r.Issues)
		}
	}
}

// TestManyValues shows the planner all values that a further question is about, some at
// a time, and says how many it has not shown.
func TestManyValues(t *testing.T) {
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},"chief":{"type":"string"}},"required":["name","maker","chief"]}}}}`
	var page strings.Builder
	for i := range 45 {
		page.WriteString("- name=W" + strconv.Itoa(i) + "; maker=Firm" + strconv.Itoa(i) + "\n")
	}
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Shop", markdown: "# Shop\n" + page.String()}}}
	for _, test := range []struct {
		steps int
		want  string
	}{
		{1, "25 of 45 values of maker were not looked up: a decision is shown at most 20 of them"},
		{2, "5 of 45 values of maker were not looked up: a decision is shown at most 20 of them"},
		{3, ""},
	} {
		model := reader(`{"tables":[{"id":"T1","keys":["name"]}],"hops":[{"field":"maker","question":"Who leads it?"}]}`)
		direct, seen := model.answer, map[string]bool{}
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role != llm.RoleDecide {
				return direct(ctx, c)
			}
			for _, m := range strings.Split(c.User, `"Firm`)[1:] {
				n, _, _ := strings.Cut(m, `"`)
				seen[n] = true
			}
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFind, Q: strconv.Itoa(len(seen))}}})
		}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "Who leads the makers?", URLs: []string{"https://a.test/x"}, Schema: json.RawMessage(items), Limits: agent.Limits{Steps: test.steps}})
		told := ""
		for _, i := range r.Issues {
			if strings.Contains(i.Detail, "looked up") {
				told = i.Detail
			}
		}
		if told != test.want || len(seen) != min(20*test.steps, 45) {
			t.Errorf("%d steps: %d values shown, issue %q, want %q", test.steps, len(seen), told, test.want)
		}
	}
}

func hasIssue(r *agent.Result, kind finding.IssueKind) bool {
	for _, i := range r.Issues {
		if i.Kind == kind {
			return true
		}
	}
	return false
}

// TestRetracted leaves out a row that meets a condition by its listing and not by
// its own page.
func TestRetracted(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{
		"https://a.test/x":   {title: "Shop", markdown: "# Shop\n- name=W1; price=$40 [W1](/p/1)\n- name=W2; price=$45 [W2](/p/2)\n"},
		"https://a.test/p/1": {title: "W1", markdown: "# W1\n- name=W1; price=$60\n"},
		"https://a.test/p/2": {title: "W2", markdown: "# W2\n- name=W2; price=$45\n"},
	}}
	const items = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}}}`
	r := run(t, &agent.Engine{Model: reader(`{"tables":[{"id":"T1","conditions":[{"field":"price","op":"<","value":"50","words":"under $50"}]}]}`), Fetch: web}, agent.Task{
		Prompt: "All under $50", URLs: []string{"https://a.test/x", "https://a.test/p/1", "https://a.test/p/2"}, Strict: true, Schema: json.RawMessage(items),
	})
	const reason = "1 rows are left out because their own pages state that they do not meet the conditions on price, although lists state that they do: W1"
	told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == finding.IssueUndecided && i.Detail == reason })
	if want := `{"items":[{"name":"W2","price":45}]}`; string(r.Data) != want || !told {
		t.Errorf("data %s, want %s; issues %v", r.Data, want, r.Issues)
	}
}
