// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/agenttest/heldouttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// heldout measures one set of held-out sites with each kind of model and of weak planner.
func (b *bench) heldout(t *testing.T, set heldouttest.Set, first uint64, seeds int, class, kind string) {
	b.title(fmt.Sprintf("rows of the %s held-out set, %d seeds", set, seeds), "precision", "recall", "calls a task", "invented", "goal", "")
	classes := []string{}
	for _, task := range heldouttest.New(set, first).Tasks {
		if !slices.Contains(classes, task.Class) && (class == "" || class == task.Class) {
			classes = append(classes, task.Class)
		}
	}
	for _, c := range classes {
		for _, k := range append(slices.Clone(agenttest.Kinds), heldouttest.Planners...) {
			if kind == "" || kind == cmp.Or(string(k), "truthful") {
				b.heldoutKind(t, set, first, seeds, c, k)
			}
		}
	}
}

// heldoutKind measures one class of questions with one kind of model. A model that
// answers no plan has no goal: it cannot say what a question asks.
func (b *bench) heldoutKind(t *testing.T, set heldouttest.Set, first uint64, seeds int, class string, k agenttest.Mode) {
	var precision, recall sample
	calls, tasks, outside, overspent, silent, invented := 0, 0, 0, 0, 0, 0
	for i := range seeds {
		w := heldouttest.New(set, first+uint64(i))
		var sum counts
		for _, task := range w.Tasks {
			if task.Class != class {
				continue
			}
			got, called := b.heldoutTask(t, w, task, k)
			sum.rows += got.rows
			sum.right += got.right
			sum.wanted += got.wanted
			calls += got.calls
			outside += got.outside
			overspent += got.overspent
			invented += got.invented
			if called && k != agenttest.Lying {
				silent++
			}
			tasks++
		}
		precision, recall = append(precision, sum.precision()), append(recall, sum.recall())
	}
	p, _ := precision.mean()
	r, _ := recall.mean()
	wantP, wantR := goalsOf(k)
	switch {
	case k == heldouttest.Mute:
		wantP, wantR = 0, 0
	case slices.Contains(heldouttest.Planners, k):
		wantP, wantR = goalsOf(agenttest.Idle)
	}
	verdict := "met"
	if p < wantP || r < wantR || outside+overspent+silent > 0 {
		verdict = "MISSED"
		b.missed++
	}
	if outside+overspent+silent > 0 {
		verdict += fmt.Sprintf(", %d requests out of scope, %d overspent, %d called done that are not exact", outside, overspent, silent)
	}
	fmt.Fprintf(b.out, "%s, %s\t%v\t%v\t%.1f\t%d\t%.2f / %.2f\t%s\n", class, cmp.Or(string(k), "truthful"), precision, recall, float64(calls)/float64(max(tasks, 1)), invented, wantP, wantR, verdict)
}

// inventedOf counts the values of an answer that are not those of the thing that the row is
// about, and an answer about a thing that does not exist.
func inventedOf(score agenttest.Score) int {
	n := 0
	for _, w := range score.Wrong {
		if w.Got != nil && (w.Field != "" || score.RowsTrue == 0 && w.Key == "") {
			n++
		}
	}
	return n
}

// listOf returns the name of the first list of an answer, or an empty string.
func listOf(data json.RawMessage) string {
	var answer map[string]json.RawMessage
	if json.Unmarshal(data, &answer) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(answer)) {
		if strings.HasPrefix(string(answer[name]), "[") {
			return name
		}
	}
	return ""
}

// heldoutTask runs one task. It reports whether its answer is called done although it
// is not exact.
func (b *bench) heldoutTask(t *testing.T, w *heldouttest.Web, task heldouttest.Task, kind agenttest.Mode) (out counts, wrong bool) {
	synctest.Test(t, func(t *testing.T) {
		model := heldouttest.NewModel(w)
		model.Mode = kind
		server := agenttest.Serve(model)
		defer server.Close()
		engine := &agent.Engine{Model: &openai.Model{URL: server.URL, Client: server.Client}, Fetch: w.Fetcher(), Profiles: profiles}
		asked := task.Task.Task
		asked.Model = "mini"
		w.Asked()
		r, err := engine.Run(t.Context(), asked)
		if unplanned := kind == heldouttest.Mute && len(asked.Schema) == 0; err != nil && !unplanned { // without a schema or a plan there is no answer
			t.Errorf("%s, %s: %v", task.Name, kind, err)
		}
		out.wanted, out.outside = len(task.Truth[0].Rows), outOfScope(asked, w.Asked())
		for _, n := range model.Calls() {
			out.calls += n
		}
		if r == nil {
			return
		}
		if len(asked.Schema) == 0 { // the plan names the list
			task.Truth[0].Path = listOf(r.Data)
		}
		score := task.Score(r.Data)
		out.rows, out.right, out.invented = score.Rows, score.RowsRight, inventedOf(score)
		wrong = r.Stop == finding.ReasonDone && r.Valid && (task.Severed || score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue)
		if r.Spend.Credits > 2500*llm.Credit {
			out.overspent++
		}
		if !b.cells {
			return
		}
		fmt.Printf("%s, %s: %q: %d of %d rows right, %d wanted; stop %s, %v, %d pages\n", task.Class, cmp.Or(kind, "truthful"), task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, model.Calls(), r.Spend.Pages)
		for _, x := range score.Wrong[:min(len(score.Wrong), 4)] {
			fmt.Printf("    %s %s: got %v, want %v\n", x.Key, x.Field, x.Got, x.Want)
		}
		if score.RowsRight < score.RowsTrue || score.Rows > score.RowsRight {
			for _, issue := range r.Issues[:min(len(r.Issues), 6)] {
				fmt.Printf("    issue %s %s %s %s %s\n", issue.Kind, issue.Pointer, issue.Detail, issue.Source, issue.URL)
			}
		}
	})
	return out, wrong
}
