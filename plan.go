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
	"example.com/curlew/internal/weburl"
)

// planner returns what turns a crawl's prompt into options; nil where there is
// no model.
func (s *Service) planner() *agent.Planner {
	if s.Agent == nil || s.Agent.Model == nil {
		return nil
	}
	return &agent.Planner{Model: s.Agent.Model, Profile: s.Agent.Profiles[defaultModel], Rates: s.Agent.Rates}
}

// maxSample is how many URLs of a site the planner is shown.
const maxSample = 120

// plan has options made of the prompt of a request, and taken over into it. The
// site's URLs are asked for within the job's gate.
func (s *Service) plan(ctx context.Context, r *CrawlRequest, start weburl.URL, m *meter, sp *spec) error {
	// Without a sample the planner goes by the prompt alone.
	var sample []string
	if found, err := s.Map(ctx, start.String(), &MapOptions{Limit: maxSample, Timeout: 15 * time.Second, Gate: m.gate}); err == nil {
		sample = found.URLs
	}
	plan, err := s.planner().Plan(ctx, r.Prompt, start.String(), sample)
	if err == nil {
		merge := r.Merge
		if merge == nil {
			merge = takeOver
		}
		err = merge(r, plan)
	}
	if err != nil {
		return errors.Join(refuse(errNoPlanner, "The prompt could not be turned into options of a crawl."), err)
	}
	sp.Limit = min(sp.Limit, cmp.Or(r.Limit, sp.Limit))
	sp.Warnings = append(sp.Warnings, plan.Warnings...)
	return nil
}

// takeOver sets the options of r that are zero as a plan says.
func takeOver(r *CrawlRequest, plan *agent.CrawlPlan) error {
	var o struct {
		IncludePaths, ExcludePaths                                                    []string
		MaxDiscoveryDepth                                                             *int
		Limit                                                                         int
		Sitemap                                                                       string
		CrawlEntireDomain, AllowSubdomains, AllowExternalLinks, IgnoreQueryParameters bool
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
	r.Delay = cmp.Or(r.Delay, time.Duration(o.Delay*float64(time.Second)))
	return nil
}

// PlanCrawl returns the options that a model makes of a prompt for a crawl of url,
// by the prompt alone. [ErrEngine] where the Service has no model.
func (s *Service) PlanCrawl(ctx context.Context, url, prompt string) (*agent.CrawlPlan, error) {
	planner := s.planner()
	if planner == nil {
		return nil, refuse(ErrEngine, "Crawl parameters are made by a model, and this server has none configured.")
	}
	plan, err := planner.Plan(ctx, prompt, url, nil)
	if err != nil {
		return nil, errors.Join(refuse(errNoPlanner, "The prompt could not be turned into options of a crawl."), err)
	}
	return plan, nil
}
