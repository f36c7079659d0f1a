// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/internal/admission"
	"example.com/curlew/job"
)

// ErrBusy means that the process is short of memory or disk space. The same
// request may succeed later. A Handler answers it with 503, the code
// SERVICE_BUSY and Retry-After.
var ErrBusy = errors.New("service is busy")

// Limits bound what a Service takes of its machine. A zero field is its default,
// [Unlimited] no bound. What does not fit waits, and is then refused with
// [ErrBusy]; running jobs wait as long as it takes.
type Limits struct {
	// Memory bounds what request bodies, documents that are read and results of
	// jobs without a directory take together, in bytes. The garbage of Go's
	// heap is counted. Zero means half of the machine's memory, or of the limit
	// of its control group if that is lower.
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

	// DiskFree is the low-water mark, in bytes: while less is free, no job is
	// accepted. Zero means 256 MiB.
	DiskFree int64

	// Dirs are the directories whose disks DiskFree is about. Nil means that of
	// the Store, if it has a method Dir() string, as [job.Files] does.
	Dirs []string

	// Wait is how long a request waits for memory. Zero means 10 s.
	Wait time.Duration
}

// withDefaults fills in what is zero. The store may be nil.
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

// capacity is the admission ledger of a Service: what its work holds of the
// machine.
type capacity struct {
	once    sync.Once
	limits  Limits
	bodies  *admission.Pool // of requests in JSON
	files   *admission.Pool // that were uploaded
	parses  *admission.Pool // documents at work
	results *job.Memory     // where there is no Store
	disk    admission.Disk
}

// busyWhile is how long a resource counts as short after it was.
const busyWhile = 5 * time.Second

// admission returns the Service's ledger.
func (s *Service) admission() *capacity {
	c := &s.capacity
	c.once.Do(func() {
		c.limits = s.Limits.withDefaults(s.Store)
		parses := int64(Unlimited)
		if c.limits.Memory >= 0 {
			parses = max(c.limits.Memory-max(c.limits.Bodies, 0)-max(c.limits.Results, 0), c.limits.Memory/4)
		}
		half := c.limits.Bodies
		if half > 0 {
			half /= 2
		}
		c.parses, c.bodies, c.files = admission.NewPool(parses), admission.NewPool(half), admission.NewPool(half)
		if s.Store == nil {
			c.results = &job.Memory{MaxBytes: c.limits.Results}
		}
		c.disk.Low, c.disk.Dirs = c.limits.DiskFree, c.limits.Dirs
	})
	return c
}

// busy returns the refusal of what a resource is short for.
func busy(resource string) error {
	return &Error{Err: ErrBusy, Text: "The server is short of " + resource + ". Please try again later.", Wait: busyWhile}
}

// Error texts name these resources, and so does /readyz.
const (
	ofMemory = "memory"
	ofDisk   = "disk space"
)

// outOf returns err, or the refusal of a resource if err says that the resource
// is used up.
func outOf(resource string, err error) error {
	if errors.Is(err, job.ErrMemory) {
		resource = ofMemory
	}
	if errors.Is(err, admission.ErrBusy) || errors.Is(err, job.ErrFull) || errors.Is(err, job.ErrMemory) {
		return fmt.Errorf("%w: %w", busy(resource), err)
	}
	return err
}

// short returns the refusal of a new job whose results could not be kept.
func (c *capacity) short() error {
	switch {
	case c.disk.Short():
		return busy(ofDisk)
	case c.results != nil && c.results.Full() != nil:
		return busy(ofMemory)
	}
	return nil
}

// Capacity returns the Limits with their defaults filled in.
func (s *Service) Capacity() Limits { return s.admission().limits }

// HoldBody asks for n more bytes of memory for the body of a request, which are
// waited for as [Limits.Wait] says; [ErrBusy] where there are none. It is for
// front ends: a request in JSON and an uploaded file are counted apart. Held is
// what the request holds already, nil for nothing; whoever asked releases what is
// returned, on errors too.
func (s *Service) HoldBody(ctx context.Context, held *admission.Share, n int64, file bool) (*admission.Share, error) {
	l := s.admission()
	pool := l.bodies
	if file {
		pool = l.files
	}
	var err error
	if held == nil {
		held, err = pool.Take(ctx, pool.Ticket(), n, l.limits.Wait, nil)
	} else {
		err = held.Wait(ctx, n, l.limits.Wait)
	}
	return held, outOf(ofMemory, err)
}

// Ready returns why the Service should get no new work: [job.ErrShutdown], the
// Store's error, or [ErrBusy] with the resource that is short. Nil: it should.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.runner().Ready(ctx); err != nil {
		return outOf(ofDisk, err)
	}
	c := s.admission()
	if err := c.short(); err != nil {
		return err
	}
	if c.parses.Short(busyWhile) || c.bodies.Short(busyWhile) || c.files.Short(busyWhile) {
		return busy(ofMemory)
	}
	return nil
}
