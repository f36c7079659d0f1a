// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// specVersion is the version of stored specifications. Specifications of other versions
// are refused.
const specVersion = 1

// spec is a job's stored specification. Its values were resolved when the job was started,
// and do not depend on the syntax of a front end.
type spec struct {
	Version int
	specTask
	specShare
	specBill
	specBounds

	Hook        *webhook.Hook   `json:",omitempty"` // where the events of the job are sent
	Keep        time.Duration   `json:",omitempty"` // how long the job is stored after its end; zero means the default of the Service
	Warnings    []string        // about the job as a whole
	Refused     []string        `json:",omitempty"` // of a batch: URLs that the policy or the threat gate refused
	Idempotency *Idempotency    `json:",omitempty"`
	Memo        json.RawMessage `json:",omitempty"` // belongs to the front end
}

// specTask describes the task of a job.
type specTask struct {
	Crawl *CrawlOptions  `json:",omitempty"` // for a crawl
	Page  *ScrapeOptions `json:",omitempty"` // for a crawl or batch: how its pages are fetched and formatted
	Agent *AgentOptions  `json:",omitempty"` // for an agent
	URL   string         `json:",omitempty"` // for a crawl: its start page
	Asked string         `json:",omitempty"` // for a crawl: the start page as the caller wrote it
	URLs  []string       `json:",omitempty"` // for a batch: its first inputs
	Since string         `json:",omitempty"` // for a crawl: ID of the earlier crawl with which it is compared
	Traps crawl.Traps    `json:",omitzero"`  // for a crawl

	Archive bool `json:",omitempty"` // for a crawl or batch: its requests and responses are stored
}

// specShare contains the limits of a job.
type specShare struct {
	Limit int // delivered pages, or credits of an agent; for a batch, zero means no limit
	Slots int // how many pages of the team are processed at once
	Width int `json:",omitempty"` // how many pages of this job are processed at once
	Shown int `json:",omitempty"` // for a crawl: how many pages are shown because they need scripts; zero means no limit
}

// specBill contains the credits that were reserved for a job.
type specBill struct {
	Op       string // identifies the reservation
	Reserved int
	Free     bool           `json:",omitempty"` // for an agent: the run is not billed
	Cleared  map[string]int `json:",omitempty"` // for an agent: credits for the scans of its URLs
}

// specBounds contains the rules for a job and the caller on whose behalf it works.
type specBounds struct {
	Threat   threat.Policy
	Retained bool         // zero data retention: the job is kept only in memory
	KeyID    string       `json:",omitempty"`
	External string       `json:",omitempty"` // the client's own ID of the request
	Audit    *audit.Event `json:",omitempty"` // common members of its audit events
}

// CrawlOptions select the pages that a crawl delivers. The zero value is the contract's
// default.
type CrawlOptions struct {
	Include, Exclude []string // RE2, unanchored
	FullURL          bool     // Include and Exclude match the whole URL instead of the path

	MaxDepth     *int // nil means no limit; 0 means the start page and pages of sitemaps
	Sitemap      crawl.SitemapMode
	EntireDomain bool // also pages outside the path of the start page
	Subdomains   bool // also pages of other hosts of the registrable domain
	External     bool // also pages of other sites that pages of this site link
	IgnoreQuery  bool // URLs that differ only in their query are the same page
	KeepSimilar  bool // URLs that differ in http or https, www., a trailing slash or index.html are different pages

	Robots      crawl.RobotsPolicy
	RobotsAgent string        // name to look up in robots.txt; empty means that of the Service's UserAgent
	Delay       time.Duration // pause between two pages; zero means none
}

