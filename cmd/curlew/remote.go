// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"path"
	"slices"
	"time"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/cmd/curlew/internal/serve"
	"example.com/curlew/job"
)

// remoteFlags defines the flags of commands that can use a server.
func (e *env) remoteFlags(f *flag.FlagSet) {
	f.StringVar(&e.server, "remote", "", "use the server at this `URL` instead of engines in this process; its key is in CURLEW_API_KEY, or in the file of --api-key-file")
	f.StringVar(&e.keyFile, "api-key-file", "", "`file` with the key for --remote")
}

// remote returns the client of the server that --remote names, or nil if the work is done
// in this process.
func (e *env) remote() (*client.Client, error) {
	if e.server == "" {
		if e.given["api-key-file"] {
			return nil, usage("--api-key-file needs --remote")
		}
		return nil, nil //nolint:nilnil // there is no server
	}
	for _, name := range []string{"allow-private", "user-agent", "proxy", "proxy-file"} {
		if e.given[name] { // settings are for work in this process
			return nil, usage("--%s has no effect on the server of --remote: it is an option of curlew serve", name)
		}
	}
	if err := serve.CheckRemote(e.server); err != nil {
		return nil, err
	}
	key, err := secretOf("CURLEW_API_KEY", e.keyFile)
	if err != nil {
		return nil, err
	}
	if key == "" {
		if key, err = secretOf("FIRECRAWL_API_KEY", ""); err != nil {
			return nil, err
		}
	}
	return &client.Client{BaseURL: e.server, Key: key}, nil
}

// refused returns the exit code for an answer of a server or a provider with a status, or
// zero if the status has none of its own.
func refused(status int) int {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusTooManyRequests:
		return exitRefused
	case http.StatusNotImplemented:
		return exitEngine
	}
	return 0
}

// hostedJobs are crawls on a server. The folder knows the last one that began and the last
// one that was completed.
type hostedJobs struct {
	*site
	client *client.Client
}

// memory is the content of the file that says which crawls on servers the folder knows.
type memory struct {
	Last      *hosted `json:"last,omitempty"`
	Completed *hosted `json:"completed,omitempty"`
}

// memoryFile is the name of that file.
const memoryFile = own + "/remote.json"

// hosted is a crawl on a server.
type hosted struct {
	Server string     `json:"server"`
	ID     string     `json:"id"`
	Began  time.Time  `json:"began"`
	Ended  bool       `json:"ended,omitempty"`
	Flags  crawlFlags `json:"flags"`

	jobs *hostedJobs
}

func (h *hostedJobs) load() (*memory, error) {
	m := new(memory)
	text, err := h.folder.root.ReadFile(memoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(h.dir, memoryFile), err)
	}
	for _, known := range []*hosted{m.Last, m.Completed} {
		if known != nil {
			known.jobs = h
		}
	}
	return m, nil
}

func (h *hostedJobs) save(m *memory) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return h.folder.put(memoryFile, append(text, '\n'))
}

// known returns a crawl of the memory that is wanted and on the server of --remote, or nil.
func (h *hostedJobs) known(wanted func(*memory) *hosted) (*stored, error) {
	m, err := h.load()
	if err != nil {
		return nil, err
	}
	found := wanted(m)
	if found == nil || found.Server != h.server {
		return nil, nil //nolint:nilnil // there is none
	}
	return &stored{running: found, flags: found.Flags, began: found.Began}, nil
}

func (h *hostedJobs) unfinished() (*stored, error) {
	return h.known(func(m *memory) *hosted {
		if m.Last == nil || m.Last.Ended {
			return nil
		}
		return m.Last
	})
}

func (h *hostedJobs) completed(before time.Time) (*stored, error) {
	return h.known(func(m *memory) *hosted {
		if m.Completed == nil || !m.Completed.Began.Before(before) {
			return nil
		}
		return m.Completed
	})
}

func (h *hostedJobs) ended() (*stored, error) {
	return h.known(func(m *memory) *hosted { return cmp.Or(m.Last, m.Completed) })
}

func (h *hostedJobs) resume() error { return nil } // the server has not stopped it

