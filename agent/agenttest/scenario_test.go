// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

var (
	verbose = flag.Bool("cells", false, "show the cells that are wrong")
	seed    = flag.Uint64("seed", 1, "seed of the simulated web")
)

// web is shared: what it parses once need not be parsed again.
var web = sync.OnceValue(func() *agenttest.Web { return agenttest.NewWeb(*seed) })

// outcome is one task, run.
type outcome struct {
	task   agenttest.Task
	result *agent.Result
	err    error
	score  agenttest.Score
	stats  agenttest.Stats
	asked  []string
	wall   time.Duration
}

// scene is what a task is run in.
type scene struct {
	web     *agenttest.Web
	oracle  *agenttest.Oracle
	engine  *agent.Engine
	model   *openai.Model
	task    agent.Task
	between func(next http.Handler) http.Handler // before the oracle; nil: nothing
	run     func(ctx context.Context, s *scene) (*agent.Result, error)
}

// play runs a task over the wire, in a bubble of its own.
func play(t *testing.T, w *agenttest.Web, task agenttest.Task, set func(s *scene)) outcome {
	t.Helper()
	var out outcome
	var earlier *agenttest.Journal
	if task.First != nil {
		earlier = new(agenttest.Journal)
		play(t, w, *task.First, func(s *scene) {
			if set != nil {
				set(s)
			}
			s.task.Journal = earlier
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := &scene{web: w, oracle: agenttest.NewOracle(w), model: &openai.Model{}, task: task.Task}
		s.engine = &agent.Engine{Model: s.model, Fetch: w.Fetcher()}
		if task.Search {
			s.engine.Search = w.Searcher()
		}
		if task.Map {
			s.engine.Map = w.Mapper()
		}
		if earlier != nil {
			s.task.Earlier = earlier.History()
		}
		if set != nil {
			set(s)
		}
		var h http.Handler = s.oracle
		if s.between != nil {
			h = s.between(h)
		}
		server := agenttest.Serve(h)
		defer server.Close()
		s.model.URL, s.model.Client = server.URL, server.Client
		w.Asked()
		began := time.Now()
		var r *agent.Result
		var err error
		if s.run != nil {
			r, err = s.run(t.Context(), s)
		} else {
			r, err = s.engine.Run(t.Context(), s.task)
		}
		out = outcome{task: task, result: r, err: err, stats: s.oracle.Stats(), asked: w.Asked(), wall: time.Since(began)}
		if r != nil {
			out.score = task.Score(r.Data)
		}
	})
	return out
}

// sum adds scores.
func sum(all []outcome) (s agenttest.Score) {
	for _, o := range all {
		s.Rows += o.score.Rows
		s.RowsRight += o.score.RowsRight
		s.RowsTrue += o.score.RowsTrue
		s.Items += o.score.Items
		s.Right += o.score.Right
		s.True += o.score.True
		s.Wrong = append(s.Wrong, o.score.Wrong...)
	}
	return s
}

func describe(o outcome) string {
	items, rows := o.score.F1()
	var text strings.Builder
	fmt.Fprintf(&text, "items %.4f rows %.4f", items, rows)
	if o.result != nil {
		fmt.Fprintf(&text, ", stop %s, %d calls, %d pages, %v credits, wall %v", o.result.Stop, o.stats.Total(), o.result.Spend.Pages, o.result.Spend.Credits, o.wall)
		for _, i := range o.result.Issues[:min(len(o.result.Issues), 5)] {
			fmt.Fprintf(&text, "\n    issue %s %s %s %s", i.Kind, i.Detail, i.Source, i.URL)
		}
	}
	if o.err != nil {
		fmt.Fprintf(&text, ", error %v", o.err)
	}
	most := 3
	if *verbose {
		most = 30
	}
	for _, w := range o.score.Wrong[:min(len(o.score.Wrong), most)] {
		fmt.Fprintf(&text, "\n    %s %s: got %v, want %v", w.Key, w.Field, w.Got, w.Want)
	}
	return text.String()
}

// TestScenarios runs the 50 tasks with a truthful oracle.
func TestScenarios(t *testing.T) {
	tasks := web().Tasks()
	if len(tasks) != 50 {
		t.Errorf("%d tasks, want 50", len(tasks))
	}
	for _, task := range tasks {
		t.Run(task.Name, func(t *testing.T) {
			o := play(t, web(), task, nil)
			if items, rows := o.score.F1(); items != 1 || rows != 1 || o.err != nil {
				t.Error(describe(o))
			} else {
				t.Log(describe(o))
			}
		})
	}
}

// profiles are the two that the wire offers; one oracle plays both models.
var profiles = map[string]llm.Profile{
	"mini": {Plan: "small", Rate: 0.4, Check: llm.CheckConflicts},
	"pro":  {Plan: "large", Extract: "small", Verify: "large", Check: llm.CheckDerived},
}

// sample returns each n-th task, or all of them.
func sample(n int) []agenttest.Task {
	var some []agenttest.Task
	for i, task := range web().Tasks() {
		if *every || i%n == 0 {
			some = append(some, task)
		}
	}
	return some
}

// TestSloppy runs the 50 tasks with an oracle that makes mistakes of form.
func TestSloppy(t *testing.T) {
	var all []outcome
	for _, task := range sample(2) {
		t.Run(task.Name, func(t *testing.T) {
			o := play(t, web(), task, func(s *scene) { s.oracle.Mode = agenttest.Sloppy })
			all = append(all, o)
			if items, rows := o.score.F1(); items != 1 || rows != 1 || o.err != nil {
				t.Error(describe(o))
			}
		})
	}
	items, rows := sum(all).F1()
	t.Logf("sloppy: items %.4f, rows %.4f", items, rows)
}

// TestLying runs the 50 tasks with an oracle that also misses, invents and
// slips by a row.
func TestLying(t *testing.T) {
	for name, least := range map[string]float64{"mini": 0.96, "pro": 0.98} {
		t.Run(name, func(t *testing.T) {
			var all []outcome
			for _, task := range sample(5) {
				o := play(t, web(), task, func(s *scene) {
					s.oracle.Mode, s.engine.Profiles, s.task.Model = agenttest.Lying, profiles, name
				})
				if o.err != nil {
					t.Errorf("%s: %v", task.Name, o.err)
				}
				if *verbose {
					t.Logf("%s: %s", task.Name, describe(o))
				}
				all = append(all, o)
			}
			s := sum(all)
			invented, wrong := 0, 0
			for _, w := range s.Wrong {
				if agenttest.Invented(w.Got) {
					invented++
				}
				if w.Got != nil && w.Want != nil {
					wrong++
				}
			}
			items, rows := s.F1()
			t.Logf("items %.4f, rows %.4f; of %d cells %d invented, %d wrong", items, rows, s.Items, invented, wrong)
			if items < least {
				t.Errorf("item F1 %.4f, want %.2f", items, least)
			}
			if 1000*invented > s.Items {
				t.Errorf("%d of %d cells are invented", invented, s.Items)
			}
		})
	}
}
