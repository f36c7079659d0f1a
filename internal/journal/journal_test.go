// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const name = "log"

var header = journal.Header{Created: time.Date(2026, 11, 21, 10, 0, 0, 5, time.UTC), Seed: 1 << 63, Config: [32]byte{1, 2}}

// record is a record that a test has written or read.
type record struct{ Head, Blob string }

// made returns record number n, whose content depends only on n.
func made(n int) record {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	blob := make([]byte, r.IntN(300))
	if n%5 == 3 { // large enough for a segment
		blob = make([]byte, 1025+r.IntN(500))
	}
	for i := range blob {
		blob[i] = byte(r.Uint32())
	}
	return record{fmt.Sprintf("\x20 record %d", n), string(blob)}
}

func create(t *testing.T, fsys journal.FS, records int) *journal.Log {
	t.Helper()
	l, err := journal.Create(fsys, name, header)
	if err != nil {
		t.Fatal(err)
	}
	for n := range records {
		r := made(n)
		if _, err := l.Append([]byte(r.Head), []byte(r.Blob)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// read returns all records of l. For a damaged blob it returns the error
// instead.
func read(t *testing.T, l *journal.Log) []record {
	t.Helper()
	var got []record
	err := l.Replay(func(pos int64, head []byte) error {
		blob, err := l.Blob(pos)
		if err != nil {
			return err
		}
		got = append(got, record{string(head), string(blob)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func want(n int) []record {
	var all []record
	for i := range n {
		all = append(all, made(i))
	}
	return all
}

func TestReopen(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	dir := journal.Dir{Root: root}
	l := create(t, dir, 100)
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, end := l.Durable(), int64(1000); got < end {
		t.Errorf("after Sync %d bytes are durable", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Create(dir, name, header); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second Create: %v", err)
	}
	for round := range 3 {
		l, err := journal.Open(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want(100+round), read(t, l)); diff != "" {
			t.Errorf("round %d: %s", round, diff)
		}
		if l.Header() != header {
			t.Errorf("header %v", l.Header())
		}
		if n, synced := l.Cut(); n != 0 || synced {
			t.Errorf("cut %d bytes of a whole log", n)
		}
		r := made(100 + round)
		if _, err := l.Append([]byte(r.Head), []byte(r.Blob)); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
		if _, err := l.Append([]byte("x"), nil); !errors.Is(err, journal.ErrClosed) {
			t.Errorf("Append after Close: %v", err)
		}
	}
	info, err := os.Stat(root.Name() + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o", got)
	}
}

func TestRefused(t *testing.T) {
	l := create(t, &journaltest.FS{}, 0)
	defer l.Close()
	for _, head := range []string{"", "\x06", "\x06\x01"} {
		if _, err := l.Append([]byte(head), nil); err == nil {
			t.Errorf("a head %q was taken", head)
		}
	}
	if _, err := l.Append([]byte("x"), make([]byte, 256<<20+1)); !errors.Is(err, journal.ErrTooBig) {
		t.Errorf("a blob too big: %v", err)
	}
}

// TestReader reads a closed log, and one with a torn tail.
func TestReader(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 9)
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	if _, err := journal.OpenReader(&fsys, "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that is not there: %v", err)
	}
	for _, torn := range []int{0, 3, 80} {
		fsys.Set(name, whole[:len(whole)-torn])
		r, err := journal.OpenReader(&fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		var got []record
		err = r.Replay(func(pos int64, head []byte) error {
			again, err := r.Head(pos)
			if err != nil || !bytes.Equal(again, head) {
				t.Errorf("head %q, and %q, %v", head, again, err)
			}
			blob, err := r.Blob(pos)
			if err == nil {
				got = append(got, record{string(head), string(blob)})
			}
			return err
		})
		if errors.Is(err, journal.ErrCorrupt) != (torn > 0) || err != nil && torn == 0 {
			t.Errorf("%d bytes torn off: %v", torn, err)
		}
		if diff := cmp.Diff(want(len(got)), got); diff != "" || torn == 0 && len(got) != 9 {
			t.Errorf("%d bytes torn off: %d records, %s", torn, len(got), diff)
		}
		if passed, err := r.Passed(); err != nil || passed != (torn == 0) {
			t.Errorf("%d bytes torn off: passed %v, %v", torn, passed, err)
		}
		if r.Header() != header {
			t.Errorf("header %v", r.Header())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, b := range [][]byte{nil, whole[:71], append([]byte("X"), whole[1:]...)} {
		fsys.Set(name, b)
		if _, err := journal.OpenReader(&fsys, name); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a header %.8q: %v", b, err)
		}
	}
}

// TestAdvance follows the syncs of a log.
func TestAdvance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fsys journaltest.FS
		l := create(t, &fsys, 0)
		var wg sync.WaitGroup
		var got []int64
		wg.Go(func() {
			for at := l.Durable(); ; {
				var err error
				if at, err = l.Advance(at); err != nil {
					if !errors.Is(err, journal.ErrClosed) {
						t.Errorf("Advance: %v", err)
					}
					return
				}
				got = append(got, at)
			}
		})
		for range 3 {
			if _, err := l.Append([]byte("x"), nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if len(got) != 3 || !slices.IsSorted(got) || got[2] != l.Durable() {
			t.Errorf("advanced by %d, durable is %d", got, l.Durable())
		}
	})
}

// TestGroup counts syncs, which many writers must share.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fsys journaltest.FS
		var mu sync.Mutex
		syncs := 0
		fsys.Fail = func(op string) error {
			mu.Lock()
			defer mu.Unlock()
			if op == "sync" {
				syncs++
			}
			return nil
		}
		l := create(t, &fsys, 0)
		mu.Lock()
		syncs = 0
		mu.Unlock()
		start := time.Now()
		var wg sync.WaitGroup
		for n := range 100 {
			wg.Go(func() {
				if _, err := l.Append([]byte(made(n).Head), []byte("small")); err != nil {
					t.Error(err)
				}
				if err := l.Sync(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 2*time.Millisecond {
			t.Errorf("waited %v for a sync, want 2ms", took)
		}
		if syncs != 1 {
			t.Errorf("%d syncs for 100 writers at once", syncs)
		}
		if _, err := l.Append([]byte("x"), nil); err != nil {
			t.Fatal(err)
		}
		before := l.Durable()
		time.Sleep(49 * time.Millisecond)
		if l.Durable() != before {
			t.Error("synced before anybody waited")
		}
		time.Sleep(2 * time.Millisecond)
		if l.Durable() <= before {
			t.Error("not synced after 50 ms")
		}
		time.Sleep(time.Hour)
		if syncs != 2 {
			t.Errorf("%d syncs of an idle log", syncs)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestConcurrent(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 0)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for n := range 50 {
				head := fmt.Sprintf("%d/%d", w, n)
				pos, err := l.Append([]byte(head), []byte(head))
				if err != nil {
					t.Error(err)
					return
				}
				if blob, err := l.Blob(pos); err != nil || string(blob) != head {
					t.Errorf("blob %q, %v, want %q", blob, err, head)
				}
			}
		})
	}
	wg.Wait()
	if got := len(read(t, l)); got != 400 {
		t.Errorf("%d records, want 400", got)
	}
	l.Close()
}

// FuzzOpen opens arbitrary bytes. It must return an error, or records with
// correct checksums.
func FuzzOpen(f *testing.F) {
	var fsys journaltest.FS
	l, err := journal.Create(&fsys, name, header)
	if err != nil {
		f.Fatal(err)
	}
	for n := range 5 {
		r := made(n)
		l.Append([]byte(r.Head), []byte(r.Blob))
	}
	l.Close()
	whole := fsys.Bytes(name)
	f.Add(whole)
	f.Add(whole[:70])
	f.Add(whole[:len(whole)-3])
	f.Fuzz(func(t *testing.T, b []byte) {
		var fsys journaltest.FS
		fsys.Set(name, b)
		l, err := journal.Open(&fsys, name)
		if err != nil {
			return
		}
		defer l.Close()
		err = l.Replay(func(pos int64, head []byte) error {
			if len(head) == 0 {
				t.Error("an empty head")
			}
			if _, err := l.Blob(pos); err != nil && !errors.Is(err, journal.ErrCorrupt) {
				t.Error(err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	l, err := journal.Create(journal.Dir{Root: root}, name, header)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	head, blob := make([]byte, 3<<10), make([]byte, 8<<10)
	head[0] = 0x20
	b.SetBytes(int64(len(head) + len(blob)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append(head, blob); err != nil {
			b.Fatal(err)
		}
	}
}
