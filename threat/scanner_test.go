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

var one = []threat.Target{{URL: "http://a.example/"}}

func good(int) ([]threat.Verdict, error) { return []threat.Verdict{{Known: true, Score: 1}}, nil }

func TestScannerRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeClassifier{answer: func(n int) ([]threat.Verdict, error) {
			if n == 1 {
				return down(n)
			}
			return good(n)
		}}
		s := threat.Scanner{Classifier: c}
		start := time.Now()
		v, err := s.Classify(t.Context(), one)
		if err != nil || len(v) != 1 || c.calls.Load() != 2 {
			t.Errorf("%v %v after %d calls", v, err, c.calls.Load())
		}
		if took := time.Since(start); took < 50*time.Millisecond || took > 150*time.Millisecond {
			t.Errorf("paused %v", took)
		}
	})
}

func TestScannerSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeClassifier{delay: time.Hour}
		s := threat.Scanner{Classifier: c}
		start := time.Now()
		_, err := s.Classify(t.Context(), one)
		if !errors.Is(err, context.DeadlineExceeded) || c.calls.Load() != 2 {
			t.Errorf("%v after %d calls", err, c.calls.Load())
		}
		if took := time.Since(start); took < 4050*time.Millisecond || took > 4150*time.Millisecond {
			t.Errorf("took %v", took)
		}

		why := errors.New("page is late")
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer stop()
		if _, err := s.Classify(ctx, one); !errors.Is(err, why) || c.calls.Load() != 3 {
			t.Errorf("%v after %d calls, want ctx's cause after one", err, c.calls.Load()-2)
		}
		// End the context in the pause between the calls.
		c.delay, c.answer = 0, down
		ctx, stop = context.WithTimeoutCause(t.Context(), 20*time.Millisecond, why)
		defer stop()
		if _, err := s.Classify(ctx, one); !errors.Is(err, why) || c.calls.Load() != 4 {
			t.Errorf("%v after %d calls, want ctx's cause after one", err, c.calls.Load()-3)
		}
	})
}

func TestScannerAnswers(t *testing.T) {
	for name, answer := range map[string]func(int) ([]threat.Verdict, error){
		"none":     func(int) ([]threat.Verdict, error) { return nil, nil },
		"two":      func(int) ([]threat.Verdict, error) { return make([]threat.Verdict, 2), nil },
		"over 100": func(int) ([]threat.Verdict, error) { return []threat.Verdict{{Known: true, Score: 101}}, nil },
		"below 0":  func(int) ([]threat.Verdict, error) { return []threat.Verdict{{Known: true, Score: -1}}, nil },
		"panic":    func(int) ([]threat.Verdict, error) { panic("secret") },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := threat.Scanner{Classifier: &fakeClassifier{answer: answer}}
			if v, err := s.Classify(t.Context(), one); !errors.Is(err, threat.ErrAnswer) || v != nil {
				t.Errorf("%s: %v %v, want ErrAnswer", name, v, err)
			}
		})
	}
	var s threat.Scanner
	if _, err := s.Classify(t.Context(), one); err == nil {
		t.Error("a scanner without a classifier answers")
	}
}

// TestScannerBreaker checks that the breaker opens after five consecutive
// failures of all gates together, and that one call decides after ten seconds.
func TestScannerBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeClassifier{answer: down}
		s := &threat.Scanner{Classifier: c}
		r := rules(t, threat.Policy{Mode: threat.Normal, Failure: threat.Open})
		check := func(url string) string {
			g := threat.Gate{Rules: r, Classifier: s} // each job has a gate of its own
			d, _ := g.Check(t.Context(), target(t, url))
			return fmt.Sprint(d.Rule, " ", c.calls.Swap(0))
		}
		step := func(when, want string) {
			t.Helper()
			if got := check("http://a.example/"); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		step("first", "provider-failure 2")
		step("second", "provider-failure 2")
		step("third: the fifth failure opens", "provider-failure 1")
		step("open", "provider-failure 0")
		time.Sleep(10*time.Second - time.Nanosecond)
		step("still open", "provider-failure 0")
		time.Sleep(time.Nanosecond)
		step("the probe fails", "provider-failure 1")
		step("open again", "provider-failure 0")
		time.Sleep(10 * time.Second)
		c.answer = good
		step("the probe succeeds", "default-allow 1")
		step("closed", "default-allow 1")
		c.answer = down
		step("counted from the start", "provider-failure 2")
		c.answer = good
		step("a success between", "default-allow 1")
		c.answer = down
		step("failures 1 and 2", "provider-failure 2")
		step("failures 3 and 4", "provider-failure 2")
		step("failure 5", "provider-failure 1")

		if _, err := s.Classify(t.Context(), one); !errors.Is(err, threat.ErrPaused) {
			t.Errorf("error %v, want ErrPaused", err)
		}
	})
}

// TestScannerProbe checks that no other call is made during the probe, and that
// a cancelled probe decides nothing.
func TestScannerProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeClassifier{answer: down}
		s := &threat.Scanner{Classifier: c}
		for range 3 {
			_, _ = s.Classify(t.Context(), one)
		}
		time.Sleep(10 * time.Second)
		c.answer, c.delay = nil, time.Second
		c.calls.Store(0)

		ctx, stop := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := s.Classify(ctx, one)
			left <- err
		}()
		synctest.Wait()
		if _, err := s.Classify(t.Context(), one); !errors.Is(err, threat.ErrPaused) {
			t.Errorf("beside the probe: %v, want ErrPaused", err)
		}
		stop()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("probe: %v", err)
		}
		if _, err := s.Classify(t.Context(), one); err != nil || c.calls.Load() != 2 {
			t.Errorf("second probe: %v, %d calls", err, c.calls.Load())
		}
	})
}

// TestScannerLate checks that the late success of a call that started before
// the breaker opened does not close it.
func TestScannerLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &fakeClassifier{delay: time.Second}
		c := &switchClassifier{slow}
		s := &threat.Scanner{Classifier: c}
		late := make(chan error)
		go func() {
			_, err := s.Classify(t.Context(), one)
			late <- err
		}()
		synctest.Wait()
		c.now = &fakeClassifier{answer: down}
		for range 3 {
			_, _ = s.Classify(t.Context(), one)
		}
		if err := <-late; err != nil {
			t.Errorf("the late call: %v", err)
		}
		if _, err := s.Classify(t.Context(), one); !errors.Is(err, threat.ErrPaused) {
			t.Errorf("after it: %v, want ErrPaused", err)
		}
	})
}

// switchClassifier delegates to a classifier that can be replaced.
type switchClassifier struct{ now threat.Classifier }

func (s *switchClassifier) Classify(ctx context.Context, t []threat.Target) ([]threat.Verdict, error) {
	return s.now.Classify(ctx, t)
}
