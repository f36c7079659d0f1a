// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	protocol "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/cdproto/target"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// phone is the User-Agent of mobile pages, without the version.
const phone = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s Mobile Safari/537.36"

// prepare configures the tab before the first request.
func (v *view) prepare(ctx context.Context) error {
	r := v.request
	size, touch := render.Viewport{Width: 1280, Height: 800}, false
	agent := cmp.Or(r.UserAgent, strings.Replace(v.tab.process.agent, "HeadlessChrome", "Chrome", 1))
	if r.Mobile {
		size, touch = render.Viewport{Width: 390, Height: 844}, true
		_, version, _ := strings.Cut(v.tab.process.agent, "Chrome/")
		version, _, _ = strings.Cut(version, " ")
		agent = cmp.Or(r.UserAgent, fmt.Sprintf(phone, version))
	}
	if r.Viewport != (render.Viewport{}) {
		size = r.Viewport
	}
	v.window = size
	languages := "en-US,en"
	if len(r.Languages) > 0 {
		languages = strings.Join(r.Languages, ",")
	}
	v.agent = emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: languages}
	if r.UserAgent == "" {
		v.agent.UserAgentMetadata = v.hints()
	}
	return together(
		func() error { return v.protect(ctx, v.target) },
		func() error { return v.resize(ctx, size) },
		func() error {
			if !r.InsecureTLS || len(r.Header) > 0 || len(r.Cookies) > 0 || len(r.Steps) > 0 {
				return nil
			}
			return done(call(ctx, v, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}))
		},
		func() error { return v.giveCookies(ctx) },
		func() error {
			return done(call(ctx, v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: touch}))
		},
		func() error {
			return done(call(ctx, v, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny}))
		},
	)
}

// hints returns the client hints that go with the User-Agent of this package.
func (v *view) hints() *emulation.UserAgentMetadata {
	_, version, _ := strings.Cut(v.tab.process.agent, "Chrome/")
	version, _, _ = strings.Cut(version, " ")
	major, _, _ := strings.Cut(version, ".")
	h := &emulation.UserAgentMetadata{
		Brands:          []*emulation.UserAgentBrandVersion{{Brand: "Chromium", Version: major}},
		FullVersionList: []*emulation.UserAgentBrandVersion{{Brand: "Chromium", Version: version}},
		Platform:        "Linux",
	}
	if v.request.Mobile {
		h.Platform, h.PlatformVersion, h.Model, h.Mobile = "Android", "15", "Pixel 9", true
	}
	return h
}

// protect configures the session of a tab, or of a frame of another site, so that the view
// decides about its documents and its frames.
func (v *view) protect(ctx context.Context, s cdp.Session) error {
	yes, flat := true, false
	return together(
		func() error {
			return done(callIn(ctx, callTimeout, s, protocol.Enable, protocol.EnableParams{HandleAuthRequests: &yes, Patterns: patterns(&v.request.Block)}))
		},
		func() error {
			return done(callIn(ctx, callTimeout, s, target.SetAutoAttach, target.SetAutoAttachParams{
				AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: "iframe"}},
			}))
		},
		func() error {
			return done(callIn(ctx, callTimeout, s, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}))
		},
		func() error { return done(callIn(ctx, callTimeout, s, emulation.SetUserAgentOverride, v.agent)) },
		func() error { // chromedp enables the domain DOM without the spaces between elements, and only a disabled domain can be enabled
			if err := done(callIn(ctx, callTimeout, s, dom.Disable, cdp.Empty{})); isLost(err) {
				return err
			}
			return done(callIn(ctx, callTimeout, s, dom.Enable, dom.EnableParams{IncludeWhitespace: dom.EnableIncludeWhitespaceAll}))
		},
	)
}

// together sends commands without waiting for the answers of the others. It returns the first
// error.
func together(commands ...func() error) error {
	errs := make([]error, len(commands))
	var all sync.WaitGroup
	for i, do := range commands {
		all.Go(func() { errs[i] = do() })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// patterns returns the requests that the browser asks about: those for documents, and those
// that b forbids. To ask about all requests would take much longer.
func patterns(b *render.Block) []*protocol.RequestPattern {
	list := []*protocol.RequestPattern{
		{ResourceType: network.ResourceTypeDocument, RequestStage: protocol.RequestStageRequest},
		{ResourceType: network.ResourceTypeDocument, RequestStage: protocol.RequestStageResponse},
	}
	if b.Media {
		list = append(list, &protocol.RequestPattern{ResourceType: network.ResourceTypeMedia, RequestStage: protocol.RequestStageRequest})
	}
	if b.Fonts {
		list = append(list, &protocol.RequestPattern{ResourceType: network.ResourceTypeFont, RequestStage: protocol.RequestStageRequest})
	}
	return list
}

// giveCookies sets the cookies of the request, for the host of its URL.
func (v *view) giveCookies(ctx context.Context) error {
	for _, c := range v.request.Cookies {
		err := done(call(ctx, v, network.SetCookie, network.SetCookieParams{
			Name: c.Name, Value: c.Value, URL: v.request.URL, Path: c.Path, Secure: &c.Secure, HTTPOnly: &c.HttpOnly,
		}))
		if err != nil && ctx.Err() == nil && !isLost(err) && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%w: the cookie %q", fetch.ErrHeader, c.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// done drops the empty result of a command.
func done(_ cdp.Empty, err error) error { return err }
