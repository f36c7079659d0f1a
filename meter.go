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

// meter is what one request or job may spend: a reservation, topped up as
// scans need it, and settled at the end.
type meter struct {
	credits account.Credits
	team    string
	gate    *threat.Gate // of the same request or job; nil admits all

	log *activity // of the same; nil: nobody is told

	mu       sync.Mutex
	held     []hold // guarded by mu; in the order in which they were reserved
	reserved int    // guarded by mu; sum of held
	spent    int    // guarded by mu; scans among them

	scans scans // that no page carries yet
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

// meter opens the meter of new work: least credits must be there, want are
// reserved where they are. Its gate enforces p.
func (m *meters) meter(ctx context.Context, team string, p threat.Policy, least, want int) (*meter, error) {
	op := job.NewID()
	n, err := m.credits.Reserve(ctx, team, op, least, want)
	if err != nil {
		return nil, err
	}
	return m.reopen(ctx, team, op, n, p)
}

// reopen returns the meter of work that has reserved already.
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

// follow has the meter's URLs told to log. Under zero data retention its
// classifier keeps nothing.
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

// spend takes n credits, or gives them back below zero; ErrPayment where there
// are none left.
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

// settle takes what the work cost in the end and frees the rest.
func (a *meter) settle(ctx context.Context, cost int) error {
	ctx = context.WithoutCancel(ctx) // the work is done, whoever has left
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

// scans are the credits that threat scans have cost and that no page has carried
// yet. Each is carried by the page for which it was made, document or failure, so
// that what the pages of a job cost adds up to what the job costs. Scans of URLs
// that turned out to be no pages of their own, such as redirects to a page that
// the crawl has, are carried by one entry of the errors at the end of the job.
//
// A process that dies forgets them: the URLs are scanned again, and billed once.
type scans struct {
	mu    sync.Mutex
	owed  map[string]int    // guarded by mu; by URL without fragment
	first map[string]string // guarded by mu; of a URL that a redirect led to: where that began
	loose int               // guarded by mu; of URLs that are no longer known
}

// maxOwed bounds the URLs that wait for their page; beyond it they count as loose.
const maxOwed = 100_000

// add notes a scan that was made for url; n may be zero.
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

// make has room for one more. The caller holds mu.
func (s *scans) make() {
	if s.owed != nil && len(s.owed) < maxOwed && len(s.first) < maxOwed {
		return
	}
	for _, n := range s.owed {
		s.loose += n
	}
	s.owed, s.first = map[string]int{}, map[string]string{}
}

// take returns what the page with these URLs carries: their scans, and those of
// what redirected to them.
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

// left takes all that no page carries.
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

// tally counts the credits of a decision, where somebody counts.
func tally(ctx context.Context, d threat.Decision) {
	if n, ok := ctx.Value(tallyKey{}).(*atomic.Int64); ok {
		n.Add(int64(d.Credits))
	}
}

// activity is what the audit log is told of one request or job: an event for
// each URL. A nil activity tells nobody.
type activity struct {
	meters *meters
	base   audit.Event

	mu      sync.Mutex
	decided map[string]threat.Decision // guarded by mu; of URLs that are not told yet
}

// maxDecided bounds the decisions that wait for their pages.
const maxDecided = 10_000

// activity begins the log of a request or job; nil where there is no sink.
func (m *meters) activity(base audit.Event) *activity {
	if m.sink == nil {
		return nil
	}
	return &activity{meters: m, base: base}
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
	a.meters.audit(ctx, e)
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
func (m *meters) audit(ctx context.Context, e audit.Event) {
	if m.sink == nil {
		return
	}
	if err := audit.Send(context.WithoutCancel(ctx), m.sink, e); err != nil {
		m.logger.ErrorContext(ctx, "audit event lost", "request", e.RequestID, "err", err)
	}
}
