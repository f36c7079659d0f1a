// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// ExplainQuery asks what the rules of a crawl say about a URL.
type ExplainQuery struct {
	URL   string
	From  string // the page that links to it; empty: the start page
	Depth int    // of From
}

// Explanation is what the rules of a crawl say about a URL.
type Explanation struct {
	URL    string // as the crawl would request it
	Follow bool
	Rule   string // that decided
	Value  string // the value that decided
	Depth  int
	From   string // empty of the start page
	Robots string // ignored, known, unreachable or unknown
}

// Explain returns what the rules of a crawl say about a URL. The crawl may run or have
// ended. Explain makes no request: a robots.txt that the crawl has not read is unknown.
// It returns [ErrFinished] if the record of the job is damaged.
func (j *Job) Explain(ctx context.Context, q ExplainQuery) (*Explanation, error) {
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
	files, err := robotsFiles(ctx, now)
	if err != nil {
		return nil, err
	}
	x := explainer{endless: stats.Crawl.Endless, scope: site, config: &config, threat: sp.Threat, agent: j.parts.service.UserAgent, files: files}
	return x.explain(&q, sp.URL)
}

// explainer holds everything that decides about a URL.
type explainer struct {
	scope  *scope.Scope
	config *crawl.Config
	threat threat.Policy
	agent  string
	files  map[string]scope.RobotsFile // by their URL

	endless frontier.Endless // the spaces without an end that the crawl put last
}

// explain answers q for a crawl that was started at start.
func (x *explainer) explain(q *ExplainQuery, start string) (*Explanation, error) {
	from := scope.Ref{URL: q.From, Depth: q.Depth}
	if from.URL == "" {
		from.URL = x.scope.Origin()
	}
	page := x.scope.Decide(scope.Ref{URL: start, Via: scope.ViaStart}, from.URL, nil)
	from.Kind = page.Kind
	d := x.scope.Decide(from, q.URL, nil)
	answer := &Explanation{URL: d.URL, Depth: q.Depth + 1, From: from.URL}
	for _, first := range []string{start, x.scope.Origin()} {
		s := x.scope.Decide(scope.Ref{URL: start, Via: scope.ViaStart}, first, nil)
		if s.Key == d.Key && d.Key != "" && q.From == "" {
			from.Via = scope.ViaStart
			answer.Depth, answer.From = 0, ""
		}
	}
	file, known := x.files[scope.RobotsURL(d.URL)]
	answer.Robots = "unknown"
	switch {
	case x.config.Robots == crawl.RobotsIgnore:
		answer.Robots = "ignored"
	case known:
		answer.Robots = "known"
		if file.Unreachable {
			answer.Robots = "unreachable"
		}
		d = x.scope.Decide(from, q.URL, x.scope.Rules(file, x.agent))
	default:
		d = x.scope.Decide(from, q.URL, nil)
	}
	refused, why, err := x.threatens(&d)
	if err != nil {
		return nil, err
	}
	if refused {
		d.Follow, d.Rule, d.Value = false, scope.RuleThreat, why
	}
	if d.Follow && d.Value == "" {
		d.Value = file.Silence // no rule refuses it, but its site cannot be reached
	}
	if space, ok := x.endless.Of(d.URL); ok && d.Follow && from.Via != scope.ViaStart {
		d.Follow, d.Rule, d.Value = false, scope.RuleEndless, space.Pattern
	}
	answer.Follow, answer.Rule, answer.Value = d.Follow, d.Rule.String(), d.Value
	return answer, nil
}

// threatens reports whether the threat lists refuse a URL that the earlier rules admit,
// and by which list.
func (x *explainer) threatens(d *scope.Decision) (refused bool, why string, err error) {
	if x.threat.Mode == threat.Off || !d.Follow && d.Rule < scope.RuleThreat {
		return false, "", nil
	}
	rules, err := threat.Compile(x.threat)
	if err != nil {
		return false, "", err
	}
	target, err := threat.ParseTarget(d.URL)
	if err != nil {
		return false, "", nil //nolint:nilerr // lists hold names, and this URL has none
	}
	local, ok := (&threat.Gate{Rules: rules}).Local(target)
	return ok && !local.Allowed, local.Rule.String(), nil
}

// robotsItem is a stored robots.txt. The last item of a URL counts.
type robotsItem struct {
	URL         string
	Body        []byte `json:",omitempty"`
	Unreachable bool   `json:",omitempty"`
	Silence     string `json:",omitempty"`
	Lost        bool   `json:",omitempty"` // it was too large to store
}

// maxRobots bounds the stored robots.txt files of a job, in bytes.
const maxRobots = 4 << 20

// robotsFiles returns the robots.txt files that a crawl has read, by URL.
func robotsFiles(ctx context.Context, j *Job) (map[string]scope.RobotsFile, error) {
	items, err := j.Items(ctx, job.Robots, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	files := map[string]scope.RobotsFile{}
	for _, it := range items {
		var r robotsItem
		if it.Err != nil || json.Unmarshal(it.Data, &r) != nil {
			continue // it counts as unknown
		}
		if delete(files, r.URL); !r.Lost {
			files[r.URL] = scope.RobotsFile{URL: r.URL, Body: r.Body, Unreachable: r.Unreachable, Silence: r.Silence}
		}
	}
	return files, nil
}

// robotsKeeper stores the robots.txt files of a crawl with its job.
type robotsKeeper struct {
	space job.Space

	mu   sync.Mutex
	kept map[string][sha256.Size]byte // guarded by mu; sum of what was written last, by URL
	size int                          // guarded by mu; bytes written
}

// newRobotsKeeper continues after the items that an earlier process stored.
func newRobotsKeeper(ctx context.Context, space job.Space) (*robotsKeeper, error) {
	k := &robotsKeeper{space: space, kept: map[string][sha256.Size]byte{}}
	items, err := space.Items(ctx, job.Robots, 0, job.Unlimited)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		var r robotsItem
		if json.Unmarshal(it.Data, &r) == nil {
			k.kept[r.URL] = sha256.Sum256(it.Data)
		}
		k.size += len(it.Data)
	}
	return k, nil
}

// keep stores a file; see [crawl.Trace]. An error of the store is left to the crawl, whose
// own writes meet it too.
func (k *robotsKeeper) keep(ctx context.Context, f scope.RobotsFile) {
	data, err := json.Marshal(robotsItem{URL: f.URL, Body: f.Body, Unreachable: f.Unreachable, Silence: f.Silence})
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	last, known := k.kept[f.URL]
	if k.size+len(data) > maxRobots {
		if !known {
			return
		}
		if data, err = json.Marshal(robotsItem{URL: f.URL, Lost: true}); err != nil {
			return
		}
	}
	sum := sha256.Sum256(data)
	if known && sum == last {
		return
	}
	if k.space.Append(ctx, job.Item{Kind: job.Robots, Data: data}) == nil {
		k.kept[f.URL] = sum
		k.size += len(data)
	}
}
