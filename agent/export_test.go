// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing/synctest"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// What tests look at from outside.
var (
	Canonical  = value.Canonical
	Shape      = value.Shape
	PromptURLs = promptURLs
	Echoes     = echoes
)

// NextPage returns the page behind one of a listing.
func NextPage(here string, links []Link) string { return nextPage(here, links, lines.NewLinker(here)) }

// Allows reports whether a scope of urls lets a URL pass.
func Allows(urls []string, strict bool, url string) bool {
	var own []string
	for _, u := range urls {
		own = append(own, value.Canonical(u))
	}
	return newScope(own, strict).allows(value.Canonical(url))
}

// Sighting is a row of a page.
type Sighting struct {
	Page int
	Host string
	Row  finding.Row
}

// Merge merges rows of the first list of a schema, with keys, shuffled by seed.
func Merge(schema string, keys []string, rows []Sighting, seed uint64) (out []finding.Row, kinds []finding.IssueKind) {
	o, err := outline.New(json.RawMessage(schema))
	if err != nil {
		panic(err)
	}
	t := o.Tables[len(o.Tables)-1]
	if keys != nil {
		t.Keys = keys
	}
	hosts := map[string]string{}
	var all []sighting
	at := map[int]int{}
	for _, s := range rows {
		hosts[sourceID(s.Page)] = s.Host
		own := finding.Row{}
		for k, c := range s.Row {
			c.Source = sourceID(s.Page)
			if c.Grade == "" {
				c.Grade = finding.GradeExact
			}
			own[k] = c
		}
		all = append(all, sighting{page: s.Page, at: at[s.Page], row: own})
		at[s.Page]++
	}
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	m := merger{t: t, hosts: hosts}
	for _, row := range m.merge(all) {
		out = append(out, row.row)
		for _, i := range row.issues {
			kinds = append(kinds, i.Kind)
		}
	}
	return out, kinds
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
		r := new(Run)
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
	if _, err := p.take(gone, new(Run), slots); err == nil {
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
