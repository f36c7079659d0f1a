// SPDX-License-Identifier: Apache-2.0

package heldouttest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/agenttest/heldouttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/openai"
)

// answer runs an agent with a model that behaves as mode says.
func answer(t *testing.T, w *heldouttest.Web, task heldouttest.Task, mode agenttest.Mode) *agent.Result {
	t.Helper()
	model := heldouttest.NewModel(w)
	model.Mode = mode
	server := agenttest.Serve(model)
	defer server.Close()
	e := &agent.Engine{Model: &openai.Model{URL: server.URL, Client: server.Client}, Fetch: w.Fetcher()}
	r, err := e.Run(t.Context(), task.Task.Task)
	if err != nil {
		t.Fatalf("%s, %q: %v", mode, task.Name, err)
	}
	return r
}

// TestFirst answers all questions of the first set with different planners, and with models
// that cite lines and that do not.
func TestFirst(t *testing.T) {
	w := heldouttest.New(heldouttest.First, 1)
	for mode, least := range map[agenttest.Mode]float64{agenttest.Truthful: 1, agenttest.Uncited: 0.95, heldouttest.Stubborn: 0.98} {
		right, wrong, wanted := 0, 0, 0
		for _, task := range w.Tasks {
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, mode)
				score := task.Score(r.Data)
				right, wrong, wanted = right+score.RowsRight, wrong+score.Items-score.Right, wanted+score.RowsTrue
				if score.RowsRight < score.RowsTrue {
					t.Logf("%s, %q: %d of %d rows, stop %s", mode, task.Name, score.RowsRight, score.RowsTrue, r.Stop)
				}
				if score.RowsRight < score.RowsTrue && r.Stop == finding.ReasonDone {
					t.Errorf("%s, %q: called done, with %d of %d rows", mode, task.Name, score.RowsRight, score.RowsTrue)
				}
			})
		}
		if float64(right) < least*float64(wanted) || wrong > 0 {
			t.Errorf("%s: %d of %d rows are right, %d cells are wrong", mode, right, wanted, wrong)
		}
	}
}

// TestMute checks an agent whose model returns no plan: the answer says that the question was
// not understood, and it is not done.
func TestMute(t *testing.T) {
	w := heldouttest.New(heldouttest.First, 1)
	for _, task := range w.Tasks[:20] {
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, heldouttest.Mute)
			told := false
			for _, i := range r.Issues {
				told = told || i.Kind == finding.IssueUndecided
			}
			if !told || !r.Partial {
				t.Errorf("%q: stop %s, partial %v, issues %v", task.Name, r.Stop, r.Partial, r.Issues)
			}
		})
	}
}

// TestFourth answers questions about columns whose units and factors only pages state,
// about cells that several rows share, and about details in no group of links.
func TestFourth(t *testing.T) {
	w := heldouttest.New(heldouttest.Fourth, 1)
	units := 0
	for _, task := range w.Tasks {
		switch task.Task.Task.URLs[0] {
		case "https://mosty.test/", "https://lamproom.test/":
		default:
			if task.Name != "Races from 10 April to 20 September 2024 that are not full yet" {
				continue
			}
		}
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, agenttest.Truthful)
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
				t.Errorf("%q: %d of %d rows are right, %d wanted, stop %s, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
			}
			for _, i := range r.Issues {
				if i.Kind == finding.IssueUnits {
					units++
				}
			}
		})
	}
	if units == 0 {
		t.Error("no answer says that pages state a length in different units")
	}
}

// TestSixth answers questions about lists of which a page in the middle fails, tables with
// captions, and things that an index leads to.
func TestSixth(t *testing.T) {
	w := heldouttest.New(heldouttest.Sixth, 1)
	severed := 0
	for _, task := range w.Tasks {
		if !task.Severed && task.Class != "hops" {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, agenttest.Truthful)
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
				t.Errorf("%q: %d of %d rows are right, %d wanted, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Issues)
			}
			told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return i.Kind == finding.IssueTotal })
			if told != task.Severed || (r.Stop == finding.ReasonDone) == task.Severed {
				t.Errorf("%q: stop %s, issues %v", task.Name, r.Stop, r.Issues)
			}
			if task.Severed {
				severed++
			}
		})
	}
	if severed < 7 {
		t.Errorf("%d questions", severed)
	}
}

// TestSeventh answers questions about durations with colons, factors in a heading, Arabic
// prefixes and a list that claims more things than it has. It compares two things whose pages
// are linked by their names with few pages.
func TestSeventh(t *testing.T) {
	w := heldouttest.New(heldouttest.Seventh, 1)
	severed, compared := 0, 0
	for _, task := range w.Tasks {
		switch host := task.Task.Task.URLs[0]; {
		case host == "https://foundations.test/", host == "https://aflaj.test/", host == "https://springs.test/", task.Class == "comparison", task.Class == "best" && host == "https://steamtrips.test/":
		default:
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, agenttest.Truthful)
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
				t.Errorf("%q: %d of %d rows are right, %d wanted, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Issues)
			}
			if (r.Stop == finding.ReasonDone) == task.Severed {
				t.Errorf("%q: stop %s, issues %v", task.Name, r.Stop, r.Issues)
			}
			if task.Severed {
				severed++
			}
			if task.Class == "comparison" {
				compared++
				if r.Spend.Pages > 6 {
					t.Errorf("%q: %d pages", task.Name, r.Spend.Pages)
				}
			}
		})
	}
	if severed < 2 || compared < 3 {
		t.Errorf("%d questions about a claim, %d comparisons", severed, compared)
	}
}

