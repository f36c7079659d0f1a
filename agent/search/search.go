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

// Reason returns the cause in words that contain no address and no text of the provider, or an
// empty string. An agent says it to its caller.
func (e *Error) Reason() string {
	if status, ok := errors.AsType[*StatusError](e.Err); ok && !errors.Is(e.Err, ErrOff) {
		return "the search provider answered with " + status.Error()
	}
	for _, known := range []error{ErrOff, ErrReply, ErrTooLarge} {
		if errors.Is(e.Err, known) {
			return known.Error()
		}
	}
	return ""
}

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
// did not answer, a later page failed, or results could not be read, the error wraps
// [agent.ErrPartial].
func (s *SearXNG) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	return forAgent("searxng", q, func(own *Query) (*Answer, error) { return s.find(ctx, own, maxPages, true) })
}

// forAgent returns the hits of a search for an agent. What is noted about it becomes an error that
// wraps [agent.ErrPartial].
func forAgent(name string, q agent.Query, find func(q *Query) (*Answer, error)) ([]agent.Hit, error) {
	n := q.N
	if n <= 0 || n > maxHits {
		n = maxHits
	}
	found, err := find(&Query{Text: text(q), N: n})
	if err != nil {
		return nil, err
	}
	var hits []agent.Hit
	for _, h := range found.Hits[:min(len(found.Hits), n)] {
		hits = append(hits, agent.Hit{URL: h.URL, Title: h.Title, Snippet: h.Text})
	}
	if len(found.Notes) > 0 {
		return hits, &Error{name, fmt.Errorf("%w: %s", agent.ErrPartial, line(strings.Join(found.Notes, " "), maxSnippet))}
	}
	return hits, nil
}

// engines returns the names of the engines that did not answer.
func engines(unresponsive [][]json.RawMessage) []string {
	var names []string
	for _, e := range unresponsive[:min(len(unresponsive), 50)] {
		var name string
		if len(e) > 0 && json.Unmarshal(e[0], &name) == nil {
			names = append(names, line(name, maxTitle))
		}
	}
	return names
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
