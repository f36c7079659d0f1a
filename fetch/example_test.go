// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"example.com/curlew/fetch"
)

func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			return
		}
		_, _ = io.WriteString(w, "a page")
	}))
	defer site.Close()

	c := fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}} // the example's server runs on this machine
	defer c.CloseIdleConnections()
	page, err := c.Fetch(context.Background(), &fetch.Request{
		URL: site.URL + "/old",
		Redirect: func(h fetch.Hop) error {
			fmt.Println(h.Status, h.To == site.URL+"/new")
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Status, string(page.Body))
	// Output:
	// 301 true
	// 200 a page
}

// A Client refuses addresses that are not public before it sends anything.
func ExampleClient_guard() {
	var c fetch.Client
	_, err := c.Fetch(context.Background(), &fetch.Request{URL: "http://169.254.169.254/latest/meta-data/"})
	fmt.Println(err, errors.Is(err, fetch.ErrAddress))
	// Output: fetch http://169.254.169.254/latest/meta-data/: blocked by network policy: not a public address (fetch.Client.Allow allows others) true
}

// A page that is recent enough comes from the cache.
func ExampleClient_cache() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println("asked")
		_, _ = io.WriteString(w, "a page")
	}))
	defer site.Close()

	c := fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Cache: new(fetch.MemoryCache)}
	defer c.CloseIdleConnections()
	for range 2 {
		page, err := c.Fetch(context.Background(), &fetch.Request{URL: site.URL, MaxAge: time.Hour})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(page.Body), page.Cached.IsZero())
	}
	// Output:
	// asked
	// a page true
	// a page false
}