// TestEleventh asks about things that a list does not identify: all links have the same text,
// several things have the same title, or a page two clicks away must be found without a planner.
// It converts years to months, and gives a number no unit of another one in its line.
func TestEleventh(t *testing.T) {
	w := heldouttest.New(heldouttest.Eleventh, 1)
	n := 0
	for _, task := range w.Tasks {
		mode := agenttest.Truthful
		switch host := task.Task.Task.URLs[0]; {
		case task.Class == "deep":
			mode = agenttest.Idle
		case task.Class == "details", host == "https://biblioteca-olmeda.test/", host == "https://pawsrescue.test/" && strings.HasPrefix(task.Name, "Names"):
		default:
			continue
		}
		n++
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, mode)
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue || r.Stop != finding.ReasonDone {
				t.Errorf("%q: %d of %d rows are right, %d wanted, stop %s, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
			}
		})
	}
	if n < 14 {
		t.Errorf("%d questions", n)
	}
}

// TestTwelfth answers questions whose words the plan corrects, and questions about the first day of a
// period, pence, inches, and hours that are a letter. With a model that cites no lines, booleans that
// several phrases state stand in their place.
func TestTwelfth(t *testing.T) {
	w := heldouttest.New(heldouttest.Twelfth, 1)
	hosts := []string{"https://boltbarn.test/", "https://expos-garonne.test/", "https://fergeruter.test/", "https://feiradalapa.test/", "https://skateswap.test/"}
	n := 0
	for _, task := range w.Tasks {
		if !slices.Contains(hosts, task.Task.Task.URLs[0]) || task.Class == "hops" || task.Class == "open" {
			continue
		}
		n++
		for _, mode := range []agenttest.Mode{agenttest.Truthful, agenttest.Uncited} {
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, mode)
				if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
					t.Errorf("%s, %q: %d of %d rows are right, %d wanted, stop %s, issues %v", mode, task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
				}
			})
		}
	}
	if n < 17 {
		t.Errorf("%d questions", n)
	}
}

// TestFourteenth answers questions about prices of a cubic metre, hectares, months that are years,
// "none" for zero, "2+ million", ratings that pictures show, and links that all say "more information".
func TestFourteenth(t *testing.T) {
	w := heldouttest.New(heldouttest.Fourteenth, 1)
	hosts := []string{"https://abfall-kreis-lohe.test/", "https://bodegasarlanza.test/", "https://gevonden-zuiderpolder.test/", "https://plugins.inkstone.test/"}
	n := 0
	for _, task := range w.Tasks {
		if !slices.Contains(hosts, task.Task.Task.URLs[0]) || task.Class != "gather" && task.Class != "conditions" {
			continue
		}
		n++
		for _, mode := range []agenttest.Mode{agenttest.Truthful, heldouttest.Stubborn} {
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, mode)
				if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
					t.Errorf("%s, %q: %d of %d rows are right, %d wanted, stop %s, issues %v", mode, task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
				}
			})
		}
	}
	if n < 12 {
		t.Errorf("%d questions", n)
	}
}

// TestFifteenth answers questions about carriage that is free or included, and things that have none,
// of what a condition counts.
func TestFifteenth(t *testing.T) {
	w := heldouttest.New(heldouttest.Fifteenth, 1)
	n := 0
	for _, task := range w.Tasks {
		if task.Class != "gather" && task.Class != "conditions" {
			continue
		}
		n++
		modes := []agenttest.Mode{agenttest.Truthful}
		if task.Class != "gather" {
			modes = append(modes, agenttest.Uncited)
		}
		for _, mode := range modes {
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, mode)
				if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
					t.Errorf("%s, %q: %d of %d rows are right, %d wanted, stop %s, issues %v", mode, task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
				}
			})
		}
	}
	if n < 10 {
		t.Errorf("%d questions", n)
	}
}

// TestWords answers questions about numbers in words, years of eras, and days that are counted from the
// day of the page, and in units that only a caption or a heading states: the sixteenth to the eighteenth set.
func TestWords(t *testing.T) {
	n := 0
	for _, set := range []heldouttest.Set{heldouttest.Sixteenth, heldouttest.Seventeenth, heldouttest.Eighteenth} {
		w := heldouttest.New(set, 1)
		for _, task := range w.Tasks {
			if task.Class != "conditions" {
				continue
			}
			n++
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, agenttest.Truthful)
				if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
					t.Errorf("%q: %d of %d rows are right, %d wanted, stop %s, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
				}
			})
		}
	}
	if n < 39 {
		t.Errorf("%d questions", n)
	}
}

