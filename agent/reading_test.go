// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// one runs a strict task on one page, without conditions.
func one(t *testing.T, page fakePage, schema string, m *fakeModel) *agent.Result {
	t.Helper()
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": page}}
	return run(t, &agent.Engine{Model: planned{m}, Fetch: web}, agent.Task{Prompt: "p", URLs: []string{"https://a.test/x"}, Strict: true, Schema: json.RawMessage(schema), Limits: agent.Limits{Credits: 25 * llm.Credit}})
}

// planned is a model that plans nothing, nearly for nothing. Its calls do not count.
type planned struct{ *fakeModel }

func (m planned) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	if c.Role != llm.RolePlan {
		return m.fakeModel.Complete(ctx, c)
	}
	r, err := reply(protocol.PlanReply{})
	r.Usage = llm.Usage{Input: 1}
	return r, err
}

// silent is a model that must not be asked.
func silent(t *testing.T) *fakeModel {
	return &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		t.Errorf("the model is asked to %s:\n%s", c.Role, c.User)
		return llm.Reply{Finish: llm.FinishRefusal}, nil
	}}
}

// TestFree reads what pages say for machines without asking a model.
func TestFree(t *testing.T) {
	const list = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	bare := strings.Replace(list, `,"required":["name","price"]`, "", 1)
	const record = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"brand":{"type":"string"}},"required":["name","price"]}`
	linked := `<html><head><script type="application/ld+json">{"@type":"Product","name":"Lamp","brand":{"@type":"Brand","name":"Lux"},"offers":{"@type":"Offer","price":"19.50","priceCurrency":"EUR"}}</script></head><body><h1>Lamp</h1></body></html>`
	other := strings.Replace(linked, `{"@type":"Product","name":"Lamp"`, `[{"@type":"Product","name":"Chair","brand":"Sit","offers":{"price":"5"}},{"@type":"Product","name":"Lamp"`, 1)
	other = strings.Replace(other, `}}</script>`, `}}]</script>`, 1)
	const had = `{"type":"object","properties":{"name":{"type":"string"},"inStock":{"type":"boolean"}},"required":["name"]}`
	for _, test := range []struct {
		name, schema string
		page         fakePage
		want         string
	}{
		{"JSON-LD", record, fakePage{title: "Lamp", markdown: "# Lamp\nbuy it", html: linked}, `{"brand":"Lux","name":"Lamp","price":19.5}`},
		{"table", list, fakePage{title: "T", markdown: "| Name | Price |\n|---|---|\n| A | $1.50 |\n| [B](/b) | 2 |\n| | 3 |"}, `{"rows":[{"name":"A","price":1.5},{"name":"B","price":2}]}`},
		{"table of German numbers", list, fakePage{title: "T", markdown: "| Price | Name | Other |\n|---|---|---|\n| 1.234 | A | x |\n| 1.234,50 | B | y |"}, `{"rows":[{"name":"A","price":1234},{"name":"B","price":1234.5}]}`},
		{"table with its sum", list, fakePage{title: "T", markdown: "| Name | Price |\n|---|---|\n| A | 1.50 |\n| Total | 1.00 |\n| B | 2 |\n| **Total** | 4.50 |"}, `{"rows":[{"name":"A","price":1.5},{"name":"Total","price":1},{"name":"B","price":2}]}`},
		{"table of one that is named so", list, fakePage{title: "T", markdown: "| Name | Price |\n|---|---|\n| Shell | 70 |\n| Total | 60 |"}, `{"rows":[{"name":"Shell","price":70},{"name":"Total","price":60}]}`},
		{"tables behind each other", list, fakePage{title: "T", markdown: "| Name | Price |\n|---|---|\n| A | 1 |\n\n| Price | Name |\n|---|---|\n| 2 | B |\n| Price | Name |\n| 3 | C |"}, `{"rows":[{"name":"A","price":1},{"name":"B","price":2},{"name":"C","price":3}]}`},
		{"a row of dashes", bare, fakePage{title: "T", markdown: "| Name | Price |\n|---|---|\n| A | 1 |\n| – | - |\n| B | 2 |\n| - | - |"}, `{"rows":[{"name":"A","price":1},{"name":"B","price":2}]}`},
		{"microdata", record, fakePage{title: "Lamp", markdown: "# Lamp", html: `<body><div itemscope itemtype="https://schema.org/Product"><span itemprop=name>Lamp</span><span itemprop=brand>Lux</span><div itemprop=offers itemscope itemtype="https://schema.org/Offer"><meta itemprop=price content="19.50"></div></div></body>`}, `{"brand":"Lux","name":"Lamp","price":19.5}`},
		{"JSON-LD beside that of another thing", record, fakePage{title: "Lamp", markdown: "# Lamp", html: other}, `{"brand":"Lux","name":"Lamp","price":19.5}`},
		{"JSON-LD, whether it can be had", had, fakePage{title: "Big Lamp | Shop", markdown: "# Big Lamp", html: `<script type="application/ld+json">{"@type":"Product","name":"Lamp, big","offers":{"price":"19.50","availability":"http://schema.org/SoldOut"}}</script>`}, `{"inStock":false,"name":"Lamp, big"}`},
	} {
		r := one(t, test.page, test.schema, silent(t))
		if string(r.Data) != test.want {
			t.Errorf("%s: %s, want %s; issues %v", test.name, r.Data, test.want, r.Issues)
		}
		for pointer, ev := range r.Fields {
			if ev.Grade != finding.GradeExact || ev.Source != "S1" {
				t.Errorf("%s: %s: %+v", test.name, pointer, ev)
			}
		}
		if r.Spend.Calls != 1 || r.Spend.Free != 1 || r.Spend.Credits/1000 != llm.Credit/1000 { // the plan
			t.Errorf("%s: spend %+v", test.name, r.Spend)
		}
	}
}

// TestFreeInPart lets a model read what a page does not say all of for machines:
// more things are linked, or another table resembles the one that fits.
func TestFreeInPart(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	links := "# Shop\n- [Lamp 1](/p/1) $10\n- [Lamp 2](/p/2) $11\n- [Lamp 3](/p/3) $12\n[Home](/) [Terms](/terms)"
	linked := `<script type="application/ld+json">[{"@type":"Product","name":"Lamp 1","offers":{"price":"10"}},{"@type":"Product","name":"Lamp 2","offers":{"price":"11"}}]</script>`
	table := "| Name | Price |\n|---|---|\n| Lamp 1 | 10 |\n| Lamp 2 | 11 |\n"
	for _, test := range []struct {
		name string
		page fakePage
		rows int
	}{
		{"all that is linked", fakePage{title: "T", html: linked, markdown: strings.Replace(links, "- [Lamp 3](/p/3) $12\n", "", 1)}, 2},
		{"more is linked", fakePage{title: "T", html: linked, markdown: links}, 3},
		{"one table", fakePage{title: "T", markdown: table + "\n| Day | Open |\n|---|---|\n| Mon | 9 |\n| Tue | 9 |\n"}, 2},
		{"another table", fakePage{title: "T", markdown: table + "\n| Lamp | Price |\n|---|---|\n| Lamp 3 | 12 |\n| Lamp 4 | 13 |\n"}, 4},
	} {
		truth := truth{fields: []string{"name", "price"}, rows: [][]string{{"Lamp 1", "10"}, {"Lamp 2", "11"}, {"Lamp 3", "12"}, {"Lamp 4", "13"}}}
		m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) { return truth.extract(c) }}
		r := one(t, test.page, schema, m)
		if n := strings.Count(string(r.Data), `"name"`); n != test.rows || (len(m.calls) > 0) != (test.rows > 2) || len(r.Issues) > 0 {
			t.Errorf("%s: %s, %d calls, issues %+v", test.name, r.Data, len(m.calls), r.Issues)
		}
	}
}

// TestUnknownWords says which texts were given for a boolean or a number that are none, and
// asks again only if the page does not have them. It asks which number such a text states.
func TestUnknownWords(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"vegan":{"type":"boolean"},"price":{"type":"number"}},"required":["name"]}}}}`
	m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		row := func(name string, line int, vegan, price any) map[string]any {
			return map[string]any{"v": map[string]any{"name": name, "vegan": vegan, "price": price}, "ln": map[string]any{"name": []int{line}, "vegan": []int{line}, "price": []int{line}}}
		}
		return reply(map[string]any{"kind": "list", "rows": []any{row("Soup", 1, "on request", "Ask the chef"), row("Stew", 2, "on request", 9.5), row("Cake", 3, "n/a", "n/a")}})
	}}
	r := one(t, fakePage{title: "Menu", markdown: "- Soup, vegan: on request. Ask the chef\n- Stew, vegan: on request. 9.50\n- Cake, n/a"}, schema, m)
	var said []string
	for _, i := range r.Issues {
		said = append(said, string(i.Kind)+" "+i.Detail)
	}
	want := `invalid price "Ask the chef", vegan "on request", vegan "on request"`
	if len(said) != 1 || said[0] != want || len(m.calls) != 2 || m.calls[1].Role != llm.RoleVerify || strings.Count(string(r.Data), "name") != 3 {
		t.Errorf("%s, issues %q after %d calls, want %q", r.Data, said, len(m.calls), want)
	}
}

