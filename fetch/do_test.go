// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"testing"

	"example.com/curlew/fetch"
)

// fixed is a Fetcher that always returns the same.
type fixed struct {
	resp *fetch.Response
	err  error
}

func (f fixed) Fetch(context.Context, *fetch.Request) (*fetch.Response, error) { return f.resp, f.err }

// TestDo checks that a Fetcher that breaks its promise gives an error that names the page.
func TestDo(t *testing.T) {
	gone := errors.New("gone")
	good := &fetch.Response{Status: 404}
	for name, c := range map[string]struct {
		f    fixed
		want error
	}{
		"a response":       {fixed{resp: good}, nil},
		"an error":         {fixed{err: gone}, gone},
		"nothing":          {fixed{}, fetch.ErrProtocol},
		"no status":        {fixed{resp: new(fetch.Response)}, fetch.ErrProtocol},
		"no status of RFC": {fixed{resp: &fetch.Response{Status: 42}}, fetch.ErrProtocol},
	} {
		resp, err := fetch.Do(t.Context(), c.f, &fetch.Request{URL: "http://user:secret@a.test/"})
		if !errors.Is(err, c.want) || (resp == good) != (c.want == nil) {
			t.Errorf("%s: %v, %v, want %v", name, resp, err, c.want)
		}
		if e, ok := errors.AsType[*fetch.Error](err); c.want == fetch.ErrProtocol && (!ok || e.URL != "http://a.test/") { //nolint:errorlint // of the table
			t.Errorf("%s: %v, want an error of the page", name, err)
		}
	}
}
