// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"context"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/threat"
)

// Asker makes the requests for one page, each with a turn at its host: the page
// itself, redirects, retries and style sheets. It is a [fetch.Fetcher] for one
// goroutine.
type Asker struct {
	Fetcher fetch.Fetcher
	Line    *pace.Line
	Claim   func(url string) pace.Claim
	First   *crawl.Turn // turn that was taken before the slot; may be nil. Asker ends it
	Seat    *Seat       // the slot, which others can use while Asker waits for a turn; nil if there is none
	Pressed bool        // see [Seat.Lend]

	// Patience is how long Asker waits for a turn. Zero means until ctx ends.
	Patience time.Duration
}

// Fetch implements [fetch.Fetcher].
func (a *Asker) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	turn := a.First
	a.First = nil
	defer func() { turn.End(nil, nil) }() // if the request panics
	own := *r
	own.Turn = func(ctx context.Context, url string) (func(*fetch.Response, error), error) {
		if !turn.At(url) {
			turn.End(nil, nil)
			var err error
			if turn, err = a.Take(ctx, url); err != nil {
				return nil, err
			}
		}
		turn.Begin()
		return turn.End, nil
	}
	turn.Begin()
	resp, err := fetch.Do(ctx, a.Fetcher, &own)
	turn.End(resp, err) // unless the fetcher has done so, by own.Turn
	return resp, err
}

// Take waits for a turn at the host of a URL.
func (a *Asker) Take(ctx context.Context, url string) (turn *crawl.Turn, err error) {
	err = a.Seat.Lend(ctx, a.Pressed, func() (err error) {
		ctx := ctx
		if a.Patience > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, a.Patience, fetch.ErrTimeout)
			defer cancel()
		}
		turn, err = crawl.TakeTurn(ctx, a.Line, url, a.Claim(url))
		return err
	})
	if err != nil {
		turn.End(nil, nil)
		return nil, err
	}
	return turn, nil
}

// Limits of a style sheet.
const (
	maxSheet     = 2 << 20 // bytes
	sheetTimeout = 10 * time.Second
)

// Sheets fetches the style sheets of a page by the rules of the page. It is a
// [format.Loader].
type Sheets struct {
	Fetcher fetch.Fetcher // takes a turn for each request
	How     fetch.Request // request for the page; its headers are not sent for style sheets
	Gate    *threat.Gate  // asked about each URL; nil allows every URL
}

// Load implements [format.Loader].
func (s *Sheets) Load(ctx context.Context, url string) ([]byte, string, error) {
	if err := meter.Admit(ctx, s.Gate, url); err != nil {
		return nil, "", err
	}
	resp, err := fetch.Do(ctx, s.Fetcher, &fetch.Request{
		URL:         url,
		Timeout:     sheetTimeout,
		MaxBytes:    maxSheet,
		Cut:         true,
		Raw:         true,
		Retries:     -1,
		InsecureTLS: s.How.InsecureTLS,
		Redirect:    func(hop fetch.Hop) error { return meter.Admit(ctx, s.Gate, hop.To) },
		MaxAge:      s.How.MaxAge,
		MinAge:      s.How.MinAge,
		Lockdown:    s.How.Lockdown,
		NoStore:     s.How.NoStore,
		Partition:   s.How.Partition,
	})
	if err != nil {
		return nil, "", err
	}
	if resp.Status != http.StatusOK {
		return nil, "", nil // a missing style sheet does not fail the page
	}
	return resp.Body, resp.Header.Get("Content-Type"), nil
}
