// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew/client"
)

// tool is a tool of the server. Its schema lists the arguments that are needed most. The
// API checks the arguments, and accepts further ones.
type tool struct {
	name, about, schema   string
	readOnly, destructive bool
	files                 *bool // the tool is for servers that read files of the machine, or for those that do not; nil means both
	call                  func(*server, context.Context, *request) (*sdk.CallToolResult, error)
}

// pageSchema has the arguments that say how a page is fetched and formatted.
const pageSchema = `"formats":{"type":"array","items":{},"description":"markdown (default), html, rawHtml, links, images, summary, json, query and others"},
"jsonOptions":{"type":"object","description":"prompt and schema of the format json"},
"queryOptions":{"type":"object","description":"prompt and mode of the format query"},
"screenshotOptions":{"type":"object"},"parsers":{"type":"array","items":{}},"pdfOptions":{"type":"object","description":"maxPages"},
"onlyMainContent":{"type":"boolean"},"includeTags":{"type":"array","items":{"type":"string"}},"excludeTags":{"type":"array","items":{"type":"string"}},
"waitFor":{"type":"integer"},"timeout":{"type":"integer","description":"milliseconds"},"maxAge":{"type":"integer","description":"milliseconds that a cached page may be old"}`

const idSchema = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`

// tools are in the order in which they are listed.
var tools = []tool{
	{
		name: "firecrawl_scrape", about: "Fetch one page and return its content as Markdown or in other formats.",
		schema: `{"type":"object","properties":{"url":{"type":"string"},` + pageSchema + `},"required":["url"]}`,
		call:   (*server).scrape,
	},
	{
		name: "firecrawl_map", about: "List the URLs of a site without fetching its pages.", readOnly: true,
		schema: `{"type":"object","properties":{"url":{"type":"string"},"search":{"type":"string","description":"words; URLs that contain the most of them come first"},"sitemap":{"enum":["include","skip","only"]},"includeSubdomains":{"type":"boolean"},"limit":{"type":"integer"},"ignoreQueryParameters":{"type":"boolean"}},"required":["url"]}`,
		call:   (*server).mapSite,
	},
	{
		name: "firecrawl_search", about: "Search the web. With scrapeOptions the pages of the hits are fetched too.", readOnly: true,
		schema: `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"},"sources":{"type":"array","items":{}},"categories":{"type":"array","items":{}},"tbs":{"type":"string"},"location":{"type":"string"},"includeDomains":{"type":"array","items":{"type":"string"}},"excludeDomains":{"type":"array","items":{"type":"string"}},"scrapeOptions":{"type":"object"}},"required":["query"]}`,
		call:   (*server).search,
	},
	{
		name: "firecrawl_crawl", about: "Crawl a site. If it takes long, the result is an id for firecrawl_check_crawl_status. Without a limit it fetches 20 pages.",
		schema: `{"type":"object","properties":{"url":{"type":"string"},"prompt":{"type":"string"},"limit":{"type":"integer"},"includePaths":{"type":"array","items":{"type":"string"}},"excludePaths":{"type":"array","items":{"type":"string"}},"maxDiscoveryDepth":{"type":"integer"},"sitemap":{"enum":["include","skip","only"]},"crawlEntireDomain":{"type":"boolean"},"allowSubdomains":{"type":"boolean"},"allowExternalLinks":{"type":"boolean"},"delay":{"type":"number"},"maxConcurrency":{"type":"integer"},"webhook":{},"webhookHeaders":{"type":"object"},"scrapeOptions":{"type":"object"}},"required":["url"]}`,
		call:   (*server).crawl,
	},
	{
		name: "firecrawl_check_crawl_status", about: "State of a crawl, with its pages from number offset on.", readOnly: true,
		schema: `{"type":"object","properties":{"id":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["id"]}`,
		call:   (*server).crawlStatus,
	},
	{
		name: "firecrawl_parse", about: "Read a document of this machine (PDF, Office, e-mail, HTML and others).", files: new(true),
		schema: `{"type":"object","properties":{"filePath":{"type":"string"},"contentType":{"type":"string"},` + pageSchema + `},"required":["filePath"]}`,
		call:   (*server).parse,
	},
	{
		name: "firecrawl_parse", about: "Read a document (PDF, Office, e-mail, HTML and others) that was uploaded to the URL that POST /v2/parse/upload-url returns.", files: new(false),
		schema: `{"type":"object","properties":{"uploadRef":{"type":"string"},` + pageSchema + `},"required":["uploadRef"]}`,
		call:   (*server).parseUpload,
	},
	{
		name: "firecrawl_agent", about: "Answer a question from the web, with sources. If it takes long, the result is an id for firecrawl_agent_status.",
		schema: `{"type":"object","properties":{"prompt":{"type":"string"},"urls":{"type":"array","items":{"type":"string"}},"schema":{"type":"object"},"maxCredits":{"type":"number"},"strictConstrainToURLs":{"type":"boolean"}},"required":["prompt"]}`,
		call:   (*server).agent,
	},
	{name: "firecrawl_agent_status", about: "State of an agent, and its answer.", readOnly: true, schema: idSchema, call: (*server).agentStatus},
	{
		name: "firecrawl_credit_usage", about: "Credits of the team.", readOnly: true,
		schema: `{"type":"object","properties":{"view":{"enum":["current","historical"]},"byApiKey":{"type":"boolean"}}}`,
		call:   (*server).credits,
	},
	{
		name: "curlew_explain", about: "Which rule of a crawl includes or excludes a URL.", readOnly: true,
		schema: `{"type":"object","properties":{"id":{"type":"string"},"url":{"type":"string"}},"required":["id","url"]}`,
		call:   (*server).explain,
	},
	{name: "curlew_cancel", about: "Cancel a crawl or an agent.", destructive: true, schema: idSchema, call: (*server).cancel},
}

