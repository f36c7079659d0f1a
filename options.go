// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/pages"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Unlimited disables a limit. It is for fields whose zero value means a default limit.
const Unlimited = -1

// ParseOptions control how a document is read and formatted. The zero value detects its
// kind and makes Markdown.
type ParseOptions struct {
	Format format.Options
	Read   parse.Options

	// RawPDF returns PDF files unread: their base64 takes the place of Markdown and HTML.
	RawPDF bool

	// Caller says on whose behalf the document is read. The policy of its team
	// applies, the credits of the team pay, and the work waits for one of the team's
	// slots. Nil means the program itself, without policy, credits and slots.
	Caller        *Caller          `json:"-"`
	FormNames     []string         `json:"-"` // with a Caller: names of the forms in [account.Policy.AllowFormats]; nil means their own names
	ZeroRetention bool             `json:"-"` // with a Caller: nothing about the document is stored
	Threat        *threat.Override `json:"-"` // with a Caller: changes the team's threat policy as far as the team may
}

// ScrapeOptions control how one page is fetched and formatted. The zero value makes
// Markdown of the page's main content.
type ScrapeOptions struct {
	ParseOptions

	Header  http.Header   // sent with the request, but not after a redirect to another host
	Timeout time.Duration // for fetching and reading together; zero means 60 s, Unlimited means none

	// InsecureTLS skips certificate checks. It is ignored if Header is not empty.
	InsecureTLS bool

	// These fields control the cache of the Fetcher, as in [fetch.Request].
	MaxAge, MinAge    time.Duration
	Lockdown, NoStore bool
	Partition         string

	// Browser says how a browser shows the page: its steps, pictures, wait, viewport and
	// so on. The Service sets its URL, Gate and InsecureTLS, and Header and Timeout if
	// they are zero. If Browser is nil, a browser shows the page only if the page is empty
	// without its scripts. If the Service has no Renderer, a Browser that asks for anything
	// is refused.
	Browser *render.Request `json:",omitempty"`

	// Files is the beginning of the URLs of pictures and PDFs, with a slash at its end.
	// They are stored with the job, or as long as a job would be, and [Service.File]
	// returns them. If it is empty, under zero data retention, and in a call without a
	// Caller, documents contain the files as data URLs.
	Files string `json:",omitempty"`

	// Gate is asked about the URL, and about each redirect before it is followed.
	// Nil admits all.
	Gate *threat.Gate `json:"-"`

	Notes []string // sentences at the end of the warning of each document
}

// Price returns the credits that one page costs. The second and later pages of a PDF
// and threat scans cost more than that. If retained is true, zero data retention applies.
func (o *ScrapeOptions) Price(retained bool) int {
	n := meter.FormPrice(&o.Format) + meter.RetainedPrice(retained)
	if o.Lockdown {
		n += meter.LockdownPrice
	}
	if o.Format.Redact != nil {
		n += meter.RedactPrice
	}
	return n
}

// missed returns the credits for a page that failed with err, and the error for the
// caller.
func (o *ScrapeOptions) missed(err error) (int, error) {
	if !o.Lockdown || !errors.Is(err, fetch.ErrNotCached) {
		return 0, err
	}
	return meter.MissPrice, fmt.Errorf("%w: %w", faults.ErrLockdown, err)
}

// onlyCache reports whether only the cache may answer.
func (o *ScrapeOptions) onlyCache() bool { return o.Lockdown || o.MinAge > 0 }

// asksCache reports whether the document says how the cache was used.
func (o *ScrapeOptions) asksCache() bool { return o.MaxAge > 0 || o.onlyCache() }

// forTeam returns a copy of o for a page of the team.
func (o *ScrapeOptions) forTeam(team string, retained bool) *ScrapeOptions {
	own := *o
	own.Format.Changes.Owner, own.Format.NoRetain = team, retained
	own.NoStore, own.Partition = o.NoStore || retained, team
	return &own
}

// forCaller returns a copy of o for a page that c pays for with m.
func (o *ScrapeOptions) forCaller(c *Caller, m *meter.Meter, retained bool) *ScrapeOptions {
	own := o.forTeam(c.owner(), retained)
	own.InsecureTLS = own.InsecureTLS && !c.Team.Policy.NoSkipTLS
	own.Caller, own.Gate = nil, m.Gate
	return own
}

// request returns the options of the fetch.
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

// reading returns the options for reading and formatting a document.
func (o *ParseOptions) reading() *pages.Reading {
	return &pages.Reading{Format: o.Format, Read: o.Read, RawPDF: o.RawPDF}
}

// reading returns the options for reading and formatting the fetched page.
func (o *ScrapeOptions) reading() *pages.Reading {
	how := o.ParseOptions.reading()
	how.View = o.Browser
	how.Sheets = slots.Sheets{Gate: o.Gate, How: o.request()}
	return how
}

// visit returns the options for the page of a URL.
func (o *ScrapeOptions) visit(url string) *pages.Visit {
	v := &pages.Visit{Reading: *o.reading(), Request: o.request(), Gate: o.Gate}
	v.Request.URL = url
	return v
}

// complete adds the values that follow from the request to a document.
func (o *ScrapeOptions) complete(doc *format.Document, id string, cost int, caching bool) {
	doc.Metadata.ScrapeID = id
	doc.Metadata.ProxyUsed = "basic"
	doc.Metadata.CreditsUsed = cost
	if caching && o.asksCache() {
		doc.Metadata.CacheState = cmp.Or(doc.Metadata.CacheState, "miss")
	}
	doc.Warning = notices.Join(append([]string{doc.Warning}, o.Notes...)...)
}
