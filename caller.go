// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"slices"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Caller says on whose behalf work is done. The policy of its team applies, the
// credits of the team pay, and the audit log names the caller. The zero value is the
// team "default" with the default policy.
type Caller struct {
	Team account.Team // if its ID is empty, the team "default"

	// The following fields are for the audit log.
	RequestID           string
	Origin, Integration string // the program of the client; an empty Origin is "api"
	Username            string

	ExternalID string // the client's own id of its request; stored with a job
}

// defaultTeam is the team of callers without one.
const defaultTeam = "default"

// owner returns the id of the caller's team.
func (c *Caller) owner() string { return teamOf(c.Team.ID) }

// activity starts the audit log of the caller's work. If the Service has no Audit, it
// returns nil.
func (c *Caller) activity(m *meter.Meters, endpoint string, retained bool) *meter.Activity {
	return m.Activity(audit.Event{
		RequestID: c.RequestID, Endpoint: endpoint, TeamID: c.owner(), Key: audit.Key{ID: c.Team.KeyID, Name: c.Team.KeyName},
		Origin: cmp.Or(c.Origin, "api"), Integration: c.Integration, ZeroRetention: retained, Username: c.Username,
	})
}

// MayUse returns an error that wraps [account.ErrForbidden] if the caller's key may
// not use an endpoint of [account.Policy.AllowEndpoints], such as "crawl". The
// Service asks it for each call. A front end asks earlier, before it reads a request.
func (c *Caller) MayUse(endpoint string) error {
	if !allows(c.Team.Policy.AllowEndpoints, endpoint) {
		return refuse(account.ErrForbidden, "This key may not use the endpoint "+endpoint+".")
	}
	return nil
}

// KeepsNothing reports whether nothing of the caller's work may be kept, because the
// request or the policy of the team says so.
func (c *Caller) KeepsNothing(zeroRetention bool) bool {
	return zeroRetention || c.Team.Policy.ZeroRetention == account.RetentionForced
}

// bounds are the policy rules for a caller's work.
type bounds struct {
	retained bool          // zero data retention
	rules    threat.Policy // policy of the threat gate
}

// bounds returns the rules for work with the forms of o. A nil o has no forms. If the
// policy of the caller's team does not allow the work, bounds returns an error.
func (c *Caller) bounds(o *ParseOptions, zeroRetention bool, over *threat.Override) (b bounds, err error) {
	if err := c.mayAsk(o); err != nil {
		return b, err
	}
	p := &c.Team.Policy
	if b.retained = c.KeepsNothing(zeroRetention); b.retained && p.ZeroRetention == account.RetentionOff {
		return b, refuse(account.ErrForbidden, "zeroDataRetention is not enabled for this team.")
	}
	b.rules, err = threat.Resolve(p.Threat, over)
	return b, err
}

// mayAsk returns an error if the caller's key may not request a form of o.
func (c *Caller) mayAsk(o *ParseOptions) error {
	if o == nil {
		return nil
	}
	list := c.Team.Policy.AllowFormats
	for _, name := range o.FormNames {
		if !allows(list, name) {
			return refuse(account.ErrForbidden, "This key may not ask for the format "+name+".")
		}
	}
	for _, form := range o.Format.Forms {
		names := formatNames(form, &o.Format)
		if o.FormNames == nil && !slices.ContainsFunc(names, func(name string) bool { return allows(list, name) }) {
			return refuse(account.ErrForbidden, "This key may not ask for the format "+names[0]+".")
		}
	}
	return nil
}

// mayIgnore returns an error if the work would ignore robots.txt or use another name in it,
// and the team may not do that.
func (c *Caller) mayIgnore(how crawl.RobotsPolicy, agent string) error {
	if how == crawl.RobotsIgnore && !c.Team.Policy.AllowIgnoreRobots {
		return refuse(account.ErrForbidden, "ignoreRobotsTxt is not enabled for this team.")
	}
	if agent != "" && !c.Team.Policy.AllowRobotsUserAgent {
		return refuse(account.ErrForbidden, "robotsUserAgent is not enabled for this team.")
	}
	return nil
}

// formatNames returns the names of a form in [account.Policy.AllowFormats].
func formatNames(form format.Form, o *format.Options) []string {
	switch {
	case form == format.Answer:
		return []string{"question", "query"}
	case form == format.JSONForm && o.JSON.Deterministic:
		return []string{"deterministicJson"}
	}
	return []string{string(form)}
}

// ask checks a start URL against the blocklist and the threat gate. The scan is billed
// with the page of the URL.
func ask(ctx context.Context, team *account.Team, a *meter.Meter, u weburl.URL) error {
	if entry, ok := meter.Blocked(&team.Policy, u); ok {
		return &Error{Err: faults.ErrBlocked, Text: "URL " + weburl.Redacted(u.String()) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	ctx, n := meter.Tallied(ctx)
	err := meter.Admit(ctx, a.Gate, u.String())
	a.Scans.Add(u.String(), int(n.Load()))
	return err
}

// concurrency returns how many pages a team may process at once.
func concurrency(p *account.Policy) int { return max(1, cmp.Or(p.MaxConcurrency, 8)) }

// queuedPages returns how many pages of a team may wait. A negative number means no limit.
func queuedPages(p *account.Policy) int { return cmp.Or(p.MaxQueuedPages, 50_000) }

// allows reports whether a list of allowed names has name. A nil list allows all.
func allows(list []string, name string) bool { return list == nil || slices.Contains(list, name) }

// askHook checks the URL of a webhook against the blocklist and the threat lists. It does
// not ask the classifier, because scores are for pages.
func askHook(ctx context.Context, team *account.Team, m *meter.Meter, h *webhook.Hook) error {
	if h == nil {
		return nil
	}
	u, err := weburl.Parse(h.URL)
	if err != nil {
		return err
	}
	if entry, ok := meter.Blocked(&team.Policy, u); ok {
		return &Error{Err: faults.ErrBlocked, Text: "Webhook " + weburl.Redacted(h.URL) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	return m.Judge(ctx, h.URL, true)
}

// clamp returns n, but at most bound. A bound of zero or [Unlimited] means no limit.
func clamp(n, bound int) int {
	if bound <= 0 {
		return n
	}
	return min(n, bound)
}