// TestTwentieth answers questions about what a thing names, which is read for many things, and open questions
// with a planner that ends at once: all pages that state a field are read, and a link that sorts a list is not its next page.
func TestTwentieth(t *testing.T) {
	w := heldouttest.New(heldouttest.Twentieth, 1)
	n := 0
	for _, task := range w.Tasks {
		mode := agenttest.Truthful
		switch task.Class {
		case "open":
			mode = agenttest.Idle
		case "hops", "top":
		default:
			continue
		}
		n++
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, mode)
			if task.Class == "open" { // the plan names the list
				var answer map[string]json.RawMessage
				if err := json.Unmarshal(r.Data, &answer); err != nil || len(answer) != 1 {
					t.Fatalf("%s, %v", r.Data, err)
				}
				for task.Truth[0].Path = range answer {
				}
			}
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
				t.Errorf("%q: %d of %d rows are right, %d wanted, stop %s, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
			}
		})
	}
	if n < 8 {
		t.Errorf("%d questions", n)
	}
}

// TestListings answers questions about one thing with a planner that ends at once: its own page does not
// state all that is asked, and the page of the list that names it does.
func TestListings(t *testing.T) {
	n := 0
	for _, set := range []heldouttest.Set{heldouttest.Seventeenth, heldouttest.Eighteenth} {
		w := heldouttest.New(set, 1)
		for _, task := range w.Tasks {
			if task.Class != "lookup" {
				continue
			}
			n++
			synctest.Test(t, func(t *testing.T) {
				r := answer(t, w, task, agenttest.Idle)
				if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
					t.Errorf("%q: %s, stop %s, issues %v", task.Name, r.Data, r.Stop, r.Issues)
				}
			})
		}
	}
	if n < 6 {
		t.Errorf("%d questions", n)
	}
}

// TestFifth answers questions about a list whose third page does not exist, and calls none
// of the answers done, because nobody knows what is on that page.
func TestFifth(t *testing.T) {
	w := heldouttest.New(heldouttest.Fifth, 1)
	severed := 0
	for _, task := range w.Tasks {
		if !task.Severed {
			continue
		}
		severed++
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, agenttest.Truthful)
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue {
				t.Errorf("%q: %d of %d rows are right, %d wanted", task.Name, score.RowsRight, score.Rows, score.RowsTrue)
			}
			told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool {
				return i.Kind == finding.IssueTotal && strings.Contains(i.Detail, "start=20")
			})
			if r.Stop != finding.ReasonDry || !told {
				t.Errorf("%q: stop %s, issues %v", task.Name, r.Stop, r.Issues)
			}
		})
	}
	if severed < 4 {
		t.Errorf("%d questions", severed)
	}
}

// TestTwentyThird gathers things whose numbers stand in words that only the model knows, also with templates.
// One row has no decision, while the one before it was granted.
func TestTwentyThird(t *testing.T) {
	w := heldouttest.New(heldouttest.TwentyThird, 1)
	n := 0
	for _, task := range w.Tasks {
		switch u := task.Task.Task.URLs[0]; {
		case task.Class != "gather", u != "https://ratefinder.test/" && u != "https://lineablanca-norte.test/" && u != "https://mercado-da-bola.test/" && u != "https://planning-westmere.test/":
			continue
		}
		n++
		synctest.Test(t, func(t *testing.T) {
			r := answer(t, w, task, agenttest.Truthful)
			told := slices.ContainsFunc(r.Issues, func(i finding.Issue) bool { return strings.Contains(i.Detail, "according to the model") })
			if score := task.Score(r.Data); score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue || !told {
				t.Errorf("%q: %d of %d rows are right, %d wanted, stop %s, issues %v", task.Name, score.RowsRight, score.Rows, score.RowsTrue, r.Stop, r.Issues)
			}
		})
	}
	if n != 4 {
		t.Errorf("%d questions", n)
	}
}

// TestCalls expects few calls of the model for all rows of five sites. Their pages state facts in sentences, in lines
// without labels or in several forms, and the agent must learn their templates.
func TestCalls(t *testing.T) {
	w := heldouttest.New(heldouttest.TwentyThird, 1)
	for _, start := range []string{"all quakes", "svi automobili", "all studies", "all volcanoes", "tous les campings"} {
		i := slices.IndexFunc(w.Tasks, func(task heldouttest.Task) bool { return task.Class == "gather" && strings.HasPrefix(task.Name, start) })
		synctest.Test(t, func(t *testing.T) {
			model := heldouttest.NewModel(w)
			server := agenttest.Serve(model)
			defer server.Close()
			e := &agent.Engine{Model: &openai.Model{URL: server.URL, Client: server.Client}, Fetch: w.Fetcher()}
			r, err := e.Run(t.Context(), w.Tasks[i].Task.Task)
			if err != nil {
				t.Fatal(err)
			}
			score, calls := w.Tasks[i].Score(r.Data), 0
			for _, n := range model.Calls() {
				calls += n
			}
			if score.RowsRight < score.RowsTrue || score.Rows > score.RowsTrue || calls > 30 {
				t.Errorf("%s: %d of %d rows, %d calls", start, score.RowsRight, score.RowsTrue, calls)
			}
		})
	}
}
