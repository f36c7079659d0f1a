// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"encoding/json"
	"fmt"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// specVersion is the version of stored specifications. One of another version is
// refused.
const specVersion = 1

// spec is a job's stored specification: values that were resolved when the job was
// started, in no front end's syntax.
type spec struct {
	Version int
	specTask
	specShare
	specBill
	specBounds

	Hook        *webhook.Hook   `json:",omitempty"` // where its events go
	Keep        time.Duration   `json:",omitempty"` // how long it is stored after its end; zero means the default of the Service
	Warnings    []string        // of the job as a whole
	Refused     []string        `json:",omitempty"` // of a batch: URLs that the policy or the threat gate refused
	Idempotency *Idempotency    `json:",omitempty"`
	Memo        json.RawMessage `json:",omitempty"` // belongs to the front end
}

// specTask describes the task of a job.
type specTask struct {
	Crawl *CrawlOptions  `json:",omitempty"` // of a crawl
	Page  *ScrapeOptions `json:",omitempty"` // of a crawl or batch: how its pages are fetched and formatted
	Agent *AgentOptions  `json:",omitempty"` // of an agent
	URL   string         `json:",omitempty"` // of a crawl: its start page
	Asked string         `json:",omitempty"` // of a crawl: the start page as the caller wrote it
	URLs  []string       `json:",omitempty"` // of a batch: its first inputs
	Since string         `json:",omitempty"` // of a crawl: the ID of the earlier crawl that it is compared with
	Traps crawl.Traps    `json:",omitzero"`  // of a crawl
}

// specShare contains the limits of a job, in total and at once.
type specShare struct {
	Limit int // delivered pages, or credits of an agent; zero means no limit for a batch
	Slots int // pages of the team at once
	Width int `json:",omitempty"` // pages of this job at once
}

// specBill contains the credits that were reserved for a job.
type specBill struct {
	Op       string // of the reserved credits
	Reserved int
	Free     bool           `json:",omitempty"` // of an agent: it is not billed
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
	FullURL          bool     // they match the whole URL instead of the path

	MaxDepth     *int // nil means no limit; 0 means the start page and pages of sitemaps
	Sitemap      crawl.SitemapMode
	EntireDomain bool // pages outside the start page's path too
	Subdomains   bool // pages of other hosts of the registrable domain too
	External     bool // pages of other sites too, one hop away
	IgnoreQuery  bool // URLs that differ in their query are one page
	KeepSimilar  bool // http and https, www., a trailing slash and index.html make other pages

	Robots      crawl.RobotsPolicy
	RobotsAgent string        // name to look up in robots.txt; empty means that of the Service's UserAgent
	Delay       time.Duration // pause between two pages; zero means none
}

// AgentOptions are a question to an agent.
type AgentOptions struct {
	Prompt string
	URLs   []string        `json:",omitempty"` // where it looks first
	Strict bool            // it reads nothing else
	Schema json.RawMessage `json:",omitempty"` // JSON Schema of the answer; nil: the agent's own
	Model  string          // a name that the Service's engine knows

	Headers map[string]string `json:",omitempty"` // sent to the hosts of URLs only; a login, for example
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
		return s, fmt.Errorf("specification of job %s: %w", j.ID, err)
	}
	if s.Version != specVersion {
		return s, fmt.Errorf("specification of job %s has version %d, want %d", j.ID, s.Version, specVersion)
	}
	return s, nil
}
