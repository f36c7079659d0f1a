// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// Webhooks say how events of jobs are delivered (contract.md 11). The zero
// value delivers unsigned, to public addresses, on the ports 80, 443, 8080 and
// 8443.
type Webhooks struct {
	Allow []netip.Prefix // addresses besides the public ones, at any port
	Ports []int          // besides those four
	Roots *x509.CertPool // nil: the system's

	// Secret returns what a team's deliveries are signed with; empty means
	// unsigned. It is asked at each attempt, and its answer kept nowhere.
	Secret func(ctx context.Context, team string) (string, error)

	// Undelivered is told of each event that is given up after its last
	// attempt, but those of jobs with zero data retention. Nil: it is logged.
	Undelivered func(ctx context.Context, e Undelivered)

	dial     func(ctx context.Context, network, address string) (net.Conn, error) // of tests
	resolver netguard.Resolver                                                    // of tests
}

// Undelivered is an event of a job that its receiver has not taken.
type Undelivered struct {
	Team, Job string
	URL       string
	Body      []byte // the envelope
	Err       error  // of the last attempt
}

// policy is what targets are judged by.
func (w *Webhooks) policy() netguard.Policy {
	return netguard.Policy{Ports: w.Ports, Allow: w.Allow, Dial: w.dial, Resolver: w.resolver}
}

// Attempts at one event: each within hookTimeout, further ones after these
// pauses.
const hookTimeout = 10 * time.Second

func hookPauses() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
}

// maxHookAnswer is how much of a receiver's answer is read, in bytes: so much
// keeps the connection usable.
const maxHookAnswer = 64 << 10

// kindHook is the kind of the job that delivers the events of another.
const kindHook = "webhook"

// hook is what a job with a webhook is told of it, and what the delivery is.
type hook struct {
	Job      string `json:",omitempty"` // whose events; set in the delivery's spec
	URL      string
	Headers  map[string]string `json:",omitempty"`
	Metadata map[string]string
	Events   []string `json:",omitempty"` // short names; none: all
	Retained bool     // zero data retention: no dead letters

	Batch     int  `json:",omitzero"` // most delivered pages of one event; zero: one
	Unordered bool `json:",omitzero"` // several events may be on their way
}

// hookBacklog is what a delivery that runs still has to tell.
type hookBacklog struct {
	mu    sync.Mutex
	at    position // guarded by mu; as are the others
	pages bool     // page events are wanted
	open  int      // events on their way, pages of one each
	tries int      // failed attempts at the event on its way that has most
	next  time.Time
}

// set notes how far d is.
func (b *hookBacklog) set(d *delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.pages = d.at, d.wants("page")
	b.open, b.tries, b.next = 0, 0, time.Time{}
	for _, s := range d.open {
		b.open += max(1, s.pages)
		if s.Tries > b.tries {
			b.tries, b.next = s.Tries, s.Next
		}
	}
}

// status returns what the status of the job shows; nil if its receiver has been
// told everything.
func (b *hookBacklog) status(j *job.Job, stats *job.Stats) *wire.WebhookStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.open
	if b.pages {
		n += stats.Items[job.Result] - b.at.Pages + stats.Items[job.Failure] - b.at.Failures
	}
	if j.State.Final() && !b.at.Ended {
		n++
	}
	if n <= 0 {
		return nil
	}
	s := &wire.WebhookStatus{Backlog: n, FailedAttempts: b.tries}
	if b.tries > 0 {
		s.NextAttempt = new(jsonenc.Time(b.next))
	}
	return s
}

// eventsOf returns the short names of the events of a kind of job.
func eventsOf(kind string) []string {
	if kind == kindAgent {
		return []string{"started", "action", "completed", "failed", "cancelled"}
	}
	return []string{"started", "page", "completed", "failed", "cancelled"}
}

