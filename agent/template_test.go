// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// TestDemotion re-reads what a wrapper got wrong: the site moves the price of
// some pages to another element.
func TestDemotion(t *testing.T) {
	web, truth := shop(40)
	for i := 4; i <= 40; i++ {
		u := fmt.Sprintf("https://shop.test/p/%d", i)
		p := web.pages[u]
		p.html = strings.Replace(p.html, `<li class="price">Price: `, `<li class="price">Price: $1</li><li class="now">Now: `, 1)
		web.pages[u] = p
	}
	model := &fakeModel{answer: director(truth)}
	j := &fakeJournal{}
	task := shopTask(40, agent.Limits{})
	task.Journal = j
	r := run(t, &agent.Engine{Model: model, Fetch: web}, task)
	if strings.Contains(string(r.Data), `"price":1,`) || strings.Count(string(r.Data), `"price"`) != 40 {
		t.Errorf("data %s", r.Data)
	}
	if !slices.ContainsFunc(j.all(), func(e journal.Event) bool { return e.Kind == journal.EventDemoted || e.Kind == journal.EventLearned }) {
		t.Error("nothing was learned")
	}
}

// TestRelearn learns a template anew after a demotion: the pages behind it are
// read without the model again, and the third time no more.
func TestRelearn(t *testing.T) {
	web, truth := shop(300)
	for i := 1; i <= 300; i++ {
		u := fmt.Sprintf("https://shop.test/p/%d", i)
		p := web.pages[u]
		if i <= 3 {
			p.html = strings.Replace(p.html, `</ul>`, `<li class="now">Now: none</li></ul>`, 1)
		} else {
			head, rest, _ := strings.Cut(p.html, `Price: `)
			price, tail, _ := strings.Cut(rest, `</li>`)
			p.html = head + "Price: $1</li>" + strings.Replace(tail, `</ul>`, `<li class="now">Now: `+price+`</li></ul>`, 1)
		}
		web.pages[u] = p
	}
	model := &fakeModel{answer: director(truth)}
	j := &fakeJournal{}
	task := shopTask(300, agent.Limits{})
	task.Journal = j
	r := run(t, &agent.Engine{Model: model, Fetch: web}, task)
	if strings.Contains(string(r.Data), `"price":1,`) || strings.Count(string(r.Data), `"price"`) != 300 {
		t.Errorf("data %s", r.Data)
	}
	kinds := map[journal.Kind]int{}
	for _, e := range j.all() {
		kinds[e.Kind]++
	}
	if kinds[journal.EventDemoted] != 1 || kinds[journal.EventLearned] != 2 || r.Spend.Free < 200 {
		t.Errorf("demoted %d, learned %d, free %d of 300", kinds[journal.EventDemoted], kinds[journal.EventLearned], r.Spend.Free)
	}
}

// TestTemplateOfAddress gives the pages of one form of address one template, whether their
// addresses end with a stroke or not.
func TestTemplateOfAddress(t *testing.T) {
	for shape, want := range map[string]string{
		"shop.test/p/teapot":      "shop.test/p/{s}?",
		"shop.test/p/teapot/":     "shop.test/p/{s}?",
		"shop.test/teapot/":       "shop.test/{s}?",
		"shop.test/teapot/?lang":  "shop.test/{s}?lang",
		"shop.test/":              "shop.test?",
		"shop.test/p/{n}/reviews": "shop.test/p/{n}/{s}?",
	} {
		if got := agent.Template(shape); got != want {
			t.Errorf("%s: got %s, want %s", shape, got, want)
		}
	}
}

// TestSeedsVisitedAgain learns a template from pages that are asked for again before the last of
// the pages that teach it was read.
func TestSeedsVisitedAgain(t *testing.T) {
	web, truth := shop(40)
	var decisions atomic.Int32
	direct := director(truth)
	model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role == llm.RoleDecide && decisions.Add(1) <= 2 { // the first two pages, and both once more
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoRead, H: []string{"L2", "L3"}}}})
		}
		return direct(ctx, c)
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets with price and stock", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	if got := strings.Count(string(r.Data), `"price"`); got != 40 {
		t.Errorf("%d rows", got)
	}
	// The list, the two pages, one more that teaches, and spot checks.
	if n := model.count(llm.RoleExtract); n > 1+2+1+3 {
		t.Errorf("%d pages were read by the model", n)
	}
}

// TestOneName keeps two things with one name apart, because each has a page of its own with other
// values. A second page with the same values is about the same thing.
func TestOneName(t *testing.T) {
	for _, test := range []struct {
		name string
		as   func(row []string) []string // what the second page with the name says
		want int
	}{
		{"two things", func(row []string) []string { return []string{"Widget 1003", row[1], row[2]} }, 12},
		{"one thing", func([]string) []string { return []string{"Widget 1003", "$13.03", "503"} }, 11},
	} {
		web, truth := shop(12)
		old := truth.rows[6]
		twin := test.as(old)
		p := web.pages["https://shop.test/p/7"]
		for i := range twin {
			p.title = strings.ReplaceAll(p.title, old[i], twin[i])
			p.markdown = strings.ReplaceAll(p.markdown, old[i], twin[i])
			p.html = strings.ReplaceAll(p.html, old[i], twin[i])
		}
		web.pages["https://shop.test/p/7"] = p
		list := web.pages["https://shop.test/"]
		list.markdown = strings.Replace(list.markdown, "["+old[0]+"]", "["+twin[0]+"]", 1)
		web.pages["https://shop.test/"] = list
		truth.rows[6] = twin
		direct := director(truth)
		model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			r, err := direct(ctx, c)
			if c.Role != llm.RoleExtract || err != nil {
				return r, err
			}
			var said protocol.ExtractReply
			if err := json.Unmarshal(r.JSON, &said); err != nil {
				return llm.Reply{}, err
			}
			if len(said.Rows) == 2 { // the page of one of the two
				said.Rows = slices.DeleteFunc(said.Rows, func(row struct {
					V  map[string]any   `json:"v"`
					Ln map[string][]int `json:"ln"`
				},
				) bool {
					return row.V["price"] == nil
				})
				said.Rows, said.Kind = said.Rows[:1], "detail"
			}
			return reply(said)
		}}
		r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets with price and stock", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
		weak := 0
		for _, i := range r.Issues {
			if i.Kind == finding.IssueWeakKey {
				weak++
			}
		}
		if got := strings.Count(string(r.Data), `"price"`); got != test.want || weak != 2*(test.want-11) || test.want == 12 && !strings.Contains(string(r.Data), `"price":17.07`) {
			t.Errorf("%s: %d rows, %d issues about keys: %s", test.name, got, weak, r.Data)
		}
	}
}
