// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// taskVersion is the version of the tasks that processes share. Processes with
// different versions do not help each other.
const taskVersion = 1

// taskKind is the kind of tasks that this Service shares and helps with. Only a process
// that would make the same documents may help, so it stands for what the operator has
// configured.
func (p *parts) taskKind() string {
	s, f := p.service, &p.pages.Format
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %t %t %t %t %t %t %d %q",
		taskVersion, s.Renderer != nil, f.Writer != nil, s.Parser.OCR != nil, s.Parser.Render != nil, f.Ads != nil, s.LocalNames, len(s.Parser.Readers), s.UserAgent))
	return "page-" + hex.EncodeToString(sum[:8])
}

// helpGrace is how long pages in progress may take when Help ends.
const helpGrace = 5 * time.Second

// Help fetches and reads pages for crawls and batches of other processes that share the
// Store, at most most pages at once. When ctx ends, it takes no more pages, finishes
// those in progress, gives up those that take longer than five seconds, and returns nil.
// The other processes then process these pages again.
//
// The Service helps only processes with the same configuration of engines. Each process
// sends requests through its own Fetcher, so the Fetchers must have the same rules, too.
// If the Store cannot share work, the error wraps [ErrEngine].
func (s *Service) Help(ctx context.Context, most int) error {
	p := s.parts()
	store, ok := p.runner.Store.(job.Helper)
	if !ok {
		return refuse(ErrEngine, "The store of jobs is not shared with other processes.")
	}
	h := &helpers{parts: p, jobs: map[string]*helper{}}
	defer h.close()
	return store.Help(ctx, job.Help{Kind: p.taskKind(), Most: most, Grace: helpGrace, Do: h.do})
}

// helpers does pages of jobs of other processes.
type helpers struct {
	parts *parts

	mu   sync.Mutex
	jobs map[string]*helper // guarded by mu; by the ID of the job
}

// helper does pages of one job.
type helper struct {
	work  *work
	crawl *crawl.Assistant // nil for a batch

	users int       // guarded by helpers.mu; pages in progress
	used  time.Time // guarded by helpers.mu; when the last one ended
}

// helperIdle is how long the data of a job are kept without a page in progress.
const helperIdle = time.Minute

// do does a task of a job.
func (h *helpers) do(ctx context.Context, j *job.Job, task []byte) ([]byte, error) {
	own, err := h.take(j)
	if err != nil {
		return nil, err
	}
	defer h.leave(own)
	if own.crawl != nil {
		return sharing.Do(ctx, own.crawl, task, own.work.keepKnown)
	}
	return own.work.oneFor(ctx, task)
}

// take returns the helper of a job.
func (h *helpers) take(j *job.Job) (*helper, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, own := range h.jobs {
		if own.users == 0 && time.Since(own.used) > helperIdle {
			delete(h.jobs, id)
			own.close()
		}
	}
	own := h.jobs[j.ID]
	if own == nil {
		var err error
		if own, err = h.open(j); err != nil {
			return nil, err
		}
		h.jobs[j.ID] = own
	}
	own.users++
	return own, nil
}

func (h *helpers) leave(own *helper) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own.users--
	own.used = time.Now()
}

// close ends all helpers. No task is in progress.
func (h *helpers) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, own := range h.jobs {
		own.close()
	}
}

func (own *helper) close() {
	own.work.line.Leave()
	if own.crawl != nil {
		own.crawl.Close()
	}
}

