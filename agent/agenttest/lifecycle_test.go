// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
)

var errDisk = errors.New("disk is full")

// memory is a journal in memory that fails at one record.
type memory struct {
	mu     sync.Mutex
	events [][]byte
	fail   int // records before the failure; zero: none fails
}

func (m *memory) Append(_ context.Context, e journal.Event) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail > 0 && len(m.events) >= m.fail {
		return errDisk
	}
	m.events = append(m.events, raw)
	return nil
}

// first returns a journal of the first n records, as a crash leaves it.
func (m *memory) first(n int) *memory { return &memory{events: slices.Clone(m.events[:n])} }

func (m *memory) decoded() []journal.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []journal.Event
	for _, raw := range m.events {
		var e journal.Event
		if json.Unmarshal(raw, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}

func (m *memory) history() iter.Seq2[journal.Event, error] {
	events := m.decoded()
	return func(yield func(journal.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// brief is a task of few events, with a plan and without.
func brief(t *testing.T, name string) agenttest.Task {
	t.Helper()
	task := find(t, name)
	if task.Task.Strict {
		task.Task.URLs = task.Task.URLs[:4]
		task.Truth[0].Rows = task.Truth[0].Rows[:4]
	}
	return task
}

var every = flag.Bool("every", false, "try every moment of a run and every task, not a sample")

// stride is how far apart the moments are that are tried.
func stride() int64 {
	if *every {
		return 1
	}
	return 7
}

// lives are the tasks whose every moment is tried.
var lives = []string{"ten details", "table with pages"}

// TestKill cuts the journal behind each record, as a killed process leaves it,
// and goes on: the data are the same, what was recorded is not paid for again,
// and the credits are those of the journal.
func TestKill(t *testing.T) {
	for _, name := range lives {
		t.Run(name, func(t *testing.T) {
			whole := &memory{}
			want := play(t, web(), brief(t, name), func(s *scene) { s.task.Journal = whole })
			for n := 1; n <= len(whole.events); n += int(stride()) {
				j := whole.first(n)
				paid, open := map[string]bool{}, map[string]bool{}
				for _, e := range j.decoded() {
					switch e.Kind {
					case journal.EventReserved:
						open[e.Call] = true
					case journal.EventSpent:
						paid[e.Call] = true
						delete(open, e.Call)
					}
				}
				got := play(t, web(), brief(t, name), func(s *scene) { s.task.Journal, s.task.History = j, j.history() })
				if got.err != nil || !bytes.Equal(got.result.Data, want.result.Data) {
					t.Fatalf("after %d of %d records: %v, data %s, want %s", n, len(whole.events), got.err, got.result.Data, want.result.Data)
				}
				var sum agent.Credits
				twice := 0
				for i, e := range j.decoded() {
					if e.Kind == journal.EventSpent {
						sum += e.Amount
					}
					if i < n || e.Kind != journal.EventReserved {
						continue
					}
					if paid[e.Call] {
						t.Errorf("after %d records: %s is paid for again", n, e.Call)
					}
					if open[e.Call] {
						twice++
					}
				}
				if sum != got.result.Spend.Credits {
					t.Errorf("after %d records: the journal says %v, the result %v", n, sum, got.result.Spend.Credits)
				}
				if twice > 16 { // 8 pages and 8 calls at once
					t.Errorf("after %d records: %d calls are paid for twice", n, twice)
				}
			}
		})
	}
}

// at runs a task and does something at its n-th event.
func at(n int64, do func(cancel context.CancelCauseFunc, r *agent.Run)) func(ctx context.Context, s *scene) (*agent.Result, error) {
	return func(ctx context.Context, s *scene) (*agent.Result, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		var count atomic.Int64
		hit := make(chan struct{})
		s.engine.Trace = &agent.Trace{Event: func(string, journal.Event) {
			if count.Add(1) == n {
				close(hit)
			}
		}}
		r, err := s.engine.Start(ctx, s.task)
		if err != nil {
			return nil, err
		}
		over := make(chan struct{})
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-hit:
				do(cancel, r)
			case <-over:
			}
		})
		result, err := r.Wait(context.WithoutCancel(ctx))
		close(over)
		watch.Wait()
		return result, err
	}
}

var errGone = errors.New("the caller has gone")

// events counts the events of a task.
func events(t *testing.T, name string) int64 {
	t.Helper()
	m := &memory{}
	play(t, web(), brief(t, name), func(s *scene) { s.task.Journal = m })
	return int64(len(m.events))
}

// TestCancel ends the context at each event: no data, no request later than 50
// ms after; the bubble shows that no goroutine is left.
func TestCancel(t *testing.T) {
	most, runs := time.Duration(0), 0
	for _, name := range lives {
		for n, last := int64(1), events(t, name); n <= last; n += stride() {
			var mu sync.Mutex
			var cancelled, latest time.Time
			o := play(t, web(), brief(t, name), func(s *scene) {
				s.oracle.Latency = true
				s.run = at(n, func(cancel context.CancelCauseFunc, _ *agent.Run) {
					mu.Lock()
					cancelled = time.Now()
					mu.Unlock()
					cancel(errGone)
				})
				s.between = func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						mu.Lock()
						latest = time.Now()
						mu.Unlock()
						next.ServeHTTP(w, r)
					})
				}
			})
			if o.result == nil {
				t.Fatalf("event %d: no result, %v", n, o.err)
			}
			finished := o.err == nil && o.result.Stop != finding.ReasonCancelled
			if !finished && (!errors.Is(o.err, errGone) || o.result.Stop != finding.ReasonCancelled || o.result.Data != nil) {
				t.Errorf("%s, event %d: error %v, stop %s, data %s", name, n, o.err, o.result.Stop, o.result.Data)
			}
			late := latest.Sub(cancelled)
			if !cancelled.IsZero() {
				most, runs = max(most, late), runs+1
			}
			if !cancelled.IsZero() && late > 50*time.Millisecond {
				t.Errorf("%s, event %d: a request %v after the end", name, n, late)
			}
		}
	}
	t.Logf("%d runs were cancelled; the last request to the model came at most %v later", runs, most)
}

