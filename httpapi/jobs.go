// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"example.com/curlew"
	crawlscope "example.com/curlew/crawl/scope"
	"example.com/curlew/export"
	"example.com/curlew/httpapi/internal/pacing"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// pathOf returns the path of jobs of a kind.
func pathOf(kind string) string {
	switch kind {
	case curlew.KindBatch:
		return "/v2/batch/scrape/"
	case curlew.KindAgent:
		return "/v2/agent/"
	}
	return "/v2/crawl/"
}

// memo is what the handler stores with a job.
type memo struct {
	Request json.RawMessage `json:",omitempty"` // body of the request that started the job, as it was understood
	Omitted int             `json:",omitempty"` // for a batch: URLs that Request lacks, because it has at most maxMemoURLs
	Source  wire.Source     `json:",omitzero"`  // for an agent

	ShowSources bool `json:",omitempty"` // for an extract
}

// maxMemoURLs is the number of URLs that are stored with the request of a batch. The job has
// all of them, so storing them twice would only make its record longer.
const maxMemoURLs = 100

// encode returns m with a request, which must be a body of package wire.
func (m memo) encode(request any) (raw json.RawMessage, err error) {
	if m.Request, err = jsonenc.Encode(request); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

// StoredRequest returns the body of the request that started a job, in the form of the
// contract. It contains what the handler understood: no unknown members, URLs of an agent as
// normalized, and for a crawl with a prompt also the options that a model chose. Passwords
// are never stored. omitted is the number of URLs of a batch that the body lacks, because it
// has only the first 100. The body is nil if the job was not started by a Handler, or by one
// of a version that did not store it.
func StoredRequest(j *curlew.Job) (body json.RawMessage, omitted int, err error) {
	m, err := readMemo(j)
	return m.Request, m.Omitted, err
}

// readMemo returns what the handler has stored with a job. It is empty if the job was started
// without a handler, or if its record is damaged.
func readMemo(j *curlew.Job) (m memo, err error) {
	if raw := j.Memo(); raw != nil {
		err = json.Unmarshal(raw, &m)
	}
	return m, err
}

// caller returns the caller of c. Both arguments may be nil.
func (c *call) caller(user *wire.Audit, from *wire.Source) *curlew.Caller {
	const most = 2048 // bytes of an ID that are stored
	external := c.r.Header.Get("External-Request-Id")
	who := &curlew.Caller{Team: c.team, RequestID: c.id, ExternalID: external[:min(len(external), most)]}
	if user != nil {
		who.Username = user.Username
	}
	if from != nil {
		who.Origin, who.Integration = value(from.Origin, ""), value(from.Integration, "")
	}
	return who
}

// own returns the job of the team that the path names. A job of another kind counts as
// unknown.
func (h *Handler) own(ctx context.Context, c *call, kind string) (*curlew.Job, error) {
	id, err := c.job()
	if err != nil {
		return nil, err
	}
	j, err := h.service.Job(ctx, c.team.ID, id)
	if err == nil && j.Kind() != kind {
		err = job.ErrNotFound
	}
	return j, err
}

// states are the words of the contract for states.
var states = map[job.State]string{
	job.Running: "scraping", job.Completed: "completed", job.Failed: "failed", job.Cancelled: "cancelled",
}

// status returns the status of a job without documents.
func status(now *curlew.Status) wire.Status {
	st := wire.Status{
		Success:     true,
		ID:          now.ID,
		Status:      states[now.State],
		Error:       now.Err,
		Warning:     now.Warning,
		Completed:   now.Delivered,
		Total:       now.Total,
		CreditsUsed: now.Credits,
		CreatedAt:   jsonenc.Time(now.Created),
		ExpiresAt:   jsonenc.Time(now.Expires),
		Duration:    time.Since(now.Created).Seconds(),
		Changes:     (*wire.Changes)(now.Changes),
	}
	if now.State.Final() {
		st.CompletedAt = new(jsonenc.Time(now.Ended))
		st.Duration = now.Ended.Sub(now.Created).Seconds()
	}
	st.Duration = max(st.Duration, 0) // the clock may have been set back since the job began
	if b := now.Webhook; b != nil {
		st.Webhook = &wire.WebhookStatus{Backlog: b.Events, FailedAttempts: b.FailedAttempts, GivenUp: b.GivenUp}
		if !b.NextAttempt.IsZero() {
			st.Webhook.NextAttempt = new(jsonenc.Time(b.NextAttempt))
		}
	}
	return st
}

// describe returns the status of j now, with its documents from index from on, as far as
// maxPage and limit allow.
func describe(ctx context.Context, j *curlew.Job, from, limit int) (wire.Status, *curlew.Status, error) {
	now, err := j.Status(ctx)
	if err != nil {
		return wire.Status{}, nil, err
	}
	st := status(&now)
	// Not more than counted, so that completed and data agree.
	st.Data, err = j.Documents(ctx, from, min(limit, max(0, st.Completed-from)), maxPage)
	return st, &now, err
}

// maxPage bounds the documents of one answer, in bytes.
const maxPage = 10 << 20

// statusOf serves GET of a job. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func statusOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		j, err := h.own(c.ctx(), c, kind)
		if err != nil {
			return err
		}
		page, err := wire.DecodePaging(c.r.URL.RawQuery)
		if err != nil {
			return err
		}
		st, now, err := describe(c.ctx(), j, page.Skip, page.Limit)
		if err != nil {
			return err
		}
		if page.Stats && kind == curlew.KindCrawl {
			explainStats(&st, now)
		}
		next := page.Skip + len(st.Data)
		// If there are no documents here, there are none after them.
		if next < st.Completed && len(st.Data) > 0 || h.options.NextWhileScraping && !now.State.Final() {
			page.Skip = next
			st.Next = c.base + pathOf(kind) + j.ID() + "?" + page.Query()
		}
		body, err := st.Append(nil)
		if err != nil {
			return err
		}
		c.send(http.StatusOK, body)
		return nil
	}
}

