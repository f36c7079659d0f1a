// SPDX-License-Identifier: Apache-2.0

package outbox_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// fakeSource has a number of events of one page each.
type fakeSource int

func (fakeSource) Kind() string { return "crawl" }

func (fakeSource) Look(context.Context) (<-chan struct{}, error) { return nil, nil }

func (f fakeSource) Next(_ context.Context, from outbox.Position) (*webhook.Event, outbox.Position, error) {
	after := outbox.Position{Pages: from.Pages + 1, Ended: from.Pages+1 == int(f)}
	return &webhook.Event{Name: "page", Index: after.Pages, Pages: 1, Success: true, Data: []json.RawMessage{json.RawMessage(`{}`)}}, after, nil
}

// receiver refuses the attempts that the test chooses, and logs all attempts.
type receiver struct {
	refuse func(attempt int) bool

	mu    sync.Mutex
	story []string // guarded by mu; time, type and index of the event, and status
	ids   []string // guarded by mu; ids of events in the order of their first attempt
	bad   []string // guarded by mu; bodies with a wrong signature
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var e struct{ Type, WebhookID string }
	_ = json.Unmarshal(body, &e)
	r.mu.Lock()
	defer r.mu.Unlock()
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write(body)
	if req.Header.Get("X-Firecrawl-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		r.bad = append(r.bad, string(body))
	}
	index := len(r.ids)
	for i, id := range r.ids {
		if id == e.WebhookID {
			index = i
		}
	}
	if index == len(r.ids) {
		r.ids = append(r.ids, e.WebhookID)
	}
	status := http.StatusOK
	if r.refuse(len(r.story)) {
		status = http.StatusInternalServerError
	}
	r.story = append(r.story, fmt.Sprintf("%v %s %d %d", time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), e.Type, index, status))
	w.WriteHeader(status)
}

// told returns the log so far.
func (r *receiver) told() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.story)
}

// wrong returns the bodies with a wrong signature.
func (r *receiver) wrong() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bad)
}

// deliver delivers events to r until the end, and returns those that were given
// up.
func deliver(t *testing.T, r *receiver, events int) (dead []webhook.Undelivered) {
	t.Helper()
	n := webtest.Serve(r)
	o := new(outbox.Outbox)
	s := &o.Sender
	s.Logger, s.Source = slog.New(slog.DiscardHandler), func(string, *outbox.Delivery) outbox.Source { return fakeSource(events) }
	s.Client = netguard.Policy{Dial: n.Dial, Resolver: n}.Client(netguard.ClientOptions{})
	s.Secret = func(context.Context, string) (string, error) { return "secret", nil }
	s.Undelivered = func(_ context.Context, e webhook.Undelivered) { dead = append(dead, e) }
	runner := job.Runner{Store: new(job.Memory), Works: map[string]job.Work{"webhook": s.Work}}
	o.Runner = &runner
	hook := &webhook.Hook{URL: "http://hook.test/"}
	j := &job.Job{ID: job.NewID(), Owner: "team"}
	if err := o.Announce(t.Context(), j, hook, false); err != nil {
		t.Fatal(err)
	}
	stats := job.Stats{}
	stats.Items[job.Result] = events
	backlog := func(by *outbox.Outbox) *outbox.Backlog {
		b, err := by.Backlog(t.Context(), j, &stats, hook)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	elsewhere := &outbox.Outbox{Runner: &runner} // another process with the same store
	time.Sleep(30 * time.Second)
	b := backlog(o)
	if (b != nil) != (len(r.told()) == 1) || b != nil && (b.Events != events || b.FailedAttempts != 1 || b.NextAttempt.IsZero() || b.GivenUp != 0) {
		t.Errorf("after 30 s the backlog is %+v", b)
	}
	if diff := cmp.Diff(b, backlog(elsewhere)); diff != "" {
		t.Errorf("after 30 s, another process says (-here +there):\n%s", diff)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	var want *outbox.Backlog
	if len(dead) > 0 {
		want = &outbox.Backlog{GivenUp: len(dead)}
	}
	if diff := cmp.Diff(want, backlog(elsewhere)); diff != "" {
		t.Errorf("after an hour (-want +got):\n%s", diff)
	}
	if err := runner.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	s.Client.CloseIdleConnections()
	n.Close()
	if bad := r.wrong(); len(bad) > 0 {
		t.Errorf("wrong signatures: %q", bad)
	}
	return dead
}

// TestSender refuses the first event twice. The receiver must get it again
// after one and five minutes, and then the others in order.
func TestSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{refuse: func(attempt int) bool { return attempt < 2 }}
		dead := deliver(t, r, 3)
		want := []string{"0s crawl.page 0 500", "1m0s crawl.page 0 500", "6m0s crawl.page 0 200", "6m0s crawl.page 1 200", "6m0s crawl.page 2 200"}
		if diff := cmp.Diff(want, r.told()); diff != "" || len(dead) > 0 {
			t.Errorf("attempts (-want +got):\n%s%d given up", diff, len(dead))
		}
	})
}

