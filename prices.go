// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

// Credits of a page besides those of its forms (contract.md 9.4).
const (
	redactPrice   = 4 // also of every further page of a PDF
	retainedPrice = 1 // zero data retention
	lockdownPrice = 4
	missPrice     = 1 // of a page that is not cached, in place of all others
)

// formPrice returns the credits of a page with the forms of o. Each form counts
// as often as it is asked for: the contract has two formats for answers.
func formPrice(o *format.Options) int {
	more, first := 0, 1 // of all forms, and instead of the one for the page
	for _, form := range o.Forms {
		switch form {
		case format.Answer, format.Highlights, format.Audio, format.VideoForm:
			more += 4
		case format.JSONForm:
			if o.JSON.Deterministic {
				first = max(first, 3) // nothing is learned: there is nothing to pay for that
			} else {
				first = 5
			}
		case format.ChangesForm:
			if o.Changes.JSON {
				first = 5
			}
		}
	}
	return more + first
}

// Price returns the credits that one page costs (contract.md 9.4), but for further
// pages of a PDF and for threat scans.
func (o *ScrapeOptions) Price(retained bool) int {
	n := formPrice(&o.Format)
	if o.Lockdown {
		n += lockdownPrice
	}
	if o.Format.Redact != nil {
		n += redactPrice
	}
	if retained {
		n += retainedPrice
	}
	return n
}

// pagesPrice returns what a document costs besides its first page: the other
// pages of a PDF that were read.
func (o *ParseOptions) pagesPrice(doc *format.Document) int {
	more := max(0, doc.PageCount-1)
	if o.Format.Redact != nil {
		more += more * redactPrice
	}
	return more
}

// missed returns what a page costs that failed with err, and why it did in the
// terms of the request.
func (o *ScrapeOptions) missed(err error) (int, error) {
	if !o.Lockdown || !errors.Is(err, fetch.ErrNotCached) {
		return 0, err
	}
	return missPrice, fmt.Errorf("%w: %w", errLockdown, err)
}

// onlyCache reports whether nothing but the cache may answer.
func (o *ScrapeOptions) onlyCache() bool { return o.Lockdown || o.MinAge > 0 }

// asksCache reports whether o wants to hear of a cache.
func (o *ScrapeOptions) asksCache() bool { return o.MaxAge > 0 || o.onlyCache() }

// forTeam returns o for a page of the team.
func (o *ScrapeOptions) forTeam(team string, retained bool) *ScrapeOptions {
	own := *o
	own.Format.Changes.Owner, own.Format.NoRetain = team, retained
	own.NoStore, own.Partition = o.NoStore || retained, team
	return &own
}

// request returns what a fetch with these options is told.
func (o *ScrapeOptions) request() fetch.Request {
	return fetch.Request{
		Header:      o.Header,
		Timeout:     o.Timeout,
		InsecureTLS: o.InsecureTLS,
		MaxAge:      o.MaxAge,
		MinAge:      o.MinAge,
		Lockdown:    o.Lockdown,
		NoStore:     o.NoStore,
		Partition:   o.Partition,
	}
}

// reading returns how a page that was fetched with these options is read and shown.
func (o *ScrapeOptions) reading() ParseOptions {
	how := o.ParseOptions
	how.sheets = sheets{gate: o.Gate, how: o.request()}
	return how
}

// complete adds to a document what only the request knows.
func (o *ScrapeOptions) complete(doc *format.Document, id string, cost int, caching bool) {
	doc.Metadata.ScrapeID = id
	doc.Metadata.ProxyUsed = "basic"
	doc.Metadata.CreditsUsed = cost
	if caching && o.asksCache() {
		doc.Metadata.CacheState = cmp.Or(doc.Metadata.CacheState, "miss")
	}
	doc.Warning = join(append([]string{doc.Warning}, o.Notes...)...)
}
