// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent"
	"example.com/curlew/agent/search"
)

// answers returns replies in order and records the requests.
type answers struct {
	bodies []string
	errs   []error
	asked  []string
}

func (a *answers) get(_ context.Context, url string) ([]byte, error) {
	i := len(a.asked)
	a.asked = append(a.asked, url)
	if i < len(a.errs) && a.errs[i] != nil {
		return nil, a.errs[i]
	}
	if i >= len(a.bodies) {
		return []byte(`{"results":[]}`), nil
	}
	return []byte(a.bodies[i]), nil
}

func TestSearXNG(t *testing.T) {
	a := &answers{bodies: []string{
		`{"results":[{"url":"HTTP://A.test:80/x","title":" One\n two ","content":"s"},{"url":"http://a.test/x"},{"url":"javascript:x"},{"url":"https://b.test/"}],"unresponsive_engines":[["bing","timeout"]]}`,
		`{"results":[{"url":"https://c.test/","title":"` + strings.Repeat("é", 300) + `"}]}`,
	}}
	var silent []string
	s := &search.SearXNG{Base: "http://searx.internal:8080/", Get: a.get, Language: "de", Silent: func(_ context.Context, e []string) { silent = e }}
	got, err := s.Search(t.Context(), agent.Query{Text: "a b&c", N: 10, Sites: []string{"a.test", "b.test"}})
	want := []agent.Hit{{URL: "http://a.test/x", Title: "One two", Snippet: "s"}, {URL: "https://b.test/"}, {URL: "https://c.test/", Title: strings.Repeat("é", 200)}}
	if !errors.Is(err, agent.ErrPartial) || !strings.Contains(err.Error(), "bing") || cmp.Diff(want, got) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	if len(a.asked) != 3 || a.asked[0] != "http://searx.internal:8080/search?categories=general&format=json&language=de&pageno=1&q=a+b%26c+site%3Aa.test+OR+site%3Ab.test&safesearch=0" {
		t.Errorf("asked %q", a.asked)
	}
	if cmp.Diff([]string{"bing"}, silent) != "" {
		t.Errorf("silent %q", silent)
	}
}

