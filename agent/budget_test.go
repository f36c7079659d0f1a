// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
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

// billed is a model that answers as direct does, and is billed for the tokens of real
// texts: one for three and a half bytes.
func billed(direct func(context.Context, llm.Call) (llm.Reply, error)) *fakeModel {
	return &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		r, err := direct(ctx, c)
		r.Usage = llm.Usage{Input: (len(c.System) + len(c.User) + len(c.Schema)) * 2 / 7, Output: len(r.JSON) / 3}
		return r, err
	}}
}

// longShop is a shop of pages with so many more lines, which only the model can read.
func longShop(n, lines int) (*fakeWeb, truth) {
	web, truth := shop(n)
	for u, p := range web.pages {
		p.html = ""
		p.markdown += strings.Repeat("\nSome more text about this fine thing that nobody reads at all.", lines)
		web.pages[u] = p
	}
	return web, truth
}

// TestUnspent leaves at most two credits and the price of one more page unspent, and
// makes rows of five credits.
func TestUnspent(t *testing.T) {
	const step = 1.9 // a page, and what the dearer model reads it for
	for _, rate := range []float64{0.4, 1} {
		for _, loop := range []bool{false, true} {
			for _, credits := range []agent.Credits{5, 8, 20} {
				web, truth := longShop(30, 150)
				model := billed(director(truth))
				task := shopTask(30, agent.Limits{Credits: credits * llm.Credit})
				if loop {
					task.URLs, task.Strict = []string{"https://shop.test/"}, false
				}
				task.Model = "m"
				e := &agent.Engine{Model: model, Fetch: web, Calls: 1, Profiles: map[string]llm.Profile{"m": {Plan: "x", Rate: rate}}}
				r, err := e.Run(t.Context(), task)
				if err != nil || r.Stop != finding.ReasonCredits {
					t.Fatalf("rate %v, loop %v, %d credits: stop %v, %v", rate, loop, credits, r.Stop, err)
				}
				left := float64(credits*llm.Credit-r.Spend.Credits) / float64(llm.Credit)
				if left < 0 || left > 2+step {
					t.Errorf("rate %v, loop %v: %.2f of %d credits are left", rate, loop, left, credits)
				}
				if rows := strings.Count(string(r.Data), `"name"`); rows == 0 || rows < r.Spend.Pages-2 {
					t.Errorf("rate %v, loop %v, %d credits: %d rows of %d pages", rate, loop, credits, rows, r.Spend.Pages)
				}
			}
		}
	}
}

// TestScanFree reserves nothing for scans that cost nothing.
func TestScanFree(t *testing.T) {
	for _, free := range []bool{false, true} {
		web, truth := longShop(3, 150)
		e := &agent.Engine{Model: billed(director(truth)), Fetch: web, Admit: func(context.Context, *agent.Task, string) (agent.Credits, error) { return 0, nil }}
		task := shopTask(3, agent.Limits{Credits: 2 * llm.Credit})
		if free {
			task.Scan = -1
		}
		r, err := e.Run(t.Context(), task)
		if got := r.Spend.Pages > 0; got != free {
			t.Errorf("free %v: %d pages, %v", free, r.Spend.Pages, err)
		}
	}
}

// TestKillsCostLittle charges for lost calls an estimate, and in all no more than a
// twentieth of what the run costs otherwise: twenty kills with calls in flight.
func TestKillsCostLittle(t *testing.T) {
	const all = 50
	play := func(past []journal.Event) (*agent.Result, []journal.Event) {
		web, truth := longShop(all, 10)
		task := shopTask(all, agent.Limits{})
		j := &fakeJournal{events: slices.Clip(past)}
		task.Journal = j
		if len(past) > 0 {
			task.History = history(past)
		}
		r := run(t, &agent.Engine{Model: billed(director(truth)), Fetch: web}, task)
		return r, j.all()
	}
	whole, events := play(nil)
	kills := 0
	for at, pending := 0, 0; kills < 20; at++ {
		if at >= len(events) {
			t.Fatalf("%d events have no place for another kill", len(events))
		}
		switch e := events[at]; {
		case e.Kind == journal.EventReserved && strings.HasPrefix(e.Call, "model:"):
			pending++
		case e.Kind == journal.EventSpent && strings.HasPrefix(e.Call, "model:"):
			pending = 0
		}
		if pending == 0 { // no call is in flight
			continue
		}
		_, events = play(events[:at+1])
		kills, pending, at = kills+1, 0, at+3
	}
	killed, _ := play(events[:len(events)-1])
	if string(killed.Data) != string(whole.Data) {
		t.Errorf("after %d kills: %s\nwant %s", kills, killed.Data, whole.Data)
	}
	if killed.Spend.Credits > whole.Spend.Credits*105/100 {
		t.Errorf("%d kills: %v credits, %v without; lost %v", kills, killed.Spend.Credits, whole.Spend.Credits, killed.Spend.Lost)
	}
	if killed.Spend.Lost == 0 || killed.Spend.Lost > killed.Spend.Credits/20 {
		t.Errorf("lost %v of %v credits", killed.Spend.Lost, killed.Spend.Credits)
	}
	if !json.Valid(killed.Data) {
		t.Error("no data")
	}
}

// TestDetailsFirst reads details of the first page of a long listing if the credits are
// not enough for all of them, and not the further pages of the listing. With enough
// credits it reads all.
func TestDetailsFirst(t *testing.T) {
	for _, credits := range []agent.Credits{5, 200} {
		web, truth := longShop(60, 10)
		list := strings.Split(web.pages["https://shop.test/"].markdown, "\n")[2:]
		for i := range 6 {
			u := "https://shop.test/list?page=" + strconv.Itoa(i+1)
			web.pages[u] = fakePage{
				title: "Shop", markdown: "# Shop\n\n" + strings.Join(list[10*i:10*i+10], "\n") + "\n",
				links: []agent.Link{{URL: "https://shop.test/list?page=" + strconv.Itoa(i+2), Rel: "next"}},
			}
		}
		model := billed(director(truth))
		direct := model.answer
		model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleDecide && strings.Contains(c.User, "step: 1\n") {
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoCollect, H: []string{"L1"}, Follow: "both"}}})
			}
			return direct(ctx, c)
		}
		task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/list?page=1"}, Schema: json.RawMessage(shopSchema), Limits: agent.Limits{Credits: credits * llm.Credit}}
		r := run(t, &agent.Engine{Model: model, Fetch: web, Profiles: map[string]llm.Profile{"": {Plan: "x", Rate: 0.4}}}, task)
		lists := 0
		for _, u := range web.requests() {
			if strings.Contains(u, "list?page=") {
				lists++
			}
		}
		rows := strings.Count(string(r.Data), `"name"`)
		switch {
		case credits == 5 && (lists != 1 || rows == 0 || r.Stop != finding.ReasonCredits):
			t.Errorf("5 credits: %d pages of the listing, %d rows, stop %v", lists, rows, r.Stop)
		case credits == 200 && (lists < 6 || rows != 60):
			t.Errorf("200 credits: %d pages of the listing, %d rows, stop %v, issues %v", lists, rows, r.Stop, r.Issues)
		}
	}
}