// open makes the helper of a job.
func (h *helpers) open(j *job.Job) (*helper, error) {
	p := h.parts
	sp, err := readSpec(j)
	if err != nil {
		return nil, err
	}
	if sp.Page == nil || sp.Retained {
		return nil, fmt.Errorf("%w: a task of a job of the kind %q", job.ErrInvalid, j.Kind)
	}
	w := &work{spec: sp, parts: p, job: j.ID, team: j.Owner, meter: meter.Uncharged(nil)}
	if sp.Audit != nil {
		log := (&meter.Meters{Sink: noting{}, Logger: p.meters.Logger, Explain: auditFault}).Activity(*sp.Audit)
		log.OfJob(j.ID)
		w.meter.Log = log
	}
	w.prepare()
	w.line = pace.NewLine(p.pages.Hosts, false)
	own := &helper{work: w}
	if j.Kind != KindCrawl {
		return own, nil
	}
	c := w.config()
	c.Request, c.Hosts = w.page.request(), p.pages.Hosts
	c.Visit = func(ctx context.Context, page *crawl.Page) error {
		ctx, e := noted(ctx)
		err := w.visit(ctx, page, func(error) {})
		page.Note = e.encode()
		return err
	}
	own.crawl, err = (&crawl.Engine{Fetcher: w.fetcher(), UserAgent: p.service.UserAgent}).Assist(c)
	if err != nil {
		w.line.Leave()
		return nil, err
	}
	return own, nil
}

// note is an audit event that goes to the process which holds the job.
type note struct{ event *audit.Event }

type noteKey struct{}

// noted returns a ctx with which [noting] keeps the event in the note.
func noted(ctx context.Context) (context.Context, *note) {
	n := new(note)
	return context.WithValue(ctx, noteKey{}, n), n
}

// encode returns the note as bytes, or nil if there is no event.
func (n *note) encode() []byte {
	if n.event == nil {
		return nil
	}
	b, err := json.Marshal(n.event)
	if err != nil {
		return nil
	}
	return b
}

// noting is an [audit.Sink] that keeps events for the process which holds the job.
type noting struct{}

// Write implements [audit.Sink].
func (noting) Write(ctx context.Context, events []audit.Event) error {
	if n, ok := ctx.Value(noteKey{}).(*note); ok && len(events) > 0 {
		n.event = &events[0]
	}
	return nil
}

// shares reports whether other processes may fetch and read pages of the job. They
// cannot if that needs something that only this process has: the threat gate with its
// credits, the pages of an earlier crawl, the cache, or earlier versions of a page.
// Files of a browser, and the records of an archive, are stored with the job.
func (w *work) shares() bool {
	return w.space != nil && job.Shares(w.space) && !w.Retained && !w.Archive && w.meter.Gate == nil && w.Since == "" &&
		!w.page.onlyCache() && !slices.Contains(w.page.Format.Forms, format.ChangesForm) && (w.page.Files == "" || w.page.Browser == nil)
}

// share passes a page to another process; see [job.Share]. The page holds a slot of the
// team as long as it is there. If it is done here, it takes its slots itself.
func (w *work) share(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error) {
	held, _, err := w.parts.slots.Sit(ctx, w.team, w.Slots)
	if err != nil {
		return nil, err
	}
	drop := sync.OnceFunc(held.Drop)
	defer drop()
	return job.Share(ctx, w.space, job.Task{Kind: w.parts.taskKind(), Data: task, Gap: gap}, func() {
		drop()
		here()
	})
}

// charge charges a page that another process has read, and passes on its audit event.
func (w *work) charge(ctx context.Context, cost int, note []byte) error {
	if err := w.meter.Spend(ctx, cost); err != nil {
		return err
	}
	var e audit.Event
	if len(note) > 0 && json.Unmarshal(note, &e) == nil {
		w.meter.Log.Pass(ctx, e)
	}
	return nil
}

// collect accepts a page of a crawl before it is committed.
func (w *work) collect(ctx context.Context, p *crawl.Page) error {
	if p.Shared {
		return w.charge(ctx, p.Cost, p.Note)
	}
	return w.keepKnown(p)
}

// input is one URL of a batch that another process is to scrape.
type input struct {
	URL   string
	Input int
}

// scraped is the result of an input. The data of the item follow it.
type scraped struct {
	Kind   job.ItemKind
	Cost   int
	Status int
	Note   []byte `json:",omitempty"`

	TooLarge bool `json:",omitempty"` // the process that holds the batch must scrape it itself
}

