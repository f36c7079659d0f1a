// SPDX-License-Identifier: Apache-2.0

package threat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/threat"
)

// expiring gives every URL the score 90 and counts its calls. Its verdicts are
// valid for life; if that is zero, they have no expiry time.
type expiring struct {
	life  time.Duration
	fail  bool
	asked []string
}

func (e *expiring) Classify(_ context.Context, t []threat.Target) ([]threat.Verdict, error) {
	list := make([]threat.Verdict, len(t))
	for i, tg := range t {
		e.asked = append(e.asked, tg.Host)
		list[i] = threat.Verdict{Score: 90, Known: true, Categories: []string{"MALWARE"}, Provider: tg.Host}
		if e.life > 0 {
			list[i].Expires = time.Now().Add(e.life)
		}
	}
	if e.fail {
		return nil, errDown
	}
	return list, nil
}

// ask classifies hosts and fails t on an error.
func ask(t *testing.T, c threat.Classifier, noStore bool, hosts ...string) {
	t.Helper()
	targets := make([]threat.Target, len(hosts))
	for i, h := range hosts {
		targets[i] = target(t, "https://"+h+"/x")
		targets[i].NoStore = noStore
	}
	verdicts, err := c.Classify(t.Context(), targets)
	if err != nil || len(verdicts) != len(hosts) {
		t.Fatalf("Classify(%q) = %v, %v", hosts, verdicts, err)
	}
	for i, v := range verdicts {
		if v.Provider != hosts[i] || v.Score != 90 || len(v.Categories) != 1 || v.Categories[0] != "MALWARE" {
			t.Errorf("verdict %d of %q is %+v", i, hosts, v)
		}
		v.Categories[0] = "changed" // the verdict belongs to the caller
	}
}

func (e *expiring) want(t *testing.T, hosts ...string) {
	t.Helper()
	if got, want := fmt.Sprint(e.asked), fmt.Sprint(hosts); got != want {
		t.Errorf("asked about %v, want %v", got, want)
	}
	e.asked = nil
}

func TestVerdictCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &expiring{life: time.Minute}
		s := &threat.Scanner{Classifier: e, Cache: new(threat.VerdictCache)}
		ask(t, s, false, "a.test", "b.test", "a.test")
		e.want(t, "a.test", "b.test", "a.test")
		ask(t, s, false, "c.test", "a.test", "d.test", "b.test")
		e.want(t, "c.test", "d.test")
		ask(t, s, false, "a.test")
		e.want(t)

		time.Sleep(59 * time.Second)
		ask(t, s, false, "a.test", "b.test")
		e.want(t)
		time.Sleep(time.Second)
		ask(t, s, false, "a.test")
		e.want(t, "a.test")
	})
}

func TestVerdictCacheKeepsNot(t *testing.T) {
	t.Run("no expiry", func(t *testing.T) {
		e := new(expiring)
		s := &threat.Scanner{Classifier: e, Cache: new(threat.VerdictCache)}
		ask(t, s, false, "a.test")
		ask(t, s, false, "a.test")
		e.want(t, "a.test", "a.test")
	})
	t.Run("NoStore", func(t *testing.T) {
		e := &expiring{life: time.Hour}
		s := &threat.Scanner{Classifier: e, Cache: new(threat.VerdictCache)}
		ask(t, s, true, "a.test")
		ask(t, s, false, "a.test") // nothing was stored before
		ask(t, s, true, "a.test")  // nothing is read
		e.want(t, "a.test", "a.test", "a.test")
	})
	t.Run("no cache", func(t *testing.T) {
		e := &expiring{life: time.Hour}
		s := &threat.Scanner{Classifier: e}
		ask(t, s, false, "a.test")
		ask(t, s, false, "a.test")
		e.want(t, "a.test", "a.test")
	})
}

// TestVerdictCacheOutage checks that cached verdicts are used while the
// classifier fails and the breaker is open.
func TestVerdictCacheOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &expiring{life: time.Hour}
		s := &threat.Scanner{Classifier: e, Cache: new(threat.VerdictCache)}
		ask(t, s, false, "a.test")
		e.fail = true
		for range 5 {
			if _, err := s.Classify(t.Context(), []threat.Target{target(t, "http://b.test/"), target(t, "https://a.test/x")}); err == nil {
				t.Fatal("a failing classifier answers")
			}
		}
		if _, err := s.Classify(t.Context(), []threat.Target{target(t, "http://b.test/")}); !errors.Is(err, threat.ErrPaused) {
			t.Errorf("error %v, want ErrPaused", err)
		}
		ask(t, s, false, "a.test")
	})
}

func TestVerdictCacheBounded(t *testing.T) {
	e := &expiring{life: time.Hour}
	s := &threat.Scanner{Classifier: e, Cache: &threat.VerdictCache{Size: 100}}
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("n%d.test", i)
		ask(t, s, false, names[i])
	}
	e.asked = nil
	ask(t, s, false, names[999]) // the last verdict is stored
	e.want(t)
	kept := 0
	for _, n := range names {
		e.asked = nil
		ask(t, s, true, n) // neither reads nor writes
		tg := target(t, "https://"+n+"/x")
		if verdicts, _ := (&threat.Scanner{Classifier: &expiring{fail: true}, Cache: s.Cache}).Classify(cancelled(t), []threat.Target{tg}); verdicts != nil {
			kept++
		}
	}
	if kept < 80 || kept > 100 {
		t.Errorf("%d verdicts are kept, want at most 100 and most of those", kept)
	}
}

// cancelled returns a ctx that has ended, so that only cached verdicts are
// returned.
func cancelled(t *testing.T) context.Context {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	return ctx
}

// TestGateNoStore checks that the gate of a job with zero data retention sets
// NoStore on each target.
func TestGateNoStore(t *testing.T) {
	for _, noStore := range []bool{false, true} {
		var got []bool
		c := classifierFunc(func(list []threat.Target) []threat.Verdict {
			for _, tg := range list {
				got = append(got, tg.NoStore)
			}
			return make([]threat.Verdict, len(list))
		})
		g := &threat.Gate{Rules: rules(t, threat.Policy{Mode: threat.Normal}), Classifier: c, NoStore: noStore}
		if _, err := g.Check(t.Context(), target(t, "https://a.test/")); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0] != noStore {
			t.Errorf("a gate with NoStore %v told its classifier %v", noStore, got)
		}
	}
}

type classifierFunc func([]threat.Target) []threat.Verdict

func (f classifierFunc) Classify(_ context.Context, t []threat.Target) ([]threat.Verdict, error) {
	return f(t), nil
}
