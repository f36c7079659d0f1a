// SPDX-License-Identifier: Apache-2.0

package outbox_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// slowReceiver takes 50 ms for each event. It never answers events for /hang.
type slowReceiver struct {
	mu       sync.Mutex
	got      map[string]map[string]int // guarded by mu; by path, how often each event came
	last     map[string]time.Time      // guarded by mu; by path, when the last event was accepted
	inFlight map[string]int            // guarded by mu; by path
	most     map[string]int            // guarded by mu; by path, the highest value of inFlight
}

func (r *slowReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var e struct{ WebhookID string }
	_ = json.Unmarshal(body, &e)
	path := req.URL.Path
	r.mu.Lock()
	r.inFlight[path]++
	r.most[path] = max(r.most[path], r.inFlight[path])
	r.mu.Unlock()
	if path == "/hang" {
		<-req.Context().Done()
	} else {
		time.Sleep(50 * time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight[path]--
	if path == "/hang" {
		return
	}
	if r.got[path] == nil {
		r.got[path] = map[string]int{}
	}
	r.got[path][e.WebhookID]++
	r.last[path] = time.Now()
	w.WriteHeader(http.StatusOK)
}

// slowSpace takes 10 ms for each write, like a disk with sync.
type slowSpace struct{ job.Space }

func (s slowSpace) Append(ctx context.Context, items ...job.Item) error {
	time.Sleep(10 * time.Millisecond)
	return s.Space.Append(ctx, items...)
}

// TestSenderRate delivers the events of three jobs by one Sender: in order,
// without order, and without order to a receiver that never answers. A receiver
// that takes 50 ms must get at least 200 events per second if their order does
// not matter, although each position is first stored, which takes 10 ms. It
// must get each event once. The receiver that hangs must not delay the others.
func TestSenderRate(t *testing.T) {
	const events = 1000
	synctest.Test(t, func(t *testing.T) {
		r := &slowReceiver{got: map[string]map[string]int{}, last: map[string]time.Time{}, inFlight: map[string]int{}, most: map[string]int{}}
		n := webtest.Serve(r)
		s := outbox.Sender{Logger: slog.New(slog.DiscardHandler), Source: func(string, *outbox.Delivery) outbox.Source { return fakeSource(events) }}
		s.Client = netguard.Policy{Dial: n.Dial, Resolver: n}.Client(netguard.ClientOptions{})
		runner := job.Runner{Store: new(job.Memory), Works: map[string]job.Work{"webhook": func(ctx context.Context, j *job.Job, space job.Space) error {
			return s.Work(ctx, j, slowSpace{space})
		}}}
		began := time.Now()
		for path, unordered := range map[string]bool{"/hang": true, "/ordered": false, "/unordered": true} {
			spec, err := json.Marshal(outbox.Delivery{Hook: webhook.Hook{URL: "http://hook.test" + path, Unordered: unordered}, Job: job.NewID()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := runner.Begin(t.Context(), job.Job{Kind: "webhook", Owner: "team", Spec: spec}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Minute)
		r.mu.Lock()
		defer r.mu.Unlock()
		for path, most := range map[string]int{"/ordered": 1, "/unordered": 16} {
			if len(r.got[path]) != events {
				t.Errorf("%s got %d events, want %d", path, len(r.got[path]), events)
			}
			for id, times := range r.got[path] {
				if times != 1 {
					t.Errorf("%s got the event %s %d times", path, id, times)
				}
			}
			if r.most[path] != most {
				t.Errorf("%s had %d events in flight, want %d", path, r.most[path], most)
			}
		}
		took := r.last["/unordered"].Sub(began)
		t.Logf("%d events took %v", events, took)
		if took > events*time.Second/200 {
			t.Errorf("%d events took %v, which is %.0f per second, want 200", events, took, events/took.Seconds())
		}
		if err := runner.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		s.Client.CloseIdleConnections()
		n.Close()
	})
}
