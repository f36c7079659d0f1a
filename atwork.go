// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/admission"
	"example.com/curlew/job"
	"example.com/curlew/parse"
)

// endsIn is how long work over a document may go on after its context has ended.
// Then nobody waits for it any more, and the log says so. Readers look at their
// contexts far more often.
const endsIn = 500 * time.Millisecond

// terms say how one document is worked on. The zero value is that of a program
// that asks for it.
type terms struct {
	seat    *seat         // the team's slot that it takes; nil: none
	patient bool          // it waits for memory as long as it takes
	limit   time.Duration // for the work without such waits; zero: that of its context
	line    *pace.Line    // takes turns at hosts; nil: a line of its own
}

// reading is one document that is to be worked on.
type reading struct {
	terms
	kind parse.Kind // empty: detected
	size int64      // bytes
}

// atWork runs work over foreign bytes. It begins once the memory that such a
// document takes is free, in a goroutine of its own, and anew if older work
// needed its memory. atWork returns at the latest a moment after ctx has ended. The slot and the memory are given back
// when the goroutine has ended, whoever still waits for it. The work tells grow
// which bytes it inflates; that may block until there is memory, and end the
// work's context if there is none. A panic is errPanic.
func atWork[T any](ctx context.Context, s *Service, d reading, work func(ctx context.Context, grow func(int64)) (T, error)) (T, error) {
	l := s.admission()
	ticket, need := l.parses.Ticket(), weighed(d.kind, d.size, 0)
	begun := time.Now()
	for {
		wait := time.Duration(Unlimited)
		if !d.patient && l.limits.Wait >= 0 {
			wait = max(l.limits.Wait-time.Since(begun), 0)
		}
		own, end := context.WithCancelCause(ctx)
		share, err := l.parses.Take(own, ticket, need, wait, end)
		if err != nil {
			end(nil)
			var none T
			return none, outOf(ofMemory, err)
		}
		m := &memoryMeter{share: share, reading: d, asked: need, wait: wait}
		v, err := apart(own, s, end, m, work)
		if !errors.Is(err, admission.ErrBusy) || ctx.Err() != nil || wait == 0 {
			return v, outOf(ofMemory, err)
		}
		need = max(need, 2*share.Most())
	}
}

// apart runs work in a goroutine of its own, with a share of memory. When that
// has ended it calls end and gives back the share.
func apart[T any](ctx context.Context, s *Service, end context.CancelCauseFunc, m *memoryMeter, work func(context.Context, func(int64)) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	stop := func() {}
	if m.limit > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, m.limit, fetch.ErrTimeout)
	}
	id := s.busyWith.enter(end, m.patient)
	m.seat.hold()
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: errPanic}
		defer func() {
			if cause := context.Cause(ctx); out.err != nil && cause != nil {
				out.err = cause
			}
			s.busyWith.leave(id)
			m.share.Release()
			m.seat.drop()
			stop()
			end(nil)
			done <- out
		}()
		defer s.recovered(ctx, &out.err)
		out.v, out.err = work(ctx, func(n int64) { m.grow(ctx, n) })
	}()
	select {
	case out := <-done:
		return out.v, out.err
	case <-ctx.Done():
	}
	late := time.NewTimer(endsIn)
	defer late.Stop()
	select {
	case out := <-done:
		return out.v, out.err
	case <-late.C:
	}
	m.share.Abandon()
	s.logger().ErrorContext(ctx, "work over a document goes on after its end", "kind", string(m.kind), "bytes", m.size, "cause", context.Cause(ctx))
	var none T
	return none, context.Cause(ctx)
}

// memoryMeter asks for the memory that a document turns out to take.
type memoryMeter struct {
	reading
	share *admission.Share
	wait  time.Duration // for memory

	mu       sync.Mutex
	inflated int64 // guarded by mu; bytes
	asked    int64 // guarded by mu; bytes of memory
}

// grownBy is how much memory is asked for at once, in bytes.
const grownBy = 4 << 20

