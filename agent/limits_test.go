// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

func shopTask(n int, limits agent.Limits) agent.Task {
	t := agent.Task{Prompt: "All widgets", Strict: true, Schema: json.RawMessage(shopSchema), Limits: limits}
	for i := 1; i <= n; i++ {
		t.URLs = append(t.URLs, fmt.Sprintf("https://shop.test/p/%d", i))
	}
	return t
}

// TestBudget spends no more than is allowed, whatever that is, and lands what
// was found.
func TestBudget(t *testing.T) {
	for credits := agent.Credits(1); credits <= 60; credits += 3 {
		for _, loop := range []bool{false, true} {
			web, truth := shop(12)
			for u, p := range web.pages { // no wrappers: each page is paid for
				p.html = ""
				web.pages[u] = p
			}
			model := &fakeModel{answer: director(truth)}
			e := &agent.Engine{Model: model, Fetch: web, Admit: func(context.Context, *agent.Task, string) (agent.Credits, error) { return 2 * llm.Credit, nil }}
			task := shopTask(12, agent.Limits{Credits: credits * llm.Credit})
			if loop {
				task.URLs, task.Strict = []string{"https://shop.test/"}, false
			}
			task.Journal = &fakeJournal{}
			r, err := e.Run(t.Context(), task)
			if r == nil {
				t.Fatal(err)
			}
			if r.Spend.Credits > credits*llm.Credit || r.Spend.Credits.Whole() > int64(credits) {
				t.Errorf("%d credits, loop %v: spent %v", credits, loop, r.Spend.Credits)
			}
			rows := strings.Count(string(r.Data), `"name"`)
			switch {
			case err == nil && rows < 12 && r.Stop != finding.ReasonCredits:
				t.Errorf("%d credits, loop %v: %d rows, stop %v", credits, loop, rows, r.Stop)
			case err != nil && (!errors.Is(err, agent.ErrBudget) || r.Data != nil):
				t.Errorf("%d credits, loop %v: %v, data %s", credits, loop, err, r.Data)
			case err == nil && (rows < 12 && !r.Partial || r.Partial != (r.Stop == finding.ReasonCredits)):
				t.Errorf("%d credits, loop %v: %d rows, partial %v", credits, loop, rows, r.Partial)
			}
			var sum agent.Credits
			for _, ev := range task.Journal.(*fakeJournal).all() {
				if ev.Kind == journal.EventSpent {
					sum += ev.Amount
				}
			}
			if sum != r.Spend.Credits {
				t.Errorf("journal %v, spend %v", sum, r.Spend.Credits)
			}
		}
	}
}

