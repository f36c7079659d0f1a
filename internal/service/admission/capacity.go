// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"cmp"
	"context"
	"time"

	"example.com/curlew/job"
)

// Limits are the limits of a Service. curlew.Limits describes the fields.
type Limits struct {
	Memory      int64
	Bodies      int64
	Results     int64
	Connections int
	DiskFree    int64
	Dirs        []string
	Wait        time.Duration
}

// withDefaults returns l with defaults in place of zero fields. The store may be nil.
func (l Limits) withDefaults(store job.Store) Limits {
	if l.Memory == 0 {
		l.Memory = Memory() / 2
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
		if n, ok := Descriptors(); ok {
			l.Connections = max(8, min(n/2, 4096))
		}
	}
	if s, ok := store.(interface{ Dir() string }); ok && l.Dirs == nil {
		l.Dirs = []string{s.Dir()}
	}
	return l
}

// Capacity is the budget of memory and disk of a Service. The shares that it has given
// out never exceed the Limits.
type Capacity struct {
	Limits  Limits      // with their defaults
	Parses  *Pool       // for documents that are being read
	Bodies  *Pool       // for JSON bodies
	Files   *Pool       // for uploaded files
	Results *job.Memory // nil if the Service has a Store

	disk Disk
}

// Names of resources in texts.
const (
	OfMemory = "memory"
	OfDisk   = "disk space"
)

// BusyWhile is how long a resource still counts as scarce after a refusal.
const BusyWhile = 5 * time.Second

// Open makes the pools that the limits describe. The store may be nil.
func (c *Capacity) Open(limits Limits, store job.Store) {
	c.Limits = limits.withDefaults(store)
	parses := int64(Unlimited)
	if c.Limits.Memory >= 0 {
		parses = max(c.Limits.Memory-max(c.Limits.Bodies, 0)-max(c.Limits.Results, 0), c.Limits.Memory/4)
	}
	half := c.Limits.Bodies
	if half > 0 {
		half /= 2
	}
	c.Parses, c.Bodies, c.Files = NewPool(parses), NewPool(half), NewPool(half)
	if store == nil {
		c.Results = &job.Memory{MaxBytes: c.Limits.Results}
	}
	c.disk.Low, c.disk.Dirs = c.Limits.DiskFree, c.Limits.Dirs
}

// ShortOf names the resource without which the results of a new job could not be stored,
// or returns "".
func (c *Capacity) ShortOf() string {
	switch {
	case c.disk.Short():
		return OfDisk
	case c.Results != nil && c.Results.Full() != nil:
		return OfMemory
	}
	return ""
}

// Scarce names a resource that new work of any kind could need and that is scarce, or
// returns "".
func (c *Capacity) Scarce() string {
	if short := c.ShortOf(); short != "" {
		return short
	}
	if c.Parses.Short(BusyWhile) || c.Bodies.Short(BusyWhile) || c.Files.Short(BusyWhile) {
		return OfMemory
	}
	return ""
}

// Hold reserves n more bytes for the body of a request, see curlew.Service.HoldBody.
func (c *Capacity) Hold(ctx context.Context, held *Share, n int64, file bool) (*Share, error) {
	if held != nil {
		return held, held.Wait(ctx, n, c.Limits.Wait)
	}
	pool := c.Bodies
	if file {
		pool = c.Files
	}
	return pool.Take(ctx, pool.Ticket(), n, c.Limits.Wait, nil)
}
