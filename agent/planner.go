// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/weburl"
)

// Planner turns a request in words into options for a crawl. It is safe for concurrent
// use. Model is required.
type Planner struct {
	Model   llm.Model
	Profile llm.Profile
	Rates   llm.Rates
	Spent   func(ctx context.Context, c Credits, u llm.Usage) // called once for each Plan; may be nil
}

// CrawlPlan contains the options for a crawl by their names in the API, and warnings
// about parts of the model's reply that were dropped.
type CrawlPlan struct {
	Options  json.RawMessage // an object
	Warnings []string
}

// Limits of a crawl plan.
const (
	maxSample   = 120
	maxPatterns = 50
	maxPattern  = 500
	maxCrawl    = 10_000_000
	maxDelay    = 3600 // seconds
)

// crawlSchema is the schema of the reply. Null means that the request does not mention
// the option.
var crawlSchema = json.RawMessage(`{"type":"object","properties":{"includePaths":{"type":["array","null"],"items":{"type":"string"}},"excludePaths":{"type":["array","null"],"items":{"type":"string"}},"maxDiscoveryDepth":{"type":["integer","null"]},"crawlEntireDomain":{"type":["boolean","null"]},"allowExternalLinks":{"type":["boolean","null"]},"allowSubdomains":{"type":["boolean","null"]},"sitemap":{"type":["string","null"],"enum":["skip","include","only",null]},"ignoreQueryParameters":{"type":["boolean","null"]},"deduplicateSimilarURLs":{"type":["boolean","null"]},"delay":{"type":["number","null"]},"limit":{"type":["integer","null"]}},"required":["includePaths","excludePaths","maxDiscoveryDepth","crawlEntireDomain","allowExternalLinks","allowSubdomains","sitemap","ignoreQueryParameters","deduplicateSimilarURLs","delay","limit"],"additionalProperties":false}`)

// crawlReply contains the options in the model's reply.
type crawlReply struct {
	IncludePaths           []string `json:"includePaths,omitempty"`
	ExcludePaths           []string `json:"excludePaths,omitempty"`
	MaxDiscoveryDepth      *int     `json:"maxDiscoveryDepth,omitempty"`
	CrawlEntireDomain      *bool    `json:"crawlEntireDomain,omitempty"`
	AllowExternalLinks     *bool    `json:"allowExternalLinks,omitempty"`
	AllowSubdomains        *bool    `json:"allowSubdomains,omitempty"`
	Sitemap                *string  `json:"sitemap,omitempty"`
	IgnoreQueryParameters  *bool    `json:"ignoreQueryParameters,omitempty"`
	DeduplicateSimilarURLs *bool    `json:"deduplicateSimilarURLs,omitempty"`
	Delay                  *float64 `json:"delay,omitempty"`
	Limit                  *int     `json:"limit,omitempty"`
}

// Plan returns options for a crawl of site. sample contains up to 120 URLs of the site.
// The result contains no other options than those of [CrawlPlan]. The error wraps
// [ErrNoModel], [ErrTask], [llm.ErrProvider], [ErrReply] after two unusable replies, or
// ctx's cause.
func (p *Planner) Plan(ctx context.Context, prompt, site string, sample []string) (*CrawlPlan, error) {
	if p.Model == nil {
		return nil, &Error{Part: "planner", Err: ErrNoModel}
	}
	start, err := weburl.Parse(site)
	if err != nil || strings.TrimSpace(prompt) == "" {
		return nil, &Error{Part: "planner", Err: ErrTask}
	}
	w := Writer{Model: p.Model, Profile: p.Profile, Rates: p.Rates}
	r := w.begin(prompt)
	defer func() {
		if p.Spent != nil {
			spend := r.payer.spent()
			p.Spent(ctx, spend.Credits, spend.Usage)
		}
	}()
	sample = sample[:min(len(sample), maxSample)]
	user := crawlPrompt(value.ClipRunes(prompt, maxPrompt), site, sample)
	for range 2 {
		reply, err := r.payer.ask(ctx, ask{role: llm.RoleCrawl, user: user, schema: crawlSchema, output: protocol.MaxDecideOutput})
		if err != nil && !errors.Is(err, errModel) {
			return nil, &Error{Part: "planner", Err: cause(ctx, err)}
		}
		var said crawlReply
		if err != nil || json.Unmarshal(reply.JSON, &said) != nil {
			user += "\nlast: \"the last reply could not be used\"\n"
			continue
		}
		plan := &CrawlPlan{}
		said = plan.check(said, start, sample)
		plan.Options = merge.Encode(said)
		return plan, nil
	}
	return nil, &Error{Part: "planner", Err: ErrReply}
}

