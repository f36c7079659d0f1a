// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/threat"
)

// creditUsage serves GET /v2/team/credit-usage.
func creditUsage(h *Handler, c *call) error { return usage(h, c, "Credits", 1) }

// tokenUsage serves GET /v2/team/token-usage.
func tokenUsage(h *Handler, c *call) error { return usage(h, c, "Tokens", tokensPerCredit) }

// tokensPerCredit is the rate of the public API. Tokens and credits are one
// balance.
const tokensPerCredit = 15

func usage(h *Handler, c *call, unit string, per int) error {
	b, err := h.service.Balance(c.ctx(), c.team.ID)
	if err != nil {
		return err
	}
	// Clients expect 32-bit numbers. The largest one means that there is no
	// limit.
	shown := func(n int) int {
		if n < 0 || n > math.MaxInt32/per {
			return math.MaxInt32
		}
		return n * per
	}
	return c.answer(http.StatusOK, wire.Usage{Unit: unit, Remaining: shown(b.Left), Plan: shown(b.Plan)})
}

// queueStatus serves GET /v2/team/queue-status: the pending pages of all
// running jobs.
func queueStatus(h *Handler, c *call) error {
	load := h.service.Load(c.caller(nil, nil))
	last, err := load.LastSuccess(c.ctx())
	if err != nil {
		return err
	}
	active := min(load.Pages, load.Slots)
	answer := wire.Queue{
		Success: true, Jobs: load.Pages, Active: active, Waiting: load.Pages - active, MaxConcurrency: load.AtOnce,
	}
	if !last.IsZero() {
		answer.MostRecentSuccess = new(jsonenc.Time(last))
	}
	return c.answer(http.StatusOK, answer)
}

// concurrencyCheck serves GET /v2/concurrency-check.
func concurrencyCheck(h *Handler, c *call) error {
	load := h.service.Load(c.caller(nil, nil))
	return c.answer(http.StatusOK, wire.Concurrency{Success: true, Concurrency: load.Slots, MaxConcurrency: load.AtOnce})
}

// creditHistory serves GET /v2/team/credit-usage/historical.
func creditHistory(h *Handler, c *call) error { return history(h, c, "creditsUsed", 1) }

// tokenHistory serves GET /v2/team/token-usage/historical.
func tokenHistory(h *Handler, c *call) error { return history(h, c, "tokensUsed", tokensPerCredit) }

func history(h *Handler, c *call, unit string, per int) error {
	if c.r.URL.Query().Get("byApiKey") == "true" {
		return refuse(curlew.ErrEngine, "This server counts usage by team, not by key.")
	}
	periods, err := h.service.History(c.ctx(), c.team.ID)
	if err != nil {
		return err
	}
	answer := wire.Periods{Success: true, Periods: []wire.Period{}}
	for _, p := range periods {
		w := wire.Period{Unit: unit, Used: min(p.Spent, math.MaxInt32/per) * per}
		if !p.Start.IsZero() {
			w.Start, w.End = new(jsonenc.Time(p.Start)), new(jsonenc.Time(p.End))
		}
		answer.Periods = append(answer.Periods, w)
	}
	return c.answer(http.StatusOK, answer)
}

// ownThreat applies the threat policy that the team has set for itself.
func (h *Handler) ownThreat(ctx context.Context, team *account.Team) error {
	store, t := h.options.ThreatPolicies, team.Policy.Threat
	if store == nil || !t.Enabled && !t.Enforced {
		return nil
	}
	set, found, err := store.ThreatPolicy(ctx, team.ID)
	if err != nil || !found {
		return err
	}
	t, err = set.Apply(t)
	if _, ok := errors.AsType[*threat.ForbiddenError](err); ok {
		err = nil // it is enforced since the team has set the policy, and stays on
	}
	team.Policy.Threat = t
	return err
}

// threatPolicy serves GET /v2/team/threat-protection.
func threatPolicy(h *Handler, c *call) error {
	t := c.team.Policy.Threat
	if !t.Enabled && !t.Enforced {
		return &threat.ForbiddenError{Reason: threat.NotEnabled}
	}
	resolved, err := threat.Resolve(t, nil)
	if err != nil {
		return err
	}
	data := wire.ThreatPolicy{
		Mode: resolved.Mode.String(), Blacklist: filled(resolved.Blacklist), Whitelist: filled(resolved.Whitelist), TLDs: filled(resolved.BlockedTLDs),
		Failure: resolved.Failure.String(), Threshold: threat.DefaultThreshold, AllowOverrides: t.AllowOverrides, Configured: t.Policy != nil,
	}
	if resolved.Threshold != nil {
		data.Threshold = *resolved.Threshold
	}
	if store := h.options.ThreatPolicies; store != nil {
		set, found, err := store.ThreatPolicy(c.ctx(), c.team.ID)
		if err != nil {
			return err
		}
		if found {
			data.UpdatedAt = new(jsonenc.Time(set.Updated))
		}
	}
	return c.answer(http.StatusOK, wire.TeamThreat{Success: true, Data: data})
}

