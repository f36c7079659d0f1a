// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"mime"
	"net/url"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// parseUpload serves POST /v2/parse.
func (h *Handler) parseUpload(c *call) error {
	media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
	case "application/json":
		// Upload references come later; without one there is no file.
		return refuse(errBadRequest, "Missing file upload: send multipart/form-data with a file part")
	default:
		return errMultipart
	}
	// Whether this request is retained may stand in a part after the file.
	u, err := h.readUpload(c, c.team.Policy.ZeroRetention != RetentionOff)
	defer u.close()
	if err != nil {
		c.w.Header().Set("Connection", "close") // the rest is not read
		return err
	}
	if u.file == nil {
		return refuse(errBadRequest, "Missing file upload: the request has no file part")
	}
	req, page, over, err := h.parseOptions(u.options)
	if err != nil {
		return err
	}
	retained, err := h.retention(&c.team.Policy, req.ZeroDataRetention)
	if err != nil {
		return err
	}
	if _, err := threat.Resolve(c.team.Policy.Threat, over); err != nil {
		return err
	}
	cost := page.costs(retained)
	a, err := h.service.account(c.ctx(), c.team.ID, threat.Policy{}, cost, cost)
	if err != nil {
		return err
	}
	doc, err := h.parseOne(c, u, page)
	if err == nil {
		err = a.spend(c.ctx(), cost)
	}
	if err := errors.Join(err, a.settle(c.ctx(), a.total())); err != nil {
		return err
	}
	page.complete(doc, job.NewID(), cost)
	doc.Metadata.ProxyUsed = "" // nothing was fetched
	return c.document(doc)
}

// parseOptions reads the options part; absent, it is empty.
func (h *Handler) parseOptions(raw []byte) (*wire.Parse, *pageOptions, *threat.Override, error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	req, err := wire.DecodeParse(raw, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return nil, nil, nil, err
	}
	if check.faults == nil {
		if err := unparsable(req); err != nil {
			return nil, nil, nil, err
		}
	}
	page := check.page(&req.Scrape)
	page.timeout = time.Duration(value(req.Timeout, wire.ParseTimeout)) * time.Millisecond
	page.cache, page.cost = cacheOptions{}, 1 // an upload asks no cache
	page.warnings = nil
	over := check.override(req.Threat, "threatProtection")
	return req, &page, over, check.err()
}

// parseOne reads an upload within the team's slots and in time.
func (h *Handler) parseOne(c *call, u *upload, page *pageOptions) (*format.Document, error) {
	if u.file.size == 0 {
		return nil, errEmpty
	}
	ctx, cancel := context.WithTimeoutCause(c.ctx(), page.timeout, fetch.ErrTimeout)
	defer cancel()
	var doc *format.Document
	wait, err := h.slotted(ctx, &c.team, func() (err error) {
		doc, err = h.service.Parse(ctx, parse.Source{
			Name:        u.name,
			ContentType: u.contentType,
			Data:        u.file.data(),
			Size:        u.file.size,
		}, &page.format)
		return err
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	doc.Metadata.URL = "file:///" + url.PathEscape(u.name)
	limited(doc, wait)
	return doc, nil
}