// grow counts n bytes that were inflated.
func (m *memoryMeter) grow(ctx context.Context, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inflated += n
	for need := weighed(m.kind, m.size, m.inflated); m.asked < need; m.asked += grownBy {
		if m.share.Grow(ctx, grownBy, m.wait) != nil {
			return // the context has ended, or ends now
		}
	}
}

// heapTwice is how much of Go's heap a live byte takes: as much again may be
// garbage before it is collected.
const heapTwice = 2

// treeMost is more than a tree of as many nodes as the limits of package parse
// allow takes with what is made of it, in bytes.
const treeMost = 288 << 20

// weights are the live bytes that reading and showing takes for each byte of a
// document, of containers for each inflated byte: the worst of documents that
// are all short paragraphs, cells or elements (TestWeights). Half of what other
// kinds take is not of the tree.
var weights = map[parse.Kind]int64{
	parse.Text: 6, parse.JSON: 16, parse.XML: 6, parse.Image: 16,
	parse.DOCX: 16, parse.PPTX: 16, parse.ODT: 32, parse.ODP: 32,
	parse.XLSX: 40, parse.XLSB: 64, parse.ODS: 40, parse.PDF: 24,
	parse.HTML: 96, parse.Markdown: 160, parse.EPUB: 96, parse.RTF: 80, parse.CSV: 64, parse.TSV: 64,
}

// otherWeight is that of kinds that are not listed.
const otherWeight = 96

// inflation is how many times its size a container is taken to inflate to before
// it has.
const inflation = 4

// weighed returns the memory that a document takes, in bytes of Go's heap.
func weighed(kind parse.Kind, size, inflated int64) int64 {
	each := cmp.Or(weights[kind], otherWeight)
	read := size
	switch kind {
	case parse.DOCX, parse.PPTX, parse.ODT, parse.ODP, parse.XLSX, parse.XLSB, parse.ODS, parse.EPUB:
		read = max(size*inflation, inflated)
	case parse.PDF:
		read = max(size, inflated)
	}
	return heapTwice * (1<<20 + size + min(read*each, treeMost+2*read))
}

// busyWith is the work over documents that is under way.
type busyWith struct {
	mu     sync.Mutex
	last   int
	closed bool
	ends   map[int]ongoing // guarded by mu
	empty  chan struct{}   // guarded by mu; closed once there is none; nil if nobody waits
}

// ongoing is one piece of it.
type ongoing struct {
	end   context.CancelCauseFunc // nil: whoever asked for it ends it
	begun time.Time
}

// enter notes that work begins. After the beginning of a shutdown it ends at once,
// unless it is a job's: that ends with its job, which must not take the end for
// the page's fault.
func (b *busyWith) enter(end context.CancelCauseFunc, ofJob bool) (id int) {
	if ofJob {
		end = nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ends == nil {
		b.ends = map[int]ongoing{}
	}
	b.last++
	b.ends[b.last] = ongoing{end, time.Now()}
	if b.closed && end != nil {
		end(job.ErrShutdown)
	}
	return b.last
}

func (b *busyWith) leave(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.ends, id)
	if len(b.ends) == 0 && b.empty != nil {
		close(b.empty)
		b.empty = nil
	}
}

// stop ends all work and waits for it for a moment. It returns how much work
// goes on all the same, and how old the oldest is.
func (b *busyWith) stop(ctx context.Context) (stuck int, oldest time.Duration) {
	b.mu.Lock()
	b.closed = true
	for _, o := range b.ends {
		if o.end != nil {
			o.end(job.ErrShutdown)
		}
	}
	if len(b.ends) == 0 {
		b.mu.Unlock()
		return 0, 0
	}
	if b.empty == nil {
		b.empty = make(chan struct{})
	}
	empty := b.empty
	b.mu.Unlock()
	late := time.NewTimer(2 * endsIn)
	defer late.Stop()
	select {
	case <-empty:
	case <-late.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.ends {
		oldest = max(oldest, time.Since(o.begun))
	}
	return len(b.ends), oldest
}
