// SPDX-License-Identifier: Apache-2.0

// Package chrome shows web pages in Chromium. It implements
// [render.Renderer].
//
//	b, err := chrome.Start(ctx, nil)
//	if err != nil {
//		return err // for example because no Chromium is installed
//	}
//	defer b.Close()
//	page, err := b.Render(ctx, &render.Request{URL: "https://example.com/"})
//
// Each page gets a browser context of its own, whose cookies, storage and cache
// end with it. At most [Options.Tabs] pages are shown at the same time. The
// browser is started again after [Options.Pages] pages, and when it crashed: then the
// pages that it was showing are tried once more, unless a step has been done.
//
// # Security
//
// All traffic of a page goes through [egress.Proxy], which checks each address
// that is dialed, so that no page reaches more than [fetch.Client] would. What
// the browser requests on its own behalf is refused. Downloads, pop-ups,
// dialogs, extensions, service workers, QUIC, and WebRTC without a proxy are
// off. Chromium's sandbox is on; as root it does not start, unless the operator
// turns the sandbox off (NoSandbox) or runs it as another user (Command).
package chrome