// TestSenderGivesUp refuses everything. The first event must be given up after
// four attempts, the others after one attempt each.
func TestSenderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{refuse: func(int) bool { return true }}
		dead := deliver(t, r, 3)
		if len(r.told()) != 6 || len(dead) != 3 || dead[0].Team != "team" || dead[0].URL != "http://hook.test/" || len(dead[0].Body) == 0 || dead[0].Err == nil {
			t.Errorf("%d attempts, %+v given up", len(r.told()), dead)
		}
	})
}

// expired is a source whose job is gone.
type expired struct{ fakeSource }

func (expired) Look(context.Context) (<-chan struct{}, error) { return nil, job.ErrNotFound }

// TestSenderSums continues deliveries after a restart. The log must say how many events were
// given up before and after it, also if the job had zero data retention, and if the job is
// gone. A delivery without losses must not be logged.
func TestSenderSums(t *testing.T) {
	for name, c := range map[string]struct {
		source outbox.Source
		note   string
		refuse bool
		want   string // part of the log
	}{
		"given up":      {fakeSource(3), `{"Pages":1,"GivenUp":4,"Dead":true}`, true, `"events of a job were not delivered" team=team job=j events=6`},
		"before only":   {fakeSource(3), `{"Pages":1,"GivenUp":4,"Dead":true}`, false, `"events of a job were not delivered" team=team job=j events=4`},
		"in progress":   {fakeSource(3), `{"Pages":2,"GivenUp":1,"Dead":true,"Open":[{"Pages":0},{"Pages":1}]}`, true, `events=4`},
		"all delivered": {fakeSource(3), `{"Pages":1}`, false, ""},
		"gone":          {expired{3}, `{"Pages":1}`, false, `"a job is gone before its last events were delivered" team=team job=j`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := webtest.Serve(&receiver{refuse: func(int) bool { return c.refuse }})
				var log strings.Builder
				s := &outbox.Sender{Logger: slog.New(slog.NewTextHandler(&log, nil)), Source: func(string, *outbox.Delivery) outbox.Source { return c.source }}
				s.Client = netguard.Policy{Dial: n.Dial, Resolver: n}.Client(netguard.ClientOptions{})
				spec, err := json.Marshal(outbox.Delivery{Hook: webhook.Hook{URL: "http://hook.test/", Unordered: true}, Job: "j", Retained: true})
				if err != nil {
					t.Fatal(err)
				}
				store := new(job.Memory)
				j := &job.Job{ID: job.NewID(), Kind: outbox.Kind, Owner: "team", State: job.Running, Spec: spec}
				if err := store.Create(t.Context(), j); err != nil {
					t.Fatal(err)
				}
				space, err := store.Space(t.Context(), j.ID)
				if err != nil {
					t.Fatal(err)
				}
				if err := space.Append(t.Context(), job.Item{Kind: job.Note, Data: []byte(c.note)}); err != nil {
					t.Fatal(err)
				}
				if err := s.Work(t.Context(), j, space); err != nil {
					t.Fatal(err)
				}
				s.Client.CloseIdleConnections()
				n.Close()
				lines := strings.Count(log.String(), "\n")
				if !strings.Contains(log.String(), c.want) || (lines == 0) != (c.want == "") || strings.Contains(log.String(), "hook.test") {
					t.Errorf("the log says: %s", &log)
				}
			})
		})
	}
}
