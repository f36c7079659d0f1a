// SPDX-License-Identifier: Apache-2.0

package pace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl/pace"
)

const host = "a.test"

// request is one request as the host sees it.
type request struct {
	party        int
	delay        time.Duration
	began, ended time.Time
}

// server is a host that records its requests.
type server struct {
	mu       sync.Mutex
	requests []request
	inflight int
	most     int
}

// serve handles one request.
func (s *server) serve(r request, takes time.Duration) request {
	s.mu.Lock()
	s.inflight++
	s.most = max(s.most, s.inflight)
	s.mu.Unlock()
	r.began = time.Now()
	time.Sleep(takes)
	r.ended = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inflight--
	s.requests = append(s.requests, r)
	return r
}

// job makes n requests through a line with a number of workers.
func job(t *testing.T, a *pace.Hosts, s *server, party, workers, n int, delay time.Duration, latency func() time.Duration) {
	line := pace.NewLine(a, false)
	defer line.Leave()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				if err := line.Take(t.Context(), host, pace.Claim{Delay: delay, Most: workers}); err != nil {
					t.Error(err)
					return
				}
				r := s.serve(request{party: party, delay: delay}, latency())
				line.End(host, pace.Report{Answer: pace.Good, URL: fmt.Sprint(party, i), Delay: delay, Began: r.began, Ended: r.ended})
			}
		})
	}
	wg.Wait()
}

// TestPolite checks with random parties that each makes all its requests, that
// none comes earlier after another than both allow, and that no more are in
// flight than the highest Most.
func TestPolite(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			var a pace.Hosts
			var s server
			most, total := 0, 0
			var wg sync.WaitGroup
			for party := range 1 + r.IntN(8) {
				workers, n := 1+r.IntN(6), 1+r.IntN(30)
				var delay time.Duration
				if r.IntN(2) == 0 {
					delay = time.Duration(1+r.IntN(2000)) * time.Millisecond
				}
				latency := time.Duration(1+r.IntN(200)) * time.Millisecond
				most, total = max(most, workers), total+n
				dice := rand.New(rand.NewPCG(seed, uint64(party)))
				var mu sync.Mutex
				wg.Go(func() {
					job(t, &a, &s, party, workers, n, delay, func() time.Duration {
						mu.Lock()
						defer mu.Unlock()
						return time.Duration(dice.Int64N(int64(latency))) + time.Microsecond
					})
				})
			}
			wg.Wait()
			if len(s.requests) != total || s.most > most {
				t.Errorf("seed %d: %d requests of %d, %d in flight of %d", seed, len(s.requests), total, s.most, most)
			}
			slices.SortFunc(s.requests, func(a, b request) int { return a.began.Compare(b.began) })
			for i, v := range s.requests {
				for _, w := range s.requests[:i] {
					if need := max(v.delay, w.delay); need > 0 && v.began.Sub(w.ended) < need {
						t.Fatalf("seed %d: a request of party %d came %v after one of party %d, want %v", seed, v.party, v.began.Sub(w.ended), w.party, need)
					}
				}
			}
		})
	}
}

// TestWorking has a party with a delay of one second that works for five seconds on each of
// two pages. Others, which ask for no delay, keep it meanwhile, and for ten seconds after the
// second page. Then they make requests as they come.
func TestWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		var s server
		var wg sync.WaitGroup
		began := time.Now()
		wg.Go(func() {
			line := pace.NewLine(&a, false)
			for i := range 2 {
				if err := line.Take(t.Context(), host, pace.Claim{Delay: time.Second, Most: 1}); err != nil {
					t.Error(err)
					return
				}
				r := s.serve(request{delay: time.Second}, 50*time.Millisecond)
				line.End(host, pace.Report{Answer: pace.Good, URL: fmt.Sprint(i), Delay: time.Second, Began: r.began, Ended: r.ended})
				time.Sleep(5 * time.Second)
			}
			line.Leave()
		})
		time.Sleep(time.Second / 2)
		for party := range 2 {
			wg.Go(func() { job(t, &a, &s, party, 1, 40, 0, func() time.Duration { return 50 * time.Millisecond }) })
		}
		wg.Wait()
		slices.SortFunc(s.requests, func(a, b request) int { return a.began.Compare(b.began) })
		last := time.Time{} // the end of the last request with a delay
		fast := 0
		for i, r := range s.requests[1:] {
			if before := s.requests[i]; before.delay > 0 {
				last = before.ended
			}
			gap := r.began.Sub(s.requests[i].ended)
			if s.requests[i].ended.Sub(last) > 10*time.Second {
				fast++
			} else if gap < time.Second {
				t.Errorf("a request after %v came %v after another one", r.began.Sub(began), gap)
			}
		}
		if fast < 40 || time.Since(began) > 30*time.Second {
			t.Errorf("%d requests came after the delay had ended, the last one after %v", fast, time.Since(began))
		}
	})
}