// webhook reads a webhook for a job of a kind, and reports what is wrong with
// it. It returns nil where there is none.
func (c *checker) webhook(w *wire.Webhook, kind string) *hook {
	if w == nil {
		return nil
	}
	h := &hook{Headers: w.Headers, Metadata: w.Metadata, Batch: value(w.Batch, 0), Unordered: !value(w.Ordered, true)}
	if h.Metadata == nil {
		h.Metadata = map[string]string{}
	}
	if u := c.url(w.URL, "webhook", "url"); !u.IsZero() {
		h.URL = u.String()
		if err := c.hooks.CheckURL(u); err != nil {
			c.custom(err.Error(), "webhook", "url")
		}
	}
	for _, ours := range []string{"Content-Type", "X-Firecrawl-Signature", "X-Curlew-Signature"} {
		for name := range w.Headers {
			if strings.EqualFold(name, ours) {
				c.custom("Header "+name+" cannot be set", "webhook", "headers", name)
			}
		}
	}
	known := eventsOf(kind)
	for i, name := range w.Events {
		short := strings.TrimPrefix(name, kind+".")
		if !slices.Contains(known, short) {
			c.faults = append(c.faults, wire.Fault{
				Code: wire.InvalidValue, Path: []any{"webhook", "events", i}, Values: known,
				Message: "Invalid option: expected one of " + strings.Join(known, ", "),
			})
			continue
		}
		if !slices.Contains(h.Events, short) {
			h.Events = append(h.Events, short)
		}
	}
	return h
}

// retaining returns the hook of a job with or without zero data retention; it
// is h, which nobody else has.
func (h *hook) retaining(retained bool) *hook {
	if h != nil {
		h.Retained = retained
	}
	return h
}

// askHook asks blocklist and threat lists for a webhook's target; scores are
// for pages.
func askHook(team *account.Team, g *threat.Gate, h *hook) error {
	if h == nil {
		return nil
	}
	u, err := weburl.Parse(h.URL)
	if err != nil {
		return err
	}
	if entry, ok := blocked(&team.Policy, u); ok {
		return &refusal{why: errBlocked, text: "Webhook " + redacted(h.URL) + " is blocked for this team (rule: blocklist " + entry + ")"}
	}
	if g == nil {
		return nil
	}
	target, err := threat.ParseTarget(h.URL)
	if err != nil {
		return err
	}
	if d, ok := g.Local(target); ok && !d.Allowed {
		return &threat.BlockedError{URL: target.URL, Decision: d}
	}
	return nil
}

// deliveries are the jobs whose events another process began to deliver. A
// team's are listed once: each of the jobs that go on would else look at all.
type deliveries struct {
	mu    sync.Mutex
	begun map[string]map[string]bool // guarded by mu; by team, then by id of the job
}

// has reports whether the delivery of a job had begun before this process.
func (d *deliveries) has(ctx context.Context, r *job.Runner, j *job.Job) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	begun, listed := d.begun[j.Owner]
	if listed {
		return begun[j.ID], nil
	}
	list, err := r.List(ctx, j.Owner, job.Filter{Kind: kindHook})
	if err != nil {
		return false, err
	}
	begun = make(map[string]bool, len(list))
	for _, o := range list {
		var other hook
		if json.Unmarshal(o.Spec, &other) == nil {
			begun[other.Job] = true
		}
	}
	if d.begun == nil {
		d.begun = map[string]map[string]bool{}
	}
	d.begun[j.Owner] = begun
	return begun[j.ID], nil
}

// announce starts the delivery of j's events. After a restart it may have been
// started before.
func (s *Service) announce(ctx context.Context, j *job.Job, h *hook, again bool) error {
	if again {
		if begun, err := s.deliveries.has(ctx, s.runner(), j); begun || err != nil {
			return err
		}
	}
	told := *h
	told.Job = j.ID
	spec, err := json.Marshal(told)
	if err != nil {
		return err
	}
	_, err = s.runner().Begin(ctx, job.Job{Kind: kindHook, Owner: j.Owner, Spec: spec, Volatile: j.Volatile})
	return err
}