func TestSearXNGPages(t *testing.T) {
	a := &answers{}
	for page := range 9 {
		var b strings.Builder
		for i := range 3 {
			fmt.Fprintf(&b, `{"url":"http://a.test/%d/%d"},`, page, i)
		}
		a.bodies = append(a.bodies, `{"results":[`+strings.TrimSuffix(b.String(), ",")+`]}`)
	}
	got, err := (&search.SearXNG{Base: "http://s.test", Get: a.get}).Search(t.Context(), agent.Query{Text: "x", N: 20})
	if err != nil || len(got) != 15 || len(a.asked) != 5 {
		t.Errorf("%d hits of %d pages, %v", len(got), len(a.asked), err)
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		body string
		want error
	}{
		{"not JSON", nil, `<html>`, search.ErrReply},
		{"forbidden", &search.StatusError{Status: 403}, "", search.ErrOff},
		{"down", &search.StatusError{Status: 500}, "", &search.StatusError{}},
		{"too long a wait", &search.StatusError{Status: 429, After: time.Hour}, "", &search.StatusError{}},
	} {
		a := &answers{bodies: []string{test.body}, errs: []error{test.err}}
		_, err := (&search.SearXNG{Base: "http://s.test", Get: a.get}).Search(t.Context(), agent.Query{Text: "x", N: 5})
		if _, ok := errors.AsType[*search.StatusError](test.want); ok {
			if _, ok := errors.AsType[*search.StatusError](err); !ok {
				t.Errorf("%s: %v", test.name, err)
			}
		} else if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if _, err := (&search.SearXNG{Base: "http://s.test"}).Search(t.Context(), agent.Query{}); !errors.Is(err, search.ErrGet) {
		t.Errorf("without Get: %v", err)
	}
	a := &answers{}
	if _, err := (&search.SearXNG{Base: "ftp://s.test", Get: a.get}).Search(t.Context(), agent.Query{}); !errors.Is(err, search.ErrBase) || len(a.asked) > 0 {
		t.Errorf("base: %v, asked %q", err, a.asked)
	}
}

// TestOddReplies expects that an answer that is no answer to a search is an error, and that one
// broken result costs only itself.
func TestOddReplies(t *testing.T) {
	const good = `{"url":"http://a.test/","title":"A","content":"d","description":"d"}`
	for _, test := range []struct {
		name, searx, brave, compatible string
		hits                           int
		said                           string // of the error; empty if there is none
	}{
		{"nothing found", `{"results":[]}`, `{"type":"search","query":{}}`, `{"success":true,"data":{}}`, 0, ""},
		{"an error with status 200", `{"error":"rate limit"}`, `{"type":"ErrorResponse","error":{}}`, `{"success":false,"error":"no","data":{"web":[` + good + `]}}`, 0, search.ErrReply.Error()},
		{"another object", `{}`, `{}`, `{}`, 0, search.ErrReply.Error()},
		{"null", `null`, `null`, `null`, 0, search.ErrReply.Error()},
		{"a list", `[` + good + `]`, `[` + good + `]`, `[` + good + `]`, 0, search.ErrReply.Error()},
		{"results of a wrong type", `{"results":{"0":` + good + `}}`, `{"web":{"results":"x"}}`, `{"data":{"web":{}}}`, 0, search.ErrReply.Error()},
		{"cut off", `{"results":[` + good, `{"web":{"results":[` + good, `{"data":{"web":[` + good, 0, search.ErrReply.Error()},
		{"broken results", `{"results":[5,null,{"url":"x"},{"url":7},` + good + `]}`, `{"web":{"results":[5,null,{"url":"x"},{"url":7},` + good + `]}}`, `{"data":{"web":[5,null,{"url":"x"},{"url":7},` + good + `]}}`, 1, "4 results that are not valid"},
	} {
		for name, s := range map[string]agent.Searcher{
			"searxng":    &search.SearXNG{Base: "http://s.test", Get: func(context.Context, string) ([]byte, error) { return []byte(test.searx), nil }},
			"brave":      search.ForAgent(&search.Brave{Fetch: func(context.Context, string, http.Header) ([]byte, error) { return []byte(test.brave), nil }}),
			"compatible": &search.Compatible{Base: "http://s.test", Post: func(context.Context, string, []byte) ([]byte, error) { return []byte(test.compatible), nil }},
		} {
			got, err := s.Search(t.Context(), agent.Query{Text: "x", N: 1})
			said := ""
			if err != nil {
				said = err.Error()
			}
			if len(got) != test.hits || !strings.Contains(said, test.said) || (err != nil) != (test.said != "") {
				t.Errorf("%s, %s: %d hits, %v; want %d, %q", name, test.name, len(got), err, test.hits, test.said)
			}
		}
	}
}

// TestPatience checks that a search waits once for a provider that answers 429.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{errs: []error{&search.StatusError{Status: 429, After: 4 * time.Second}}, bodies: []string{"", `{"results":[{"url":"http://a.test/"}]}`}}
		start := time.Now()
		got, err := (&search.SearXNG{Base: "http://s.test", Get: a.get}).Search(t.Context(), agent.Query{Text: "x", N: 1})
		if err != nil || len(got) != 1 || time.Since(start) != 4*time.Second {
			t.Errorf("%v, %v after %v", got, err, time.Since(start))
		}
	})
}