// TestInTurn checks that jobs that always want the same host get equal shares
// of it, whichever came first and however many workers they have. A single
// request goes before their queued requests.
func TestInTurn(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var a pace.Hosts
			var s server
			latency := func() time.Duration { return 100 * time.Millisecond }
			var wg sync.WaitGroup
			for party := range 4 {
				wg.Go(func() { job(t, &a, &s, party, []int{1, 4, 4, 8}[party], 60, delay, latency) })
			}
			time.Sleep(10*time.Second + time.Millisecond)
			asked := time.Now()
			wg.Go(func() { job(t, &a, &s, 9, 1, 1, 0, latency) })
			time.Sleep(2 * time.Second)
			wg.Wait()
			counts := map[int]int{}
			for _, r := range s.requests {
				if r.party == 9 {
					if wait := r.began.Sub(asked); wait > delay+latency() {
						t.Errorf("delay %v: a single request waited %v", delay, wait)
					}
					continue
				}
				counts[r.party]++
				if delay > 0 && len(s.requests) < 240 {
					for p := range 4 {
						if counts[r.party]-counts[p] > 1 {
							t.Fatalf("delay %v: after %v party %d is ahead: %v", delay, r.ended, r.party, counts)
						}
					}
				}
			}
			if delay > 0 {
				for i, r := range s.requests[:40] { // strictly alternating
					if r.party == 9 {
						break
					}
					if i >= 4 && r.party != s.requests[i-4].party {
						t.Errorf("request %d is of party %d, that four before of %d", i, r.party, s.requests[i-4].party)
					}
				}
			}
		})
	}
}

// TestAbsent checks that a party that was woken and does not come, or rests,
// does not delay others for long.
func TestAbsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		claim := pace.Claim{Delay: time.Second}
		first, second := a.Join(pace.Party{}), a.Join(pace.Party{Wake: func(string) {}})
		line := pace.NewLine(&a, false)
		defer line.Leave()
		if !first.Take(host, claim).Granted {
			t.Fatal("the first turn was refused")
		}
		if v := second.Take(host, claim); v.Granted || v.Cause == "" {
			t.Fatalf("two turns at a time: %+v", v)
		}
		first.End(host, pace.Report{Answer: pace.Good, Delay: time.Second, Began: time.Now(), Ended: time.Now()})
		ended := time.Now()
		if err := line.Take(t.Context(), host, claim); err != nil { // second was there before and is woken first
			t.Fatal(err)
		}
		if wait := time.Since(ended); wait < time.Second || wait > 1200*time.Millisecond {
			t.Errorf("it waited %v for a party that does not come", wait)
		}
		line.End(host, pace.Report{Answer: pace.Good, Delay: time.Second, Began: time.Now(), Ended: time.Now()})
		ended = time.Now()
		second.Take(host, claim)
		second.Rest(true)
		if err := line.Take(t.Context(), host, claim); err != nil {
			t.Fatal(err)
		}
		if wait := time.Since(ended); wait != time.Second {
			t.Errorf("it waited %v for a party that rests", wait)
		}
		first.Leave()
		second.Leave()
	})
}

// TestRested checks that a party is called for a turn that became free while it rested.
func TestRested(t *testing.T) {
	var a pace.Hosts
	called := 0
	first, second := a.Join(pace.Party{}), a.Join(pace.Party{Wake: func(string) { called++ }})
	claim := pace.Claim{Most: 1}
	if !first.Take(host, claim).Granted {
		t.Fatal("the first party has no turn")
	}
	if v := second.Take(host, claim); v.Granted || !v.At.IsZero() {
		t.Fatalf("verdict while the turn is taken: %+v", v)
	}
	second.Rest(true)
	now := time.Now()
	first.End(host, pace.Report{Answer: pace.Good, Began: now, Ended: now})
	if called != 0 {
		t.Errorf("it was called %d times while it rested", called)
	}
	second.Rest(false)
	if called != 1 {
		t.Errorf("it was called %d times when it rested no more, want 1", called)
	}
	if !second.Take(host, claim).Granted {
		t.Error("it has no turn although the host is free")
	}
	first.Leave()
	second.Leave()
}

