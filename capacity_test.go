// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/job"
)

// dirStore is a Store in a directory.
type dirStore struct{ job.Memory }

func (*dirStore) Dir() string { return "/data" }

// TestCapacity checks the defaults of limits, and how they divide the memory.
func TestCapacity(t *testing.T) {
	const mib = 1 << 20
	type pools struct{ Parses, Bodies, Files int64 }
	for _, test := range []struct {
		name   string
		limits curlew.Limits
		store  job.Store
		want   curlew.Limits // if Connections is zero, any default is accepted
		pools  pools
	}{
		{
			name:   "defaults of a small machine",
			limits: curlew.Limits{Memory: 800 * mib},
			want:   curlew.Limits{Memory: 800 * mib, Bodies: 100 * mib, Results: 100 * mib, DiskFree: 256 * mib, Wait: 10 * time.Second},
			pools:  pools{600 * mib, 50 * mib, 50 * mib},
		},
		{
			name:   "defaults of a large machine",
			limits: curlew.Limits{Memory: 8192 * mib},
			want:   curlew.Limits{Memory: 8192 * mib, Bodies: 128 * mib, Results: 256 * mib, DiskFree: 256 * mib, Wait: 10 * time.Second},
			pools:  pools{7808 * mib, 64 * mib, 64 * mib},
		},
		{
			name:   "no limit of memory",
			limits: curlew.Limits{Memory: curlew.Unlimited},
			want:   curlew.Limits{Memory: curlew.Unlimited, Bodies: 128 * mib, Results: 256 * mib, DiskFree: 256 * mib, Wait: 10 * time.Second},
			pools:  pools{curlew.Unlimited, 64 * mib, 64 * mib},
		},
		{
			name:   "no limit at all",
			limits: curlew.Limits{Memory: -1, Bodies: -1, Results: -1, Connections: -1, DiskFree: -1, Wait: -1},
			want:   curlew.Limits{Memory: -1, Bodies: -1, Results: -1, Connections: -1, DiskFree: -1, Wait: -1},
			pools:  pools{-1, -1, -1},
		},
		{
			name:   "parts without a limit",
			limits: curlew.Limits{Memory: 100, Bodies: -1, Results: -1, Connections: 3, DiskFree: 1, Wait: 1},
			want:   curlew.Limits{Memory: 100, Bodies: -1, Results: -1, Connections: 3, DiskFree: 1, Wait: 1},
			pools:  pools{100, -1, -1},
		},
		{
			name:   "parts that are larger than the whole",
			limits: curlew.Limits{Memory: 100, Bodies: 60, Results: 70, Connections: 3, DiskFree: 1, Wait: 1},
			want:   curlew.Limits{Memory: 100, Bodies: 60, Results: 70, Connections: 3, DiskFree: 1, Wait: 1},
			pools:  pools{25, 30, 30},
		},
		{
			name:   "a store in a directory",
			limits: curlew.Limits{Memory: 800, Connections: 3, DiskFree: 1, Wait: 1},
			store:  new(dirStore),
			want:   curlew.Limits{Memory: 800, Bodies: 100, Results: 100, Connections: 3, DiskFree: 1, Wait: 1, Dirs: []string{"/data"}},
			pools:  pools{600, 50, 50},
		},
		{
			name:   "directories that the program names",
			limits: curlew.Limits{Memory: 800, Connections: 3, DiskFree: 1, Wait: 1, Dirs: []string{}},
			store:  new(dirStore),
			want:   curlew.Limits{Memory: 800, Bodies: 100, Results: 100, Connections: 3, DiskFree: 1, Wait: 1, Dirs: []string{}},
			pools:  pools{600, 50, 50},
		},
		{
			name:   "a store without a directory",
			limits: curlew.Limits{Memory: 800, Connections: 3, DiskFree: 1, Wait: 1},
			store:  new(job.Memory),
			want:   curlew.Limits{Memory: 800, Bodies: 100, Results: 100, Connections: 3, DiskFree: 1, Wait: 1},
			pools:  pools{600, 50, 50},
		},
	} {
		s := &curlew.Service{Limits: test.limits, Store: test.store}
		got := s.Capacity()
		if test.want.Connections == 0 {
			if n := got.Connections; n < 8 || n > 4096 {
				t.Errorf("%s: %d connections", test.name, n)
			}
			got.Connections = 0
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: limits (-want +got):\n%s", test.name, d)
		}
		var p pools
		p.Parses, p.Bodies, p.Files = s.Pools()
		if p != test.pools {
			t.Errorf("%s: pools %+v, want %+v", test.name, p, test.pools)
		}
	}
	if got, want := new(curlew.Service).Capacity().Memory, admission.Memory()/2; got != want || got <= 0 {
		t.Errorf("the default of Memory is %d, want %d", got, want)
	}
}

