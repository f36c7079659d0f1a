// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/format/brand"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/threat"
)

// Shower returns the fetcher for pages, which shows them in the browser as o says. It shows
// at most most pages because they need scripts, or any number if most is zero. The bytes of
// a page are not those that a browser shows. gate is asked about the frames of a page. If it is
// nil, it admits all.
func (p *Pipeline) Shower(o *Reading, most int, gate *threat.Gate) fetch.Fetcher {
	if slices.Contains(o.Format.Forms, format.RawBase64) {
		return p.Fetcher
	}
	f := &render.Fetcher{Static: p.Fetcher, Most: most, Always: o.View, Frame: func(ctx context.Context, url string) error { return meter.Admit(ctx, gate, url) }}
	if slices.Contains(o.Format.Forms, format.BrandingForm) && p.Browser.Styles() {
		var view render.Request
		if f.Optional = o.View == nil; !f.Optional {
			view = *o.View
		}
		view.Styles = true
		f.Always = &view
	}
	if !o.Format.KeepAds {
		f.Block = func(page string) render.Block { return p.block(page, o.View) }
	}
	return p.Browser.Fetcher(f)
}

// block returns what is blocked on a page: advertisements by the lists, and banners that ask
// for consent. view may be nil.
func (p *Pipeline) block(page string, view *render.Request) (b render.Block) {
	if view != nil {
		b = view.Block
	}
	b.Consent = cmp.Or(b.Consent, render.RefuseConsent)
	if ads := p.Format.Ads; ads != nil {
		blocks := ads.Requests(page)
		b.Ads = func(url, _ string) bool { return blocks(url) }
	}
	return b
}

// styles returns the computed styles of a page. view is the View of the fetched page.
func styles(view any) []brand.Style {
	page, shown := view.(*render.Page)
	if !shown {
		return nil
	}
	var list []brand.Style
	for _, s := range page.Styles {
		list = append(list, brand.Style(s))
	}
	return list
}

// attach adds the results of the browser to a document. view is the View of the fetched
// page, which is nil if the page was not shown.
func (p *Pipeline) attach(ctx context.Context, doc *format.Document, view any, o *Reading) error {
	page, shown := view.(*render.Page)
	if !shown {
		if o.View != nil {
			doc.Warning = notices.Join(doc.Warning, "The page was not shown in a browser, because it is not HTML. The options that need a browser have no effect.")
		}
		return nil
	}
	a := viewing.Attachment{Keep: o.Keep}
	if o.Format.Redact != nil {
		a.Redact = func(ctx context.Context, url string, html []byte) (string, error) {
			return p.redacted(ctx, url, html, o)
		}
	}
	return a.Attach(ctx, doc, page, o.View)
}

// redacted returns the HTML of a page without personal data.
func (p *Pipeline) redacted(ctx context.Context, url string, html []byte, o *Reading) (string, error) {
	how := Reading{Format: format.Options{Forms: []format.Form{format.RawHTML}, Redact: o.Format.Redact, NoRetain: o.Format.NoRetain}, Terms: o.Terms, Line: o.Line}
	a := &answered{asked: url, url: url, status: http.StatusOK, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: html}
	doc, err := p.build(ctx, a, a.source(), &how)
	if err != nil {
		return "", err
	}
	if doc.RawHTML == nil {
		return "", errors.New("the page has no HTML")
	}
	return *doc.RawHTML, nil
}
