// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Brave uses the Brave Search API. Key and Fetch are required.
type Brave struct {
	Base  string // empty means https://api.search.brave.com
	Key   string // sent only to Base
	Fetch Fetch
}

const braveBase = "https://api.search.brave.com"

// Limits of the API.
const (
	braveText  = 400 // characters of a query
	braveWords = 50
	bravePages = 10
)

// braveSource is an endpoint of the API.
type braveSource struct {
	path  string
	count int // most results of one request
	pages int
	dates bool
}

var braveSources = map[Source]braveSource{
	Web:    {"/res/v1/web/search", 20, bravePages, true},
	Images: {"/res/v1/images/search", 200, 1, false},
	News:   {"/res/v1/news/search", 50, bravePages, true},
}

// Find implements [Provider].
func (b *Brave) Find(ctx context.Context, q *Query) (*Answer, error) {
	if b.Fetch == nil {
		return nil, &Error{"brave", ErrGet}
	}
	source, ok := braveSources[q.Source]
	if !ok {
		source = braveSources[Web]
	}
	found := collect(q)
	query := b.query(q, source, found)
	for page := 0; page < source.pages && !found.full(); page++ {
		if page > 0 {
			query.Set("offset", strconv.Itoa(page))
		}
		results, more, err := b.page(ctx, source.path, query)
		if err != nil {
			if page > 0 && ctx.Err() == nil {
				found.note("The search provider failed after " + strconv.Itoa(len(found.Hits)) + " hits.")
				break
			}
			return nil, &Error{"brave", err}
		}
		if !found.read(results, braveHit) || !more {
			break
		}
	}
	return found.end(), nil
}

// query returns the parameters of a query, and notes what the API cannot do.
func (b *Brave) query(q *Query, source braveSource, found *collected) url.Values {
	text, cut := clip(q.Text)
	if cut {
		found.note("The search provider takes 400 characters and 50 words; the rest of the query was left out.")
	}
	v := url.Values{"q": {text}, "count": {strconv.Itoa(min(found.most, source.count))}}
	if q.Language != "" {
		v.Set("search_lang", q.Language)
	}
	if q.Country != "" {
		v.Set("country", q.Country)
	}
	if q.Safe != nil {
		v.Set("safesearch", map[bool]string{true: "strict", false: "off"}[*q.Safe])
	}
	fresh := freshness(&q.Range)
	switch {
	case fresh == "":
	case !source.dates:
		found.note("The search provider has no time range for this source.")
	default:
		v.Set("freshness", fresh)
		if q.Range.Last == Hour {
			found.note("The search provider has no time range of an hour; it was asked for a day.")
		}
	}
	if q.Range.Newest {
		found.note("The search provider cannot sort by date.")
	}
	if q.Place != "" {
		found.note("The search provider does not know the place of a searcher.")
	}
	return v
}

// freshness returns the time range in the words of the API.
func freshness(r *Range) string {
	if r.Last != AnyTime {
		return map[Span]string{Hour: "pd", Day: "pd", Week: "pw", Month: "pm", Year: "py"}[r.Last]
	}
	if r.From.IsZero() && r.To.IsZero() {
		return ""
	}
	from, to := r.From, r.To
	if from.IsZero() {
		from = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if to.IsZero() {
		to = time.Now()
	}
	return from.Format(time.DateOnly) + "to" + to.Format(time.DateOnly)
}

// clip returns as much of a query as the API takes, and whether something was left out.
func clip(s string) (string, bool) {
	words := strings.Fields(s)
	kept := strings.Join(words[:min(len(words), braveWords)], " ")
	short := line(kept, braveText)
	return short, len(words) > braveWords || short != kept
}

// page requests one page of results. more reports whether there may be another one.
func (b *Brave) page(ctx context.Context, path string, query url.Values) (results []json.RawMessage, more bool, err error) {
	base := b.Base
	if base == "" {
		base = braveBase
	}
	address, err := join(base, path, query)
	if err != nil {
		return nil, false, err
	}
	header := http.Header{"X-Subscription-Token": {b.Key}}
	body, err := again(ctx, func(ctx context.Context, url string) ([]byte, error) { return b.Fetch(ctx, url, header) }, address)
	if err != nil {
		return nil, false, err
	}
	var reply struct {
		Web struct {
			Results []json.RawMessage `json:"results"`
		} `json:"web"`
		Results []json.RawMessage `json:"results"`
		Query   *struct {
			More *bool `json:"more_results_available"`
		} `json:"query"`
	}
	if err := decode(body, &reply); err != nil {
		return nil, false, err
	}
	if reply.Query == nil && reply.Results == nil && reply.Web.Results == nil { // such as {"type": "ErrorResponse", ...}
		return nil, false, ErrReply
	}
	more = reply.Query == nil || reply.Query.More == nil || *reply.Query.More
	if reply.Web.Results != nil {
		return reply.Web.Results, more, nil
	}
	return reply.Results, more, nil
}

// braveHit reads one result.
func braveHit(raw json.RawMessage) (Hit, error) {
	var r struct {
		URL         string `json:"url"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Age         string `json:"age"`
		PageAge     string `json:"page_age"`
		Thumbnail   struct {
			Src string `json:"src"`
		} `json:"thumbnail"`
		Properties struct {
			URL    string `json:"url"`
			Width  int    `json:"width"`
			Height int    `json:"height"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Hit{}, err
	}
	h := Hit{URL: r.URL, Title: plain(r.Title), Text: plain(r.Description), Date: r.PageAge, Image: r.Properties.URL}
	if h.Date == "" {
		h.Date = r.Age
	}
	if h.Image == "" {
		h.Image = r.Thumbnail.Src
	}
	h.Width, h.Height = r.Properties.Width, r.Properties.Height
	return h, nil
}

// maxMarkup is how much of a text with markup is read, in bytes.
const maxMarkup = 16 << 10

// plain returns the text of a piece of HTML.
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s[:min(len(s), maxMarkup)])); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}
