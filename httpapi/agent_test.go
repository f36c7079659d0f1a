// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// reader is a model that extracts "Name: value" lines, plans nothing and
// finishes at once. Each call takes a second.
type reader struct {
	mu    sync.Mutex
	calls map[llm.Role]int // guarded by mu
	hold  chan struct{}    // if not nil, calls wait for it
}

var stated = regexp.MustCompile(`(?m)^(\d+)\| (?:.* )?(\w+): (.+)$`)

func (r *reader) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	r.mu.Lock()
	if r.calls == nil {
		r.calls = map[llm.Role]int{}
	}
	r.calls[c.Role]++
	r.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return llm.Reply{}, context.Cause(ctx)
	}
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
			return llm.Reply{}, context.Cause(ctx)
		}
	}
	reply := llm.Reply{Finish: llm.FinishOK, Usage: llm.Usage{Input: 1000, Output: 100}}
	switch c.Role {
	case llm.RoleExtract:
		values, lines := map[string]any{}, map[string][]int{}
		for _, m := range stated.FindAllStringSubmatch(c.User, -1) {
			var n int
			fmt.Sscan(m[1], &n)
			name := strings.ToLower(m[2])
			values[name], lines[name] = m[3], []int{n, n}
		}
		reply.JSON, _ = json.Marshal(map[string]any{
			"rows": []any{map[string]any{"v": values, "ln": lines}}, "total": -1, "total_ln": 0, "more": false, "kind": "detail",
		})
	case llm.RolePlan:
		reply.JSON = json.RawMessage(`{"tables":[],"queries":[],"start":["L1"],"fields":[]}`)
	case llm.RoleDecide:
		reply.JSON = json.RawMessage(`{"note":"Nothing more to read.","actions":[{"do":"finish","why":"done"}]}`)
	case llm.RoleCrawl:
		reply.JSON = json.RawMessage(`{"includePaths":["^/one"],"limit":7,"allowSubdomains":true}`)
	default:
		reply.Finish = llm.FinishRefusal
	}
	return reply, nil
}

const agentSite = `
-- http://a.test/ --
<title>Acme</title><main><p>Name: Acme</p><p>Price: 12 EUR</p><p>More words about the thing that is sold here, so that this is a page with a text.</p></main>
-- http://a.test/bad --
HTTP 302
Location: http://evil.test/

-- http://evil.test/ --
<p>Name: Evil
-- http://b.test/robots.txt --
User-agent: *
Disallow: /
-- http://b.test/ --
<p>Name: Hidden
`

const agentTask = `{"prompt":"What does it cost?","urls":["http://a.test/"],"strictConstrainToURLs":true,"schema":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`

func newAgent(t *testing.T, model llm.Model, p account.Policy, plan map[string]int) (*httpapi.Handler, *curlew.Service) {
	t.Helper()
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(agentSite)), Agent: &agent.Engine{Model: model}, Credits: &account.Ledger{Plan: plan}}
	h, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team", Policy: p}, "fc-other": {ID: "other"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, service
}

// startAgent starts an agent and returns its id.
func startAgent(t *testing.T, h http.Handler, body string) string {
	t.Helper()
	w, answer := ask(t, h, "POST", "/v2/agent", body)
	var started struct {
		Success bool
		ID      string
	}
	if err := json.Unmarshal([]byte(answer), &started); err != nil || w.Code != 200 || !job.ValidID(started.ID) {
		t.Fatal(w.Code, answer, err)
	}
	return started.ID
}

