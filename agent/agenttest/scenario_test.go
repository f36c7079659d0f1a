// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/openai"
)

var verbose = flag.Bool("cells", false, "show the cells that are wrong")

// web is shared: what it parses once need not be parsed again.
var web = sync.OnceValue(func() *agenttest.Web { return agenttest.NewWeb(1) })

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

// play runs a task over the wire, in a bubble of its own.
func play(t *testing.T, w *agenttest.Web, task agenttest.Task, set func(o *agenttest.Oracle, e *agent.Engine, task *agent.Task)) outcome {
	t.Helper()
	var out outcome
	synctest.Test(t, func(t *testing.T) {
		oracle := agenttest.NewOracle(w)
		server := agenttest.Serve(oracle)
		defer server.Close()
		e := &agent.Engine{Model: &openai.Model{URL: server.URL, Client: server.Client}, Fetch: w.Fetcher()}
		if task.Search {
			e.Search = w.Searcher()
		}
		if task.Map {
			e.Map = w.Mapper()
		}
		if set != nil {
			set(oracle, e, &task.Task)
		}
		w.Asked()
		began := time.Now()
		r, err := e.Run(t.Context(), task.Task)
		out = outcome{task: task, result: r, err: err, stats: oracle.Stats(), asked: w.Asked(), wall: time.Since(began)}
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
	text := fmt.Sprintf("items %.4f rows %.4f", items, rows)
	if o.result != nil {
		text += fmt.Sprintf(", stop %s, %d calls, %d pages, %v credits, wall %v", o.result.Stop, o.stats.Total(), o.result.Spend.Pages, o.result.Spend.Credits, o.wall)
		for _, i := range o.result.Issues[:min(len(o.result.Issues), 5)] {
			text += fmt.Sprintf("\n    issue %s %s %s %s", i.Kind, i.Detail, i.Source, i.URL)
		}
	}
	if o.err != nil {
		text += fmt.Sprintf(", error %v", o.err)
	}
	most := 3
	if *verbose {
		most = 30
	}
	for _, w := range o.score.Wrong[:min(len(o.score.Wrong), most)] {
		text += fmt.Sprintf("\n    %s %s: got %v, want %v", w.Key, w.Field, w.Got, w.Want)
	}
	return text
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

var _ = errors.Is
var _ = context.Canceled
