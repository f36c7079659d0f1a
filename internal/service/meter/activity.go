// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
)

// Activity writes the audit events of one request or job, one for each URL. A
// nil Activity writes nothing.
type Activity struct {
	meters *Meters
	base   audit.Event

	mu      sync.Mutex
	decided map[string]threat.Decision // guarded by mu; by URL without an event yet
}

// maxDecided limits the number of decisions that wait for the events of their
// URLs.
const maxDecided = 10_000

// Activity starts the audit log of a request or job. If there is no sink, it
// returns nil.
func (m *Meters) Activity(base audit.Event) *Activity {
	if m.Sink == nil {
		return nil
	}
	return &Activity{meters: m, base: base}
}

// Base returns the common members of all events, for the specification of a
// job. If nothing is logged, it returns nil.
func (a *Activity) Base() *audit.Event {
	if a == nil {
		return nil
	}
	return &a.base
}

// OfJob sets the job of the following events.
func (a *Activity) OfJob(id string) {
	if a != nil {
		a.base.RequestID = id
	}
}

// Observe records a decision of the gate; see [threat.Gate.Observe].
func (a *Activity) Observe(t threat.Target, d threat.Decision) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.decided == nil {
		a.decided = map[string]threat.Decision{}
	}
	if len(a.decided) < maxDecided {
		a.decided[t.URL] = d
	}
}

// decision removes and returns the decision of the gate about a URL.
func (a *Activity) decision(url string, err error) *audit.Threat {
	d, found := threat.Decision{}, false
	if b, ok := errors.AsType[*threat.BlockedError](err); ok {
		d, found = b.Decision, true
	} else if t, err := threat.ParseTarget(url); err == nil {
		a.mu.Lock()
		d, found = a.decided[t.URL]
		delete(a.decided, t.URL)
		a.mu.Unlock()
	}
	if !found {
		return nil
	}
	return &audit.Threat{Allowed: d.Allowed, Rule: d.Rule.String(), Provider: d.Verdict.Provider, Categories: d.Verdict.Categories}
}

// Tell writes the event of a URL. id is the ID of the scrape, and status is
// that of the response. err is nil if the URL was fetched.
func (a *Activity) Tell(ctx context.Context, id, url string, status int, began time.Time, err error) {
	if a == nil {
		return
	}
	e := a.base
	e.ScrapeID, e.Started, e.Completed = id, began, time.Now()
	e.URL, e.HTTPMethod, e.HTTPStatus = url, http.MethodGet, status
	if u, err := weburl.Parse(url); err == nil {
		e.Domain = u.HostKey()
	}
	if url == "" { // an upload
		e.HTTPMethod = ""
	}
	e.Threat, e.Result = a.decision(url, err), audit.Success
	if err != nil {
		e.Result, e.Error = a.meters.Explain(ctx, err)
	}
	if n, ok := errors.AsType[*netguard.Error](err); ok {
		e.Network = &audit.Network{Address: n.Address, Reason: n.Reason}
	}
	a.meters.audit(ctx, e)
}

// Pass writes an event that another process has made for this job.
func (a *Activity) Pass(ctx context.Context, e audit.Event) {
	if a != nil {
		a.meters.audit(ctx, e)
	}
}

// audit writes an event, even if the request was cancelled.
func (m *Meters) audit(ctx context.Context, e audit.Event) {
	if m.Sink == nil {
		return
	}
	if err := audit.Send(context.WithoutCancel(ctx), m.Sink, e); err != nil {
		m.Logger.ErrorContext(ctx, "audit event lost", "request", e.RequestID, "err", err)
	}
}
