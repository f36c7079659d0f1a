// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/admission"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/job"
	"example.com/curlew/parse"
)

// ErrBusy means that the process is short of memory or disk space. The same
// request may succeed later.
var ErrBusy = errors.New("service is busy")

// Limits bound how much of its machine a Service uses. A zero field means its default,
// [Unlimited] no bound. Work that does not fit waits, and is then refused with
// [ErrBusy]. Running jobs wait as long as necessary.
type Limits struct {
	// Memory bounds request bodies, documents that are being read and results of jobs
	// in memory together, in bytes. The garbage of Go's heap is included. Zero means
	// half of the machine's memory, or of the limit of the control group if that is
	// lower.
	Memory int64

	// Bodies bounds the part of Memory for request bodies, in bytes: one half for
	// those in JSON, the other for uploaded files as far as they are not on disk.
	// Zero means an eighth of Memory, and at most 128 MiB.
	Bodies int64

	// Results bounds the part of Memory for the results of jobs that are kept in
	// memory, in bytes after compression. More go to temporary files. Results
	// under zero data retention do not: above the bound such jobs are refused.
	// Zero means an eighth of Memory, and at most 256 MiB.
	Results int64

	// Connections bounds how many connections clients hold at once, see
	// package httpapi. Zero means half of the files that the process may have
	// open, and at most 4,096.
	Connections int

	// DiskFree is the free disk space below which no job is accepted, in bytes. Zero
	// means 256 MiB.
	DiskFree int64

	// Dirs are the directories whose disks DiskFree applies to. Nil means the directory
	// of the Store, if it has a method Dir() string, as [job.Files] does.
	Dirs []string

	// Wait is how long a request waits for memory. Zero means 10 s.
	Wait time.Duration
}

// withDefaults returns l with defaults in place of zero fields. The store may be nil.
func (l Limits) withDefaults(store job.Store) Limits {
	if l.Memory == 0 {
		l.Memory = admission.Memory() / 2
	}
	part := func(most int64) int64 {
		if l.Memory < 0 {
			return most
		}
		return min(l.Memory/8, most)
	}
	l.Bodies = cmp.Or(l.Bodies, part(128<<20))
	l.Results = cmp.Or(l.Results, part(256<<20))
	l.DiskFree = cmp.Or(l.DiskFree, 256<<20)
	l.Wait = cmp.Or(l.Wait, 10*time.Second)
	if l.Connections == 0 {
		l.Connections = 1024
		if n, ok := admission.Descriptors(); ok {
			l.Connections = max(8, min(n/2, 4096))
		}
	}
	if s, ok := store.(interface{ Dir() string }); ok && l.Dirs == nil {
		l.Dirs = []string{s.Dir()}
	}
	return l
}

// capacity is the budget of memory and disk of a Service. The shares that it has given
// out never exceed the Limits.
type capacity struct {
	limits  Limits
	bodies  *admission.Pool // for JSON bodies
	files   *admission.Pool // for uploaded files
	parses  *admission.Pool // for documents that are being read
	results *job.Memory     // used if the Service has no Store
	disk    admission.Disk
}

// busyWhile is how long a resource counts as short after it was.
const busyWhile = 5 * time.Second

// open makes the pools that the limits describe. The store may be nil.
func (c *capacity) open(limits Limits, store job.Store) {
	c.limits = limits.withDefaults(store)
	parses := int64(Unlimited)
	if c.limits.Memory >= 0 {
		parses = max(c.limits.Memory-max(c.limits.Bodies, 0)-max(c.limits.Results, 0), c.limits.Memory/4)
	}
	half := c.limits.Bodies
	if half > 0 {
		half /= 2
	}
	c.parses, c.bodies, c.files = admission.NewPool(parses), admission.NewPool(half), admission.NewPool(half)
	if store == nil {
		c.results = &job.Memory{MaxBytes: c.limits.Results}
	}
	c.disk.Low, c.disk.Dirs = c.limits.DiskFree, c.limits.Dirs
}

// busy returns the refusal of work while a resource is scarce.
func busy(resource string) error {
	return &Error{Err: ErrBusy, Text: "The server is short of " + resource + ". Please try again later.", Wait: busyWhile}
}

// Names of resources in error texts.
const (
	ofMemory = "memory"
	ofDisk   = "disk space"
)

// outOf returns err. If err means that a resource is used up, it returns the refusal
// that names the resource.
func outOf(resource string, err error) error {
	if errors.Is(err, job.ErrMemory) {
		resource = ofMemory
	}
	if errors.Is(err, admission.ErrBusy) || errors.Is(err, job.ErrFull) || errors.Is(err, job.ErrMemory) {
		return fmt.Errorf("%w: %w", busy(resource), err)
	}
	return err
}

// short returns the refusal of a new job while its results could not be stored; else
// nil.
func (c *capacity) short() error {
	switch {
	case c.disk.Short():
		return busy(ofDisk)
	case c.results != nil && c.results.Full() != nil:
		return busy(ofMemory)
	}
	return nil
}

