// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// swept is what the runs of one kind of model under a limit gave.
type swept struct {
	runs, over         int
	done, dry          int // runs that end with this reason although the answer is not exact
	silent             int // runs of dry whose answer has no issue
	empty              int
	payable            int // runs without a row although the cheapest way to one could be paid for by a run that knows it
	unspent            int // runs that leave more than 2 credits and the price of one more page
	left               agent.Credits
	emptyAt, doneAt    []string
	unspentAt, silentA []string
	payableAt          []string
}

// step is the price of one more page: the page, and the cheapest call that read one.
func step(read agent.Credits) agent.Credits { return llm.Credit + read }

// sweep answers all tasks of all classes with few credits.
func (b *bench) sweep(t *testing.T, seed uint64, only string) {
	w := agenttest.NewWeb(seed)
	least := map[string]agent.Credits{} // by task and profile
	b.title("few credits", "kind of model", "runs", "over", "no row (cheapest way is payable)", "done, not exact", "dry, not exact (without an issue)", "more unspent (most)", "")
	for _, credits := range []agent.Credits{5, 8, 12, 20, 50} {
		for _, kind := range agenttest.Kinds {
			if only != "" && only != cmp.Or(string(kind), "truthful") {
				continue
			}
			s := b.sweepKind(t, w, kind, credits, least)
			met := s.over == 0 && s.done == 0 && s.silent == 0 && s.unspent == 0
			verdict := "met"
			if !met {
				verdict = "MISSED"
				b.missed++
			}
			fmt.Fprintf(b.out, "%d credits\t%s\t%d\t%d\t%d (%d)\t%d\t%d (%d)\t%d (%v)\t%s\n", credits, cmp.Or(string(kind), "truthful"), s.runs, s.over, s.empty, s.payable, s.done, s.dry, s.silent, s.unspent, s.left, verdict)
			if b.cells {
				fmt.Printf("payable %v\n", s.payableAt)
				fmt.Printf("%d credits, %s: no row %v; done %v; silent %v; unspent %v\n", credits, kind, s.emptyAt, s.doneAt, s.silentA, s.unspentAt)
			}
		}
	}
}

// sweepKind answers all tasks with one kind of model. least has, by task and profile, the
// fewest credits with which a run can pay for its first row; sweepKind adds what is missing.
func (b *bench) sweepKind(t *testing.T, w *agenttest.Web, kind agenttest.Mode, credits agent.Credits, least map[string]agent.Credits) (s swept) {
	for _, c := range w.Classes() {
		for _, task := range c.Tasks {
			for _, model := range []string{"mini", "pro"} {
				key := task.Name + " " + model
				if _, ok := least[key]; !ok {
					least[key] = leastFor(t, w, task, model)
				}
				b.sweepTask(t, w, task, kind, model, credits, least[key], &s)
			}
		}
	}
	return s
}

// leastFor returns a lower bound of what the first row of a task costs a run that reads
// the things of a list in their order: the plan, a search if there are no URLs, and for the
// cheapest row of the complete answer the pages on the shortest way to those that state it,
// with one reading of each of the latter. The pages of earlier things that are not in the
// answer are read too, because only they tell that they are not.
func leastFor(t *testing.T, w *agenttest.Web, task agenttest.Task, model string) agent.Credits {
	var mu sync.Mutex
	plan, read := agent.Credits(0), agent.Credits(-1)
	o := play(t, w, task, model, func(sc *scene) {
		sc.engine.Trace = &agent.Trace{Called: func(_ string, c agent.CallTrace) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case c.Err != nil:
			case c.Role == llm.RolePlan:
				plan += c.Spent
			case c.Role == llm.RoleExtract && (read < 0 || c.Spent < read):
				read = c.Spent
			}
		}}
	})
	s := newSite(o, slices.Concat(task.Task.URLs, o.hits))
	rows := rowSources(o.result)
	if whole := rows[""]; whole != nil && o.hops { // what the further question is about stands on other pages
		maps.Copy(whole, o.gave)
	}
	answering := map[string]bool{}
	for _, sources := range rows {
		for id := range sources {
			answering[id] = true
		}
	}
	least := agent.Credits(-1)
	for _, sources := range rows {
		wanted := maps.Clone(sources)
		for id := range sources {
			for _, before := range s.before(id) {
				wanted[before] = wanted[before] || !answering[before]
			}
		}
		cost := plan
		fetched := map[string]bool{}
		for id, counts := range wanted {
			if !counts {
				continue
			}
			cost += max(read, 0)
			for at := id; at != "" && !fetched[at]; at = s.from[at] {
				if fetched[at] = true; !s.held[at] {
					cost += llm.Credit
				}
			}
		}
		if len(task.Task.URLs) == 0 && task.First == nil {
			cost += 2 * llm.Credit
		}
		if least < 0 || cost < least {
			least = cost
		}
	}
	return least
}

