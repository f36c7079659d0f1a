// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

func TestFast(t *testing.T) {
	web, truth := shop(10)
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) { return truth.extract(c) }}
	e := &agent.Engine{Model: planned{model}, Fetch: web}
	var urls []string
	for i := 1; i <= 10; i++ {
		urls = append(urls, fmt.Sprintf("https://shop.test/p/%d", i))
	}
	j := &fakeJournal{}
	r := run(t, e, agent.Task{Prompt: "All widgets", URLs: urls, Strict: true, Schema: json.RawMessage(shopSchema), Journal: j})
	var data struct {
		Items []struct {
			Name  string
			Price float64
			Stock int
		}
	}
	if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 10 || data.Items[3].Price != 14.04 || data.Items[3].Stock != 504 {
		t.Fatalf("data %s (%v), issues %v", r.Data, err, r.Issues)
	}
	if !r.Valid || r.Partial || r.Stop != finding.ReasonDone {
		t.Errorf("valid %v, partial %v, stop %v, issues %v", r.Valid, r.Partial, r.Stop, r.Issues)
	}
	if n := len(model.calls); n != 4 {
		t.Errorf("%d calls, want those of three seeds and one spot check", n)
	}
	if ev := r.Fields["/items/1/price"]; ev.Source != "S2" || ev.Lines != [2]int{3, 3} || ev.Grade != finding.GradeNormalized {
		t.Errorf("evidence %+v", ev)
	}
	if ev := r.Fields["/items/7/price"]; ev.Source != "S8" || ev.Lines != [2]int{3, 3} || ev.Grade != finding.GradeWrapper {
		t.Errorf("evidence %+v", ev)
	}
	var sum agent.Credits
	for _, e := range j.all() {
		if e.Kind == journal.EventSpent {
			sum += e.Amount
		}
	}
	if sum != r.Spend.Credits || r.Spend.Pages != 10 {
		t.Errorf("spend %+v, journal %v", r.Spend, sum)
	}
}

// director plans and decides for a shop: it collects the largest group, then
// finishes.
func director(t truth) func(context.Context, llm.Call) (llm.Reply, error) {
	return func(_ context.Context, c llm.Call) (llm.Reply, error) {
		a := read(c.User)
		switch c.Role {
		case llm.RolePlan:
			return reply(protocol.PlanReply{Tables: []journal.PlannedTable{{ID: "T1", What: "a widget", Keys: []string{"name"}}}, Start: []string{"L1"}})
		case llm.RoleDecide:
			var best protocol.PromptGroup
			for _, raw := range a.lists["groups"] {
				var g protocol.PromptGroup
				if err := json.Unmarshal(raw, &g); err != nil {
					return llm.Reply{}, err
				}
				if g.Unread > best.Unread {
					best = g
				}
			}
			if best.Unread == 0 {
				return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
			}
			return reply(protocol.DecideReply{Note: "all of them", Actions: []journal.Action{{Do: journal.DoCollect, H: []string{best.Handle}, Follow: "links"}}})
		case llm.RoleExtract:
			return t.extract(c)
		}
		return llm.Reply{Finish: llm.FinishRefusal}, nil
	}
}

