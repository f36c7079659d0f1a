// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"math"
	"strings"

	"example.com/curlew/internal/jsonenc"
)

// Page is the body of POST /v2/scrape: one URL.
type Page struct {
	URL               string `json:"url"`
	ZeroDataRetention *bool  `json:"zeroDataRetention,omitempty"`
	Scrape
}

// DecodePage decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodePage(body []byte, o Options) (*Page, error) {
	p := new(Page)
	err := decode(body, o, p.read)
	return p, err
}

func (p *Page) read(o *object) {
	p.URL = o.needText("url", 1, -1)
	p.ZeroDataRetention = o.bool("zeroDataRetention")
	p.readScrape(o, ScrapeTimeout)
}

// Parse is the options part of POST /v2/parse.
type Parse struct {
	ZeroDataRetention *bool   `json:"zeroDataRetention,omitempty"`
	Password          *string `json:"-"` // as in Parser
	Scrape
}

// DecodeParse decodes an options part. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeParse(body []byte, o Options) (*Parse, error) {
	p := new(Parse)
	err := decode(body, o, p.read)
	return p, err
}

func (p *Parse) read(o *object) {
	p.ZeroDataRetention = o.bool("zeroDataRetention")
	p.Password = o.text("password", 0, maxPassword)
	p.readScrape(o, ParseTimeout)
}

// DecodeReference decodes a JSON body of POST /v2/parse: its uploadRef, which
// is nil if it is missing, and the options. Its error is ErrSyntax, ErrValues or an
// [*Error].
func DecodeReference(body []byte, o Options) (*string, *Parse, error) {
	var ref *string
	p := new(Parse)
	err := decode(body, o, func(o *object) { ref = p.readReference(o) })
	return ref, p, err
}

func (p *Parse) readReference(o *object) *string {
	ref := o.text("uploadRef", 1, -1)
	p.read(o)
	return ref
}

// Upload is the body of POST /v2/parse/upload-url.
type Upload struct {
	Name        string
	ContentType *string
	Size        *int // bytes, as the client says
}

// DecodeUpload decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeUpload(body []byte) (*Upload, error) {
	u := new(Upload)
	err := decode(body, Options{}, u.read)
	return u, err
}

func (u *Upload) read(o *object) {
	u.Name = o.needText("filename", 1, 512)
	u.ContentType = o.text("contentType", 1, 255)
	u.Size = o.int("declaredSizeBytes", 1, MaxUpload)
}

// MaxUpload is the size of the largest file, in bytes.
const MaxUpload = 50 << 20

// UploadTarget is the URL to which a file can be sent.
type UploadTarget struct {
	UploadURL    string            `json:"uploadUrl"`
	UploadRef    string            `json:"uploadRef"`
	Method       string            `json:"method"`
	Headers      map[string]string `json:"headers"`
	ExpiresAt    jsonenc.Time      `json:"expiresAt"`
	MaxSizeBytes int               `json:"maxSizeBytes"`
}

// Batch is the body of POST /v2/batch/scrape.
type Batch struct {
	URLs              []string `json:"urls"`
	Webhook           *Webhook `json:"webhook,omitempty"`
	AppendToID        *string  `json:"appendToId,omitempty"`
	IgnoreInvalidURLs *bool    `json:"ignoreInvalidURLs,omitempty"`
	MaxConcurrency    *int     `json:"maxConcurrency,omitempty"`
	ZeroDataRetention *bool    `json:"zeroDataRetention,omitempty"`
	WARC              *bool    `json:"warc,omitempty"` // store each request and response, for the export
	Scrape
}

// DecodeBatch decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeBatch(body []byte, o Options) (*Batch, error) {
	b := new(Batch)
	err := decode(body, o, b.read)
	return b, err
}

func (b *Batch) read(o *object) {
	if _, ok := o.need("urls", "array"); ok {
		o.list("urls", 1, -1, func(v value, path []any) {
			if s := o.d.text(v, path, 0, -1); s != nil {
				b.URLs = append(b.URLs, *s)
			}
		})
	}
	b.Webhook = readWebhook(o)
	if b.AppendToID = o.text("appendToId", 0, -1); b.AppendToID != nil && !IsUUID(*b.AppendToID) {
		o.d.fault(Fault{Code: InvalidFormat, Path: o.at("appendToId"), Message: "Invalid UUID"})
	}
	b.IgnoreInvalidURLs = o.bool("ignoreInvalidURLs")
	b.MaxConcurrency = o.int("maxConcurrency", 1, math.MaxInt32)
	b.ZeroDataRetention = o.bool("zeroDataRetention")
	b.WARC = o.bool("warc")
	b.readScrape(o, ScrapeTimeout)
	b.noPassword(o)
}