// TestAgent asks a question about one page and checks everything that the API
// returns about it.
func TestAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newAgent(t, new(reader), account.Policy{}, map[string]int{"team": 1000})
		id := startAgent(t, h, agentTask+`,"maxCredits":100.7}`)
		_, body := ask(t, h, "GET", "/v2/agent/"+id, "")
		if !strings.Contains(body, `"success":true,"id":"`+id+`","status":"processing","model":"spark-1-mini"`) || strings.Contains(body, `"data"`) {
			t.Error(body)
		}
		time.Sleep(time.Minute)
		_, body = ask(t, h, "GET", "/v2/agent/"+id, "")
		var got struct {
			Status      string
			CreditsUsed int
			Data        any
			StopReason  string
			Sources     []struct{ URL, Title, FetchedAt string }
			Fields      map[string]struct {
				Source int
				Lines  []int
				Grade  string
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Status != "completed" || got.StopReason != "done" || got.CreditsUsed < 1 || got.CreditsUsed > 3 {
			t.Error(body)
		}
		if diff := gocmp.Diff(map[string]any{"name": "Acme", "price": 12.0}, got.Data); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
		if len(got.Sources) != 1 || got.Sources[0].URL != "http://a.test/" || got.Sources[0].Title != "Acme" {
			t.Errorf("sources %+v", got.Sources)
		}
		if f := got.Fields["/price"]; f.Source != 0 || f.Grade != "exact" || len(f.Lines) != 2 {
			t.Errorf("fields %+v", got.Fields)
		}
		if w, body := ask(t, h, "GET", "/v2/agent/"+id, "", "Authorization", "Bearer fc-other"); w.Code != 404 || body != `{"success":false,"error":"Agent job not found"}` {
			t.Errorf("another team's: %d %q", w.Code, body)
		}
		if w, body := ask(t, h, "DELETE", "/v2/agent/"+id, ""); w.Code != 409 || !strings.Contains(body, "Agent already finished") {
			t.Errorf("cancelled after its end: %d %s", w.Code, body)
		}
		const used = `"usage":{"inputTokens":2000,"outputTokens":200,"calls":{"plan":1,"decide":0,"extract":1,"verify":0,"synthesize":0},"pages":1}`
		if strings.Contains(body, `"usage"`) {
			t.Errorf("usage that nobody asked for: %s", body)
		}
		if _, body := ask(t, h, "GET", "/v2/agent/"+id+"?usage=true", ""); !strings.Contains(body, used) || !strings.Contains(body, `"data":{`) {
			t.Error(body)
		}
		if _, body := ask(t, h, "GET", "/v2/agent/"+id+"/trace", ""); strings.Count(body, used) != 1 {
			t.Errorf("the last event of the trace lacks the usage: %s", body)
		}
		b, err := service.Credits.Balance(t.Context(), "team")
		if err != nil || b.Spent != got.CreditsUsed || b.Left != 1000-got.CreditsUsed {
			t.Errorf("%+v, %v; %d used", b, err, got.CreditsUsed)
		}
		_, body = ask(t, h, "GET", "/v2/agent", "")
		if !strings.Contains(body, `"agents":[{"id":"`+id+`","createdAt":"2000-01-01T00:00:00.000Z","targetHint":"http://a.test/","origin":"api","settings":{"hidden":false,"starred":false},"status":"completed","options":{"urls":["http://a.test/"],"prompt":"What does it cost?"`) {
			t.Error(body)
		}
		if _, body := ask(t, h, "GET", "/v2/agent?before=946684800000", ""); !strings.Contains(body, `"agents":[]`) {
			t.Error(body)
		}
		if w, _ := ask(t, h, "GET", "/v2/agent?before=x", ""); w.Code != 400 {
			t.Error(w.Code)
		}
		_, body = ask(t, h, "GET", "/v2/agent/"+id+"/trace", "")
		for _, part := range []string{`"type":"run.started"`, `"type":"agent.started"`, `"type":"agent.finished","outcome":"done","durationMs":`, `"phase":"working"`, `"type":"artifact.updated"`, `"type":"run.finished","outcome":"done"`} {
			if !strings.Contains(body, part) {
				t.Errorf("the trace lacks %s: %s", part, body)
			}
		}
		if strings.Contains(body, "words about the thing") {
			t.Error("the trace holds text of the page")
		}
		snapshot := regexp.MustCompile(`"snapshotId":"(\d+)"`).FindStringSubmatch(body)
		if _, body := ask(t, h, "GET", "/v2/agent/"+id+"/snapshots/"+snapshot[1], ""); !strings.Contains(body, `"name":"Acme"`) {
			t.Error(body)
		}
		if w, _ := ask(t, h, "GET", "/v2/agent/"+id+"/snapshots/999", ""); w.Code != 404 {
			t.Error(w.Code)
		}
		w, body := ask(t, h, "GET", "/v2/agent/"+id+"/events", "")
		all := strings.Count(body, "\n\n")
		if w.Header().Get("Content-Type") != "text/event-stream" || all < 4 || !strings.HasPrefix(body, "event: run.started\ndata: {") {
			t.Error(body)
		}
		if _, body := ask(t, h, "GET", "/v2/agent/"+id+"/events", "", "Last-Event-ID", "1"); strings.Count(body, "\n\n") != all-2 {
			t.Error(body)
		}
		last := regexp.MustCompile(`(?s).*\nid: (\d+)\n`).FindStringSubmatch(body)[1]
		if w, body := ask(t, h, "GET", "/v2/agent/"+id+"/events", "", "Last-Event-ID", last); w.Code != http.StatusNoContent || body != "" {
			t.Errorf("after the last event: %d %q, want 204, so that an EventSource does not connect again", w.Code, body)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// headerLog is a Fetcher that keeps the headers of requests by URL.
type headerLog struct {
	fetch.Fetcher
	mu   sync.Mutex
	sent map[string]http.Header // guarded by mu
}

func (l *headerLog) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	l.mu.Lock()
	l.sent[r.URL] = r.Header.Clone()
	l.mu.Unlock()
	return l.Fetcher.Fetch(ctx, r)
}

// TestAgentHeaders sends the headers of a task to the hosts of its URLs and to no other,
// and shows them to nobody.
func TestAgentHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const site = agentSite + `
-- http://a.test/start --
<title>Start</title><main><p>Name: Start</p><p><a href="http://sub.a.test/x">More</a> <a href="/two">Two</a> and enough words to be a page with a text of its own.</p></main>
-- http://a.test/two --
<title>Two</title><main><p>Name: Two</p><p>More words about the thing that is sold here, so that this is a page.</p></main>
-- http://sub.a.test/x --
<title>Sub</title><main><p>Name: Sub</p><p>More words about the thing that is sold here, so that this is a page.</p></main>
`
		log := &headerLog{Fetcher: fetchtest.New(t, []byte(site)), sent: map[string]http.Header{}}
		service := &curlew.Service{Fetcher: log, Agent: &agent.Engine{Model: &follower{}}, Credits: new(account.Ledger)}
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
		if err != nil {
			t.Fatal(err)
		}
		id := startAgent(t, h, `{"prompt":"All names","urls":["http://a.test/start"],"headers":{"Cookie":"session=kanari"},"schema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}}}`)
		time.Sleep(time.Minute)
		log.mu.Lock()
		for url, want := range map[string]string{"http://a.test/start": "session=kanari", "http://a.test/two": "session=kanari", "http://sub.a.test/x": "", "http://a.test/robots.txt": ""} {
			got, ok := log.sent[url]
			if !ok || got.Get("Cookie") != want {
				t.Errorf("%s: %v, asked %v", url, got, ok)
			}
		}
		log.mu.Unlock()
		for _, path := range []string{"", "?usage=true", "/trace"} {
			if _, body := ask(t, h, "GET", "/v2/agent/"+id+path, ""); strings.Contains(body, "kanari") {
				t.Errorf("%s shows a header: %s", path, body)
			}
		}
		if _, body := ask(t, h, "GET", "/v2/agent/"+id+"/trace", ""); !strings.Contains(body, `"text":"Each row is `) || !strings.Contains(body, `"message":"Read http://a.test/`) || !strings.Contains(body, `"message":"Done: pages `) {
			t.Errorf("the plan, or what was read, is not in the trace in words: %s", body)
		}
		if w, body := ask(t, h, "POST", "/v2/agent", agentTask+`,"headers":{"Host":"b.test"}}`); w.Code != 400 {
			t.Errorf("%d %s", w.Code, body)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// follower is a reader that reads all links that it is shown. A header in a prompt is an
// error.
type follower struct{ reader }

func (f *follower) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	if strings.Contains(c.System+c.User, "kanari") {
		return llm.Reply{}, errors.New("a header is in a prompt")
	}
	if c.Role == llm.RoleDecide {
		return llm.Reply{JSON: json.RawMessage(`{"note":"","actions":[{"do":"read","h":["L1","L2","L3","L4"]}]}`), Usage: llm.Usage{Input: 10, Output: 10}}, nil
	}
	return f.reader.Complete(ctx, c)
}

// TestAgentRefused sends requests that must not start an agent.
func TestAgentRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := threat.Team{Enabled: true, AllowOverrides: true, Policy: &threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test"}, Failure: threat.Open}}
		h, _ := newAgent(t, new(reader), account.Policy{Threat: rules}, map[string]int{"team": 0})
		for _, test := range []struct {
			body   string
			status int
			says   string
		}{
			{`{"prompt":"p"}`, 400, "nothing to visit"},
			{`{"prompt":"p","urls":["http://evil.test/"]}`, 402, "Payment required"},
			{`{"prompt":"p","urls":["http://a.test/"],"model":"gpt"}`, 400, "spark-1-pro"},
			{agentTask + `}`, 402, "Payment required"},
			{agentTask + `,"maxCredits":0.5}`, 400, "at least 1"},
		} {
			if w, body := ask(t, h, "POST", "/v2/agent", test.body); w.Code != test.status || !strings.Contains(body, test.says) {
				t.Errorf("%s: %d %s", test.body, w.Code, body)
			}
		}
		h, _ = newAgent(t, new(reader), account.Policy{Threat: rules}, nil)
		if w, body := ask(t, h, "POST", "/v2/agent", `{"prompt":"p","urls":["http://a.test/","http://evil.test/"]}`); w.Code != 403 || !strings.Contains(body, "unsafe_domain_blocked") || !strings.Contains(body, "rule: blacklist") {
			t.Errorf("a blocked URL: %d %s", w.Code, body)
		}
	})
}

