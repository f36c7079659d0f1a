// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/weburl"
)

// patience is how long a call may take to return once its context has ended.
const patience = 5 * time.Second

var errGone = errors.New("the caller has gone")

// ends checks that f returns soon if its context has ended before the call, and if it
// ends some time (later) after f began. If f returns an error, it must be the cause of
// the context. f may have finished before.
func ends(t *testing.T, later time.Duration, f func(ctx context.Context) error) {
	t.Helper()
	for _, d := range []time.Duration{0, later} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if d == 0 {
			cancel(errGone)
		} else {
			time.AfterFunc(d, func() { cancel(errGone) })
		}
		began := time.Now()
		err := f(ctx)
		if took := time.Since(began) - d; took > patience {
			t.Errorf("returned %v after the context ended", took)
		}
		if err != nil && !errors.Is(err, errGone) && !errors.Is(err, context.Canceled) {
			t.Errorf("after the context ended: error %v, want its cause", err)
		}
		cancel(nil)
	}
}

// CheckModel tests whether a Model does what the interface promises. open returns a
// Model that can be called any number of times, and cleans up with t. name is a model
// that it knows. The Model may use a real model or an [Oracle].
func CheckModel(t *testing.T, name string, open func(t testing.TB) llm.Model) {
	t.Helper()
	call := func(i int) llm.Call {
		return llm.Call{
			Role: llm.RoleExtract, Model: name, System: protocol.System(llm.RoleExtract), Name: "extract", MaxOutput: 4000,
			User: fmt.Sprintf("task: \"The capital of the country\"\ntable: {\"id\":\"T0\"}\nfields:\n- {\"name\":\"capital\",\"type\":\"string\"}\nsource: \"S%d\"\nrows: 40\n<<<page 1\n1| The capital is Bern.\n>>>page 1\n", i),
			Schema: json.RawMessage(`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{` +
				`"v":{"type":"object","properties":{"capital":{"type":["string","null"]}},"required":["capital"],"additionalProperties":false},` +
				`"ln":{"type":"object","properties":{"capital":{"type":"array","items":{"type":"integer"}}},"required":["capital"],"additionalProperties":false}},` +
				`"required":["v","ln"],"additionalProperties":false}},"total":{"type":"integer"},"total_ln":{"type":"integer"},"more":{"type":"boolean"},` +
				`"kind":{"type":"string","enum":["list","detail","none","blocked"]}},"required":["rows","total","total_ln","more","kind"],"additionalProperties":false}`),
		}
	}
	finishes := []string{"", llm.FinishOK, llm.FinishLength, llm.FinishRefusal, llm.FinishFiltered, llm.FinishInvalid, llm.FinishOverflow}
	judge := func(t *testing.T, r llm.Reply, err error) {
		t.Helper()
		var v map[string]json.RawMessage
		switch ok := r.Finish == "" || r.Finish == llm.FinishOK; {
		case err != nil:
			t.Errorf("error %v", err)
		case !slices.Contains(finishes, r.Finish):
			t.Errorf("finish %q is none that there is", r.Finish)
		case ok && json.Unmarshal(r.JSON, &v) != nil:
			t.Errorf("finish is ok, and the reply is %q", r.JSON)
		case !ok && r.Finish != llm.FinishLength && r.JSON != nil:
			t.Errorf("finish is %s, and the reply is %q", r.Finish, r.JSON)
		case r.Usage.Cached > r.Usage.Input || r.Usage.Reasoning > r.Usage.Output || r.Usage.Input < 0 || r.Usage.Output < 0:
			t.Errorf("usage %+v", r.Usage)
		}
	}
	t.Run("reply", func(t *testing.T) {
		r, err := open(t).Complete(t.Context(), call(1))
		judge(t, r, err)
	})
	t.Run("context", func(t *testing.T) {
		m := open(t)
		ends(t, time.Millisecond, func(ctx context.Context) error {
			_, err := m.Complete(ctx, call(1))
			return err
		})
		r, err := m.Complete(t.Context(), call(1)) // the end of an earlier context has not harmed it
		judge(t, r, err)
	})
	t.Run("concurrency", func(t *testing.T) {
		m := open(t)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				r, err := m.Complete(t.Context(), call(i))
				judge(t, r, err)
			})
		}
		wg.Wait()
	})
	t.Run("ownership", func(t *testing.T) {
		m := open(t)
		c := call(1)
		first, err := m.Complete(t.Context(), c)
		judge(t, first, err)
		kept := string(first.JSON)
		for i := range c.Schema {
			c.Schema[i] = ' '
		}
		second, err := m.Complete(t.Context(), call(2))
		judge(t, second, err)
		if string(first.JSON) != kept {
			t.Error("a reply changed after it was given")
		}
	})
}

