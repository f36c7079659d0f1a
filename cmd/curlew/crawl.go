// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/job"
)

// crawlFlags say what to crawl. They are stored with the crawl, so that it continues with
// the same ones.
type crawlFlags struct {
	URL         string   `json:"url"`
	Limit       int      `json:"limit,omitempty"`
	Depth       int      `json:"depth"` // -1 means no limit
	Include     []string `json:"include,omitempty"`
	Exclude     []string `json:"exclude,omitempty"`
	Sitemap     string   `json:"sitemap,omitempty"`
	Entire      bool     `json:"entire-domain,omitempty"`
	Subdomains  bool     `json:"subdomains,omitempty"`
	External    bool     `json:"external,omitempty"`
	Concurrency int      `json:"concurrency,omitempty"`
	Delay       string   `json:"delay,omitempty"`
	Whole       bool     `json:"whole,omitempty"`
	Forms       []string `json:"form,omitempty"` // in addition to Markdown
}

// storedForms are the forms that a crawl can store beside Markdown, for exports.
var storedForms = []string{"html", "rawHtml", "links", "images", "chunks"}

// define defines the flags.
func (c *crawlFlags) define(f *flag.FlagSet) {
	several := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	f.IntVar(&c.Limit, "limit", 10_000, "maximum `number` of pages")
	f.IntVar(&c.Depth, "depth", -1, "maximum number of `links` from the start page; -1 means no limit")
	f.Func("include", "only paths that match this `regexp`; may be repeated", several(&c.Include))
	f.Func("exclude", "leave out paths that match this `regexp`; may be repeated", several(&c.Exclude))
	f.StringVar(&c.Sitemap, "sitemap", "include", "`mode` of sitemaps: include, skip or only")
	f.BoolVar(&c.Entire, "entire-domain", false, "also crawl outside the start URL's directory")
	f.BoolVar(&c.Subdomains, "subdomains", false, "also crawl subdomains")
	f.BoolVar(&c.External, "external", false, "also crawl pages of other sites that are one link away")
	f.IntVar(&c.Concurrency, "concurrency", 0, "maximum `number` of pages at once; 0 means as many as the hosts bear")
	f.StringVar(&c.Delay, "delay", "0s", "`pause` between pages, such as 500ms")
	f.BoolVar(&c.Whole, "whole", false, "keep navigation and other boilerplate")
	f.Func("form", "also store this form of each page, for curlew export: "+strings.Join(storedForms, ", ")+"; may be repeated", several(&c.Forms))
}

// request returns the request for the crawl.
func (c *crawlFlags) request() (*curlew.CrawlRequest, error) {
	modes := map[string]crawl.SitemapMode{"include": crawl.SitemapInclude, "skip": crawl.SitemapSkip, "only": crawl.SitemapOnly}
	mode, ok := modes[c.Sitemap]
	if !ok {
		return nil, usage("--sitemap is include, skip or only, not %q", c.Sitemap)
	}
	delay, err := time.ParseDuration(c.Delay)
	if err != nil || delay < 0 {
		return nil, usage("--delay is a time such as 500ms, not %q", c.Delay)
	}
	if c.Limit < 1 || c.Depth < -1 || c.Concurrency < 0 {
		return nil, usage("--limit is at least 1, --depth at least -1, and --concurrency at least 0")
	}
	memo, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	r := &curlew.CrawlRequest{
		Start: curlew.Start{Memo: memo}, URL: fetch.AddScheme(c.URL), Limit: c.Limit, Concurrency: c.Concurrency,
		CrawlOptions: curlew.CrawlOptions{
			Include: c.Include, Exclude: c.Exclude, Sitemap: mode, EntireDomain: c.Entire, Subdomains: c.Subdomains,
			External: c.External, Delay: delay,
		},
	}
	if c.Depth >= 0 {
		r.MaxDepth = &c.Depth
	}
	o := &r.Page.Format
	o.WholePage, o.Forms = c.Whole, []format.Form{format.Markdown}
	for _, name := range c.Forms {
		if !slices.Contains(storedForms, name) {
			return nil, usage("--form is one of %s, not %q", strings.Join(storedForms, ", "), name)
		}
		if !slices.Contains(o.Forms, format.Form(name)) {
			o.Forms = append(o.Forms, format.Form(name))
		}
	}
	return r, nil
}

