// SPDX-License-Identifier: Apache-2.0

// Agent compares curlew's agent with a naive ReAct loop, on the same simulated
// web and with the same oracle instead of a model:
//
//	go run ./agent
//	go run ./agent -seed 7 -cells -test.run quality
//	go run ./agent -classes -seeds 5
//	go run ./agent -class conditions -kind lying -cells
//	go run ./agent -limits
//	go run ./agent -injected -seeds 5
//	go run ./agent -heldout second -seeds 3
//
// Time is simulated, so minutes of latency pass at once and results are exact.
// A call takes 400 ms, plus 20 ms for each 1,000 input tokens that are not
// cached and 10 ms for each output token. A page takes a log-normal time with a
// median of 300 ms, and a search 500 ms. The peer uses native tools and a
// growing transcript, which is summarized at 75 % of 128k tokens. It reads five
// pages in a step (and one), and the model writes the table. It resembles what
// tutorials build, not a product.
//
// The exit status is 1 if a goal is missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/agenttest/heldouttest"
	"example.com/curlew/agent/llm"
)

// bench is the state that all measurements share.
type bench struct {
	web    *agenttest.Web
	out    *tabwriter.Writer
	cells  bool // name each wrong cell
	missed int
}

func main() {
	testing.Init()
	long := flag.Bool("long", false, "measure 500 details, too")
	seed := flag.Uint64("seed", 1, "seed of the simulated web")
	cells := flag.Bool("cells", false, "name each cell that is wrong")
	only := flag.Bool("classes", false, "measure only the classes of questions")
	seeds := flag.Int("seeds", 5, "of the classes of questions")
	class := flag.String("class", "", "measure only this class of questions")
	kind := flag.String("kind", "", "measure only this kind of model; - is the truthful one")
	limits := flag.Bool("limits", false, "measure only runs with few credits, and runs that are killed")
	injected := flag.Bool("injected", false, "measure only a model that obeys orders on all pages, by class of questions")
	held := flag.String("heldout", "", "measure only a set of held-out sites: first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth, thirteenth, fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth, twentieth, twenty-first, twenty-second or twenty-third")
	flag.Parse()
	b := &bench{web: agenttest.NewWeb(*seed), cells: *cells, out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)}
	// The measurements are tests of this program, because only tests can simulate
	// time.
	var tests []testing.InternalTest
	add := func(name string, f func(t *testing.T)) { tests = append(tests, testing.InternalTest{Name: name, F: f}) }
	if *limits {
		add("sweep", func(t *testing.T) { b.sweep(t, *seed, *kind) })
		add("kills", func(t *testing.T) { b.kills(t, *seed) })
		add("verdict", b.verdict)
		testing.Main(regexp.MatchString, tests, nil, nil)
		return
	}
	if *injected {
		add("injected", func(t *testing.T) { b.injected(t, *seed, *seeds) })
		add("verdict", b.verdict)
		testing.Main(regexp.MatchString, tests, nil, nil)
		return
	}
	if *held != "" {
		add("heldout", func(t *testing.T) { b.heldout(t, heldouttest.Set(*held), *seed, *seeds, *class, *kind) })
		add("verdict", b.verdict)
		testing.Main(regexp.MatchString, tests, nil, nil)
		return
	}
	if *only || *class != "" || *kind != "" {
		add("classes", func(t *testing.T) { b.classes(t, *seed, *seeds, *class, *kind) })
		add("verdict", b.verdict)
		testing.Main(regexp.MatchString, tests, nil, nil)
		return
	}
	add("quality", b.quality)
	add("details", func(t *testing.T) { b.details(t, 100) })
	if *long {
		add("more details", func(t *testing.T) { b.details(t, 500) })
	}
	add("strict", b.strict)
	add("budgets", b.budgets)
	add("attacks", b.attacks)
	add("cost", b.cost)
	add("verdict", b.verdict)
	testing.Main(regexp.MatchString, tests, nil, nil)
}

// verdict prints the table, and fails if a goal is missed.
func (b *bench) verdict(t *testing.T) {
	if err := b.out.Flush(); err != nil {
		t.Error(err)
	}
	if b.missed > 0 {
		t.Errorf("%d goals missed", b.missed)
	}
}

// row prints one measure: the peer's result, ours, the goal, and whether it is
// met.
func (b *bench) row(measure, peer, ours, goal string, met bool) {
	verdict := "met"
	if !met {
		verdict = "MISSED"
		b.missed++
	}
	fmt.Fprintf(b.out, "%s\t%s\t%s\t%s\t%s\n", measure, peer, ours, goal, verdict)
}

func (b *bench) title(cells ...string) {
	fmt.Fprintf(b.out, "\n%s\n", strings.Join(cells, "\t"))
}

// profiles are the wire profiles of models.
var profiles = map[string]llm.Profile{
	"mini": {Plan: "small", Rate: 0.4, Check: llm.CheckConflicts},
	"pro":  {Plan: "large", Extract: "small", Verify: "large", Check: llm.CheckDerived},
}

