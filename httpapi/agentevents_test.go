// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/internal/test/webtest"
)

// TestAgentEventsIdle watches an agent that has no events for a long time. A
// client that reads gets keep-alives. A client that does not read is
// disconnected.
func TestAgentEventsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &reader{hold: make(chan struct{})}
		h, service := newAgent(t, model, account.Policy{}, nil)
		web := webtest.Serve(h)
		defer web.Close()
		id := startAgent(t, h, agentTask+`}`)
		watch := func() (net.Conn, *bufio.Reader) {
			conn, err := web.Dial(t.Context(), "tcp", "api.test:80")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET /v2/agent/%s/events HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer fc-test\r\nConnection: close\r\n\r\n", id)
			return conn, bufio.NewReader(conn)
		}
		reading, r := watch()
		defer reading.Close()
		var text []byte
		var over sync.WaitGroup
		over.Go(func() {
			if resp, err := http.ReadResponse(r, nil); err == nil {
				defer resp.Body.Close()
				text, _ = io.ReadAll(resp.Body)
			}
		})
		stalled, unread := watch()
		defer stalled.Close()
		if _, err := unread.ReadByte(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		_ = stalled.SetReadDeadline(time.Now().Add(time.Second)) // fails because the pipe is closed, as it should be
		if _, err := io.Copy(io.Discard, unread); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("who does not read is not let go")
		}
		close(model.hold)
		over.Wait()
		if n := strings.Count(string(text), ":\n\n"); n < 5 || !strings.Contains(string(text), "event: run.finished") {
			t.Errorf("%d signs of life in five minutes: %s", n, text)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAgentEventsShutdown watches an agent while its process shuts down. The
// watcher does not delay the shutdown, and HEAD does not wait for the job.
func TestAgentEventsShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, service := newAgent(t, &reader{hold: make(chan struct{})}, account.Policy{}, nil)
		id := startAgent(t, h, agentTask+`}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "GET", "/v2/agent/"+id+"/events", http.NoBody)
		r.Header.Set("Authorization", "Bearer fc-test")
		w := httptest.NewRecorder()
		var over sync.WaitGroup
		over.Go(func() { h.ServeHTTP(w, r) })
		time.Sleep(10 * time.Second)
		if w, _ := ask(t, h, "HEAD", "/v2/agent/"+id+"/events", ""); w.Code != http.StatusOK {
			t.Errorf("HEAD: %d", w.Code)
		}
		start := time.Now()
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		over.Wait()
		if body := w.Body.String(); !strings.Contains(body, "run.started") || strings.Contains(body, "run.finished") {
			t.Error(body)
		}
		if d := time.Since(start); d > time.Second { // synctest time
			t.Errorf("the watcher went on for %v", d)
		}
	})
}

// TestAgentEnds cancels agents, stops them, and lets them run out of credits.
func TestAgentEnds(t *testing.T) {
	for _, test := range []struct {
		name, more string
		policy     account.Policy
		do         func(t *testing.T, h http.Handler, id string)
		want       string // part of the status
		spent      bool
	}{
		{"cancelled", ``, account.Policy{}, func(t *testing.T, h http.Handler, id string) {
			for range 2 {
				if w, body := ask(t, h, "DELETE", "/v2/agent/"+id, ""); w.Code != 200 || body != `{"success":true}` {
					t.Error(w.Code, body)
				}
			}
		}, `"status":"cancelled"`, true},
		{"cancelled, for Python", `,"origin":"python-sdk@4.0.0"`, account.Policy{}, func(t *testing.T, h http.Handler, id string) {
			ask(t, h, "DELETE", "/v2/agent/"+id, "")
		}, `"status":"failed","model":"spark-1-mini"`, true},
		{"stopped", ``, account.Policy{}, func(t *testing.T, h http.Handler, id string) {
			if w, body := ask(t, h, "POST", "/v2/agent/"+id+"/stop", ""); w.Code != 200 || body != `{"success":true}` {
				t.Error(w.Code, body)
			}
		}, `"stopReason":"stopped"`, true},
		{"clamped", `,"maxCredits":100`, account.Policy{MaxAgentCredits: 1}, func(*testing.T, http.Handler, string) {}, `"creditsUsed":`, true},
		{"free", ``, account.Policy{FreeAgentRuns: 1}, func(*testing.T, http.Handler, string) {}, `"creditsUsed":`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, service := newAgent(t, &reader{hold: make(chan struct{})}, test.policy, map[string]int{"team": 5000})
				id := startAgent(t, h, agentTask+test.more+`}`)
				time.Sleep(10 * time.Second)
				test.do(t, h, id)
				time.Sleep(time.Hour)
				_, body := ask(t, h, "GET", "/v2/agent/"+id, "")
				if !strings.Contains(body, test.want) {
					t.Errorf("%s, want %s", body, test.want)
				}
				_, trace := ask(t, h, "GET", "/v2/agent/"+id+"/trace", "")
				cancelled := strings.HasPrefix(test.name, "cancelled")
				if strings.Contains(trace, `"type":"run.cancel_requested"`) != cancelled || strings.Contains(trace, `"type":"agent.finished","outcome":"cancelled"`) != cancelled || strings.Count(trace, `"type":"run.finished"`) != 1 {
					t.Error(trace)
				}
				var used struct{ CreditsUsed int }
				if err := json.Unmarshal([]byte(body), &used); err != nil {
					t.Fatal(err)
				}
				b, err := service.Credits.Balance(t.Context(), "team")
				if err != nil || b.Spent > used.CreditsUsed || b.Left+b.Spent != 5000 || !test.spent && b.Spent != 0 {
					t.Errorf("%+v, %v; %s", b, err, body)
				}
				if err := service.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