// checkSite is the site that CheckFetcher serves. It records the requests.
type checkSite struct {
	mu    sync.Mutex
	asked []string
	faint []string // headers that no request may have
}

func (s *checkSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, "http://"+r.Host+r.URL.RequestURI())
	for _, h := range []string{"Cookie", "Referer"} {
		if v := r.Header.Get(h); v != "" {
			s.faint = append(s.faint, h+": "+v)
		}
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Set-Cookie", "id=1")
	switch r.URL.Path {
	case "/hop":
		w.Header().Set("Location", "/hop2")
		w.WriteHeader(http.StatusFound)
	case "/hop2":
		w.Header().Set("Location", "http://other.test/end?q=1")
		w.WriteHeader(http.StatusMovedPermanently)
	case "/round":
		w.Header().Set("Location", "/round")
		w.WriteHeader(http.StatusFound)
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<title>Missing</title><p>Nothing is here, and nothing was.</p>"))
	case "/hang":
		<-r.Context().Done()
	default:
		_, _ = w.Write([]byte(`<!DOCTYPE html><html lang="en"><head><title>Bern</title></head><body><main><h1>Bern</h1><p>Bern is the capital, and has a long street of arcades.</p><a href="/next?p=2">Next page</a></main></body></html>`))
	}
}

// CheckFetcher tests whether a Fetcher does what the interface promises. open returns a
// Fetcher that reaches h under every host of http URLs, and cleans up with t.
func CheckFetcher(t *testing.T, open func(t testing.TB, h http.Handler) agent.Fetcher) {
	t.Helper()
	refusal := errors.New("refused by the gate")
	type visit struct {
		page  *agent.Page
		err   error
		gated []string
		asked []string
	}
	fetch := func(t *testing.T, url string, refuse func(url string) bool) visit {
		t.Helper()
		s := &checkSite{}
		var v visit
		var mu sync.Mutex
		v.page, v.err = open(t, s).Fetch(t.Context(), &agent.Request{URL: url, Gate: func(_ context.Context, u string) error {
			mu.Lock()
			defer mu.Unlock()
			v.gated = append(v.gated, u)
			if refuse != nil && refuse(u) {
				return refusal
			}
			return nil
		}})
		s.mu.Lock()
		defer s.mu.Unlock()
		v.asked = s.asked
		for _, f := range s.faint {
			t.Errorf("a request had %s", f)
		}
		for _, u := range v.asked {
			if !slices.Contains(v.gated, u) {
				t.Errorf("%s was requested, and the gate not asked", u)
			}
		}
		return v
	}
	t.Run("page", func(t *testing.T) {
		v := fetch(t, "http://site.test/a", nil)
		if v.err != nil {
			t.Fatal(v.err)
		}
		p := v.page
		switch {
		case p.URL != "http://site.test/a" || p.Final != p.URL || !slices.Equal(p.Hops, []string{p.URL}):
			t.Errorf("URL %q, final %q, hops %q", p.URL, p.Final, p.Hops)
		case p.Status != http.StatusOK || p.Type != "text/html" || strings.TrimSpace(p.Title) != "Bern":
			t.Errorf("status %d, type %q, title %q", p.Status, p.Type, p.Title)
		case !strings.Contains(p.Full, "Bern is the capital"):
			t.Errorf("text %q", p.Full)
		case !slices.ContainsFunc(p.Links, func(l agent.Link) bool { return l.URL == "http://site.test/next?p=2" && l.Text == "Next page" }):
			t.Errorf("links %v", p.Links)
		}
	})
	t.Run("redirects", func(t *testing.T) {
		v := fetch(t, "http://site.test/hop", nil)
		want := []string{"http://site.test/hop", "http://site.test/hop2", "http://other.test/end?q=1"}
		if v.err != nil {
			t.Fatal(v.err)
		}
		if !slices.Equal(v.page.Hops, want) || v.page.Final != want[2] || v.page.URL != want[0] {
			t.Errorf("hops %q, final %q", v.page.Hops, v.page.Final)
		}
		if !slices.Equal(v.gated, want) {
			t.Errorf("the gate was asked for %q, want %q", v.gated, want)
		}
	})
	t.Run("refused", func(t *testing.T) {
		for _, no := range []string{"http://site.test/hop", "http://site.test/hop2", "http://other.test/end?q=1"} {
			v := fetch(t, "http://site.test/hop", func(u string) bool { return u == no })
			if !errors.Is(v.err, refusal) {
				t.Errorf("%s refused: error %v", no, v.err)
			}
			if slices.Contains(v.asked, no) {
				t.Errorf("%s was requested, though the gate refused it", no)
			}
		}
	})
	t.Run("loop", func(t *testing.T) {
		if v := fetch(t, "http://site.test/round", nil); v.err == nil || len(v.asked) > 50 {
			t.Errorf("error %v after %d requests", v.err, len(v.asked))
		}
	})
	t.Run("missing", func(t *testing.T) {
		if v := fetch(t, "http://site.test/missing", nil); v.err != nil || v.page.Status != http.StatusNotFound {
			t.Errorf("%+v, %v", v.page, v.err)
		}
	})
	open1 := func(context.Context, string) error { return nil }
	t.Run("context", func(t *testing.T) {
		f := open(t, &checkSite{})
		ends(t, 20*time.Millisecond, func(ctx context.Context) error {
			_, err := f.Fetch(ctx, &agent.Request{URL: "http://site.test/hang", Gate: open1})
			return err
		})
	})
	t.Run("concurrency", func(t *testing.T) {
		f := open(t, &checkSite{})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				url := fmt.Sprintf("http://site%d.test/%d", i, i)
				if p, err := f.Fetch(t.Context(), &agent.Request{URL: url, Gate: open1}); err != nil || p.Final != url {
					t.Errorf("%+v, %v", p, err)
				}
			})
		}
		wg.Wait()
	})
}

