// SPDX-License-Identifier: Apache-2.0

package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
)

// input is one URL of a batch that another process is to scrape.
type input struct {
	URL   string
	Input int
}

// scraped is the result of an input. The data of the item follow it.
type scraped struct {
	Kind   job.ItemKind
	Cost   int
	Status int
	Note   []byte `json:",omitempty"`

	TooLarge bool `json:",omitempty"` // the process that holds the batch must scrape it itself
}

// mostLost is how often a URL of a batch is passed on after the process that had it has
// died. After that it fails, because it probably is the reason.
const mostLost = 5

// Inputs passes URLs of a batch to other processes. This process takes the turn at the
// host, so that all processes together keep its pace.
type Inputs struct {
	// Turn takes a turn at the host of a URL. If it returns nil, the page is cached or the
	// URL is not valid, and the URL is scraped here.
	Turn func(ctx context.Context, url string) *crawl.Turn

	// Pass does what [job.Share] does.
	Pass func(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error)

	Here   func(ctx context.Context, url string, n int) (job.Item, int, error) // makes the item in this process, and returns it with the HTTP status
	Charge func(ctx context.Context, cost int, note []byte) error              // charges an item of another process
	Lost   func(ctx context.Context, n int, err error)                         // told about a result that did not come back
}

// One makes the item for the URL with the number n, in another process if one is free. It
// also returns the HTTP status of the page. The error wraps [crawl.ErrLost] if too many
// processes have died of the URL.
func (b *Inputs) One(ctx context.Context, url string, n int) (item job.Item, status int, err error) {
	task, err := json.Marshal(input{url, n})
	if err != nil {
		return item, 0, err
	}
	for range mostLost {
		turn := b.Turn(ctx, url)
		if turn == nil {
			return b.Here(ctx, url, n)
		}
		did, failed := false, error(nil)
		result, err := b.Pass(ctx, task, 0, func() {
			did = true
			turn.End(nil, nil) // the scrape takes its own
			item, status, failed = b.Here(ctx, url, n)
		})
		if did {
			return item, status, failed
		}
		if err == nil {
			var got scraped
			if item, got, err = readScraped(result); err == nil {
				turn.End(&fetch.Response{Status: got.Status}, nil)
				if got.TooLarge {
					return b.Here(ctx, url, n)
				}
				return item, got.Status, b.Charge(ctx, item.Cost, got.Note)
			}
		}
		turn.End(&fetch.Response{Status: http.StatusOK}, nil) // the request may have been made
		if ctx.Err() != nil {
			return item, 0, context.Cause(ctx)
		}
		if !errors.Is(err, job.ErrLost) && !errors.Is(err, job.ErrCorrupt) {
			return item, 0, err
		}
		b.Lost(ctx, n, err)
	}
	return job.Item{}, 0, crawl.ErrLost
}

// DoInput does a task that [Inputs] has made: it calls scrape with the URL and its number,
// and returns the item and the HTTP status as at most [job.MaxTaskResult] bytes. The note
// of the ctx of scrape travels with them.
func DoInput(ctx context.Context, task []byte, scrape func(ctx context.Context, url string, n int) (job.Item, int, error)) ([]byte, error) {
	var in input
	if err := json.Unmarshal(task, &in); err != nil {
		return nil, fmt.Errorf("task of another process: %w", err)
	}
	ctx, note := Noted(ctx)
	item, status, err := scrape(ctx, in.URL, in.Input)
	if err != nil {
		return nil, err
	}
	out := scraped{Kind: item.Kind, Cost: item.Cost, Status: status, Note: note.Encode()}
	if len(item.Data)+len(out.Note)*2 > job.MaxTaskResult-1024 {
		out, item.Data = scraped{Status: status, TooLarge: true}, nil
	}
	return Encode(&out, item.Data)
}

// readScraped reads what [DoInput] has returned. The error wraps [job.ErrCorrupt].
func readScraped(b []byte) (item job.Item, got scraped, err error) {
	data, err := Decode(b, &got)
	if err != nil {
		return item, got, err
	}
	if got.Kind != job.Result && got.Kind != job.Failure {
		return item, got, fmt.Errorf("%w: item of kind %d", job.ErrCorrupt, got.Kind)
	}
	return job.Item{Kind: got.Kind, Data: data, Cost: got.Cost}, got, nil
}
