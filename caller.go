// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/format"
	"example.com/curlew/threat"
)

// Caller says on whose behalf work is done: the policy of its team holds, the
// team's credits pay, and the audit log names the caller. The zero value is the
// program itself: the team "default" with the default policy.
type Caller struct {
	Team account.Team // one without an ID is "default"

	// What the audit log is told besides.
	RequestID           string
	Origin, Integration string // the client's program; an empty Origin is "api"
	Username            string

	ExternalID string // the client's own id of its request; stored with a job
}

// defaultTeam is the team of callers who name none.
const defaultTeam = "default"

// owner returns the id of the caller's team.
func (c *Caller) owner() string { return cmp.Or(c.Team.ID, defaultTeam) }

// activityOf begins the log of a caller's work; nil where there is no sink.
func (s *Service) activityOf(c *Caller, endpoint string, retained bool) *activity {
	return s.activity(audit.Event{
		RequestID: c.RequestID, Endpoint: endpoint, TeamID: c.owner(), Key: audit.Key{ID: c.Team.KeyID, Name: c.Team.KeyName},
		Origin: cmp.Or(c.Origin, "api"), Integration: c.Integration, ZeroRetention: retained, Username: c.Username,
	})
}

// bounds are what a caller's work is done under.
type bounds struct {
	retained bool          // zero data retention
	rules    threat.Policy // of the threat gate
}

// bounds returns what work is done under that wants forms of pages, or o is nil.
// It refuses what the policy of the caller's team does not allow.
func (c *Caller) bounds(o *format.Options, zeroRetention bool, over *threat.Override) (bounds, error) {
	p := &c.Team.Policy
	var b bounds
	if o != nil {
		for _, form := range o.Forms {
			names := formatNames(form, o)
			if !slices.ContainsFunc(names, func(name string) bool { return allows(p.AllowFormats, name) }) {
				return b, refuse(account.ErrForbidden, "This key may not ask for the format "+names[0]+".")
			}
		}
	}
	b.retained = zeroRetention
	switch {
	case p.ZeroRetention == account.RetentionForced:
		b.retained = true
	case zeroRetention && p.ZeroRetention == account.RetentionOff:
		return b, refuse(account.ErrForbidden, "zeroDataRetention is not enabled for this team.")
	}
	var err error
	b.rules, err = threat.Resolve(p.Threat, over)
	return b, err
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

// Admit says whether a job of the caller may start now: [ErrRate] while as many
// pages of its team's jobs wait as its policy has room for, [job.ErrShutdown]
// once Shutdown has begun. The starts of jobs ask by themselves; who has to read
// a large request first asks before.
func (s *Service) Admit(_ context.Context, c *Caller) error {
	if bound := queuedPages(&c.Team.Policy); bound >= 0 && s.backlog.left(c.owner()) >= bound {
		return &Error{Err: ErrRate, Wait: 10 * time.Second}
	}
	return nil
}
