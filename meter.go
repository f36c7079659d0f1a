// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// meter counts what one request or job spends. It never spends more than it has
// reserved; it reserves more if scans need it, and is settled at the end.
type meter struct {
	credits account.Credits
	team    string
	gate    *threat.Gate // of this request or job; nil admits all

	log *activity // of this request or job; nil: nothing is logged

	mu       sync.Mutex
	held     []hold // guarded by mu; in the order in which they were reserved
	reserved int    // guarded by mu; sum of held
	spent    int    // guarded by mu; including scans

	scans scans // that are not on the bill of a page yet
}

// hold is one reservation.
type hold struct {
	op string
	n  int
}

// meters opens the meters of work. Credits are reserved before the work begins, and
// all work shares one circuit breaker of the classifier.
type meters struct {
	credits    account.Credits
	classifier threat.Classifier // nil: no URL is scored
	sink       audit.Sink        // nil: there is no audit log
	logger     *slog.Logger
	rules      threat.Cache // compiled policies

	ledger  account.Ledger // used if the Service has no Credits
	scanner threat.Scanner // of a Classifier that is not one itself
}

// open takes over what s says.
func (m *meters) open(s *Service) {
	m.credits, m.classifier, m.sink, m.logger = s.Credits, s.Classifier, s.Audit, s.Logger
	if m.credits == nil {
		m.credits = &m.ledger
	}
	if _, scans := s.Classifier.(*threat.Scanner); s.Classifier != nil && !scans {
		m.scanner.Classifier = s.Classifier
		m.classifier = &m.scanner
	}
	if m.logger == nil {
		m.logger = slog.New(slog.DiscardHandler)
	}
}

// meter opens the meter of new work. It reserves want credits, or fewer if the team
// has fewer, but at least least. The meter's gate enforces p.
func (m *meters) meter(ctx context.Context, team string, p threat.Policy, least, want int) (*meter, error) {
	op := job.NewID()
	n, err := m.credits.Reserve(ctx, team, op, least, want)
	if err != nil {
		return nil, err
	}
	return m.reopen(ctx, team, op, n, p)
}

// reopen returns the meter of work whose credits are reserved already.
func (m *meters) reopen(ctx context.Context, team, op string, reserved int, p threat.Policy) (*meter, error) {
	a := &meter{credits: m.credits, team: team, held: []hold{{op, reserved}}, reserved: reserved}
	if p.Mode == threat.Off {
		return a, nil
	}
	rules, err := m.rules.Compile(p)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the gate outlives the request that opens it
	a.gate = &threat.Gate{Rules: rules, Classifier: m.classifier, Spend: func(n int) error { return a.spend(ctx, n) }}
	a.gate.Observe = func(t threat.Target, d threat.Decision) { a.log.observe(t, d) }
	return a, nil
}

// follow makes log the audit log of the meter. With zero data retention (retained) the
// classifier stores nothing.
func (a *meter) follow(log *activity, retained bool) {
	a.log = log
	if a.gate != nil {
		a.gate.NoStore = retained
	}
}

// scanCost is what a threat scan of a page may add to its cost.
func (m *meters) scanCost(p threat.Policy) int {
	if p.Mode == threat.Off || m.classifier == nil {
		return 0
	}
	return threat.ScanCredits
}

// topUp is how many credits are reserved at a time beyond the first.
const topUp = 100

// spend takes n credits; a negative n gives them back. It returns ErrPayment if there
// are too few left.
func (a *meter) spend(ctx context.Context, n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if short := a.spent + n - a.reserved; short > 0 {
		op := job.NewID()
		got, err := a.credits.Reserve(ctx, a.team, op, short, max(short, topUp))
		if err != nil {
			return err
		}
		a.held = append(a.held, hold{op, got})
		a.reserved += got
	}
	a.spent += n
	return nil
}

// total returns what has been spent.
func (a *meter) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// settle charges what the work cost and frees the rest of the reservation.
func (a *meter) settle(ctx context.Context, cost int) error {
	ctx = context.WithoutCancel(ctx) // the work is done, even if the caller has left
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.held {
		part := min(cost, h.n)
		cost -= part
		settle := a.credits.Release
		if part > 0 {
			settle = func(ctx context.Context, team, op string) error { return a.credits.Commit(ctx, team, op, part) }
		}
		if err := settle(ctx, a.team, h.op); err != nil {
			return err
		}
	}
	return nil
}

