// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// searxCategories are the categories of an instance.
var searxCategories = map[Source]string{Web: "general", Images: "images", News: "news"}

// searxSpans are the values of time_range.
var searxSpans = map[Span]string{Hour: "day", Day: "day", Week: "week", Month: "month", Year: "year"}

// Find implements [Provider]. It requests pages until there are enough hits or a page
// contains nothing new, at most ten. If no engine of the instance answers, the Answer names
// them.
func (s *SearXNG) Find(ctx context.Context, q *Query) (*Answer, error) {
	return s.find(ctx, q, maxRequest, false)
}

// find requests at most the given number of pages of results. If always is set, it names the
// engines that did not answer also when others have hits.
func (s *SearXNG) find(ctx context.Context, q *Query, pages int, always bool) (*Answer, error) {
	if s.Get == nil {
		return nil, &Error{"searxng", ErrGet}
	}
	found := collect(q)
	query := s.query(q, found)
	for page := 1; page <= pages && !found.full(); page++ {
		query.Set("pageno", strconv.Itoa(page))
		reply := new(searxFound)
		err := s.request(ctx, query, reply)
		if err != nil {
			if page > 1 && ctx.Err() == nil {
				found.note("The search provider failed after " + strconv.Itoa(len(found.Hits)) + " hits.")
				break
			}
			return nil, &Error{"searxng", err}
		}
		fresh := found.read(reply.Results, searxHit)
		if page == 1 {
			s.tell(ctx, reply, found, always)
		}
		if !fresh {
			break
		}
	}
	return found.end(), nil
}

// tell reports the engines that did not answer.
func (s *SearXNG) tell(ctx context.Context, reply *searxFound, found *collected, always bool) {
	silent := engines(reply.Unresponsive)
	if len(silent) == 0 {
		return
	}
	if s.Silent != nil {
		s.Silent(ctx, silent)
	}
	if always || len(found.Hits) == 0 {
		found.note("Search engines did not answer: " + line(strings.Join(silent, ", "), maxTitle) + ".")
	}
}

// query returns the parameters of a query, and notes what the instance cannot do.
func (s *SearXNG) query(q *Query, found *collected) url.Values {
	v := url.Values{"q": {q.Text}, "format": {"json"}, "safesearch": {strconv.Itoa(s.SafeSearch)}, "categories": {"general"}}
	if c, ok := searxCategories[q.Source]; ok {
		v.Set("categories", c)
	}
	if q.Safe != nil {
		v.Set("safesearch", map[bool]string{true: "2", false: "0"}[*q.Safe])
	}
	language := s.Language
	if q.Language != "" {
		language = q.Language
		if q.Country != "" && !strings.Contains(language, "-") {
			language += "-" + q.Country
		}
	}
	if language != "" {
		v.Set("language", language)
	}
	span := s.TimeRange
	if q.Range.Last != AnyTime {
		span = searxSpans[q.Range.Last]
	}
	if span != "" {
		v.Set("time_range", span)
	}
	if q.Range.Last == Hour {
		found.note("The search provider has no time range of an hour; it was asked for a day.")
	}
	if q.Range.Last == AnyTime && (!q.Range.From.IsZero() || !q.Range.To.IsZero()) {
		found.note("The search provider cannot search between two dates; it was asked for any time.")
	}
	if q.Range.Newest {
		found.note("The search provider cannot sort by date.")
	}
	if q.Place != "" {
		found.note("The search provider does not know the place of a searcher.")
	}
	return v
}

// searxFound is a page of results of any source.
type searxFound struct {
	Results      []json.RawMessage   `json:"results"`
	Unresponsive [][]json.RawMessage `json:"unresponsive_engines"`
}

// request requests one page of results and decodes it into reply.
func (s *SearXNG) request(ctx context.Context, query url.Values, reply *searxFound) error {
	address, err := join(s.Base, "/search", query)
	if err != nil {
		return err
	}
	body, err := again(ctx, s.Get, address)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == 403 {
		return fmt.Errorf("%w: %w", ErrOff, err)
	}
	if err != nil {
		return err
	}
	if err := decode(body, reply); err != nil {
		return err
	}
	if reply.Results == nil { // such as {"error": ...}; "nothing found" is an empty list
		return ErrReply
	}
	return nil
}

// decode reads the body of an answer.
func decode(body []byte, v any) error {
	if len(body) > maxReply {
		return ErrTooLarge
	}
	if json.Unmarshal(body, v) != nil {
		return ErrReply
	}
	return nil
}

// searxHit reads one result.
func searxHit(raw json.RawMessage) (Hit, error) {
	var r struct {
		URL           string `json:"url"`
		Title         string `json:"title"`
		Content       string `json:"content"`
		PublishedDate string `json:"publishedDate"`
		ImageURL      string `json:"img_src"`
		Thumbnail     string `json:"thumbnail"`
		ThumbnailURL  string `json:"thumbnail_src"`
		Resolution    string `json:"resolution"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Hit{}, err
	}
	h := Hit{URL: r.URL, Title: r.Title, Text: r.Content, Date: r.PublishedDate, Image: r.ImageURL}
	if h.Image == "" {
		h.Image = r.Thumbnail
	}
	if h.Image == "" {
		h.Image = r.ThumbnailURL
	}
	if strings.HasPrefix(h.Image, "//") { // as some engines write it
		h.Image = "https:" + h.Image
	}
	h.Width, h.Height = size(r.Resolution)
	return h, nil
}

// size reads a resolution such as "640 x 480".
func size(s string) (width, height int) {
	left, right, ok := strings.Cut(strings.NewReplacer("×", "x", "X", "x", "*", "x").Replace(s), "x")
	if !ok {
		return 0, 0
	}
	width, err := strconv.Atoi(strings.TrimSpace(left))
	if err != nil {
		return 0, 0
	}
	right, _, _ = strings.Cut(strings.TrimSpace(right), " ")
	if height, err = strconv.Atoi(right); err != nil {
		return 0, 0
	}
	return width, height
}