// check returns an error for the first field of r whose value is out of range. The other
// errors of a request are found where its fields are used.
func (r *CrawlRequest) check() error {
	depth := cmp.Or(r.MaxDepth, new(0))
	return cmp.Or(
		r.Start.check(), r.Page.check(),
		atMost("Sitemap", r.Sitemap, crawl.SitemapOnly), atMost("Robots", r.Robots, crawl.RobotsIgnore),
		atLeast("Limit", r.Limit, 0), atLeast("Concurrency", r.Concurrency, 0), atLeast("MaxDepth", *depth, 0),
		atLeast("Delay", r.Delay, 0), atLeast("Keep", r.Keep, 0),
	)
}

func (r *BatchRequest) check() error {
	return cmp.Or(r.Start.check(), r.Page.check(), atLeast("Concurrency", r.Concurrency, 0))
}

func (r *AgentRequest) check() error {
	return cmp.Or(r.Start.check(), atLeast("Credits", r.Credits, 0))
}

func (s *Start) check() error {
	if len(s.Memo) > 0 && !json.Valid(s.Memo) {
		return invalid("Memo", errors.New("it is not JSON"))
	}
	return nil
}

// check returns an error for the first option of a job's pages that is not valid for any
// page.
func (o *ScrapeOptions) check() error {
	if err := o.Format.Check(); err != nil {
		return invalid("Page.Format", err)
	}
	return cmp.Or(atLeast("Page.Timeout", o.Timeout, Unlimited), atLeast("Page.MaxAge", o.MaxAge, 0), atLeast("Page.MinAge", o.MinAge, 0))
}

func atLeast[T int | time.Duration](field string, value, least T) error {
	if value < least {
		return invalid(field, fmt.Errorf("%v is below %v", value, least))
	}
	return nil
}

func atMost[T ~uint8](field string, value, last T) error {
	if value > last {
		return invalid(field, fmt.Errorf("there is no mode %d", value))
	}
	return nil
}

// AgentOptions are a question to an agent.
type AgentOptions struct {
	Prompt string          // the question, in words
	URLs   []string        `json:",omitempty"` // pages that the agent reads first
	Strict bool            // the agent reads only the pages in URLs
	Open   bool            `json:",omitempty"` // the agent begins with URLs, but may also read other hosts
	Schema json.RawMessage `json:",omitempty"` // JSON Schema of the answer; if nil, the agent makes one
	Model  string          // name of a model of the Service's Agent

	Headers map[string]string `json:",omitempty"` // sent only to the hosts of URLs, for example a login

	// Thread is the ID of an agent of the team that has completed. Prompt is then a further
	// question, and the pages and rows of that run are not paid for again. If URLs is empty,
	// URLs and Strict are those of that run. If there is no such run, or it has zero data
	// retention, the question is answered without it, and Status.Warning says so.
	Thread string `json:",omitempty"`
}

// config returns the configuration of a crawl.
func (s *spec) config() crawl.Config {
	o := s.Crawl
	return crawl.Config{
		URL:          s.URL,
		Include:      o.Include,
		Exclude:      o.Exclude,
		FullURL:      o.FullURL,
		MaxDepth:     o.MaxDepth,
		Limit:        s.Limit,
		Sitemap:      o.Sitemap,
		EntireDomain: o.EntireDomain,
		Subdomains:   o.Subdomains,
		External:     o.External,
		IgnoreQuery:  o.IgnoreQuery,
		KeepSimilar:  o.KeepSimilar,
		Robots:       o.Robots,
		RobotsAgent:  o.RobotsAgent,
		Delay:        o.Delay,
		Concurrency:  s.Width,
		Traps:        s.Traps,
	}
}

// readSpec returns the specification of j. It is the zero spec if the record of a
// job that has ended is damaged.
func readSpec(j *job.Job) (spec, error) {
	var s spec
	if len(j.Spec) == 0 && j.State.Final() {
		return s, nil
	}
	if err := json.Unmarshal(j.Spec, &s); err != nil {
		return spec{}, fmt.Errorf("specification of job %s: %w", j.ID, err) // s may be filled in part
	}
	if s.Version != specVersion {
		return s, fmt.Errorf("specification of job %s has version %d, want %d", j.ID, s.Version, specVersion)
	}
	return s, nil
}