// site is what a run has learned of the links between pages.
type site struct {
	pages map[string]*journal.PageRecord // by ID
	from  map[string]string              // the page before each page on the shortest way to it; "" for those where ways begin
	held  map[string]bool                // pages of the run that was continued
}

// newSite returns the pages of a run. Ways begin at some URLs, and at the pages of the
// continued run.
func newSite(o outcome, urls []string) *site {
	s := &site{pages: o.pages, from: map[string]string{}, held: map[string]bool{}}
	given, asked := set(urls), set(o.asked)
	var next []string
	for _, id := range slices.Sorted(maps.Keys(o.pages)) {
		url := bare(o.pages[id].URL)
		s.held[id] = !asked[url]
		if given[url] || s.held[id] {
			s.from[id], next = "", append(next, id)
		}
	}
	byURL := map[string]string{}
	for id, p := range o.pages {
		byURL[bare(p.URL)] = id
	}
	for ; len(next) > 0; next = next[1:] {
		for _, l := range o.pages[next[0]].Links {
			id, ok := byURL[bare(l.URL)]
			if _, known := s.from[id]; ok && !known {
				s.from[id], next = next[0], append(next, id)
			}
		}
	}
	return s
}

// before returns the pages with addresses like that of a page that the run has read
// before it.
func (s *site) before(id string) (all []string) {
	for other, p := range s.pages {
		if number(other) < number(id) && path.Dir(p.URL) == path.Dir(s.pages[id].URL) {
			all = append(all, other)
		}
	}
	return all
}

// number returns the number of a page, by its ID.
func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "S"))
	return n
}

// bare returns a URL without a slash at its end.
func bare(url string) string { return strings.TrimSuffix(url, "/") }

// set returns the set of some URLs.
func set(urls []string) map[string]bool {
	all := map[string]bool{}
	for _, u := range urls {
		all[bare(u)] = true
	}
	return all
}

// rowSources returns the sources of each row of a result, by the pointer of the row.
func rowSources(r *agent.Result) map[string]map[string]bool {
	rows := map[string]map[string]bool{}
	for at, e := range r.Fields {
		row := at[:strings.LastIndexByte(at, '/')]
		if e.Source == "" {
			continue
		}
		if rows[row] == nil {
			rows[row] = map[string]bool{}
		}
		rows[row][e.Source] = true
	}
	return rows
}

// told says what an event of a run tells about its cost.
func told(e journal.Event) []string {
	switch {
	case e.Kind == journal.EventSpent:
		return []string{fmt.Sprintf("%v for %s", e.Amount, e.Call)}
	case e.Decided != nil:
		return []string{fmt.Sprintf("decided %+v", e.Decided.Actions)}
	case e.Page != nil:
		return []string{fmt.Sprintf("page %s %s %s", e.Page.ID, e.Page.URL, e.Page.Trouble)}
	case e.Extracted != nil:
		return []string{fmt.Sprintf("%d rows of %s from %s by %s", e.Extracted.Count, e.Extracted.Table, e.Extracted.Source, e.Extracted.Method)}
	case e.Planned != nil:
		return []string{fmt.Sprintf("planned %+v", e.Planned)}
	}
	return nil
}

