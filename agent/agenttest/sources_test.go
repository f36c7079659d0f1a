// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// down is a searcher and mapper that fail.
type down struct{}

var errDown = errors.New("503")

func (down) Search(context.Context, agent.Query) ([]agent.Hit, error) { return nil, errDown }

func (down) Map(context.Context, *agent.Request, string, int) ([]agent.Link, error) {
	return nil, errDown
}

// half is a searcher of which a part does not answer.
type half struct{ agent.Searcher }

func (h half) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	hits, err := h.Searcher.Search(ctx, q)
	return hits, errors.Join(err, fmt.Errorf("%w: these engines did not answer: bing", agent.ErrPartial))
}

// TestSearchPartial uses the hits of a search that is not complete, and says so.
func TestSearchPartial(t *testing.T) {
	o := play(t, web(), find(t, "search for details"), func(s *scene) { s.engine.Search = half{web().Searcher()} })
	told := false
	for _, i := range o.result.Issues {
		told = told || i.Kind == finding.IssueSearch && strings.Contains(i.Detail, "bing")
	}
	if o.err != nil || o.score.Items == 0 || !told {
		t.Errorf("%v, %d values, issues %v", o.err, o.score.Items, o.result.Issues)
	}
}

// bare is a fetcher of pages that say nothing.
type bare struct {
	status int
	app    bool
}

func (b bare) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	p := &agent.Page{URL: r.URL, Final: r.URL, Hops: []string{r.URL}, Status: b.status, Title: "x", Full: "# Members only"}
	if b.app {
		p.Full, p.Root = "", tree(`<title>App</title><div id="root"></div><script src="/a.js"></script>`)
	}
	return p, nil
}

// TestSourcesDown is the row about a web that gives nothing: an empty result,
// issues, and few credits.
func TestSourcesDown(t *testing.T) {
	for _, f := range []struct {
		name, task string
		set        func(e *agent.Engine)
		issue      finding.IssueKind
	}{
		{"search is down", "search for details", func(e *agent.Engine) { e.Search = down{} }, finding.IssueSearch},
		{"map is down", "details by a map", func(e *agent.Engine) { e.Map = down{} }, finding.IssueSearch},
		{"all pages are 403", loopTask, func(e *agent.Engine) { e.Fetch = bare{status: 403} }, finding.IssueBlocked},
		{"all pages are 403, without a plan", fastTask, func(e *agent.Engine) { e.Fetch = bare{status: 403} }, finding.IssueBlocked},
		{"all pages need scripts", loopTask, func(e *agent.Engine) { e.Fetch = bare{status: 200, app: true} }, finding.IssueScripts},
		{"all pages are 500", fastTask, func(e *agent.Engine) { e.Fetch = bare{status: 500} }, finding.IssueUnreadable},
	} {
		t.Run(f.name, func(t *testing.T) {
			o := play(t, web(), find(t, f.task), func(s *scene) { f.set(s.engine) })
			if o.err != nil {
				t.Fatal(o.err)
			}
			if f.issue != "" {
				found := false
				for _, i := range o.result.Issues {
					found = found || i.Kind == f.issue
				}
				if !found {
					t.Errorf("no issue %s: %v", f.issue, o.result.Issues)
				}
			}
			if !json.Valid(o.result.Data) || f.task != "details by a map" && o.score.Items > 0 {
				t.Errorf("data %s", o.result.Data)
			}
			if o.result.Spend.Credits > 10*llm.Credit {
				t.Errorf("spent %v", o.result.Spend.Credits)
			}
		})
	}
}