// oneFor makes the item for one URL of a batch of another process.
func (w *work) oneFor(ctx context.Context, task []byte) ([]byte, error) {
	var in input
	if err := json.Unmarshal(task, &in); err != nil {
		return nil, fmt.Errorf("task of another process: %w", err)
	}
	ctx, e := noted(ctx)
	item, status, err := w.one(ctx, in.URL, in.Input)
	if err != nil {
		return nil, err
	}
	out := scraped{Kind: item.Kind, Cost: item.Cost, Status: status, Note: e.encode()}
	if len(item.Data)+len(out.Note)*2 > job.MaxTaskResult-1024 {
		out, item.Data = scraped{Status: status, TooLarge: true}, nil
	}
	return sharing.Encode(&out, item.Data)
}

// mostLost is how often a URL of a batch is passed on after the process that had it has
// died. After that it fails, because it probably is the reason.
const mostLost = 5

// oneElsewhere makes the item for one URL of a batch, in another process if one is free.
// This process takes the turn at the host, so that all processes together keep its pace.
func (w *work) oneElsewhere(ctx context.Context, raw string, n int) (item job.Item, err error) {
	task, err := json.Marshal(input{raw, n})
	if err != nil {
		return item, err
	}
	for range mostLost {
		turn := w.turn(ctx, raw)
		if turn == nil {
			return w.oneHere(ctx, raw, n)
		}
		did, failed := false, error(nil)
		result, err := w.share(ctx, task, 0, func() {
			did = true
			turn.End(nil, nil) // the scrape takes its own
			item, failed = w.oneHere(ctx, raw, n)
		})
		if did {
			return item, failed
		}
		if err == nil {
			var got scraped
			if item, got, err = readScraped(result); err == nil {
				turn.End(&fetch.Response{Status: got.Status}, nil)
				if got.TooLarge {
					return w.oneHere(ctx, raw, n)
				}
				return item, w.charge(ctx, item.Cost, got.Note)
			}
		}
		turn.End(&fetch.Response{Status: http.StatusOK}, nil) // the request may have been made
		if ctx.Err() != nil {
			return item, context.Cause(ctx)
		}
		if !errors.Is(err, job.ErrLost) && !errors.Is(err, job.ErrCorrupt) {
			return item, err
		}
		w.parts.pages.Logger.WarnContext(ctx, "a page of a batch did not come back from another process", "job", w.job, "input", n, "err", err)
	}
	payload, cost, err := w.failure(ctx, job.NewID(), raw, crawl.ErrLost, raw)
	if payload == nil {
		return item, err
	}
	return job.Item{Kind: job.Failure, Data: payload, Cost: cost}, nil
}

// oneHere makes the item for one URL of a batch in this process.
func (w *work) oneHere(ctx context.Context, raw string, n int) (job.Item, error) {
	item, _, err := w.one(ctx, raw, n)
	return item, err
}

// turn takes a turn at the host of a URL of a batch. It is nil if the page is cached or
// the URL is not valid.
func (w *work) turn(ctx context.Context, raw string) *crawl.Turn {
	u, err := weburl.Input(raw, true)
	if err != nil {
		return nil
	}
	v := w.page.visit(u.WithoutFragment().String())
	v.Line = w.line
	turn, err := w.parts.pages.TakeTurn(ctx, v)
	if err != nil {
		return nil // the scrape will get the same error
	}
	return turn
}

// readScraped reads what oneFor has returned.
func readScraped(b []byte) (item job.Item, got scraped, err error) {
	data, err := sharing.Decode(b, &got)
	if err != nil {
		return item, got, err
	}
	if got.Kind != job.Result && got.Kind != job.Failure {
		return item, got, fmt.Errorf("%w: item of kind %d", job.ErrCorrupt, got.Kind)
	}
	return job.Item{Kind: got.Kind, Data: data, Cost: got.Cost}, got, nil
}
