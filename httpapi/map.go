// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"net/http"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/httpapi/internal/wire"
)

// mapSite serves POST /v2/map.
func mapSite(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeMap(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	u := check.url(req.URL, "url")
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	o := mapOptions(req)
	o.Caller, o.Threat = c.caller(req.Audit, &req.Source), over
	found, err := h.service.Map(c.ctx(), u.String(), o)
	if err != nil {
		return err
	}
	answer := wire.Mapped{Success: true, ID: found.ID, Links: []wire.Link{}, Warning: found.Warning, StartPageError: found.Unread}
	for _, u := range found.URLs {
		answer.Links = append(answer.Links, wire.Link{URL: u})
	}
	if req.Location != nil {
		answer.Warning = join(answer.Warning, "The option location has no effect: there is no choice of places.")
	}
	return c.answer(http.StatusOK, answer)
}

// mapOptions resolves the options of a request.
func mapOptions(req *wire.Map) *curlew.MapOptions {
	o := &curlew.MapOptions{
		Search:      value(req.Search, ""),
		Limit:       value(req.Limit, 0),
		Sitemap:     sitemapMode(req.Sitemap),
		NoSubdomain: !value(req.IncludeSubdomains, true),
		KeepQuery:   !value(req.IgnoreQueryParameters, true),
		External:    value(req.AllowExternalLinks, false),
		Include:     patterns(req.IncludePaths),
		Exclude:     patterns(req.ExcludePaths),
		FullURL:     value(req.RegexOnFullURL, false),
		RobotsAgent: value(req.RobotsUserAgent, ""),
		Timeout:     milliseconds(req.Timeout),
	}
	for name, v := range req.Headers {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, v)
	}
	if value(req.IgnoreRobotsTxt, false) {
		o.Robots = crawl.RobotsIgnore
	}
	return o
}