// sweepTask adds one run to s.
func (b *bench) sweepTask(t *testing.T, w *agenttest.Web, task agenttest.Task, kind agenttest.Mode, model string, credits, least agent.Credits, s *swept) {
	var mu sync.Mutex
	read := agent.Credits(-1)
	var steps []string
	o := play(t, w, task, model, func(sc *scene) {
		sc.oracle.Mode = kind
		sc.task.Limits.Credits = credits * llm.Credit
		sc.engine.Trace = &agent.Trace{Called: func(_ string, c agent.CallTrace) {
			mu.Lock()
			defer mu.Unlock()
			if c.Role == llm.RoleExtract && c.Err == nil && (read < 0 || c.Spent < read) {
				read = c.Spent
			}
		}, Event: func(_ string, e journal.Event) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, told(e)...)
		}}
	})
	name := task.Name + " " + model
	s.runs++
	if o.result.Spend.Credits > credits*llm.Credit {
		s.over++
	}
	if o.score.Rows == 0 {
		s.empty++
		s.emptyAt = append(s.emptyAt, fmt.Sprintf("%s (%v)", name, least))
		if b.cells {
			fmt.Printf("%v credits, %s: %s\n    %s\n", int64(credits), cmp.Or(string(kind), "truthful"), name, strings.Join(append(steps, fmt.Sprint("spent ", o.result.Spend.Credits)), "\n    "))
		}
		if least <= credits*llm.Credit {
			s.payable++
			s.payableAt = append(s.payableAt, name)
		}
	}
	exact := o.score.RowsRight == o.score.RowsTrue && o.score.Rows == o.score.RowsTrue
	if kind == agenttest.Lying { // more credits would not correct the model's wrong cells, so only the number of rows counts
		exact = o.score.Rows == o.score.RowsTrue
	}
	switch {
	case exact || o.err != nil || !o.result.Valid:
	case o.result.Stop == finding.ReasonDone:
		s.done++
		s.doneAt = append(s.doneAt, name)
	case o.result.Stop == finding.ReasonDry:
		s.dry++
		if len(o.result.Issues) == 0 {
			s.silent++
			s.silentA = append(s.silentA, name)
		}
	}
	left := credits*llm.Credit - o.result.Spend.Credits
	if o.result.Stop == finding.ReasonCredits && left > 2*llm.Credit+step(max(read, 0)) {
		s.unspent++
		s.left = max(s.left, left)
		s.unspentAt = append(s.unspentAt, fmt.Sprintf("%s %v", name, left))
	}
}

// kills cuts the journal of a run at moments with calls in flight and continues it, at
// most 20 times, and compares the cost with that of a run that is not cut.
func (b *bench) kills(t *testing.T, seed uint64) {
	w := agenttest.NewWeb(seed)
	b.title("kills", "kills", "credits without", "credits", "more", "goal", "")
	for _, c := range w.Classes() {
		task := c.Tasks[0]
		for _, kind := range agenttest.Kinds {
			run := func(before []journal.Event) (outcome, []journal.Event) {
				d := agenttest.NewJournal(before)
				o := play(t, w, task, "mini", func(s *scene) {
					s.oracle.Mode, s.task.Journal = kind, d
					s.task.ID = "kills"
					if len(before) > 0 {
						s.task.History = agenttest.NewJournal(before).History()
					}
				})
				return o, d.Events()
			}
			whole, events := run(nil)
			last := whole
			n := 0
			for at, open := 0, 0; n < 20 && at < len(events); at++ {
				if e := events[at]; strings.HasPrefix(e.Call, "model:") {
					switch e.Kind {
					case journal.EventReserved:
						open++
					case journal.EventSpent:
						open = max(open-1, 0)
					}
				}
				if open == 0 {
					continue
				}
				last, events = run(events[:at+1])
				n, open, at = n+1, 0, at+2
			}
			without, with := whole.result.Spend.Credits, last.result.Spend.Credits
			more := 100 * (float64(with)/float64(without) - 1)
			b.row(c.Name+", "+cmp.Or(string(kind), "truthful")+"\t"+fmt.Sprint(n), without.String(), fmt.Sprintf("%v\t%+.1f %%", with, more), "5 %", more <= 5)
		}
	}
}
