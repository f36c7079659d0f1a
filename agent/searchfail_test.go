// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/search"
)

// refusing is a searcher whose provider fails.
type refusing struct{ err error }

func (s refusing) Search(context.Context, agent.Query) ([]agent.Hit, error) { return nil, s.err }

// TestSearchFails says why a search failed if that contains nothing about the provider's address,
// and how many hosts of the task searches leave out.
func TestSearchFails(t *testing.T) {
	for _, test := range []struct {
		err   error
		hosts int
		want  string
	}{
		{&search.Error{Provider: "searxng", Err: fmt.Errorf("%w: %w", search.ErrOff, &search.StatusError{Status: 403})}, 1, "a search failed: the provider does not answer in JSON: add json to its search.formats"},
		{&search.Error{Provider: "searxng", Err: &search.StatusError{Status: 429}}, 1, "a search failed: the search provider answered with status 429"},
		{&search.Error{Provider: "brave", Err: search.ErrReply}, 1, "a search failed: answer of the search provider is not valid"},
		{&search.Error{Provider: "searxng", Err: errors.New("dial tcp 10.0.0.7:8080: refused")}, 1, "a search failed"},
		{errors.New("dial tcp 10.0.0.7:8080: refused"), 1, "a search failed"},
		{errors.New("down"), 7, "searches cover 5 of the 7 hosts of the task"},
	} {
		web := &fakeWeb{pages: map[string]fakePage{}}
		task := agent.Task{Prompt: "All of these", Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`)}
		for i := range test.hosts {
			url := fmt.Sprintf("https://a%d.test/", i)
			web.pages[url] = fakePage{title: "X", markdown: fmt.Sprintf("# X\n\n- name=Aber %d\n", i)}
			task.URLs = append(task.URLs, url)
		}
		r := run(t, &agent.Engine{Model: reader(`{"tables":[],"queries":["one","two"]}`), Fetch: web, Search: refusing{test.err}}, task)
		found := 0
		for _, i := range r.Issues {
			if i.Kind == finding.IssueSearch && i.Detail == test.want {
				found++
			}
			if strings.Contains(i.Detail, "10.0.0.7") {
				t.Errorf("an issue names the provider's address: %s", i.Detail)
			}
		}
		if want := map[bool]int{true: 1, false: 2}[test.hosts > 1]; found != want {
			t.Errorf("%v: %d issues %q, want %d; all: %v", test.err, found, test.want, want, r.Issues)
		}
	}
}
