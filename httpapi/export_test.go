// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"net/http"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// MaxUploads bounds the bytes of all uploads under way.
func (h *Handler) MaxUploads(n int64) { h.uploads.most = n }

// Uploading returns how many bytes of uploads are under way.
func (h *Handler) Uploading() int64 {
	h.uploads.mu.Lock()
	defer h.uploads.mu.Unlock()
	return h.uploads.used
}

// RoutePatterns returns method and pattern of every route.
func RoutePatterns() []string {
	var all []string
	for i := range routes {
		all = append(all, routes[i].method+" "+routes[i].pattern)
	}
	return all
}

// Statuses returns in how many lines a code has a status that holds everywhere.
func Statuses(code string) (n int) {
	for _, line := range statuses {
		if line.code == code && line.scope == anywhere {
			n++
		}
	}
	return n
}

// Unanswered returns the sentences of faults that have no code and no answer.
func Unanswered() []string {
	var all []string
	for _, err := range []error{
		account.ErrForbidden, curlew.ErrRate, account.ErrPayment, curlew.ErrFinished, job.ErrNotFound, job.ErrShutdown, &threat.ForbiddenError{},
	} {
		_, text := curlew.Fault(err)
		if line := find(err, anywhere); line.status == http.StatusInternalServerError || text != "" && line.text != text {
			all = append(all, err.Error())
		}
	}
	return all
}

// Price returns the credits of a page with the formats of a list in JSON, and
// whether it is redacted.
func Price(formats string, redact bool) (int, error) {
	o := wire.Options{}
	w, err := wire.DecodePage(fmt.Appendf(nil, `{"url":"a.test","formats":%s,"redactPII":%v}`, formats, redact), o)
	if err != nil {
		return 0, err
	}
	c := checker{model: true, cache: true, ocr: true}
	page := c.page(&w.Scrape)
	return page.Price(false), c.err()
}