// TestTrouble tells pages that are not read, and does not bill them.
func TestTrouble(t *testing.T) {
	const schema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	for _, test := range []struct {
		name string
		page fakePage
		want finding.IssueKind
	}{
		{"missing", fakePage{status: 404, markdown: "# Lamp"}, finding.IssueNotFound},
		{"forbidden", fakePage{status: 403, markdown: "x"}, finding.IssueBlocked},
		{"too many", fakePage{status: 429}, finding.IssueBlocked},
		{"broken", fakePage{status: 500}, finding.IssueUnreadable},
		{"wall", fakePage{title: "Just a moment...", markdown: "Checking your browser before you go on."}, finding.IssueBlocked},
		{"soft 404", fakePage{title: "Page not found", markdown: "Sorry, nothing here. [Home](/)"}, finding.IssueNotFound},
		{"application", fakePage{title: "App", markdown: "Loading", html: `<body><div id="root"></div><script src="x.js"></script></body>`}, ""},
		{"empty", fakePage{title: "Nothing"}, finding.IssueUnreadable},
		{"out of scope", fakePage{to: "https://b.test/"}, finding.IssueRedirect},
	} {
		m := silent(t)
		if test.want == "" { // rendered again, then read
			m = &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
				return reply(protocol.ExtractReply{Total: -1, Kind: "none"})
			}}
		}
		r := one(t, test.page, schema, m)
		if test.want != "" && (len(r.Issues) == 0 || !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == test.want })) {
			t.Errorf("%s: issues %v, want %s", test.name, r.Issues, test.want)
		}
		if test.want != "" && r.Spend.Credits >= llm.Credit/1000 || r.Valid || r.Found {
			t.Errorf("%s: spend %+v, valid %v, found %v", test.name, r.Spend, r.Valid, r.Found)
		}
		if string(r.Data) != "{}" {
			t.Errorf("%s: data %s", test.name, r.Data)
		}
	}
}