// TestSmallBudget makes something of a few credits: the bound of a page that is
// not there yet is that of a long one.
func TestSmallBudget(t *testing.T) {
	for _, test := range []struct {
		credits agent.Credits
		rows    int // at least
	}{{2, 0}, {3, 1}, {5, 2}, {8, 5}, {12, 8}} {
		web, truth := shop(12)
		for u, p := range web.pages {
			p.html = ""
			web.pages[u] = p
		}
		r, err := (&agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}).Run(t.Context(), shopTask(12, agent.Limits{Credits: test.credits * llm.Credit}))
		if r == nil {
			t.Fatal(err)
		}
		if rows := strings.Count(string(r.Data), `"name"`); rows < test.rows || r.Spend.Credits > test.credits*llm.Credit {
			t.Errorf("%d credits: %d rows for %v, want %d; %v", test.credits, rows, r.Spend.Credits, test.rows, err)
		}
	}
	// One credit is a page, and what it says for machines costs nothing.
	linked := `<html><head><script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":"19.50"}}</script></head><body><h1>Lamp</h1></body></html>`
	web := &fakeWeb{pages: map[string]fakePage{"https://a.test/x": {title: "Lamp", markdown: "# Lamp", html: linked}}}
	r, err := (&agent.Engine{Model: silent(t), Fetch: web}).Run(t.Context(), agent.Task{
		Prompt: "p", URLs: []string{"https://a.test/x"}, Strict: true, Limits: agent.Limits{Credits: llm.Credit},
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`),
	})
	if err != nil || string(r.Data) != `{"name":"Lamp","price":19.5}` {
		t.Errorf("one credit: %v, %+v", err, r)
	}
}

// TestNoPlan reads the pages of a task whose plan cannot be paid for.
func TestNoPlan(t *testing.T) {
	web, truth := shop(3)
	web.pages["https://shop.test/"] = fakePage{title: "Shop", markdown: "| Name | Price | Stock |\n|---|---|---|\n| Lamp | $3 | 4 |"}
	model := &fakeModel{answer: director(truth)}
	schema := `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"stock":{"type":"integer"}},"required":["name"]}}}}`
	r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), agent.Task{
		Prompt: "p", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(schema), Limits: agent.Limits{Credits: llm.Credit},
	})
	if err != nil || string(r.Data) != `{"items":[{"name":"Lamp","price":3,"stock":4}]}` || r.Stop != finding.ReasonCredits || len(model.calls) > 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestOvershoot charges no more than was reserved when a provider uses more
// than it may.
func TestOvershoot(t *testing.T) {
	web, truth := shop(3)
	model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		r, err := truth.extract(c)
		r.Usage = llm.Usage{Input: 1e9, Output: 1e9}
		return r, err
	}}
	r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), shopTask(3, agent.Limits{Credits: 50 * llm.Credit}))
	if err != nil || r.Spend.Credits > 50*llm.Credit || r.Spend.Overrun == 0 {
		t.Errorf("%v, spend %+v", err, r.Spend)
	}
}

// TestCleared counts what was paid before the start, and does not scan again.
func TestCleared(t *testing.T) {
	web, truth := shop(2)
	scans := 0
	e := &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web, Admit: func(context.Context, *agent.Task, string) (agent.Credits, error) {
		scans++
		return 2 * llm.Credit, nil
	}}
	task := shopTask(2, agent.Limits{})
	task.Cleared = map[string]agent.Credits{"https://shop.test/p/1#x": 2 * llm.Credit}
	r := run(t, e, task)
	if scans != 1 || r.Spend.Scans != 4*llm.Credit || r.Spend.Scanned != 2 {
		t.Errorf("%d scans, spend %+v", scans, r.Spend)
	}
}

// TestReasons ends runs for each reason.
func TestReasons(t *testing.T) {
	finishing := func(truth truth, do journal.Action) func(context.Context, llm.Call) (llm.Reply, error) {
		direct := director(truth)
		return func(ctx context.Context, c llm.Call) (llm.Reply, error) {
			if c.Role == llm.RoleDecide {
				return reply(protocol.DecideReply{Actions: []journal.Action{do}})
			}
			return direct(ctx, c)
		}
	}
	loop := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)}
	for _, test := range []struct {
		name   string
		limits agent.Limits
		do     *journal.Action // nil: the director's
		want   finding.Reason
		calls  int // of decide at most
	}{
		{"done", agent.Limits{}, nil, finding.ReasonDone, 3},
		{"replaced for the same action", agent.Limits{}, &journal.Action{Do: journal.DoRead, H: []string{"L1"}}, finding.ReasonDone, 4},
		{"replaced for an unknown action", agent.Limits{}, &journal.Action{Do: "shell", Q: "rm"}, finding.ReasonDone, 4},
		{"replaced for a URL as handle", agent.Limits{}, &journal.Action{Do: journal.DoRead, H: []string{"https://evil.test/"}}, finding.ReasonDone, 4},
		{"replaced for free looking", agent.Limits{}, &journal.Action{Do: journal.DoFind, Q: "widget"}, finding.ReasonDone, 4},
		{"finish, refused once", agent.Limits{}, &journal.Action{Do: journal.DoFinish}, finding.ReasonDone, 2},
		{"pages", agent.Limits{Pages: 3}, nil, finding.ReasonPages, 3},
		{"steps", agent.Limits{Steps: 1}, &journal.Action{Do: journal.DoRead, H: []string{"L2"}}, finding.ReasonSteps, 1},
		{"tokens", agent.Limits{Tokens: 3000}, nil, finding.ReasonTokens, 3},
	} {
		web, truth := shop(8)
		model := &fakeModel{answer: director(truth)}
		if test.do != nil {
			model.answer = finishing(truth, *test.do)
		}
		task := loop
		task.Limits = test.limits
		r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), task)
		if err != nil || r.Stop != test.want {
			t.Errorf("%s: stop %v, %v, issues %v", test.name, r.Stop, err, r.Issues)
		}
		if n := model.count(llm.RoleDecide); n > test.calls {
			t.Errorf("%s: %d decisions", test.name, n)
		}
		if r.Partial != (test.want != finding.ReasonDone && test.want != finding.ReasonDry) {
			t.Errorf("%s: partial %v", test.name, r.Partial)
		}
	}
}

// TestWall ends at the time limit, in fake time.
func TestWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, truth := shop(12)
		model := &fakeModel{answer: director(truth)}
		web.brake = func(ctx context.Context, url string) error {
			select {
			case <-time.After(20 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		e := &agent.Engine{Model: model, Fetch: web, Fetches: 2}
		start := time.Now()
		r, err := e.Run(t.Context(), shopTask(12, agent.Limits{Wall: time.Minute}))
		if err != nil || r.Stop != finding.ReasonWall || strings.Count(string(r.Data), `"name"`) < 4 || !r.Valid {
			t.Errorf("%v, stop %v, data %s", err, r.Stop, r.Data)
		}
		if took := time.Since(start); took > 71*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestStop stops a run at random moments: it lands what it has.
func TestStop(t *testing.T) {
	whole := &fakeJournal{}
	web, truth := shop(6)
	task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Journal: whole}
	run(t, &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}, task)
	for at := 1; at <= len(whole.all()); at++ {
		web, truth := shop(6)
		e := &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}
		started := make(chan *agent.Run, 1)
		journal := &fakeJournal{then: func(ev journal.Event) {
			if ev.Seq == int64(at) {
				r := <-started
				r.Stop()
				r.Stop()
			}
		}}
		task.Journal = journal
		r, err := e.Start(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		started <- r
		got, err := r.Wait(t.Context())
		if err != nil {
			t.Errorf("stopped at %d: %v", at, err)
			continue
		}
		if got.Stop != finding.ReasonStopped && got.Stop != finding.ReasonDone {
			t.Errorf("stopped at %d: %v", at, got.Stop)
		}
		if got.Data == nil {
			t.Errorf("stopped at %d: no data", at)
		}
	}
}

// TestStopInFlight gives what a stop finds under way ten seconds, and the last
// questions as long again.
func TestStopInFlight(t *testing.T) {
	for role, most := range map[llm.Role]time.Duration{llm.RolePlan: 10, llm.RoleDecide: 10, llm.RoleExtract: 10, llm.RoleVerify: 20} {
		synctest.Test(t, func(t *testing.T) {
			web, truth := shop(3)
			page := web.pages["https://shop.test/p/1"]
			page.markdown = strings.ReplaceAll(page.markdown, "$11", "$99")
			page.html = ""
			web.pages["https://shop.test/q/1"] = page // contradicts: there is something to verify
			answer := director(truth)
			model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
				if c.Role == role || role == llm.RoleVerify && c.Role == llm.RoleDecide {
					select {
					case <-time.After(4 * time.Minute):
					case <-ctx.Done():
						return llm.Reply{}, ctx.Err()
					}
				}
				return answer(ctx, c)
			}}
			if role == llm.RoleVerify {
				two := truth
				two.rows = append([][]string{{"Widget 1001", "$99.01", ""}}, truth.rows...)
				answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
					if c.Role == llm.RolePlan {
						return reply(protocol.PlanReply{Start: []string{"L1", "L2"}})
					}
					return director(two)(ctx, c)
				}
			}
			e := &agent.Engine{Model: model, Fetch: web, Profiles: map[string]llm.Profile{"": {Check: llm.CheckConflicts}}}
			task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/p/1", "https://shop.test/q/1"}, Schema: json.RawMessage(shopSchema)}
			run, err := e.Start(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			run.Stop()
			began := time.Now()
			r, err := run.Wait(t.Context())
			if took := time.Since(began); err != nil || r.Stop != finding.ReasonStopped || took > most*time.Second {
				t.Errorf("%s: %v, stop %v, after %v", role, err, r.Stop, took)
			}
			if n := model.count(role); n == 0 {
				t.Errorf("%s: not asked", role)
			}
		})
	}
}

// TestMost holds tasks to the engine's limits.
func TestMost(t *testing.T) {
	for _, test := range []struct {
		engine, task agent.Credits
		want         int64
	}{{5 * llm.Credit, 0, 5}, {5 * llm.Credit, 50 * llm.Credit, 5}, {5 * llm.Credit, agent.Unlimited, 5}, {50 * llm.Credit, 5 * llm.Credit, 5}} {
		web, truth := shop(30)
		model := &fakeModel{answer: director(truth)}
		e := &agent.Engine{Model: model, Fetch: web, Limits: agent.Limits{Credits: test.engine}}
		r := run(t, e, shopTask(30, agent.Limits{Credits: test.task}))
		if r.Stop != finding.ReasonCredits || r.Spend.Credits.Whole() > test.want {
			t.Errorf("%+v: spent %v, stop %v", test, r.Spend.Credits, r.Stop)
		}
	}
}

// TestCancel cancels a run at each event: no data, no request afterwards.
func TestCancel(t *testing.T) {
	web, truth := shop(6)
	whole := &fakeJournal{}
	task := agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Journal: whole}
	run(t, &agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}, task)
	n := len(whole.all())
	cause := errors.New("enough")
	for at := 1; at < n-2; at++ {
		web, truth := shop(6)
		ctx, cancel := context.WithCancelCause(t.Context())
		task.Journal = &fakeJournal{then: func(ev journal.Event) {
			if ev.Seq == int64(at) {
				cancel(cause)
			}
		}}
		r, err := (&agent.Engine{Model: &fakeModel{answer: director(truth)}, Fetch: web}).Start(ctx, task)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Wait(t.Context())
		if !errors.Is(err, cause) || got.Data != nil || got.Stop != finding.ReasonCancelled {
			t.Errorf("cancelled at %d of %d: %v, %v, data %s", at, n, err, got.Stop, got.Data)
		}
		before := len(web.requests())
		if after := len(web.requests()); after != before {
			t.Errorf("%d requests after the end", after-before)
		}
	}
}

// TestJournalFails ends a run whose journal fails, without unrecorded spending.
func TestJournalFails(t *testing.T) {
	for at := 1; at < 30; at++ {
		web, truth := shop(6)
		j := &fakeJournal{fail: at}
		task := shopTask(6, agent.Limits{})
		task.Journal = j
		model := &fakeModel{answer: director(truth)}
		r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), task)
		if !errors.Is(err, errDisk) || r.Data != nil {
			t.Errorf("at %d: %v, data %s", at, err, r.Data)
		}
		reserved := 0
		for _, ev := range j.all() {
			if ev.Kind == journal.EventReserved {
				reserved++
			}
		}
		if done := len(web.requests()) + len(model.calls); done > reserved {
			t.Errorf("at %d: %d calls for %d reservations", at, done, reserved)
		}
	}
}

// TestOutage keeps the rows when the model's provider goes away.
func TestOutage(t *testing.T) {
	for _, after := range []int{0, 4} {
		web, truth := shop(8)
		for u, p := range web.pages {
			p.html = ""
			web.pages[u] = p
		}
		model := &fakeModel{}
		n := 0
		model.answer = func(_ context.Context, c llm.Call) (llm.Reply, error) {
			model.mu.Lock()
			n++
			gone := n > after
			model.mu.Unlock()
			if gone {
				return llm.Reply{}, fmt.Errorf("%w: 401 no key", llm.ErrProvider)
			}
			return truth.extract(c)
		}
		r, err := (&agent.Engine{Model: planned{model}, Fetch: web, Calls: 1}).Run(t.Context(), shopTask(8, agent.Limits{}))
		if r.Stop != finding.ReasonProvider || (after == 0) != errors.Is(err, llm.ErrProvider) {
			t.Errorf("after %d: stop %v, %v", after, r.Stop, err)
		}
		if got := strings.Count(string(r.Data), `"name"`); got != after {
			t.Errorf("after %d: %d rows", after, got)
		}
		if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == finding.IssueProvider }) {
			t.Errorf("after %d: issues %v", after, r.Issues)
		}
	}
}

// TestModelGoesMute pays for few pages after the model has ceased to give replies that
// can be used, and keeps the rows.
func TestModelGoesMute(t *testing.T) {
	const all, good = 60, 18
	web, truth := shop(all)
	for url, p := range web.pages {
		p.html = "" // nothing that a wrapper reads
		web.pages[url] = p
	}
	direct := director(truth)
	said := 0
	model := &fakeModel{}
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role != llm.RoleExtract {
			return direct(ctx, c)
		}
		model.mu.Lock()
		defer model.mu.Unlock()
		if said++; said > good+1 { // and one for the listing
			return llm.Reply{JSON: json.RawMessage(`I am sorry`), Finish: llm.FinishOK}, nil
		}
		return truth.extract(c)
	}
	r := run(t, &agent.Engine{Model: model, Fetch: web, Calls: 1}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	if r.Stop != finding.ReasonProvider || !r.Partial {
		t.Errorf("stop %v, partial %v", r.Stop, r.Partial)
	}
	if rows := strings.Count(string(r.Data), `"name"`); rows < good {
		t.Errorf("%d rows", rows)
	}
	if r.Spend.Pages > 1+good+2*8+3 || r.Spend.Credits > 45*llm.Credit {
		t.Errorf("%d pages, %v credits", r.Spend.Pages, r.Spend.Credits)
	}
	if !slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == finding.IssueProvider }) {
		t.Errorf("issues %v", r.Issues)
	}
}

// TestModelError says in an issue what the model's adapter said.
func TestModelError(t *testing.T) {
	web, _ := shop(1)
	model := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
		return llm.Reply{}, errors.New("no route\nto model")
	}}
	r, err := (&agent.Engine{Model: model, Fetch: web}).Run(t.Context(), shopTask(1, agent.Limits{}))
	if !errors.Is(err, llm.ErrProvider) || r.Stop != finding.ReasonProvider {
		t.Errorf("stop %v, error %v", r.Stop, err)
	}
	if len(r.Issues) != 2 || r.Issues[1].Kind != finding.IssueProvider || r.Issues[1].Detail != "the model could not read the page: no route to model" ||
		!strings.HasSuffix(r.Issues[0].Detail, "the model gave no plan that could be used: no route to model") {
		t.Errorf("issues %+v", r.Issues)
	}
	web, truth := shop(3)
	answer := director(truth)
	model.answer = func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role == llm.RoleDecide {
			return llm.Reply{}, errors.New("no such model")
		}
		return answer(ctx, c)
	}
	r = run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema)})
	told := func(i finding.Issue) bool {
		return i.Detail == "the model gave no decision that could be used: no such model"
	}
	if r.Stop != finding.ReasonDone || !slices.ContainsFunc(r.Issues, told) {
		t.Errorf("stop %v, issues %+v", r.Stop, r.Issues)
	}
}

// TestDeterminism gives the same data whatever the order of arrival.
func TestDeterminism(t *testing.T) {
	want := ""
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			web, truth := shop(25)
			r := rand.New(rand.NewPCG(seed, 1))
			delays := map[string]time.Duration{}
			for u := range web.pages {
				delays[u] = 0
			}
			for i := range 26 {
				u := fmt.Sprintf("https://shop.test/p/%d", i)
				delays[u] = time.Duration(r.IntN(3000)) * time.Millisecond
			}
			web.brake = func(ctx context.Context, url string) error {
				select {
				case <-time.After(delays[url]):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			model := &fakeModel{answer: director(truth)}
			e := &agent.Engine{Model: model, Fetch: web}
			got, err := e.Run(t.Context(), agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}, Schema: json.RawMessage(shopSchema), Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			fields, err := json.Marshal(got.Fields)
			if err != nil {
				t.Fatal(err)
			}
			all := string(got.Data) + string(fields) + fmt.Sprint(got.Spend.Credits, len(model.calls))
			if want == "" {
				want = all
			}
			if all != want {
				t.Errorf("seed %d:\n%s\nwant\n%s", seed, all, want)
			}
		})
	}
}

// TestTurns has one run of many calls and others of one on an engine with four
// slots: the others do not wait behind the many.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := agent.Turns(t.Context(), 4, []int{100, 1, 2, 1})
		want := []int{0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 0}
		if !slices.Equal(got[:len(want)], want) {
			t.Errorf("served %v, want %v first", got[:len(want)], want)
		}
		if len(got) != 104 {
			t.Errorf("%d calls of 104", len(got))
		}
	})
}
