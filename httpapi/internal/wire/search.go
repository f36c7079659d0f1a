// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// Search is the body of POST /v2/search.
type Search struct {
	Query             string           `json:"query"`
	Limit             *int             `json:"limit,omitempty"`
	Sources           []SearchSource   `json:"sources,omitzero"`
	Categories        []SearchCategory `json:"categories,omitzero"`
	IncludeDomains    []string         `json:"includeDomains,omitzero"`
	ExcludeDomains    []string         `json:"excludeDomains,omitzero"`
	TBS               *string          `json:"tbs,omitempty"`
	Language          *string          `json:"lang,omitempty"`
	Country           *string          `json:"country,omitempty"`
	Location          *string          `json:"location,omitempty"`
	Timeout           *int             `json:"timeout,omitempty"` // milliseconds
	IgnoreInvalidURLs *bool            `json:"ignoreInvalidURLs,omitempty"`
	Filter            *string          `json:"filter,omitempty"`
	Safe              *bool            `json:"safe,omitempty"`
	Highlights        *bool            `json:"highlights,omitempty"`
	AsyncScraping     *bool            `json:"asyncScraping,omitempty"`
	Enterprise        []string         `json:"enterprise,omitzero"` // default, anon, zdr
	Scrape            *Scrape          `json:"scrapeOptions,omitempty"`
	Threat            *Threat          `json:"threatProtection,omitempty"`
	Audit             *Audit           `json:"auditMetadata,omitempty"`
	Source
}

// SearchSource is one source of a search. In JSON it may be just its type.
type SearchSource struct {
	Type     string  `json:"type"` // web, images, news, alexandria, exchange
	TBS      *string `json:"tbs,omitempty"`
	Filter   *string `json:"filter,omitempty"`
	Language *string `json:"lang,omitempty"`
	Country  *string `json:"country,omitempty"`
	Location *string `json:"location,omitempty"`
}

// SearchCategory is one category of a search. In JSON it may be just its type.
type SearchCategory struct {
	Type  string   `json:"type"` // github, research, pdf, developer
	Sites []string `json:"sites,omitzero"`
}

const (
	maxQuery   = 500 // characters
	maxDomains = 50
)

// DecodeSearch decodes a body. Its error is ErrSyntax, ErrValues or an [*Error].
func DecodeSearch(body []byte, o Options) (*Search, error) {
	s := new(Search)
	err := decode(body, o, s.read)
	return s, err
}

func (s *Search) read(o *object) {
	s.Query = o.needText("query", 1, maxQuery)
	if s.Query != "" && strings.TrimSpace(s.Query) == "" {
		o.custom("query must not be blank", "query")
	}
	s.Limit = o.int("limit", 1, 100)
	s.Sources = readSearchSources(o)
	s.Categories = readSearchCategories(o)
	s.IncludeDomains = readDomains(o, "includeDomains")
	s.ExcludeDomains = readDomains(o, "excludeDomains")
	if len(s.IncludeDomains) > 0 && len(s.ExcludeDomains) > 0 {
		o.custom("includeDomains and excludeDomains cannot both be specified", "excludeDomains")
	}
	s.TBS = o.text("tbs", 0, 200)
	s.Language = readLanguage(o)
	s.Country = readCountry(o)
	s.Location = o.text("location", 0, 200)
	s.Timeout = o.int("timeout", 1, maxTimeout)
	s.IgnoreInvalidURLs = o.bool("ignoreInvalidURLs")
	s.Filter = o.text("filter", 0, 200)
	s.Safe = o.bool("safe")
	s.Highlights = o.bool("highlights")
	s.AsyncScraping = o.bool("asyncScraping")
	s.Enterprise = o.enums("enterprise", "default", "anon", "zdr")
	o.object("scrapeOptions", func(o *object) {
		s.Scrape = new(Scrape)
		s.Scrape.readScrape(o, ScrapeTimeout)
	})
	s.Threat = readThreat(o)
	s.Audit = readAudit(o)
	s.readSource(o)
}

// searchSources are the types of sources. The last two belong to the public service.
var searchSources = []string{"web", "images", "news", "alexandria", "exchange"}

