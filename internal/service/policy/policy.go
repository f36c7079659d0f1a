// SPDX-License-Identifier: Apache-2.0

// Package policy says what the policy of a team refuses. Each refusal is a sentence for
// the caller. It is empty if the team may do what it asks for.
package policy

import (
	"cmp"
	"slices"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/viewing"
)

// Endpoint refuses endpoints that a key may not use.
func Endpoint(p *account.Policy, name string) string {
	if allows(p.AllowEndpoints, name) {
		return ""
	}
	return "This key may not use the endpoint " + name + "."
}

// Forms refuses forms that a key may not request. names are those of a request over HTTP.
// If it is nil, the names are those of the forms in o.
func Forms(p *account.Policy, names []string, o *format.Options) string {
	for _, name := range names {
		if !allows(p.AllowFormats, name) {
			return "This key may not ask for the format " + name + "."
		}
	}
	if names != nil {
		return ""
	}
	for _, form := range o.Forms {
		own := namesOf(form, o)
		if !slices.ContainsFunc(own, func(name string) bool { return allows(p.AllowFormats, name) }) {
			return "This key may not ask for the format " + own[0] + "."
		}
	}
	return ""
}

// namesOf returns the names of a form in [account.Policy.AllowFormats].
func namesOf(form format.Form, o *format.Options) []string {
	switch {
	case form == format.Answer:
		return []string{"question", "query"}
	case form == format.JSONForm && o.JSON.Deterministic:
		return []string{"deterministicJson"}
	}
	return []string{string(form)}
}

// View refuses what a browser should do with a page. A nil request asks for nothing. named
// means that Forms is asked about the names of the request, which include its screenshot.
func View(p *account.Policy, r *render.Request, named bool) string {
	if r == nil {
		return ""
	}
	for _, s := range r.Steps {
		name := viewing.ActionName(s.Kind)
		if s.Kind == render.Script && !p.AllowScripts {
			return "executeJavascript is not enabled for this team."
		}
		if !allows(p.AllowActions, name) {
			return "This key may not ask for the action " + name + "."
		}
	}
	if r.Scroll != nil && (!allows(p.AllowActions, "scroll") || !allows(p.AllowActions, "click")) {
		return "This key may not ask for the option scroll, which needs the actions scroll and click."
	}
	if r.Screenshot != nil && !named && !allows(p.AllowFormats, "screenshot") {
		return "This key may not ask for the format screenshot."
	}
	return ""
}

// Robots refuses to ignore robots.txt, or to look up another name in it.
func Robots(p *account.Policy, how crawl.RobotsPolicy, agent string) string {
	switch {
	case how == crawl.RobotsIgnore && !p.AllowIgnoreRobots:
		return "ignoreRobotsTxt is not enabled for this team."
	case agent != "" && !p.AllowRobotsUserAgent:
		return "robotsUserAgent is not enabled for this team."
	}
	return ""
}

// Retained reports whether nothing of the team's work may be kept, because the request or
// the policy says so. A request of a team that may not ask for it is refused.
func Retained(p *account.Policy, asked bool) (retained bool, refusal string) {
	retained = asked || p.ZeroRetention == account.RetentionForced
	if retained && p.ZeroRetention == account.RetentionOff {
		return true, "zeroDataRetention is not enabled for this team."
	}
	return retained, ""
}

// AtOnce returns how many pages of a team may be processed at once.
func AtOnce(p *account.Policy) int { return max(1, cmp.Or(p.MaxConcurrency, 8)) }

// Queue returns how many pages of a team may wait. A negative number means no limit.
func Queue(p *account.Policy) int { return cmp.Or(p.MaxQueuedPages, 50_000) }

// AtMost returns n, but at most a bound of the policy. A bound of zero or
// [account.Unlimited] means no limit.
func AtMost(n, bound int) int {
	if bound <= 0 {
		return n
	}
	return min(n, bound)
}

// allows reports whether a list of allowed names has name. A nil list allows all.
func allows(list []string, name string) bool { return list == nil || slices.Contains(list, name) }