func crawlPrompt(task, site string, sample []string) string {
	var b protocol.Prompt
	b.Value("task", task)
	b.Value("site", site)
	protocol.List(&b, "sample", sample)
	return b.String()
}

// check drops what cannot be used, and adds warnings.
func (p *CrawlPlan) check(c crawlReply, start weburl.URL, sample []string) crawlReply {
	var paths []string
	for _, raw := range sample {
		if u, err := weburl.Parse(raw); err == nil {
			paths = append(paths, u.Path())
		}
	}
	c.IncludePaths = p.patterns("includePaths", c.IncludePaths, func(re *regexp.Regexp) string {
		if len(paths) > 0 && !re.MatchString(start.Path()) && !slices.ContainsFunc(paths, re.MatchString) {
			return "matches none of the site's URLs"
		}
		return ""
	})
	if len(c.IncludePaths) > 0 {
		match := slices.ContainsFunc(c.IncludePaths, func(s string) bool { return regexp.MustCompile(s).MatchString(start.Path()) }) // patterns has compiled them
		if !match {
			c.IncludePaths = append(c.IncludePaths, "^"+regexp.QuoteMeta(start.Path())+"$")
		}
	}
	c.ExcludePaths = p.patterns("excludePaths", c.ExcludePaths, func(re *regexp.Regexp) string {
		if re.MatchString(start.Path()) {
			return "would exclude the start"
		}
		return ""
	})
	c.MaxDiscoveryDepth = bounded(p, "maxDiscoveryDepth", c.MaxDiscoveryDepth, 0, 1000)
	c.Limit = bounded(p, "limit", c.Limit, 1, maxCrawl)
	if c.Delay != nil && !(*c.Delay >= 0 && *c.Delay <= maxDelay) || c.Delay != nil && math.IsNaN(*c.Delay) {
		p.warn("delay", "is out of bounds")
		c.Delay = nil
	}
	if c.Sitemap != nil && !slices.Contains([]string{"skip", "include", "only"}, *c.Sitemap) {
		p.warn("sitemap", "must be skip, include or only")
		c.Sitemap = nil
	}
	return c
}

// patterns returns the valid RE2 patterns for which why returns no objection.
func (p *CrawlPlan) patterns(name string, all []string, why func(re *regexp.Regexp) string) []string {
	var kept []string
	for _, s := range all {
		if len(kept) == maxPatterns || len(s) > maxPattern || s == "" {
			p.warn(name, "has a pattern too many or too long")
			continue
		}
		re, err := regexp.Compile(s)
		reason := "is no pattern of RE2"
		if err == nil {
			reason = why(re)
		}
		if reason != "" {
			p.warn(name, fmt.Sprintf("%q %s", s, reason))
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func (p *CrawlPlan) warn(name, text string) {
	if len(p.Warnings) < 20 {
		p.Warnings = append(p.Warnings, name+": "+text+"; it is dropped")
	}
}

// bounded returns n if it is within its limits. Otherwise it returns nil.
func bounded(p *CrawlPlan, name string, n *int, low, high int) *int {
	if n != nil && (*n < low || *n > high) {
		p.warn(name, "is out of bounds")
		return nil
	}
	return n
}

// cause returns why ctx has ended, or err if it has not.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
