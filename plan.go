// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/internal/service/agents"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
)

// PlanCrawl returns the options that a model derives from a prompt for a crawl of url. Like
// StartCrawl, it shows the model at most 120 URLs of the site, which it maps first. With a
// Caller, it visits the site only as far as the team may, and charges for scans. If the
// Service has no model, the error wraps [ErrEngine].
func (s *Service) PlanCrawl(ctx context.Context, c *Caller, url, prompt string) (*agent.CrawlPlan, error) {
	if agents.Planner(s.Agent) == nil {
		return nil, refuse(ErrEngine, "Crawl parameters are made by a model, and this server has none configured.")
	}
	return s.parts().planned(ctx, c, nil, url, prompt)
}

// maxSample is how many URLs of a site the planner sees.
const maxSample = 120

// planned asks the model for options of a crawl of url, and shows it URLs of the site. If
// there are none, the plan rests on the prompt only, and says so.
func (p *parts) planned(ctx context.Context, c *Caller, gate *threat.Gate, url, prompt string) (*agent.CrawlPlan, error) {
	found, err := p.service.Map(ctx, url, &MapOptions{Limit: maxSample, Timeout: 15 * time.Second, Gate: gate, Caller: c, plans: true})
	if err != nil && c != nil {
		return nil, err // the caller may not visit it
	}
	if err != nil {
		found = new(Mapping)
	}
	plan, err := agents.Planner(p.service.Agent).Plan(ctx, prompt, url, found.URLs)
	if err != nil {
		return nil, unplanned(err)
	}
	if len(found.URLs) == 0 {
		plan.Warnings = append(plan.Warnings, "No URLs of the site were found, so the options rest on the prompt only")
	}
	return plan, nil
}

// plan turns the prompt of a request into options and merges them into the request. The
// gate of the job applies to the requests that find URLs of the site.
func (l *launch) plan(ctx context.Context, r *CrawlRequest, start weburl.URL) error {
	plan, err := l.parts.planned(ctx, nil, l.meter.Gate, start.String(), r.Prompt)
	if err != nil {
		return err
	}
	merge := r.Merge
	if merge == nil {
		merge = takeOver
	}
	if err := merge(r, plan); err != nil {
		return unplanned(err)
	}
	l.spec.Limit = min(l.spec.Limit, cmp.Or(r.Limit, l.spec.Limit))
	l.spec.Warnings = append(l.spec.Warnings, plan.Warnings...)
	return nil
}

// takeOver sets the options of r that are zero from a plan.
func takeOver(r *CrawlRequest, plan *agent.CrawlPlan) error {
	var o struct {
		IncludePaths, ExcludePaths                                                    []string
		MaxDiscoveryDepth                                                             *int
		Limit                                                                         int
		Sitemap                                                                       string
		CrawlEntireDomain, AllowSubdomains, AllowExternalLinks, IgnoreQueryParameters bool
		DeduplicateSimilarURLs                                                        *bool
		Delay                                                                         float64 // seconds
	}
	if err := json.Unmarshal(plan.Options, &o); err != nil {
		return err
	}
	if r.Include == nil {
		r.Include = o.IncludePaths
	}
	if r.Exclude == nil {
		r.Exclude = o.ExcludePaths
	}
	r.MaxDepth = cmp.Or(r.MaxDepth, o.MaxDiscoveryDepth)
	r.Limit = cmp.Or(r.Limit, o.Limit)
	r.Sitemap = cmp.Or(r.Sitemap, map[string]crawl.SitemapMode{"skip": crawl.SitemapSkip, "only": crawl.SitemapOnly}[o.Sitemap])
	r.EntireDomain = r.EntireDomain || o.CrawlEntireDomain
	r.Subdomains = r.Subdomains || o.AllowSubdomains
	r.External = r.External || o.AllowExternalLinks
	r.IgnoreQuery = r.IgnoreQuery || o.IgnoreQueryParameters
	r.KeepSimilar = r.KeepSimilar || o.DeduplicateSimilarURLs != nil && !*o.DeduplicateSimilarURLs
	r.Delay = cmp.Or(r.Delay, time.Duration(o.Delay*float64(time.Second)))
	return nil
}

// unplanned returns the error of a prompt for which there is no plan.
func unplanned(why error) error {
	return errors.Join(refuse(faults.ErrNoPlanner, "The prompt could not be turned into options of a crawl."), why)
}
