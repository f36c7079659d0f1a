// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// classes returns the tasks of the classes that the engine must answer without a
// mistake, whatever the planner does.
func classes(t *testing.T) (tasks []agenttest.Task) {
	t.Helper()
	for _, c := range web().Classes() {
		switch c.Name {
		case "conditions", "comparisons", "two hops", "two hops for each row", "follow-ups", "keys on details", "short slugs", "two clicks":
			tasks = append(tasks, c.Tasks...)
		}
	}
	if len(tasks) < 20 {
		t.Fatalf("%d tasks", len(tasks))
	}
	return tasks
}

// TestClasses answers conditions, comparisons and second hops exactly, with a
// truthful planner and with one that finishes at once.
func TestClasses(t *testing.T) {
	for _, mode := range []agenttest.Mode{agenttest.Truthful, agenttest.Idle} {
		for _, task := range classes(t) {
			t.Run(task.Name+" "+string(mode), func(t *testing.T) {
				o := play(t, web(), task, func(s *scene) { s.oracle.Mode = mode })
				if items, rows := o.score.F1(); items != 1 || rows != 1 || o.err != nil {
					t.Error(describe(o))
				}
			})
		}
	}
}

// TestUndecided leaves out rows of which no page says whether they meet a condition,
// and says how many there are.
func TestUndecided(t *testing.T) {
	task := find(t, "table with pages")
	task.Task.Prompt = "Find every kettle of the catalogue kettles with a stock of more than 2,500: code, name."
	c := web().Classes()[0].Tasks[2] // details in German, whose listing has no stock
	task.Task.URLs, task.Task.Strict, task.Task.Schema = c.Task.URLs, true, c.Task.Schema
	o := play(t, web(), task, nil)
	if o.err != nil {
		t.Fatal(o.err)
	}
	told := false
	for _, i := range o.result.Issues {
		told = told || i.Kind == finding.IssueUndecided
	}
	if o.score.Rows != 0 || !told {
		t.Errorf("%s: %v", describe(o), o.result.Issues)
	}
}

// TestFewCredits finds rows with credits that just suffice, in each case by another
// saving: what a further question asks for is not looked for twice on other pages, the
// last page is read without a decision and with a short reply, and of the pages that a
// follow-up takes over only one is read for fields that lists lack, and without a planner its
// other rows are read after the details.
func TestFewCredits(t *testing.T) {
	wanted := []struct {
		name, model string
		credits     agent.Credits
		kind        agenttest.Mode
	}{
		{"the chief of a maker", "pro", 5, agenttest.Truthful},
		{"the city of a maker, by a search", "pro", 8, agenttest.Truthful},
		{"the chief of each maker, of rows with a condition", "pro", 5, agenttest.Truthful},
		{"details behind sections", "pro", 12, agenttest.Truthful},
		{"those with a value that was not asked for", "mini", 5, agenttest.Truthful},
		{"those with a value that was not asked for", "mini", 5, agenttest.Idle},
	}
	found := 0
	for _, task := range classes(t) {
		for _, w := range wanted {
			if task.Name != w.name {
				continue
			}
			found++
			o := play(t, web(), task, func(s *scene) {
				s.engine.Profiles, s.task.Model, s.oracle.Mode = profiles, w.model, w.kind
				if s.task.ID == task.Task.ID { // not the run that it continues
					s.task.Limits.Credits = w.credits * llm.Credit
				}
			})
			if o.score.RowsRight == 0 || o.score.RowsRight < o.score.Rows || o.result.Spend.Credits > w.credits*llm.Credit {
				t.Errorf("%s, %s, %d credits: %s", w.name, w.model, w.credits, describe(o))
			}
		}
	}
	if found != len(wanted) {
		t.Errorf("%d tasks", found)
	}
}

// TestHopsFewCredits finds rows with the value of a further question if the credits do
// not suffice for all details.
func TestHopsFewCredits(t *testing.T) {
	for _, task := range classes(t) {
		if task.Name != "the city of each maker, of details" {
			continue
		}
		for _, credits := range []agent.Credits{8, 12, 20} {
			o := play(t, web(), task, func(s *scene) { s.task.Limits.Credits = credits * llm.Credit })
			if o.score.RowsRight == 0 || o.score.RowsRight < o.score.Rows || o.result.Stop != finding.ReasonCredits || o.result.Spend.Credits > credits*llm.Credit {
				t.Errorf("%d credits: %s", credits, describe(o))
			}
		}
		return
	}
	t.Error("there is no such task")
}