// isBusy fails the test unless err is the refusal of work because a resource is
// scarce.
func isBusy(t *testing.T, what string, err error, resource string) {
	t.Helper()
	e, ok := errors.AsType[*curlew.Error](err)
	if want := "The server is short of " + resource + ". Please try again later."; !ok || !errors.Is(err, curlew.ErrBusy) || e.Text != want || e.Wait != 5*time.Second {
		t.Errorf("%s: got %v, want a refusal because of %s", what, err, resource)
	}
}

// TestHoldBody checks that JSON bodies and files have separate budgets, that a
// request waits for memory, and that the Service is not ready for a while after a
// refusal.
func TestHoldBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &curlew.Service{Limits: curlew.Limits{Memory: 1000, Bodies: 200, DiskFree: -1, Wait: time.Minute}}
		ready := func(what string, want bool) {
			t.Helper()
			if err := s.Ready(t.Context()); want && err != nil {
				t.Errorf("%s: not ready: %v", what, err)
			} else if !want {
				isBusy(t, what, err, "memory")
			}
		}
		ready("at first", true)
		one, err := s.HoldBody(t.Context(), nil, 60, false)
		if err != nil {
			t.Fatal(err)
		}
		two, err := s.HoldBody(t.Context(), nil, 40, false)
		if err != nil {
			t.Fatal(err)
		}
		file, err := s.HoldBody(t.Context(), nil, 100, true)
		if err != nil {
			t.Errorf("a file, with a budget of its own: %v", err)
		}
		begin := time.Now()
		if _, err := s.HoldBody(t.Context(), nil, 1, false); time.Since(begin) != time.Minute {
			t.Errorf("refused after %v: %v", time.Since(begin), err)
		} else {
			isBusy(t, "a third body", err, "memory")
		}
		ready("after a refusal", false)
		if same, err := s.HoldBody(t.Context(), two, 5, false); same != two {
			t.Error("a body that grows has another share")
		} else {
			isBusy(t, "a body that grows", err, "memory")
		}
		if same, err := s.HoldBody(t.Context(), one, 5, false); err != nil || same != one {
			t.Errorf("the oldest body may not grow: %v", err)
		}
		time.Sleep(5*time.Second - 1)
		ready("less than 5 s after the last refusal", false)
		time.Sleep(time.Nanosecond)
		ready("5 s after the last refusal", true)

		cause := errors.New("the client has left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if _, err := s.HoldBody(ctx, nil, 1, false); !errors.Is(err, cause) || errors.Is(err, curlew.ErrBusy) {
			t.Errorf("a client that leaves: %v", err)
		}
		time.AfterFunc(time.Second, one.Release)
		three, err := s.HoldBody(t.Context(), nil, 60, false)
		if err != nil {
			t.Errorf("released memory is not available: %v", err)
		}
		ready("after a wait that succeeded", true)
		for _, share := range []*admission.Share{two, three, file} {
			share.Release()
		}
	})
}

// TestDiskShort checks that a full disk refuses new jobs before any work, and that
// the Service is not ready.
func TestDiskShort(t *testing.T) {
	if _, ok := admission.Free(t.TempDir()); !ok {
		t.Skip("the free space of a disk is not known on this system")
	}
	s := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Limits: curlew.Limits{DiskFree: math.MaxInt64, Dirs: []string{t.TempDir()}}}
	isBusy(t, "ready", s.Ready(t.Context()), "disk space")
	_, err := s.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
	isBusy(t, "start", err, "disk space")
	if _, err := s.Scrape(t.Context(), "http://a.test/", nil); err != nil {
		t.Errorf("a scrape needs no disk: %v", err)
	}
}

// TestOutOf checks which errors mean that a resource is used up.
func TestOutOf(t *testing.T) {
	for _, test := range []struct {
		resource string
		err      error
		want     string // empty if the error is returned as it is
	}{
		{"memory", nil, ""},
		{"memory", io.ErrUnexpectedEOF, ""},
		{"memory", job.ErrStorage, ""},
		{"memory", admission.ErrBusy, "memory"},
		{"memory", fmt.Errorf("read: %w", admission.ErrBusy), "memory"},
		{"disk space", job.ErrFull, "disk space"},
		{"disk space", job.ErrMemory, "memory"}, // results of jobs in memory, whatever the caller has asked for
	} {
		got := curlew.OutOf(test.resource, test.err)
		if test.want == "" {
			if got != test.err { //nolint:errorlint // it must be the same value
				t.Errorf("%v becomes %v", test.err, got)
			}
			continue
		}
		isBusy(t, test.err.Error(), got, test.want)
		if !errors.Is(got, test.err) {
			t.Errorf("%v does not wrap %v", got, test.err)
		}
	}
}