func TestCompatible(t *testing.T) {
	var sent, at string
	post := func(_ context.Context, url string, body []byte) ([]byte, error) {
		at, sent = url, string(body)
		return []byte(`{"success":true,"data":{"web":[{"url":"https://a.test/","title":"A","description":"d"}]}}`), nil
	}
	got, err := (&search.Compatible{Base: "https://api.test/", Post: post}).Search(t.Context(), agent.Query{Text: "x", N: 3})
	if err != nil || cmp.Diff([]agent.Hit{{URL: "https://a.test/", Title: "A", Snippet: "d"}}, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
	if at != "https://api.test/v2/search" || sent != `{"limit":3,"query":"x"}` {
		t.Errorf("sent %s to %s", sent, at)
	}
}

func TestStatic(t *testing.T) {
	s := search.Static{{URL: "https://a.test/"}, {URL: "https://a.test/"}, {URL: "https://b.test/"}}
	if got, err := s.Search(t.Context(), agent.Query{N: 5}); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzSearXNG(f *testing.F) {
	f.Add(`{"results":[{"url":"http://a.test/","title":"x"}],"unresponsive_engines":[["a","b"],[]]}`)
	f.Add(`{"results":null,"unresponsive_engines":[[{}]]}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := &search.SearXNG{Base: "http://s.test", Get: func(context.Context, string) ([]byte, error) { return []byte(body), nil }, Silent: func(context.Context, []string) {}}
		got, _ := s.Search(t.Context(), agent.Query{Text: "x", N: 50})
		if len(got) > 20 {
			t.Errorf("%d hits", len(got))
		}
		for _, h := range got {
			if !strings.HasPrefix(h.URL, "http") || len(h.Title) > 4*200 || len(h.Snippet) > 4*300 {
				t.Errorf("hit %q", h)
			}
		}
	})
}

// TestCheck expects that a request that is not valid names its field, and is not sent.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		r     *search.Request
		field string // empty and valid unless r is nil
	}{
		"nil":               {nil, ""},
		"no text":           {&search.Request{Text: " \n"}, "Text"},
		"below zero":        {&search.Request{Text: "a", N: -1}, "N"},
		"too many":          {&search.Request{Text: "a", N: 201}, "N"},
		"unknown source":    {&search.Request{Text: "a", Sources: []search.Query{{}, {Source: "maps"}}}, "Sources[1]"},
		"a source twice":    {&search.Request{Text: "a", Sources: []search.Query{{Source: search.Web, Language: "de"}, {Language: "en"}}}, "Sources[1]"},
		"no domain":         {&search.Request{Text: "a", Include: []string{"a.test", "not a domain"}}, "Include[1]"},
		"a URL":             {&search.Request{Text: "a", Include: []string{"https://a.test/"}}, "Include[0]"},
		"a path":            {&search.Request{Text: "a", Exclude: []string{"a.test/b"}}, "Exclude[0]"},
		"not ASCII":         {&search.Request{Text: "a", Exclude: []string{"müller.test"}}, "Exclude[0]"},
		"empty domain":      {&search.Request{Text: "a", Include: []string{"a.test"}, Exclude: []string{"b.test", ""}}, "Exclude[1]"},
		"valid":             {&search.Request{Text: "a", N: 200, Include: []string{"A.test", "xn--mller-kva.test", "test"}}, ""},
		"valid, of sources": {&search.Request{Text: "a", Sources: []search.Query{{}, {Source: search.News}, {Source: search.Images}}}, ""},
	} {
		valid := c.field == "" && c.r != nil
		field, err := c.r.Check()
		if field != c.field || (err == nil) != valid {
			t.Errorf("%s: field %q, %v", name, field, err)
		}
		var asked finder
		_, err = c.r.Run(t.Context(), &asked)
		if n := asked.searches.Load(); (n > 0) != valid || (err == nil) != valid {
			t.Errorf("%s: %d searches, %v", name, n, err)
		}
	}
}

// finder is a provider that finds nothing.
type finder struct{ searches atomic.Int32 }

func (f *finder) Find(context.Context, *search.Query) (*search.Answer, error) {
	f.searches.Add(1)
	return new(search.Answer), nil
}