// TestLongPage reads a page of many chunks and rows to its end.
func TestLongPage(t *testing.T) {
	const n = 460
	truth := truth{fields: []string{"name", "price"}}
	var b strings.Builder
	for i := range n {
		name := fmt.Sprintf("Thing %d", 10_000+i)
		truth.rows = append(truth.rows, []string{name, fmt.Sprintf("$%d.5", 20_000+i)})
		fmt.Fprintf(&b, "## %s\n%s\ncosts $%d.5\n\n", name, strings.Repeat("words and words ", 8), 20_000+i)
	}
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}}}`
	length := 0
	for _, test := range []struct {
		name string
		wrap func(c llm.Call, r llm.Reply, err error) (llm.Reply, error)
	}{
		{"as it is", func(_ llm.Call, r llm.Reply, err error) (llm.Reply, error) { return r, err }},
		{"cut replies", func(c llm.Call, r llm.Reply, err error) (llm.Reply, error) {
			if strings.Contains(c.User, "rows: 40\n") {
				length++
				return llm.Reply{Finish: llm.FinishLength}, err
			}
			return r, err
		}},
		{"a small context", func(c llm.Call, r llm.Reply, err error) (llm.Reply, error) {
			if len(c.User) > 8000 {
				return llm.Reply{Finish: llm.FinishOverflow}, err
			}
			return r, err
		}},
	} {
		m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
			r, err := truth.extract(c)
			return test.wrap(c, r, err)
		}}
		r := one(t, fakePage{title: "Things", markdown: b.String()}, schema, m)
		if got := strings.Count(string(r.Data), `"name"`); got != n || !r.Valid {
			t.Errorf("%s: %d rows of %d, %d calls, issues %v", test.name, got, n, len(m.calls), r.Issues)
		}
	}
	if length == 0 {
		t.Error("no reply was cut")
	}
}

// TestLongRecord reads a record in parts where its lists are too long for one
// reply.
func TestLongRecord(t *testing.T) {
	const n = 200
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "## Office %d\n%s\nmail: desk%d@mail.test\n\n", i, strings.Repeat("words and words ", 5), i)
	}
	m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		var mails []string
		first, last := 0, 0
		lines := read(c.User).lines
		for _, i := range slices.Sorted(maps.Keys(lines)) {
			if _, mail, ok := strings.Cut(lines[i], "mail: "); ok {
				first, last = cmp.Or(first, i), i
				mails = append(mails, mail)
			}
		}
		if len(mails) > 20 { // as many as fit
			return llm.Reply{Finish: llm.FinishLength}, nil
		}
		return reply(map[string]any{"rows": []any{map[string]any{"v": map[string]any{"mails": mails}, "ln": map[string]any{"mails": []int{first, last}}}}})
	}}
	r := one(t, fakePage{title: "Mail", markdown: b.String()}, `{"type":"object","properties":{"mails":{"type":"array","items":{"type":"string"}}}}`, m)
	if got := strings.Count(string(r.Data), "@"); got != n || len(r.Issues) > 0 {
		t.Errorf("%d of %d, %d calls, issues %v", got, n, len(m.calls), r.Issues)
	}
}

// TestClaims says of which table a page claims more rows than were found.
func TestClaims(t *testing.T) {
	const schema = `{"type":"object","properties":{"shops":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},"towns":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}}`
	m := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		if strings.Contains(c.User, `"id":"T1"`) {
			return llm.Reply{JSON: json.RawMessage(`{"rows":[{"v":{"name":"Alpha"},"ln":{"name":[2,2]}}],"total":7,"total_ln":1,"kind":"list"}`)}, nil
		}
		return llm.Reply{JSON: json.RawMessage(`{"rows":[{"v":{"name":"Beta"},"ln":{"name":[3,3]}}],"total":-1,"kind":"list"}`)}, nil
	}}
	r := one(t, fakePage{title: "T", markdown: "All 7 shops\nAlpha\nBeta\n"}, schema, m)
	want := []finding.Issue{{Kind: finding.IssueTotal, Pointer: "/shops", Detail: "a page says that there are 7, and 1 were found", Source: "S1"}}
	if !slices.Equal(want, r.Issues) {
		t.Errorf("issues %+v", r.Issues)
	}
}

// TestFaultyReplies reads what can be read of sloppy replies. If no reply of a run can
// be used, the run fails.
func TestFaultyReplies(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name"]}}}}`
	page := fakePage{title: "T", markdown: "# List\nAlpha 12\nBeta 13"}
	for _, test := range []struct{ name, json, want string }{
		{"number as text", `{"rows":[{"v":{"name":"Alpha","n":"12"},"ln":{"name":[2,2],"n":[2,2]}}],"total":-1,"total_ln":0,"more":false,"kind":"list"}`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"wrong line", `{"rows":[{"v":{"name":"Alpha","n":12},"ln":{"name":[3,3],"n":[1,1]}}],"kind":"list"}`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"no lines", `{"rows":[{"v":{"name":"Alpha","n":12}}],"kind":"list"}`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"unknown members, no row, empty row", `{"rows":[{},{"v":null},{"v":{"name":"Beta","x":1},"ln":{"name":[3,3],"x":[1]}}],"kind":"list"}`, `{"rows":[{"name":"Beta"}]}`},
		{"wrong row", `{"rows":[{"v":{"name":"Alpha","n":13},"ln":{"name":[2,2],"n":[3,3]}},{"v":{"name":"Beta","n":13},"ln":{"name":[3,3],"n":[3,3]}}],"kind":"list"}`, `{"rows":[{"name":"Alpha"},{"n":13,"name":"Beta"}]}`},
		{"invented", `{"rows":[{"v":{"name":"Gamma","n":12},"ln":{"name":[2,2],"n":[2,2]}}],"kind":"list"}`, `{"rows":[]}`},
		{"lines as numbers and texts", `{"rows":[{"v":{"name":"Alpha","n":12},"ln":{"name":2,"n":"2"}},{"v":{"name":"Beta","n":13},"ln":{"name":["3","3"],"n":[3.0,3]}}],"total":"two","total_ln":null,"more":"false"}`, `{"rows":[{"n":12,"name":"Alpha"},{"n":13,"name":"Beta"}]}`},
		{"lines of no form", `{"rows":[{"v":{"name":"Alpha","n":12},"ln":"2"},{"v":{"name":"Beta","n":13},"ln":{"name":[3,3],"n":{"from":3}}}]}`, `{"rows":[{"n":12,"name":"Alpha"},{"n":13,"name":"Beta"}]}`},
		{"a row alone, its values in it", `{"rows":{"name":"Alpha","n":"12","ln":{"name":[2,2],"n":[2,2]}}}`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"rows beside texts", `{"rows":["x",null,7,{"v":{"name":"Beta"},"ln":{"name":[3,3]}}]}`, `{"rows":[{"name":"Beta"}]}`},
		{"huge lines", `{"rows":[{"v":{"name":"Alpha","n":12},"ln":{"name":[2,2],"n":[1e300,-1e300]}}],"total":1e300,"total_ln":-5}`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"two names of one member", `{"rows":[],"rows":[{"v":{"name":"Beta"},"ln":{"name":[3,3]}}]}`, `{"rows":[{"name":"Beta"}]}`},
		{"escapes", `{"rows":[{"v":{"name":"\u0042eta\u0000"},"ln":{"name":[3,3]}},{"v":{"name":"\ud800Alpha"},"ln":{"name":[2,2]}}]}`, `{"rows":[]}`},
		{"fence and prose", "Here:\n```json\n{\"rows\":[{\"v\":{\"name\":\"Beta\",},\"ln\":{\"name\":[3,3]}}]}\n```", `{"rows":[{"name":"Beta"}]}`},
		{"an object in a text", `"{\"rows\":[{\"v\":{\"name\":\"Beta\"},\"ln\":{\"name\":[3,3]}}]}"`, `{"rows":[{"name":"Beta"}]}`},
		{"not a number", `{"rows":[{"v":{"name":"Beta","n":NaN},"ln":{"name":[3,3]}}]}`, `{"rows":[{"name":"Beta"}]}`},
		{"cut", `{"rows":[{"v":{"name":"Alpha","n":12},"ln":{"name":[2,2],"n":[2,2]}},{"v":{"name":"Beta","n":1`, `{"rows":[{"n":12,"name":"Alpha"}]}`},
		{"a list", `[1,2]`, ""},
		{"null", `null`, ""},
		{"no JSON", ``, ""},
		{"another shape", `{"rows":"x"}`, ""},
		{"other members", `{"answer":"Alpha"}`, ""},
	} {
		m := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
			if test.json == "" {
				return llm.Reply{Finish: llm.FinishInvalid}, nil
			}
			return llm.Reply{JSON: json.RawMessage(test.json)}, nil
		}}
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": page}}
		task := agent.Task{Prompt: "p", URLs: []string{"https://a.test/x"}, Strict: true, Schema: json.RawMessage(schema), Journal: &fakeJournal{}}
		r, err := (&agent.Engine{Model: m, Fetch: web}).Run(t.Context(), task)
		if (test.want == "") != errors.Is(err, llm.ErrProvider) || test.want != "" && err != nil {
			t.Errorf("%s: error %v", test.name, err)
		}
		if test.want != "" && string(r.Data) != test.want {
			t.Errorf("%s: %s, want %s; issues %v", test.name, r.Data, test.want, r.Issues)
		}
		for _, e := range task.Journal.(*fakeJournal).all() {
			if _, err := json.Marshal(e); err != nil {
				t.Errorf("%s: an event cannot be kept: %v", test.name, err)
			}
		}
		if !r.Spend.Usage.Estimated || r.Spend.Usage.Output < len(test.json)/3 {
			t.Errorf("%s: usage %+v is not an estimate", test.name, r.Spend.Usage)
		}
	}
}

