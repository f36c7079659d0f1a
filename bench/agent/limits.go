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
	unspent            int // runs that leave more than 2 credits and the price of one more page
	left               agent.Credits
	emptyAt, doneAt    []string
	unspentAt, silentA []string
}

// step is the price of one more page: the page, and the cheapest call that read one.
func step(read agent.Credits) agent.Credits { return llm.Credit + read }

// sweep answers all tasks of all classes with few credits.
func (b *bench) sweep(t *testing.T, seed uint64) {
	w := agenttest.NewWeb(seed)
	b.title("few credits", "kind of model", "runs", "over", "no row", "done, not exact", "dry, not exact (without an issue)", "more unspent (most)", "")
	for _, credits := range []agent.Credits{5, 8, 12, 20, 50} {
		for _, kind := range agenttest.Kinds {
			var s swept
			for _, c := range w.Classes() {
				for _, task := range c.Tasks {
					for _, model := range []string{"mini", "pro"} {
						b.sweepTask(t, w, task, kind, model, credits, &s)
					}
				}
			}
			met := s.over == 0 && s.done == 0 && s.silent == 0 && s.unspent == 0
			verdict := "met"
			if !met {
				verdict = "MISSED"
				b.missed++
			}
			fmt.Fprintf(b.out, "%d credits\t%s\t%d\t%d\t%d\t%d\t%d (%d)\t%d (%v)\t%s\n", credits, cmp.Or(string(kind), "truthful"), s.runs, s.over, s.empty, s.done, s.dry, s.silent, s.unspent, s.left, verdict)
			if b.cells {
				fmt.Printf("%d credits, %s: no row %v; done %v; silent %v; unspent %v\n", credits, kind, s.emptyAt, s.doneAt, s.silentA, s.unspentAt)
			}
		}
	}
}

// sweepTask adds one run to s.
func (b *bench) sweepTask(t *testing.T, w *agenttest.Web, task agenttest.Task, kind agenttest.Mode, model string, credits agent.Credits, s *swept) {
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
		s.emptyAt = append(s.emptyAt, name)
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