// quality runs the 50 tasks with every oracle.
func (b *bench) quality(t *testing.T) {
	b.title("50 tasks", "", "item F1 / row F1", "goal", "")
	for _, c := range []struct {
		name, model string
		mode        agenttest.Mode
		items, rows float64 // goals
		cited       float64
	}{
		{"truthful oracle, mini", "mini", agenttest.Truthful, 1, 1, 1},
		{"truthful oracle, pro", "pro", agenttest.Truthful, 1, 1, 1},
		{"sloppy oracle, mini", "mini", agenttest.Sloppy, 1, 1, 0.99},
		{"lying oracle, mini", "mini", agenttest.Lying, 0.96, 0, 0.99},
		{"lying oracle, pro", "pro", agenttest.Lying, 0.98, 0, 0.99},
	} {
		var s agenttest.Score
		cells, right, invented := 0, 0, 0
		for _, task := range b.web.Tasks() {
			o := play(t, b.web, task, c.model, func(s *scene) { s.oracle.Mode = c.mode })
			if o.err != nil {
				t.Errorf("%s: %s: %v", c.name, task.Name, o.err)
			}
			s.Rows += o.score.Rows
			s.RowsRight += o.score.RowsRight
			s.RowsTrue += o.score.RowsTrue
			s.Items += o.score.Items
			s.Right += o.score.Right
			s.True += o.score.True
			for _, w := range o.score.Wrong {
				if agenttest.Invented(w.Got) {
					invented++
				}
				if b.cells {
					fmt.Printf("%s: %s: %s %s: got %v, want %v\n", c.name, task.Name, w.Key, w.Field, w.Got, w.Want)
				}
			}
			n, k := o.cited(b.web)
			cells += n
			right += k
		}
		items, rows := s.F1()
		b.row(c.name, "", fmt.Sprintf("%.4f / %.4f", items, rows), fmt.Sprintf("%.2f / %.2f", c.items, c.rows), items >= c.items && rows >= c.rows)
		if c.mode == agenttest.Lying {
			b.row("  invented cells admitted", "", fmt.Sprintf("%d of %d", invented, s.Items), "0.1 %", 1000*invented <= s.Items)
		}
		share := float64(right) / float64(max(cells, 1))
		b.row("  cells with right source and lines", "", fmt.Sprintf("%.2f %%", 100*share), fmt.Sprintf("%.0f %%", 100*c.cited), share >= c.cited)
	}
	var peer agenttest.Score
	invented := 0
	for _, n := range []int{100} {
		p := react(t, b.web, b.web.Details(n), 5, agenttest.Lying)
		peer = p.score
		for _, w := range peer.Wrong {
			if agenttest.Invented(w.Got) {
				invented++
			}
		}
	}
	items, rows := peer.F1()
	fmt.Fprintf(b.out, "ReAct, lying oracle, 100 details\t%.4f / %.4f\t%d of %d invented\t\t\n", items, rows, invented, peer.Items)
}

// details collects n details from the pages behind a listing.
func (b *bench) details(t *testing.T, n int) {
	b.title(fmt.Sprintf("%d details", n), "ReAct, 1 a step", "ReAct, 5 a step", "curlew, no wrappers", "curlew")
	task := b.web.Details(n)
	task.Task.Limits.Pages = -1
	task.Task.Limits.Wall = -1
	latent := func(s *scene) { s.oracle.Latency, s.web.Latency = true, true }
	one, five := react(t, b.web, task, 1, agenttest.Truthful), react(t, b.web, task, 5, agenttest.Truthful)
	bare := play(t, b.web, task, "mini", func(s *scene) {
		latent(s)
		s.engine.Fetch = rootless{s.engine.Fetch}
	})
	ours := play(t, b.web, task, "mini", latent)
	all := []outcome{one, five, bare, ours}
	line := func(name string, f func(o outcome) string) {
		fmt.Fprint(b.out, name)
		for _, o := range all {
			fmt.Fprint(b.out, "\t", f(o))
		}
		fmt.Fprintln(b.out)
	}
	line("item F1", func(o outcome) string { items, _ := o.score.F1(); return fmt.Sprintf("%.4f", items) })
	line("prompt tokens", func(o outcome) string { return fmt.Sprintf("%.3f M", float64(o.stats.Input)/1e6) })
	line("  of them cached", func(o outcome) string { return fmt.Sprintf("%.3f M", float64(o.stats.Cached)/1e6) })
	line("longest prompt", func(o outcome) string { return fmt.Sprint(o.stats.Longest) })
	line("output tokens", func(o outcome) string { return fmt.Sprint(o.stats.Output) })
	line("model calls", func(o outcome) string { return fmt.Sprint(o.stats.Total()) })
	line("  plan and decide", func(o outcome) string {
		return fmt.Sprint(o.stats.Calls[llm.RolePlan] + o.stats.Calls[llm.RoleDecide])
	})
	line("site requests", func(o outcome) string { return fmt.Sprint(len(o.asked)) })
	line("credits", func(o outcome) string {
		if o.result == nil {
			return "-"
		}
		return o.result.Spend.Credits.String()
	})
	line("wall", func(o outcome) string { return fmt.Sprintf("%.1f s", o.wall.Seconds()) })

	b.title(fmt.Sprintf("%d details", n), "ReAct, 5 a step", "curlew", "goal", "")
	peer := float64(five.stats.Input)
	goals := func(name string, o outcome, tokens, wall float64, calls int, credits agent.Credits) {
		share := float64(o.stats.Input) / peer
		b.row(name+": prompt tokens", "1", fmt.Sprintf("%.3f", share), fmt.Sprintf("%.2f", tokens), share <= tokens)
		ratio := o.wall.Seconds() / five.wall.Seconds()
		b.row(name+": wall", "1", fmt.Sprintf("1/%.1f", 1/ratio), fmt.Sprintf("1/%.0f", wall), ratio <= 1/wall)
		if n == 100 {
			b.row(name+": model calls", fmt.Sprint(five.stats.Total()), fmt.Sprint(o.stats.Total()), fmt.Sprint(calls), o.stats.Total() <= calls)
			b.row(name+": credits", "", o.result.Spend.Credits.String(), fmt.Sprint(int64(credits)), o.result.Spend.Credits <= credits*llm.Credit)
		}
		twice := len(o.asked) - len(slices.Compact(slices.Sorted(slices.Values(o.asked))))
		b.row(name+": URLs asked for twice", "", fmt.Sprint(twice), "0", twice == 0)
	}
	goals("no wrappers", bare, 0.25, 6, 107, 130)
	goals("wrappers", ours, 0.05, 12, 12, 110)
	if n == 100 {
		steps := ours.stats.Calls[llm.RolePlan] + ours.stats.Calls[llm.RoleDecide]
		b.row("wrappers: plan and decide", "", fmt.Sprint(steps), "4", steps <= 4)
	}
}

