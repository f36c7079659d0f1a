// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/threat"
)

// fakeClassifier gives every URL the same verdict, and counts its calls.
type fakeClassifier struct {
	score   int
	unknown bool
	delay   time.Duration
	answer  func(call int) ([]threat.Verdict, error) // if not nil, returns the answer instead
	calls   atomic.Int64
}

func (f *fakeClassifier) Classify(ctx context.Context, t []threat.Target) ([]threat.Verdict, error) {
	n := int(f.calls.Add(1))
	if f.delay > 0 {
		timer := time.NewTimer(f.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if f.answer != nil {
		return f.answer(n)
	}
	list := make([]threat.Verdict, len(t))
	for i := range list {
		list[i] = threat.Verdict{Score: f.score, Known: !f.unknown, Categories: []string{"MALWARE"}, Provider: "fake"}
	}
	return list, nil
}

var errDown = errors.New("provider is down")

func down(int) ([]threat.Verdict, error) { return nil, errDown }

// TestPolicyPrecedence is section 1.6, one test for each line.
func TestPolicyPrecedence(t *testing.T) {
	all := threat.Policy{
		Mode:        threat.Normal,
		Whitelist:   []string{"both.zip", "w.example"},
		Blacklist:   []string{"both.zip", "b.example", "b.zip"},
		BlockedTLDs: []string{"zip"},
	}
	open := all
	open.Failure = threat.Open
	zero, hundred := all, all
	zero.Threshold, hundred.Threshold = new(0), new(100)
	score := func(n int) *fakeClassifier { return &fakeClassifier{score: n} }
	for _, tt := range []struct {
		name    string
		p       threat.Policy
		host    string
		c       threat.Classifier
		want    string // decision, rule, scanned, credits
		balance int    // sum of the calls of Spend
	}{
		{"whitelist over all", all, "both.zip", score(100), "true whitelist false 0", 0},
		{"blacklist", all, "b.example", score(0), "false blacklist false 0", 0},
		{"blacklist before TLD", all, "b.zip", score(0), "false blacklist false 0", 0},
		{"TLD", all, "c.zip", score(0), "false blocked-tld false 0", 0},
		{"default threshold", all, "c.example", score(75), "false risk-score true 2", 2},
		{"below it", all, "c.example", score(74), "true default-allow true 2", 2},
		{"unknown", all, "c.example", &fakeClassifier{unknown: true, score: 100}, "true default-allow true 2", 2},
		{"threshold 0, score 0", zero, "c.example", score(0), "false risk-score true 2", 2},
		{"threshold 0, unknown", zero, "c.example", &fakeClassifier{unknown: true}, "true default-allow true 2", 2},
		{"threshold 100", hundred, "c.example", score(99), "true default-allow true 2", 2},
		{"failed, closed", all, "c.example", &fakeClassifier{answer: down}, "false provider-failure false 0", 0},
		{"failed, open", open, "c.example", &fakeClassifier{answer: down}, "true provider-failure false 0", 0},
		{"none, closed", all, "c.example", nil, "false provider-failure false 0", 0},
		{"none, open", open, "c.example", nil, "true provider-failure false 0", 0},
		{"off", threat.Policy{Blacklist: all.Blacklist}, "b.example", score(100), "true default-allow false 0", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				balance := 0
				g := threat.Gate{Rules: rules(t, tt.p), Classifier: tt.c, Spend: func(n int) error { balance += n; return nil }}
				d, err := g.Check(t.Context(), target(t, "https://"+tt.host+"/"))
				if got := fmt.Sprint(d.Allowed, " ", d.Rule, " ", d.Scanned, " ", d.Credits); got != tt.want {
					t.Errorf("%s, want %s", got, tt.want)
				}
				blocked, ok := errors.AsType[*threat.BlockedError](err)
				if ok == d.Allowed || err != nil && !errors.Is(err, threat.ErrBlocked) {
					t.Errorf("error %v", err)
				}
				if ok && (!strings.Contains(err.Error(), "https://"+tt.host+"/") || !strings.Contains(err.Error(), "rule: "+d.Rule.String())) {
					t.Errorf("error %q lacks the URL or the rule", err)
				}
				if ok && blocked.Decision.Rule != d.Rule {
					t.Errorf("the error says %v, the decision %v", blocked.Decision.Rule, d.Rule)
				}
				if balance != tt.balance {
					t.Errorf("%d credits, want %d", balance, tt.balance)
				}
			})
		})
	}
}

// TestGateOnce checks that each canonical URL is scanned and charged once.
func TestGateOnce(t *testing.T) {
	for _, score := range []int{10, 90} {
		synctest.Test(t, func(t *testing.T) {
			c := &fakeClassifier{score: score, delay: time.Second}
			var credits, seen, charged atomic.Int64
			g := threat.Gate{
				Rules: rules(t, threat.Policy{Mode: threat.Normal}), Classifier: c,
				Spend:   func(n int) error { credits.Add(int64(n)); return nil },
				Observe: func(_ threat.Target, d threat.Decision) { seen.Add(1); charged.Add(int64(d.Credits)) },
			}
			urls := []string{"http://a.example/x", "http://a.example:80/x#f", "http://A.example./y/../x", "http://a.example/%78"}
			var wg sync.WaitGroup
			for range 5 {
				for _, u := range urls {
					wg.Go(func() {
						d, err := g.Check(t.Context(), target(t, u))
						if d.Verdict.Score != score || !d.Scanned || (err == nil) != (score < 75) {
							t.Errorf("%s: %+v %v", u, d, err)
						}
					})
				}
			}
			wg.Wait()
			d, _ := g.Check(t.Context(), target(t, urls[0])) // already stored
			if d.Credits != 0 || d.Verdict.Score != score || d.Allowed != (score < 75) {
				t.Errorf("asked again: %+v", d)
			}
			if score > 75 && d.Verdict.Provider != "fake" {
				t.Errorf("a kept block has lost its verdict: %+v", d)
			}
			_, _ = g.Check(t.Context(), target(t, "http://a.example/z"))
			if c.calls.Load() != 2 || credits.Load() != 4 || charged.Load() != 4 || seen.Load() != 22 {
				t.Errorf("%d scans, %d credits, %d charged, %d observed; want 2, 4, 4, 22", c.calls.Load(), credits.Load(), charged.Load(), seen.Load())
			}
		})
	}
}

