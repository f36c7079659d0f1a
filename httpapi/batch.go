// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
)

// startBatch serves POST /v2/batch/scrape.
func startBatch(h *Handler, c *call) error {
	if err := h.service.Admit(c.ctx(), c.caller(nil, nil)); err != nil {
		return err
	}
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeBatch(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	r := new(curlew.BatchRequest)
	var bad []string
	r.URLs, bad = check.urls(req)
	r.Page = check.page(&req.Scrape)
	check.cached(&r.Page)
	r.Webhook = check.webhook(req.Webhook, curlew.KindBatch)
	r.Threat = check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := check.actions(&req.Scrape); err != nil {
		return err
	}
	if r.Idempotency, err = c.idempotency(body); err != nil {
		return err
	}
	r.Page.Files = h.files(c)
	r.Caller = *c.caller(req.Audit, &req.Source)
	r.Warnings = verifyTLS(&c.team.Policy, &req.Scrape)
	r.ZeroRetention = value(req.ZeroDataRetention, false)
	r.Concurrency, r.AppendTo = value(req.MaxConcurrency, 0), value(req.AppendToID, "")
	r.Archive = value(req.WARC, false)
	answer := wire.Started{Success: true, InvalidURLs: bad}
	if err := c.keep(&r.Idempotency, answer); err != nil {
		return err
	}
	sent := *req
	sent.URLs = req.URLs[:min(len(req.URLs), maxMemoURLs)]
	if r.Memo, err = (memo{Omitted: len(req.URLs) - len(sent.URLs)}).encode(&sent); err != nil {
		return err
	}
	j, err := h.service.StartBatch(c.ctx(), r)
	if err != nil {
		return err
	}
	return c.started(j, answer)
}

// urls reads the URLs of a batch. It returns them as they were sent, because
// clients use them to identify their pages. Invalid ones are faults only if the
// request says so.
func (c *checker) urls(req *wire.Batch) (urls, invalid []string) {
	for i, raw := range req.URLs {
		one := checker{local: c.local}
		u := one.url(raw, "urls", i)
		switch {
		case !u.IsZero():
			urls = append(urls, raw)
		case value(req.IgnoreInvalidURLs, true):
			invalid = append(invalid, raw)
		case raw == "":
			c.custom("Invalid URL", "urls", i)
		default:
			c.faults = append(c.faults, one.faults...)
		}
	}
	return urls, invalid
}
