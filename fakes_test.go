// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"

	"example.com/curlew/agent/llm"
	"example.com/curlew/fetch"
)

// panicking is a Fetcher that panics.
type panicking struct{}

func (panicking) Fetch(context.Context, *fetch.Request) (*fetch.Response, error) { panic("so it goes") }

// fakeWeb is a Fetcher for HTML pages by URL.
type fakeWeb map[string]string

func (f fakeWeb) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	body, ok := f[r.URL]
	if !ok {
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrDNS}
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}, nil
}

// oneSite is a site with one page.
const oneSite = "-- http://a.test/ --\n<title>A</title><p>Hello.</p>\n"

// namer is a model that extracts the name from a line "Name: ..." of a page.
type namer struct{}

var named = regexp.MustCompile(`(?m)^(\d+)\| Name: (.+)$`)

func (namer) Complete(_ context.Context, c llm.Call) (llm.Reply, error) {
	reply := llm.Reply{Finish: llm.FinishOK, Usage: llm.Usage{Input: 1000, Output: 100}}
	switch c.Role {
	case llm.RoleExtract:
		rows := []any{}
		if m := named.FindStringSubmatch(c.User); m != nil {
			line, _ := strconv.Atoi(m[1])
			rows = append(rows, map[string]any{"v": map[string]any{"name": m[2]}, "ln": map[string][]int{"name": {line, line}}})
		}
		reply.JSON, _ = json.Marshal(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "detail"})
	case llm.RolePlan:
		reply.JSON = json.RawMessage(`{"tables":[],"queries":[],"start":["L1"],"fields":[]}`)
	case llm.RoleDecide:
		reply.JSON = json.RawMessage(`{"note":"Nothing more to read.","actions":[{"do":"finish","why":"done"}]}`)
	default:
		reply.Finish = llm.FinishRefusal
	}
	return reply, nil
}