// TestFold gives the table at each event of a journal; at the end it is the
// result.
func TestFold(t *testing.T) {
	web, truth := shop(6)
	j := &fakeJournal{}
	task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Journal: j}
	r := run(t, &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}, task)
	events := j.all()
	rows := -1
	for _, e := range events {
		data, err := agent.Fold(history(events), e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), `"name"`); n < rows {
			t.Errorf("at %d: %d rows after %d", e.Seq, n, rows)
		} else {
			rows = n
		}
		if e.Kind == journal.EventFinished && string(data) != string(r.Data) {
			t.Errorf("folded %s, result %s", data, r.Data)
		}
	}
}

// TestConflict keeps both values, and lets the model choose among them.
func TestConflict(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}},"verdict":{"type":"string"}}}`
	web := &fakeWeb{pages: map[string]fakePage{
		"https://a.test/": {title: "A", markdown: "Lamp\n$10.00"},
		"https://b.test/": {title: "B", markdown: "Lamp\n$12.00"},
	}}
	prices := truth{fields: []string{"name", "price"}}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		switch c.Role {
		case llm.RoleVerify:
			return reply(map[string]any{"cells": []any{map[string]any{"i": 0, "verdict": "pick", "pick": 1}, map[string]any{"i": 7, "verdict": "pick", "pick": 9}}})
		case llm.RoleSynthesize:
			return reply(map[string]any{"v": map[string]any{"verdict": "Lamps cost 12"}})
		}
		own := prices
		own.rows = [][]string{{"Lamp", "$10.00"}}
		if strings.Contains(c.User, "$12.00") {
			own.rows = [][]string{{"Lamp", "$12.00"}}
		}
		return own.extract(c)
	}}
	e := &agent.Engine{Model: model, Fetch: web, Profiles: map[string]llm.Profile{"": {Plan: "m", Check: llm.CheckConflicts}}}
	r := run(t, e, agent.Task{Prompt: "p", URLs: []string{"https://a.test/", "https://b.test/"}, Strict: true, Schema: json.RawMessage(schema)})
	if want := `{"rows":[{"name":"Lamp","price":12}],"verdict":"Lamps cost 12"}`; string(r.Data) != want {
		t.Errorf("%s, want %s", r.Data, want)
	}
	if ev := r.Fields["/verdict"]; ev.Grade != finding.GradeDerived || !slices.Equal(ev.Also, []string{"S2"}) {
		t.Errorf("verdict %+v", ev)
	}
	if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
		return i.Kind == finding.IssueConflict && i.Pointer == "/rows/0/price" && strings.Contains(i.Detail, "10 (S1)") && strings.Contains(i.Detail, "12 (S2)")
	}) {
		t.Errorf("issues %v", r.Issues)
	}
}

// TestSynthesizeMany checks that an answer drawn from some of many rows says so.
func TestSynthesizeMany(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}},"verdict":{"type":"string"}}}`
	for rows, want := range map[int]string{200: "", 203: "verdict: only 200 of 203 rows were taken into account"} {
		var page strings.Builder
		page.WriteString("# Lamps\n\n| Name | Price |\n| --- | --- |\n")
		for i := range rows {
			fmt.Fprintf(&page, "| Lamp %d | %d.50 |\n", 1000+i, 10+i)
		}
		web := &fakeWeb{pages: map[string]fakePage{"https://a.test/": {title: "A", markdown: page.String()}}}
		model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role != llm.RoleSynthesize {
				t.Errorf("the model is asked to %s", c.Role)
			}
			return reply(map[string]any{"v": map[string]any{"verdict": "Lamp 1000 costs 10.50"}})
		}}
		r := run(t, &agent.Engine{Model: planned{model}, Fetch: web}, agent.Task{Prompt: "p", URLs: []string{"https://a.test/"}, Strict: true, Schema: json.RawMessage(schema)})
		var got strings.Builder
		for _, issue := range r.Issues {
			if issue.Kind == finding.IssueLimit {
				got.WriteString(issue.Detail)
			}
		}
		if n := strings.Count(string(r.Data), `"name"`); n != rows || got.String() != want {
			t.Errorf("%d of %d rows, %q, want %q", n, rows, got.String(), want)
		}
	}
}

