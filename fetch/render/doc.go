// SPDX-License-Identifier: Apache-2.0

// Package render shows web pages in a browser: it runs their scripts and
// returns the document that a person would see.
//
// This package contains no browser. A [Renderer] is one;
// example.com/curlew/fetch/chrome, a module of its own, implements it with
// Chromium. A [Fetcher] uses a Renderer for the pages that are empty without
// scripts, so that a crawl reads them like all other pages:
//
//	browser, err := chrome.Start(ctx, nil)
//	if err != nil {
//		return err
//	}
//	defer browser.Close()
//	e := crawl.Engine{Fetcher: &render.Fetcher{Static: new(fetch.Client), Renderer: browser}}
//	for page, err := range e.Run(ctx, crawl.Config{URL: site}) {
package render
