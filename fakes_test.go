// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"net/http"

	"example.com/curlew/fetch"
)

// panicking is a fetcher with a bug.
type panicking struct{}

func (panicking) Fetch(context.Context, *fetch.Request) (*fetch.Response, error) { panic("so it goes") }

// fakeWeb is a web of HTML pages by URL.
type fakeWeb map[string]string

func (f fakeWeb) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	body, ok := f[r.URL]
	if !ok {
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrDNS}
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}, nil
}

// oneSite is a web of one page.
const oneSite = "-- http://a.test/ --\n<title>A</title><p>Hello.</p>\n"
