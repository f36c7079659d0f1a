// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

const (
	makerSchema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},"chief":{"type":"string"}},"required":["name","maker"]}}},"required":["items"]}`
	makerPlan   = `{"tables":[{"id":"T1","what":"widget","keys":["name"],"expect":3}],"shape":"list","hops":[{"field":"maker","question":"who leads the company","fills":["chief"]}]}`
)

// makers is a web with a list of three things of three makers, of which two have a page.
func makers() *fakeWeb {
	return &fakeWeb{pages: map[string]fakePage{
		"https://shop.test/":       {title: "Shop", markdown: "# Shop\n\n- Widget 1001, by Acme Corp [Acme Corp](https://shop.test/m/acme)\n- Widget 1002, by Brix [Brix](https://shop.test/m/brix)\n- Widget 1003, by Corvid\n", links: []agent.Link{{URL: "https://shop.test/m/acme", Text: "Acme Corp"}, {URL: "https://shop.test/m/brix", Text: "Brix"}}},
		"https://shop.test/m/acme": {title: "Acme Corp", markdown: "# Acme Corp\n\nLed by Ada Abel since 2020. Other widgets: Widget 1009.\n"},
		"https://shop.test/m/brix": {title: "Brix", markdown: "# Brix\n\nLed by Bruno Brandt since 2021.\n"},
	}}
}

// makerModel reads the web of makers.
func makerModel(t *testing.T) *fakeModel {
	m := inThread(truth{}, makerPlan)
	list := truth{fields: []string{"name", "maker"}, rows: [][]string{{"Widget 1001", "Acme Corp"}, {"Widget 1002", "Brix"}, {"Widget 1003", "Corvid"}}}
	firms := truth{fields: []string{"name", "chief"}, rows: [][]string{{"Acme Corp", "Ada Abel"}, {"Brix", "Bruno Brandt"}}}
	plain := m.answer
	m.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role != llm.RoleExtract {
			return plain(ctx, c)
		}
		switch {
		case strings.Contains(c.User, `"id":"T1.maker"`):
			if strings.Contains(c.User, `"name":"maker"`) {
				t.Errorf("a page about a maker is read for the list: %s", c.User)
			}
			return firms.extract(c)
		case strings.Contains(c.User, `"name":"chief"`):
			t.Errorf("the list is read for a field of another page: %s", c.User)
		}
		return list.extract(c)
	}
	return m
}

// TestHopForEachRow fills a field of each row from the page about another of its values,
// and says for how many rows there is no such page.
func TestHopForEachRow(t *testing.T) {
	web := makers()
	for _, required := range []bool{false, true} {
		schema := makerSchema
		if required {
			schema = strings.Replace(schema, `"maker"]`, `"maker","chief"]`, 1)
		}
		r := run(t, &agent.Engine{Model: makerModel(t), Fetch: web}, agent.Task{Prompt: "All widgets, their makers and who leads these", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(schema)})
		want := `{"items":[{"chief":"Ada Abel","maker":"Acme Corp","name":"Widget 1001"},{"chief":"Bruno Brandt","maker":"Brix","name":"Widget 1002"},{"maker":"Corvid","name":"Widget 1003"}]}`
		if required {
			want = strings.Replace(want, `,{"maker":"Corvid","name":"Widget 1003"}`, "", 1)
		}
		told := false
		for _, i := range r.Issues {
			told = told || i.Kind == finding.IssueMissing && i.Detail == "no page was found about 1 of 3 values of maker, so chief is not known for their rows"
		}
		if string(r.Data) != want || !told {
			t.Errorf("%s, stop %s, issues %v", r.Data, r.Stop, r.Issues)
		}
		if required && r.Stop == finding.ReasonDone {
			t.Error("the answer lacks a required value, and is called done")
		}
		e := r.Fields["/items/1/chief"]
		if i := r.Sources; e.Source == "" || len(i) != 3 || fmt.Sprint(e.Lines) != "[2 2]" {
			t.Errorf("evidence %+v, sources %v", e, i)
		}
	}
}

// TestHopAskedAgain asks a second time for the values of a page on which the values of
// many rows depend, and only there.
func TestHopAskedAgain(t *testing.T) {
	model := makerModel(t)
	plain, calls := model.answer, 0
	var mu sync.Mutex
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if strings.Contains(c.User, "Led by Ada Abel") {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls == 1 {
				return reply(map[string]any{"kind": "detail", "rows": []any{map[string]any{"v": map[string]any{"name": "Acme Corp", "chief": nil}, "ln": map[string]any{"name": []int{1}}}}})
			}
		}
		return plain(ctx, c)
	}
	schema := strings.Replace(makerSchema, `"maker"]`, `"maker","chief"]`, 1)
	r := run(t, &agent.Engine{Model: model, Fetch: makers()}, agent.Task{Prompt: "All widgets, their makers and who leads these", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(schema)})
	if !strings.Contains(string(r.Data), "Ada Abel") || calls != 2 {
		t.Errorf("%s after %d calls, issues %v", r.Data, calls, r.Issues)
	}
}

// TestHopForEachRowSearch searches for the pages that no link leads to, but not for the
// values of an isolated run.
func TestHopForEachRowSearch(t *testing.T) {
	for _, isolate := range []bool{false, true} {
		web := makers()
		page := web.pages["https://shop.test/"]
		page.links = nil
		page.markdown = strings.NewReplacer("[Acme Corp](https://shop.test/m/acme)", "", "[Brix](https://shop.test/m/brix)", "").Replace(page.markdown)
		web.pages["https://shop.test/"] = page
		search := &makerSearch{}
		r := run(t, &agent.Engine{Model: makerModel(t), Fetch: web, Search: search, Isolate: isolate}, agent.Task{Prompt: "All widgets, their makers and who leads these", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(makerSchema)})
		if n := strings.Count(string(r.Data), "chief"); n != 2 && !isolate || n != 0 && isolate {
			t.Errorf("isolated %v: %s", isolate, r.Data)
		}
		if (len(search.asked) > 0) == isolate || len(search.asked) > 4 {
			t.Errorf("isolated %v: searches %q", isolate, search.asked)
		}
	}
}

// makerSearch finds the pages of makers, and keeps what it is asked.
type makerSearch struct {
	mu    sync.Mutex
	asked []string
}

func (s *makerSearch) Search(_ context.Context, q agent.Query) ([]agent.Hit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q.Text)
	switch {
	case strings.Contains(q.Text, "Acme"):
		return []agent.Hit{{URL: "https://shop.test/m/acme", Title: "Acme Corp"}}, nil
	case strings.Contains(q.Text, "Brix"):
		return []agent.Hit{{URL: "https://shop.test/m/brix", Title: "Brix"}}, nil
	}
	return nil, nil
}

// TestHopsOfRowsInTheAnswer looks up only the values of rows that may belong to the
// answer, and those of rows that certainly do first.
func TestHopsOfRowsInTheAnswer(t *testing.T) {
	const (
		schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},"price":{"type":"number"},"chief":{"type":"string"}},"required":["name","maker"]}}},"required":["items"]}`
		plan   = `{"tables":[{"id":"T1","what":"thing","keys":["name"],"conditions":[{"field":"price","op":"<","value":"50","words":"under 50"}]}],"shape":"list","hops":[{"field":"maker","question":"who leads it","fills":["chief"]}]}`
	)
	web := &fakeWeb{pages: map[string]fakePage{
		"https://a.test/": {title: "List", markdown: "# List\n\n- name=One; maker=Acme; price=90\n- name=Two; maker=Brix; price=10\n- name=Three; maker=Corvid\n", links: []agent.Link{
			{URL: "https://a.test/acme", Text: "Acme"}, {URL: "https://a.test/brix", Text: "Brix"}, {URL: "https://a.test/corvid", Text: "Corvid"},
		}},
		"https://a.test/acme":   {title: "Acme", markdown: "# Acme\n\n- name=Acme; chief=Ada\n"},
		"https://a.test/brix":   {title: "Brix", markdown: "# Brix\n\n- name=Brix; chief=Ben\n"},
		"https://a.test/corvid": {title: "Corvid", markdown: "# Corvid\n\n- name=Corvid; chief=Cid\n"},
	}}
	r := run(t, &agent.Engine{Model: reader(plan), Fetch: web, Fetches: 1}, agent.Task{Prompt: "Things under 50, and who leads their makers", URLs: []string{"https://a.test/"}, Schema: json.RawMessage(schema)})
	if got := strings.Join(web.requests(), " "); got != "https://a.test/ https://a.test/brix https://a.test/corvid" {
		t.Errorf("asked for %s", got)
	}
	if want := `{"items":[{"chief":"Ben","maker":"Brix","name":"Two","price":10}]}`; string(r.Data) != want {
		t.Errorf("data %s, want %s", r.Data, want)
	}
}