// strict reads ten given URLs.
func (b *bench) strict(t *testing.T) {
	b.title("10 strict URLs and a schema", "", "curlew", "goal", "")
	for _, task := range b.web.Tasks() {
		if task.Name != "ten details" {
			continue
		}
		o := play(t, b.web, task, "mini", func(s *scene) { s.oracle.Latency, s.web.Latency = true, true })
		b.row("model calls", "", fmt.Sprint(o.stats.Total()), "11", o.stats.Total() <= 11)
		plans := o.stats.Calls[llm.RolePlan] + o.stats.Calls[llm.RoleDecide]
		b.row("  plan and decide", "", fmt.Sprint(plans), "1", plans <= 1)
		b.row("wall", "", fmt.Sprintf("%.1f s", o.wall.Seconds()), "5 s", o.wall.Seconds() <= 5)
	}
}

// budgets runs out of credits at every size of budget.
func (b *bench) budgets(t *testing.T) {
	b.title("credits run out", "", "curlew", "goal", "")
	over, wrong, empty, most := 0, 0, 0, agent.Credits(0)
	runs := 0
	for credits := agent.Credits(1); credits <= 120; credits += 4 {
		for _, model := range []string{"mini", "pro"} {
			o := play(t, b.web, b.web.Details(100), model, func(s *scene) {
				s.oracle.Mode = agenttest.Sloppy
				s.task.Limits.Credits = credits * llm.Credit
			})
			runs++
			if o.result.Spend.Credits > credits*llm.Credit {
				over++
				most = max(most, o.result.Spend.Credits-credits*llm.Credit)
			}
			wrong += o.score.Items - o.score.Right
			if credits > 30 && o.score.Rows == 0 {
				empty++
			}
		}
	}
	b.row("runs over their ceiling", "", fmt.Sprintf("%d of %d (by %v)", over, runs, most), "0", over == 0)
	b.row("cells that are wrong", "", fmt.Sprint(wrong), "0", wrong == 0)
	b.row("runs of 30 credits and more without a row", "", fmt.Sprint(empty), "0", empty == 0)
}

// attacks counts what a model that obeys every instruction on a page can reach.
func (b *bench) attacks(t *testing.T) {
	b.title("orders in pages, obeyed by the model", "", "curlew", "goal", "")
	outside, over, obeyed := 0, 0, 0
	for _, task := range b.web.Tasks() {
		if !strings.HasPrefix(task.Name, "poisoned") {
			continue
		}
		for _, credits := range []agent.Credits{5, 15, 50, 2500} {
			o := play(t, b.web, task, "mini", func(s *scene) {
				s.oracle.Mode = agenttest.Injected
				s.engine.Search, s.engine.Map = b.web.Searcher(), b.web.Mapper()
				s.task.Limits.Credits = credits * llm.Credit
			})
			obeyed += o.stats.Obeyed
			for _, u := range o.asked {
				if !strings.HasPrefix(u, "https://poison.test/") {
					outside++
				}
			}
			if o.result.Spend.Credits > credits*llm.Credit {
				over++
			}
		}
	}
	b.row("requests outside the scope", "", fmt.Sprintf("%d (%d orders obeyed)", outside, obeyed), "0", outside == 0 && obeyed > 0)
	b.row("runs over their ceiling", "", fmt.Sprint(over), "0", over == 0)
}
