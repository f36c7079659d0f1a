// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/service/explain"
	"example.com/curlew/job"
)

// Explanation is the decision of the rules of a crawl on a URL.
type Explanation struct {
	URL    string // as the crawl would request it
	Follow bool
	Rule   string // the rule that decided
	Value  string // the value of the rule, such as a pattern
	Depth  int    // of the URL
	From   string // page that links to the URL; empty for the start page
	Robots string // state of the robots.txt: ignored, known, unreachable or unknown
}

// Explain returns how the rules of a crawl decide on a URL that a page links to. It uses
// only the URL and the depth of the page. If page has no URL, it is the start page. The
// crawl may be running or have ended. Explain makes no request. If the crawl has not read
// the robots.txt that applies to the URL, the rules in it are unknown. If the record of the
// job is damaged, the error wraps [ErrFinished].
func (j *Job) Explain(ctx context.Context, page scope.Ref, url string) (*Explanation, error) {
	now, stats, err := j.parts.find(ctx, j.record.Owner, j.record.ID)
	if err != nil {
		return nil, err
	}
	sp := &now.spec
	if sp.Crawl == nil {
		return nil, refuse(ErrFinished, "The job's record is damaged. What was asked for is not known any more.")
	}
	config := sp.config()
	site, err := config.Compile()
	if err == nil && stats.Crawl.Origin != "" {
		site, err = site.Moved(stats.Crawl.Origin)
	}
	if err != nil {
		return nil, err
	}
	items, err := now.Items(ctx, job.Robots, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	x := explain.Explainer{
		Scope: site, Config: &config, Threat: sp.Threat, Agent: j.parts.service.UserAgent,
		Files: explain.Files(items), Endless: stats.Crawl.Endless,
	}
	answer, err := x.Explain(&explain.Query{URL: url, From: page.URL, Depth: page.Depth}, sp.URL)
	return (*Explanation)(answer), err
}
