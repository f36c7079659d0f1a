// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// limited is a disk that is full between two of its calls.
type limited struct {
	journaltest.FS
	full  atomic.Bool
	dead  atomic.Bool // every call fails with another error
	calls atomic.Int32
	from  int32
	asked atomic.Int32 // number of calls of MakeRoom
}

func newLimited(from int32) *limited {
	d := &limited{from: from}
	d.Fail = func(string) error {
		if d.calls.Add(1) == d.from {
			d.full.Store(true)
		}
		if d.dead.Load() {
			return syscall.EIO
		}
		if d.full.Load() {
			return fmt.Errorf("disk: %w", syscall.ENOSPC)
		}
		return nil
	}
	return d
}

// MakeRoom implements [journal.Roomer].
func (d *limited) MakeRoom() { d.asked.Add(1) }

// TestFull fills the disk at each call in turn, and frees it later. No record
// may be lost, repeated or durable too early, and all must be readable in the
// meantime.
func TestFull(t *testing.T) {
	for k := int32(5); ; k++ { // the first calls belong to Create
		var over bool
		synctest.Test(t, func(t *testing.T) { over = fullAt(t, k) })
		if over {
			if k < 15 {
				t.Errorf("only %d calls could fail", k)
			}
			break
		}
	}
}

func fullAt(t *testing.T, k int32) (over bool) {
	d := newLimited(k)
	l := create(t, d, 0)
	var positions []int64
	const records = 25
	for n := range records {
		r := made(n)
		pos, err := l.Append([]byte(r.Head), []byte(r.Blob))
		if err != nil {
			t.Fatalf("call %d: record %d: %v", k, n, err)
		}
		positions = append(positions, pos)
		time.Sleep(30 * time.Millisecond)
		if n == records/2 {
			time.Sleep(time.Second) // everything that can be synced is synced
		}
		for i, pos := range positions {
			if blob, err := l.Blob(pos); err != nil || string(blob) != made(i).Blob {
				t.Fatalf("call %d: record %d reads %.9q, %v", k, i, blob, err)
			}
		}
	}
	over = !d.full.Load()
	switch err := l.Full(); {
	case over:
		if err != nil {
			t.Errorf("call %d: full: %v", k, err)
		}
	case !errors.Is(err, syscall.ENOSPC):
		t.Errorf("call %d: full: %v", k, err)
	}
	if !over {
		cut := d.Clone()
		cut.Cut(rand.New(rand.NewPCG(uint64(k), 3)))
		got, _ := read2(t, cut)
		if diff := cmp.Diff(want(len(got)), got); diff != "" {
			t.Errorf("call %d: after a power cut: %s", k, diff)
		}
		for i, pos := range positions {
			if pos < l.Durable() && i >= len(got) {
				t.Errorf("call %d: record %d was durable and is lost", k, i)
			}
		}
		time.Sleep(10 * time.Second)
		if n := d.asked.Load(); n < 9 || n > 14 {
			t.Errorf("call %d: room was asked for %d times in 10 s", k, n)
		}
	}
	d.full.Store(false)
	begun := time.Now()
	if err := l.Room(t.Context()); err != nil {
		t.Errorf("call %d: Room: %v", k, err)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Errorf("call %d: Sync: %v", k, err)
	}
	if took := time.Since(begun); took > 1100*time.Millisecond {
		t.Errorf("call %d: %v until there was room", k, took)
	}
	if diff := cmp.Diff(want(records), read(t, l)); diff != "" {
		t.Errorf("call %d: %s", k, diff)
	}
	d.Cut(rand.New(rand.NewPCG(uint64(k), 4)))
	got, _ := read2(t, d.Clone())
	if err := l.Close(); err != nil {
		t.Errorf("call %d: Close: %v", k, err)
	}
	if diff := cmp.Diff(want(records), got); diff != "" {
		t.Errorf("call %d: after it and a power cut: %s", k, diff)
	}
	return over
}

// TestFullClose checks that closing a log while its disk is full returns an
// error and wakes all waiting callers.
func TestFullClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLimited(1 << 30)
		l := create(t, d, 3)
		if err := l.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.full.Store(true)
		if _, err := l.Append([]byte("late"), nil); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 2)
		go func() { ended <- l.Sync(t.Context()) }()
		go func() { ended <- l.Room(t.Context()) }()
		time.Sleep(time.Minute)
		if err := l.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Close: %v", err)
		}
		for range 2 {
			if err := <-ended; !errors.Is(err, journal.ErrClosed) {
				t.Errorf("it ended with %v", err)
			}
		}
		d.full.Store(false)
		got, _ := read2(t, d.Clone())
		if diff := cmp.Diff(want(3), got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestFullThenBroken checks that any other error while the disk is full ends
// all writing.
func TestFullThenBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLimited(1 << 30)
		l := create(t, d, 3)
		d.full.Store(true)
		if _, err := l.Append([]byte("late"), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		d.dead.Store(true)
		time.Sleep(2 * time.Second)
		if err := l.Room(t.Context()); !errors.Is(err, syscall.EIO) {
			t.Errorf("Room: %v", err)
		}
		if _, err := l.Append([]byte("later"), nil); !errors.Is(err, syscall.EIO) {
			t.Errorf("Append: %v", err)
		}
		if err := l.Close(); !errors.Is(err, syscall.EIO) {
			t.Errorf("Close: %v", err)
		}
	})
}
