// SPDX-License-Identifier: Apache-2.0

// Package search connects agents and programs to search providers. Its types
// build the request and read the answer, and the caller provides the func that
// sends it.
//
//	s := &search.SearXNG{Base: "http://searx.internal:8080", Get: search.Over(client).Get()}
//	e := agent.Engine{Model: model, Fetch: web, Search: s}
//
// A [Provider] knows more than an agent asks for: images, news, languages,
// countries and time ranges. [SearXNG] and [Brave] are providers, and
// [Request.Run] searches several sources of one and filters the hits.
//
// # Security
//
// Base is set by the operator and never comes from a request. The query is sent
// only there. Answers are untrusted: the number and length of hits are limited,
// and the agent's gate decides which of them are requested.
package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/weburl"
)

// Errors of a search.
var (
	ErrReply = errors.New("answer of the search provider is not valid")
	ErrBase  = errors.New("base is not an http(s) URL")
	ErrGet   = errors.New("Get is not set")
	ErrOff   = errors.New("the provider does not answer in JSON: add json to its search.formats")
)

// Error names the provider that failed.
type Error struct {
	Provider string
	Err      error // wraps an error of this package, of Get, or ctx's cause
}

// Error returns the provider and the cause.
func (e *Error) Error() string { return "search " + e.Provider + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Get requests url and returns the body of an answer with status 200. For
// another status it returns an error that wraps a *[StatusError]. It must limit
// the size of the body and return when ctx ends.
type Get func(ctx context.Context, url string) ([]byte, error)

// StatusError is an answer with another status than 200.
type StatusError struct {
	Status int
	After  time.Duration // Retry-After; zero if there is none
}

// Error returns the status.
func (e *StatusError) Error() string { return "status " + strconv.Itoa(e.Status) }

// Limits of one search.
const (
	maxPages   = 5
	maxHits    = 20
	maxTitle   = 200 // characters
	maxSnippet = 300
	maxSites   = 5
	maxWait    = 10 * time.Second
	shortWait  = time.Second
)

// hits collects unique hits in the provider's order.
type hits struct {
	list []agent.Hit
	seen map[string]bool
	most int
}

func newHits(n int) *hits {
	if n <= 0 || n > maxHits {
		n = maxHits
	}
	return &hits{seen: map[string]bool{}, most: n}
}

// add adds a hit and reports whether it was new.
func (h *hits) add(address, title, snippet string) bool {
	u, err := weburl.Parse(strings.TrimSpace(address))
	if err != nil || len(h.list) == h.most {
		return false
	}
	key := string(u.AppendKey(nil, weburl.KeyOptions{KeepSimilar: true}))
	if h.seen[key] {
		return false
	}
	h.seen[key] = true
	h.list = append(h.list, agent.Hit{URL: u.String(), Title: line(title, maxTitle), Snippet: line(snippet, maxSnippet)})
	return true
}

// line returns at most n characters of s on one line.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// text returns the query with its sites as search words.
func text(q agent.Query) string {
	if len(q.Sites) == 0 {
		return q.Text
	}
	var sites []string
	for _, s := range q.Sites[:min(len(q.Sites), maxSites)] {
		sites = append(sites, "site:"+s)
	}
	return q.Text + " " + strings.Join(sites, " OR ")
}

// join returns base with path and query appended.
func join(base, path string, query url.Values) (string, error) {
	u, err := weburl.Parse(base)
	if err != nil {
		return "", ErrBase
	}
	root := strings.TrimSuffix(u.WithoutFragment().String(), "/")
	if i := strings.IndexByte(root, '?'); i >= 0 {
		root = strings.TrimSuffix(root[:i], "/")
	}
	return root + path + "?" + query.Encode(), nil
}

// SearXNG uses an instance of SearXNG, whose search.formats must contain json.
// Base and Get are required.
type SearXNG struct {
	Base       string
	Get        Get
	Language   string                                      // empty means all languages
	TimeRange  string                                      // day, month, year; empty means all
	SafeSearch int                                         // 0 to 2
	Silent     func(ctx context.Context, engines []string) // called with the engines that did not answer; may be nil
}

// Search implements [agent.Searcher]. It requests pages of about 20 hits until
// there are enough or a page contains nothing new, at most five. If the
// provider refuses because of too many requests, it waits and retries once. If engines
// did not answer, or a later page failed, the error wraps [agent.ErrPartial].
func (s *SearXNG) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	if s.Get == nil {
		return nil, &Error{"searxng", ErrGet}
	}
	found := newHits(q.N)
	var partial error
	for page := 1; page <= maxPages && len(found.list) < found.most; page++ {
		reply, err := s.page(ctx, q, page)
		if err != nil {
			if page > 1 && ctx.Err() == nil {
				partial = fmt.Errorf("%w: the provider failed after %d hits", agent.ErrPartial, len(found.list))
				break
			}
			return nil, &Error{"searxng", err}
		}
		fresh := false
		for _, r := range reply.Results {
			fresh = found.add(r.URL, r.Title, r.Content) || fresh
		}
		if engines := reply.engines(); page == 1 && len(engines) > 0 {
			partial = fmt.Errorf("%w: these engines did not answer: %s", agent.ErrPartial, line(strings.Join(engines, ", "), maxTitle))
			if s.Silent != nil {
				s.Silent(ctx, engines)
			}
		}
		if !fresh {
			break
		}
	}
	if partial != nil {
		return found.list, &Error{"searxng", partial}
	}
	return found.list, nil
}

// searxReply is a page of results.
type searxReply struct {
	Results      []searxResult       `json:"results"`
	Unresponsive [][]json.RawMessage `json:"unresponsive_engines"`
}

// searxResult is one result.
type searxResult struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// engines returns the names of the engines that did not answer.
func (r *searxReply) engines() []string {
	var names []string
	for _, e := range r.Unresponsive[:min(len(r.Unresponsive), 50)] {
		var name string
		if len(e) > 0 && json.Unmarshal(e[0], &name) == nil {
			names = append(names, line(name, maxTitle))
		}
	}
	return names
}

func (s *SearXNG) page(ctx context.Context, q agent.Query, page int) (*searxReply, error) {
	query := url.Values{"q": {text(q)}, "format": {"json"}, "pageno": {strconv.Itoa(page)}, "safesearch": {strconv.Itoa(s.SafeSearch)}}
	if s.Language != "" {
		query.Set("language", s.Language)
	}
	if s.TimeRange != "" {
		query.Set("time_range", s.TimeRange)
	}
	reply := new(searxReply)
	return reply, s.request(ctx, query, reply)
}

// again requests address, and retries once if the provider answers 429.
func again(ctx context.Context, get Get, address string) ([]byte, error) {
	body, err := get(ctx, address)
	status, ok := errors.AsType[*StatusError](err)
	if !ok || status.Status != 429 || status.After > maxWait {
		return body, err
	}
	if err := pause(ctx, max(status.After, shortWait)); err != nil {
		return nil, err
	}
	return get(ctx, address)
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