// TestAgentGate uses pages that link to URLs which the team's policy or
// robots.txt forbids. They are never fetched, and the run ends with issues
// only.
func TestAgentGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := threat.Team{Enabled: true, AllowOverrides: true, Policy: &threat.Policy{Mode: threat.Normal, Blacklist: []string{"evil.test"}, Failure: threat.Open}}
		h, service := newAgent(t, new(reader), account.Policy{Threat: rules}, nil)
		for _, url := range []string{"http://a.test/bad", "http://b.test/"} {
			id := startAgent(t, h, strings.Replace(agentTask, `"urls":["http://a.test/"],"strictConstrainToURLs":true`, `"urls":["`+url+`"],"strictConstrainToURLs":true`, 1)+`}`)
			time.Sleep(time.Minute)
			_, body := ask(t, h, "GET", "/v2/agent/"+id, "")
			if strings.Contains(body, "Evil") || strings.Contains(body, "Hidden") || !strings.Contains(body, `"issues":[`) {
				t.Errorf("%s: %s", url, body)
			}
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAgentList lists more agents than fit into one answer, all started in the
// same millisecond. None may be missing.
func TestAgentList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newAgent(t, new(reader), account.Policy{}, nil)
		for range 5 {
			startAgent(t, h, agentTask+`}`)
		}
		time.Sleep(time.Hour)
		for range 25 {
			startAgent(t, h, agentTask+`}`)
		}
		time.Sleep(time.Minute)
		seen := map[string]bool{}
		for url, pages := "/v2/agent", 0; url != ""; pages++ {
			_, body := ask(t, h, "GET", url, "")
			var answer struct {
				Agents []struct{ ID string }
				Next   string
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || pages > 3 {
				t.Fatal(body, err)
			}
			for _, a := range answer.Agents {
				seen[a.ID] = true
			}
			_, rest, _ := strings.Cut(answer.Next, "/v2/agent")
			if url = ""; rest != "" {
				url = "/v2/agent" + rest
			}
		}
		if len(seen) != 30 {
			t.Errorf("%d agents of 30 are listed", len(seen))
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAgentRestart stops the process while an agent works. The next process
// continues it and does not repeat calls that were answered.
func TestAgentRestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		model := &reader{hold: make(chan struct{})}
		open := func() (*job.Files, *curlew.Service, *httpapi.Handler) {
			store, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			h, service := newAgent(t, model, account.Policy{}, nil)
			service.Store = store
			return store, service, h
		}
		end := func(store *job.Files, service *curlew.Service) {
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
		store, service, h := open()
		id := startAgent(t, h, agentTask+`}`)
		time.Sleep(10 * time.Second)
		end(store, service)

		close(model.hold)
		store, service, h = open()
		if err := service.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		_, body := ask(t, h, "GET", "/v2/agent/"+id, "")
		if !strings.Contains(body, `"status":"completed"`) || !strings.Contains(body, `"data":{"name":"Acme","price":12}`) {
			t.Error(body)
		}
		_, body = ask(t, h, "GET", "/v2/agent/"+id+"/trace", "")
		if n := strings.Count(body, `"type":"run.finished"`); n != 1 || strings.Contains(body, "cancel") {
			t.Errorf("the trace has %d ends: %s", n, body)
		}
		if plans, reads := model.calls[llm.RolePlan], model.calls[llm.RoleExtract]; plans != 2 || reads != 1 { // the first plan was interrupted
			t.Errorf("%d calls for a plan, %d to extract", plans, reads)
		}
		end(store, service)
	})
}

// TestAgentWebhook checks the webhook events for an agent's start, actions and
// end.
func TestAgentWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		var mu sync.Mutex
		n := webtest.Serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var e struct {
				Type string
				Data json.RawMessage
			}
			_ = json.NewDecoder(r.Body).Decode(&e)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, e.Type+" "+string(e.Data))
		}))
		_, service := newAgent(t, new(reader), account.Policy{}, nil)
		service.Webhooks = over(webhook.Config{}, n)
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		startAgent(t, h, `{"prompt":"Name and price, and the founder","urls":["http://a.test/"],"webhook":"http://hook.test/","schema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}}}`)
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(got) < 3 || got[0] != "agent.started []" || !strings.HasPrefix(got[len(got)-1], `agent.completed [{"creditsUsed":`) {
			t.Errorf("events %q", got)
		}
		actions := 0
		for _, e := range got {
			if strings.HasPrefix(e, `agent.action [{"creditsUsed":`) && strings.Contains(e, `"action":"`) && strings.Contains(e, `"input":{"do":`) {
				actions++
			}
		}
		if actions == 0 {
			t.Errorf("no actions: %q", got)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		n.Close()
	})
}