// differences returns the names of the flags in set that have other values than in stored.
func (c *crawlFlags) differences(stored *crawlFlags, set []string) ([]string, error) {
	values := func(c *crawlFlags) (map[string]json.RawMessage, error) {
		raw, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		m := map[string]json.RawMessage{}
		return m, json.Unmarshal(raw, &m)
	}
	now, err := values(c)
	if err != nil {
		return nil, err
	}
	then, err := values(stored)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range set {
		if string(now[name]) != string(then[name]) {
			names = append(names, "--"+name)
		}
	}
	return names, nil
}

// site is a crawl into a folder.
type site struct {
	*env
	flags  crawlFlags
	dir    string
	resume bool
	since  string
	strict bool
	set    []string // flags of the command line that are in flags

	service *curlew.Service
	store   *job.Files
	folder  *folder
	begun   time.Time
}

// crawlSite is the command crawl.
func crawlSite(e *env, f *flag.FlagSet) action {
	s := &site{env: e, begun: time.Now()}
	s.flags.define(f)
	f.StringVar(&s.dir, "o", "pages", "`folder` to write to")
	f.BoolVar(&s.resume, "resume", false, "continue the crawl in the folder that was stopped")
	f.StringVar(&s.since, "since", "", "compare with an earlier crawl in the folder: `last`; exit code 10 if something has changed")
	f.BoolVar(&s.strict, "strict", false, "exit with code 3 if a page failed")
	return func(rest []string) error {
		if err := s.check(f, rest); err != nil {
			return err
		}
		return s.crawl()
	}
}

// check checks the command line.
func (s *site) check(f *flag.FlagSet, rest []string) error {
	stored := flag.NewFlagSet("stored", flag.ContinueOnError)
	new(crawlFlags).define(stored)
	f.Visit(func(g *flag.Flag) {
		if stored.Lookup(g.Name) != nil {
			s.set = append(s.set, g.Name)
		}
	})
	switch {
	case len(rest) > 1:
		return usageOf(rest[1:])
	case len(rest) == 1:
		s.flags.URL = rest[0]
		s.set = append(s.set, "url")
	case !s.resume:
		return usage("crawl needs a URL, such as: curlew crawl https://example.com/docs/")
	}
	if s.since != "" && s.since != "last" {
		return usage(`--since is "last", not %q`, s.since)
	}
	if s.since != "" && s.resume {
		return usage("--since and --resume exclude each other: a resumed crawl still compares with what it began with")
	}
	return nil
}

