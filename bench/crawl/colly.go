// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"hash/crc32"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	collypkg "github.com/gocolly/colly/v2"
)

// colly runs Colly with good settings: asynchronous, with keep-alive
// connections, the same concurrency, and obeying robots.txt like curlew.
func colly(_ context.Context, r run) ([]got, error) {
	base := "http://" + r.Server
	c := collypkg.NewCollector(collypkg.Async(true), collypkg.AllowedDomains(r.Server, strings.Split(r.Server, ":")[0]))
	c.IgnoreRobotsTxt = false
	c.WithTransport(&http.Transport{
		MaxIdleConns:        512,
		MaxIdleConnsPerHost: r.Concurrency,
		IdleConnTimeout:     90 * time.Second,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	})
	if err := c.Limit(&collypkg.LimitRule{DomainGlob: "*", Parallelism: r.Concurrency}); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var pages []got
	c.OnResponse(func(res *collypkg.Response) {
		sum := crc32.ChecksumIEEE(res.Body)
		mu.Lock()
		defer mu.Unlock()
		pages = append(pages, got{strings.TrimPrefix(res.Request.URL.String(), base), sum})
	})
	follow := func(attr string) collypkg.HTMLCallback {
		// Visit returns an error for visited URLs and for those that robots.txt
		// disallows.
		return func(e *collypkg.HTMLElement) { _ = e.Request.Visit(e.Attr(attr)) }
	}
	c.OnHTML("a[href], area[href], link[rel=next]", follow("href"))
	c.OnHTML("iframe[src]", follow("src"))
	if err := c.Visit(base + "/"); err != nil {
		return nil, err
	}
	c.Wait()
	return pages, nil
}
