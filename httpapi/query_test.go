// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
)

// replying is a model that gives one reply to each call.
type replying string

func (r replying) Complete(context.Context, llm.Call) (llm.Reply, error) {
	return llm.Reply{JSON: json.RawMessage(r), Finish: llm.FinishOK, Usage: llm.Usage{Input: 100, Output: 10}}, nil
}

const tentSite = `
-- http://a.test/ --
<title>Tent</title><main><h1>Ridge tent</h1><p>The Ridge tent weighs 1.8 kg and sleeps two people.</p><p>The fly sheet is waterproof.</p><p>It costs 249 euros in our shop in Bern.</p></main>
`

// TestQueryGrounded checks each sentence of the answer of the query format against the
// lines that it cites. What they do not support is dropped, with a count.
func TestQueryGrounded(t *testing.T) {
	for _, test := range []struct {
		name, mode, reply string
		want, not         string // parts of the answer
		warning           string
	}{
		{"supported", "freeform", `{"answer":"The Ridge tent weighs 1.8 kg.","lines":[3]}`, "weighs 1.8 kg", "?", ""},
		{"one of two sentences", "freeform", `{"answer":"The Ridge tent weighs 1.8 kg. It was designed in Oslo.","lines":[3]}`, "weighs 1.8 kg", "Oslo", "Sentences of the model's answer were dropped, because the lines of the page do not support them: 1."},
		{"two of three sentences", "freeform", `{"answer":"The Ridge tent weighs 1.9 kg. It sleeps two people. It costs 199 euros.","lines":[3,7]}`, "sleeps two people", "19", "do not support them: 2."},
		{"denied", "freeform", `{"answer":"The fly sheet is not waterproof.","lines":[5]}`, "", "not waterproof", "The model's answer was dropped"},
		{"cited elsewhere", "freeform", `{"answer":"It costs 249 euros.","lines":[5]}`, "", "?", "The model's answer was dropped"},
		{"another number", "freeform", `{"answer":"It costs 429 euros.","lines":[7]}`, "", "429", "The model's answer was dropped"},
		{"no citation, on the page", "freeform", `{"answer":"It costs 249 euros.","lines":[]}`, "249 euros", "?", ""},
		{"no citation, not on the page", "freeform", `{"answer":"The poles are made of titanium.","lines":[]}`, "", "titanium", "The model's answer was dropped"},
		{"a line that does not exist", "freeform", `{"answer":"The poles are made of titanium.","lines":[99]}`, "", "titanium", "The model's answer was dropped"},
		{"nothing usable", "freeform", `{"answer":3}`, "", "?", "The model did not make the answer."},
		{"quotes", "directQuote", `{"numbers":[3,99]}`, "The fly sheet is waterproof.", "249", ""},
		{"no quotes", "directQuote", `{"numbers":"all"}`, "", "?", "The model did not choose the highlights."},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(tentSite)), Agent: &agent.Engine{Model: replying(test.reply)}}
			h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
			if err != nil {
				t.Fatal(err)
			}
			w, body := ask(t, h, "POST", "/v2/scrape", `{"url":"http://a.test/","formats":[{"type":"query","prompt":"What does the tent weigh, and what does it cost?","mode":"`+test.mode+`"}]}`)
			var scraped struct {
				Data struct{ Answer, Warning string }
			}
			if err := json.Unmarshal([]byte(body), &scraped); err != nil || w.Code != 200 {
				t.Fatalf("%s: %d %s", test.name, w.Code, body)
			}
			d := scraped.Data
			if !strings.Contains(d.Answer, test.want) || strings.Contains(d.Answer, test.not) || !strings.Contains(d.Warning, test.warning) || test.warning == "" && d.Warning != "" {
				t.Errorf("%s: answer %q, warning %q", test.name, d.Answer, d.Warning)
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// clocked notes when the last request began.
type clocked struct {
	mu   sync.Mutex
	last time.Time
	n    int
}

func (c *clocked) note() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.n = time.Now(), c.n+1
}

// clockedFetcher takes 300 ms for a page.
type clockedFetcher struct {
	fetch.Fetcher
	*clocked
}

func (f clockedFetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	f.note()
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return f.Fetcher.Fetch(ctx, r)
}

// clockedModel takes as long as reader does.
type clockedModel struct {
	llm.Model
	*clocked
}

func (m clockedModel) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	m.note()
	return m.Model.Complete(ctx, c)
}

// TestAgentDelete measures in fake time how long after DELETE the last request to a site or
// to the model begins.
func TestAgentDelete(t *testing.T) {
	var site strings.Builder
	site.WriteString("-- http://a.test/ --\n<title>List</title><main><ul>")
	for i := range 40 {
		site.WriteString("<li><a href=\"/p/" + string(rune('a'+i%26)) + "-" + string(rune('a'+i/26)) + "-x\">Thing</a> with words about it</li>")
	}
	site.WriteString("</ul></main>\n")
	for i := range 40 {
		site.WriteString("-- http://a.test/p/" + string(rune('a'+i%26)) + "-" + string(rune('a'+i/26)) + "-x --\n<title>Thing</title><main><p>Name: Thing</p><p>Words that say little about the thing, so that it is a page.</p></main>\n")
	}
	working, most := 0, time.Duration(0)
	for at := 100 * time.Millisecond; at < 9*time.Second; at += 370 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			seen := new(clocked)
			service := &curlew.Service{
				Fetcher: clockedFetcher{fetchtest.New(t, []byte(site.String())), seen},
				Agent:   &agent.Engine{Model: clockedModel{new(reader), seen}}, Credits: &account.Ledger{Plan: map[string]int{"team": 5000}},
			}
			h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
			if err != nil {
				t.Fatal(err)
			}
			id := startAgent(t, h, `{"prompt":"All things by name","urls":["http://a.test/"],"schema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}}}`)
			time.Sleep(at)
			_, before := ask(t, h, "GET", "/v2/agent/"+id, "")
			deleted := time.Now()
			if w, body := ask(t, h, "DELETE", "/v2/agent/"+id, ""); strings.Contains(before, `"processing"`) && w.Code != http.StatusOK {
				t.Errorf("at %v: %d %s", at, w.Code, body)
			}
			time.Sleep(time.Hour)
			if strings.Contains(before, `"processing"`) {
				working++
				most = max(most, seen.last.Sub(deleted))
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("the last request began at most %v after DELETE, of %d agents at work", most, working)
	if working < 5 || most > 50*time.Millisecond {
		t.Errorf("%d agents were at work, the last request began %v after DELETE", working, most)
	}
}