// TestStop stops the run at each event: it lands what it has.
func TestStop(t *testing.T) {
	for _, name := range lives {
		for n, last := int64(1), events(t, name); n <= last; n += stride() {
			o := play(t, web(), brief(t, name), func(s *scene) {
				s.oracle.Latency = true
				s.run = at(n, func(_ context.CancelCauseFunc, r *agent.Run) { r.Stop(); r.Stop() })
			})
			if o.err != nil || o.result.Stop != finding.ReasonStopped && o.result.Stop != finding.ReasonDone && o.result.Stop != finding.ReasonDry {
				t.Fatalf("%s, event %d: error %v, stop %s", name, n, o.err, o.result.Stop)
			}
			if o.result.Stop == finding.ReasonStopped && !o.result.Partial {
				t.Errorf("%s, event %d: stopped, and not partial", name, n)
			}
			if o.score.Items != o.score.Right {
				t.Errorf("%s, event %d: cells are wrong: %s", name, n, describe(o))
			}
		}
	}
}

// TestJournalFails lets each record be the first that cannot be kept: the run
// fails with that cause, and nothing is done that was not recorded before.
func TestJournalFails(t *testing.T) {
	for _, name := range lives {
		for n, last := int64(1), events(t, name); n < last; n += stride() {
			m := &memory{fail: int(n)}
			o := play(t, web(), brief(t, name), func(s *scene) { s.task.Journal = m })
			if !errors.Is(o.err, errDisk) || o.result.Data != nil {
				t.Fatalf("%s, record %d: error %v, data %s", name, n, o.err, o.result.Data)
			}
			reserved := 0
			for _, e := range m.decoded() {
				if e.Kind == journal.EventReserved && len(e.Call) > 6 && e.Call[:6] == "model:" {
					reserved++
				}
			}
			if o.stats.Total() > reserved {
				t.Errorf("%s, record %d: %d calls answered, %d reserved", name, n, o.stats.Total(), reserved)
			}
		}
	}
}

// TestManyRuns runs tasks side by side on one engine.
func TestManyRuns(t *testing.T) {
	tasks := web().Tasks()[:8]
	o := play(t, web(), tasks[0], func(s *scene) {
		s.run = func(ctx context.Context, s *scene) (*agent.Result, error) {
			var wg sync.WaitGroup
			faults := make([]error, len(tasks))
			for i, task := range tasks {
				wg.Go(func() {
					r, err := s.engine.Run(ctx, task.Task)
					if err == nil {
						if items, _ := task.Score(r.Data).F1(); items != 1 {
							err = fmt.Errorf("%s: items %v", task.Name, items)
						}
					}
					faults[i] = err
				})
			}
			wg.Wait()
			if err := errors.Join(faults...); err != nil {
				return nil, err
			}
			return s.engine.Run(ctx, s.task)
		}
	})
	if items, _ := o.score.F1(); items != 1 || o.err != nil {
		t.Error(describe(o))
	}
}
