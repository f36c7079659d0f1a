// SPDX-License-Identifier: Apache-2.0

package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// finished returns an outbox, and a job of this kind with stored items that
// ended with err.
func finished(t *testing.T, kind string, ends error, items ...job.Item) (*outbox.Outbox, *job.Job) {
	t.Helper()
	runner := &job.Runner{Works: map[string]job.Work{
		kind: func(ctx context.Context, _ *job.Job, space job.Space) error {
			return errors.Join(space.Append(ctx, items...), ends)
		},
		outbox.Kind: func(context.Context, *job.Job, job.Space) error { return nil },
	}}
	t.Cleanup(func() { _ = runner.Shutdown(context.WithoutCancel(t.Context())) })
	j, err := runner.Start(t.Context(), kind, "us", nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return &outbox.Outbox{Runner: runner, Stepped: []string{"agent"}, Document: func(it job.Item) json.RawMessage { return it.Data }}, j
}

// all returns the events of a job for a hook, one on each line. If again is
// set, each event is read by a new outbox that knows only the position.
func all(t *testing.T, o *outbox.Outbox, j *job.Job, h webhook.Hook, again bool) []string {
	t.Helper()
	var lines []string
	source := o.Events("us", &outbox.Delivery{Hook: h, Job: j.ID})
	var at outbox.Position
	for range 20 {
		if again {
			source = o.Events("us", &outbox.Delivery{Hook: h, Job: j.ID})
		}
		if _, err := source.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if source.Kind() != j.Kind {
			t.Errorf("kind %s", source.Kind())
		}
		e, after, err := source.Next(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if at = after; e != nil {
			data, _ := json.Marshal(e.Data)
			lines = append(lines, fmt.Sprintf("%s %d %d %v %s%s", e.Name, e.Index, e.Pages, e.Success, data, e.Err))
		} else if at.Ended {
			return lines
		}
	}
	t.Error("the events do not end")
	return lines
}

// TestEvents checks that a hook gets the events it wants in order, with one
// outbox or several.
func TestEvents(t *testing.T) {
	page := func(n int) job.Item { return job.Item{Kind: job.Result, Data: fmt.Appendf(nil, `{"n":%d}`, n)} }
	failed := job.Item{Kind: job.Failure, Data: []byte(`{"id":"i","url":"http://a.test/x","error":"It failed."}`)}
	refused := job.Item{Kind: job.Failure, Data: []byte(`{"id":"j","url":"http://a.test/y","error":"Refused.","details":{"rule":"robots"}}`)}
	damaged := job.Item{Kind: job.Failure, Data: []byte(`{`)}
	items := []job.Item{page(1), refused, damaged, page(2), failed, page(3)}
	large := job.Item{Kind: job.Result, Data: []byte(`"` + strings.Repeat("x", 700<<10) + `"`)}
	const failure = `page -3 1 false [{"metadata":{"sourceURL":"http://a.test/x","scrapeId":"i"}}]It failed.`
	for name, tt := range map[string]struct {
		hook  webhook.Hook
		items []job.Item
		err   error
		want  []string
	}{
		"all": {webhook.Hook{}, items, nil, []string{
			"started 0 0 true null", `page 1 1 true [{"n":1}]`, `page 2 1 true [{"n":2}]`, `page 3 1 true [{"n":3}]`, failure, "completed 0 0 true null",
		}},
		"batches": {webhook.Hook{Batch: 2}, items, nil, []string{
			"started 0 0 true null", `page 2 2 true [{"n":1},{"n":2}]`, `page 3 1 true [{"n":3}]`, failure, "completed 0 0 true null",
		}},
		"pages":     {webhook.Hook{Events: []string{"page"}}, []job.Item{page(1)}, nil, []string{`page 1 1 true [{"n":1}]`}},
		"the end":   {webhook.Hook{Events: []string{"completed"}}, items, nil, []string{"completed 0 0 true null"}},
		"a failure": {webhook.Hook{Events: []string{"failed"}}, items, errors.New("no disk"), []string{"failed 0 0 false nullno disk"}},
		"another end than asked for": {
			webhook.Hook{Events: []string{"completed"}},
			nil, errors.New("no disk"),
			[]string{"completed 0 0 false nullno disk"},
		},
		"no end":      {webhook.Hook{Events: []string{"failed"}}, items, nil, nil},
		"empty":       {webhook.Hook{}, nil, nil, []string{"started 0 0 true null", "completed 0 0 true null"}},
		"large pages": {webhook.Hook{Events: []string{"page"}, Batch: 10}, []job.Item{large, large}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, j := finished(t, "crawl", tt.err, tt.items...)
				first, later := all(t, o, j, tt.hook, false), all(t, o, j, tt.hook, true)
				if diff := cmp.Diff(first, later); diff != "" {
					t.Errorf("after a restart: %s", diff)
				}
				if name == "large pages" { // together they are too long for one event
					if len(first) != 2 {
						t.Errorf("%d events, want 2", len(first))
					}
					return
				}
				if diff := cmp.Diff(tt.want, first); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestEventsRepeat checks that an event that was attempted before has the same
// pages again, however many pages there are now.
func TestEventsRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, j := finished(t, "crawl", nil, job.Item{Kind: job.Result, Data: []byte("1")}, job.Item{Kind: job.Result, Data: []byte("2")})
		source := o.Events("us", &outbox.Delivery{Hook: webhook.Hook{Batch: 5}, Job: j.ID})
		if _, err := source.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		e, after, err := source.Next(t.Context(), outbox.Position{Started: true, Size: 1})
		if err != nil || e.Pages != 1 || after.Pages != 1 {
			t.Errorf("%+v, %+v, %v, want one page", e, after, err)
		}
		gone := o.Events("them", &outbox.Delivery{Job: j.ID})
		if _, err := gone.Look(t.Context()); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("another team's job: %v", err)
		}
	})
}

// TestActions checks that the events of an agent are its actions, with their
// input also after a restart, and its answer.
func TestActions(t *testing.T) {
	item := func(e journal.Event, cost int) job.Item {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return job.Item{Kind: job.Event, Data: data, Cost: cost}
	}
	items := []job.Item{
		item(journal.Event{Kind: journal.EventDecided, Decided: &journal.DecidedRecord{Step: 1, Actions: []journal.Action{{Do: "search", Q: "curlews"}}}}, 0),
		item(journal.Event{Kind: journal.EventActed, Acted: &journal.ActedRecord{Step: 1, Do: "search"}}, 2),
		{Kind: job.Event, Data: []byte("{")},
		item(journal.Event{Kind: journal.EventActed, Acted: &journal.ActedRecord{Step: 9, Index: 4, Do: "find"}}, 0),
		{Kind: job.Result, Data: []byte(`{"data":{"a":1}}`)},
	}
	want := []string{
		"started 0 0 true null",
		`action 2 0 true [{"creditsUsed":0,"action":"search","input":{"do":"search","q":"curlews"}}]`,
		`action 4 0 true [{"creditsUsed":0,"action":"find","input":{}}]`,
		`completed 0 0 true [{"creditsUsed":2,"data":{"a":1}}]`,
	}
	synctest.Test(t, func(t *testing.T) {
		o, j := finished(t, "agent", nil, items...)
		for _, again := range []bool{false, true} {
			if diff := cmp.Diff(want, all(t, o, j, webhook.Hook{}, again)); diff != "" {
				t.Errorf("again %v: %s", again, diff)
			}
		}
		if got := all(t, o, j, webhook.Hook{Events: []string{"completed"}}, false); len(got) != 1 {
			t.Errorf("without actions: %q", got)
		}
	})
}

// TestAnnounce checks that the delivery of a job's events is started once, also
// if a later process announces it again.
func TestAnnounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, j := finished(t, "crawl", nil)
		deliveries := func() int {
			list, err := o.Runner.List(t.Context(), "us", job.Filter{Kind: outbox.Kind})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				var spec outbox.Delivery
				if err := json.Unmarshal(d.Spec, &spec); err != nil || spec.Job != j.ID || spec.URL != "http://hook.test/" || !spec.Retained {
					t.Errorf("delivery %+v, %v", spec, err)
				}
			}
			return len(list)
		}
		hook := &webhook.Hook{URL: "http://hook.test/"}
		for i := range 3 {
			o := &outbox.Outbox{Runner: o.Runner} // the next process
			if err := o.Announce(t.Context(), j, hook, true); err != nil {
				t.Fatal(err)
			}
			if n := deliveries(); n != 1 {
				t.Errorf("announced %d times: %d deliveries", i+1, n)
			}
		}
		other := *j
		other.ID = job.NewID()
		if err := o.Announce(t.Context(), &other, hook, true); err != nil {
			t.Fatal(err)
		}
		if list, err := o.Runner.List(t.Context(), "us", job.Filter{Kind: outbox.Kind}); err != nil || len(list) != 2 {
			t.Errorf("two jobs have %d deliveries, %v", len(list), err)
		}
	})
}
