// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"encoding/json"
	"strings"

	"example.com/curlew/agent"
)

// Post sends body, which is JSON, to url. Like [Get], it returns the body of an
// answer with status 200.
type Post func(ctx context.Context, url string, body []byte) ([]byte, error)

// Compatible uses an endpoint of the public v2 search: POST {Base}/v2/search.
// Base and Post are required.
type Compatible struct {
	Base string
	Post Post
}

// Search implements [agent.Searcher].
func (s *Compatible) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	if s.Post == nil {
		return nil, &Error{"compatible", ErrGet}
	}
	found := newHits(q.N)
	address, err := join(s.Base, "/v2/search", nil)
	if err != nil {
		return nil, &Error{"compatible", err}
	}
	body, err := json.Marshal(map[string]any{"query": text(q), "limit": found.most})
	if err != nil {
		return nil, &Error{"compatible", err}
	}
	get := func(ctx context.Context, url string) ([]byte, error) { return s.Post(ctx, url, body) }
	raw, err := again(ctx, get, strings.TrimSuffix(address, "?"))
	if err != nil {
		return nil, &Error{"compatible", err}
	}
	var reply struct {
		Data struct {
			Web []struct {
				URL         string `json:"url"`
				Title       string `json:"title"`
				Description string `json:"description"`
			} `json:"web"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, &Error{"compatible", ErrReply}
	}
	for _, r := range reply.Data.Web {
		found.add(r.URL, r.Title, r.Description)
	}
	return found.list, nil
}

// Static returns the same hits for every query.
type Static []agent.Hit

// Search implements [agent.Searcher].
func (s Static) Search(_ context.Context, q agent.Query) ([]agent.Hit, error) {
	found := newHits(q.N)
	for _, h := range s {
		found.add(h.URL, h.Title, h.Snippet)
	}
	return found.list, nil
}
