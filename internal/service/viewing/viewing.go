// SPDX-License-Identifier: Apache-2.0

// Package viewing shows pages in the browser of a Service, and puts what the browser
// has produced into their documents.
package viewing

import (
	"log/slog"
	"slices"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// Browser is the browser of a Service. The zero value is none.
type Browser struct {
	renderer  render.Renderer
	abilities render.Abilities
}

// Open returns the browser of a Service with a renderer, which may be nil. A renderer
// that is not guarded is not used, because a page could reach any address through it.
func Open(r render.Renderer, logger *slog.Logger) Browser {
	if r == nil {
		return Browser{}
	}
	b := Browser{r, render.AbilitiesOf(r)}
	if !b.abilities.Guarded {
		logger.Error("the Renderer is not used, because it is not guarded: see render.Trusted")
		return Browser{}
	}
	return b
}

// Fetcher returns f with the browser as its Renderer. If there is no browser, it returns
// f.Static.
func (b *Browser) Fetcher(f *render.Fetcher) fetch.Fetcher {
	if b.renderer == nil {
		return f.Static
	}
	f.Renderer = b.renderer
	if !b.abilities.Block {
		f.Block = nil
	}
	return f
}

// Styles reports whether the browser can compute the styles of pages.
func (b *Browser) Styles() bool { return b.renderer != nil && b.abilities.Styles }

// Refused is a wish that the browser cannot or may not fulfil.
type Refused struct {
	Kind render.Kind // of the step, or "" if it is not a step
	Wish string      // such as "the action click" or "the format screenshot"
	Why  string      // such as "needs a browser, and none is configured"
}

// Check returns the first part of a request that the browser cannot do, or nil. A nil
// request asks for nothing.
func (b *Browser) Check(r *render.Request) *Refused {
	if r == nil {
		return nil
	}
	why, a := "cannot be done by its browser", &b.abilities
	if b.renderer == nil {
		why = "needs a browser, and none is configured"
	}
	for _, s := range r.Steps {
		if !a.Can(s.Kind) {
			return &Refused{s.Kind, "the action " + ActionName(s.Kind), why}
		}
		if s.Kind == render.Screenshot && s.Shot.Full && !a.FullPage {
			return &Refused{s.Kind, "a screenshot of the full page", why}
		}
	}
	for _, part := range []struct {
		asked, able bool
		wish        string
	}{
		{r.Wait > 0, b.renderer != nil, "a wait"},
		{r.Screenshot != nil, a.Screenshot, "the format screenshot"},
		{r.Screenshot != nil && r.Screenshot.Full, a.FullPage, "a screenshot of the full page"},
		{r.PDF != nil, a.PDF, "a PDF"},
		{r.Mobile, a.Mobile, "the view of a phone"},
		{len(r.Languages) > 0 || r.TimeZone != "", a.Languages, "the choice of languages"},
		{r.Country != "", slices.Contains(a.Countries, r.Country), "the country " + r.Country},
		{r.Scroll != nil, a.Scroll, "scrolling for more"},
		{r.Styles, a.Styles, "computed styles"},
	} {
		if part.asked && !part.able {
			return &Refused{"", part.wish, why}
		}
	}
	return nil
}

// ActionName returns the name of a kind of step in the HTTP contract.
func ActionName(k render.Kind) string {
	if k == render.Script {
		return "executeJavascript"
	}
	return string(k)
}
