// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Kinds of jobs.
const (
	kindCrawl = "crawl"
	kindBatch = "batch_scrape"
	kindAgent = "agent"
)

// pathOf returns where jobs of a kind are found.
func pathOf(kind string) string {
	switch kind {
	case kindBatch:
		return "/v2/batch/scrape/"
	case kindAgent:
		return "/v2/agent/"
	}
	return "/v2/crawl/"
}

// spec returns what a job of a team is told, whatever its kind.
func (h *Handler) spec(c *call, zeroRetention *bool, over *threat.Override, told *webhook.Hook) (spec, error) {
	policy := &c.team.Policy
	retained, err := h.retention(policy, zeroRetention)
	if err != nil {
		return spec{}, err
	}
	rules, err := threat.Resolve(policy.Threat, over)
	return spec{
		Threat:   rules,
		Retained: retained,
		Slots:    concurrency(policy),
		External: c.external(),
		Hook:     told,
		Keep:     policy.Retention,
		KeyID:    c.team.KeyID,
	}, err
}

// start starts a job, with which its meter goes, and says in the answer where
// it is found.
func (h *Handler) start(c *call, kind string, answer wire.Started, sp *spec, a *meter) (wire.Started, error) {
	var err error
	if sp.Replay, err = c.repeated(answer); err != nil {
		return answer, err
	}
	j, err := h.service.start(c.ctx(), c.team.ID, kind, *sp, a)
	if err != nil {
		return answer, err
	}
	answer.ID, answer.URL = j.ID, c.base+pathOf(kind)+j.ID
	return answer, nil
}

// maxExternal is how much of an External-Request-Id is kept, in bytes.
const maxExternal = 2048

// external returns the client's own id of a request.
func (c *call) external() string {
	id := c.r.Header.Get("External-Request-Id")
	return id[:min(len(id), maxExternal)]
}

// own returns the team's job of a kind. A job of another kind is unknown there.
func (h *Handler) own(ctx context.Context, team *account.Team, kind, id string) (*job.Job, job.Stats, error) {
	j, stats, err := h.service.runner().Get(ctx, team.ID, id)
	if err != nil {
		return nil, stats, err
	}
	if j.Kind != kind {
		return nil, stats, job.ErrNotFound
	}
	return j, stats, nil
}

// states are the wire's words for states.
var states = map[job.State]string{
	job.Running: "scraping", job.Completed: "completed", job.Failed: "failed", job.Cancelled: "cancelled",
}

// total returns completed, working and waiting pages of a job.
func total(j *job.Job, s *spec, stats *job.Stats) int {
	done := stats.Items[job.Result]
	switch {
	case j.State.Final():
		return done
	case j.Kind == kindBatch:
		return max(done, len(s.URLs)+stats.Items[job.Input]-stats.Items[job.Failure])
	default:
		return max(done, stats.Crawl.Total(s.Limit))
	}
}

// status describes a job, without its documents.
func (h *Handler) status(ctx context.Context, j *job.Job, stats *job.Stats) (wire.Status, error) {
	sp, err := readSpec(j)
	if err != nil {
		return wire.Status{}, err
	}
	now := time.Now()
	st := wire.Status{
		Success:     true,
		ID:          j.ID,
		Status:      states[j.State],
		Completed:   stats.Items[job.Result],
		Total:       total(j, &sp, stats),
		CreditsUsed: stats.Cost,
		CreatedAt:   jsonenc.Time(j.Created),
		ExpiresAt:   jsonenc.Time(now.Add(j.Keep)),
		Duration:    now.Sub(j.Created).Seconds(),
	}
	if j.State.Final() {
		st.CompletedAt = new(jsonenc.Time(j.Ended))
		st.ExpiresAt = jsonenc.Time(j.Expires)
		st.Duration = j.Ended.Sub(j.Created).Seconds()
	}
	if j.State == job.Failed {
		st.Error = j.Err
	}
	if b, ok := h.service.sender.Backlog(j.ID); ok {
		st.Webhook = untold(&b, j, stats)
	}
	if sp.Since != "" {
		changes, err := h.changes(ctx, j, stats)
		if err != nil {
			return st, err
		}
		st.Changes = (*wire.Changes)(changes)
	}
	st.Warning, err = h.warning(ctx, j, &sp, stats)
	return st, err
}

