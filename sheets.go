// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"net/http"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/threat"
)

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
