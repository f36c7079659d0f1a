// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent/search"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// searchWeb serves POST /v2/search.
func searchWeb(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeSearch(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	o := &curlew.SearchOptions{Timeout: milliseconds(req.Timeout)}
	ignored := c.searchPages(check, req, o)
	o.Threat = check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := check.actions(req.Scrape); err != nil {
		return err
	}
	r, notes, err := searchRequest(req)
	if err != nil {
		return err
	}
	o.Caller = *c.caller(req.Audit, &req.Source)
	o.ZeroRetention = slices.Contains(req.Enterprise, "zdr") || slices.Contains(req.Enterprise, "anon")
	if o.Page != nil {
		o.Page.Files = h.files(c)
	}
	found, err := h.service.Search(c.ctx(), r, o)
	if err != nil {
		return err
	}
	answer := wire.Searched{Success: true, ID: found.ID, CreditsUsed: found.Credits, Warning: join(append(append(ignored, notes...), found.Warning)...)}
	for _, group := range []struct {
		source search.Source
		list   *[]json.RawMessage
	}{{search.Web, &answer.Data.Web}, {search.Images, &answer.Data.Images}, {search.News, &answer.Data.News}} {
		for i := range found.Hits[group.source] {
			hit, err := searchHit(group.source, &found.Hits[group.source][i])
			if err != nil {
				return err
			}
			*group.list = append(*group.list, hit)
		}
	}
	return c.answer(http.StatusOK, answer)
}

// searchPages resolves the options for pages of hits. There are none unless the request names
// formats. It returns a sentence for each option that has no effect.
func (c *call) searchPages(check *checker, req *wire.Search, o *curlew.SearchOptions) (ignored []string) {
	if req.Scrape == nil {
		return nil
	}
	if len(req.Scrape.Formats) == 0 {
		return []string{"The scrapeOptions have no effect, because they name no formats."}
	}
	for i := range req.Scrape.Formats {
		if name := req.Scrape.Formats[i].Type; name != "" && !slices.Contains(searchFormats, name) {
			check.custom("The format "+name+" is not supported for the pages of a search", "scrapeOptions", "formats", i)
		}
	}
	ignored = verifyTLS(&c.team.Policy, req.Scrape)
	page := check.page(req.Scrape, "scrapeOptions")
	if req.Threat == nil {
		req.Threat = req.Scrape.Threat // that of the search wins
	}
	o.Page = &page
	return ignored
}

// searchFormats are the formats that pages of a search can have.
var searchFormats = []string{
	"markdown", "html", "rawHtml", "links", "images", "summary", "product", "menu", "json", "question", "highlights", "query", "screenshot",
}

// searchCategories are the categories that this server knows.
var searchCategories = map[string]search.Category{"github": search.GitHub, "research": search.Research, "pdf": search.PDF}

// searchRequest converts a request. It returns a sentence for each option that has no effect.
func searchRequest(req *wire.Search) (r *search.Request, notes []string, err error) {
	r = &search.Request{Text: strings.TrimSpace(req.Query), N: value(req.Limit, 10), Include: req.IncludeDomains, Exclude: req.ExcludeDomains}
	note := func(is bool, text string) {
		if is && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	for _, c := range req.Categories {
		category, ok := searchCategories[c.Type]
		if !ok {
			return nil, nil, refuse(curlew.ErrEngine, "The category developer needs an index of documentation, and this server has none configured.")
		}
		if len(c.Sites) > 0 {
			category.Sites, category.File = c.Sites, ""
		}
		r.Categories = append(r.Categories, category)
	}
	sources := req.Sources
	if len(sources) == 0 {
		sources = []wire.SearchSource{{Type: "web"}}
	}
	foreign := false
	for i := range sources {
		s := &sources[i]
		if s.Type == "alexandria" || s.Type == "exchange" {
			foreign = true
			note(true, "The source "+s.Type+" is not served by this server.")
			continue
		}
		q := search.Query{Source: search.Source(s.Type), Safe: req.Safe}
		q.Language = first(s.Language, req.Language, "en")
		q.Place = first(s.Location, req.Location, "")
		q.Country = first(s.Country, req.Country, "")
		if q.Country == "" && q.Place == "" {
			q.Country = "US" // the default of the contract
		}
		var unknown string
		q.Range, unknown = search.ParseRange(first(s.TBS, req.TBS, ""))
		note(unknown != "", "The part "+strconv.Quote(unknown)+" of tbs has no effect.")
		note(first(s.Filter, req.Filter, "") != "", "The option filter has no effect.")
		if !slices.ContainsFunc(r.Sources, func(o search.Query) bool { return o.Source == q.Source }) {
			r.Sources = append(r.Sources, q)
		}
	}
	if foreign && len(r.Sources) == 0 {
		return nil, nil, refuse(account.ErrForbidden, "This endpoint is not enabled for this team.")
	}
	note(value(req.AsyncScraping, false), "The option asyncScraping has no effect: the answer has the pages.")
	return r, notes, nil
}

// first returns the first text that was sent, or absent.
func first(a, b *string, absent string) string { return value(a, value(b, absent)) }

// searchHit returns a hit as JSON, with the members of its page. The hit keeps its own url,
// title, description, position and category.
func searchHit(source search.Source, hit *curlew.SearchHit) (json.RawMessage, error) {
	w := wire.SearchHit{URL: hit.URL, Title: hit.Title, Position: hit.Position, Category: hit.Category}
	switch source {
	case search.Images:
		w.ImageURL, w.ImageWidth, w.ImageHeight = hit.Image, hit.Width, hit.Height
	case search.News:
		w.Snippet, w.Date, w.ImageURL = &hit.Text, hit.Date, hit.Image
	default:
		w.Description = &hit.Text
	}
	if e := hit.Err; e != nil {
		w.Metadata = &wire.FailedPage{SourceURL: hit.URL, StatusCode: failedStatus(e.Code), Error: e.Text, Code: e.Code}
	}
	own, err := jsonenc.Encode(w)
	if err != nil || hit.Document == nil {
		return own, err
	}
	doc, err := jsonenc.Encode(hit.Document)
	if err != nil || len(doc) <= len("{}") {
		return own, err
	}
	return slices.Concat(bytes.TrimSuffix(own, []byte("}")), []byte(","), doc[1:]), nil
}

// failedStatus returns the status for a page that could not be fetched. Its answer is never
// a success, whatever the answer of a scrape would be.
func failedStatus(code string) int {
	for _, line := range statuses {
		if line.code == code && line.status >= http.StatusBadRequest {
			return line.status
		}
	}
	return http.StatusInternalServerError
}
