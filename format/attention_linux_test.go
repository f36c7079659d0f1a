// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"flag"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/evil"
)

var deaf = flag.Duration("deaf", 20*time.Millisecond, "processor time between two looks at the context that is logged")

// TestAttention checks that work on hostile pages checks its context often. The
// bound allows for garbage collection, which a thread must help with, and for
// pages larger than the default (see -evil).
func TestAttention(t *testing.T) {
	for _, p := range evil.Pages() {
		t.Run(p.Name, func(t *testing.T) { hostile(t, p, attends) })
	}
}

// attends builds a document and fails if the context was not checked often
// enough.
func attends(t *testing.T, in *format.Input, o *format.Options) {
	t.Helper()
	ctx := attend(t.Context())
	_, err := new(format.Engine).Build(ctx, in, o)
	longest, where := ctx.done()
	if err != nil {
		t.Error(err)
	}
	if longest > *deaf {
		t.Logf("deaf for %v: %d bytes, %v, include %v, exclude %v, redact %v, up to %s", longest, len(in.Raw), o.Forms, o.Include, o.Exclude, o.Redact != nil, where)
	}
	if longest > time.Second {
		t.Fail()
	}
}

// An attentive context records the longest processor time between two checks of
// it. It is for one goroutine, which is locked to its thread.
type attentive struct {
	context.Context //nolint:containedctx // a context itself

	last    time.Duration // processor time of the thread at the last check
	longest time.Duration // longest time between two checks
	where   []byte        // stack of the check after the longest time
}

func attend(ctx context.Context) *attentive {
	runtime.LockOSThread()
	return &attentive{Context: ctx, last: threadTime()}
}

func (c *attentive) Err() error {
	c.look()
	return c.Context.Err()
}

func (c *attentive) look() {
	now := threadTime()
	if now-c.last > c.longest {
		c.longest, c.where = now-c.last, debug.Stack()
		now = threadTime()
	}
	c.last = now
}

// done ends the current interval and returns the longest one.
func (c *attentive) done() (longest time.Duration, where []byte) {
	c.look()
	runtime.UnlockOSThread()
	return c.longest, c.where
}

// threadTime returns the processor time used by this thread.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