// cancelOf serves DELETE of a job. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func cancelOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		j, err := h.own(c.ctx(), c, kind)
		if err != nil {
			return err
		}
		if err := j.Cancel(c.ctx()); err != nil {
			return err
		}
		return c.answer(http.StatusOK, map[string]string{"status": "cancelled"})
	}
}

// maxErrors bounds the lists of an errors answer.
const maxErrors = 10_000

// errorsOf serves the errors of a job. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func errorsOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		j, err := h.own(c.ctx(), c, kind)
		if err != nil {
			return err
		}
		now, err := j.Status(c.ctx())
		if err != nil {
			return err
		}
		answer := wire.Errors{
			Errors:             []json.RawMessage{},
			RobotsBlocked:      []string{},
			ErrorsTotal:        now.Failed,
			RobotsBlockedTotal: now.Blocked,
		}
		failures, err := j.Items(c.ctx(), job.Failure, 0, min(maxErrors, now.Failed))
		if err != nil {
			return err
		}
		for _, it := range failures {
			if it.Err == nil {
				answer.Errors = append(answer.Errors, it.Data)
			}
		}
		blocked, err := j.Items(c.ctx(), job.Blocked, 0, min(maxErrors, now.Blocked))
		if err != nil {
			return err
		}
		for _, it := range blocked {
			if it.Err == nil {
				answer.RobotsBlocked = append(answer.RobotsBlocked, string(it.Data))
			}
		}
		if answer.Gone, err = j.Gone(c.ctx(), min(maxErrors, now.Events)); err != nil {
			return err
		}
		return c.answer(http.StatusOK, answer)
	}
}