// CheckSearcher tests whether a Searcher does what the interface promises. open returns
// a Searcher that has at least three hits for text, and cleans up with t.
func CheckSearcher(t *testing.T, text string, open func(t testing.TB) agent.Searcher) {
	t.Helper()
	judge := func(t *testing.T, hits []agent.Hit, n int) {
		t.Helper()
		seen := map[string]bool{}
		for _, h := range hits {
			u, err := weburl.Parse(h.URL)
			if err != nil || u.Scheme() != "http" && u.Scheme() != "https" {
				t.Errorf("hit %q is no address of a page", h.URL)
				continue
			}
			if seen[u.String()] {
				t.Errorf("%s is there twice", h.URL)
			}
			seen[u.String()] = true
		}
		if len(hits) > n || len(hits) == 0 {
			t.Errorf("%d hits, want 1 to %d", len(hits), n)
		}
	}
	for _, n := range []int{1, 2, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			hits, err := open(t).Search(t.Context(), agent.Query{Text: text, N: n})
			if err != nil {
				t.Fatal(err)
			}
			judge(t, hits, n)
		})
	}
	t.Run("order", func(t *testing.T) {
		s := open(t)
		first, err := s.Search(t.Context(), agent.Query{Text: text, N: 3})
		second, again := s.Search(t.Context(), agent.Query{Text: text, N: 3})
		if err != nil || again != nil || !slices.Equal(first, second) {
			t.Errorf("%v, then %v (%v, %v)", first, second, err, again)
		}
	})
	t.Run("context", func(t *testing.T) {
		s := open(t)
		ends(t, time.Millisecond, func(ctx context.Context) error {
			_, err := s.Search(ctx, agent.Query{Text: text, N: 3})
			return err
		})
	})
	t.Run("concurrency", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				hits, err := s.Search(t.Context(), agent.Query{Text: text, N: 3})
				if err != nil {
					t.Error(err)
					return
				}
				judge(t, hits, 3)
			})
		}
		wg.Wait()
	})
}
