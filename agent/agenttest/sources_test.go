// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"encoding/json"
	"errors"
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
