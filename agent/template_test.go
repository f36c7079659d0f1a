// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
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
