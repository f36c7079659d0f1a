// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/agent"
)

var memory = flag.Int("memory", 0, "print what so many runs at once hold of 50 pages each")

// ownWeb brings pages whose texts nobody shares.
type ownWeb struct{ *fakeWeb }

func (w ownWeb) Fetch(ctx context.Context, r agent.Request) (*agent.Page, error) {
	p, err := w.fakeWeb.Fetch(ctx, r)
	if err == nil {
		p.Full = strings.Clone(p.Full)
	}
	return p, err
}

// TestMemory prints the heap of runs that hold 50 pages of 16 kB each, each of
// them before its model.
func TestMemory(t *testing.T) {
	if *memory == 0 {
		return
	}
	web, truth := shop(50)
	for u, p := range web.pages {
		p.html = ""
		p.markdown += strings.Repeat("Some words about the widget, its makers and its many uses in a home.\n\n", 230)
		web.pages[u] = p
	}
	var there sync.WaitGroup
	leave := make(chan struct{})
	answer := director(truth)
	model := &fakeModel{answer: func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		there.Done()
		<-leave
		return answer(ctx, c)
	}}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	e := &agent.Engine{Model: model, Fetch: ownWeb{web}, Fetches: 50, Calls: 50 * *memory}
	there.Add(50 * *memory)
	var runs []*agent.Run
	for range *memory {
		r, err := e.Start(t.Context(), shopTask(50, agent.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	there.Wait()
	held := heap() - before
	there.Add(1 << 20)
	close(leave)
	for _, r := range runs {
		if _, err := r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	fmt.Printf("%d runs with 50 pages each: %.2f MB a run\n", *memory, float64(held)/1e6/float64(*memory))
}
