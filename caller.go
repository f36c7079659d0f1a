// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/policy"
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
	return forbid(policy.Endpoint(&c.Team.Policy, endpoint))
}

// forbid returns the error for a refusal of the policy, or nil if it is empty.
func forbid(refusal string) error {
	if refusal == "" {
		return nil
	}
	return refuse(account.ErrForbidden, refusal)
}

// KeepsNothing reports whether nothing of the caller's work may be kept, because the
// request or the policy of the team says so.
func (c *Caller) KeepsNothing(zeroRetention bool) bool {
	retained, _ := policy.Retained(&c.Team.Policy, zeroRetention)
	return retained
}

// bounds are the policy rules for a caller's work.
type bounds struct {
	retained bool          // zero data retention
	rules    threat.Policy // policy of the threat gate
}

// bounds returns the rules for work with the forms of o. A nil o has no forms. If the
// policy of the caller's team does not allow the work, bounds returns an error.
func (c *Caller) bounds(o *ParseOptions, zeroRetention bool, over *threat.Override) (b bounds, err error) {
	p := &c.Team.Policy
	if o != nil {
		err = c.mayAsk(o)
	}
	if err != nil {
		return b, err
	}
	var refusal string
	if b.retained, refusal = policy.Retained(p, zeroRetention); refusal != "" {
		return b, forbid(refusal)
	}
	b.rules, err = threat.Resolve(p.Threat, over)
	return b, err
}

// mayAsk returns an error if the caller's key may not request a form of o.
func (c *Caller) mayAsk(o *ParseOptions) error {
	return forbid(policy.Forms(&c.Team.Policy, o.FormNames, &o.Format))
}

// mayIgnore returns an error if the work would ignore robots.txt or use another name in it,
// and the team may not do that.
func (c *Caller) mayIgnore(how crawl.RobotsPolicy, agent string) error {
	return forbid(policy.Robots(&c.Team.Policy, how, agent))
}

// ask checks a start URL against the blocklist and the threat gate. The scan is billed
// with the page of the URL.
func ask(ctx context.Context, team *account.Team, a *meter.Meter, u weburl.URL) error {
	if refusal := policy.Blocked(&team.Policy, "URL", u); refusal != "" {
		return refuse(faults.ErrBlocked, refusal)
	}
	ctx, n := meter.Tallied(ctx)
	err := meter.Admit(ctx, a.Gate, u.String())
	a.Scans.Add(u.String(), int(n.Load()))
	return err
}

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
	if refusal := policy.Blocked(&team.Policy, "Webhook", u); refusal != "" {
		return refuse(faults.ErrBlocked, refusal)
	}
	return m.Judge(ctx, h.URL, true)
}