// TestUnwritten says that a text about the rows is missing because the model did not write it,
// although no schema requires it.
func TestUnwritten(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}},"verdict":{"type":"string"}}}`
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/": {title: "A", markdown: "# Lamps\n\n| Name | Price |\n| --- | --- |\n| Lamp 1 | 10.50 |\n| Lamp 2 | 11.50 |\n"}}}
	for said, want := range map[string]struct {
		stop  finding.Reason
		issue string
	}{
		`{"v":{"verdict":"Lamp 1 costs 10.5"}}`: {finding.ReasonDone, ""},
		`{"v":{"verdict":"Lamp 1 costs 99"}}`:   {finding.ReasonDry, "verdict: 1 of 1 sentences were dropped, because the rows and lines that they cite do not support them"},
		`{"v":{"verdict":" "}}`:                 {finding.ReasonDry, "verdict: the model gave no reply that could be used"},
		`{"v":3}`:                               {finding.ReasonDry, "verdict: the model gave no reply that could be used"},
	} {
		model := &fakeModel{answer: func(_ context.Context, _ llm.Call) (llm.Reply, error) {
			return llm.Reply{JSON: json.RawMessage(said), Finish: llm.FinishOK}, nil
		}}
		r := run(t, &agent.Engine{Model: planned{model}, Fetch: web}, agent.Task{Prompt: "p", URLs: []string{"https://a.test/"}, Strict: true, Schema: json.RawMessage(schema)})
		var found strings.Builder
		for _, issue := range r.Issues {
			found.WriteString(issue.Detail)
		}
		if r.Stop != want.stop || found.String() != want.issue || strings.Contains(string(r.Data), "verdict") != (want.issue == "") {
			t.Errorf("%s: %s, %q, %s %+v", said, r.Stop, found.String(), r.Data, r.Issues)
		}
	}
}

// TestManyFields asks for 250 fields in three parts, each with the key.
func TestManyFields(t *testing.T) {
	var members, lines []string
	for i := range 249 {
		members = append(members, fmt.Sprintf(`"f%03d":{"type":"integer"}`, i))
		lines = append(lines, fmt.Sprintf("- f%03d: %d", i, 5000+i))
	}
	row := `{"type":"object","properties":{"name":{"type":"string"},` + strings.Join(members, ",") + `},"required":["name"]}`
	record := false
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		var form struct {
			Properties struct {
				Rows struct {
					Items struct {
						Properties struct {
							V struct{ Properties map[string]any }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(c.Schema, &form); err != nil {
			return llm.Reply{}, err
		}
		values, at := map[string]any{}, map[string][]int{}
		names := form.Properties.Rows.Items.Properties.V.Properties
		if len(names) > 100 || names["name"] == nil && !record {
			t.Errorf("%d fields asked for", len(names))
		}
		for name := range names {
			values[name], at[name] = "Thing", []int{1}
			if name != "name" {
				var n int
				fmt.Sscanf(name, "f%d", &n)
				values[name], at[name] = 5000+n, []int{n + 2}
			}
		}
		return reply(map[string]any{"rows": []any{map[string]any{"v": values, "ln": at}}, "total": -1, "total_ln": 0, "more": false, "kind": "detail"})
	}}
	for _, schema := range []string{row, `{"type":"object","properties":{"rows":{"type":"array","items":` + row + `}}}`} {
		record, model.calls = schema == row, nil
		r := one(t, fakePage{title: "Thing", markdown: "# Thing\n" + strings.Join(lines, "\n")}, schema, model)
		if n := strings.Count(string(r.Data), `"f`); n != 249 || len(r.Fields) != 250 || model.count(llm.RoleExtract) != 3 {
			t.Errorf("%d values, %d fields, %d calls; issues %v", n, len(r.Fields), model.count(llm.RoleExtract), r.Issues)
		}
	}
}