// filled returns an empty list for nil.
func filled(s []string) []string { return append([]string{}, s...) }

// threatEndpoint is the name of the endpoint in [account.Policy.AllowEndpoints] that a
// restricted key needs to change the policy of its team.
const threatEndpoint = "threat-protection"

// setThreatPolicy serves PUT /v2/team/threat-protection. The body is the whole policy: what
// is absent gets its default.
func setThreatPolicy(h *Handler, c *call) error {
	if err := c.caller(nil, nil).MayUse(threatEndpoint); err != nil {
		return err
	}
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, allow, err := wire.DecodeThreatPolicy(body)
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	over := check.override(req)
	if err := check.err(); err != nil {
		return err
	}
	if over, err = over.Normalize(); err != nil {
		return err // cannot happen, because override has checked it
	}
	t := c.operator
	if !t.Enabled && !t.Enforced {
		return &threat.ForbiddenError{Reason: threat.NotEnabled}
	}
	store := h.options.ThreatPolicies
	if store == nil {
		return refuse(curlew.ErrEngine, "This server has no store for threat policies: only its operator can change them.")
	}
	if allow != nil && *allow && !t.AllowOverrides {
		return &threat.ForbiddenError{Reason: threat.OverridesDisabled}
	}
	set := account.ThreatPolicy{
		Policy: threat.Policy{
			Mode: *over.Mode, Blacklist: value(over.Blacklist, nil), Whitelist: value(over.Whitelist, nil), BlockedTLDs: value(over.BlockedTLDs, nil),
			Failure: value(over.Failure, threat.Closed), Threshold: over.Threshold,
		},
		RefusesOverrides: !value(allow, true), Updated: time.Now().UTC(),
	}
	applied, err := set.Apply(t)
	if err != nil {
		return err
	}
	if err := store.SetThreatPolicy(c.ctx(), c.team.ID, set); err != nil {
		return err
	}
	c.team.Policy.Threat = applied
	h.policyChanged(c)
	return threatPolicy(h, c)
}

// policyChanged writes the audit event of a policy that was changed.
func (h *Handler) policyChanged(c *call) {
	if h.service.Audit == nil {
		return
	}
	now, ctx := time.Now(), context.WithoutCancel(c.ctx())
	err := audit.Send(ctx, h.service.Audit, audit.Event{
		Type: audit.AdminActivity, Action: audit.PolicyChanged, RequestID: c.id, Endpoint: threatEndpoint, TeamID: c.team.ID,
		Key: audit.Key{ID: c.team.KeyID, Name: c.team.KeyName}, Started: now, Completed: now,
	})
	if err != nil {
		h.logger().ErrorContext(ctx, "audit event lost", "request", c.id, "err", err)
	}
}

// Activities is an optional interface of the Service's audit sink that can list what a team
// has done, such as an [audit.Recent].
type Activities interface {
	// Recent returns events of a team since a time, the newest first.
	Recent(ctx context.Context, team string, since time.Time) ([]audit.Event, error)
}

// teamActivity serves GET /v2/team/activity: the jobs and requests of the last 24 hours.
func teamActivity(h *Handler, c *call) error {
	q, err := wire.DecodeActivity(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	log, ok := h.service.Audit.(Activities)
	if !ok {
		return refuse(curlew.ErrEngine, "This server keeps no audit log that could be read.")
	}
	events, err := log.Recent(c.ctx(), c.team.ID, time.Now().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	answer := wire.Activity{Success: true, Data: []wire.ActivityEntry{}}
	slices.Reverse(events) // the first event of a request or job stands for it
	seen := map[string]bool{}
	var all []wire.ActivityEntry
	for _, e := range events {
		if e.Type == audit.AdminActivity || seen[e.RequestID] || q.Endpoint != "" && e.Endpoint != q.Endpoint {
			continue
		}
		seen[e.RequestID] = true
		entry := wire.ActivityEntry{ID: e.RequestID, Endpoint: e.Endpoint, APIVersion: "v2", CreatedAt: jsonenc.Time(e.Started), Target: e.URL}
		if e.ZeroRetention {
			entry.Target = ""
		}
		all = append(all, entry)
	}
	slices.Reverse(all)
	if q.Cursor != "" {
		i := slices.IndexFunc(all, func(e wire.ActivityEntry) bool { return e.ID == q.Cursor })
		all = all[i+1:] // a cursor that has expired begins again
	}
	if len(all) > q.Limit {
		all, answer.HasMore = all[:q.Limit], true
		answer.Cursor = all[q.Limit-1].ID
	}
	answer.Data = append(answer.Data, all...)
	return c.answer(http.StatusOK, answer)
}
