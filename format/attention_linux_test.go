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

// Work on hostile pages looks at its context all the time. The bound is for the
// sake of collections that a thread has to help with, and for pages larger than
// the default: see -evil.
func TestAttention(t *testing.T) {
	for _, p := range evil.Pages() {
		t.Run(p.Name, func(t *testing.T) { hostile(t, p, attends) })
	}
}

// attends builds a document, and says where the context was not looked at.
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

// An attentive context knows how much processor time passes between two looks
// at it. It is for one goroutine, which is locked to its thread.
type attentive struct {
	context.Context //nolint:containedctx // it is one

	last    time.Duration // processor time of the thread at the last look
	longest time.Duration // between two looks
	where   []byte        // stack of the look at the end of it
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

// done ends the last stretch, and returns the longest.
func (c *attentive) done() (longest time.Duration, where []byte) {
	c.look()
	runtime.UnlockOSThread()
	return c.longest, c.where
}

// threadTime returns the processor time that this thread has taken.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
