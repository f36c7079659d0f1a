// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"

	"example.com/curlew/account"
	"example.com/curlew/format"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// scrapePage serves POST /v2/scrape.
func (h *Handler) scrapePage(c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodePage(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	u := check.url(req.URL, "url")
	ignored := verifyTLS(&c.team.Policy, &req.Scrape)
	page := check.page(&req.Scrape)
	page.Notes = append(page.Notes, ignored...)
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := noActions(&req.Scrape); err != nil {
		return err
	}
	if err := allowFormats(&c.team.Policy, &req.Scrape); err != nil {
		return err
	}
	page.Caller, page.Threat = c.caller(req.Audit, &req.Source), over
	page.ZeroRetention = value(req.ZeroDataRetention, false)
	doc, err := h.service.Scrape(c.ctx(), u.String(), &page)
	if err != nil {
		return err
	}
	raw, err := jsonenc.Encode(doc)
	if err != nil {
		return err
	}
	if policy := &c.team.Policy; !page.ZeroRetention && policy.ZeroRetention != account.RetentionForced {
		life := cmp.Or(policy.Retention, h.service.Keep, job.DefaultKeep)
		h.recent.keep(doc.Metadata.ScrapeID, c.team.ID, raw, life)
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: raw})
}

// document answers with doc.
func (c *call) document(doc *format.Document) error {
	raw, err := jsonenc.Encode(doc)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: json.RawMessage(raw)})
}