func (h *hostedJobs) start(earlier *stored) (running, error) {
	m, err := h.load()
	if err != nil {
		return nil, err
	}
	r, err := h.flags.wire()
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		r.Since = new(earlier.running.id())
	}
	if h.schedule.every > 0 { // the next crawl compares with this one
		r.RetainHours = new(min(720, 24+2*int(h.schedule.every.Hours())))
	}
	begun, err := h.client.StartCrawl(h.ctx, r)
	if err != nil {
		return nil, err
	}
	m.Last = &hosted{Server: h.server, ID: begun.ID, Began: time.Now(), Flags: h.flags, jobs: h}
	return m.Last, h.save(m)
}

// wire returns the request for a server.
func (c *crawlFlags) wire() (*client.Crawl, error) {
	local, err := c.request() // the same checks
	if err != nil {
		return nil, err
	}
	r := &client.Crawl{
		URL: c.URL, Limit: &c.Limit, IncludePaths: c.Include, ExcludePaths: c.Exclude, Sitemap: &c.Sitemap, MaxDiscoveryDepth: local.MaxDepth,
		CrawlEntireDomain: &c.Entire, AllowSubdomains: &c.Subdomains, AllowExternalLinks: &c.External,
		Scrape: &client.Scrape{OnlyMainContent: new(!c.Whole)},
	}
	for _, form := range local.Page.Format.Forms {
		r.Scrape.Formats = append(r.Scrape.Formats, client.Format{Type: string(form)})
	}
	if local.Delay > 0 {
		r.Delay = new(local.Delay.Seconds())
	}
	if c.WARC {
		r.WARC = new(true)
	}
	if c.Concurrency > 0 {
		r.MaxConcurrency = &c.Concurrency
	}
	return r, nil
}

func (h *hosted) id() string { return h.ID }

func (h *hosted) pages(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for d, err := range h.jobs.client.Watch(ctx, client.CrawlJob, h.ID, 0) {
			if errors.Is(err, client.ErrJob) {
				return // its state says so
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(d.Raw, nil) {
				return
			}
		}
	}
}

func (h *hosted) state(ctx context.Context) (*state, error) {
	now := new(client.Status)
	if err := h.jobs.client.Do(ctx, http.MethodGet, "/v2/crawl/"+h.ID+"?limit=1&stats=true", nil, now); err != nil {
		return nil, err
	}
	s := &state{State: job.State(now.Status), Err: now.Error, Warning: now.Warning, Pages: now.Completed, Changes: (*curlew.Changes)(now.Changes)}
	if now.Status == "scraping" {
		s.State = job.Running
	}
	if stats := now.Stats; stats != nil {
		s.Failed, s.Blocked, s.Waiting = stats.Failed, stats.Robots, stats.Queued+stats.InFlight
		s.Refused = stats.Rules
	}
	if len(now.Hosts) > 0 {
		s.Host, s.Cause, s.Gap = now.Hosts[0].Host, now.Hosts[0].Cause, time.Duration(now.Hosts[0].GapMS)*time.Millisecond
	}
	if now.WaitingUntil != nil {
		s.Resumes = *now.WaitingUntil
	}
	if s.State.Final() {
		return s, h.end(s)
	}
	return s, nil
}

// end stores that the crawl has ended.
func (h *hosted) end(s *state) error {
	m, err := h.jobs.load()
	if err != nil || m.Last == nil || m.Last.ID != h.ID || m.Last.Ended {
		return err
	}
	m.Last.Ended = true
	if s.State == job.Completed && s.Pages > 0 {
		m.Completed = m.Last
	}
	return h.jobs.save(m)
}

func (h *hosted) failures(ctx context.Context) iter.Seq2[*failure, error] {
	return func(yield func(*failure, error) bool) {
		all, err := h.jobs.client.Errors(ctx, client.CrawlJob, h.ID)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, raw := range all.Errors {
			var f struct {
				URL   string `json:"url"`
				Error string `json:"error"`
			}
			if err := json.Unmarshal(raw, &f); err != nil {
				yield(nil, fmt.Errorf("an error that the server lists cannot be read: %w", err))
				return
			}
			if !yield(&failure{f.URL, f.Error, raw}, nil) {
				return
			}
		}
		if more := all.ErrorsTotal - len(all.Errors); more > 0 {
			text := fmt.Sprintf("%d more failures are not listed by the server", more)
			line, err := json.Marshal(map[string]string{"error": text})
			yield(&failure{"", text, line}, err)
		}
	}
}

func (h *hosted) gone(ctx context.Context) ([]string, error) {
	all, err := h.jobs.client.Errors(ctx, client.CrawlJob, h.ID)
	if err != nil {
		return nil, err
	}
	return slices.Clone(all.Gone), nil
}
