// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"hash/crc32"
	"net/netip"
	"strings"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

func curlewLinks(ctx context.Context, r run) ([]got, error) { return curlew(ctx, r, nil) }

func curlewTree(ctx context.Context, r run) ([]got, error) {
	return curlew(ctx, r, func(_ context.Context, p *crawl.Page) error {
		_, err := p.Tree()
		return err
	})
}

func curlewMarkdown(ctx context.Context, r run) ([]got, error) {
	return curlew(ctx, r, func(ctx context.Context, p *crawl.Page) error {
		root, err := p.Tree()
		if err != nil {
			return err
		}
		doc, err := format.Build(ctx, &format.Input{Root: root, URL: p.URL, SourceURL: p.URL, StatusCode: p.Status}, &format.Options{WholePage: true})
		if err != nil {
			return err
		}
		p.Payload = []byte(*doc.Markdown)
		return nil
	})
}

func curlew(ctx context.Context, r run, visit func(context.Context, *crawl.Page) error) ([]got, error) {
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	engine := crawl.Engine{Fetcher: client}
	base := "http://" + r.Server
	var pages []got
	for page, err := range engine.Run(ctx, crawl.Config{
		URL: base, Limit: 2 * r.Pages, Concurrency: r.Concurrency,
		Sitemap: crawl.SitemapSkip, EntireDomain: true, Visit: visit,
	}) {
		if err != nil {
			return nil, err
		}
		if page.Err == nil {
			pages = append(pages, got{strings.TrimPrefix(page.URL, base), crc32.ChecksumIEEE(page.Body)})
		}
	}
	return pages, nil
}
