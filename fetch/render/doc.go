// SPDX-License-Identifier: Apache-2.0

// Package render shows web pages in a browser: it runs their scripts and
// returns the document that a person would see.
//
// This package contains no browser. A browser implements [Renderer]. The nested
// module example.com/curlew/fetch/chrome does so with Chromium. A [Fetcher] uses
// a Renderer for pages that are empty without scripts, so that a crawl can read
// them like other pages:
//
//	browser, err := chrome.Start(ctx, nil)
//	if err != nil {
//		return err
//	}
//	defer browser.Close(ctx)
//	e := crawl.Engine{Fetcher: &render.Fetcher{Static: new(fetch.Client), Renderer: browser}}
//	for page, err := range e.Run(ctx, crawl.Config{URL: site}) {
package render
