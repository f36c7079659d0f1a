// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/threat"
)

// mostScrapes is how many scrapes may be in flight to one host that answers normally.
// The slots of a team bound its own.
const mostScrapes = 256

// turn waits for the first turn of a scrape at its host. It is taken before a slot:
// if the holder of a slot waited for a host, two scrapes could wait for each other.
// A page that is cached needs no turn.
func (p *pages) turn(ctx context.Context, line *pace.Line, url string, o *ScrapeOptions) (*crawl.Turn, error) {
	if o.Lockdown || o.MinAge > 0 {
		return nil, nil
	}
	if o.MaxAge != 0 && p.caching() {
		_, err := p.fetcher.Fetch(ctx, &fetch.Request{
			URL: url, Header: o.Header, InsecureTLS: o.InsecureTLS, Partition: o.Partition,
			MaxAge: o.MaxAge, Lockdown: true, Redirect: func(hop fetch.Hop) error { return meter.Admit(ctx, o.Gate, hop.To) },
		})
		if err == nil {
			return nil, nil
		}
	}
	return crawl.TakeTurn(ctx, line, url, scrapeClaim(url))
}

// scrapeClaim is the claim of single pages to their hosts.
func scrapeClaim(string) pace.Claim { return pace.Claim{Most: mostScrapes} }

// asker makes the requests for one page, each in a turn at its host: the page itself,
// redirects, retries and style sheets. It is a [fetch.Fetcher] for one goroutine.
type asker struct {
	fetcher fetch.Fetcher
	line    *pace.Line
	claim   func(url string) pace.Claim
	first   *crawl.Turn // taken before the slot; nil: none. asker ends it
	seat    *slots.Seat // the slot, which is lent to others while asker waits for a turn; nil: none
	pressed bool        // see [slots.Seat.Lend]

	// patience is how long asker waits for a turn; zero: until ctx ends.
	patience time.Duration
}

// Fetch implements [fetch.Fetcher].
func (a *asker) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	turn := a.first
	a.first = nil
	defer func() { turn.End(nil, nil) }() // if the request panics
	own := *r
	own.Turn = func(ctx context.Context, url string) (func(*fetch.Response, error), error) {
		if !turn.At(url) {
			turn.End(nil, nil)
			var err error
			if turn, err = a.take(ctx, url); err != nil {
				return nil, err
			}
		}
		turn.Begin()
		return turn.End, nil
	}
	turn.Begin()
	resp, err := a.fetcher.Fetch(ctx, &own)
	turn.End(resp, err) // unless the fetcher has done so, by own.Turn
	return resp, err
}

// take waits for a turn at the host of a URL.
func (a *asker) take(ctx context.Context, url string) (turn *crawl.Turn, err error) {
	err = a.seat.Lend(ctx, a.pressed, func() (err error) {
		ctx := ctx
		if a.patience > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, a.patience, fetch.ErrTimeout)
			defer cancel()
		}
		turn, err = crawl.TakeTurn(ctx, a.line, url, a.claim(url))
		return err
	})
	if err != nil {
		turn.End(nil, nil)
		return nil, err
	}
	return turn, nil
}

// Bounds of a style sheet.
const (
	maxSheet     = 2 << 20 // bytes
	sheetTimeout = 10 * time.Second
)

// sheets fetches the style sheets of a page by the same rules as the page. It is a
// [format.Loader].
type sheets struct {
	fetcher fetch.Fetcher // takes a turn for each request
	how     fetch.Request // of the page; its headers are not sent for style sheets
	gate    *threat.Gate  // asked about each URL; nil admits all
}

// Load implements [format.Loader].
func (s *sheets) Load(ctx context.Context, url string) ([]byte, string, error) {
	if err := meter.Admit(ctx, s.gate, url); err != nil {
		return nil, "", err
	}
	resp, err := s.fetcher.Fetch(ctx, &fetch.Request{
		URL:         url,
		Timeout:     sheetTimeout,
		MaxBytes:    maxSheet,
		Cut:         true,
		Retries:     -1,
		InsecureTLS: s.how.InsecureTLS,
		Redirect:    func(hop fetch.Hop) error { return meter.Admit(ctx, s.gate, hop.To) },
		MaxAge:      s.how.MaxAge,
		MinAge:      s.how.MinAge,
		Lockdown:    s.how.Lockdown,
		NoStore:     s.how.NoStore,
		Partition:   s.how.Partition,
	})
	if err != nil {
		return nil, "", err
	}
	if resp.Status != http.StatusOK {
		return nil, "", nil // a missing style sheet does not fail the page
	}
	return resp.Body, resp.Header.Get("Content-Type"), nil
}