// explainStats adds the figures of a crawl to its status.
func explainStats(st *wire.Status, now *curlew.Status) {
	s := &now.Crawl
	counts := &wire.CrawlStats{
		Delivered: s.Delivered, Failed: s.Failed, Duplicate: s.Refused[crawlscope.RuleDuplicate], Robots: s.Blocked,
		Endless: s.Endless.Left, EndlessTaken: s.Endless.Taken, Requests: s.Requests, Rules: map[string]int{},
	}
	if s.Deepest.Pages > 0 {
		counts.Deepest = (*wire.Deepest)(&s.Deepest)
	}
	if !now.State.Final() {
		counts.Queued, counts.InFlight = s.Pending, s.Leased
	}
	for rule, n := range s.Refused {
		if n == 0 {
			continue
		}
		counts.Rules[crawlscope.Rule(rule).String()] = n
		switch crawlscope.Rule(rule) {
		case crawlscope.RuleDuplicate, crawlscope.RuleRobots, crawlscope.RuleEndless:
		default:
			counts.Scope += n
		}
	}
	for _, e := range s.Endless.Spaces {
		counts.EndlessSpaces = append(counts.EndlessSpaces, wire.EndlessSpace{Pattern: e.Pattern, Example: e.Example, Left: e.Left})
	}
	st.Stats = counts
	if now.State.Final() {
		return
	}
	for _, w := range s.Waits {
		host := wire.HostWait{Host: w.Host, GapMS: w.Gap.Milliseconds(), Cause: string(w.Cause)}
		if !w.Until.IsZero() {
			host.Until = new(jsonenc.Time(w.Until))
		}
		st.Hosts = append(st.Hosts, host)
	}
	if s.Resumes.After(time.Now()) {
		st.WaitingUntil = new(jsonenc.Time(s.Resumes))
	}
}

// replay is the answer to the start of a job, without the job's ID and URL. The
// Service keeps it with the idempotency key.
type replay struct {
	Answer json.RawMessage
	Base   string // beginning of the URL
}

// idempotency reads the header X-Idempotency-Key of a request with this body.
func (c *call) idempotency(body []byte) (i curlew.Idempotency, err error) {
	keys := c.r.Header.Values("X-Idempotency-Key")
	if len(keys) == 0 {
		return i, nil
	}
	// If the header comes twice, this key is not valid (RFC 9110 5.3).
	i.Key, i.Fingerprint = strings.Join(keys, ", "), sha256.Sum256(body)
	if !i.Valid() {
		return i, refuse(curlew.ErrRequest, "Invalid x-idempotency-key: 1 to 255 visible ASCII characters")
	}
	return i, nil
}

// keep stores the answer that a repeated request gets.
func (c *call) keep(i *curlew.Idempotency, answer wire.Started) error {
	if i.Key == "" {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	i.Answer, err = json.Marshal(replay{Answer: raw, Base: c.base})
	return err
}

// started answers the start of a job. If the start repeated an earlier one, it gets
// the answer of that one.
func (c *call) started(j *curlew.Job, answer wire.Started) error {
	base := c.base
	if stored, ok := j.Repeated(); ok {
		var first replay
		if err := json.Unmarshal(stored, &first); err != nil {
			return err
		}
		answer, base = wire.Started{}, first.Base
		if err := json.Unmarshal(first.Answer, &answer); err != nil {
			return err
		}
		c.w.Header().Set("Idempotent-Replayed", "true")
	}
	answer.ID = j.ID()
	if j.Kind() == curlew.KindAgent {
		return c.answer(http.StatusOK, wire.AgentStarted{Success: true, ID: j.ID()}) // without a URL
	}
	if j.Kind() == curlew.KindExtract {
		return c.answer(http.StatusOK, wire.ExtractStarted{Success: true, ID: j.ID(), URLTrace: []string{}, InvalidURLs: answer.InvalidURLs})
	}
	answer.URL = base + pathOf(j.Kind()) + j.ID()
	answer.InvalidURLs = append(answer.InvalidURLs, j.Refused()...)
	body, err := jsonenc.Encode(answer)
	if err == nil {
		c.send(http.StatusOK, body)
	}
	return err
}

// Trailers of an export: how many documents were read, and which were left out.
const (
	trailerDocuments = "Export-Documents"
	trailerLeftOut   = "Export-Left-Out"
)

// exportOf serves the export of an ended job, or of a running one if the query has
// partial=true. An answer that fails on the way is cut off, so that no client takes it for
// complete. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func exportOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		j, err := h.own(c.ctx(), c, kind)
		if err != nil {
			return err
		}
		query, err := wire.DecodeQuery(c.r.URL.RawQuery, "format", "partial", "withoutRepeats")
		if err != nil {
			return refuse(curlew.ErrRequest, "Invalid query: it cannot be read, or gives a parameter more than once")
		}
		form := export.Format(query.Get("format"))
		if form == "" {
			form = export.JSONL
		}
		now, err := j.Status(c.ctx())
		if err != nil {
			return err
		}
		if !now.State.Final() && query.Get("partial") != "true" {
			return refuse(errRunning, "The job is running. Ask for partial=true to export what it has delivered so far.")
		}
		if form == formWARC {
			return archive(h, c, j)
		}
		w := &exporting{c: c, name: "curlew-" + j.ID() + form.Extension(), kind: form.ContentType()}
		documents := delivered(c, j, now.Delivered)
		if query.Get("withoutRepeats") == "true" {
			documents = export.WithoutRepeats(documents)
		}
		report, err := export.Write(w, form, documents)
		switch {
		case errors.Is(err, export.ErrFormat), errors.Is(err, export.ErrMissing):
			text := err.Error()
			return refuse(curlew.ErrRequest, strings.ToUpper(text[:1])+text[1:])
		case err != nil && w.begun:
			h.logger().ErrorContext(c.ctx(), "export failed", "request", c.id, "job", j.ID(), "err", err)
			panic(http.ErrAbortHandler)
		case err != nil:
			return err
		}
		w.begin() // for a job without documents
		c.w.Header().Set(trailerDocuments, fmt.Sprint(report.Documents))
		c.w.Header().Set(trailerLeftOut, report.String())
		return nil
	}
}

