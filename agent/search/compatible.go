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
	address, err := join(s.Base, "/v2/search", nil)
	if err != nil {
		return nil, &Error{"compatible", err}
	}
	return forAgent("compatible", q, func(own *Query) (*Answer, error) {
		body, err := json.Marshal(map[string]any{"query": own.Text, "limit": own.N})
		if err != nil {
			return nil, &Error{"compatible", err}
		}
		get := func(ctx context.Context, url string) ([]byte, error) { return s.Post(ctx, url, body) }
		raw, err := again(ctx, get, strings.TrimSuffix(address, "?"))
		if err != nil {
			return nil, &Error{"compatible", err}
		}
		var reply struct {
			Success *bool `json:"success"`
			Data    *struct {
				Web []json.RawMessage `json:"web"`
			} `json:"data"`
		}
		err = decode(raw, &reply)
		if err == nil && (reply.Data == nil || reply.Success != nil && !*reply.Success) { // such as {"success": false, "error": ...}
			err = ErrReply
		}
		if err != nil {
			return nil, &Error{"compatible", err}
		}
		found := collect(own)
		found.read(reply.Data.Web, func(raw json.RawMessage) (h Hit, err error) {
			var r struct {
				URL         string `json:"url"`
				Title       string `json:"title"`
				Description string `json:"description"`
			}
			err = json.Unmarshal(raw, &r)
			return Hit{URL: r.URL, Title: r.Title, Text: r.Description}, err
		})
		return found.end(), nil
	})
}

// Static returns the same hits for every query.
type Static []agent.Hit

// Search implements [agent.Searcher].
func (s Static) Search(_ context.Context, q agent.Query) ([]agent.Hit, error) {
	return forAgent("static", q, func(own *Query) (*Answer, error) {
		found := collect(own)
		for _, h := range s {
			found.add(Hit{URL: h.URL, Title: h.Title, Text: h.Snippet})
		}
		return found.end(), nil
	})
}
