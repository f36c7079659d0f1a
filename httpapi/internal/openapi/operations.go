// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"strings"

	"example.com/curlew/agent/outcome"
	"example.com/curlew/export"
	"example.com/curlew/httpapi/internal/wire"
)

// operation is what a route does. Its answer is a struct or a schema. Schemas are functions, so that the
// descriptions are data, which the program does not build when it starts.
type operation struct {
	route             string // method and pattern
	id, summary, text string

	query      []parameter
	request    string                // name of the request, if it is a JSON object
	body       func() map[string]any // schema by content type, of any other request
	idempotent bool                  // an X-Idempotency-Key counts
	answer     any                   // a nil pointer to the struct
	schema     func() *wire.Schema
	types      []string // of the answer; nil means JSON
}

// parameter is one member of a query.
type parameter struct {
	name, text string
	schema     func() *wire.Schema
	need       bool
}

// tag returns the group that the operation is shown in.
func (o *operation) tag() string {
	for _, word := range []string{"crawl", "batch", "parse", "scrape", "map", "agent", "search", "extract"} {
		if strings.Contains(strings.ToLower(o.id), word) {
			return word
		}
	}
	return "account"
}

// body returns the content of a request that is a JSON object.
func body(name string) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": &wire.Schema{Ref: "#/components/schemas/" + name + "Request"}}}
}

// upload is the content of POST /v2/parse: a file and its options, or a reference to a
// file that has been sent.
func upload() map[string]any {
	content := body("Reference")
	content["multipart/form-data"] = map[string]any{
		"schema": record(map[string]*wire.Schema{
			"file":    {Type: "string", Format: "binary", Description: "One file of at most 50 MB."},
			"options": {Ref: "#/components/schemas/ParseRequest"},
		}, "file"),
		"encoding": map[string]any{"options": map[string]string{"contentType": "application/json"}},
	}
	return content
}

// file is the content of PUT /v2/parse/upload/{id}.
func file() map[string]any {
	return map[string]any{"application/octet-stream": map[string]any{"schema": binary()}}
}

func number(low float64) *wire.Schema { return &wire.Schema{Type: "integer", Minimum: &low} }

func upTo(most float64) *wire.Schema {
	s := number(1)
	s.Maximum = &most
	return s
}

func flag() *wire.Schema { return &wire.Schema{Type: "boolean"} }

func natural() *wire.Schema { return number(0) }

func positive() *wire.Schema { return number(1) }

func binary() *wire.Schema { return &wire.Schema{Type: "string", Format: "binary"} }

func cancelled() *wire.Schema {
	return record(map[string]*wire.Schema{"status": {Const: "cancelled"}}, "status")
}

// answered is the answer to a request that has served data.
func answered(data *wire.Schema) *wire.Schema {
	return record(map[string]*wire.Schema{"success": flag(), "data": data}, "success", "data")
}

// preview is the answer of POST /v2/crawl/params-preview.
func preview() *wire.Schema {
	s := answered(anyObject())
	s.Properties["warning"] = text()
	return s
}

// skip and limit are the query of a status.
var (
	skip  = parameter{name: "skip", text: "How many documents to leave out, from the first one.", schema: natural}
	limit = parameter{name: "limit", text: "How many documents to return at most. An answer also ends before it exceeds 10 MiB.", schema: func() *wire.Schema {
		s := upTo(1000)
		s.Default = 100
		return s
	}}
)