// formWARC is the format of an export that is not made of documents.
const formWARC export.Format = "warc"

// archive serves the web archive of a job.
func archive(h *Handler, c *call, j *curlew.Job) error {
	w := &exporting{c: c, name: "curlew-" + j.ID() + ".warc.gz", kind: "application/warc"}
	n, damaged := 0, 0
	for records, err := range j.Archive(c.ctx()) {
		switch {
		case errors.Is(err, job.ErrCorrupt):
			damaged++
			continue
		case err == nil:
			_, err = w.Write(records)
		}
		if err != nil && w.begun {
			h.logger().ErrorContext(c.ctx(), "export failed", "request", c.id, "job", j.ID(), "err", err)
			panic(http.ErrAbortHandler)
		}
		if err != nil {
			return err
		}
		n++
	}
	c.w.Header().Set(trailerDocuments, fmt.Sprint(max(0, n-1))) // without the one about the archive
	if damaged > 0 {
		c.w.Header().Set(trailerLeftOut, fmt.Sprintf("%d that cannot be read", damaged))
	}
	return nil
}

// delivered yields the first n documents of a job, so that an export of a running job
// ends.
func delivered(c *call, j *curlew.Job, n int) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if n == 0 {
			return
		}
		read := 0
		for d, err := range j.WatchExport(c.ctx(), 0) {
			if !yield(d, err) || err != nil {
				return
			}
			if read++; read == n {
				return
			}
		}
		yield(nil, fmt.Errorf("%d documents of %d are there", read, n))
	}
}

// exporting writes an export to a client. It sends what it has each second, and gives up
// a client that takes less than the rate for bodies.
type exporting struct {
	c          *call
	name, kind string
	begun      bool
	flushed    time.Time
}

// begin sends the header.
func (w *exporting) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.c.w.Header()
	header.Set("Content-Type", w.kind)
	header.Set("Content-Disposition", `attachment; filename="`+w.name+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Trailer", trailerDocuments+", "+trailerLeftOut)
	w.c.w.WriteHeader(http.StatusOK)
	w.flushed = time.Now()
}

// Write implements [io.Writer].
func (w *exporting) Write(b []byte) (int, error) {
	w.begin()
	control := http.NewResponseController(w.c.w)
	_ = control.SetWriteDeadline(time.Now().Add(pacing.Grace + time.Duration(len(b))*time.Second/pacing.Rate))
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	n, err := w.c.w.Write(b)
	if err == nil && time.Since(w.flushed) >= time.Second {
		w.flushed = time.Now()
		err = control.Flush()
	}
	return n, err
}
