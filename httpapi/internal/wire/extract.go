// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"strings"

	"example.com/curlew/internal/jsonenc"
)

// Extract is the body of POST /v2/extract. URLs are as sent. The decoder
// does not check whether Schema compiles.
type Extract struct {
	URLs               []string        `json:"urls,omitzero"`
	Prompt             *string         `json:"prompt,omitempty"`
	SystemPrompt       *string         `json:"systemPrompt,omitempty"`
	Schema             json.RawMessage `json:"schema,omitempty"`
	EnableWebSearch    *bool           `json:"enableWebSearch,omitempty"`
	AllowExternalLinks *bool           `json:"allowExternalLinks,omitempty"`
	IncludeSubdomains  *bool           `json:"includeSubdomains,omitempty"`
	IgnoreSitemap      *bool           `json:"ignoreSitemap,omitempty"`
	IgnoreInvalidURLs  *bool           `json:"ignoreInvalidURLs,omitempty"`
	ShowSources        *bool           `json:"showSources,omitempty"`
	Timeout            *int            `json:"timeout,omitempty"` // milliseconds
	Scrape             *Scrape         `json:"scrapeOptions,omitempty"`
	Webhook            *Webhook        `json:"webhook,omitempty"`
	ZeroDataRetention  *bool           `json:"zeroDataRetention,omitempty"`
	Threat             *Threat         `json:"threatProtection,omitempty"`
	Audit              *Audit          `json:"auditMetadata,omitempty"`
	Source
}

// DecodeExtract decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeExtract(body []byte, o Options) (*Extract, error) {
	e := new(Extract)
	err := decode(body, o, e.read)
	return e, err
}

func (e *Extract) read(o *object) {
	e.readURLs(o)
	e.Prompt = o.text("prompt", 0, maxPrompt)
	e.SystemPrompt = o.text("systemPrompt", 0, maxPrompt)
	if len(e.URLs) == 0 && blank(e.Prompt) && !o.has("urls") {
		o.custom("Either 'urls' or 'prompt' must be provided.")
	}
	e.Schema = o.schema()
	e.EnableWebSearch = o.bool("enableWebSearch")
	e.AllowExternalLinks = o.bool("allowExternalLinks")
	e.IncludeSubdomains = o.bool("includeSubdomains")
	e.IgnoreSitemap = o.bool("ignoreSitemap")
	e.IgnoreInvalidURLs = o.bool("ignoreInvalidURLs")
	e.ShowSources = o.bool("showSources")
	e.Timeout = o.int("timeout", 1000, maxTimeout)
	o.object("scrapeOptions", func(o *object) {
		e.Scrape = new(Scrape)
		e.Scrape.readScrape(o, ScrapeTimeout)
		e.Scrape.noPassword(o)
	})
	e.Webhook = readWebhook(o)
	e.ZeroDataRetention = o.bool("zeroDataRetention")
	e.Threat = readThreat(o)
	e.Audit = readAudit(o)
	e.readSource(o)
	// These names of the public API choose its own engines and have no effect here.
	for _, name := range []string{"agent", "urlTrace"} {
		o.has(name)
	}
}

// maxExtracted is how many URLs an extract may have.
const maxExtracted = 10

func (e *Extract) readURLs(o *object) {
	if e.URLs = o.texts("urls", 1000); len(e.URLs) > maxExtracted {
		o.custom("Maximum of 10 URLs allowed per request while in beta.", "urls")
	}
	if o.has("urls") && len(e.URLs) == 0 && !o.has("prompt") {
		o.custom("Either 'urls' or 'prompt' must be provided.", "urls")
	}
}

// blank reports whether a text is absent or has only white space.
func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

// ExtractStarted answers the start of an extract.
type ExtractStarted struct {
	Success     bool     `json:"success"`
	ID          string   `json:"id"`
	URLTrace    []string `json:"urlTrace"` // always empty
	InvalidURLs []string `json:"invalidURLs,omitempty"`
}

// ExtractStatus is the status of an extract.
type ExtractStatus struct {
	Success     bool                `json:"success"`
	ID          string              `json:"id"`
	Status      string              `json:"status"` // processing, completed, failed, cancelled
	Data        json.RawMessage     `json:"data,omitempty"`
	Error       string              `json:"error,omitempty"`
	Sources     map[string][]string `json:"sources,omitempty"` // by path of the value, if the request asks for them
	Warning     string              `json:"warning,omitempty"`
	ExpiresAt   jsonenc.Time        `json:"expiresAt"`
	CreditsUsed int                 `json:"creditsUsed"`
}