// operations are the descriptions of the routes.
var operations = []operation{
	{
		route: "POST /v2/crawl", id: "startCrawl", summary: "Start a crawl of a site", request: "Crawl", idempotent: true, answer: (*wire.Started)(nil),
		text: "The job is stored before the answer. Read it at the URL that the answer names, or with a WebSocket there.",
	},
	{
		route: "POST /v2/crawl/params-preview", id: "previewCrawl", summary: "Show which options a prompt would give a crawl", request: "Preview",
		text:   "The site is not visited. A crawl plans from URLs of the site too, so its options may differ. warning says what was dropped.",
		schema: preview,
	},
	{route: "GET /v2/crawl/active", id: "activeCrawls", summary: "List the running crawls", answer: (*wire.Active)(nil)},
	{route: "GET /v2/crawl/ongoing", id: "ongoingCrawls", summary: "List the running crawls, under an older name", answer: (*wire.Active)(nil)},
	{
		route: "GET /v2/crawl/{id}", id: "crawlStatus", summary: "Read the status and the documents of a crawl", answer: (*wire.Status)(nil),
		text:  "The documents come in the order in which they were stored, and the position of one never changes. next is present if there are more.",
		query: []parameter{skip, limit, {name: "stats", text: "Whether to add counters, and the hosts that the crawl waits for.", schema: flag}},
	},
	{route: "DELETE /v2/crawl/{id}", id: "cancelCrawl", summary: "Cancel a crawl; its documents stay", schema: cancelled},
	{route: "GET /v2/crawl/{id}/errors", id: "crawlErrors", summary: "List the pages of a crawl that were not delivered", answer: (*wire.Errors)(nil)},
	{
		route: "GET /v2/crawl/{id}/explain", id: "explainCrawl", summary: "Say how the rules of a crawl treat a URL", answer: (*wire.Explained)(nil),
		query: []parameter{
			{name: "url", text: "The URL, absolute or relative to from.", schema: text, need: true},
			{name: "from", text: "The page that it was found on. The default is the start page.", schema: text},
			{name: "depth", text: "The depth of from.", schema: natural},
		},
	},
	{route: "POST /v2/batch/scrape", id: "startBatch", summary: "Start a job that fetches a list of pages", request: "Batch", idempotent: true, answer: (*wire.Started)(nil)},
	{route: "GET /v2/batch/scrape/{id}", id: "batchStatus", summary: "Read the status and the documents of a batch", query: []parameter{skip, limit}, answer: (*wire.Status)(nil)},
	{route: "DELETE /v2/batch/scrape/{id}", id: "cancelBatch", summary: "Cancel a batch; its documents stay", schema: cancelled},
	{route: "GET /v2/batch/scrape/{id}/errors", id: "batchErrors", summary: "List the pages of a batch that were not delivered", answer: (*wire.Errors)(nil)},
	{route: "POST /v2/parse", id: "parse", summary: "Read a document that is sent along", body: upload, answer: (*wire.Data)(nil)},
	{
		route: "POST /v2/parse/upload-url", id: "startParseUpload", summary: "Get a URL to which a file can be sent", request: "Upload",
		schema: func() *wire.Schema { return answered(&wire.Schema{Ref: "#/components/schemas/UploadTarget"}) },
	},
	{
		route: "PUT /v2/parse/upload/{id}", id: "sendParseUpload", summary: "Send a file to the URL of an upload", schema: success,
		body: file,
	},
	{route: "POST /v2/scrape", id: "scrape", summary: "Fetch one page", request: "Scrape", schema: scraped},
	{route: "GET /v2/scrape/{id}", id: "scraped", summary: "Read the document of an earlier scrape again", answer: (*wire.Data)(nil)},
	{
		route: "GET /v2/files/{id}/{sid}", id: "file", summary: "Read a picture or a PDF of a page", types: []string{"image/png", "image/jpeg", "application/pdf"}, schema: binary,
		text: "The URL is in the document of the page. Its query is the key, so no other key is needed. The file is deleted with its job.",
	},
	{route: "POST /v2/map", id: "map", summary: "List the URLs of a site", request: "Map", answer: (*wire.Mapped)(nil)},
	{
		route: "POST /v2/agent", id: "startAgent", summary: "Start an agent that answers a question from the web", request: "Agent", idempotent: true, answer: (*wire.AgentStarted)(nil),
	},
	{
		route: "GET /v2/agent", id: "listAgents", summary: "List the agents of the team, the newest first", answer: (*wire.AgentList)(nil),
		query: []parameter{{name: "before", text: "Only agents that were created before this time, in Unix milliseconds.", schema: positive}},
	},
	{
		route: "GET /v2/agent/{id}", id: "agentStatus", summary: "Read the status and the answer of an agent", answer: (*agentAnswer)(nil),
		text:  "Fields says for each value of data which line of which source states it, by JSON Pointer.",
		query: []parameter{{name: "usage", text: "Whether to add the tokens, calls and pages that were used.", schema: flag}},
	},
	{route: "DELETE /v2/agent/{id}", id: "cancelAgent", summary: "Cancel an agent", schema: success},
	{route: "POST /v2/agent/{id}/stop", id: "stopAgent", summary: "Let an agent end with what it knows", schema: success},
	{route: "GET /v2/agent/{id}/trace", id: "traceAgent", summary: "List what an agent has done", answer: (*wire.AgentTrace)(nil)},
	{
		route: "GET /v2/agent/{id}/events", id: "watchAgent", summary: "Watch what an agent does, as server-sent events", types: []string{"text/event-stream"}, schema: text,
		text: "The data of each event is an event of the trace. Last-Event-ID continues after an event. If it was the last one of an agent that has ended, the answer is 204.",
	},
	{route: "GET /v2/agent/{id}/snapshots/{sid}", id: "agentSnapshot", summary: "Read the data of an agent at the time of one event", answer: (*wire.AgentSnapshot)(nil)},
	{
		route: "POST /v2/search", id: "search", summary: "Search the web, images or news, and fetch the pages of the hits", request: "Search", answer: (*wire.Searched)(nil),
		text: "With formats in scrapeOptions, hits of the web and the news also have the members of a document. A list without hits is absent.",
	},
	{
		route: "POST /v2/extract", id: "startExtract", summary: "Start an agent that fills a schema from pages", request: "Extract", idempotent: true, answer: (*wire.ExtractStarted)(nil),
		text: "An older form of POST /v2/agent.",
	},
	{route: "GET /v2/extract/{id}", id: "extractStatus", summary: "Read the status and the answer of an extract", answer: (*wire.ExtractStatus)(nil)},
	{route: "GET /v2/team/threat-protection", id: "threatPolicy", summary: "Read the threat policy of the team", answer: (*wire.TeamThreat)(nil)},
	{
		route: "PUT /v2/team/threat-protection", id: "setThreatPolicy", summary: "Replace the threat policy of the team", request: "ThreatPolicy", answer: (*wire.TeamThreat)(nil),
		text: "Members that are absent get their default.",
	},
	{route: "GET /v2/team/credit-usage/historical", id: "creditHistory", summary: "Read how many credits past months have used", answer: (*wire.Periods)(nil)},
	{route: "GET /v2/team/token-usage/historical", id: "tokenHistory", summary: "Read how many tokens past months have used", answer: (*wire.Periods)(nil)},
	{
		route: "GET /v2/team/activity", id: "activity", summary: "List what the team has done in the last 24 hours, the newest first", answer: (*wire.Activity)(nil),
		query: []parameter{
			{name: "endpoint", text: "Only this endpoint.", schema: text},
			{name: "limit", text: "How many entries to return at most; 50 if it is absent.", schema: func() *wire.Schema { return upTo(100) }},
			{name: "cursor", text: "The cursor of the answer before.", schema: text},
		},
	},
	{route: "GET /v2/team/credit-usage", id: "creditUsage", summary: "Read how many credits are left", answer: (*wire.Usage)(nil)},
	{route: "GET /v2/team/token-usage", id: "tokenUsage", summary: "Read how many tokens are left", answer: (*wire.Usage)(nil)},
	{route: "GET /v2/team/queue-status", id: "queueStatus", summary: "Read how much work waits", answer: (*wire.Queue)(nil)},
	{route: "GET /v2/concurrency-check", id: "concurrency", summary: "Read how many pages are in progress", answer: (*wire.Concurrency)(nil)},
	{route: "GET /openapi.json", id: "openapi", summary: "This description", schema: anyObject},
}

