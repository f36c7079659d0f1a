// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent/search"
	"example.com/curlew/fetch"
)

// searcher contains the flags for the search provider.
type searcher struct {
	searxng *string
	brave   *bool
}

func searcherFlags(flags *flag.FlagSet) searcher {
	return searcher{
		searxng: flags.String("searxng", "", "`URL` of a SearXNG instance whose search.formats have json, for searches and agents"),
		brave:   flags.Bool("brave", false, "search with the Brave Search API; its key is in CURLEW_BRAVE_KEY"),
	}
}

// set configures the search provider of the service. The caller must call the function at
// the end.
func (s searcher) set(service *curlew.Service, getenv func(string) string) (func(), error) {
	switch {
	case *s.searxng == "" && !*s.brave:
		return func() {}, nil
	case *s.searxng != "" && *s.brave:
		return nil, errors.New("-searxng and -brave are two search providers; choose one")
	case *s.brave && getenv("CURLEW_BRAVE_KEY") == "":
		return nil, errors.New("-brave needs CURLEW_BRAVE_KEY")
	}
	if err := CheckURL(*s.searxng); *s.searxng != "" && err != nil {
		return nil, fmt.Errorf("-searxng: %w", err)
	}
	provider, end := Provider(*s.searxng, getenv("CURLEW_BRAVE_KEY"))
	service.Searcher = provider
	return end, nil
}

// Provider returns the SearXNG instance with the given base URL, which may have a private
// address because the operator chose it. If base is empty, it returns Brave Search with the
// given key. The caller must call the function at the end.
func Provider(base, key string) (search.Provider, func()) {
	client := new(fetch.Client)
	if base != "" {
		client.Allow, client.Ports = everyPrivate(), []int{-1}
		return &search.SearXNG{Base: base, Get: over(client).Get()}, client.CloseIdleConnections
	}
	return &search.Brave{Key: key, Fetch: over(client)}, client.CloseIdleConnections
}

// errRedirected means that a search provider answered with a redirect.
var errRedirected = errors.New("the search provider redirects; give its final URL")

// over returns a Fetch that uses c and follows no redirect, so that no other host gets a key
// or a query.
func over(c *fetch.Client) search.Fetch {
	return func(ctx context.Context, url string, header http.Header) ([]byte, error) {
		resp, err := c.Fetch(ctx, &fetch.Request{URL: url, Header: header, NoStore: true, Redirect: func(fetch.Hop) error { return errRedirected }})
		if err != nil {
			return nil, err
		}
		if resp.Status != http.StatusOK {
			wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
			return nil, &search.StatusError{Status: resp.Status, After: time.Duration(wait) * time.Second}
		}
		return resp.Body, nil
	}
}
