// SPDX-License-Identifier: Apache-2.0

package meter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/threat"
)

// balance returns the remaining credits of the team "us".
func balance(t *testing.T, c account.Credits) int {
	t.Helper()
	b, err := c.Balance(t.Context(), "us")
	if err != nil {
		t.Fatal(err)
	}
	return b.Left
}

// TestSpend checks that a meter spends no more than it has reserved, reserves
// at least 100 more if that is not enough, and that settling it charges the
// cost of the work.
func TestSpend(t *testing.T) {
	for name, tt := range map[string]struct {
		plan, least, want int   // credits of the team; amounts of the reservation
		spend             []int // the last call decides about err
		err               error
		held, cost, left  int // reserved before the end; settled cost; remaining credits of the team
	}{
		"less than reserved":  {1000, 1, 50, []int{10, 20}, nil, 50, 30, 970},
		"all of it":           {1000, 1, 50, []int{50}, nil, 50, 50, 950},
		"more by a hundred":   {1000, 1, 10, []int{11}, nil, 110, 11, 989},
		"more by far":         {1000, 1, 10, []int{500}, nil, 500, 500, 500},
		"several times":       {1000, 1, 10, []int{11, 100, 100}, nil, 310, 211, 789},
		"given back":          {1000, 1, 10, []int{10, -5, 5}, nil, 10, 10, 990},
		"fewer than wanted":   {30, 1, 50, []int{30}, nil, 30, 30, 0},
		"too many":            {30, 1, 50, []int{30, 1}, account.ErrPayment, 30, 30, 0},
		"nothing spent":       {1000, 1, 50, nil, nil, 50, 0, 1000},
		"cost below spending": {1000, 1, 50, []int{40}, nil, 50, 7, 993},
	} {
		t.Run(name, func(t *testing.T) {
			all := &meter.Meters{Credits: &account.Ledger{Plan: map[string]int{"us": tt.plan}}}
			m, err := all.Open(t.Context(), "us", threat.Policy{}, tt.least, tt.want)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, n := range tt.spend {
				if err = m.Spend(t.Context(), n); err == nil {
					total += n
				}
			}
			if !errors.Is(err, tt.err) || m.Total() != total || m.Reserved() != tt.held {
				t.Errorf("%v, spent %d of %d, want %v, %d of %d", err, m.Total(), m.Reserved(), tt.err, total, tt.held)
			}
			for range 2 { // a second call has no effect
				if err := m.Settle(t.Context(), tt.cost); err != nil {
					t.Fatal(err)
				}
			}
			if n := balance(t, all.Credits); n != tt.left {
				t.Errorf("%d credits are left, want %d", n, tt.left)
			}
		})
	}
}

// TestOpenRefused checks that work does not begin without its minimal credits
// or with an invalid policy.
func TestOpenRefused(t *testing.T) {
	all := &meter.Meters{Credits: &account.Ledger{Plan: map[string]int{"us": 5}}}
	if _, err := all.Open(t.Context(), "us", threat.Policy{}, 6, 10); !errors.Is(err, account.ErrPayment) {
		t.Errorf("6 of 5 credits: %v", err)
	}
}