// TestLeave checks that a party that leaves returns its turns and its position. Its last
// request may have been made, so others keep its pause.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		gone := a.Join(pace.Party{})
		gone.Take(host, pace.Claim{Delay: 10 * time.Second})
		line := pace.NewLine(&a, false)
		defer line.Leave()
		go func() {
			time.Sleep(time.Second)
			gone.Leave()
		}()
		began := time.Now()
		if err := line.Take(t.Context(), host, pace.Claim{}); err != nil || time.Since(began) != 11*time.Second {
			t.Errorf("after %v: %v, want 11s", time.Since(began), err)
		}
	})
}

// TestAfter checks that a pause that one party was told applies to all.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		p, q := a.Join(pace.Party{}), a.Join(pace.Party{})
		p.Take(host, pace.Claim{})
		now := time.Now()
		p.End(host, pace.Report{Answer: pace.Throttled, Wait: 7 * time.Second, Began: now, Ended: now})
		v := q.Take(host, pace.Claim{})
		if v.Granted || v.Cause != pace.RetryAfter || v.At.Sub(now) != 7*time.Second {
			t.Errorf("verdict: %+v", v)
		}
		if v := q.Take("b.test", pace.Claim{}); !v.Granted {
			t.Errorf("another host: %+v", v)
		}
		p.Take("c.test", pace.Claim{})
		p.End("c.test", pace.Report{Answer: pace.Throttled, Wait: 1000 * time.Hour, Began: now, Ended: now})
		if v := q.Take("c.test", pace.Claim{}); v.At.Sub(now) != 10*time.Minute {
			t.Errorf("a pause of 1000 hours: %+v", v)
		}
		line := pace.NewLine(&a, false)
		defer line.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := line.Take(ctx, host, pace.Claim{}); !errors.Is(err, pace.ErrPause) || time.Since(now) != 0 {
			t.Errorf("a request that must end before the pause: %v after %v", err, time.Since(now))
		}
	})
}

// TestGivenUp checks that a host that does not answer is parked three times and
// then given up for parties that try again. A single request may still try it,
// and a good answer opens it for all.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		p := a.Join(pace.Party{})
		n := 0
		ask := func(answer pace.Answer) {
			n++
			now := time.Now()
			p.End(host, pace.Report{Answer: answer, URL: fmt.Sprint(n), Began: now, Ended: now})
		}
		begun := time.Now()
		for {
			v := p.Take(host, pace.Claim{Most: 8})
			if v.Down {
				break
			}
			if !v.Granted {
				if v.At.IsZero() {
					t.Fatalf("refused without a time: %+v", v)
				}
				time.Sleep(time.Until(v.At))
				continue
			}
			ask(pace.Broken)
		}
		if took := time.Since(begun); took < 220*time.Second || took > 240*time.Second || n > 25 {
			t.Errorf("given up after %v and %d requests, want 10s and 30s, 60s, 120s", took, n)
		}
		if v := p.Take(host, pace.Claim{Bold: true}); !v.Granted {
			t.Fatalf("a single request: %+v", v)
		}
		ask(pace.Good)
		time.Sleep(time.Second)
		if v := p.Take(host, pace.Claim{Most: 8}); !v.Granted || v.Probe {
			t.Errorf("after a good answer: %+v", v)
		}
	})
}

// TestForget checks that exactly the hosts that only parties with Forget have
// used are dropped when these leave.
func TestForget(t *testing.T) {
	var a pace.Hosts
	meet := func(forget bool, hosts ...string) pace.Turns {
		p := a.Join(pace.Party{Forget: forget})
		for _, h := range hosts {
			p.Take(h, pace.Claim{})
			p.End(h, pace.Report{Answer: pace.Good, Began: time.Now(), Ended: time.Now()})
		}
		return p
	}
	secret, other, open := meet(true, "a", "b", "c"), meet(true, "b"), meet(false, "c", "d")
	for _, step := range []struct {
		leaves pace.Turns
		want   []string
	}{
		{secret, []string{"b", "c", "d"}},
		{other, []string{"c", "d"}},
		{open, []string{"c", "d"}},
	} {
		step.leaves.Leave()
		if got := a.Known(); !slices.Equal(got, step.want) {
			t.Errorf("known: %v, want %v", got, step.want)
		}
	}
}

// TestMany checks that idle hosts are dropped, and those with a pause are not.
func TestMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		p := a.Join(pace.Party{})
		for i := range 50_000 {
			name := fmt.Sprint("h", i)
			p.Take(name, pace.Claim{})
			r := pace.Report{Answer: pace.Good, Began: time.Now(), Ended: time.Now()}
			if i == 10 {
				r.Answer, r.Wait = pace.Throttled, time.Minute
			}
			p.End(name, r)
		}
		if n := len(a.Known()); n > 10_000 {
			t.Errorf("%d hosts are remembered", n)
		}
		if v := p.Take("h10", pace.Claim{}); v.Granted {
			t.Error("a host that asked for a pause was forgotten")
		}
	})
}

