// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// inThread is a model that reads the shop, and plans with plan.
func inThread(t truth, plan string) *fakeModel {
	return &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		switch c.Role {
		case llm.RolePlan:
			return llm.Reply{JSON: json.RawMessage(plan), Usage: llm.Usage{Input: 100, Output: 10}}, nil
		case llm.RoleDecide:
			return llm.Reply{JSON: json.RawMessage(`{"note":"","actions":[{"do":"finish"}]}`), Usage: llm.Usage{Input: 100, Output: 10}}, nil
		}
		return t.extract(c)
	}}
}

const (
	planAll  = `{"tables":[{"id":"T1","what":"widget","keys":["name"],"expect":10,"conditions":[]}],"shape":"list"}`
	planSome = `{"tables":[{"id":"T1","what":"widget","keys":["name"],"conditions":[{"field":"price","op":"<","value":"15","unit":"$","words":"below $15"}]}],"shape":"list","same":true}`
)

// firstOf asks for all widgets of a shop, and returns the web, the truth and the journal.
func firstOf(t *testing.T, task agent.Task) (*fakeWeb, truth, *fakeJournal) {
	t.Helper()
	web, rows := shop(10)
	j := &fakeJournal{}
	task.Prompt, task.Schema, task.Journal = "All widgets", json.RawMessage(shopSchema), j
	for i := 1; i <= 10; i++ {
		task.URLs = append(task.URLs, fmt.Sprintf("https://shop.test/p/%d", i))
	}
	task.Strict = true
	if r := run(t, &agent.Engine{Model: inThread(rows, planAll), Fetch: web}, task); r.Stop != finding.ReasonDone {
		t.Fatalf("%v %v", r.Stop, r.Issues)
	}
	return web, rows, j
}