// TestGateFailure checks that the credits of a failed scan are returned, and
// that the URL is scanned again.
func TestGateFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spent []int
		c := &fakeClassifier{answer: func(n int) ([]threat.Verdict, error) {
			if n <= 2 {
				return nil, errDown
			}
			return []threat.Verdict{{Known: true}}, nil
		}}
		g := threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal}), Classifier: c, Spend: func(n int) error { spent = append(spent, n); return nil }}
		tg := target(t, "http://a.example/")
		if d, err := g.Check(t.Context(), tg); err == nil || d.Rule != threat.ByFailure {
			t.Errorf("%+v %v", d, err)
		}
		if d, err := g.Check(t.Context(), tg); err != nil || d.Credits != 2 {
			t.Errorf("%+v %v", d, err)
		}
		if diff := cmp.Diff([]int{2, -2, 2}, spent); diff != "" {
			t.Errorf("spent (-want +got):\n%s", diff)
		}
	})
}

// TestGateWithout checks URLs at the same time without a classifier. With -race it finds
// unguarded writes.
func TestGateWithout(t *testing.T) {
	g := threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal})}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 500 {
				tg := target(t, fmt.Sprintf("http://%d-%d.example/", i, k))
				if d, err := g.Check(t.Context(), tg); err == nil || d.Rule != threat.ByFailure {
					t.Errorf("%+v %v", d, err)
				}
			}
		})
	}
	all.Wait()
}

// TestGateSpend checks that without credits nothing is scanned, and that Check
// returns the error of Spend.
func TestGateSpend(t *testing.T) {
	errBroke := errors.New("no credits")
	c := &fakeClassifier{}
	g := threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal, Failure: threat.Open}), Classifier: c, Spend: func(int) error { return errBroke }}
	for range 2 {
		d, err := g.Check(t.Context(), target(t, "http://a.example/"))
		if !errors.Is(err, errBroke) || errors.Is(err, threat.ErrBlocked) || d.Allowed {
			t.Errorf("%+v %v", d, err)
		}
	}
	if n := c.calls.Load(); n != 0 {
		t.Errorf("%d scans", n)
	}
}

// TestGateLeaderLeaves checks that a caller that waits for the scan of another
// is not affected by the end of the other's ctx.
func TestGateLeaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeClassifier{delay: time.Second}
		balance := atomic.Int64{}
		g := threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal}), Classifier: c, Spend: func(n int) error { balance.Add(int64(n)); return nil }}
		tg := target(t, "http://a.example/")
		why := errors.New("page is late")
		ctx, stop := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := g.Check(ctx, tg); !errors.Is(err, why) {
				t.Errorf("leader: %v, want its ctx's cause", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if d, err := g.Check(t.Context(), tg); err != nil || !d.Scanned || d.Credits != 2 {
				t.Errorf("follower: %+v %v", d, err)
			}
		})
		early, leave := context.WithCancelCause(t.Context())
		wg.Go(func() {
			if _, err := g.Check(early, tg); !errors.Is(err, why) {
				t.Errorf("second follower: %v, want its ctx's cause", err)
			}
		})
		synctest.Wait()
		leave(why)
		synctest.Wait()
		stop(why)
		wg.Wait()
		if c.calls.Load() != 2 || balance.Load() != 2 {
			t.Errorf("%d calls, %d credits; want 2, 2", c.calls.Load(), balance.Load())
		}
		if _, err := g.Check(ctx, target(t, "http://b.example/")); !errors.Is(err, why) || balance.Load() != 2 {
			t.Errorf("with an ended ctx: %v, %d credits", err, balance.Load())
		}
	})
}

// TestGateSpendPanics checks that a panic of Spend leaves no caller waiting.
func TestGateSpendPanics(t *testing.T) {
	n := 0
	g := threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal}), Classifier: &fakeClassifier{}, Spend: func(int) error {
		if n++; n == 1 {
			panic("hook")
		}
		return nil
	}}
	tg := target(t, "http://a.example/")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _ = g.Check(t.Context(), tg)
	}()
	if d, err := g.Check(t.Context(), tg); err != nil || !d.Scanned {
		t.Errorf("%+v %v", d, err)
	}
}

func BenchmarkCheckKept(b *testing.B) {
	g := threat.Gate{Rules: rules(b, bigPolicy(0)), Classifier: &fakeClassifier{}}
	tg := target(b, "https://www.example.org/")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Check(b.Context(), tg); err != nil {
			b.Fatal(err)
		}
	}
}
