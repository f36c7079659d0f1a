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
	"example.com/curlew/agent/llm"
)

var memory = flag.Int("memory", 0, "print what so many runs at once hold of 50 pages each")

// ownWeb brings pages whose texts nobody shares.
type ownWeb struct {
	*fakeWeb
	leave chan struct{} // the last page is brought when it is closed
}

func (w ownWeb) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	if strings.HasSuffix(r.URL, "/51") {
		<-w.leave
	}
	p, err := w.fakeWeb.Fetch(ctx, r)
	if err == nil {
		p.Full = strings.Clone(p.Full)
	}
	return p, err
}

// modelFunc is a model that keeps no call, as adapters do.
type modelFunc func(ctx context.Context, c llm.Call) (llm.Reply, error)

func (f modelFunc) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) { return f(ctx, c) }

// TestMemory prints the heap of runs that have read 50 pages of 16 kB each, and
// wait for one more.
func TestMemory(t *testing.T) {
	if *memory == 0 {
		return
	}
	web, truth := shop(51)
	for u, p := range web.pages {
		p.html = ""
		p.markdown += strings.Repeat("Some words about the widget, its makers and its many uses in a home.\n\n", 230)
		web.pages[u] = p
	}
	var there sync.WaitGroup
	leave := make(chan struct{})
	answer := director(truth)
	model := modelFunc(func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		defer there.Done()
		return answer(ctx, c)
	})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	e := &agent.Engine{Model: model, Fetch: ownWeb{web, leave}}
	there.Add(50 * *memory)
	var runs []*agent.Run
	for range *memory {
		r, err := e.Start(t.Context(), shopTask(51, agent.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	there.Wait()
	for i := 0; i < len(runs); {
		if s := runs[i].Snapshot(); s.Rows >= 50 {
			i++
			continue
		}
		runtime.Gosched()
	}
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