// TestThreadUnread reads a page again of which the model could not read a part in the run that
// is continued. If it fails again, the answer is not done.
func TestThreadUnread(t *testing.T) {
	const schema = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}},"required":["items"]}`
	filler := strings.Repeat("Nothing is listed in this paragraph, which only makes the page longer.\n\n", 2*lines.ChunkBytes/70)
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "List", markdown: "# List\n\n- name=One; price=5\n\n" + filler + "- name=Two; price=6\n"}}}
	model := func(plan string, fails bool) *fakeModel {
		m := reader(plan)
		good := m.answer
		m.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleExtract && fails && strings.Contains(c.User, "name=Two") {
				return llm.Reply{JSON: json.RawMessage(`I am sorry`), Finish: llm.FinishOK}, nil
			}
			return good(ctx, c)
		}
		return m
	}
	const all = `{"tables":[{"id":"T1","what":"thing","keys":["name"]}],"shape":"list"}`
	const some = `{"tables":[{"id":"T1","what":"thing","keys":["name"],"conditions":[{"field":"price","op":"<","value":"10","words":"below 10"}]}],"shape":"list","same":true}`
	j := &fakeJournal{}
	r := run(t, &agent.Engine{Model: model(all, true), Fetch: web}, agent.Task{Prompt: "All things", URLs: []string{"https://a.test/x"}, Strict: true, Schema: json.RawMessage(schema), Journal: j})
	if r.Stop != finding.ReasonDry || strings.Contains(string(r.Data), "Two") {
		t.Fatalf("%s, stop %v, issues %v", r.Data, r.Stop, r.Issues)
	}
	for _, fails := range []bool{false, true} {
		r := run(t, &agent.Engine{Model: model(some, fails), Fetch: web}, agent.Task{Prompt: "Which of them are below 10?", Schema: json.RawMessage(schema), Earlier: history(j.all())})
		if strings.Contains(string(r.Data), "Two") == fails || (r.Stop == finding.ReasonDone) == fails {
			t.Errorf("the model fails again %v: %s, stop %s, issues %v", fails, r.Data, r.Stop, r.Issues)
		}
	}
}

func TestThread(t *testing.T) {
	web, rows, first := firstOf(t, agent.Task{})
	before := len(web.requests())
	model, own := inThread(rows, planSome), &fakeJournal{}
	task := agent.Task{Prompt: "Which of them are below $15?", Schema: json.RawMessage(shopSchema), Earlier: history(first.all()), Journal: own}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, task)
	const want = `{"items":[{"name":"Widget 1001","price":11.01,"stock":501},{"name":"Widget 1002","price":12.02,"stock":502},{"name":"Widget 1003","price":13.03,"stock":503},{"name":"Widget 1004","price":14.04,"stock":504}]}`
	if string(r.Data) != want || r.Stop != finding.ReasonDone || len(r.Issues) > 0 {
		t.Errorf("%s, stop %s, issues %v", r.Data, r.Stop, r.Issues)
	}
	if n := len(web.requests()) - before; n != 0 || r.Spend.Pages != 0 || model.count(llm.RoleExtract) != 0 {
		t.Errorf("%d requests, %d pages paid, %d pages read again", n, r.Spend.Pages, model.count(llm.RoleExtract))
	}
	if e := r.Fields["/items/2/price"]; e.Source != "S3" || e.Lines != [2]int{3, 3} || r.Sources[2].URL != "https://shop.test/p/3" {
		t.Errorf("evidence %+v, sources %v", e, r.Sources)
	}
	user := model.calls[0].User
	if !strings.HasPrefix(user, "earlier:\n- \"All widgets\"\ntask: \"Which of them are below $15?\"\nbefore:\n- {\"id\":\"T1\"") || strings.Contains(user, "Widget 1001") {
		t.Errorf("the plan sees %s", user)
	}

	// Each crash of the further run ends in the same data, whether or not the first run is
	// still stored.
	for n := 1; n < len(own.all()); n++ {
		for _, stored := range []bool{true, false} {
			again := task
			again.Journal, again.History = &fakeJournal{}, history(own.all()[:n])
			again.URLs, again.Strict = own.all()[0].Accepted.URLs, true
			if !stored {
				again.Earlier = nil
			}
			r, err := (&agent.Engine{Model: inThread(rows, planSome), Fetch: web}).Run(t.Context(), again)
			if err != nil || string(r.Data) != want {
				t.Fatalf("cut after event %d, stored %v: %v %s", n, stored, err, r.Data)
			}
		}
	}

	before = len(web.requests())
	// Pages are read again for a field that was not asked for, and are not fetched again.
	const more = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"fine":{"type":"string"}},"required":["name"]}}},"required":["items"]}`
	model = inThread(rows, `{"tables":[{"id":"T1","what":"widget","keys":["name"]}],"shape":"list","same":true}`)
	r = run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "Are they fine?", Schema: json.RawMessage(more), Earlier: history(own.all())})
	if n := strings.Count(string(r.Data), "Widget"); n != 10 || model.count(llm.RoleExtract) == 0 || r.Spend.Pages != 0 || len(web.requests()) != before {
		t.Errorf("%d rows, %d readings, %d pages paid: %s", n, model.count(llm.RoleExtract), r.Spend.Pages, r.Data)
	}
	if user := model.calls[0].User; !strings.HasPrefix(user, "earlier:\n- \"All widgets\"\n- \"Which of them are below $15?\"\n") {
		t.Errorf("the plan of the third question sees %s", user)
	}
}

// TestThreadForgets gives a model that forgets the conditions of the earlier questions a second chance to plan.
// If it forgets them again, the answer is not called done.
func TestThreadForgets(t *testing.T) {
	web, rows, first := firstOf(t, agent.Task{})
	own := &fakeJournal{}
	run(t, &agent.Engine{Model: inThread(rows, planSome), Fetch: web}, agent.Task{Prompt: "Which of them are below $15?", Schema: json.RawMessage(shopSchema), Earlier: history(first.all()), Journal: own})
	model := inThread(rows, `{"tables":[{"id":"T1","what":"widget","keys":["name"]}],"shape":"list","same":true}`)
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "What do those cost?", Schema: json.RawMessage(shopSchema), Earlier: history(own.all())})
	if r.Stop != finding.ReasonDry || !hasIssue(r, finding.IssueUndecided) || model.count(llm.RolePlan) != 2 {
		t.Errorf("stop %s after %d plans, issues %v", r.Stop, model.count(llm.RolePlan), r.Issues)
	}
}