// TestReopen checks that work that continues spends from the reservation of its
// operation, and that it can be settled although its context is cancelled.
func TestReopen(t *testing.T) {
	all := &meter.Meters{Credits: &account.Ledger{Plan: map[string]int{"us": 100}}}
	first, err := all.Open(t.Context(), "us", threat.Policy{}, 1, 40)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Spend(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	again, err := all.Reopen(t.Context(), "us", first.Op(), 40, 15, threat.Policy{})
	if err != nil || again.Op() != first.Op() || again.Total() != 15 || again.Reserved() != 40 {
		t.Fatalf("%v: %+v", err, again)
	}
	if err := again.Spend(t.Context(), 25); err != nil || again.Reserved() != 40 {
		t.Errorf("the rest of the reservation: %v, %d reserved", err, again.Reserved())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := again.Settle(ctx, 40); err != nil || balance(t, all.Credits) != 60 {
		t.Errorf("settled: %v, %d credits are left", err, balance(t, all.Credits))
	}
}

// verdict is a classifier that gives every URL the same score.
type verdict int

func (v verdict) Classify(_ context.Context, t []threat.Target) ([]threat.Verdict, error) {
	all := make([]threat.Verdict, len(t))
	for i := range all {
		all[i] = threat.Verdict{Score: int(v), Known: true, Provider: "test"}
	}
	return all, nil
}

// TestGate checks that a scan is paid from the meter and counted if the context
// requires it, and that there is a gate only for a policy.
func TestGate(t *testing.T) {
	all := &meter.Meters{Credits: new(account.Ledger), Classifier: verdict(10)}
	off, err := all.Open(t.Context(), "us", threat.Policy{}, 0, 0)
	if err != nil || off.Gate != nil || all.ScanCost(threat.Policy{}) != 0 {
		t.Errorf("no policy: gate %v, %d credits: %v", off.Gate, all.ScanCost(threat.Policy{}), err)
	}
	policy := threat.Policy{Mode: threat.Normal}
	if (&meter.Meters{}).ScanCost(policy) != 0 || all.ScanCost(policy) != threat.ScanCredits {
		t.Errorf("a scan costs %d", all.ScanCost(policy))
	}
	m, err := all.Open(t.Context(), "us", policy, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.Follow(nil, true)
	if !m.Gate.NoStore {
		t.Error("the classifier may store what nothing may be kept of")
	}
	ctx, n := meter.Tallied(t.Context())
	if err := meter.Admit(ctx, m.Gate, "http://a.test/"); err != nil || n.Load() != threat.ScanCredits || m.Total() != threat.ScanCredits {
		t.Errorf("%v: %d credits were told, %d spent", err, n.Load(), m.Total())
	}
	if err := meter.Admit(t.Context(), nil, "no URL at all"); err != nil {
		t.Errorf("no gate: %v", err)
	}
	if err := meter.Admit(t.Context(), m.Gate, "://"); err == nil {
		t.Error("no URL passed the gate")
	}
}

// TestScans checks that each scan is charged to one page, also after redirects.
func TestScans(t *testing.T) {
	var s meter.Scans
	s.Add("http://a.test/#top", 2)
	s.Add("http://a.test/free", 0)
	s.Moved("http://a.test/", "http://a.test/b#x")
	s.Add("http://a.test/b", 2) // counts for the URL where the redirects began
	s.Moved("http://a.test/b", "http://a.test/c")
	s.Moved("http://a.test/unknown", "http://a.test/d")
	s.Moved("http://a.test/c", "http://a.test/c#self")
	if n := s.Take("http://a.test/free", "http://a.test/d"); n != 0 {
		t.Errorf("%d credits for pages without a scan", n)
	}
	if n := s.Take("http://a.test/", "http://a.test/c"); n != 4 {
		t.Errorf("%d credits, want those of the page and its redirect", n)
	}
	if n := s.Take("http://a.test/", "http://a.test/b", "http://a.test/c"); n != 0 {
		t.Errorf("%d credits were billed twice", n)
	}
	s.Add("http://a.test/e", 2)
	if n := s.Left(); n != 2 || s.Left() != 0 {
		t.Errorf("%d credits are left, want 2 once", n)
	}
}

// TestScansSum checks that no credit is lost or charged twice.
func TestScansSum(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var s meter.Scans
		url := func() string { return fmt.Sprintf("http://a.test/%d#%d", r.IntN(20), r.IntN(2)) }
		added, billed := 0, 0
		for range 500 {
			switch r.IntN(3) {
			case 0:
				n := r.IntN(3)
				s.Add(url(), n)
				added += n
			case 1:
				s.Moved(url(), url())
			case 2:
				billed += s.Take(url(), url())
			}
		}
		if billed += s.Left(); billed != added {
			t.Errorf("seed %d: %d credits were billed, %d added", seed, billed, added)
		}
	}
}

// sink stores audit events, or fails.
type sink struct {
	events []audit.Event
	err    error
}

func (s *sink) Write(ctx context.Context, events []audit.Event) error {
	if s.err != nil || ctx.Err() != nil {
		return errors.Join(s.err, ctx.Err())
	}
	s.events = append(s.events, events...)
	return nil
}

// TestActivity checks that there is one event for each URL, with the decision
// of the gate.
func TestActivity(t *testing.T) {
	var kept sink
	all := &meter.Meters{
		Sink:   &kept,
		Logger: slog.New(slog.DiscardHandler),
		Explain: func(_ context.Context, err error) (audit.Result, *audit.Fault) {
			return audit.Blocked, &audit.Fault{Code: "code", Message: err.Error()}
		},
	}
	log := all.Activity(audit.Event{TeamID: "us", RequestID: "first"})
	log.OfJob("job")
	if base := log.Base(); base.TeamID != "us" || base.RequestID != "job" {
		t.Errorf("base %+v", base)
	}
	target, err := threat.ParseTarget("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	log.Observe(target, threat.Decision{Allowed: true, Verdict: threat.Verdict{Provider: "test"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the event is written nevertheless
	began := time.Now()
	log.Tell(ctx, "1", "http://a.test/", 200, began, nil)
	log.Tell(ctx, "2", "http://a.test/", 0, began, &netguard.Error{Address: "10.0.0.1", Reason: "private"})
	log.Tell(ctx, "3", "", 0, began, &threat.BlockedError{URL: "http://b.test/"})
	if len(kept.events) != 3 {
		t.Fatalf("%d events, want 3", len(kept.events))
	}
	fetched, refused, upload := kept.events[0], kept.events[1], kept.events[2]
	if fetched.Error != nil || fetched.HTTPStatus != 200 || fetched.Domain != "a.test" || fetched.HTTPMethod != "GET" || fetched.ScrapeID != "1" ||
		fetched.RequestID != "job" || fetched.Threat == nil || !fetched.Threat.Allowed || fetched.Threat.Provider != "test" {
		t.Errorf("a fetched URL: %+v", fetched)
	}
	if refused.Result != audit.Blocked || refused.Error == nil || refused.Error.Code != "code" || refused.Network == nil ||
		refused.Network.Address != "10.0.0.1" || refused.Threat != nil { // its decision was in an earlier event
		t.Errorf("a refused URL: %+v", refused)
	}
	if upload.HTTPMethod != "" || upload.Threat == nil || upload.Threat.Allowed {
		t.Errorf("an upload: %+v", upload)
	}
}

// TestActivityNone checks that nothing is logged without a sink, and that the
// operator is told if a sink fails.
func TestActivityNone(t *testing.T) {
	var none *meter.Activity
	none.OfJob("j")
	none.Observe(threat.Target{}, threat.Decision{})
	none.Tell(t.Context(), "", "http://a.test/", 0, time.Now(), nil)
	if none.Base() != nil || (&meter.Meters{}).Activity(audit.Event{}) != nil {
		t.Error("an activity without a sink")
	}
	var told bytes.Buffer
	all := &meter.Meters{Sink: &sink{err: errors.New("disk is full")}, Logger: slog.New(slog.NewTextHandler(&told, nil))}
	all.Activity(audit.Event{RequestID: "r1"}).Tell(t.Context(), "", "http://a.test/", 0, time.Now(), nil)
	if s := told.String(); !strings.Contains(s, "audit event lost") || !strings.Contains(s, "r1") || !strings.Contains(s, "disk is full") {
		t.Errorf("the operator was told %q", s)
	}
}
