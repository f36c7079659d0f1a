// SPDX-License-Identifier: Apache-2.0

package notices_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/job"
)

// notes has the notes and failures of a job.
type notes map[job.ItemKind][]string

var errDisk = errors.New("disk on fire")

// Items implements [stored.Items].
func (n notes) Items(_ context.Context, kind job.ItemKind, from, limit int) (items []job.Item, err error) {
	if n == nil {
		return nil, errDisk
	}
	for _, data := range n[kind][from:min(from+limit, len(n[kind]))] {
		items = append(items, job.Item{Kind: kind, Data: []byte(data)})
	}
	return items, nil
}

// TestWarning joins the sentences of jobs. Only a crawl that has ended says what it left out.
func TestWarning(t *testing.T) {
	const failure = `{"url":"http://a.test/","error":"It burns."}`
	many := notes{job.Note: {"forgotten"}}
	for i := range 100 {
		many[job.Note] = append(many[job.Note], fmt.Sprintf("Note %d.", i))
	}
	failed := notes{job.Failure: {failure}}
	narrow := &notices.Crawl{URL: "http://a.test/docs/", Limit: 10, Narrow: true}
	for name, c := range map[string]struct {
		items notes
		state job.State
		stats job.Stats
		crawl *notices.Crawl
		want  []string // parts of the warning; an empty list means no warning
		not   string   // no part of it

		unavailable, inputs int
	}{
		"nothing":          {state: job.Completed},
		"disk":             {state: job.Running, stats: job.Stats{Waiting: true}, want: []string{"disk is full"}},
		"damaged":          {state: job.Completed, stats: job.Stats{Lost: 3}, want: []string{"at least 3 "}},
		"notes":            {items: many, state: job.Completed, want: []string{"Note 0.", "Note 99."}, not: "forgotten"},
		"batch":            {items: failed, state: job.Completed},
		"batch, 429":       {state: job.Completed, unavailable: 2, want: []string{"For 2 page(s)"}},
		"batch, cancelled": {items: failed, state: job.Cancelled, inputs: 5, want: []string{"ended early: 4 known URL(s)"}},
		"batch, complete":  {items: failed, state: job.Completed, inputs: 5, not: "early"},
		"crawl, cancelled": {state: job.Cancelled, stats: job.Stats{Crawl: frontier.Stats{Pending: 2, Leased: 1}}, crawl: narrow, want: []string{"ended early: 3 known URL(s)"}},
		"batch, running":   {state: job.Running, unavailable: 2},
		"no page":          {items: failed, state: job.Completed, crawl: narrow, want: []string{"No page could be delivered; http://a.test/ failed: It burns."}},
		"no page, rule":    {items: notes{job.Failure: {`{"url":"http://a.test/","error":"It is refused.","details":{"rule":"not-included"}}`}}, state: job.Completed, crawl: narrow, want: []string{"failed: It is refused. The rule is not-included."}},
		"cancelled":        {items: failed, state: job.Cancelled, crawl: narrow, not: "burns"},
		"running":          {items: failed, state: job.Running, crawl: narrow, not: "result(s)"},
		"damaged failure":  {items: notes{job.Failure: {"{"}}, state: job.Completed, crawl: narrow, not: "No page"},
		"robots":           {items: notes{job.Blocked: {"x"}}, state: job.Completed, crawl: narrow, want: []string{notices.Robots(1, "crawl")}},
		"few":              {state: job.Completed, crawl: narrow, want: []string{notices.Few(0, narrow.URL)}},
		"few, whole site":  {state: job.Completed, crawl: &notices.Crawl{URL: narrow.URL, Limit: 10}, not: notices.Few(0, narrow.URL)},
		"compared":         {items: notes{job.Result: {"a", "b"}}, state: job.Completed, crawl: &notices.Crawl{URL: "http://a.test/", Limit: 2, Compared: true}, want: []string{"limit of 2 page(s)", "none of the counts of changes"}},
		"compared, whole":  {items: notes{job.Result: {"a"}}, state: job.Completed, crawl: &notices.Crawl{URL: "http://a.test/", Limit: 2, Compared: true}, not: "counts of changes"},
		"limited":          {items: notes{job.Result: {"a"}}, state: job.Completed, stats: job.Stats{Crawl: frontier.Stats{Pending: 3, Damaged: 2, Endless: frontier.Endless{Left: 4}}}, crawl: &notices.Crawl{URL: narrow.URL, Limit: 1}, want: []string{"2 sitemap(s)", "its limit of 1 page(s): 3 known URL(s)", "At least 4 known URL(s)"}},
		"limited, nothing": {items: notes{job.Result: {"a"}}, state: job.Completed, crawl: &notices.Crawl{URL: narrow.URL, Limit: 1}, not: "limit"},
		"left out":         {state: job.Completed, stats: job.Stats{Crawl: frontier.Stats{Spent: true}}, crawl: narrow, want: notices.LeftOut(&frontier.Stats{Spent: true})},
		"left out, failed": {state: job.Failed, stats: job.Stats{Crawl: frontier.Stats{Spent: true}}, crawl: narrow, not: "requests"},
	} {
		c.stats.Items = [len(c.stats.Items)]int{}
		for kind, items := range c.items {
			c.stats.Items[kind] = len(items)
		}
		if c.items == nil {
			c.items = notes{}
		}
		j := notices.Job{Items: c.items, State: c.state, Stats: &c.stats, Crawl: c.crawl, Unavailable: c.unavailable, Inputs: c.inputs}
		got, err := j.Warning(t.Context())
		if err != nil || len(c.want) == 0 && c.not == "" && c.crawl == nil && got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q, want %q in it", name, got, part)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q, want no %q in it", name, got, c.not)
		}
		j.Start = []string{"First."}
		if got, err := j.Warning(t.Context()); err != nil || !strings.HasPrefix(got, "First.") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	j := notices.Job{Items: notes(nil), State: job.Running, Stats: new(job.Stats)}
	j.Stats.Items[job.Note] = 1
	if got, err := j.Warning(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("%q, %v, want %v", got, err, errDisk)
	}
}