// TestHopOfLaterPage finds the thing that a further question begins with on the last page of a
// list without a planner, although the first pages do not name it and a group of links leads to
// what the question asks for.
func TestHopOfLaterPage(t *testing.T) {
	const (
		schema = `{"type":"object","properties":{"academy":{"type":"string"}},"required":["academy"]}`
		plan   = `{"tables":[{"id":"T0","what":"the answer"}],"shape":"one","hops":[{"field":"conductor","question":"academy where the conductor trained"}],"start":["L1","L2"]}`
	)
	web := &fakeWeb{pages: map[string]fakePage{}}
	var people []string
	folk := fakePage{title: "People", markdown: "# People\n"}
	for i, name := range strings.Fields("Anna Boris Clara Doris Emil Fred") {
		people = append(people, name+" Lund")
		url := fmt.Sprintf("https://people.test/p/%d", i)
		folk.markdown += fmt.Sprintf("\n- [%s](%s)", people[i], url)
		folk.links = append(folk.links, agent.Link{URL: url, Text: people[i]})
		web.pages[url] = fakePage{title: people[i], markdown: fmt.Sprintf("# %s\n\n- academy=School %d\n", people[i], i)}
	}
	web.pages["https://people.test/"] = folk
	for n := range 4 {
		url := fmt.Sprintf("https://choirs.test/?start=%d", 5*n)
		if n == 0 {
			url = "https://choirs.test/"
		}
		p := fakePage{title: "Choirs", markdown: "# Choirs\n\nA few choirs of the coast stand here.\n"}
		if n < 3 {
			p.links = []agent.Link{{URL: fmt.Sprintf("https://choirs.test/?start=%d", 5*n+5), Text: "Choirs further down"}}
		} else {
			p.markdown += "\n- conductor=Emil Lund\n"
		}
		web.pages[url] = p
	}
	model := reader(plan)
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "Where did the person who conducts the Fathom Chorale train?", URLs: []string{"https://choirs.test/", "https://people.test/"}, Schema: json.RawMessage(schema)})
	if want := `{"academy":"School 4"}`; string(r.Data) != want {
		t.Errorf("data %s, want %s; stop %s, issues %v, requests %v", r.Data, want, r.Stop, r.Issues, web.requests())
	}
}
