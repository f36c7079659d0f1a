// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/weburl"
)

// Provider searches one kind of source. Implementations are safe for concurrent use and
// return when ctx ends. What they cannot do, such as a time range, they leave out and say
// so in [Answer].Notes.
type Provider interface {
	Find(ctx context.Context, q *Query) (*Answer, error)
}

// Source is a kind of results.
type Source string

// Sources.
const (
	Web    Source = "web"
	Images Source = "images"
	News   Source = "news"
)

// Query is one search of one source. Only Text is required.
type Query struct {
	Text     string
	Source   Source // empty means Web
	N        int    // hits wanted, 1 to 200; zero means 10
	Language string // ISO 639-1, such as en; empty means all
	Country  string // ISO 3166-1 alpha-2, such as US; empty means all
	Place    string // the place of the searcher in words
	Safe     *bool  // filter sexual content; nil means what the provider does by default
	Range    Range
}

// Range is the time in which results were published or changed. The zero Range is any time.
type Range struct {
	Last     Span      // the time before now
	From, To time.Time // days, inclusive; zero means open. They count if Last is AnyTime
	Newest   bool      // the newest results first
}

// Span is a length of time.
type Span uint8

// Spans.
const (
	AnyTime Span = iota
	Hour
	Day
	Week
	Month
	Year
)

// Hit is one result. Only URL is always set.
type Hit struct {
	URL, Title string
	Text       string // description or snippet, without markup
	Date       string // as the provider writes it
	Image      string // URL of the image, or of a picture of the news
	Width      int    // of the image; zero if unknown
	Height     int
}

// spans are the values of qdr in a range.
var spans = map[string]Span{"h": Hour, "d": Day, "w": Week, "m": Month, "y": Year}

// ParseRange reads a range such as qdr:w (the last week), sbd:1 (the newest results first) or
// cdr:1,cd_min:12/31/2025,cd_max:1/31/2026 (these days), as search engines write it in the
// parameter tbs. It returns the first part that it does not know, which has no effect.
func ParseRange(tbs string) (r Range, unknown string) {
	for part := range strings.SplitSeq(tbs, ",") {
		name, v, _ := strings.Cut(strings.TrimSpace(part), ":")
		known := true
		switch name {
		case "qdr":
			r.Last, known = spans[v]
		case "cd_min":
			r.From, known = parseDay(v)
		case "cd_max":
			r.To, known = parseDay(v)
		case "sbd":
			r.Newest = v == "1"
		case "", "cdr":
		default:
			known = false
		}
		if !known && unknown == "" {
			unknown = part
		}
	}
	return r, unknown
}

// parseDay reads a day such as 12/31/2025.
func parseDay(s string) (time.Time, bool) {
	t, err := time.Parse("1/2/2006", s)
	return t, err == nil
}

// Answer contains the hits of a query, in the provider's order.
type Answer struct {
	Hits  []Hit
	Notes []string // sentences about what was left out
}

// Limits of one query.
const (
	maxFound   = 200 // hits
	maxRequest = 10  // requests
	maxReply   = 8 << 20
	maxDate    = 64 // characters
	maxSide    = 1 << 20
)

// ErrTooLarge means that the answer of a provider is larger than 8 MiB.
var ErrTooLarge = errors.New("answer of the search provider is too large")

// collected is an Answer that is being made.
type collected struct {
	Answer
	seen   map[string]bool
	most   int
	unread int // results that could not be read
	given  map[string]bool
}

func collect(q *Query) *collected {
	most := q.N
	if most <= 0 {
		most = 10
	}
	return &collected{seen: map[string]bool{}, given: map[string]bool{}, most: min(most, maxFound)}
}

// full reports whether there are as many hits as wanted.
func (c *collected) full() bool { return len(c.Hits) >= c.most }

// note adds a sentence, once.
func (c *collected) note(text string) {
	if !c.given[text] {
		c.given[text] = true
		c.Notes = append(c.Notes, text)
	}
}

// add adds a hit and reports whether it was new.
func (c *collected) add(h Hit) bool {
	u, err := weburl.Parse(strings.TrimSpace(h.URL))
	if err != nil {
		c.unread++
		return false
	}
	key := string(u.AppendKey(nil, weburl.KeyOptions{KeepSimilar: true}))
	if c.full() || c.seen[key] {
		return false
	}
	c.seen[key] = true
	h.URL, h.Title, h.Text, h.Date = u.String(), line(h.Title, maxTitle), line(h.Text, maxSnippet), line(h.Date, maxDate)
	if image, err := weburl.Parse(strings.TrimSpace(h.Image)); err == nil {
		h.Image = image.String()
	} else {
		h.Image = ""
	}
	if h.Width < 0 || h.Height < 0 || h.Width > maxSide || h.Height > maxSide {
		h.Width, h.Height = 0, 0
	}
	c.Hits = append(c.Hits, h)
	return true
}

// read adds the results that hit can read, and reports whether one of them was new.
func (c *collected) read(results []json.RawMessage, hit func(json.RawMessage) (Hit, error)) bool {
	fresh := false
	for _, raw := range results {
		h, err := hit(raw)
		if err != nil {
			c.unread++
			continue
		}
		fresh = c.add(h) || fresh
	}
	return fresh
}

// end returns the Answer.
func (c *collected) end() *Answer {
	if c.unread > 0 {
		c.note("The search provider gave " + counted(c.unread, "result that is", "results that are") + " not valid.")
	}
	return &c.Answer
}

// counted returns a number with the words for one or for several.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// Fetch requests url with these headers and returns the body of an answer with status 200.
// For another status it returns an error that wraps a *[StatusError]. It must limit the size
// of the body and return when ctx ends.
type Fetch func(ctx context.Context, url string, header http.Header) ([]byte, error)

// Over returns a Fetch that uses c. It reads at most 8 MiB and follows no redirect, so that
// no other host gets a key or a query.
func Over(c *http.Client) Fetch {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(ctx context.Context, address string, header http.Header) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return nil, ErrBase
		}
		r.Header = header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set("Accept", "application/json")
		resp, err := own.Do(r)
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which contains the query
		}
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, &StatusError{Status: resp.StatusCode, After: retryAfter(resp.Header)}
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
		if err == nil && len(body) > maxReply {
			err = ErrTooLarge
		}
		return body, err
	}
}

// Get returns f without headers, for a [SearXNG].
func (f Fetch) Get() Get {
	return func(ctx context.Context, url string) ([]byte, error) { return f(ctx, url, nil) }
}

// retryAfter returns how long an answer asks to wait, at most an hour.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		text, _, _ = strings.Cut(h.Get("X-RateLimit-Reset"), ",") // the next second comes first
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, time.Hour)
}

// ForAgent returns a searcher for agents that uses the web of p. If p is a searcher
// itself, it is returned.
func ForAgent(p Provider) agent.Searcher {
	if s, ok := p.(agent.Searcher); ok {
		return s
	}
	return webOf{p}
}

type webOf struct{ provider Provider }

// Search implements [agent.Searcher].
func (w webOf) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	return forAgent("provider", q, func(own *Query) (*Answer, error) { return w.provider.Find(ctx, own) })
}
