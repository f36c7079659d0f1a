// SPDX-License-Identifier: Apache-2.0

// Package explain reports how the rules of a crawl decide about a URL.
package explain

import (
	"fmt"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/threat"
)

// Query is a question about a URL.
type Query struct {
	URL   string
	From  string // the page that links to it; empty means the start page
	Depth int    // depth of From
}

// Answer is the decision of the rules about a URL.
type Answer struct {
	URL    string // as the crawl would request it
	Follow bool
	Rule   string // rule that decided
	Value  string // the value that decided
	Depth  int
	From   string // empty for the start page
	Robots string // ignored, known, unreachable or unknown
}

// Explainer contains everything that decides about a URL.
type Explainer struct {
	Scope  *scope.Scope
	Config *crawl.Config
	Threat threat.Policy
	Agent  string                      // User-Agent of the crawl's requests
	Files  map[string]scope.RobotsFile // by their URL

	Endless frontier.Endless // endless spaces whose URLs the crawl requests last
}

// Explain answers q for a crawl that was started at start.
func (x *Explainer) Explain(q *Query, start string) (*Answer, error) {
	from := scope.Ref{URL: q.From, Depth: q.Depth}
	if from.URL == "" {
		from.URL = x.Scope.Origin()
	}
	page := x.Scope.Decide(scope.Ref{URL: start, Via: scope.ViaStart}, from.URL, nil)
	from.Kind = page.Kind
	d := x.Scope.Decide(from, q.URL, nil)
	answer := &Answer{URL: d.URL, Depth: q.Depth + 1, From: from.URL}
	for _, first := range []string{start, x.Scope.Origin()} {
		s := x.Scope.Decide(scope.Ref{URL: start, Via: scope.ViaStart}, first, nil)
		if s.Key == d.Key && d.Key != "" && q.From == "" {
			from.Via = scope.ViaStart
			answer.Depth, answer.From = 0, ""
		}
	}
	file, known := x.Files[scope.RobotsURL(d.URL)]
	answer.Robots = "unknown"
	switch {
	case x.Config.Robots == crawl.RobotsIgnore:
		answer.Robots = "ignored"
	case known:
		answer.Robots = "known"
		if file.Unreachable {
			answer.Robots = "unreachable"
		}
		d = x.Scope.Decide(from, q.URL, x.Scope.Rules(file, x.Agent))
	default:
		d = x.Scope.Decide(from, q.URL, nil)
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
	if space, ok := x.Endless.Of(d.URL); ok && d.Follow && from.Via != scope.ViaStart {
		d.Follow, d.Rule, d.Value = false, scope.RuleEndless, fmt.Sprintf(
			"%s: the crawl requests such URLs last and only so many. It delivered %d of all endless spaces. Of this pattern, %d wait or were left out.",
			space.Pattern, x.Endless.Taken, space.Left)
	}
	answer.Follow, answer.Rule, answer.Value = d.Follow, d.Rule.String(), d.Value
	return answer, nil
}

// threatens reports whether the threat lists refuse a URL that the earlier
// rules allow, and which list does.
func (x *Explainer) threatens(d *scope.Decision) (refused bool, why string, err error) {
	if x.Threat.Mode == threat.Off || !d.Follow && d.Rule < scope.RuleThreat {
		return false, "", nil
	}
	rules, err := threat.Compile(x.Threat)
	if err != nil {
		return false, "", err
	}
	target, err := threat.ParseTarget(d.URL)
	if err != nil {
		return false, "", nil //nolint:nilerr // lists contain names, and this URL has none
	}
	local, ok := (&threat.Gate{Rules: rules}).Local(target)
	return ok && !local.Allowed, local.Rule.String(), nil
}
