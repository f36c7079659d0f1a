// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent/search"
	"example.com/curlew/client"
	"example.com/curlew/internal/sorting"
)

// sources are the values of --sources, in the order in which their hits are written.
var sources = []search.Source{search.Web, search.News, search.Images}

// categories are the values of --categories.
var categories = []search.Category{search.GitHub, search.Research, search.PDF}

// query is what the command search is asked for.
type query struct {
	search.Request
	tbs, country, place string
	pages               bool // also read the pages of hits
	timeout             time.Duration
}

// hit is a hit in the output of --json.
type hit struct {
	Source      search.Source   `json:"source"`
	URL         string          `json:"url"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Position    int             `json:"position"`
	Category    string          `json:"category,omitempty"`
	Date        string          `json:"date,omitempty"`
	ImageURL    string          `json:"imageUrl,omitempty"`
	Document    json.RawMessage `json:"document,omitempty"` // with --scrape

	markdown, failed string
}

// searchWeb is the command search.
func searchWeb(e *env, f *flag.FlagSet) action {
	q := new(query)
	several := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	f.IntVar(&q.N, "limit", 10, "maximum `number` of hits of each source")
	f.Func("sources", "`source` of hits: web, news or images; may be repeated; if not given, the web", func(s string) error {
		if !slices.Contains(sources, search.Source(s)) {
			return fmt.Errorf("it must be one of %v", sources)
		}
		q.Sources = append(q.Sources, search.Query{Source: search.Source(s)})
		return nil
	})
	f.Func("categories", "only hits of this `category`: github, research or pdf; may be repeated", func(s string) error {
		i := slices.IndexFunc(categories, func(c search.Category) bool { return c.Name == s })
		if i < 0 {
			return errors.New("it must be github, research or pdf")
		}
		q.Categories = append(q.Categories, categories[i])
		return nil
	})
	f.Func("tbs", "`range` of time: qdr:h, d, w, m or y (the last hour to year), cdr:1,cd_min:12/31/2025,cd_max:1/31/2026 (days), sbd:1 (the newest first)", func(s string) error {
		if _, unknown := search.ParseRange(s); unknown != "" {
			return fmt.Errorf("the part %q is not known", unknown)
		}
		q.tbs = s
		return nil
	})
	f.StringVar(&q.country, "country", "", "two letters of the `country` of the searcher, such as DE")
	f.StringVar(&q.place, "location", "", "`place` of the searcher in words, such as Leeds, England")
	f.Func("site", "only hits of this `domain`; may be repeated", several(&q.Include))
	f.Func("not-site", "no hits of this `domain`; may be repeated", several(&q.Exclude))
	f.BoolVar(&q.pages, "scrape", false, "also read the pages of the hits, and write them as Markdown")
	f.DurationVar(&q.timeout, "timeout", time.Minute, "give up after this `time`")
	e.networkFlags(f)
	e.remoteFlags(f)
	return func(words []string) error {
		switch {
		case len(words) == 0:
			return usage("search needs a query, such as: curlew search curlew conservation")
		case q.N < 1 || q.N > 100:
			return usage("--limit is 1 to 100")
		case q.Include != nil && q.Exclude != nil:
			return usage("--site and --not-site exclude each other")
		case q.country != "" && len(q.country) != 2:
			return usage("--country is two letters, such as DE, not %q", q.country)
		}
		q.Text = strings.Join(words, " ")
		if q.Sources == nil {
			q.Sources = []search.Query{{Source: search.Web}}
		}
		stop := e.waiting("the search", q.timeout)
		hits, warning, err := e.hits(q)
		stop()
		if err != nil {
			return err
		}
		if warning != "" {
			e.warn("", warning)
		}
		for i := range hits {
			if err := e.showHit(&hits[i], q.pages); err != nil {
				return err
			}
		}
		if len(hits) == 0 {
			return errors.New("nothing was found")
		}
		return nil
	}
}

// showHit writes a hit, and its page if pages is set.
func (e *env) showHit(h *hit, pages bool) error {
	if h.failed != "" {
		e.warn(h.URL, "the page could not be read: "+h.failed)
	}
	if e.asJSON {
		return json.NewEncoder(e.out).Encode(h)
	}
	if pages && h.markdown != "" {
		_, err := fmt.Fprintf(e.out, "<!-- %s -->\n\n%s\n\n", commented(h.URL), strings.TrimRight(h.markdown, "\n"))
		return err
	}
	_, err := fmt.Fprintf(e.out, "%s\n  %s\n", h.URL, clean(h.Title))
	return err
}

// hits searches in this process or on a server, and returns the hits and a warning.
func (e *env) hits(q *query) ([]hit, string, error) {
	server, err := e.remote()
	if err != nil {
		return nil, "", err
	}
	if server != nil {
		return e.hitsOf(server, q)
	}
	from, end, err := provider()
	if err != nil {
		return nil, "", err
	}
	defer end()
	if from == nil {
		return nil, "", missing("no search provider is configured: set CURLEW_SEARXNG_URL, or CURLEW_BRAVE_KEY")
	}
	for i := range q.Sources {
		s := &q.Sources[i]
		s.Country, s.Place = strings.ToUpper(q.country), q.place
		s.Range, _ = search.ParseRange(q.tbs) // has been checked
	}
	service := &curlew.Service{Searcher: from, UserAgent: e.agent, LocalNames: e.private, Logger: e.logger()}
	o := &curlew.SearchOptions{Timeout: q.timeout}
	if q.pages {
		fetcher, err := e.fetcher()
		if err != nil {
			return nil, "", err
		}
		defer fetcher.CloseIdleConnections()
		service.Fetcher, o.Page = fetcher, new(curlew.ScrapeOptions)
	}
	found, err := service.Search(e.ctx, &q.Request, o)
	if err != nil {
		return nil, "", err
	}
	var hits []hit
	for _, source := range sources {
		for _, h := range found.Hits[source] {
			to := hit{Source: source, URL: h.URL, Title: h.Title, Description: h.Text, Position: h.Position, Category: h.Category, Date: h.Date, ImageURL: h.Image}
			if h.Document != nil {
				if to.Document, err = json.Marshal(h.Document); err != nil {
					return nil, "", err
				}
				to.readPage()
			}
			if h.Err != nil {
				to.failed = h.Err.Text
			}
			hits = append(hits, to)
		}
	}
	return hits, found.Warning, nil
}

// readPage sets the Markdown of the page in the document, or why there is none.
func (h *hit) readPage() {
	p := new(page)
	if err := json.Unmarshal(h.Document, p); err != nil {
		h.failed = err.Error()
	} else if err := p.fault(); err != nil {
		h.failed = err.Error()
	} else {
		h.markdown = *p.Markdown
	}
}

// hitsOf searches on a server.
func (e *env) hitsOf(server *client.Client, q *query) ([]hit, string, error) {
	r := &client.Search{Query: q.Text, Limit: &q.N, IncludeDomains: q.Include, ExcludeDomains: q.Exclude, Timeout: new(int(q.timeout.Milliseconds()))}
	for _, s := range q.Sources {
		r.Sources = append(r.Sources, client.SearchSource{Type: string(s.Source)})
	}
	for _, c := range q.Categories {
		r.Categories = append(r.Categories, client.SearchCategory{Type: c.Name})
	}
	for _, option := range []struct {
		value string
		to    **string
	}{{q.tbs, &r.TBS}, {q.country, &r.Country}, {q.place, &r.Location}} {
		if option.value != "" {
			*option.to = &option.value
		}
	}
	if q.pages {
		r.Scrape = &client.Scrape{Formats: []client.Format{{Type: "markdown"}}}
	}
	found, err := server.Search(e.ctx, r)
	if err != nil {
		return nil, "", err
	}
	var hits []hit
	for source, list := range map[search.Source][]client.Hit{search.Web: found.Data.Web, search.News: found.Data.News, search.Images: found.Data.Images} {
		for _, h := range list {
			var to struct {
				hit
				Snippet  string
				Markdown *string
				Metadata *struct{ Error string }
			}
			if err := json.Unmarshal(h.Raw, &to); err != nil {
				return nil, "", fmt.Errorf("a hit of the server cannot be read: %w", err)
			}
			to.Source = source
			if to.Description == "" {
				to.Description = to.Snippet // of the news
			}
			switch { // the hit is also the document of its page
			case to.Markdown != nil:
				to.Document = h.Raw
				to.readPage()
			case to.Metadata != nil:
				to.failed = to.Metadata.Error
			}
			hits = append(hits, to.hit)
		}
	}
	sorting.Stable(hits, func(a, b hit) int { return slices.Index(sources, a.Source) - slices.Index(sources, b.Source) })
	return hits, found.Warning, nil
}
