// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// spoken answers every chat completion with one text.
func spoken(text, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": reason}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10},
		})
	}
}

// TestUnusableReplies checks that a run whose model never gives a usable reply fails,
// instead of ending as complete with an empty answer that fits the schema.
func TestUnusableReplies(t *testing.T) {
	const tail = `"total":-1,"total_ln":0,"more":false,"kind":"list"}`
	raw := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, test := range []struct {
		name  string
		model http.HandlerFunc
	}{
		{"empty", spoken("", "stop")},
		{"prose", spoken("I looked at the page and there are some fine widgets on it.", "stop")},
		{"an empty object", spoken("{}", "stop")},
		{"an empty list", spoken("[]", "stop")},
		{"null", spoken("null", "stop")},
		{"a number", spoken("42", "stop")},
		{"rows of a wrong type", spoken(`{"rows":7,"kind":[]}`, "stop")},
		{"rows as text", spoken(`{"rows":"Widget 1001","kind":"list"}`, "stop")},
		{"rows of texts", spoken(`{"rows":["Widget 1001"],"kind":"list"}`, "stop")},
		{"rows that are null", spoken(`{"rows":null,"kind":null}`, "stop")},
		{"values of a wrong type", spoken(`{"rows":[{"v":"Widget 1001","ln":{}}],"kind":"list"}`, "stop")},
		{"values in a list", spoken(`{"rows":[{"v":["Widget 1001",11.01],"ln":{}}],"kind":"list"}`, "stop")},
		{"rows without values", spoken(`{"rows":[{}],"kind":"list"}`, "stop")},
		{"rows with other fields", spoken(`{"rows":[{"v":{"title":"Widget 1001","cost":11.01},"ln":{"title":[3,3]}}],"kind":"list"}`, "stop")},
		{"all members, rows with other fields", spoken(`{"rows":[{"v":{"title":"Widget 1001","cost":11.01},"ln":{"title":[3,3]}}],`+tail, "stop")},
		{"all members, rows of texts", spoken(`{"rows":["Widget 1001"],`+tail, "stop")},
		{"all members, values of a wrong type", spoken(`{"rows":[{"v":"Widget 1001","ln":{}}],`+tail, "stop")},
		{"all members, rows that are null", spoken(`{"rows":null,`+tail, "stop")},
		{"all members, objects for texts", spoken(`{"rows":[{"v":{"name":{"text":"Widget 1001"},"price":[[11]]},"ln":{}}],`+tail, "stop")},
		{"rows with other fields, flat", spoken(`{"rows":[{"title":"Widget 1001","cost":11.01}]}`, "stop")},
		{"an unknown kind", spoken(`{"kind":"article"}`, "stop")},
		{"cut at once", spoken(`{"ro`, "length")},
		{"cut in the first row", spoken(`{"rows":[{"v":{"name":"Wid`, "length")},
		{"cut without a reason", spoken(`{"rows":[{"v":{"na`, "stop")},
		{"a refusal as text", spoken("I'm sorry, but I can't help with that.", "stop")},
		{"a refusal as an object", spoken(`{"error":"I cannot help with that."}`, "stop")},
		{"filtered", spoken("", "content_filter")},
		{"white space", spoken(strings.Repeat(" \n\t", 1<<13), "length")},
		{"white space in an object", spoken("{"+strings.Repeat(" \n", 1<<13), "length")},
		{"another schema", spoken(`{"name":"get_weather","arguments":{"city":"Bern"}}`, "stop")},
		{"the schema itself", spoken(`{"type":"object","properties":{"rows":{"type":"array"}},"required":["rows"]}`, "stop")},
		{"an HTML page", raw(200, "text/html", "<!doctype html><title>502</title><h1>Bad gateway</h1>")},
		{"an HTML error page", raw(502, "text/html", "<!doctype html><title>502</title><h1>Bad gateway</h1>")},
		{"an HTML page that refuses", raw(400, "text/html", "<!doctype html><title>400</title><h1>Bad request</h1>")},
		{"white space as a body", raw(200, "application/json", strings.Repeat(" ", 1<<13))},
		{"no choices", raw(200, "application/json", `{"choices":[]}`)},
		{"content that is null", raw(200, "application/json", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}`)},
	} {
		for _, strict := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, strict %v", test.name, strict), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					memory := agenttest.Serve(test.model)
					defer memory.Close()
					m := &openai.Model{URL: memory.URL, Client: memory.Client}
					defer m.CloseIdleConnections()
					web, truth := shop(3)
					planned := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
						if c.Role == llm.RoleExtract {
							return m.Complete(ctx, c)
						}
						return director(truth)(ctx, c)
					}}
					task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)}
					if strict {
						task.URLs, task.Strict = []string{"https://shop.test/p/1", "https://shop.test/p/2"}, true
					}
					for _, model := range []llm.Model{m, planned} {
						r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), task)
						if err == nil || r.Valid || r.Data != nil {
							t.Errorf("planned %v: error %v, stop %s, valid %v, data %s, issues %+v", model == llm.Model(planned), err, r.Stop, r.Valid, r.Data, r.Issues)
						}
					}
				})
			})
		}
	}
}

// TestUnreadPage calls an answer done only if it needs no page that was not read: of a page
// that the model cannot read, or that a task gives and that cannot be fetched, nobody knows
// what it states.
func TestUnreadPage(t *testing.T) {
	const list = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	const record = `{"type":"object","properties":{"name":{"type":"string"},"color":{"type":"string"}},"required":["name"]}`
	const both = "# List\n\n- name=One; color=red\n- name=Two; color=blue\n"
	for _, test := range []struct {
		name, schema, first, title, second string
		total                              int
		stop                               finding.Reason
		kind                               finding.IssueKind // empty: no issue
	}{
		{"all pages are read", list, both, "Other", "# Other", -1, finding.ReasonDone, ""},
		{"the model fails at a page", list, both, "Other", "# Other\n\nUNREADABLE", -1, finding.ReasonDry, finding.IssueProvider},
		{"the other page has all that there are", list, "There are 2.\n" + both, "Other", "# Other\n\nUNREADABLE", 2, finding.ReasonDone, finding.IssueProvider},
		{"the page is about a thing that is known", list, both, "About Two", "# Two\n\nUNREADABLE", -1, finding.ReasonDone, finding.IssueProvider},
		{"a cell of that thing is empty", list, "# List\n\n- name=One; color=red\n- name=Two\n", "About Two", "# Two\n\nUNREADABLE", -1, finding.ReasonDry, finding.IssueProvider},
		{"a record is complete", record, "# One\n\n- name=One; color=red\n", "Other", "# Other\n\nUNREADABLE", -1, finding.ReasonDone, finding.IssueProvider},
		{"a given page does not exist", list, both, "", "", -1, finding.ReasonDry, finding.IssueNotFound},
	} {
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/list": {title: "List", markdown: test.first}, "https://a.test/other": {title: test.title, markdown: test.second}}}
		if test.second == "" {
			web.pages["https://a.test/other"] = fakePage{status: 404, title: "Not found", markdown: "Not found"}
		}
		model := reader(`{"tables":[{"id":"T1","what":"thing","keys":["name"]}]}`)
		if test.schema == record {
			model = reader(`{"tables":[{"id":"T0"}],"shape":"one"}`)
		}
		read := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			switch {
			case c.Role != llm.RoleExtract:
				return read(ctx, c)
			case strings.Contains(c.User, "UNREADABLE"):
				return llm.Reply{JSON: json.RawMessage(`I am sorry`), Finish: llm.FinishOK}, nil
			}
			out := readLines(c.User)
			out.Total = -1
			if strings.Contains(c.User, "There are 2") {
				out.Total, out.TotalLn = test.total, 1
			}
			return reply(out)
		}
		r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), agent.Task{Prompt: "All things", URLs: []string{"https://a.test/list", "https://a.test/other"}, Strict: true, Schema: json.RawMessage(test.schema)})
		told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == test.kind })
		if err != nil || r.Stop != test.stop || told != (test.kind != "") || r.Partial {
			t.Errorf("%s: %v, %s, stop %s, issues %+v", test.name, err, r.Data, r.Stop, r.Issues)
		}
	}
}