// TestWideRows reads a list whose rows are so wide that few fit into a reply.
func TestWideRows(t *testing.T) {
	var members, names []string
	for i := range 40 {
		members = append(members, fmt.Sprintf(`"field%02d":{"type":"integer"}`, i))
		names = append(names, fmt.Sprintf("field%02d", i))
	}
	schema := `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},` + strings.Join(members, ",") + `},"required":["name"]}}}}`
	all := truth{fields: append([]string{"name"}, names...)}
	var lines []string
	for i := range 12 {
		row := []string{fmt.Sprintf("Thing%d", i)}
		for k := range 40 {
			row = append(row, strconv.Itoa(10_000+100*i+k))
		}
		all.rows = append(all.rows, row)
		lines = append(lines, strings.Join(row, " · "))
	}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		r, err := all.extract(c)
		if len(r.JSON)/3 > c.MaxOutput { // as servers cut
			return llm.Reply{Finish: llm.FinishLength, Usage: llm.Usage{Input: 1000, Output: c.MaxOutput}}, err
		}
		return r, err
	}}
	r := one(t, fakePage{title: "T", markdown: strings.Join(lines, "\n")}, schema, model)
	if n := strings.Count(string(r.Data), `"name"`); n != 12 || len(r.Issues) > 0 {
		t.Errorf("%d rows, want 12; %d calls, issues %v", n, len(model.calls), r.Issues)
	}
}