// TestThreadElsewhere takes over nothing that is outside the scope of the further
// question, nor anything for a question about other things.
func TestThreadElsewhere(t *testing.T) {
	web, rows, first := firstOf(t, agent.Task{})
	web.pages["https://other.test/"] = fakePage{title: "Other", markdown: "# Widget 1001\n\n- Price: $99.00\n"}
	other := truth{fields: rows.fields, rows: [][]string{{"Widget 1001", "$99.00", ""}}}
	for _, plan := range []string{planSome, planAll} {
		r := run(t, &agent.Engine{Model: inThread(other, strings.Replace(plan, `"value":"15"`, `"value":"100"`, 1)), Fetch: web}, agent.Task{
			Prompt: "And at this shop, below $15?", URLs: []string{"https://other.test/"}, Strict: true, Schema: json.RawMessage(shopSchema), Earlier: history(first.all()),
		})
		if want := `{"items":[{"name":"Widget 1001","price":99}]}`; string(r.Data) != want || len(r.Sources) != 1 {
			t.Errorf("%s, sources %v", r.Data, r.Sources)
		}
	}
}

// TestThreadPrivate isolates the further question to a run that read pages with headers.
func TestThreadPrivate(t *testing.T) {
	web, rows, first := firstOf(t, agent.Task{Headers: map[string]string{"Cookie": "a=b"}})
	own, learned := &fakeJournal{}, new(agent.Wrappers)
	model := inThread(rows, `{"tables":[{"id":"T1","what":"widget","expect":20}],"shape":"list","same":true}`)
	run(t, &agent.Engine{Model: model, Fetch: web, Learned: learned}, agent.Task{
		Prompt: "Which others are there?", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Earlier: history(first.all()), Journal: own,
	})
	if !own.all()[0].Accepted.Private {
		t.Error("the journal does not say that pages may be private")
	}
	for _, c := range model.calls {
		if c.Role != llm.RoleExtract && strings.Contains(c.User, "Widget 10") {
			t.Errorf("%s sees %s", c.Role, c.User)
		}
	}
}

// TestThreadBroken refuses what is no journal of a run, and says how many questions are
// too old.
func TestThreadBroken(t *testing.T) {
	web, rows, first := firstOf(t, agent.Task{})
	e := &agent.Engine{Model: inThread(rows, planSome), Fetch: web}
	task := agent.Task{Prompt: "Which of them are below $15?", Schema: json.RawMessage(shopSchema)}
	torn := func(yield func(journal.Event, error) bool) { yield(journal.Event{}, errDisk) }
	for name, test := range map[string]struct {
		events agent.Task
		want   error
	}{
		"empty":          {agent.Task{Earlier: history(nil)}, agent.ErrHistory},
		"no beginning":   {agent.Task{Earlier: history(first.all()[1:])}, agent.ErrHistory},
		"cannot be read": {agent.Task{Earlier: torn}, errDisk},
	} {
		task.Earlier = test.events.Earlier
		if _, err := e.Run(t.Context(), task); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := e.Check(task); !errors.Is(err, test.want) {
			t.Errorf("%s: Check: %v", name, err)
		}
	}
	events := first.all()
	old := *events[0].Accepted
	old.Earlier, old.Left = []string{strings.Repeat("long ", 1900), strings.Repeat("longer ", 1000), "All lamps"}, 3
	events[0].Accepted = &old
	for i := range events { // pages that name rows of nothing
		if x := events[i].Extracted; x != nil && x.Source == "S4" {
			own := *x
			own.Source = "S99"
			events[i].Extracted = &own
		}
	}
	task.Earlier = history(events)
	r := run(t, e, task)
	told := false
	for _, i := range r.Issues {
		told = told || i.Kind == finding.IssueLimit && strings.HasPrefix(i.Detail, "4 earlier questions are not taken into account")
	}
	if !told || !strings.Contains(string(r.Data), "Widget 1004") {
		t.Errorf("%s, issues %v", r.Data, r.Issues)
	}
}
