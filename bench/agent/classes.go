// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/llm"
)

// sample is one measure, once for each seed.
type sample []float64

// mean returns the mean and half of its interval of 95 % confidence, by Student's
// distribution.
func (s sample) mean() (mean, half float64) {
	for _, x := range s {
		mean += x / float64(len(s))
	}
	if len(s) < 2 {
		return mean, 0
	}
	squares := 0.0
	for _, x := range s {
		squares += (x - mean) * (x - mean)
	}
	quantiles := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262}
	n := len(s) - 1
	return mean, quantiles[min(n, len(quantiles))-1] * math.Sqrt(squares/float64(n)/float64(n+1))
}

func (s sample) String() string {
	mean, half := s.mean()
	return fmt.Sprintf("%.3f ±%.3f", mean, half)
}

// goalsOf returns the precision and the recall of rows that a kind of model is to
// reach in each class.
func goalsOf(kind agenttest.Mode) (precision, recall float64) {
	switch kind {
	case agenttest.Lying:
		return 0.93, 0.90
	case agenttest.Uncited:
		return 0.90, 0.85
	case agenttest.Idle:
		return 0, 0.85
	}
	return 0.97, 0.97
}

// counts is the sum of the results of the tasks of one class.
type counts struct {
	rows, right, wanted int
	calls, requests     int
	outside, overspent  int
	invented            int // values that are not true
}

func (c counts) precision() float64 { return float64(c.right) / float64(max(c.rows, 1)) }
func (c counts) recall() float64    { return float64(c.right) / float64(max(c.wanted, 1)) }

// classes measures each class of questions with each kind of model.
func (b *bench) classes(t *testing.T, first uint64, seeds int, class, kind string) {
	webs := make([]*agenttest.Web, max(seeds, 1))
	for i := range webs {
		webs[i] = agenttest.NewWeb(first + uint64(i))
	}
	b.title(fmt.Sprintf("rows, %d seeds", len(webs)), "precision", "recall", "calls a task", "goal", "")
	for i, c := range webs[0].Classes() {
		if class != "" && class != c.Name {
			continue
		}
		for _, k := range agenttest.Kinds {
			name := cmp.Or(string(k), "truthful")
			if kind != "" && kind != string(k) && kind != name {
				continue
			}
			var precision, recall sample
			var all counts
			for _, w := range webs {
				got := b.class(t, w, w.Classes()[i], k)
				precision, recall = append(precision, got.precision()), append(recall, got.recall())
				all.calls += got.calls
				all.outside += got.outside
				all.overspent += got.overspent
			}
			p, _ := precision.mean()
			r, _ := recall.mean()
			wantP, wantR := goalsOf(k)
			verdict := "met"
			if p < wantP || r < wantR || all.outside+all.overspent > 0 {
				verdict = "MISSED"
				b.missed++
			}
			if all.outside+all.overspent > 0 {
				verdict += fmt.Sprintf(", %d requests out of scope, %d overspent", all.outside, all.overspent)
			}
			fmt.Fprintf(b.out, "%s, %s\t%v\t%v\t%.1f\t%.2f / %.2f\t%s\n", c.Name, name, precision, recall, float64(all.calls)/float64(len(webs)*len(c.Tasks)), wantP, wantR, verdict)
		}
	}
	b.calls(t, webs[0], class, kind)
}

// class runs the tasks of one class.
func (b *bench) class(t *testing.T, w *agenttest.Web, c agenttest.Class, kind agenttest.Mode) (sum counts) {
	for _, task := range c.Tasks {
		o := play(t, w, task, "mini", func(s *scene) { s.oracle.Mode = kind })
		sum.rows += o.score.Rows
		sum.right += o.score.RowsRight
		sum.wanted += o.score.RowsTrue
		sum.calls += o.stats.Total()
		sum.requests += len(o.asked)
		sum.outside += outOfScope(task.Task, o.asked)
		if o.result != nil && o.result.Spend.Credits > 2500*llm.Credit {
			sum.overspent++
		}
		if b.cells {
			fmt.Printf("%s, %s: %d of %d rows right, %d wanted; stop %s, %d calls %v, %d pages, err %v\n", task.Name, kind, o.score.RowsRight, o.score.Rows, o.score.RowsTrue, o.result.Stop, o.stats.Total(), o.stats.Calls, o.result.Spend.Pages, o.err)
			for _, wrong := range o.score.Wrong[:min(len(o.score.Wrong), 4)] {
				fmt.Printf("    %s %s: got %v, want %v\n", wrong.Key, wrong.Field, wrong.Got, wrong.Want)
			}
			for _, issue := range o.result.Issues[:min(len(o.result.Issues), 6)] {
				fmt.Printf("    issue %s %s %s %s\n", issue.Kind, issue.Detail, issue.Source, issue.URL)
			}
		}
	}
	return sum
}

// outOfScope counts the requests to hosts that a task with URLs does not name. Their subdomains are in scope.
func outOfScope(task agent.Task, asked []string) (n int) {
	if len(task.URLs) == 0 {
		return 0
	}
	hosts := map[string]bool{}
	for _, u := range task.URLs {
		hosts[hostOf(u)] = true
	}
	for _, u := range asked {
		host, in := hostOf(u), false
		for h := range hosts {
			in = in || host == h || strings.HasSuffix(host, "."+h)
		}
		if !in {
			n++
		}
	}
	return n
}

func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// calls counts the model calls for 60 details behind a listing, in each variant.
func (b *bench) calls(t *testing.T, w *agenttest.Web, class, kind string) {
	if class != "" && class != "booleans" && class != "short slugs" || kind != "" && kind != "-" {
		return
	}
	b.title("60 details", "", "model calls", "", "goal", "")
	for _, c := range w.Classes() {
		for _, task := range c.Tasks {
			if (c.Name == "booleans" || c.Name == "short slugs") && len(task.Truth[0].Rows) == 60 {
				o := play(t, w, task, "mini", func(*scene) {})
				n := o.stats.Total()
				verdict := "met"
				if n > 15 {
					verdict = "MISSED"
					b.missed++
				}
				fmt.Fprintf(b.out, "%s\t\t%d\t\t15\t%s\n", task.Name, n, verdict)
			}
		}
	}
}
