// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/adblock"
	"example.com/curlew/format/internal/content"
	"example.com/curlew/format/internal/selector"
	"example.com/curlew/internal/dom"
)

// AdRules are filter lists that the embedding program loads. If ads are blocked, Build
// leaves out the elements that the lists hide, and the links, frames, images and media
// whose addresses they block. AdRules are immutable and safe for concurrent use.
type AdRules struct{ list *adblock.List }

// ReadAdRules reads filter lists in the syntax of EasyList: rules that block
// requests (||host^, with options) and rules that hide elements (##selector),
// each with exceptions (@@, #@#). It skips rules that need a browser; Rules and
// Skipped return the numbers of rules that were read and skipped. The error
// says that all lists together are too long (64 MiB or 1,000,000 rules), or comes
// from a reader.
func ReadAdRules(lists ...io.Reader) (*AdRules, error) {
	l, err := adblock.Read(lists...)
	if err != nil {
		return nil, fmt.Errorf("format ads: %w", err)
	}
	return &AdRules{l}, nil
}

// Rules returns the number of rules.
func (a *AdRules) Rules() int { return a.list.Rules() }

// Skipped returns the number of rules that were skipped.
func (a *AdRules) Skipped() int { return a.list.Skipped() }

// Requests returns a function that reports whether the rules block the request for a URL
// that the page loads. Both URLs are absolute. The function is safe for concurrent use.
func (a *AdRules) Requests(page string) (blocks func(url string) bool) {
	p := a.list.Page(page)
	return func(url string) bool { return p.Blocks(url, adblock.Loaded) }
}

// dropAds adds to drop the elements that the built-in rules or the filter lists call
// advertisements. An element with more than 30 % of the text stays. The error is the
// cause of ctx.
func (b *builder) dropAds(ctx context.Context, ix *content.Index, drop content.Set) error {
	if b.deps.Ads == nil {
		dropByLooks(&b.page, ix, drop)
		return nil
	}
	lists := b.deps.Ads.list.Page(b.page.in.URL)
	elements := lists.Elements(ctx, ix.Nodes[0])
	total := ix.Runes(0)
	w := elementWalk{ix: ix}
	steps := 0
	for n, id := w.next(); n != nil; n, id = w.next() {
		if steps++; steps%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hidden := false
		if elements != nil {
			var err error
			if hidden, err = elements.Hides(n); errors.Is(err, selector.ErrSteps) {
				b.warnings.add("Not all filter lists were applied: their selectors take too many steps on this page.")
				elements = nil
			} else if err != nil {
				return err //nolint:wrapcheck // says all
			}
		}
		if id >= 0 && 10*ix.Runes(id) <= 3*total && (isAd(n) || filtered(&b.page, lists, n, hidden)) {
			drop.AddRange(id, ix.End[id])
			w.skip(id)
		}
	}
	return nil
}

// dropByLooks is dropAds with the built-in rules only.
func dropByLooks(pg *page, ix *content.Index, drop content.Set) {
	total := ix.Runes(0)
	for id := int32(0); id < ix.Len(); {
		pg.steps.Take(1)
		if n := ix.Nodes[id]; n.Type == html.ElementNode && 10*ix.Runes(id) <= 3*total && isAd(n) {
			drop.AddRange(id, ix.End[id])
			id = ix.End[id]
			continue
		}
		id++
	}
}

// filtered reports whether filter lists hide n, or block the address that it loads
// or links to.
func filtered(pg *page, page *adblock.Page, n *html.Node, hidden bool) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body:
		return false
	}
	if hidden {
		return true
	}
	key, kind := "src", adblock.Image
	switch n.DataAtom {
	case atom.Img:
	case atom.Iframe, atom.Embed, atom.Frame:
		kind = adblock.Frame
	case atom.Object:
		key, kind = "data", adblock.Frame
	case atom.Video, atom.Audio, atom.Source:
		kind = adblock.Media
	case atom.A, atom.Area:
		key, kind = "href", adblock.Link
	default:
		return false
	}
	ref := dom.Attr(n, key)
	return ref != "" && page.Blocks(pg.base.resolve(ref), kind)
}

func isAd(n *html.Node) bool {
	if n.Data == "amp-ad" {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "data-ad-slot", "data-ad-client":
			return true
		case "id":
			if strings.HasPrefix(a.Val, "google_ads") || strings.HasPrefix(a.Val, "div-gpt-ad") {
				return true
			}
		case "class":
			for word := range strings.FieldsSeq(a.Val) {
				switch word {
				case "ad", "ads", "advert", "advertisement", "ad-slot", "ad-container", "ad-banner",
					"sponsored", "taboola", "outbrain", "adsbygoogle":
					return n.DataAtom != atom.Body && n.DataAtom != atom.Html
				}
			}
		case "src", "href":
			if isAdHost(host(a.Val)) {
				return true
			}
		}
	}
	return false
}

// isAdHost reports whether host serves advertisements and nothing else.
func isAdHost(host string) bool {
	for host != "" {
		switch host {
		case "doubleclick.net", "googlesyndication.com", "googleadservices.com", "adnxs.com", "adsrvr.org",
			"amazon-adsystem.com", "criteo.com", "criteo.net", "rubiconproject.com", "pubmatic.com",
			"openx.net", "casalemedia.com", "taboola.com", "outbrain.com", "mgid.com", "revcontent.com",
			"adform.net", "smartadserver.com", "serving-sys.com", "teads.tv", "media.net",
			"adroll.com", "moatads.com", "33across.com", "sharethrough.com", "triplelift.com":
			return true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return false
}

// host returns the host name in a reference, in lower case, or "" if it has none.
func host(ref string) string {
	i := strings.Index(ref, "//")
	if i < 0 || i > len("https:") {
		return ""
	}
	ref = ref[i+2:]
	if i := strings.IndexAny(ref, "/?#:"); i >= 0 {
		ref = ref[:i]
	}
	return strings.ToLower(cut(ref, 253))
}
