// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// talker is a reader that understands questions about what was asked before.
type talker struct {
	reader
	prompts []string // user texts of plans, guarded by mu
}

func (m *talker) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	reply, err := m.reader.Complete(ctx, c)
	if c.Role != llm.RolePlan {
		return reply, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, c.User)
	if strings.Contains(c.User, "earlier:\n") {
		reply.JSON = json.RawMessage(`{"tables":[],"queries":[],"start":["L1"],"fields":[],"same":true}`)
	}
	return reply, err
}

// agentAnswer is the part of a status that the tests of threads read.
type agentAnswer struct {
	Status, Notice string
	CreditsUsed    int
	Data           json.RawMessage
	Sources        []struct{ URL string }
	Usage          struct{ Pages int }
}

func answerOf(t *testing.T, h *httpapi.Handler, id string) (a agentAnswer) {
	t.Helper()
	_, body := ask(t, h, "GET", "/v2/agent/"+id+"?usage=true", "")
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

const furtherQuestion = `{"prompt":"And what is it called?","schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

// TestAgentThread continues a run: the pages are not fetched again, the earlier question
// is known, and the earlier run stays as it is.
func TestAgentThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := new(talker)
		web := &headerLog{Fetcher: fetchtest.New(t, []byte(agentSite)), sent: map[string]http.Header{}}
		service := &curlew.Service{Fetcher: web, Agent: &agent.Engine{Model: model}, Credits: new(account.Ledger)}
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
		if err != nil {
			t.Fatal(err)
		}
		first := startAgent(t, h, agentTask+`}`)
		time.Sleep(time.Minute)
		before := answerOf(t, h, first)
		_, trace := ask(t, h, "GET", "/v2/agent/"+first+"/trace", "")
		if before.Status != "completed" || before.Notice != "" {
			t.Fatalf("%+v", before)
		}
		web.mu.Lock()
		clear(web.sent)
		web.mu.Unlock()

		second := startAgent(t, h, furtherQuestion+`,"threadId":"`+strings.ToUpper(first)+`"}`)
		time.Sleep(time.Minute)
		got := answerOf(t, h, second)
		if got.Status != "completed" || got.Notice != "" || string(got.Data) != `{"name":"Acme"}` || len(got.Sources) != 1 || got.Sources[0].URL != "http://a.test/" {
			t.Errorf("%+v %s", got, got.Data)
		}
		web.mu.Lock()
		if len(web.sent) != 0 || got.Usage.Pages != 0 {
			t.Errorf("fetched again: %v, %d pages", web.sent, got.Usage.Pages)
		}
		web.mu.Unlock()
		model.mu.Lock()
		if last := model.prompts[len(model.prompts)-1]; !strings.HasPrefix(last, "earlier:\n- \"What does it cost?\"\n") || !strings.Contains(last, `task: "And what is it called?"`) {
			t.Errorf("the plan of the further question sees %s", last)
		}
		model.mu.Unlock()
		third := startAgent(t, h, furtherQuestion+`,"threadId":"`+second+`"}`)
		time.Sleep(time.Minute)
		if got := answerOf(t, h, third); got.Status != "completed" || got.Notice != "" || got.Usage.Pages != 0 || string(got.Data) != `{"name":"Acme"}` {
			t.Errorf("the third question of the thread: %+v %s", got, got.Data)
		}
		if after := answerOf(t, h, first); after.CreditsUsed != before.CreditsUsed || string(after.Data) != string(before.Data) {
			t.Errorf("the first answer was %+v and is %+v", before, after)
		}
		if _, now := ask(t, h, "GET", "/v2/agent/"+first+"/trace", ""); now != trace {
			t.Errorf("the trace of the first run was %s and is %s", trace, now)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAgentThreadUnknown answers questions of which there is nothing to continue, with a
// notice.
func TestAgentThreadUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := new(talker)
		h, service := newAgent(t, model, account.Policy{ZeroRetention: account.RetentionAllowed}, nil)
		failed := startAgent(t, h, `{"prompt":"What does it cost?","urls":["http://b.test/"],"strictConstrainToURLs":true,"schema":{"type":"object","properties":{"name":{"type":"string"}}},"maxCredits":1}`)
		light := startAgent(t, h, agentTask+`,"zeroDataRetention":true}`)
		w, body := ask(t, h, "POST", "/v2/agent", agentTask+`}`, "Authorization", "Bearer fc-other")
		var foreign struct{ ID string }
		if err := json.Unmarshal([]byte(body), &foreign); err != nil || w.Code != 200 {
			t.Fatal(body, err)
		}
		time.Sleep(time.Minute)
		for _, id := range []string{`"` + failed + `"`, `"` + light + `"`, `"` + foreign.ID + `"`, `"` + job.NewID() + `"`, `"../../etc"`, `""`, `7`, `{"id":"x"}`, `null`} {
			own := startAgent(t, h, agentTask+`,"threadId":`+id+`}`)
			time.Sleep(time.Minute)
			got := answerOf(t, h, own)
			said := strings.Contains(got.Notice, "The question is answered without it.")
			if got.Status != "completed" || string(got.Data) != `{"name":"Acme","price":12}` || said != (id != `null` && id != `""`) {
				t.Errorf("threadId %s: %+v %s", id, got, got.Data)
			}
		}
		running := startAgent(t, h, agentTask+`}`)
		own := startAgent(t, h, agentTask+`,"threadId":"`+running+`"}`)
		if got := answerOf(t, h, own); got.Status != "processing" || got.Notice == "" {
			t.Errorf("a question to a run that has not ended: %+v", got)
		}
		time.Sleep(time.Minute)
		model.mu.Lock()
		for _, p := range model.prompts {
			if strings.Contains(p, "earlier:") {
				t.Errorf("a plan sees another question: %s", p)
			}
		}
		model.mu.Unlock()
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