// hold is [Service.HoldBody].
func (c *capacity) hold(ctx context.Context, held *admission.Share, n int64, file bool) (*admission.Share, error) {
	pool := c.bodies
	if file {
		pool = c.files
	}
	var err error
	if held == nil {
		held, err = pool.Take(ctx, pool.Ticket(), n, c.limits.Wait, nil)
	} else {
		err = held.Wait(ctx, n, c.limits.Wait)
	}
	return held, outOf(ofMemory, err)
}

// ready returns the refusal of new work while a resource is scarce; else nil.
func (c *capacity) ready() error {
	if err := c.short(); err != nil {
		return err
	}
	if c.parses.Short(busyWhile) || c.bodies.Short(busyWhile) || c.files.Short(busyWhile) {
		return busy(ofMemory)
	}
	return nil
}

// endsIn is how long a reader may continue after its context has ended. Then its caller
// stops waiting for it, and it is logged. Readers look at their contexts far more
// often.
const endsIn = 500 * time.Millisecond

// terms say how one document is processed. The zero value is for calls without a
// Caller.
type terms struct {
	seat    *slots.Seat   // the slot of the team; nil: none
	patient bool          // it waits for memory as long as necessary
	limit   time.Duration // of the time without these waits; zero: that of the context
	line    *pace.Line    // for turns at hosts; nil: a line of its own
}

// reading is one document that is to be processed.
type reading struct {
	terms
	kind parse.Kind // empty: detected
	size int64      // bytes
}

// atWork runs work over foreign bytes in a goroutine of its own. It first waits for the
// memory that such a document needs. If older work takes this memory away, it starts
// anew. atWork returns at most a moment after ctx has ended. The slot and the memory
// are given back only when the goroutine has ended. The work calls grow with the number
// of bytes that it inflates. This call may block until there is memory, and ends the
// context of the work if there is none. A panic becomes errPanic.
func atWork[T any](ctx context.Context, p *pages, d reading, work func(ctx context.Context, grow func(int64)) (T, error)) (T, error) {
	l := p.capacity
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
		v, err := apart(own, p, end, m, work)
		if !errors.Is(err, admission.ErrBusy) || ctx.Err() != nil || wait == 0 {
			return v, outOf(ofMemory, err)
		}
		need = max(need, 2*share.Most())
	}
}

// apart runs work in a goroutine of its own, with a share of memory. When the work has
// ended, it calls end and gives the share back.
func apart[T any](ctx context.Context, p *pages, end context.CancelCauseFunc, m *memoryMeter, work func(context.Context, func(int64)) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	stop := func() {}
	if m.limit > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, m.limit, fetch.ErrTimeout)
	}
	id := p.reads.enter(end, m.patient)
	m.seat.Hold()
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: errPanic}
		defer func() {
			if cause := context.Cause(ctx); out.err != nil && cause != nil {
				out.err = cause
			}
			p.reads.leave(id)
			m.share.Release()
			m.seat.Drop()
			stop()
			end(nil)
			done <- out
		}()
		defer p.recovered(ctx, &out.err)
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
	p.logger.ErrorContext(ctx, "work over a document goes on after its end", "kind", string(m.kind), "bytes", m.size, "cause", context.Cause(ctx))
	var none T
	return none, context.Cause(ctx)
}

// memoryMeter reserves more memory as a document turns out to need it.
type memoryMeter struct {
	reading
	share *admission.Share
	wait  time.Duration // for memory

	mu       sync.Mutex
	inflated int64 // guarded by mu; bytes
	asked    int64 // guarded by mu; bytes of memory
}

// grownBy is how much memory is reserved at once, in bytes.
const grownBy = 4 << 20

// grow counts n inflated bytes.
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

// heapTwice is how many bytes of Go's heap a live byte takes, because as much again may
// be garbage before it is collected.
const heapTwice = 2

// treeMost is more than the largest tree that package parse makes, together with the
// output made from it, in bytes.
const treeMost = 288 << 20

// weights are the live bytes that reading and formatting needs for each byte of a
// document; for containers, for each inflated byte. They are those of the worst
// documents: only short paragraphs, cells or elements (TestWeights).
var weights = map[parse.Kind]int64{
	parse.Text: 6, parse.JSON: 16, parse.XML: 6, parse.Image: 16,
	parse.DOCX: 16, parse.PPTX: 16, parse.ODT: 32, parse.ODP: 32,
	parse.XLSX: 40, parse.XLSB: 64, parse.ODS: 40, parse.PDF: 24,
	parse.HTML: 96, parse.Markdown: 160, parse.EPUB: 96, parse.RTF: 80, parse.CSV: 64, parse.TSV: 64,
}

// otherWeight is the weight of kinds that are not listed.
const otherWeight = 96

// inflation is the assumed ratio of a container before it has been inflated.
const inflation = 4

// weighed returns the memory that a document needs, in bytes of Go's heap.
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

// reads is the work over documents that is under way.
type reads struct {
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
func (b *reads) enter(end context.CancelCauseFunc, ofJob bool) (id int) {
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

func (b *reads) leave(id int) {
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
func (b *reads) stop(ctx context.Context) (stuck int, oldest time.Duration) {
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
