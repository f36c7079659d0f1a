// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// TestFault fails every call in turn. What Sync has acknowledged must survive a
// power failure, and a log that has failed must never succeed again. If the
// disk is full for one call, only the creation may fail.
func TestFault(t *testing.T) { synctest.Test(t, checkFaults) }

func checkFaults(t *testing.T) {
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC, syscall.EFBIG} {
		for k := 0; ; k++ {
			if failed := faultAt(t, k, fault); !failed {
				if k < 10 {
					t.Errorf("only %d calls could fail", k)
				}
				break
			}
		}
	}
}

// faultAt uses a log whose call number k fails, and reports whether there was
// such a call.
func faultAt(t *testing.T, k int, fault error) (failed bool) {
	t.Helper()
	var calls int
	var mu sync.Mutex
	var fsys journaltest.FS
	fsys.Fail = func(string) error {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if calls-1 == k {
			failed = true
			return fault
		}
		return nil
	}
	promised := 0 // number of records that Sync has acknowledged
	func() {
		l, err := journal.Create(&fsys, name, header)
		if err != nil {
			if !errors.Is(err, fault) {
				t.Errorf("call %d: Create: %v", k, err)
			}
			promised = -1
			return
		}
		defer l.Close()
		var broken bool
		for n := range 6 {
			r := made(n)
			_, err := l.Append([]byte(r.Head), []byte(r.Blob))
			if err == nil && n%2 == 1 {
				err = l.Sync(t.Context())
				if err == nil {
					promised = n + 1
				}
			}
			if err == nil && broken {
				t.Errorf("call %d: a success after a failure", k)
			}
			broken = broken || err != nil
			if err != nil && !errors.Is(fault, syscall.EIO) {
				t.Errorf("call %d: %v on a disk that was full for a moment", k, err)
			}
			if err != nil && !errors.Is(err, fault) {
				t.Errorf("call %d: %v, want %v", k, err, fault)
			}
		}
	}()
	fsys.Fail = nil
	for seed := range uint64(5) {
		fsys.Cut(rand.New(rand.NewPCG(seed, 0)))
		l, err := journal.Open(&fsys, name)
		if promised == -1 {
			if err == nil {
				l.Close()
			}
			continue
		}
		if err != nil {
			t.Errorf("call %d: after the cut: %v", k, err)
			continue
		}
		got := read(t, l)
		l.Close()
		if len(got) < promised {
			t.Errorf("call %d: %d records left, %d were promised", k, len(got), promised)
		}
		if diff := cmp.Diff(want(len(got)), got); diff != "" {
			t.Errorf("call %d: %s", k, diff)
		}
	}
	return failed
}

// TestPowerCut cuts the power at random moments while a log is in use.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var fsys journaltest.FS
		l := create(t, &fsys, 0)
		promised := 0
		for n := range r.IntN(40) {
			rec := made(n)
			if _, err := l.Append([]byte(rec.Head), []byte(rec.Blob)); err != nil {
				t.Fatal(err)
			}
			if r.IntN(10) == 0 {
				if err := l.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				promised = n + 1
			}
		}
		fsys.Cut(r)
		after := fsys.Clone()
		l.Close()
		got, _ := read2(t, after)
		if len(got) < promised {
			t.Errorf("seed %d: %d records left, %d were promised", seed, len(got), promised)
		}
		if diff := cmp.Diff(want(len(got)), got); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
	}
}
