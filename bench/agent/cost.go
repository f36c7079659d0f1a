// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// replay answers calls with the replies that another model gave before.
type replay struct {
	model llm.Model // asked if there is no recorded reply

	mu    sync.Mutex
	known map[string]llm.Reply
}

func (m *replay) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	key := string(c.Role) + c.User
	m.mu.Lock()
	r, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return r, nil
	}
	r, err := m.model.Complete(ctx, c)
	if err == nil {
		m.mu.Lock()
		m.known[key] = r
		m.mu.Unlock()
	}
	return r, err
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cost measures the time of the engine itself, with known pages and replies.
func (b *bench) cost(t *testing.T) {
	b.title("the engine alone", "", "curlew", "goal", "")
	server := agenttest.Serve(agenttest.NewOracle(b.web))
	defer server.Close()
	for _, c := range []struct {
		name  string
		fetch agent.Fetcher
		goal  time.Duration
	}{
		{"CPU a page, no wrappers", rootless{b.web.Fetcher()}, 3 * time.Millisecond},
		{"CPU a page", b.web.Fetcher(), 2 * time.Millisecond},
	} {
		m := &replay{model: &openai.Model{URL: server.URL, Client: server.Client}, known: map[string]llm.Reply{}}
		e := agent.Engine{Model: m, Fetch: c.fetch, Profiles: profiles}
		task := b.web.Details(100).Task
		task.Model = "mini"
		best := time.Hour
		for round := range 6 {
			runtime.GC()
			before := cpu()
			r, err := e.Run(t.Context(), task)
			took := cpu() - before
			if err != nil {
				t.Fatal(err)
			}
			if round > 0 { // the first round asks the oracle
				best = min(best, took/time.Duration(r.Spend.Pages))
			}
		}
		b.row(c.name, "", best.Round(10*time.Microsecond).String(), c.goal.String(), best <= c.goal)
	}
	b.memory(t, server)
}

// memory measures runs that have read 50 pages each and wait for their model.
func (b *bench) memory(t *testing.T, server *agenttest.Server) {
	const runs = 40
	task := b.web.Details(100)
	task.Task.Limits.Pages = 50
	task.Task.Model = "mini"
	m := &replay{model: &openai.Model{URL: server.URL, Client: server.Client}, known: map[string]llm.Reply{}}
	teach := agent.Engine{Model: m, Fetch: b.web.Fetcher(), Profiles: profiles}
	if _, err := teach.Run(t.Context(), task.Task); err != nil {
		t.Fatal(err)
	}
	// The fetcher stops at the 50th page, when each run needs the most memory.
	held := make(chan struct{}, runs)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all []*agent.Run
	for range runs {
		engine := agent.Engine{Model: m, Profiles: profiles, Fetch: &stopping{Fetcher: b.web.Fetcher(), at: 50, held: held}, Fetches: 1}
		own := task.Task
		own.Limits.Pages = 60
		r, err := engine.Start(ctx, own)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	for range runs {
		<-held
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / runs / (1 << 20)
	cancel()
	for _, r := range all {
		_, _ = r.Wait(context.Background())
	}
	b.row("memory a run, 50 pages held", "", fmt.Sprintf("%.2f MiB", each), "2 MB", each*1.048576 <= 2)
}

// stopping is a fetcher that blocks at one page.
type stopping struct {
	agent.Fetcher
	at   int
	held chan<- struct{}

	mu sync.Mutex
	n  int
}

func (s *stopping) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	s.mu.Lock()
	s.n++
	stop := s.n == s.at+1
	s.mu.Unlock()
	if stop {
		s.held <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return s.Fetcher.Fetch(ctx, r)
}
