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

// MaxUploads limits the bytes of all uploads in progress.
func (h *Handler) MaxUploads(n int64) { h.uploads.most = n }

// Uploading returns the bytes of uploads in progress.
func (h *Handler) Uploading() int64 {
	h.uploads.mu.Lock()
	defer h.uploads.mu.Unlock()
	return h.uploads.used
}

// RoutePatterns returns the method and pattern of every route.
func RoutePatterns() []string {
	var all []string
	for i := range routes {
		all = append(all, routes[i].method+" "+routes[i].pattern)
	}
	return all
}

// Statuses returns the number of rows that give a code a status for all
// endpoints.
func Statuses(code string) (n int) {
	for _, line := range statuses {
		if line.code == code && line.scope == anywhere {
			n++
		}
	}
	return n
}

// Unanswered returns the texts of faults that have neither a code nor an
// answer.
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

// Price returns the credits for a page with a list of formats in JSON, with or
// without redaction.
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
