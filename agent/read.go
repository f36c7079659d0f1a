// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"sync"
)

// target is a page to read, and what for.
type target struct {
	url    string // canonical
	tables []*table
}

// outcome is what became of a target.
type outcome struct {
	target  target
	brought chan struct{} // closed when page is set
	page    *page         // nil: it was not brought
	done    chan struct{} // closed when rows is set
	rows    int
}

// wait waits until the page is read.
func (o *outcome) wait() { <-o.done }

// readAll brings the targets in their order, at most as many at once as the
// engine says, and reads each on arrival. It stops where the credits or a limit
// end. A page of the run is not brought again, but read for tables that it was
// not read for.
func (r *Run) readAll(ctx context.Context, targets []target) []*outcome {
	l := r.newLine()
	for _, t := range targets {
		if !l.send(ctx, t) {
			break
		}
	}
	return l.wait()
}

// line is pages on their way, in their order.
type line struct {
	r     *Run
	slots chan struct{}
	wg    sync.WaitGroup

	out []*outcome // of one goroutine until wait
}

func (r *Run) newLine() *line {
	return &line{r: r, slots: make(chan struct{}, atLeast(r.e.Fetches, 8))}
}

// send brings a target and reads it, in the background; it reports whether
// more may follow.
func (l *line) send(ctx context.Context, t target) bool {
	r := l.r
	select {
	case l.slots <- struct{}{}:
	case <-r.halted:
	case <-ctx.Done():
	}
	if r.stopping() || ctx.Err() != nil {
		return false
	}
	out := &outcome{target: t, brought: make(chan struct{}), done: make(chan struct{})}
	n, held := r.number(t.url)
	if held != nil {
		<-l.slots
		l.out = append(l.out, out)
		out.page = held
		close(out.brought)
		l.wg.Go(func() {
			defer close(out.done)
			l.read(ctx, out, nil)
		})
		return true
	}
	if n == 0 { // no page more
		<-l.slots
		r.halt(ReasonPages)
		return false
	}
	env, err := r.envelope(ctx, t)
	if err != nil {
		<-l.slots
		r.forget(t.url, n)
		if errors.Is(err, errBroke) {
			r.halt(ReasonCredits)
		}
		return false
	}
	l.out = append(l.out, out)
	l.wg.Go(func() {
		defer close(out.done)
		p, err := r.bring(ctx, t.url, n, env)
		<-l.slots
		r.arrived(t.url, n, p)
		out.page = p
		close(out.brought)
		if err != nil {
			r.drop(env.extract)
			if errors.Is(err, errBroke) {
				r.halt(ReasonCredits)
			}
			return
		}
		l.read(ctx, out, env.extract)
	})
	return true
}

// wait waits for all that was sent.
func (l *line) wait() []*outcome {
	l.wg.Wait()
	return l.out
}

// number gives the page of a URL its number; held is the page where the run
// has it, zero means that there may be no page more.
func (r *Run) number(url string) (n int, held *page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.byURL[url]; n > 0 {
		return n, r.pages[n-1]
	}
	if r.limits.Pages != Unlimited && len(r.pages) >= r.limits.Pages {
		return 0, nil
	}
	r.pages = append(r.pages, nil)
	r.byURL[url] = len(r.pages)
	return len(r.pages), nil
}

// forget takes back the last number, which no page got.
func (r *Run) forget(url string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n == len(r.pages) {
		r.pages = r.pages[:n-1]
		delete(r.byURL, url)
	}
}

func (r *Run) arrived(url string, n int, p *page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p != nil {
		r.pages[n-1] = p
		if c := canonical(p.rec.Final); c != "" && r.byURL[c] == 0 {
			r.byURL[c] = n
		}
	}
}

// extractBound is the most that reading one chunk can cost.
func (r *Run) extractBound(t *table) Credits {
	const overhead = 4000 // numbers, fields, task
	return r.price.bound(len(System(RoleExtract))+len(r.task.Prompt)+2*len(t.reply())+chunkBytes+overhead, maxExtractOutput)
}

