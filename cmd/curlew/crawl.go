// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/cmd/curlew/internal/demo"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/sorting"
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
	WARC        bool     `json:"warc,omitempty"`
	Layout      string   `json:"format,omitempty"` // one of layouts; empty means md

	// Network has the names of the network flags that were in effect. Their values are not
	// stored, because the URL of a proxy can contain a password.
	Network []string `json:"network,omitempty"`
}

// layouts are the values of --format: a Markdown file for each page, or one file for all.
var layouts = []string{"md", "jsonl", "single"}

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
	f.BoolVar(&c.WARC, "warc", false, "also store each request and response, for curlew export --format warc")
	f.StringVar(&c.Layout, "format", "md", "`layout` of the pages: md (a Markdown file for each page), jsonl (pages.jsonl, a document on each line) or single (pages.md)")
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
	if c.Layout != "" && !slices.Contains(layouts, c.Layout) {
		return nil, usage("--format is one of %s, not %q", strings.Join(layouts, ", "), c.Layout)
	}
	if c.Limit < 1 || c.Depth < -1 || c.Concurrency < 0 {
		return nil, usage("--limit is at least 1, --depth at least -1, and --concurrency at least 0")
	}
	memo, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	r := &curlew.CrawlRequest{
		Start: curlew.Start{Memo: memo}, URL: fetch.AddScheme(c.URL), Limit: c.Limit, Concurrency: c.Concurrency, Archive: c.WARC,
		CrawlOptions: curlew.CrawlOptions{
			Include: c.Include, Exclude: c.Exclude, Sitemap: mode, EntireDomain: c.Entire, Subdomains: c.Subdomains,
			External: c.External, Delay: delay,
		},
	}
	if c.Depth >= 0 {
		r.MaxDepth = &c.Depth
	}
	for name, patterns := range map[string][]string{"include": c.Include, "exclude": c.Exclude} {
		for _, pattern := range patterns {
			if _, err := regexp.Compile(pattern); err != nil {
				return nil, usage("--%s: %w", name, err)
			}
		}
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
	flags    crawlFlags
	dir      string
	resume   bool
	since    string
	strict   bool
	set      []string // flags of the command line that are in flags
	schedule schedule

	jobs    jobs
	folder  *folder
	begun   time.Time
	deepest int // pages at --depth, whose links are not read
}

