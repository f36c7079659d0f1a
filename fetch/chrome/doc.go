// SPDX-License-Identifier: Apache-2.0

// Package chrome shows web pages in Chromium. It implements
// [render.Renderer].
//
//	b, err := chrome.Start(ctx, nil)
//	if err != nil {
//		return err // for example because no Chromium is installed
//	}
//	defer b.Close(ctx)
//	page, err := b.Render(ctx, &render.Request{URL: "https://example.com/"})
//
// Each page gets a browser context of its own, whose cookies, storage and cache
// end with it. At most [Options.Tabs] pages are shown at the same time. The
// browser is restarted after [Options.Pages] pages, if it uses more than [Options.Memory], and
// after a crash. A [Pool] shows pages in several browsers. The pages
// that it was showing during a crash are tried once more, each in a browser of its
// own, unless one of their steps may have changed something at the site.
//
// # Security
//
// All traffic of a page goes through [egress.Proxy], which checks each address
// that it dials. A page can therefore reach only addresses that [fetch.Client]
// could reach. Requests that the browser makes on its own behalf are refused.
// Downloads, pop-ups, dialogs, extensions, service workers, QUIC, and WebRTC
// without a proxy are disabled. Chromium's sandbox is enabled. With it, Chromium
// does not start as root: run it as another user (Command) or disable the sandbox
// (NoSandbox).
package chrome
