// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"sync"
	"testing/synctest"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/paging"
)

// What tests look at from outside.
var (
	Echoes   = echoes
	Template = template
)

// NextPage returns the page behind one of a listing.
func NextPage(here string, links []Link) string {
	return paging.Next(here, linksOf(&Page{Links: links}), lines.NewLinker(here))
}

// Turns lets runs, each with so many calls, wait for slots one run after the
// other, and returns the numbers of the runs in the order they are served. It is
// to be called in a bubble.
func Turns(ctx context.Context, slots int, calls []int) (served []int) {
	var p pool
	var mu sync.Mutex
	var wg sync.WaitGroup
	leave := make(chan struct{})
	for i, n := range calls {
		r := new(payer)
		for range n {
			wg.Go(func() {
				give, err := p.take(ctx, r, slots)
				if err != nil {
					return
				}
				mu.Lock()
				served = append(served, i)
				mu.Unlock()
				<-leave
				give()
			})
		}
		synctest.Wait()
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.take(gone, new(payer), slots); err == nil {
		panic("a call that left has a slot")
	}
	for range len(calls) * 100 {
		select {
		case leave <- struct{}{}:
		default:
		}
		synctest.Wait()
	}
	close(leave)
	wg.Wait()
	return served
}

// Compared returns the tickets of the pages that are read again after the checks of pages
// with these tickets were compared in this order. The last one disagrees about the field f,
// the first ones agree on its value, or on that there is none.
func Compared(t *outline.Table, f string, applied []int, agree, silent []int, last int) (again []int) {
	l := &learning{family: newFamily(), demoted: map[string]bool{}}
	for _, n := range applied {
		l.applied = append(l.applied, application{ticket: n})
	}
	row := finding.Row{f: {Value: "x"}}
	for _, n := range agree {
		l.compare(n, t, nil, row, []finding.Row{row})
	}
	for _, n := range silent {
		l.compare(n, t, nil, finding.Row{}, []finding.Row{{}})
	}
	pages, _ := l.compare(last, t, nil, finding.Row{}, []finding.Row{row})
	for _, a := range pages {
		again = append(again, a.ticket)
	}
	return again
}