func TestLoop(t *testing.T) {
	web, truth := shop(30)
	model := &fakeModel{answer: director(truth)}
	e := &agent.Engine{Model: model, Fetch: web}
	r := run(t, e, agent.Task{Prompt: "All widgets with price and stock", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	var data struct{ Items []map[string]any }
	if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 30 {
		t.Fatalf("%d items, stop %v, issues %v", len(data.Items), r.Stop, r.Issues)
	}
	if r.Stop != finding.ReasonDone || !r.Valid {
		t.Errorf("stop %v, valid %v, issues %v", r.Stop, r.Valid, r.Issues)
	}
	if n := len(web.requests()); n != 31 {
		t.Errorf("%d requests", n)
	}
	t.Logf("calls %d, spend %+v", len(model.calls), r.Spend)
}

// TestResume kills a run at each event, and resumes it from what was kept.
func TestResume(t *testing.T) {
	web, truth := shop(6)
	task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)}
	whole := &fakeJournal{}
	e := &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}
	task.Journal = whole
	want := run(t, e, task)
	events := whole.all()
	paid := map[string]bool{}
	for n := 1; n <= len(events); n++ {
		j := &fakeJournal{events: append([]journal.Event(nil), events[:n]...)}
		clear(paid)
		open := map[string]bool{}
		for _, ev := range events[:n] {
			switch ev.Kind {
			case journal.EventReserved:
				open[ev.Call] = true
			case journal.EventSpent:
				paid[ev.Call] = true
				delete(open, ev.Call)
			}
		}
		task.Journal, task.History = j, history(events[:n])
		got := run(t, e, task)
		if string(got.Data) != string(want.Data) {
			t.Fatalf("after %d of %d: data %s, want %s", n, len(events), got.Data, want.Data)
		}
		var sum agent.Credits
		for i, ev := range j.all() {
			if ev.Kind == journal.EventSpent {
				sum += ev.Amount
			}
			if i >= n && ev.Kind == journal.EventReserved && paid[ev.Call] {
				t.Errorf("after %d: %s is paid for again", n, ev.Call)
			}
		}
		if sum != got.Spend.Credits {
			t.Errorf("after %d: journal %v, spend %v (%d in flight)", n, sum, got.Spend.Credits, len(open))
		}
	}
}

// TestResumeAgain kills a run again and again where a page is paid for and not
// yet recorded: it is brought anew each time, and the run ends as it would have.
func TestResumeAgain(t *testing.T) {
	web, truth := shop(6)
	task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)}
	e := &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}
	want := run(t, e, task)
	var kept []journal.Event
	for range 4 {
		j := &fakeJournal{events: kept}
		task.Journal, task.History = j, history(kept)
		if got := run(t, e, task); string(got.Data) != string(want.Data) {
			t.Fatalf("after %d: data %s, want %s", len(kept), got.Data, want.Data)
		}
		events := j.all()
		n := len(kept)
		for n < len(events) && (events[n].Kind != journal.EventSpent || !strings.HasPrefix(events[n].Call, "page:")) {
			n++
		}
		if n == len(events) {
			t.Fatalf("after %d: no page is paid for", len(kept))
		}
		kept = slices.Clone(events[:n+1])
	}
}

// TestQueuedCalls: the journal knows of a call when it has its turn, so that one
// that only waited when the process died is not charged. What was cut off by the
// end of ctx and is no call of a model costs nothing either.
func TestQueuedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, truth := shop(8)
		for u, p := range web.pages {
			p.html = "" // no wrappers
			web.pages[u] = p
		}
		hold := make(chan struct{})
		model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RolePlan {
				return reply(protocol.PlanReply{})
			}
			select {
			case <-hold:
			case <-ctx.Done():
				return llm.Reply{}, ctx.Err()
			}
			return truth.extract(c)
		}}
		j := &fakeJournal{}
		task := shopTask(8, agent.Limits{})
		task.Journal = j
		open := func() (calls, others int) {
			reserved := map[string]bool{}
			for _, e := range j.all() {
				switch e.Kind {
				case journal.EventReserved:
					reserved[e.Call] = true
				case journal.EventSpent:
					delete(reserved, e.Call)
				}
			}
			for id := range reserved {
				if strings.HasPrefix(id, "model:") {
					calls++
				} else {
					others++
				}
			}
			return calls, others
		}
		ctx, cancel := context.WithCancel(t.Context())
		web.brake = func(ctx context.Context, url string) error {
			if strings.HasSuffix(url, "/8") {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		r, err := (&agent.Engine{Model: model, Fetch: web, Calls: 2}).Start(ctx, task)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if calls, others := open(); calls != 2 || others != 1 {
			t.Errorf("%d calls and %d pages are charged, want 2 and 1", calls, others)
		}
		cancel()
		_, _ = r.Wait(t.Context()) // it was cancelled
		if calls, others := open(); calls != 2 || others != 0 {
			t.Errorf("at the end %d calls and %d pages are charged, want 2 and 0", calls, others)
		}
		close(hold)
	})
}