// page moves the options of formats and parsers into the items of the lists formats and
// parsers, where the API expects them.
func (r *request) page() error {
	for option, format := range map[string]string{"jsonOptions": "json", "queryOptions": "query", "screenshotOptions": "screenshot"} {
		raw, ok := r.args[option]
		if !ok {
			continue
		}
		delete(r.args, option)
		object := map[string]json.RawMessage{}
		if err := json.Unmarshal(raw, &object); err != nil {
			return fmt.Errorf("the argument %s must be an object", option)
		}
		if err := r.merge("formats", format, object); err != nil {
			return err
		}
	}
	raw, ok := r.args["pdfOptions"]
	if !ok {
		return nil
	}
	delete(r.args, "pdfOptions")
	object := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &object); err != nil {
		return errors.New("the argument pdfOptions must be an object")
	}
	return r.merge("parsers", "pdf", object)
}

// merge replaces the item with this type in the list name by one with options. If there
// is none, it is added.
func (r *request) merge(name, kind string, options map[string]json.RawMessage) error {
	var list []any
	if raw, ok := r.args[name]; ok {
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("the argument %s must be a list", name)
		}
	}
	item := map[string]any{"type": kind}
	for key, value := range options {
		item[key] = value
	}
	i := slices.IndexFunc(list, func(v any) bool {
		object, _ := v.(map[string]any)
		return v == kind || object["type"] == kind
	})
	if i >= 0 {
		list[i] = item
	} else {
		list = append(list, item)
	}
	raw, err := json.Marshal(list)
	r.args[name] = raw
	return err
}

// post sends the arguments to the API.
func (s *server) post(ctx context.Context, r *request, path string, out any) error {
	r.args["origin"] = json.RawMessage(`"curlew-mcp"`)
	return s.api.Do(ctx, http.MethodPost, path, r.args, out)
}

func (s *server) scrape(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	if err := r.page(); err != nil {
		return nil, err
	}
	var out struct{ Data *client.Document }
	if err := s.post(ctx, r, "/v2/scrape", &out); err != nil {
		return nil, err
	}
	return s.document(out.Data)
}

// document returns the result for a document. If the site answered with an error status,
// it returns an error.
func (s *server) document(d *client.Document) (*sdk.CallToolResult, error) {
	if d == nil {
		return nil, errors.New("the server has sent no document")
	}
	m := &d.Metadata
	if m.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("the site answered %d %s for %s", m.StatusCode, m.Error, m.SourceURL)
	}
	uri := ""
	if m.ScrapeID != "" {
		uri = "curlew://scrape/" + m.ScrapeID
	}
	return s.result(textOf(d), uri, map[string]any{
		"url": m.URL, "title": m.Title, "statusCode": m.StatusCode, "scrapeId": m.ScrapeID, "creditsUsed": m.CreditsUsed, "warning": d.Warning,
	}), nil
}

// warn writes a warning, if there is one. It stands before the text, because a long text is
// cut at its end.
func warn(b *strings.Builder, text string) {
	if text != "" {
		fmt.Fprintf(b, "[Warning: %s]\n\n", text)
	}
}

