// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/internal/service/admission"
	"example.com/curlew/job"
)

// Limits limit how much of its machine a Service uses. A zero field means its default,
// [Unlimited] means no limit. Work that does not fit waits, and is then refused with
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

// busyWhile is how long a resource still counts as scarce after a refusal.
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

// outOf returns err. If err means that the resource is used up, outOf returns the refusal
// that names the resource instead, which wraps err.
func outOf(resource string, err error) error {
	if errors.Is(err, job.ErrMemory) {
		resource = ofMemory
	}
	if errors.Is(err, admission.ErrBusy) || errors.Is(err, job.ErrFull) || errors.Is(err, job.ErrMemory) {
		return fmt.Errorf("%w: %w", busy(resource), err)
	}
	return err
}

// short returns the refusal of a new job if its results could not be stored, or nil.
func (c *capacity) short() error {
	switch {
	case c.disk.Short():
		return busy(ofDisk)
	case c.results != nil && c.results.Full() != nil:
		return busy(ofMemory)
	}
	return nil
}

// hold implements [Service.HoldBody].
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

// ready returns the refusal of new work if a resource is scarce, or nil.
func (c *capacity) ready() error {
	if err := c.short(); err != nil {
		return err
	}
	if c.parses.Short(busyWhile) || c.bodies.Short(busyWhile) || c.files.Short(busyWhile) {
		return busy(ofMemory)
	}
	return nil
}