func (s *site) crawl() (err error) {
	if _, err := s.flags.request(); err != nil { // before anything is written
		return err
	}
	if s.folder, err = openFolder(s.dir); err != nil {
		return err
	}
	defer s.folder.Close()
	if s.store, err = job.OpenFiles(filepath.Join(s.dir, own, "state"), nil); err != nil {
		if errors.Is(err, job.ErrLocked) {
			return fmt.Errorf("another crawl writes to %s: choose another folder with -o, or wait", s.dir)
		}
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	client := s.client()
	defer client.CloseIdleConnections()
	s.service = &curlew.Service{Fetcher: client, Store: s.store, UserAgent: s.agent, Keep: 10 * 365 * 24 * time.Hour, LocalNames: s.private}
	defer func() {
		ctx, end := context.WithTimeout(context.WithoutCancel(s.ctx), 30*time.Second)
		defer end()
		err = errors.Join(err, s.service.Shutdown(ctx))
	}()
	j, err := s.begin()
	if err != nil {
		return err
	}
	return s.follow(j)
}

// latest returns the newest crawl of the folder in one of the states, or nil. A crawl that
// has ended without a page, because the site was down, does not count.
func (s *site) latest(in ...job.State) (*curlew.Job, error) {
	for j, err := range s.service.Jobs(s.ctx, "", job.Filter{Kind: curlew.KindCrawl}) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(in, j.State()) {
			continue
		}
		now, err := j.Status(s.ctx)
		if err != nil {
			return nil, err
		}
		if now.Delivered > 0 || !now.State.Final() {
			return j, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// begin starts the crawl, or continues the one in the folder.
func (s *site) begin() (*curlew.Job, error) {
	running, err := s.latest(job.Running)
	if err != nil {
		return nil, err
	}
	if s.resume {
		return s.again(running)
	}
	if running != nil {
		return nil, fmt.Errorf("%s has a crawl of %s that was stopped: continue it with --resume, or choose another folder with -o", s.dir, running.URL())
	}
	r, err := s.flags.request()
	if err != nil {
		return nil, err
	}
	if s.since != "" {
		earlier, err := s.latest(job.Completed)
		if err != nil {
			return nil, err
		}
		if earlier == nil {
			return nil, fmt.Errorf("%s has no completed crawl to compare with: crawl once without --since", s.dir)
		}
		r.Since = earlier.ID()
	}
	return s.service.StartCrawl(s.ctx, r)
}

// again continues the running crawl of the folder. If there is none, it returns the last
// one that has ended, whose files are then written again.
func (s *site) again(running *curlew.Job) (*curlew.Job, error) {
	j := running
	if j == nil {
		var err error
		if j, err = s.latest(job.Completed, job.Failed); err != nil {
			return nil, err
		}
	}
	if j == nil {
		return nil, fmt.Errorf("%s has no crawl to continue", s.dir)
	}
	var stored crawlFlags
	if err := json.Unmarshal(j.Memo(), &stored); err != nil {
		return nil, fmt.Errorf("%s: the options of the crawl are damaged: %w", s.dir, err)
	}
	changed, err := s.flags.differences(&stored, s.set)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(changed, "--url"); i >= 0 {
		changed[i] = "the URL, which was " + stored.URL
	}
	if changed != nil {
		return nil, usage("--resume continues with the options that the crawl began with; these differ: %s", strings.Join(changed, ", "))
	}
	s.flags = stored
	if running == nil {
		s.say("the crawl of %s has ended already: writing its files again", stored.URL)
		return j, nil
	}
	return j, s.service.Resume(s.ctx)
}

// follow writes the pages of a job as they arrive, and then the summary.
func (s *site) follow(j *curlew.Job) error {
	manifest, err := s.folder.list("manifest.jsonl")
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			manifest.abandon()
		}
	}()
	line := newProgress(s.env, j)
	defer line.stop()
	errorPages := 0
	var first error
	for raw, err := range j.WatchJSON(s.ctx, 0) {
		if err != nil {
			line.stop()
			return s.interrupted(err)
		}
		p := new(page)
		if err := json.Unmarshal(raw, p); err != nil {
			return fmt.Errorf("a stored page cannot be read: %w", err)
		}
		e, err := s.folder.write(p)
		if err != nil {
			return err
		}
		if e.Error != "" {
			errorPages++
			first = cmpErr(first, fmt.Errorf("%s: %s", e.URL, e.Error))
		}
		if err := manifest.add(e); err != nil {
			return err
		}
	}
	line.stop()
	done = true
	if err := manifest.end(); err != nil { // without a page, that of the crawl before stays
		return err
	}
	return s.finish(j, errorPages, first)
}

func cmpErr(first, then error) error {
	if first != nil {
		return first
	}
	return then
}

// interrupted says how to continue.
func (s *site) interrupted(err error) error {
	if s.ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w; continue with: curlew crawl --resume -o %s", context.Cause(s.ctx), s.dir)
}

// summary is the result of a crawl as JSON.
type summary struct {
	URL      string          `json:"url"`
	State    job.State       `json:"state"`
	Folder   string          `json:"folder"`
	Pages    int             `json:"pages"` // delivered, with those that have no file
	Files    int             `json:"files"`
	Errors   int             `json:"errorPages"` // answered with an error status, or without text: no file
	Failed   int             `json:"failed"`     // could not be fetched or read
	Blocked  int             `json:"robotsBlocked"`
	Changes  *curlew.Changes `json:"changes,omitempty"`
	Warning  string          `json:"warning,omitempty"`
	Seconds  float64         `json:"seconds"`
	Failures string          `json:"failures,omitempty"` // file that lists them
}

// finish writes the failures and the summary.
func (s *site) finish(j *curlew.Job, errorPages int, first error) error {
	now, err := j.Status(s.ctx)
	if err != nil {
		return s.interrupted(err)
	}
	failures, err := s.folder.list("failed.jsonl")
	if err != nil {
		return err
	}
	for f, err := range j.Errors(s.ctx, 0) {
		if err != nil {
			failures.abandon()
			return err
		}
		first = cmpErr(first, fmt.Errorf("%s: %w", f.URL, f))
		if err := failures.add(f); err != nil {
			return err
		}
	}
	if failures.n == 0 {
		if err := s.folder.discard(failures.name); err != nil {
			return err
		}
	}
	if err := failures.end(); err != nil {
		return err
	}
	sum := summary{
		URL: s.flags.URL, State: now.State, Folder: s.dir, Pages: now.Delivered, Files: s.folder.written, Errors: errorPages,
		Failed: now.Failed, Blocked: now.Blocked, Changes: now.Changes, Warning: now.Warning, Seconds: time.Since(s.begun).Seconds(),
	}
	if failures.n > 0 {
		sum.Failures = filepath.Join(s.dir, own, "failed.jsonl")
	}
	if s.asJSON {
		if err := json.NewEncoder(s.out).Encode(&sum); err != nil {
			return err
		}
	}
	s.tell(&sum)
	switch {
	case now.State != job.Completed:
		return fmt.Errorf("the crawl ended as %s: %s", now.State, now.Err)
	case s.folder.written == 0 && first != nil:
		if strings.Contains(first.Error(), fetch.ErrAddress.Error()) {
			first = fmt.Errorf("%w; --allow-private opens all addresses", first)
		}
		return fmt.Errorf("no page could be written: %w", first)
	case s.folder.written == 0:
		return errors.New("no page could be written")
	case s.strict && failures.n+errorPages > 0:
		return &fault{exitInput, fmt.Errorf("%d pages failed", failures.n+errorPages)}
	case s.since != "" && now.Changes != nil && now.Changes.New+now.Changes.Changed+now.Changes.Gone > 0:
		return &fault{exitChanged, errors.New("")}
	}
	return nil
}

// tell prints the summary for people.
func (s *site) tell(sum *summary) {
	parts := []string{fmt.Sprintf("%d pages in %.1fs", sum.Pages, sum.Seconds)}
	for _, p := range []struct {
		n    int
		what string
	}{
		{sum.Failed, "failed"},
		{sum.Errors, "without a file because of their status or because they have no text"},
		{sum.Blocked, "disallowed by robots.txt"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	s.say("%s", strings.Join(parts, ", "))
	if c := sum.Changes; c != nil {
		s.say("new %d changed %d gone %d same %d", c.New, c.Changed, c.Gone, c.Same)
	}
	if sum.Warning != "" {
		s.say("warning: %s", clean(sum.Warning))
	}
	text := fmt.Sprintf("wrote %s (%d files, %s)", sum.Folder, sum.Files, size(s.folder.bytes))
	if sum.Failures != "" {
		text += "; failures in " + sum.Failures
	}
	s.say("%s", text)
}

// size returns a number of bytes in words.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
}