// Map is the body of POST /v2/map.
type Map struct {
	URL                   string            `json:"url"`
	Search                *string           `json:"search,omitempty"`
	Sitemap               *string           `json:"sitemap,omitempty"`
	IncludeSubdomains     *bool             `json:"includeSubdomains,omitempty"`
	IgnoreQueryParameters *bool             `json:"ignoreQueryParameters,omitempty"`
	Limit                 *int              `json:"limit,omitempty"`
	Timeout               *int              `json:"timeout,omitempty"` // milliseconds
	Headers               map[string]string `json:"headers,omitzero"`
	IncludePaths          []string          `json:"includePaths,omitzero"`
	ExcludePaths          []string          `json:"excludePaths,omitzero"`
	RegexOnFullURL        *bool             `json:"regexOnFullURL,omitempty"`
	CrawlEntireDomain     *bool             `json:"crawlEntireDomain,omitempty"`
	AllowExternalLinks    *bool             `json:"allowExternalLinks,omitempty"`
	IgnoreRobotsTxt       *bool             `json:"ignoreRobotsTxt,omitempty"`
	RobotsUserAgent       *string           `json:"robotsUserAgent,omitempty"`
	Location              *Location         `json:"location,omitempty"`
	Threat                *Threat           `json:"threatProtection,omitempty"`
	Audit                 *Audit            `json:"auditMetadata,omitempty"`
	Source
}

// maxTimeout is the longest timeout of a map, in milliseconds. It is the
// largest integer that a JSON number holds exactly.
const maxTimeout = 1 << 53

// DecodeMap decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeMap(body []byte, o Options) (*Map, error) {
	m := new(Map)
	err := decode(body, o, m.read)
	return m, err
}

func (m *Map) read(o *object) {
	m.URL = o.needText("url", 1, -1)
	m.Search = o.text("search", 0, maxPrompt)
	m.Sitemap = o.enum("sitemap", "skip", "include", "only")
	m.IncludeSubdomains = o.bool("includeSubdomains")
	m.IgnoreQueryParameters = o.bool("ignoreQueryParameters")
	m.Limit = o.int("limit", 1, 100_000)
	m.Timeout = o.int("timeout", 1, maxTimeout)
	m.Headers = readHeaders(o)
	m.IncludePaths = readPatterns(o, "includePaths")
	m.ExcludePaths = readPatterns(o, "excludePaths")
	m.RegexOnFullURL = o.bool("regexOnFullURL")
	m.CrawlEntireDomain = o.bool("crawlEntireDomain")
	m.AllowExternalLinks = o.bool("allowExternalLinks")
	m.IgnoreRobotsTxt = o.bool("ignoreRobotsTxt")
	m.RobotsUserAgent = readAgentName(o)
	m.Location = readLocation(o)
	m.Threat = readThreat(o)
	m.Audit = readAudit(o)
	m.readSource(o)
	// These names of the public API control its own index and have no
	// effect here.
	for _, name := range []string{"ignoreCache", "useIndex", "filterByPath", "allowSubdomains", "maxDiscoveryDepth", "deduplicateSimilarURLs", "delay", "maxConcurrency", "ignoreSitemap", "sitemapOnly"} {
		o.has(name)
	}
}

// Agent is the body of POST /v2/agent. URLs are as sent. The
// decoder does not check whether Schema compiles.
type Agent struct {
	Prompt                string          `json:"prompt"`
	URLs                  []string        `json:"urls,omitzero"`
	Schema                json.RawMessage `json:"schema,omitempty"`
	StrictConstrainToURLs *bool           `json:"strictConstrainToURLs,omitempty"`
	MaxCredits            *float64        `json:"maxCredits,omitempty"`
	Model                 *string         `json:"model,omitempty"`
	Webhook               *Webhook        `json:"webhook,omitempty"`
	ZeroDataRetention     *bool           `json:"zeroDataRetention,omitempty"`
	Threat                *Threat         `json:"threatProtection,omitempty"`
	Audit                 *Audit          `json:"auditMetadata,omitempty"`
	Source

	Headers map[string]string `json:"headers,omitzero"`
	Thread  string            `json:"threadId,omitempty"` // "?" if it is given and cannot be an ID
}

// DecodeAgent decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeAgent(body []byte, o Options) (*Agent, error) {
	a := new(Agent)
	err := decode(body, o, a.read)
	return a, err
}

// readThread reads the ID of the run to continue. A value that is not an ID is not
// reported as a fault, because the question is then answered without it.
func readThread(o *object) string {
	v, ok := o.get("threadId")
	if !ok {
		return ""
	}
	switch id := v.v.(type) {
	case *Schema:
		id.Type = "string"
	case string:
		return id
	}
	return "?"
}

func (a *Agent) read(o *object) {
	a.Prompt = o.needText("prompt", 1, maxPrompt)
	if a.Prompt != "" && strings.TrimSpace(a.Prompt) == "" {
		o.custom("prompt must not be blank", "prompt")
	}
	a.URLs = o.texts("urls", 1000)
	a.Schema = o.schema()
	a.StrictConstrainToURLs = o.bool("strictConstrainToURLs")
	a.MaxCredits = o.positive("maxCredits")
	a.Model = o.enum("model", append([]string{"spark-1-mini", "spark-1-pro"}, o.d.Models...)...)
	a.Headers = readHeaders(o)
	a.Thread = readThread(o)
	a.Webhook = readWebhook(o)
	a.ZeroDataRetention = o.bool("zeroDataRetention")
	a.Threat = readThreat(o)
	a.Audit = readAudit(o)
	a.readSource(o)
}