// crawlSite is the command crawl.
func crawlSite(e *env, f *flag.FlagSet) action {
	s := &site{env: e}
	s.flags.define(f)
	s.schedule.define(f)
	e.networkFlags(f)
	e.remoteFlags(f)
	f.StringVar(&s.dir, "o", "pages", "`folder` to write to")
	f.BoolVar(&s.resume, "resume", false, "continue the crawl in the folder that was stopped")
	f.StringVar(&s.since, "since", "", "compare with an earlier crawl in the folder: last, or the last one that began before this `time`, such as 2026-11-23 or 2026-11-23T02:15:00Z; exit code 10 if something has changed")
	f.BoolVar(&s.strict, "strict", false, "exit with code 3 if a page failed")
	try := f.Bool("demo", false, "crawl a small site that this program serves itself on loopback, to see what a crawl does")
	return func(rest []string) (err error) {
		if *try {
			if len(rest) > 0 || s.resume || s.since != "" || s.schedule.every > 0 || e.server != "" {
				return usage("--demo serves its own site: it excludes a URL, --resume, --since, --every and --remote")
			}
			url, stop, fault := demo.Start(e.ctx)
			if fault != nil {
				return fault
			}
			defer func() { err = errors.Join(err, stop()) }()
			rest, e.private = []string{url}, true
		}
		if err := s.check(f, rest); err != nil {
			return err
		}
		if s.schedule.every > 0 {
			return s.repeat()
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
	if _, err := s.before(); err != nil {
		return err
	}
	if s.since != "" && s.resume {
		return usage("--since and --resume exclude each other: a resumed crawl still compares with what it began with")
	}
	s.flags.Network = s.network()
	if _, err := s.flags.request(); err != nil { // before anything is written
		return err
	}
	return s.schedule.check(s)
}

// before returns the time before which the earlier crawl of --since began.
func (s *site) before() (time.Time, error) {
	if s.since == "" || s.since == "last" {
		return time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s.since, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage(`--since is "last", a day such as 2026-11-23 or a time such as 2026-11-23T02:15:00Z, not %q`, s.since)
}

// crawl crawls once.
func (s *site) crawl() error {
	return s.open(func() error {
		s.begun = time.Now()
		r, err := s.begin()
		if err != nil {
			return err
		}
		return s.follow(r)
	})
}

// open opens the folder and the jobs in it, calls use, and closes them.
func (s *site) open(use func() error) (err error) {
	if s.resume { // creates no folder
		if _, err := os.Stat(filepath.Join(s.dir, own)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has no crawl to continue", s.dir)
		}
	}
	if s.folder, err = openFolder(s.dir); err != nil {
		return err
	}
	defer s.folder.Close()
	s.folder.layout = s.flags.Layout
	store, err := job.OpenFiles(filepath.Join(s.dir, own, "state"), nil) // also locks the folder
	if errors.Is(err, job.ErrLocked) {
		return fmt.Errorf("another crawl writes to %s: choose another folder with -o, or wait", s.dir)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	server, err := s.remote()
	if err != nil {
		return err
	}
	if server != nil {
		s.jobs = &hostedJobs{site: s, client: server}
		return use()
	}
	client, err := s.fetcher()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	service := &curlew.Service{Fetcher: client, Store: store, UserAgent: s.agent, Keep: 10 * 365 * 24 * time.Hour, LocalNames: s.private, Logger: s.logger()}
	defer func() {
		ctx, end := context.WithTimeout(context.WithoutCancel(s.ctx), 30*time.Second)
		defer end()
		err = errors.Join(err, service.Shutdown(ctx))
	}()
	s.jobs = &localJobs{site: s, service: service}
	return use()
}

// begin starts the crawl, or continues the one in the folder.
func (s *site) begin() (running, error) {
	stopped, err := s.jobs.unfinished()
	if err != nil {
		return nil, err
	}
	if s.resume {
		return s.again(stopped)
	}
	if stopped != nil {
		return nil, fmt.Errorf("%s has a crawl of %s that was stopped: continue it with --resume, or choose another folder with -o", s.dir, stopped.flags.URL)
	}
	var earlier *stored
	if s.since != "" {
		limit, err := s.before()
		if err != nil {
			return nil, err
		}
		if earlier, err = s.jobs.completed(limit); err != nil {
			return nil, err
		}
		if earlier == nil && s.since != "last" {
			return nil, fmt.Errorf("%s has no completed crawl that began before %s", s.dir, s.since)
		}
		if earlier == nil {
			return nil, fmt.Errorf("%s has no completed crawl to compare with: crawl once without --since", s.dir)
		}
	}
	return s.jobs.start(earlier)
}

// again continues the unfinished crawl of the folder. If there is none, it returns the last
// one that has ended, whose files are then written again.
func (s *site) again(unfinished *stored) (running, error) {
	last := unfinished
	if last == nil {
		var err error
		if last, err = s.jobs.ended(); err != nil {
			return nil, err
		}
	}
	if last == nil {
		return nil, fmt.Errorf("%s has no crawl to continue", s.dir)
	}
	changed, err := s.flags.differences(&last.flags, s.set)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(changed, "--url"); i >= 0 {
		changed[i] = "the URL, which was " + last.flags.URL
	}
	if changed != nil {
		return nil, usage("--resume continues with the options that the crawl began with; these differ: %s", strings.Join(changed, ", "))
	}
	if unfinished != nil {
		// Without them, every page that is left could fail for good.
		missing := sorting.Without(slices.Clone(last.flags.Network), func(name string) bool { return slices.Contains(s.flags.Network, name) })
		if len(missing) > 0 && s.server == "" {
			return nil, usage("the crawl began with options that are not stored: give %s again", strings.Join(missing, ", "))
		}
	}
	s.flags = last.flags
	s.folder.layout = s.flags.Layout
	if unfinished == nil {
		s.say("the crawl of %s has ended already: writing its files again", last.flags.URL)
		return last.running, nil
	}
	return last.running, s.jobs.resume()
}
