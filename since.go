// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/recrawl"
	"example.com/curlew/job"
)

// Changes counts how the pages of a crawl differ from those of the crawl that it was
// compared with.
type Changes struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"` // pages of the earlier crawl that this one has not delivered
}

// remember reads the pages that the crawl w.Since has stored, and which of them w has
// met before a restart.
func remember(ctx context.Context, w *work) (*recrawl.Memory, error) {
	same, err := copies(ctx, w)
	if err != nil {
		return nil, err
	}
	earlier := func(ctx context.Context, from, most int) ([]job.Item, error) {
		return w.parts.runner.Items(ctx, w.team, w.Since, job.Result, from, most)
	}
	return recrawl.Remember(ctx, earlier, w.space, same)
}

// unchanged makes the stored document of an unchanged page: the earlier document with a
// new ID. If the earlier document cannot be read, it returns nil.
func (w *work) unchanged(ctx context.Context, id string, p *crawl.Page) (payload []byte, cost int, err error) {
	payload, err = w.since.Unchanged(ctx, p, func() (map[string]any, error) {
		price := w.page.Price(w.Retained)
		if p.Unmodified {
			price = w.since.Half()
		}
		if err := w.meter.Spend(ctx, price); err != nil {
			return nil, err
		}
		cost = price + w.meter.Scans.Take(p.Asked, p.URL)
		return map[string]any{"scrapeId": id, "creditsUsed": cost, "sourceURL": w.source(p), "cacheState": nil, "cachedAt": nil}, nil
	})
	return payload, cost, err
}

// keepKnown adds the data with which a later crawl compares a page, before the page is
// committed. It also counts the change of the page.
func (w *work) keepKnown(p *crawl.Page) error {
	w.since.Met(p)
	if p.Err != nil || p.Payload == nil || w.Retained {
		return nil //nolint:nilerr // the error of the page is reported elsewhere
	}
	var err error
	p.Payload, err = recrawl.Keep(p.Payload, p)
	return err
}

// changesOf returns the counts of a crawl with Since, or nil if they are not known yet.
func changesOf(ctx context.Context, j *Job, stats *job.Stats) (*Changes, error) {
	if m, ok := j.parts.works.since.Load(j.record.ID); ok {
		return new(Changes(m.(*recrawl.Memory).Changes())), nil
	}
	n := stats.Items[job.Event]
	if n == 0 {
		return nil, nil
	}
	last, err := j.Items(ctx, job.Event, n-1, 1)
	return (*Changes)(recrawl.Counts(last)), err
}

// Gone returns URLs of the crawl named by Since whose pages are gone. Their number is
// limited to most.
func (j *Job) Gone(ctx context.Context, most int) ([]string, error) {
	if j.record.Kind != KindCrawl || most == 0 {
		return nil, nil
	}
	events, err := j.Items(ctx, job.Event, 0, most)
	if err != nil {
		return nil, err
	}
	return recrawl.GoneURLs(events), nil
}

// earlier checks the crawl with which a new one will be compared. It returns a warning if
// that crawl ended at its limit, or "".
func (p *parts) earlier(ctx context.Context, team, id string) (warning string, err error) {
	j, stats, err := p.find(ctx, team, id)
	if err == nil && j.Kind() != KindCrawl {
		err = job.ErrNotFound
	}
	switch {
	case errors.Is(err, job.ErrNotFound):
		return "", refuse(faults.ErrSince, "The crawl of since was not found.")
	case err != nil:
		return "", err
	case !j.State().Final():
		return "", refuse(ErrRequest, "The crawl of since has not ended.")
	case j.State() == job.Failed:
		return "", refuse(ErrRequest, "The crawl of since has failed: there is nothing to compare with.")
	case j.spec.Retained:
		return "", refuse(ErrRequest, "The crawl of since had zero data retention: nothing was kept to compare with.")
	}
	return notices.Earlier(stats.Items[job.Result], j.spec.Limit), nil
}

// copies reports whether this crawl would make the same documents of unchanged pages as
// the crawl w.Since.
func copies(ctx context.Context, w *work) (bool, error) {
	j, _, err := w.parts.runner.Get(ctx, w.team, w.Since)
	if err != nil {
		return false, err
	}
	sp, err := readSpec(j)
	if err != nil {
		return false, err
	}
	if sp.Page == nil || w.Page.onlyCache() || w.parts.pages.Caching() && w.Page.asksCache() {
		return false, nil
	}
	if slices.Contains(w.Page.Format.Forms, format.ChangesForm) {
		return false, nil // the form compares pages itself, so its result differs
	}
	before, err := jsonenc.Encode(sp.Page)
	if err != nil {
		return false, err
	}
	now, err := jsonenc.Encode(w.Page)
	return bytes.Equal(before, now), err
}