// described returns the operations by their routes.
func described() map[string]*operation {
	all := map[string]*operation{}
	for i := range operations {
		all[operations[i].route] = &operations[i]
	}
	for _, o := range []*operation{exported("GET /v2/crawl/{id}/export", "exportCrawl", "crawl"), exported("GET /v2/batch/scrape/{id}/export", "exportBatch", "batch")} {
		all[o.route] = o
	}
	return all
}

// exported is the export of a kind of job.
func exported(route, id, kind string) *operation {
	forms := &wire.Schema{Type: "string", Default: string(export.JSONL)}
	var types []string
	for _, f := range export.Formats() {
		forms.Enum = append(forms.Enum, string(f))
		if t, _, _ := strings.Cut(f.ContentType(), ";"); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	about := "jsonl: documents. md: a ZIP archive of Markdown files. links: a CSV table, for the format links. chunks: JSON lines, for the format chunks."
	forms.Enum, types = append(forms.Enum, "warc"), append(types, "application/warc")
	about += " warc: a web archive of what was requested, for a " + kind + " that was started with warc."
	return &operation{
		route: route, id: id, summary: "Download the documents of a " + kind, schema: text, types: types,
		text: "The trailer Export-Left-Out counts the documents that are not in the file, by reason. An answer that fails on the way is cut off.",
		query: []parameter{
			{name: "format", text: about, schema: func() *wire.Schema { return forms }},
			{name: "partial", text: "Whether a running job is exported too, with what it has delivered so far.", schema: flag},
			{name: "withoutRepeats", text: "Whether lines at the beginning and at the end of the Markdown that many pages of the job have are left out. The warning of a document says how many. The stored documents do not change.", schema: flag},
		},
	}
}

// agentAnswer is the status of an agent with its answer.
type agentAnswer struct {
	wire.AgentStatus
	outcome.Answer
}

// scraped is the answer to a scrape. A host whose name cannot be resolved is answered
// with status 200 too, but without success, as clients of the public API expect.
func scraped() *wire.Schema {
	return &wire.Schema{AnyOf: []*wire.Schema{{Ref: "#/components/schemas/Data"}, {Ref: "#/components/schemas/Failure"}}}
}
