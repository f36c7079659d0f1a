// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// activity is what the audit log is told of one request or job: an event for
// each URL. A nil activity tells nobody.
type activity struct {
	service *Service
	base    audit.Event

	mu      sync.Mutex
	decided map[string]threat.Decision // guarded by mu; of URLs that are not told yet
}

// maxDecided bounds the decisions that wait for their pages.
const maxDecided = 10_000

// activity begins the log of a request or job; nil where there is no sink.
func (s *Service) activity(base audit.Event) *activity {
	if s.Audit == nil {
		return nil
	}
	return &activity{service: s, base: base}
}

// logged returns what a job's spec keeps for its log.
func (a *activity) logged() *audit.Event {
	if a == nil {
		return nil
	}
	return &a.base
}

// observe notes a decision of the gate. It fits [threat.Gate.Observe].
func (a *activity) observe(t threat.Target, d threat.Decision) {
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

// decision returns what was decided about a URL, and forgets it.
func (a *activity) decision(url string, err error) *audit.Threat {
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

// tell writes one event: of the URL with this id, which ended with status, or
// failed with err.
func (a *activity) tell(ctx context.Context, id, url string, status int, began time.Time, err error) {
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
	e.Threat = a.decision(url, err)
	if err != nil {
		e.Result = result(ctx, err)
		code, text := Fault(err)
		e.Error = &audit.Fault{Code: code, Message: text}
	}
	if n, ok := errors.AsType[*netguard.Error](err); ok {
		e.Network = &audit.Network{Address: n.Address, Reason: n.Reason}
	}
	a.service.audit(ctx, e)
}

// result says how a URL that failed with err ended.
func result(ctx context.Context, err error) audit.Result {
	switch {
	case errors.Is(err, threat.ErrBlocked), errors.Is(err, errBlocked), errors.Is(err, fetch.ErrAddress):
		return audit.Blocked
	case errors.Is(err, job.ErrCancelled), errors.Is(context.Cause(ctx), job.ErrCancelled):
		return audit.Cancelled
	}
	return audit.Failure
}

// audit writes an event. What has happened is told, whoever has left.
func (s *Service) audit(ctx context.Context, e audit.Event) {
	if s.Audit == nil {
		return
	}
	if err := audit.Send(context.WithoutCancel(ctx), s.Audit, e); err != nil {
		s.logger().ErrorContext(ctx, "audit event lost", "request", e.RequestID, "err", err)
	}
}
