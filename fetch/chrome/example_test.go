// SPDX-License-Identifier: Apache-2.0

package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// A crawl of a site whose pages are made by scripts.
func Example_crawl() {
	ctx := context.Background()
	browser, err := chrome.Start(ctx, nil)
	if errors.Is(err, chrome.ErrNotFound) {
		fmt.Println("install Chromium first")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer browser.Close(ctx)
	e := crawl.Engine{Fetcher: &render.Fetcher{Static: new(fetch.Client), Renderer: browser}}
	for page, err := range e.Run(ctx, crawl.Config{URL: "https://example.com/", Limit: 100}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(page.URL, len(page.Body))
	}
}

// A picture of a page after a click.
func Example_screenshot() {
	ctx := context.Background()
	browser, err := chrome.Start(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer browser.Close(ctx)
	page, err := browser.Render(ctx, &render.Request{
		URL:        "https://example.com/",
		Steps:      []render.Step{{Kind: render.Click, Selector: "button.more"}},
		Screenshot: &render.Shot{Full: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile("page.png", page.Screenshot.Data, 0o600); err != nil {
		fmt.Println(err)
	}
}
