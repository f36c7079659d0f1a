// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// brokenCache is a cache that fails or returns invalid entries.
type brokenCache struct {
	value   []byte
	err     error
	deleted int
}

func (c *brokenCache) Get(context.Context, fetch.Key) ([]byte, error) { return c.value, c.err }
func (c *brokenCache) Put(context.Context, fetch.Key, []byte) error   { return errors.New("full") }
func (c *brokenCache) Delete(context.Context, fetch.Key) error        { c.deleted++; return c.err }
func TestCacheBroken(t *testing.T) {
	tests := []struct {
		name    string
		c       *brokenCache
		deleted int
	}{
		{"fails", &brokenCache{err: errors.New("gone")}, 0},
		{"junk", &brokenCache{value: []byte("junk")}, 2},
		{"another page", &brokenCache{value: []byte("200 946684800000000000 0\nhttp://b.test/\n\n")}, 2},
	}
	for _, test := range tests {
		site := fetchtest.New(t, []byte(cachedWeb))
		site.Cache = test.c
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", MaxAge: fetch.Unlimited})
		if err != nil || string(resp.Body) != "one\n" {
			t.Errorf("%s: %+v, %v", test.name, resp, err)
		}
		if _, err := site.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", Lockdown: true}); !errors.Is(err, fetch.ErrNotCached) {
			t.Errorf("%s, lockdown: %v", test.name, err)
		}
		if test.c.deleted != test.deleted {
			t.Errorf("%s: deleted %d times", test.name, test.c.deleted)
		}
	}
}

// TestCacheOwnership checks that callers may change what they pass and get.
func TestCacheOwnership(t *testing.T) {
	site := fetchtest.New(t, []byte(cachedWeb))
	site.Cache = new(fetch.MemoryCache)
	for i := range 4 {
		header := http.Header{"X-Mine": {"1"}}
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/tagged", MaxAge: time.Hour, Header: header})
		if err != nil || string(resp.Body) != "tagged\n" || resp.Header.Get("Etag") != `"1"` || len(header) != 1 {
			t.Fatalf("fetch %d: %+v, %v, header %v", i, resp, err, header)
		}
		clear(resp.Body)
		resp.Header.Set("Etag", "mine")
	}
}

// TestClockBack checks pages whose time is in the future because the clock was
// set back.
func TestClockBack(t *testing.T) {
	site := fetchtest.New(t, []byte(cachedWeb))
	at := time.Now().Add(time.Hour)
	site.Cache = &brokenCache{value: fetch.EncodeEntry(&fetch.Response{URL: "http://a.test/", Status: 200, Body: []byte("later")}, at)}
	resp, err := site.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", MaxAge: time.Hour})
	if err != nil || string(resp.Body) != "one\n" {
		t.Errorf("MaxAge: %+v, %v, want it fetched", resp, err)
	}
	resp, err = site.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", Lockdown: true})
	if err != nil || string(resp.Body) != "later" || !resp.Cached.Equal(at) {
		t.Errorf("Lockdown: %+v, %v, want the page of the cache", resp, err)
	}
}
