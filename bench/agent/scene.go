// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/openai"
)

// scene is the environment of a task.
type scene struct {
	web    *agenttest.Web
	oracle *agenttest.Oracle
	engine *agent.Engine
	task   agent.Task
}

// outcome is the result of a task.
type outcome struct {
	result *agent.Result
	err    error
	score  agenttest.Score
	stats  agenttest.Stats
	asked  []string
	wall   time.Duration
	kept
}

// play runs a task over HTTP in simulated time.
func play(t *testing.T, w *agenttest.Web, task agenttest.Task, model string, set func(s *scene)) outcome {
	var out outcome
	var earlier *agenttest.Journal
	if task.First != nil {
		earlier = new(agenttest.Journal)
		play(t, w, *task.First, model, func(s *scene) { set(s); s.task.Limits, s.task.Journal, s.task.History = agent.Limits{}, earlier, nil })
	}
	synctest.Test(t, func(t *testing.T) {
		oracle := agenttest.NewOracle(w)
		server := agenttest.Serve(oracle)
		defer server.Close()
		journal := &pageKeeper{kept: kept{pages: map[string]*journal.PageRecord{}, gave: map[string]bool{}}}
		s := &scene{web: w, oracle: oracle, task: task.Task}
		s.engine = &agent.Engine{Model: &openai.Model{URL: server.URL, Client: server.Client}, Fetch: w.Fetcher(), Profiles: profiles}
		s.task.Model, s.task.Journal = model, journal
		if task.Search {
			s.engine.Search = w.Searcher()
		}
		if task.Map {
			s.engine.Map = w.Mapper()
		}
		if earlier != nil {
			s.task.Earlier = earlier.History()
		}
		w.Latency = false
		set(s)
		w.Asked()
		began := time.Now()
		r, err := s.engine.Run(t.Context(), s.task)
		out = outcome{result: r, err: err, stats: oracle.Stats(), asked: w.Asked(), wall: time.Since(began), kept: journal.kept}
		w.Latency = false
		if r != nil {
			out.score = task.Score(r.Data)
		}
	})
	return out
}

// kept is what measurements need of a journal.
type kept struct {
	pages map[string]*journal.PageRecord // by ID
	gave  map[string]bool                // IDs of pages with rows
	hits  []string                       // URLs that searches found
	hops  bool                           // there are further questions
}

// pageKeeper is a journal that keeps only that.
type pageKeeper struct {
	mu sync.Mutex
	kept
}

func (k *pageKeeper) Append(_ context.Context, e journal.Event) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case e.Page != nil:
		k.pages[e.Page.ID] = e.Page
	case e.Planned != nil:
		k.hops = k.hops || len(e.Planned.Hops) > 0
	case e.Extracted != nil && e.Extracted.Count > 0:
		k.gave[e.Extracted.Source] = true
	case e.Answer != nil:
		for _, hit := range e.Answer.Hits {
			k.hits = append(k.hits, hit.URL)
		}
	}
	return nil
}

// cited counts the cells of the answer with evidence, and those whose cited
// lines contain the value.
func (o outcome) cited(w *agenttest.Web) (cells, right int) {
	var data map[string]any
	if o.result == nil || json.Unmarshal(o.result.Data, &data) != nil {
		return 0, 0
	}
	rows := map[string]map[string]any{"": data}
	for member, v := range data {
		if list, ok := v.([]any); ok {
			for i, row := range list {
				rows[fmt.Sprintf("/%s/%d", member, i)], _ = row.(map[string]any)
			}
		}
	}
	for at, row := range rows {
		key, _ := row["code"].(string)
		if key == "" {
			key, _ = row["name"].(string)
		}
		for field, v := range row {
			if _, nested := v.([]any); nested || v == nil || field == "url" || key == "" {
				continue
			}
			cells++
			e, ok := o.result.Fields[at+"/"+field]
			p := o.pages[e.Source]
			if !ok || p == nil {
				continue
			}
			if slices.ContainsFunc(citedLines(p, e.Lines), func(lines []string) bool { return w.States(lines, key, field) }) {
				right++
			}
		}
	}
	return cells, right
}

// citedLines returns the lines from the first to the last number in at, of the main and
// of the full text of a page. Without numbers, it returns all lines and the structured
// data.
func citedLines(p *journal.PageRecord, at [2]int) [][]string {
	var cited [][]string
	for _, lines := range [][]string{p.Main, p.Full} {
		if at[0] > 0 {
			lines = lines[min(at[0]-1, len(lines)):min(at[1], len(lines))]
		} else {
			lines = append(slices.Clip(lines), factsOf(p)...)
		}
		cited = append(cited, lines)
	}
	return cited
}

// factsOf returns the structured data and short texts of a page as lines.
func factsOf(p *journal.PageRecord) []string {
	var lines []string
	for _, f := range p.Facts {
		lines = append(lines, f.Value)
	}
	for _, s := range p.Texts {
		lines = append(lines, strings.TrimSpace(s.Value))
	}
	return lines
}

// rootless is a fetcher of pages without a tree, so that no wrapper is learned.
type rootless struct{ agent.Fetcher }

func (f rootless) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	p, err := f.Fetcher.Fetch(ctx, r)
	if p != nil {
		p.Root = nil
	}
	return p, err
}