// untold returns what the status of a job shows of its webhook; nil if the receiver
// has been told everything.
func untold(b *webhook.Backlog, j *job.Job, stats *job.Stats) *wire.WebhookStatus {
	n := b.Open
	if b.Pages {
		n += stats.Items[job.Result] - b.At.Pages + stats.Items[job.Failure] - b.At.Failures
	}
	if j.State.Final() && !b.At.Ended {
		n++
	}
	if n <= 0 {
		return nil
	}
	s := &wire.WebhookStatus{Backlog: n, FailedAttempts: b.Tries}
	if b.Tries > 0 {
		s.NextAttempt = new(jsonenc.Time(b.Next))
	}
	return s
}

// maxPage bounds the documents of one answer, in bytes.
const maxPage = 10 << 20

// documents returns the job's documents from index from on: at most limit, and
// no more than room bytes, but one in any case.
func (h *Handler) documents(ctx context.Context, team *account.Team, id string, from, limit, room int) ([]json.RawMessage, error) {
	const chunk = 25 // so that a page of large documents is not read twelve times over
	docs := []json.RawMessage{}
	size := 0
	for len(docs) < limit {
		items, err := h.service.runner().Items(ctx, team.ID, id, job.Result, from+len(docs), min(chunk, limit-len(docs)))
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			doc := document(it)
			if size += len(doc); size > room && len(docs) > 0 {
				return docs, nil
			}
			docs = append(docs, doc)
		}
		if len(items) == 0 {
			break
		}
	}
	return docs, nil
}

// document returns what is shown of a stored document: of one that cannot be
// read any more, that.
func document(it job.Item) json.RawMessage {
	if it.Err != nil {
		return json.RawMessage(`{"warning":"This document was damaged in storage.","metadata":{}}`)
	}
	doc, _ := documentOf(it.Data)
	return doc
}

// statusOf serves GET of a job.
func statusOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		id, err := c.job()
		if err != nil {
			return err
		}
		j, stats, err := h.own(c.ctx(), &c.team, kind, id)
		if err != nil {
			return err
		}
		page, err := wire.DecodePaging(c.r.URL.RawQuery)
		if err != nil {
			return err
		}
		st, err := h.status(c.ctx(), j, &stats)
		if err != nil {
			return err
		}
		if page.Stats && kind == kindCrawl {
			explainStats(&st, j, &stats.Crawl)
		}
		// Never past the count: completed and data tell of one instant.
		limit := min(page.Limit, max(0, st.Completed-page.Skip))
		if st.Data, err = h.documents(c.ctx(), &c.team, id, page.Skip, limit, maxPage); err != nil {
			return err
		}
		next := page.Skip + len(st.Data)
		// Without documents here there are none behind, whatever was counted.
		if next < st.Completed && len(st.Data) > 0 || h.options.NextWhileScraping && !j.State.Final() {
			page.Skip = next
			st.Next = c.base + pathOf(kind) + id + "?" + page.Query()
		}
		body, err := st.Append(nil)
		if err != nil {
			return err
		}
		c.send(http.StatusOK, body)
		return nil
	}
}

// cancelOf serves DELETE of a job.
func cancelOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		id, err := c.job()
		if err != nil {
			return err
		}
		if _, _, err := h.own(c.ctx(), &c.team, kind, id); err != nil {
			return err
		}
		err = h.service.runner().Cancel(c.ctx(), c.team.ID, id)
		if errors.Is(err, job.ErrEnded) {
			name := "Crawl"
			if kind == kindBatch {
				name = "Batch scrape"
			}
			return refuse(errFinished, name+" is already completed")
		}
		if err != nil {
			return err
		}
		return c.answer(http.StatusOK, map[string]string{"status": "cancelled"})
	}
}