// textOf writes a document for a model: its Markdown, and then its other members as JSON,
// except those in known.
func textOf(d *client.Document, known ...string) string {
	var b strings.Builder
	warn(&b, d.Warning)
	b.WriteString(d.Markdown)
	members := map[string]json.RawMessage{}
	if json.Unmarshal(d.Raw, &members) != nil {
		return b.String()
	}
	for _, name := range append(known, "markdown", "metadata", "warning") {
		delete(members, name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		if json.Unmarshal(members[name], &text) != nil {
			text = string(members[name])
		}
		fmt.Fprintf(&b, "\n\n## %s\n\n%s", name, text)
	}
	return strings.TrimSpace(b.String())
}

func (s *server) mapSite(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	var out client.Mapped
	if err := s.post(ctx, r, "/v2/map", &out); err != nil {
		return nil, err
	}
	var b strings.Builder
	warn(&b, out.Warning)
	for _, l := range out.Links {
		b.WriteString(l.URL + "\n")
	}
	return s.result(b.String(), "", map[string]any{"count": len(out.Links), "warning": out.Warning}), nil
}

func (s *server) search(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	var out client.SearchResults
	if err := s.post(ctx, r, "/v2/search", &out); err != nil {
		return nil, err
	}
	var b strings.Builder
	warn(&b, out.Warning)
	for _, group := range [][]client.Hit{out.Data.Web, out.Data.News, out.Data.Images} {
		for i := range group {
			if err := hit(&b, &group[i]); err != nil {
				return nil, err
			}
		}
	}
	hits := len(out.Data.Web) + len(out.Data.News) + len(out.Data.Images)
	if hits == 0 {
		b.WriteString("Nothing was found.")
	}
	return s.result(b.String(), "", map[string]any{"id": out.ID, "hits": hits, "creditsUsed": out.CreditsUsed, "warning": out.Warning}), nil
}

// hit writes a hit of a search and its page, or why the page could not be read.
func hit(b *strings.Builder, h *client.Hit) error {
	d := new(client.Document)
	var own struct{ Snippet, Date, ImageURL string } // of news and images
	if err := errors.Join(json.Unmarshal(h.Raw, d), json.Unmarshal(h.Raw, &own)); err != nil {
		return fmt.Errorf("the hit %s: %w", h.URL, err)
	}
	text := textOf(d, "url", "title", "description", "position", "category", "snippet", "date", "imageUrl", "imageWidth", "imageHeight")
	if m := &d.Metadata; m.StatusCode >= http.StatusBadRequest {
		text = fmt.Sprintf("[The page could not be read: %d %s.]", m.StatusCode, strings.TrimSuffix(m.Error, "."))
	}
	fmt.Fprintf(b, "## %s\n", cmp.Or(h.Title, h.URL))
	for _, line := range []string{h.URL, own.ImageURL, own.Date, cmp.Or(h.Description, own.Snippet)} {
		if line != "" {
			fmt.Fprintln(b, line)
		}
	}
	if b.WriteByte('\n'); text != "" {
		fmt.Fprintf(b, "%s\n\n", text)
	}
	return nil
}

func (s *server) crawl(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	if _, ok := r.args["limit"]; !ok {
		r.args["limit"] = json.RawMessage("20")
	}
	if headers, ok := r.args["webhookHeaders"]; ok {
		delete(r.args, "webhookHeaders")
		object, err := json.Marshal(map[string]json.RawMessage{"url": r.args["webhook"], "headers": headers})
		if err != nil {
			return nil, errors.New("webhookHeaders needs webhook, a URL")
		}
		r.args["webhook"] = object
	}
	var job client.Started
	if err := s.post(ctx, r, "/v2/crawl", &job); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(s.o.Wait)
	for {
		now, err := s.api.Status(ctx, client.CrawlJob, job.ID, 0, 1)
		switch {
		case ctx.Err() != nil: // the model has given up the call
			return nil, errors.Join(context.Cause(ctx), s.leave(ctx, func(ctx context.Context) error {
				return s.api.Cancel(ctx, client.CrawlJob, job.ID)
			}))
		case err != nil:
			return nil, fmt.Errorf("crawl %s: %w", job.ID, err)
		case now.Ended() || time.Now().After(deadline):
			return s.pages(ctx, job.ID, 0, 0)
		}
		r.progress(ctx, now.Completed, now.Total, fmt.Sprintf("%d of %d known pages", now.Completed, now.Total))
		s.rest(ctx, deadline)
	}
}

// rest waits a moment before the state of a job is asked for again.
func (s *server) rest(ctx context.Context, deadline time.Time) {
	wait := min(cmp.Or(s.api.Poll, time.Second), max(time.Until(deadline), 0)+time.Millisecond)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// leave ends a job after its call was cancelled.
func (s *server) leave(ctx context.Context, cancel func(context.Context) error) error {
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer stop()
	return cancel(ending)
}

func (s *server) crawlStatus(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	id, err := r.text("id")
	if err != nil {
		return nil, err
	}
	offset, err := r.number("offset", 0)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", 0)
	if err != nil {
		return nil, err
	}
	if err := r.only("id", "offset", "limit"); err != nil {
		return nil, err
	}
	return s.pages(ctx, id, offset, limit)
}

// pages returns the state of a crawl and as many pages from offset on as there is room
// for.
func (s *server) pages(ctx context.Context, id string, offset, limit int) (*sdk.CallToolResult, error) {
	now := new(client.Status)
	path := fmt.Sprintf("/v2/crawl/%s?skip=%d&limit=%d&stats=true", url.PathEscape(id), offset, cmp.Or(limit, 100))
	if err := s.api.Do(ctx, http.MethodGet, path, nil, now); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Crawl %s: %s, %d of %d pages, %d credits.\n", id, now.Status, now.Completed, now.Total, now.CreditsUsed)
	if now.Error != "" {
		fmt.Fprintf(&b, "Error: %s\n", now.Error)
	}
	if now.Warning != "" {
		fmt.Fprintf(&b, "[Warning: %s]\n", now.Warning)
	}
	left := notFollowed(now.Stats)
	if len(left) > 0 {
		b.WriteString("[Links that were not followed, by rule:")
		for _, rule := range slices.Sorted(maps.Keys(left)) {
			fmt.Fprintf(&b, " %s %d,", rule, left[rule])
		}
		b.WriteString(s.named(" see curlew_explain.]\n"))
	}
	shown, used := 0, 0
	var links []sdk.Content
	for i, raw := range now.Data {
		d := new(client.Document)
		if err := json.Unmarshal(raw, d); err != nil {
			return nil, fmt.Errorf("page %d: %w", offset+i, err)
		}
		text := textOf(d)
		if m := &d.Metadata; m.StatusCode >= http.StatusBadRequest {
			text = fmt.Sprintf("[The site answered %d %s.]", m.StatusCode, m.Error)
		}
		uri := fmt.Sprintf("curlew://crawl/%s/page/%d", id, offset+i)
		text, cut := s.cut(text)
		if used += len(text); shown > 0 && used > s.o.MaxChars {
			break
		}
		fmt.Fprintf(&b, "\n# Page %d: %s\n\n%s\n", offset+i, d.Metadata.SourceURL, text)
		if cut {
			fmt.Fprintf(&b, "[This page is cut. The resource %s has all of it.]\n", uri)
			links = append(links, &sdk.ResourceLink{URI: uri, Name: uri, MIMEType: "text/markdown"})
		}
		shown++
	}
	next := offset + shown
	members := map[string]any{"id": id, "status": now.Status, "completed": now.Completed, "total": now.Total, "creditsUsed": now.CreditsUsed, "warning": now.Warning}
	if len(left) > 0 {
		members["linksNotFollowed"] = left
	}
	switch {
	case next < now.Completed:
		members["nextOffset"] = next
		fmt.Fprintf(&b, s.named("\n[%d more pages: go on with firecrawl_check_crawl_status, id %s, offset %d.]\n"), now.Completed-next, id, next)
	case !now.Ended():
		members["nextOffset"] = next
		fmt.Fprintf(&b, s.named("\n[The crawl is running: ask again with firecrawl_check_crawl_status, id %s, offset %d.]\n"), id, next)
	}
	content := append([]sdk.Content{&sdk.TextContent{Text: b.String()}}, links...)
	return &sdk.CallToolResult{Content: content, StructuredContent: members, IsError: now.Status == "failed"}, nil
}

// notFollowed counts by rule the links of a crawl behind which there may be pages that it
// has not visited. Links to pages that it knows are not among them, nor those to parts of
// the same page or to addresses that are not of the web. The warning has those that
// robots.txt disallows, and those of endless spaces.
func notFollowed(stats *client.CrawlStats) map[string]int {
	if stats == nil {
		return nil
	}
	left := maps.Clone(stats.Rules)
	for _, rule := range []string{"duplicate", "section", "scheme", "robots", "endless"} {
		delete(left, rule)
	}
	return left
}

func (s *server) parse(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	path, err := r.text("filePath")
	if err != nil {
		return nil, err
	}
	if err := r.page(); err != nil {
		return nil, err
	}
	delete(r.args, "filePath")
	delete(r.args, "contentType") // the content decides
	raw, err := json.Marshal(r.args)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path) //nolint:gosec // the user of this machine lets the model read files
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file", path))
	}
	d, err := s.api.ParseJSON(ctx, filepath.Base(path), file, raw)
	if err != nil {
		return nil, err
	}
	return s.document(d)
}

