// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"path/filepath"
	"time"

	"example.com/curlew"
	"example.com/curlew/export"
	"example.com/curlew/webhook"
)

// schedule says when a site is crawled again, and where its changes are reported.
type schedule struct {
	every time.Duration
	once  bool
	hook  string
}

func (c *schedule) define(f *flag.FlagSet) {
	f.DurationVar(&c.every, "every", 0, "crawl again after this `time`, such as 24h, and compare with the crawl before, until a signal ends it")
	f.BoolVar(&c.once, "once", false, "with --every, crawl only if the last crawl in the folder is older than its time, and end")
	f.StringVar(&c.hook, "webhook", "", "`URL` that gets the changes of --since or --every, signed with CURLEW_WEBHOOK_SECRET")
}

// shortest is the shortest time of --every.
var shortest = time.Second

func (c *schedule) check(s *site) error {
	switch {
	case c.every != 0 && c.every < shortest:
		return usage("--every is at least %v", shortest)
	case c.once && c.every == 0:
		return usage("--once needs --every")
	case c.every > 0 && (s.since != "" || s.resume):
		return usage("--every compares with the crawl before and continues one that was stopped by itself: it excludes --since and --resume")
	case c.hook != "" && c.every == 0 && s.since == "":
		return usage("--webhook needs --since or --every")
	case c.hook != "":
		if err := s.hooks().CheckURL(c.hook); err != nil {
			return usage("--webhook: %w", err)
		}
	}
	return nil
}

// repeat crawls when it is time, until a signal ends it. A crawl that fails is reported, and
// the site is crawled again when the next one is due.
func (s *site) repeat() error {
	var failed time.Time // when the last crawl began, if it failed
	for {
		due, err := s.due()
		if err != nil {
			return err
		}
		if !failed.IsZero() {
			due = failed.Add(s.schedule.every)
		}
		wait := time.Until(due)
		switch {
		case wait > 0 && s.schedule.once:
			s.say("not yet: the next crawl is due in %v", wait.Round(time.Second))
			return nil
		case wait > 0:
			s.say("the next crawl begins at %s", due.Format(time.DateTime))
		}
		if err := s.wait(wait); err != nil {
			return err
		}
		began := time.Now()
		err = s.crawl()
		failed = time.Time{}
		if f, ok := errors.AsType[*fault](err); s.schedule.once || s.ctx.Err() != nil || ok && f.code == exitUsage {
			return err
		}
		if err != nil && err.Error() != "" {
			s.report(s.flags.URL, err)
			failed = began
		}
	}
}

// due returns when the next crawl is due, and says in s whether it continues one that was
// stopped, or compares with an earlier one.
func (s *site) due() (due time.Time, err error) {
	err = s.open(func() error {
		stopped, err := s.jobs.unfinished()
		if err != nil {
			return err
		}
		s.resume, s.since = stopped != nil, ""
		if s.resume {
			return nil
		}
		last, err := s.jobs.completed(time.Now())
		if err == nil && last != nil {
			s.since, due = "last", last.began.Add(s.schedule.every)
		}
		return err
	})
	return due, err
}

// wait waits, or returns the cause of the end of the program.
func (s *site) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// change is a page that differs from the earlier crawl, as a line of changes.jsonl.
type change struct {
	URL    string `json:"url"`
	Change string `json:"change"` // added, changed, removed
	File   string `json:"file,omitempty"`
}

// changes collects the differences from the earlier crawl.
type changes struct {
	list  *list
	first []json.RawMessage // the first changes, which the webhook gets
	n     map[string]int
}

// mostReported is the number of pages that a webhook names. The file has all of them.
const mostReported = 1000

// words maps the changes of a document to the words of a report.
var words = map[string]string{"new": "added", "changed": "changed"}

func (c *changes) add(page *change) error {
	c.n[page.Change]++
	if len(c.first) < mostReported {
		line, err := json.Marshal(page)
		if err != nil {
			return err
		}
		c.first = append(c.first, line)
	}
	return c.list.add(page)
}

// met adds a page that was delivered, unless it is the same or an error page. A page that
// has no text has no file.
func (c *changes) met(e *entry) error {
	word, ok := words[e.Change]
	if !ok || e.Error != "" && !e.empty {
		return nil
	}
	return c.add(&change{e.URL, word, e.File})
}

// removed adds the pages that are gone, and removes their files. There are n of them, of
// which a server may not list all.
func (c *changes) removed(urls []string, n int) error {
	c.n["removed"] = max(0, n-len(urls))
	for _, u := range urls {
		if err := c.list.f.discard(export.FileName(u)); err != nil {
			return err
		}
		if err := c.add(&change{URL: u, Change: "removed"}); err != nil {
			return err
		}
	}
	return nil
}

// total returns the number of changes.
func (c *changes) total() int { return c.n["added"] + c.n["changed"] + c.n["removed"] }

// hooks returns how webhooks are sent.
func (s *site) hooks() *webhook.Config {
	c := &webhook.Config{Secret: func(context.Context, string) (string, error) { return secretOf("CURLEW_WEBHOOK_SECRET", "") }}
	if s.private {
		c.Allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		c.Ports = []int{-1}
	}
	return c
}

// hookPauses are the pauses between the attempts to send a report.
var hookPauses = []time.Duration{2 * time.Second, 15 * time.Second}

// tellHook sends the changes to the receiver of --webhook.
func (s *site) tellHook(r running, c *changes, counts *curlew.Changes) error {
	if s.schedule.hook == "" || c.total() == 0 {
		return nil
	}
	to := &webhook.Hook{URL: s.schedule.hook, Metadata: map[string]string{
		"url": s.flags.URL, "added": fmt.Sprint(c.n["added"]), "changed": fmt.Sprint(c.n["changed"]), "removed": fmt.Sprint(c.n["removed"]),
		"same": fmt.Sprint(counts.Same), "notListed": fmt.Sprint(c.total() - len(c.first)),
	}}
	event := &webhook.Event{Name: "changes", Success: true, Data: c.first}
	for try := 0; ; try++ {
		err := s.hooks().Send(s.ctx, to, "crawl", r.id(), event)
		if err == nil {
			return nil
		}
		if try == len(hookPauses) || s.ctx.Err() != nil {
			return fmt.Errorf("the changes could not be sent to the webhook, and are in %s only: %w", filepath.Join(s.dir, own, "changes.jsonl"), err)
		}
		if err := s.wait(hookPauses[try]); err != nil {
			return err
		}
	}
}