// scans are the credits of threat scans that are not yet on the bill of a page. Each
// scan is billed with the page for which it was made, whether that was delivered or
// failed, so that the costs of the pages add up to the cost of the job. Scans of URLs
// that are not pages of their own, such as redirects to a page that the crawl has
// already, are billed in one entry of the errors at the end of the job.
//
// If the process dies, they are forgotten. The URLs are then scanned again and billed
// once.
type scans struct {
	mu    sync.Mutex
	owed  map[string]int    // guarded by mu; by URL without fragment
	first map[string]string // guarded by mu; target of a redirect -> URL where the redirects began
	loose int               // guarded by mu; of forgotten URLs
}

// maxOwed bounds the remembered URLs. Beyond it all are forgotten and counted as loose.
const maxOwed = 100_000

// add notes a scan for url that cost n credits; n may be zero.
func (s *scans) add(url string, n int) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.make()
	url = plain(url)
	if root, ok := s.first[url]; ok {
		url = root
	}
	s.owed[url] += n
}

// moved notes that from was redirected to to.
func (s *scans) moved(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to = plain(from), plain(to)
	if root, ok := s.first[from]; ok {
		from = root
	}
	if from == to || s.owed[from] == 0 {
		return
	}
	s.make()
	s.first[to] = from
}

// make makes room for one more URL. The caller holds mu.
func (s *scans) make() {
	if s.owed != nil && len(s.owed) < maxOwed && len(s.first) < maxOwed {
		return
	}
	for _, n := range s.owed {
		s.loose += n
	}
	s.owed, s.first = map[string]int{}, map[string]string{}
}

// take returns the credits that the page with these URLs is billed: for scans of them
// and of URLs that redirected to them.
func (s *scans) take(urls ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range urls {
		u = plain(u)
		n += s.owed[u]
		delete(s.owed, u)
		if root, ok := s.first[u]; ok {
			delete(s.first, u)
			n += s.owed[root]
			delete(s.owed, root)
		}
	}
	return n
}

// left returns the credits that no page was billed, and forgets them.
func (s *scans) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.loose
	for _, owed := range s.owed {
		n += owed
	}
	s.owed, s.first, s.loose = nil, nil, 0
	return n
}

func plain(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// tallyKey is the key of a page's tally in a context.
type tallyKey struct{}

// tallied returns a ctx under which [admit] counts what scans cost.
func tallied(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, tallyKey{}, n), n
}

// tally adds the credits of a decision to the tally of ctx, if it has one.
func tally(ctx context.Context, d threat.Decision) {
	if n, ok := ctx.Value(tallyKey{}).(*atomic.Int64); ok {
		n.Add(int64(d.Credits))
	}
}

// activity writes the audit events of one request or job, one for each URL. A nil
// activity writes nothing.
type activity struct {
	meters *meters
	base   audit.Event

	mu      sync.Mutex
	decided map[string]threat.Decision // guarded by mu; by URL without an event yet
}

// maxDecided bounds the decisions that wait for the events of their URLs.
const maxDecided = 10_000

// activity begins the log of a request or job. It is nil if there is no sink.
func (m *meters) activity(base audit.Event) *activity {
	if m.sink == nil {
		return nil
	}
	return &activity{meters: m, base: base}
}

// logged returns what the specification of a job keeps for its log.
func (a *activity) logged() *audit.Event {
	if a == nil {
		return nil
	}
	return &a.base
}

// observe notes a decision of the gate; see [threat.Gate.Observe].
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

// decision returns what the gate decided about a URL, and forgets it.
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

// tell writes the event of a URL. Id names the scrape, status is that of the response.
// Err is nil if the URL was fetched.
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
	a.meters.audit(ctx, e)
}

// result returns the audit result of a URL that failed with err.
func result(ctx context.Context, err error) audit.Result {
	switch {
	case errors.Is(err, threat.ErrBlocked), errors.Is(err, errBlocked), errors.Is(err, fetch.ErrAddress):
		return audit.Blocked
	case errors.Is(err, job.ErrCancelled), errors.Is(context.Cause(ctx), job.ErrCancelled):
		return audit.Cancelled
	}
	return audit.Failure
}

// audit writes an event, even if the request was cancelled.
func (m *meters) audit(ctx context.Context, e audit.Event) {
	if m.sink == nil {
		return
	}
	if err := audit.Send(context.WithoutCancel(ctx), m.sink, e); err != nil {
		m.logger.ErrorContext(ctx, "audit event lost", "request", e.RequestID, "err", err)
	}
}