// parseUpload reads a document that was uploaded to the API.
func (s *server) parseUpload(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	if _, err := r.text("uploadRef"); err != nil {
		return nil, err
	}
	if err := r.page(); err != nil {
		return nil, err
	}
	var out struct{ Data *client.Document }
	if err := s.post(ctx, r, "/v2/parse", &out); err != nil {
		return nil, err
	}
	return s.document(out.Data)
}

func (s *server) agent(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	var job client.Started
	if err := s.post(ctx, r, "/v2/agent", &job); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(s.o.Wait)
	for {
		now, err := s.api.Agent(ctx, job.ID)
		switch {
		case ctx.Err() != nil:
			return nil, errors.Join(context.Cause(ctx), s.leave(ctx, func(ctx context.Context) error {
				return s.api.CancelAgent(ctx, job.ID)
			}))
		case err != nil:
			return nil, fmt.Errorf("agent %s: %w", job.ID, err)
		case now.Status != "processing" || time.Now().After(deadline):
			return s.answer(job.ID, now), nil
		}
		r.progress(ctx, now.CreditsUsed, 0, fmt.Sprintf("%d credits", now.CreditsUsed))
		s.rest(ctx, deadline)
	}
}

func (s *server) agentStatus(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	id, err := r.text("id")
	if err != nil {
		return nil, err
	}
	if err := r.only("id"); err != nil {
		return nil, err
	}
	now, err := s.api.Agent(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.answer(id, now), nil
}

// answer returns the state of an agent.
func (s *server) answer(id string, now *client.AgentStatus) *sdk.CallToolResult {
	text := string(now.Raw)
	if now.Status == "processing" {
		text = fmt.Sprintf(s.named("Agent %s is running, %d credits so far: ask again with firecrawl_agent_status."), id, now.CreditsUsed)
	}
	result := s.result(text, "curlew://agent/"+id, map[string]any{"id": id, "status": now.Status, "creditsUsed": now.CreditsUsed, "partial": now.Partial})
	result.IsError = now.Status == "failed"
	return result
}

func (s *server) credits(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	if err := r.only("view", "byApiKey"); err != nil {
		return nil, err
	}
	path := "/v2/team/credit-usage"
	switch string(r.args["view"]) {
	case `"historical"`:
		path += "/historical"
	case "", `"current"`:
	default:
		return nil, errors.New("the argument view must be current or historical")
	}
	if string(r.args["byApiKey"]) == "true" {
		path += "?byApiKey=true" // the API says whether it can
	}
	var out json.RawMessage
	if err := s.api.Do(ctx, http.MethodGet, path, nil, &out); err != nil {
		return nil, err
	}
	return s.result(string(out), "", nil), nil
}

func (s *server) explain(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	id, err := r.text("id")
	if err != nil {
		return nil, err
	}
	url, err := r.text("url")
	if err != nil {
		return nil, err
	}
	if err := r.only("id", "url"); err != nil {
		return nil, err
	}
	e, err := s.api.Explain(ctx, id, url)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s would be crawled.", e.URL)
	if !e.Decision.Follow {
		text = fmt.Sprintf("%s is not crawled. Rule: %s %s", e.URL, e.Decision.Rule, e.Decision.Value)
	}
	return s.result(text, "", map[string]any{"url": e.URL, "follow": e.Decision.Follow, "rule": e.Decision.Rule}), nil
}

func (s *server) cancel(ctx context.Context, r *request) (*sdk.CallToolResult, error) {
	id, err := r.text("id")
	if err != nil {
		return nil, err
	}
	if err := r.only("id"); err != nil {
		return nil, err
	}
	err = s.api.Cancel(ctx, client.CrawlJob, id)
	if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusNotFound {
		err = s.api.CancelAgent(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	return s.result("Job "+id+" is cancelled.", "", map[string]any{"id": id, "status": "cancelled"}), nil
}