// TestColumns reads the first rows of a table whose header names only some
// fields, and all others, also of a second page, without a model.
func TestColumns(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{}}
	for p := range 2 {
		var b strings.Builder
		b.WriteString("# Parts\n\n| Name | Retail | Since |\n|---|---|---|\n")
		for i := range 60 {
			fmt.Fprintf(&b, "| Part %d | $%d.50 | %d March 2024 |\n", 1000*p+i, 700+i, 1+i%28)
		}
		web.pages[fmt.Sprintf("https://a.test/%d", p)] = fakePage{title: "Parts", markdown: b.String()}
	}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		var rows []any
		for _, m := range regexp.MustCompile(`(?m)^(\d+)\| \| (.+) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(c.User, -1) {
			if n, _ := strconv.Atoi(m[1]); strings.HasPrefix(m[2], "Part") {
				at := []int{n}
				rows = append(rows, map[string]any{
					"v": map[string]any{"name": m[2], "price": m[3], "listed": m[4]}, "ln": map[string]any{"name": at, "price": at, "listed": at},
				})
			}
		}
		return reply(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "list"})
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{
		Prompt: "All parts", URLs: []string{"https://a.test/0", "https://a.test/1"}, Strict: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"listed":{"type":"string","format":"date"},"note":{"type":"string"}},"required":["name","price"]}}}}`),
	})
	if n := model.count(llm.RoleExtract); n != 1 || strings.Count(string(r.Data), `"name"`) != 120 || strings.Count(string(r.Data), `"listed"`) != 120 {
		t.Errorf("%d calls, %s, issues %v", n, r.Data, r.Issues)
	}
	if !strings.Contains(string(r.Data), `{"listed":"2024-03-04","name":"Part 1059","price":759.5}`) {
		t.Errorf("data %s", r.Data)
	}
	if r.Spend.Free != 1 {
		t.Errorf("%d pages were free", r.Spend.Free)
	}
}