// maxErrors bounds the lists of an errors answer.
const maxErrors = 10_000

// errorsOf serves the errors of a job.
func errorsOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		id, err := c.job()
		if err != nil {
			return err
		}
		j, stats, err := h.own(c.ctx(), &c.team, kind, id)
		if err != nil {
			return err
		}
		answer := wire.Errors{
			Errors:             []json.RawMessage{},
			RobotsBlocked:      []string{},
			ErrorsTotal:        stats.Items[job.Failure],
			RobotsBlockedTotal: stats.Items[job.Blocked],
		}
		failures, err := h.service.runner().Items(c.ctx(), c.team.ID, id, job.Failure, 0, min(maxErrors, answer.ErrorsTotal))
		if err != nil {
			return err
		}
		for _, it := range failures {
			if it.Err == nil {
				answer.Errors = append(answer.Errors, it.Data)
			}
		}
		blocked, err := h.service.runner().Items(c.ctx(), c.team.ID, id, job.Blocked, 0, min(maxErrors, answer.RobotsBlockedTotal))
		if err != nil {
			return err
		}
		for _, it := range blocked {
			if it.Err == nil {
				answer.RobotsBlocked = append(answer.RobotsBlocked, string(it.Data))
			}
		}
		if kind == kindCrawl {
			if answer.Gone, err = h.gone(c.ctx(), j, &stats); err != nil {
				return err
			}
		}
		return c.answer(http.StatusOK, answer)
	}
}

// warning joins what a client should know of the job as a whole.
func (h *Handler) warning(ctx context.Context, j *job.Job, sp *spec, stats *job.Stats) (string, error) {
	texts := append([]string(nil), sp.Warnings...)
	if stats.Waiting {
		texts = append(texts, "The server's disk is full. The job waits, and goes on when there is room.")
	}
	if stats.Lost > 0 {
		texts = append(texts, "The job's record is damaged: at least "+strconv.Itoa(stats.Lost)+" of its documents are lost.")
	}
	if n := stats.Items[job.Note]; n > 0 {
		// The last: a job of an older version has notes without words, of scans.
		notes, err := h.service.runner().Items(ctx, j.Owner, j.ID, job.Note, max(0, n-100), 100)
		if err != nil {
			return "", err
		}
		for _, n := range notes {
			texts = append(texts, string(n.Data))
		}
	}
	if !j.State.Final() || j.Kind != kindCrawl {
		return join(texts...), nil
	}
	done, failed := stats.Items[job.Result], stats.Items[job.Failure]
	if j.State == job.Completed && done < sp.Limit {
		texts = append(texts, leftOut(&stats.Crawl)...)
	}
	texts = append(texts, robotsNotice(stats.Items[job.Blocked], "crawl"))
	if done <= 1 && done < sp.Limit && thin(sp) {
		texts = append(texts, "Only "+strconv.Itoa(done)+" result(s) found. To crawl beyond the path of the start URL, "+
			"set crawlEntireDomain=true or start from a higher-level path.")
	}
	if done == 0 && failed > 0 && j.State == job.Completed {
		first, err := h.service.runner().Items(ctx, j.Owner, j.ID, job.Failure, 0, 1)
		if err != nil {
			return "", err
		}
		var e PageError
		if len(first) == 1 && json.Unmarshal(first[0].Data, &e) == nil {
			texts = append(texts, "No page could be delivered; "+e.URL+" failed: "+e.Text)
		}
	}
	return join(texts...), nil
}

// robotsNotice says that robots.txt kept n URLs out of what; empty of none.
func robotsNotice(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "The robots.txt of the site kept " + strconv.Itoa(n) + " URL(s) out of this " + what +
		". Single pages can be asked for through the /scrape endpoint."
}
