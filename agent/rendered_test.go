// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// secretive is a web with pages that need a browser, all of whose texts have the word
// zorilla, and pages that need none.
func secretive() *fakeWeb {
	list := fakePage{
		title:    "Zorilla list",
		markdown: "# Zorilla heading\n\n- name=Zorilla one; maker=Zorilla Works\n- name=Zorilla two; maker=Zorilla Mill\n[Zorilla fragment](#zorilla) [Zorilla script](javascript:zorilla())\n",
		links:    []agent.Link{{URL: "https://a.test/#zorilla", Text: "Zorilla fragment"}, {URL: "https://a.test/plain", Text: "Zorilla again"}, {URL: "https://a.test/m/zorilla-works", Text: "Zorilla Works"}},
	}
	w := &fakeWeb{pages: map[string]fakePage{
		"https://a.test/": {title: "Directory", markdown: "# Directory\n\nSee the list.\n", links: []agent.Link{
			{URL: "https://a.test/list", Text: "All of them"}, {URL: "https://a.test/untitled"}, {URL: "https://a.test/plain", Text: "Plain page"},
		}},
		"https://a.test/plain":           {title: "Plain", markdown: "# Plain\n\n- name=Plain one\n", links: []agent.Link{{URL: "https://a.test/u/6", Text: "Sixth thing"}}},
		"https://a.test/untitled":        {title: "Zorilla untitled", markdown: "# Zorilla\n\nA zorilla.\n", links: []agent.Link{{URL: "https://a.test/list", Text: "Zorilla back"}}},
		"https://a.test/m/zorilla-works": {title: "Zorilla Works", markdown: "# Zorilla Works\n\n- boss=Zorilla Ada\n"},
	}}
	for i := 1; i <= 7; i++ {
		url := fmt.Sprintf("https://a.test/t/%d/zorilla", i)
		if i > 4 {
			url = fmt.Sprintf("https://a.test/u/%d", i) // one of which the plain page has, too
		}
		list.links = append(list.links, agent.Link{URL: url, Text: fmt.Sprintf("Zorilla thing %d", i)})
		w.pages[url] = fakePage{title: fmt.Sprintf("Zorilla thing %d", i), markdown: fmt.Sprintf("# Zorilla thing %d\n\n- name=Zorilla thing %d\n", i, i)}
	}
	w.pages["https://a.test/list"] = list
	return w
}

// renderingSecrets is a Fetcher that renders the pages that have the word zorilla.
type renderingSecrets struct{ *fakeWeb }

func (f renderingSecrets) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	own := *r
	own.Render = strings.Contains(f.pages[r.URL].title, "Zorilla")
	return f.fakeWeb.Fetch(ctx, &own)
}

// curious is a model that plans with plan, reads one link or one group per decision, best
// first, and says of a page what the page says.
func curious(plan string) *fakeModel {
	m := reader(plan)
	plain := m.answer
	m.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		switch c.Role {
		case llm.RoleExtract:
			out := readLines(c.User)
			if strings.Contains(c.User, "Zorilla") {
				out.Kind = "Zorilla list"
			}
			return reply(out)
		case llm.RoleDecide:
			a := read(c.User)
			for _, list := range []string{"links", "groups"} {
				var at struct {
					Handle string `json:"h"`
				}
				if len(a.lists[list]) > 0 && json.Unmarshal(a.lists[list][0], &at) == nil {
					return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoRead, H: []string{at.Handle}}, {Do: journal.DoFind, Q: "heading"}, {Do: journal.DoFind, Q: "Zorilla"}}})
				}
			}
		}
		return plain(ctx, c)
	}
	return m
}

// TestRendered tells the planner and the search engine no text of a page that a browser
// showed, neither in the run that reads it, nor if that is resumed, nor in runs that
// continue it. What pages without a browser say is told.
func TestRendered(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},"boss":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	const table = `{"tables":[{"id":"T1","what":"thing","keys":["name"],"expect":30}],"shape":"list"`
	for name, plan := range map[string]string{
		"a list":                     table + `}`,
		"a further question":         table + `,"hops":[{"field":"maker","question":"who is its boss"}]}`,
		"a further question per row": table + `,"hops":[{"field":"maker","question":"who is its boss","fills":["boss"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			search, first := &fakeSearch{}, &fakeJournal{}
			ask := func(plan string, task agent.Task) string {
				t.Helper()
				model := curious(plan)
				r := run(t, &agent.Engine{Model: model, Fetch: renderingSecrets{secretive()}, Search: search}, task)
				if !strings.Contains(string(r.Data), "Zorilla") {
					t.Errorf("the rendered pages gave nothing: %s", r.Data)
				}
				var told strings.Builder
				for _, c := range model.calls {
					if c.Role != llm.RolePlan && c.Role != llm.RoleDecide {
						continue
					}
					told.WriteString(c.User)
					if strings.Contains(strings.ToLower(c.User), "zorilla") {
						t.Errorf("%s sees\n%s", c.Role, c.User)
					}
				}
				return told.String()
			}
			all := agent.Task{Prompt: "All things", URLs: []string{"https://a.test/"}, Schema: json.RawMessage(schema), Journal: first}
			told := ask(plan, all)
			for _, want := range []string{
				`"title":"Directory"`, `"text":"All of them"`, `"text":"Plain page"`, `"text":"Sixth thing"`, // of pages without a browser
				`{"id":"S2","h":"L2","rows":2}`, `"count":4`, `"on":"S2"`, // of the list
			} {
				if !strings.Contains(told, want) {
					t.Errorf("the planner is not told %s:\n%s", want, told)
				}
			}
			if strings.Contains(told, "S2 line") || !strings.Contains(told, "pages were left out") {
				t.Errorf("the planner finds words in rendered pages, or is not told that it cannot:\n%s", told)
			}
			events := first.all()
			for _, n := range []int{len(events) / 3, 2 * len(events) / 3} {
				resumed := all
				resumed.Journal, resumed.History = nil, history(events[:n])
				ask(plan, resumed)
			}
			more := strings.Replace(schema, `"maker"`, `"owner"`, 1)
			for _, same := range []string{`{"same":true,`, `{"same":false,`} {
				further := agent.Task{Prompt: "Which others are there?", Earlier: history(events[:2*len(events)/3]), Schema: json.RawMessage(more)}
				ask(strings.Replace(plan, "{", same, 1), further)
			}
			for _, q := range search.queries {
				if strings.Contains(strings.ToLower(q), "zorilla") {
					t.Errorf("query %q", q)
				}
			}
		})
	}
}