// envelope reserves what bringing and reading a page costs at most.
func (r *Run) envelope(ctx context.Context, t target) (envelope, error) {
	var scan, extract Credits
	if r.e.Admit != nil {
		scan = r.rates.Scan
	}
	if len(t.tables) > 0 {
		extract = r.extractBound(t.tables[0])
	}
	if _, ok := r.memo.pages[t.url]; ok { // nothing is spent
		return envelope{}, nil
	}
	if err := r.budget.reserve(ctx, scan+r.rates.Page+extract, false); err != nil {
		return envelope{}, err
	}
	r.budget.split(3)
	return envelope{&hold{scan}, &hold{r.rates.Page}, &hold{extract}}, nil
}

// read reads a page for its tables.
func (l *line) read(ctx context.Context, out *outcome, h *hold) {
	defer func() { l.r.drop(h) }()
	p := out.page
	if p == nil || p.rec.Trouble != "" {
		return
	}
	for _, t := range out.target.tables {
		mine := h
		h = nil
		rows, err := l.r.readFor(ctx, p, t, mine)
		out.rows += rows
		if err != nil {
			if errors.Is(err, errBroke) {
				l.r.halt(ReasonCredits)
			}
			return
		}
	}
}

// readFor reads a page for one table: structured data first, then tables, then
// the model. It returns the number of rows.
func (r *Run) readFor(ctx context.Context, p *page, t *table, h *hold) (int, error) {
	defer r.drop(h)
	key := t.id + " " + p.rec.ID
	r.mu.Lock()
	if p.read == nil {
		p.read = map[string]bool{}
	}
	was := p.read[t.id]
	p.read[t.id] = true
	r.mu.Unlock()
	if was {
		return 0, nil
	}
	free, whole, method := r.free(p, t)
	if len(free) > 0 {
		r.see(ctx, p, t, free, method, 0, key)
	}
	if whole {
		r.mu.Lock()
		r.spend.Free++
		r.mu.Unlock()
		return len(free), nil
	}
	got, err := r.extract(ctx, p, p.main, t, h)
	if err == nil && p.full != nil && r.lacks(p, t, got) {
		more, again := r.extract(ctx, p, p.full, t, nil)
		got.rows = append(got.rows, more.rows...)
		got.total = max(got.total, more.total)
		got.lost = append(got.lost, more.lost...)
		err = again
	}
	for _, i := range issuesOf(got.lost, p.rec.ID) {
		r.note(ctx, i)
	}
	r.mu.Lock()
	p.kind, p.total = got.kind, max(p.total, got.total)
	r.mu.Unlock()
	r.see(ctx, p, t, got.rows, "model", got.total, key)
	return len(free) + len(got.rows), err
}

// lacks reports whether a page's main content left required cells open.
func (r *Run) lacks(_ *page, t *table, got extraction) bool {
	if len(got.rows) == 0 {
		return got.kind != "none" && got.kind != "blocked"
	}
	for _, row := range got.rows {
		for _, f := range t.fields {
			if _, ok := row[f.name]; f.required && !ok {
				return true
			}
		}
	}
	return false
}

// see adds rows of a page to the ledger.
func (r *Run) see(ctx context.Context, p *page, t *table, rows []Row, method string, total int, key string) {
	r.mu.Lock()
	at := len(r.seen[t.id])
	for i, row := range rows {
		r.seen[t.id] = append(r.seen[t.id], sighting{page: p.n, at: i, method: method, row: row})
	}
	p.rows += len(rows)
	r.rows = at + len(rows)
	r.mu.Unlock()
	_ = r.emit(ctx, Event{Kind: EventExtracted, Key: key + " " + method, Extracted: &ExtractedRecord{
		Source: p.rec.ID, Table: t.id, Method: method, Count: len(rows), Total: total, Rows: rows,
	}}) // fail has ended the run
}
