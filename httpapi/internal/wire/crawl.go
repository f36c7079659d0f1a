// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"
	"math"
	"regexp/syntax"
	"strings"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/pattern"
)

// Crawl is the body of POST /v2/crawl. URL is as sent.
type Crawl struct {
	URL                    string   `json:"url"`
	Prompt                 *string  `json:"prompt,omitempty"`
	ExcludePaths           []string `json:"excludePaths,omitzero"`
	IncludePaths           []string `json:"includePaths,omitzero"`
	MaxDiscoveryDepth      *int     `json:"maxDiscoveryDepth,omitempty"`
	Sitemap                *string  `json:"sitemap,omitempty"`
	IgnoreQueryParameters  *bool    `json:"ignoreQueryParameters,omitempty"`
	RegexOnFullURL         *bool    `json:"regexOnFullURL,omitempty"`
	Limit                  *int     `json:"limit,omitempty"`
	CrawlEntireDomain      *bool    `json:"crawlEntireDomain,omitempty"`
	AllowExternalLinks     *bool    `json:"allowExternalLinks,omitempty"`
	AllowSubdomains        *bool    `json:"allowSubdomains,omitempty"`
	DeduplicateSimilarURLs *bool    `json:"deduplicateSimilarURLs,omitempty"`
	IgnoreRobotsTxt        *bool    `json:"ignoreRobotsTxt,omitempty"`
	RobotsUserAgent        *string  `json:"robotsUserAgent,omitempty"`
	Delay                  *float64 `json:"delay,omitempty"` // seconds
	MaxConcurrency         *int     `json:"maxConcurrency,omitempty"`
	Webhook                *Webhook `json:"webhook,omitempty"`
	Scrape                 *Scrape  `json:"scrapeOptions,omitempty"`
	ZeroDataRetention      *bool    `json:"zeroDataRetention,omitempty"`
	Since                  *string  `json:"since,omitempty"` // id of an earlier crawl
	RetainHours            *int     `json:"retainHours,omitempty"`
	WARC                   *bool    `json:"warc,omitempty"` // store each request and response, for the export
	Source
}

// Limits for the patterns of a crawl.
const (
	maxPatterns      = 100
	maxPatternLength = 1000 // characters
	// maxPatternSteps limits the size of a pattern with its counted repetitions
	// expanded. A pattern of a thousand characters without repetitions stays
	// below it. Patterns with repetitions can compile to megabytes.
	maxPatternSteps = 2500
)

// DecodeCrawl decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeCrawl(body []byte, o Options) (*Crawl, error) {
	c := new(Crawl)
	err := decode(body, o, c.read)
	return c, err
}

func (c *Crawl) read(o *object) {
	c.URL = o.needText("url", 1, -1)
	c.Prompt = o.text("prompt", 0, maxPrompt)
	c.ExcludePaths = readPatterns(o, "excludePaths")
	c.IncludePaths = readPatterns(o, "includePaths")
	c.MaxDiscoveryDepth = o.int("maxDiscoveryDepth", 0, math.MaxInt32)
	c.Sitemap = o.enum("sitemap", "skip", "include", "only")
	c.IgnoreQueryParameters = o.bool("ignoreQueryParameters")
	c.RegexOnFullURL = o.bool("regexOnFullURL")
	c.Limit = o.int("limit", 1, math.MaxInt32)
	c.CrawlEntireDomain = o.bool("crawlEntireDomain")
	c.AllowExternalLinks = o.bool("allowExternalLinks")
	c.AllowSubdomains = o.bool("allowSubdomains")
	c.DeduplicateSimilarURLs = o.bool("deduplicateSimilarURLs")
	c.IgnoreRobotsTxt = o.bool("ignoreRobotsTxt")
	c.RobotsUserAgent = readAgentName(o)
	c.Delay = o.number("delay", 0, 60)
	c.MaxConcurrency = o.int("maxConcurrency", 1, math.MaxInt32)
	c.Webhook = readWebhook(o)
	o.object("scrapeOptions", func(o *object) {
		c.Scrape = new(Scrape)
		c.Scrape.readScrape(o, ScrapeTimeout)
		c.Scrape.noPassword(o)
	})
	c.ZeroDataRetention = o.bool("zeroDataRetention")
	if c.Since = o.text("since", 1, 64); c.Since != nil && !IsUUID(*c.Since) {
		o.custom("since must be the id of a crawl", "since")
	}
	c.RetainHours = o.int("retainHours", 1, 720)
	c.WARC = o.bool("warc")
	c.readSource(o)
}

// readAgentName reads robotsUserAgent, which is sent as a header.
func readAgentName(o *object) *string {
	s := o.text("robotsUserAgent", 1, 1024)
	if s != nil && !netguard.IsFieldValue(*s) {
		o.custom("Invalid user agent", "robotsUserAgent")
	}
	return s
}

func readPatterns(o *object, name string) []string {
	list := []string{}
	if !o.list(name, 0, maxPatterns, func(v value, path []any) {
		s := o.d.text(v, path, 0, maxPatternLength)
		if s == nil {
			return
		}
		// Only parse the pattern, because the limit must apply before
		// compiling.
		tree, err := syntax.Parse(RE2(*s), syntax.Perl)
		switch {
		case err != nil:
			o.d.custom(path, fmt.Sprintf("%s[%d] is not a valid regular expression: %v", name, len(list), err))
		case pattern.Steps(tree) > maxPatternSteps:
			o.d.custom(path, fmt.Sprintf("%s[%d] repeats too much: it has more than %d steps", name, len(list), maxPatternSteps))
		}
		list = append(list, *s)
	}) {
		return nil
	}
	return list
}

// RE2 converts JavaScript's \uXXXX and \u{X} in pattern to Go's syntax.
func RE2(pattern string) string {
	if !strings.Contains(pattern, `\u`) {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, `\u{`):
			b.WriteString(`\x`)
			i++
		case strings.HasPrefix(rest, `\u`) && len(rest) >= 6 && isHex(rest[2:6]):
			b.WriteString(`\x{` + rest[2:6] + `}`)
			i += 5
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			i++
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Options returns c without its URL, as in the list of running crawls.
func (c *Crawl) Options() ([]byte, error) {
	return jsonenc.Encode(struct {
		*Crawl
		URL *string `json:"url,omitempty"`
	}{Crawl: c})
}

// Preview is the body of POST /v2/crawl/params-preview.
type Preview struct {
	URL    string `json:"url"`
	Prompt string `json:"prompt"`
}

// DecodePreview decodes a body and ignores unknown names. Its error is
// ErrSyntax or an [*Error].
func DecodePreview(body []byte) (*Preview, error) {
	p := new(Preview)
	err := decode(body, Options{Lenient: true}, p.read)
	return p, err
}

func (p *Preview) read(o *object) {
	o.open = true
	p.URL = o.needText("url", 1, -1)
	p.Prompt = o.needText("prompt", 1, maxPrompt)
}
