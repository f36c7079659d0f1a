// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
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
	payable            int // runs without a row although the cheapest path to one could be paid for by a run that knows it
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
	b.title("few credits", "kind of model", "runs", "over", "no row (cheapest path is payable)", "done, not exact", "dry, not exact (without an issue)", "more unspent (most)", "")
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

// leastFor returns a lower bound of what the first row of a task costs: the plan, and for
// the cheapest row of the complete answer the pages on the shortest way to the pages that
// state it, and one reading of each of these. If nothing leads there, a search is needed.
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
	least := agent.Credits(-1)
	for _, sources := range rowSources(o.result) {
		cost := plan
		far := 0
		for id := range sources {
			cost += max(read, 0)
			far = max(far, distance(o, task.Task.URLs, id))
		}
		pages := max(far, len(sources))
		if task.First != nil {
			pages = 0
		}
		cost += agent.Credits(pages) * llm.Credit
		if len(task.Task.URLs) == 0 && task.First == nil {
			cost += 2 * llm.Credit
		}
		if least < 0 || cost < least {
			least = cost
		}
	}
	return least
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

// distance returns how many pages must at least be fetched to reach a page from the given
// ones by links, itself included.
func distance(o outcome, urls []string, id string) int {
	to := o.pages[id]
	if to == nil {
		return 1
	}
	far := map[string]int{}
	for _, u := range urls {
		far[strings.TrimSuffix(u, "/")] = 1
	}
	for range len(o.pages) { // each pass reaches at least one more page
		for _, p := range o.pages {
			n, ok := far[strings.TrimSuffix(p.URL, "/")]
			if !ok {
				continue
			}
			for _, l := range p.Links {
				key := strings.TrimSuffix(l.URL, "/")
				if old, ok := far[key]; !ok || old > n+1 {
					far[key] = n + 1
				}
			}
		}
	}
	if n, ok := far[strings.TrimSuffix(to.URL, "/")]; ok {
		return n
	}
	return 1
}

// sweepTask adds one run to s.
func (b *bench) sweepTask(t *testing.T, w *agenttest.Web, task agenttest.Task, kind agenttest.Mode, model string, credits, least agent.Credits, s *swept) {
	var mu sync.Mutex
	read := agent.Credits(-1)
	o := play(t, w, task, model, func(sc *scene) {
		sc.oracle.Mode = kind
		sc.task.Limits.Credits = credits * llm.Credit
		sc.engine.Trace = &agent.Trace{Called: func(_ string, c agent.CallTrace) {
			mu.Lock()
			defer mu.Unlock()
			if c.Role == llm.RoleExtract && c.Err == nil && (read < 0 || c.Spent < read) {
				read = c.Spent
			}
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