// TestStorm lets many parties ask, give up and leave at once.
func TestStorm(t *testing.T) {
	var a pace.Hosts
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			for range 30 {
				line := pace.NewLine(&a, i%3 == 0)
				for range 10 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(20))*time.Millisecond)
					name := fmt.Sprint(r.IntN(3))
					if line.Take(ctx, name, pace.Claim{Most: 1 + r.IntN(4)}) == nil && r.IntN(10) > 0 {
						line.End(name, pace.Report{Answer: pace.Answer(r.IntN(3)), Began: time.Now(), Ended: time.Now()})
					}
					cancel()
				}
				line.Leave()
			}
		})
	}
	wg.Wait()
	p := a.Join(pace.Party{})
	for i := range 3 {
		deadline := time.Now().Add(time.Minute)
		for !p.Take(fmt.Sprint(i), pace.Claim{}).Granted {
			if time.Now().After(deadline) {
				t.Fatalf("nobody gets host %d any more", i)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// TestRobots checks that one of many callers of a file loads it, that the next
// one loads it if that fails, and that it is loaded again after it has expired.
func TestRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		loads := 0
		ask := func(ok bool) *pace.Robots {
			r, err := a.Robots(t.Context(), "k", func() *pace.Robots {
				loads++
				time.Sleep(time.Second)
				if !ok {
					return nil
				}
				return &pace.Robots{Body: []byte("x"), Until: time.Now().Add(time.Hour)}
			})
			if err != nil {
				t.Error(err)
			}
			return r
		}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { ask(false) })
		}
		wg.Wait()
		if loads != 10 {
			t.Errorf("a file that cannot be loaded was tried %d times by 10", loads)
		}
		for range 10 {
			wg.Go(func() {
				if r := ask(true); r == nil || string(r.Body) != "x" {
					t.Errorf("got %+v", r)
				}
			})
		}
		wg.Wait()
		time.Sleep(2 * time.Hour)
		ask(true)
		if loads != 12 {
			t.Errorf("%d loads, want 10, one, and one after an hour", loads)
		}
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		go a.Robots(t.Context(), "other", func() *pace.Robots { <-hold; return nil })
		synctest.Wait()
		cancel()
		if _, err := a.Robots(ctx, "other", func() *pace.Robots { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that left: %v", err)
		}
		close(hold)
	})
}

// TestRobotsWeight checks that the stored files have a memory limit.
func TestRobotsWeight(t *testing.T) {
	var a pace.Hosts
	body := make([]byte, 512<<10)
	load := func(key string) (loaded bool) {
		_, _ = a.Robots(t.Context(), key, func() *pace.Robots {
			loaded = true
			return &pace.Robots{Body: body, Until: time.Now().Add(time.Hour)}
		})
		return loaded
	}
	for i := range 1000 {
		load(fmt.Sprint(i))
	}
	if files, weight := a.Files(); weight > 64<<20 || files > 200 || files < 100 {
		t.Errorf("%d files of %d bytes are kept", files, weight)
	}
	if load("999") || !load("0") {
		t.Error("what was used last should be known, and what was used first should not")
	}
}

// TestManyParties lets thousands of parties wait for one host. Each tries a few
// times, not once for each turn of another.
func TestManyParties(t *testing.T) {
	const parties = 3000
	var all pace.Hosts
	var woken []int // parties in the order of their calls
	turns := make([]pace.Turns, parties)
	for i := range turns {
		turns[i] = all.Join(pace.Party{Wake: func(string) { woken = append(woken, i) }})
	}
	var at []int // parties that have a turn
	asked, served := 0, make([]bool, parties)
	ask := func(i int) {
		asked++
		if turns[i].Take("a.test", pace.Claim{Most: 4}).Granted {
			at, served[i] = append(at, i), true
		}
	}
	for i := range turns {
		ask(i)
	}
	for len(at) > 0 {
		i := at[0]
		at = at[1:]
		turns[i].End("a.test", pace.Report{Answer: pace.Good, Began: time.Now(), Ended: time.Now()})
		turns[i].Leave()
		for len(woken) > 0 {
			i := woken[0]
			woken = woken[1:]
			if !served[i] {
				ask(i)
			}
		}
	}
	if i := slices.Index(served, false); i >= 0 {
		t.Errorf("party %d never had a turn", i)
	}
	if asked > 20*parties {
		t.Errorf("%d parties asked %d times", parties, asked)
	}
	t.Logf("%d parties asked %d times", parties, asked)
}
