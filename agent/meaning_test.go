// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

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
		})
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
	if want := `{"items":[{"name":"W2","price":45}]}`; string(r.Data) != want || !hasIssue(r, finding.IssueUndecided) {
		t.Errorf("data %s, want %s; issues %v", r.Data, want, r.Issues)
	}
}
