// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
	"example.com/curlew/agent/search"
)

// TestModel checks the adapter over a real socket, with the client that it
// makes itself.
func TestModel(t *testing.T) {
	agenttest.CheckModel(t, "small", func(t testing.TB) llm.Model {
		server := httptest.NewServer(agenttest.NewOracle(web()))
		m := &openai.Model{URL: server.URL + "/v1"}
		t.Cleanup(func() {
			m.CloseIdleConnections()
			server.Close()
		})
		return m
	})
}

// simple is a fetcher over net/http.
type simple struct{ client *http.Client }

var errLoop = errors.New("too many redirects")

func (s simple) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	p := &agent.Page{URL: r.URL, Final: r.URL}
	for range 10 {
		if err := r.Gate(ctx, p.Final); err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		p.Hops = append(p.Hops, p.Final)
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Final, http.NoBody)
		if err != nil {
			return nil, err
		}
		res, err := s.client.Do(q)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return nil, err
		}
		base, err := url.Parse(p.Final)
		if err != nil {
			return nil, err
		}
		if to := res.Header.Get("Location"); to != "" {
			next, err := base.Parse(to)
			if err != nil {
				return nil, err
			}
			p.Final = next.String()
			continue
		}
		p.Status = res.StatusCode
		p.Type, _, _ = strings.Cut(res.Header.Get("Content-Type"), ";")
		if p.Root, err = html.Parse(bytes.NewReader(body)); err != nil {
			return nil, err
		}
		var text strings.Builder
		for n := range p.Root.Descendants() {
			switch {
			case n.Type == html.TextNode && n.Parent.Data == "title":
				p.Title = n.Data
			case n.Type == html.TextNode:
				text.WriteString(n.Data + "\n")
			case n.Data == "a" && n.FirstChild != nil:
				next, err := base.Parse(n.Attr[0].Val)
				if err == nil {
					p.Links = append(p.Links, agent.Link{URL: next.String(), Text: n.FirstChild.Data})
				}
			}
		}
		p.Full = text.String()
		return p, nil
	}
	return nil, errLoop
}

func TestFetcher(t *testing.T) {
	agenttest.CheckFetcher(t, func(t testing.TB, h http.Handler) agent.Fetcher {
		server := agenttest.Serve(h)
		t.Cleanup(server.Close)
		client := *server.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		return simple{&client}
	})
}

func TestSearcher(t *testing.T) {
	agenttest.CheckSearcher(t, "kettles lamps mugs rugs", func(testing.TB) agent.Searcher { return web().Searcher() })
	agenttest.CheckSearcher(t, "anything", func(testing.TB) agent.Searcher {
		return search.Static{{URL: "https://a.test/"}, {URL: "https://b.test/"}, {URL: "https://c.test/"}}
	})
}

// TestWebHandler asks the web over HTTP.
func TestWebHandler(t *testing.T) {
	server := agenttest.Serve(web())
	defer server.Close()
	for _, c := range []struct {
		url    string
		status int
		holds  string
	}{
		{"http://kettles.test/list?page=2", 200, "Kettle"},
		{"http://kettles.test/", 301, ""},
		{"http://nowhere.test/", 404, "Not found"},
		{"http://maze.test/calendar?month=2031-05", 200, "May 2031"},
		{"http://maze.test/feed?page=77", 200, "News 77"},
		{"http://maze.test/wall", 403, "human"},
		{"http://ledger.test/files/ledger.csv", 200, "Reference,Name"},
	} {
		client := *server.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != c.status || !bytes.Contains(body, []byte(c.holds)) {
			t.Errorf("%s: status %d, %.200s (%v)", c.url, res.StatusCode, body, err)
		}
	}
}

// TestSeeds checks that the same seed makes the same web, and that another seed makes a
// different one.
func TestSeeds(t *testing.T) {
	first := func(seed uint64) string {
		return fmt.Sprint(agenttest.NewWeb(seed).Tasks()[0].Truth[0].Rows[:3])
	}
	one, same, other := first(7), first(7), first(8)
	if one != same || one == other {
		t.Errorf("%s, %s, %s", one, same, other)
	}
}

// TestScore aligns rows by key, and counts what is wrong, missing and too much.
func TestScore(t *testing.T) {
	task := agenttest.Task{Truth: []agenttest.Truth{{Path: "items", Keys: []string{"id"}, Rows: []map[string]any{
		{"id": "A", "n": 1.0}, {"id": "B", "n": 2.0, "text": "two"}, {"id": "C", "ok": true},
	}}}}
	for _, c := range []struct {
		name, data       string
		items, rows      float64
		wrong, inventory int
	}{
		{"all", `{"items":[{"id":"c","ok":true},{"id":"A","n":1},{"id":"B","n":2,"text":" TWO "}]}`, 1, 1, 0, 7},
		{"nothing", `{}`, 0, 0, 3, 0},
		{"no JSON", `x`, 0, 0, 3, 0},
		{"a cell is wrong", `{"items":[{"id":"A","n":1},{"id":"B","n":3,"text":"two"},{"id":"C","ok":true}]}`, 12.0 / 14, 2.0 / 3, 1, 7},
		{"a cell is missing", `{"items":[{"id":"A","n":1},{"id":"B","n":2},{"id":"C","ok":true}]}`, 12.0 / 13, 2.0 / 3, 1, 6},
		{"a row twice", `{"items":[{"id":"A","n":1},{"id":"A","n":1},{"id":"B","n":2,"text":"two"},{"id":"C","ok":true}]}`, 14.0 / 16, 6.0 / 7, 1, 9},
		{"null is absent", `{"items":[{"id":"A","n":1,"text":null},{"id":"B","n":2,"text":"two"},{"id":"C","ok":true}]}`, 1, 1, 0, 7},
	} {
		s := task.Score([]byte(c.data))
		items, rows := s.F1()
		if diff := items - c.items; diff > 1e-9 || diff < -1e-9 || rows-c.rows > 1e-9 || c.rows-rows > 1e-9 || len(s.Wrong) != c.wrong || s.Items != c.inventory {
			t.Errorf("%s: items %v, rows %v, %d cells, wrong %v", c.name, items, rows, s.Items, s.Wrong)
		}
	}
}