// TestPreviewIsKept checks that a crawl uses exactly the options that its preview shows, and
// that a preview visits no site that the team may not visit.
func TestPreviewIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newAgent(t, new(reader), account.Policy{Blocklist: []string{"b.test"}}, map[string]int{"team": 50})
		for _, site := range []string{"a.test", "gone.test"} {
			_, body := ask(t, h, "POST", "/v2/crawl/params-preview", `{"url":"`+site+`","prompt":"Only one"}`)
			var preview struct {
				Data    map[string]json.RawMessage
				Warning string
			}
			if err := json.Unmarshal([]byte(body), &preview); err != nil {
				t.Fatal(err)
			}
			delete(preview.Data, "url")
			_, body = ask(t, h, "POST", "/v2/crawl", `{"url":"`+site+`","prompt":"Only one"}`)
			var started struct {
				PromptGeneratedOptions, FinalCrawlerOptions map[string]json.RawMessage
			}
			if err := json.Unmarshal([]byte(body), &started); err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(preview.Data, started.PromptGeneratedOptions); d != "" || len(preview.Data) < 2 || preview.Warning == "" {
				t.Errorf("%s: preview and crawl differ, warning %q: %s", site, preview.Warning, d)
			}
			for name, v := range preview.Data {
				if string(started.FinalCrawlerOptions[name]) != string(v) {
					t.Errorf("%s: the crawl drops %s: %s became %s", site, name, v, started.FinalCrawlerOptions[name])
				}
			}
		}
		if w, body := ask(t, h, "POST", "/v2/crawl/params-preview", `{"url":"b.test","prompt":"Only one"}`); w.Code != 403 {
			t.Errorf("a blocked site: %d %s", w.Code, body)
		}
		time.Sleep(time.Hour)
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestCrawlPrompt lets a model choose the options of a crawl. Options in the
// request take precedence.
func TestCrawlPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newAgent(t, new(reader), account.Policy{}, nil)
		w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test","prompt":"Only one","limit":3}`)
		if w.Code != 200 || !strings.Contains(body, `"promptGeneratedOptions":{`) || !strings.Contains(body, `"finalCrawlerOptions":{`) ||
			!strings.Contains(body[strings.Index(body, "final"):], `"limit":3`) || !strings.Contains(body, `"allowSubdomains":true`) {
			t.Errorf("%d %s", w.Code, body)
		}
		w, body = ask(t, h, "POST", "/v2/crawl/params-preview", `{"url":"a.test","prompt":"Only one"}`)
		if w.Code != 200 || !strings.HasPrefix(body, `{"success":true,"data":{`) || !strings.Contains(body, `"limit":7`) || !strings.Contains(body, `"url":"http://a.test/"`) ||
			!strings.Contains(body, `"warning":"includePaths: \"^/one\" matches none of the site's URLs; it is dropped."`) || strings.Contains(body, `"includePaths"`) {
			t.Errorf("%d %s", w.Code, body)
		}
		w, body = ask(t, h, "POST", "/v2/crawl/params-preview", `{"url":"gone.test","prompt":"Only one"}`)
		if w.Code != 200 || !strings.Contains(body, `"warning":"No URLs of the site were found, so the options rest on the prompt only."`) || !strings.Contains(body, `"includePaths":["^/one","^/$"]`) {
			t.Errorf("a site that cannot be read: %d %s", w.Code, body)
		}
		time.Sleep(time.Minute)
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