func readSearchSources(o *object) []SearchSource {
	list := []SearchSource{}
	if !o.list("sources", 0, 16, func(v value, path []any) {
		if !o.d.is(v, "object") {
			if s := o.d.word(v, path, searchSources); s != nil {
				list = append(list, SearchSource{Type: *s})
			}
			return
		}
		o.d.object(v, path, func(o *object) {
			s := SearchSource{Type: o.kind(searchSources)}
			s.TBS = o.text("tbs", 0, 200)
			s.Filter = o.text("filter", 0, 200)
			s.Language = readLanguage(o)
			s.Country = readCountry(o)
			s.Location = o.text("location", 0, 200)
			list = append(list, s)
		})
	}) {
		return nil
	}
	return list
}

// searchCategories maps the names of categories to their types.
var searchCategories = map[string]string{
	"github": "github", "research": "research", "pdf": "pdf",
	"developer": "developer", "docs": "developer", "devdex": "developer", "repo_search": "developer", "developer_index": "developer",
}

func readSearchCategories(o *object) []SearchCategory {
	names := []string{"github", "research", "pdf", "developer", "docs", "devdex", "repo_search", "developer_index"}
	list := []SearchCategory{}
	if !o.list("categories", 0, 16, func(v value, path []any) {
		if !o.d.is(v, "object") {
			if s := o.d.word(v, path, names); s != nil {
				list = append(list, SearchCategory{Type: searchCategories[*s]})
			}
			return
		}
		o.d.object(v, path, func(o *object) {
			c := SearchCategory{Type: searchCategories[o.kind(names)]}
			c.Sites = readDomains(o, "sites")
			list = append(list, c)
		})
	}) {
		return nil
	}
	return list
}

// readDomains reads a list of domains in lower case.
func readDomains(o *object, name string) []string {
	list := o.texts(name, maxDomains)
	for i, d := range list {
		list[i] = strings.ToLower(strings.TrimSpace(d))
		if !isDomain(list[i]) {
			o.custom("must be a domain such as example.com, without protocol, port or path", name, i)
		}
	}
	return list
}

// isDomain reports whether s is a domain name of at least two labels.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	return len(s) <= 253 && len(labels) >= 2 && !slices.ContainsFunc(labels, func(l string) bool {
		return l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != ""
	})
}

// readLanguage reads a language such as en or pt-BR.
func readLanguage(o *object) *string {
	s := o.text("lang", 0, 16)
	if s != nil && (*s == "" || strings.Trim(strings.ToLower(*s), "abcdefghijklmnopqrstuvwxyz-") != "") {
		o.custom("Invalid language code. Use a code such as en.", "lang")
	}
	return s
}

// readCountry reads a country code in any case.
func readCountry(o *object) *string {
	s := o.text("country", 0, 16)
	if s == nil {
		return nil
	}
	code := strings.ToUpper(*s)
	if !isCountry(code) {
		o.custom("Invalid country code. Use a valid ISO 3166-1 alpha-2 country code.", "country")
	}
	return &code
}

// Searched is the answer to a search. Each list is absent if it has no hits.
type Searched struct {
	Success     bool           `json:"success"`
	ID          string         `json:"id"`
	CreditsUsed int            `json:"creditsUsed"`
	Data        SearchedGroups `json:"data"`
	Warning     string         `json:"warning,omitempty"`
}

// SearchedGroups are the hits by source. A hit is a [SearchHit], with the members of a
// document if its page was fetched.
type SearchedGroups struct {
	Web    []json.RawMessage `json:"web,omitempty"`
	Images []json.RawMessage `json:"images,omitempty"`
	News   []json.RawMessage `json:"news,omitempty"`
}

// SearchHit is a hit of the web (URL, Title, Description), of images (Title, ImageURL,
// URL) or of the news (Title, URL, Snippet).
type SearchHit struct {
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Description *string `json:"description,omitempty"`
	Snippet     *string `json:"snippet,omitempty"`
	Date        string  `json:"date,omitempty"`
	ImageURL    string  `json:"imageUrl,omitempty"`
	ImageWidth  int     `json:"imageWidth,omitempty"`
	ImageHeight int     `json:"imageHeight,omitempty"`
	Position    int     `json:"position"`
	Category    string  `json:"category,omitempty"`

	Metadata *FailedPage `json:"metadata,omitempty"` // if the page could not be fetched
}

// FailedPage says why the page of a hit could not be fetched.
type FailedPage struct {
	SourceURL  string `json:"sourceURL"`
	StatusCode int    `json:"statusCode"`
	Error      string `json:"error"`
	Code       string `json:"code,omitempty"`
}
