// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/job"
)

// maxJobs is the number of jobs in one list.
const maxJobs = 200

// listed is one job of a list.
type listed struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	State   job.State `json:"state"`
	URL     string    `json:"url,omitempty"`
	Prompt  string    `json:"prompt,omitempty"`
	Created time.Time `json:"created"`
	counts
}

// counts are the figures of a job.
type counts struct {
	Delivered int    `json:"delivered"`
	Total     int    `json:"total"`
	Failed    int    `json:"failed"`
	Blocked   int    `json:"blocked"`
	Credits   int    `json:"credits"`
	Error     string `json:"error,omitempty"`
	Warning   string `json:"warning,omitempty"`
}

func countsOf(s *curlew.Status) counts {
	return counts{s.Delivered, s.Total, s.Failed, s.Blocked, s.Credits, s.Err, s.Warning}
}

// jobs serves the newest jobs of a team, running or not, which the contract does not list.
func (h *Handler) jobs(_ http.ResponseWriter, r asked) (any, error) {
	all, more := []listed{}, 0
	for j, err := range h.service.Jobs(r.Context(), r.team.ID, job.Filter{}) {
		if err != nil {
			return nil, err
		}
		switch j.Kind() {
		case curlew.KindCrawl, curlew.KindBatch, curlew.KindAgent, curlew.KindExtract:
		default:
			continue // deliveries of webhooks
		}
		if len(all) == maxJobs {
			more++
			continue
		}
		one := listed{ID: j.ID(), Kind: j.Kind(), State: j.State(), URL: j.URL(), Created: j.Created()}
		if q := j.Question(); q != nil {
			one.Prompt = q.Prompt
		}
		if now, err := j.Status(r.Context()); err == nil {
			one.State, one.counts = now.State, countsOf(&now)
		} else {
			one.Warning = "The record of this job cannot be read."
		}
		all = append(all, one)
	}
	return map[string]any{"success": true, "jobs": all, "more": more}, nil
}

// own returns the job that the path names.
func (h *Handler) own(r asked) (*curlew.Job, error) {
	return h.service.Job(r.Context(), r.team.ID, r.PathValue("id"))
}

// Limits of one answer about pages.
const (
	maxPages = 500     // pages
	maxRead  = 8 << 20 // bytes of documents that are read for it
	maxWait  = 20 * time.Second
	calm     = 150 * time.Millisecond // between two answers about a job that changes all the time
)

// summary is a document without its content.
type summary struct {
	N      int    `json:"n"` // index in the job's documents
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status int    `json:"status,omitempty"`
	Type   string `json:"type,omitempty"`
	Size   int    `json:"size"` // size of the stored document in bytes
	Error  string `json:"error,omitempty"`
	Warned bool   `json:"warned,omitempty"`
}

// stored is the part of a stored document that a summary and the list of unseen links need.
type stored struct {
	Links    []string `json:"links"`
	Warning  string   `json:"warning"`
	Metadata struct {
		Title       text   `json:"title"`
		URL         string `json:"url"`
		SourceURL   string `json:"sourceURL"`
		StatusCode  int    `json:"statusCode"`
		ContentType string `json:"contentType"`
		Error       string `json:"error"`
	} `json:"metadata"`
}

// text is a JSON string. A value of another type counts as an empty string.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
	}
	return nil
}

// pages serves summaries of the documents after index after. If there are none yet, it
// waits for them, or for the end of the job, as long as maxWait.
func (h *Handler) pages(_ http.ResponseWriter, r asked) (any, error) {
	from, err := strconv.Atoi(r.FormValue("after"))
	if err != nil || from < 0 {
		return nil, fault{http.StatusBadRequest, "The parameter after must be a number of pages."}
	}
	seen := r.FormValue("state") // the state that the page knows
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	for {
		j, err := h.own(r)
		if err != nil {
			return nil, err
		}
		changed, err := j.Changed(r.Context())
		if err != nil {
			return nil, err
		}
		now, err := j.Status(r.Context())
		if err != nil {
			return nil, err
		}
		if now.Delivered > from || string(now.State) != seen || ctx.Err() != nil {
			list, err := h.summaries(r.Context(), j, from, now.Delivered-from)
			if err != nil {
				return nil, err
			}
			return map[string]any{
				"success": true, "kind": j.Kind(), "url": j.URL(), "state": now.State, "counts": countsOf(&now), "pages": list,
				"created": now.Created, "ended": now.Ended, "expires": now.Expires,
			}, nil
		}
		if err := await(ctx, changed); err != nil && r.Context().Err() != nil {
			return nil, err
		}
	}
}

// await waits until changed is closed or ctx ends. It waits at least calm, so that a fast
// job does not cause an answer for each page.
func await(ctx context.Context, changed <-chan struct{}) error {
	if changed == nil { // the store does not report changes
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	select {
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-time.After(calm):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// summaries returns at most n summaries from index from on.
func (h *Handler) summaries(ctx context.Context, j *curlew.Job, from, n int) ([]summary, error) {
	list := []summary{}
	if n <= 0 {
		return list, nil
	}
	docs, err := j.Documents(ctx, from, min(n, maxPages), maxRead)
	if err != nil {
		return nil, err
	}
	for i, raw := range docs {
		var doc stored
		s := summary{N: from + i, Size: len(raw)}
		if err := json.Unmarshal(raw, &doc); err != nil {
			s.Error = "The stored document cannot be read."
		} else {
			m := &doc.Metadata
			s.URL, s.Title, s.Status, s.Type, s.Error, s.Warned = m.URL, string(m.Title), m.StatusCode, m.ContentType, m.Error, doc.Warning != ""
			if s.URL == "" {
				s.URL = m.SourceURL
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// maxUnseen is the number of links in one answer about unseen links.
const maxUnseen = 5000

// unseenLink is a link on a page of a crawl to a URL of which the crawl has no page.
type unseenLink struct {
	URL  string `json:"url"`
	From string `json:"from"` // the first page with the link
}

// unseen serves the links on the pages of a crawl that lead to no page of it. The pages
// must have the format links. The contract can then explain each of them.
func (h *Handler) unseen(_ http.ResponseWriter, r asked) (any, error) {
	j, err := h.own(r)
	if err != nil {
		return nil, err
	}
	done, err := h.begin(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	now, err := j.Status(r.Context())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	have := map[string]bool{}
	first := map[string]string{}
	var order []string
	read, bare := 0, 0 // pages that were read, and how many of them lack the format links
	for read < now.Delivered && ctx.Err() == nil {
		docs, err := j.Documents(ctx, read, min(maxPages, now.Delivered-read), maxRead)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if len(docs) == 0 {
			break
		}
		for _, raw := range docs {
			read++
			var doc stored
			if json.Unmarshal(raw, &doc) != nil {
				continue
			}
			have[key(doc.Metadata.URL)], have[key(doc.Metadata.SourceURL)] = true, true
			if doc.Links == nil {
				bare++
			}
			for _, link := range doc.Links {
				k := key(link)
				if _, ok := first[k]; !ok && len(first) < 20*maxUnseen {
					first[k] = doc.Metadata.URL
					order = append(order, k)
				}
			}
		}
	}
	links, more := []unseenLink{}, 0
	for _, k := range order {
		switch {
		case have[k]:
		case len(links) == maxUnseen:
			more++
		default:
			links = append(links, unseenLink{k, first[k]})
		}
	}
	return map[string]any{"success": true, "links": links, "more": more, "read": read, "of": now.Delivered, "bare": bare}, nil
}

// key returns the part of a URL that tells pages apart for the list of unseen links.
func key(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}
