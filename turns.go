// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/threat"
)

// mostScrapes is how many scrapes one host gets at a time while it is well: what
// a team may do at once is bounded by its slots.
const mostScrapes = 256

// turn waits for the first turn of a scrape at its host. It is taken before any
// slot: the holder of a slot waits for no host, or two could wait for each other.
// A page that the cache has needs no turn.
func (p *pages) turn(ctx context.Context, line *pace.Line, url string, o *ScrapeOptions) (*crawl.Turn, error) {
	if o.Lockdown || o.MinAge > 0 {
		return nil, nil
	}
	if o.MaxAge != 0 && p.caching() {
		_, err := p.fetcher.Fetch(ctx, &fetch.Request{
			URL: url, Header: o.Header, InsecureTLS: o.InsecureTLS, Partition: o.Partition,
			MaxAge: o.MaxAge, Lockdown: true, Redirect: func(hop fetch.Hop) error { return admit(ctx, o.Gate, hop.To) },
		})
		if err == nil {
			return nil, nil
		}
	}
	return crawl.TakeTurn(ctx, line, url, scrapeClaim(url))
}

// scrapeClaim is how single pages use their hosts.
func scrapeClaim(string) pace.Claim { return pace.Claim{Most: mostScrapes} }

// asker makes the requests of one page, each in a turn at its host: the first one,
// redirects, further tries, and what the page needs besides. It is a
// [fetch.Fetcher] for one goroutine.
type asker struct {
	fetcher fetch.Fetcher
	line    *pace.Line
	claim   func(url string) pace.Claim
	first   *crawl.Turn // taken before the slot; nil: none. It is ended
	seat    *seat       // the slot, which is lent while a turn is waited for; nil: none
	pressed bool        // see seat.lend

	// patience is how long it waits for a turn; zero: as long as ctx lasts.
	patience time.Duration
}

// Fetch implements [fetch.Fetcher].
func (a *asker) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	turn := a.first
	a.first = nil
	defer func() { turn.End(nil, nil) }() // of a request that panics
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
	err = a.seat.lend(ctx, a.pressed, func() (err error) {
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

// Bounds of what a page refers to and a form wants to read.
const (
	maxSheet     = 2 << 20 // bytes
	sheetTimeout = 10 * time.Second
)

// sheets brings the style sheets of a page, by the rules that the page was
// brought by. It is a [format.Loader].
type sheets struct {
	fetcher fetch.Fetcher // takes a turn for each request
	how     fetch.Request // of the page; its headers are the page's alone
	gate    *threat.Gate  // asked for each; nil admits all
}

// Load implements [format.Loader].
func (s *sheets) Load(ctx context.Context, url string) ([]byte, string, error) {
	if err := admit(ctx, s.gate, url); err != nil {
		return nil, "", err
	}
	resp, err := s.fetcher.Fetch(ctx, &fetch.Request{
		URL:         url,
		Timeout:     sheetTimeout,
		MaxBytes:    maxSheet,
		Cut:         true,
		Retries:     -1,
		InsecureTLS: s.how.InsecureTLS,
		Redirect:    func(hop fetch.Hop) error { return admit(ctx, s.gate, hop.To) },
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
		return nil, "", nil // no style sheet, and no fault of the page
	}
	return resp.Body, resp.Header.Get("Content-Type"), nil
}
