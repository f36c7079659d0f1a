// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Sheets returns what brings style sheets.
func Sheets(f fetch.Fetcher, g *threat.Gate) format.Fetcher { return &sheets{fetcher: f, gate: g} }

// Weighed returns the bytes of memory that are reserved for a document.
func Weighed(kind parse.Kind, size, inflated int64) int64 { return weighed(kind, size, inflated) }

// Running returns how many jobs of the team "default" run.
func (s *Service) Running(ctx context.Context) int {
	jobs, err := s.runner().List(ctx, "default", job.Filter{State: job.Running})
	if err != nil {
		return -1
	}
	return len(jobs)
}

// MaxUploads bounds the bytes of all uploads under way.
func (h *Handler) MaxUploads(n int64) { h.uploads.most = n }

// MaxReplays bounds the bytes of answers kept for repeated requests, of one team
// and of all.
func (h *Handler) MaxReplays(team, all int64) { h.replays.mostOfTeam, h.replays.most = team, all }

// Replays returns how many such bytes are counted, and how many answers kept.
func (h *Handler) Replays() (bytes int64, answers int) {
	h.replays.mu.Lock()
	defer h.replays.mu.Unlock()
	return h.replays.total, len(h.replays.kept)
}

// Uploading returns how many bytes of uploads are under way.
func (h *Handler) Uploading() int64 {
	h.uploads.mu.Lock()
	defer h.uploads.mu.Unlock()
	return h.uploads.used
}

// RoutePatterns returns method and pattern of every route.
func RoutePatterns() []string {
	var all []string
	for i := range routes {
		all = append(all, routes[i].method+" "+routes[i].pattern)
	}
	return all
}

// Codes returns the codes of all faults.
func Codes() []string {
	var all []string
	for _, f := range faults {
		if f.code != "" {
			all = append(all, f.code)
		}
	}
	return all
}

// Statuses returns in how many lines a code has a status that holds everywhere.
func Statuses(code string) (n int) {
	for _, line := range statuses {
		if line.code == code && line.scope == anywhere {
			n++
		}
	}
	return n
}

// Unanswered returns the sentences of faults that have no code and no answer.
func Unanswered() []string {
	var all []string
	for err, text := range map[error]string{
		account.ErrForbidden: "", errRate: textRate, account.ErrPayment: textPayment, errFinished: "", job.ErrNotFound: "",
		job.ErrShutdown: "", errNoURLs: "", errNoPlanner: "", errSince: "", &threat.ForbiddenError{}: "",
	} {
		if line := find(err, anywhere); line.status == http.StatusInternalServerError || text != "" && line.text != text {
			all = append(all, err.Error())
		}
	}
	return all
}

// Price returns the credits of a page with the formats of a list in JSON, and
// whether it is redacted.
func Price(formats string, redact bool) (int, error) {
	o := wire.Options{}
	w, err := wire.DecodePage(fmt.Appendf(nil, `{"url":"a.test","formats":%s,"redactPII":%v}`, formats, redact), o)
	if err != nil {
		return 0, err
	}
	c := checker{model: true, cache: true, ocr: true}
	page := c.page(&w.Scrape)
	return page.price(false), c.err()
}

// StoreSpec writes the specification of a job with options and reads it again.
func StoreSpec(c *CrawlOptions, p *ScrapeOptions, a *AgentOptions) (*CrawlOptions, *ScrapeOptions, *AgentOptions, error) {
	raw, err := json.Marshal(spec{Version: specVersion, Crawl: c, Page: p, Agent: a})
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := readSpec(&job.Job{ID: "i", Spec: raw})
	return s.Crawl, s.Page, s.Agent, err
}

// ReadSpec reads the specification of a job that runs.
func ReadSpec(raw string) error {
	_, err := readSpec(&job.Job{ID: "i", State: job.Running, Spec: []byte(raw)})
	return err
}
