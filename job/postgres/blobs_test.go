// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/job"
	"example.com/curlew/job/blob"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// directory opens a store of blobs in files.
func directory(t testing.TB, dir string) *blob.Dir {
	t.Helper()
	d, err := blob.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// openOutside opens a store that keeps all data of items in files.
func openOutside(t testing.TB, url string, files blob.Store) *postgres.Store {
	t.Helper()
	st := open(t, url, &postgres.Options{Lease: 10 * time.Minute, Blobs: files})
	postgres.Outside(st)
	return st
}

// objects returns the paths of the files in a folder of the store of blobs.
func objects(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

// noise returns data that does not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = r.Read(b)
	return b
}

// testBlobFaults removes and damages objects. What they contained is reported item by
// item, and never looks like an empty document.
func testBlobFaults(t *testing.T, s *pgtest.Server) {
	dir, url := t.TempDir(), s.Database(t)
	st := open(t, url, &postgres.Options{Lease: 10 * time.Minute, Blobs: directory(t, dir)})
	j, sp := begin(t, st, "crawl")
	var want [][]byte
	for i := range 3 {
		var items []job.Item
		for k := range 4 {
			data := noise(2000 + 10*i + k)
			if k == 2 {
				data = []byte("small") // stays in the database
			}
			items = append(items, job.Item{Data: data})
			want = append(want, data)
		}
		if err := sp.Append(t.Context(), items...); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, broken func(i int) error) {
		t.Helper()
		for _, limit := range []int{job.Unlimited, 1} {
			for from := 0; from < len(want); from += max(limit, len(want)*-limit) {
				items, err := sp.Items(t.Context(), job.Result, from, limit)
				if err != nil || limit < 0 && len(items) != len(want) {
					t.Fatalf("%s: %d items, %v", what, len(items), err)
				}
				for i, it := range items {
					fault := broken(from + i)
					switch {
					case fault == nil && (it.Err != nil || !bytes.Equal(it.Data, want[from+i])):
						t.Errorf("%s: item %d: %d bytes, %v", what, from+i, len(it.Data), it.Err)
					case fault != nil && (!errors.Is(it.Err, fault) || !errors.Is(it.Err, job.ErrCorrupt) || it.Data != nil):
						t.Errorf("%s: item %d: %d bytes, %v; want %v", what, from+i, len(it.Data), it.Err, fault)
					}
				}
			}
		}
	}
	check("whole", func(int) error { return nil })
	files := objects(t, filepath.Join(dir, postgres.Folder(st, j.ID)))
	if len(files) != 3 { // in the order of their names, which begin with the time
		t.Fatalf("%d objects, want 3", len(files))
	}
	whole, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	replace := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(files[1], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	changed := bytes.Clone(whole)
	changed[100] ^= 1
	replace(changed)
	check("a changed byte", func(i int) error {
		if i == 4 {
			return blob.ErrDamaged
		}
		return nil
	})
	replace(whole[:len(whole)-1])
	check("cut", func(i int) error {
		if i == 7 {
			return blob.ErrDamaged
		}
		return nil
	})
	replace(nil)
	check("empty", func(i int) error {
		if i/4 == 1 && i != 6 {
			return blob.ErrDamaged
		}
		return nil
	})
	replace(whole)
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	check("removed", func(i int) error {
		if i/4 == 0 && i != 2 {
			return blob.ErrMissing
		}
		return nil
	})
	pgtest.Exec(t, url, `update curlew.item set part = '\xff' where n = 11`)
	check("a damaged reference", func(i int) error {
		switch {
		case i/4 == 0 && i != 2:
			return blob.ErrMissing
		case i == 11:
			return blob.ErrDamaged
		}
		return nil
	})
}

// failing is a store of blobs that fails a number of times.
type failing struct {
	blob.Store
	puts, reads atomic.Int64 // that fail
}

var errDown = errors.New("the service is down")

func (f *failing) Put(ctx context.Context, name string, data []byte) error {
	if f.puts.Add(-1) >= 0 {
		_ = f.Store.Put(ctx, name+"-lost", data) // an attempt of which nobody knows
		return errDown
	}
	return f.Store.Put(ctx, name, data)
}

func (f *failing) Read(ctx context.Context, name string, at, n int64) ([]byte, error) {
	if f.reads.Add(-1) >= 0 {
		return nil, errDown
	}
	return f.Store.Read(ctx, name, at, n)
}

// testBlobsDown lets the store of blobs fail. Writes are tried again, reads return the
// error, and a job whose data cannot be stored is left to other processes.
func testBlobsDown(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	files := &failing{Store: directory(t, t.TempDir())}
	st := openOutside(t, url, files)
	_, sp := begin(t, st, "crawl")
	files.puts.Store(3)
	if err := sp.Append(t.Context(), job.Item{Data: []byte("data")}); err != nil {
		t.Fatalf("Append: %v", err)
	}
	files.reads.Store(1)
	if items, err := sp.Items(t.Context(), job.Result, 0, job.Unlimited); !errors.Is(err, errDown) || !errors.Is(err, job.ErrStorage) || items != nil {
		t.Errorf("Items: %d, %v; want %v", len(items), err, errDown)
	}
	items, err := sp.Items(t.Context(), job.Result, 0, job.Unlimited)
	if err != nil || len(items) != 1 || string(items[0].Data) != "data" || items[0].Err != nil {
		t.Errorf("Items: %+v, %v", items, err)
	}

	hasty := open(t, url, &postgres.Options{Lease: time.Second, Blobs: files})
	postgres.Outside(hasty)
	j, sp := begin(t, hasty, "crawl")
	files.puts.Store(1 << 40)
	if err := sp.Append(t.Context(), job.Item{Data: []byte("data")}); !errors.Is(err, job.ErrElsewhere) || !errors.Is(err, errDown) {
		t.Errorf("Append while the store is down: %v", err)
	}
	files.puts.Store(0)
	var there job.Space
	for there == nil { // the first process gives the job up at its next sign of life
		list, err := st.Unfinished(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			if u.ID == j.ID {
				if there, err = st.Space(t.Context(), j.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		wait(t.Context(), 20*time.Millisecond)
	}
	if items, err := there.Items(t.Context(), job.Result, 0, job.Unlimited); err != nil || len(items) != 0 {
		t.Errorf("Items: %d, %v; want none", len(items), err)
	}
	if err := there.Append(t.Context(), job.Item{Data: []byte("data")}); err != nil {
		t.Errorf("Append by another process: %v", err)
	}
}

// testBlobSweep tests that objects go with their jobs, also those that a crash has left
// without a row.
func testBlobSweep(t *testing.T, s *pgtest.Server) {
	dir, url := t.TempDir(), s.Database(t)
	files := directory(t, dir)
	st := openOutside(t, url, files)
	add := func(days int) *job.Job {
		t.Helper()
		j := &job.Job{ID: postgres.Dated(job.NewID(), -days), Kind: "crawl", Owner: "team", State: job.Running}
		if err := st.Create(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		sp, err := st.Space(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := sp.Append(t.Context(), job.Item{Data: []byte("data")}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	count := func(what string, id string, want int) {
		t.Helper()
		if n := len(objects(t, filepath.Join(dir, postgres.Folder(st, id)))); n != want {
			t.Errorf("%s: %d objects, want %d", what, n, want)
		}
	}
	orphan := func(id string) { // as a process that dies before its transaction leaves it
		t.Helper()
		if err := files.Put(t.Context(), postgres.Folder(st, id)+"/orphan", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	lives, livesLong, deleted, expires, dropped := add(0), add(10), add(0), add(0), add(20)
	for _, j := range []*job.Job{lives, livesLong, deleted, expires, dropped} {
		orphan(j.ID)
		count("before", j.ID, 2)
	}
	if err := st.Delete(t.Context(), deleted.ID); err != nil {
		t.Fatal(err)
	}
	count("deleted", deleted.ID, 0)
	orphan(deleted.ID)                        // by a process that does not know yet
	never := postgres.Dated(job.NewID(), -30) // a job whose row a restored backup lacks
	orphan(never)
	for _, j := range []*job.Job{expires, dropped} {
		sp, err := st.Space(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := sp.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Exec(t, url, `update curlew.job set expires = now() - interval '2 days' where state <> 'running'`)
	postgres.SweepBlobs(st)
	if err := postgres.Sweep(st, t.Context()); err != nil {
		t.Fatal(err)
	}
	count("running", lives.ID, 2)
	count("running for days", livesLong.ID, 2)
	count("deleted, put again", deleted.ID, 0)
	count("expired", expires.ID, 0)
	count("dropped day", dropped.ID, 0)
	count("never there", never, 0)
	if all := objects(t, dir); len(all) != 5 { // with the marker
		t.Errorf("objects: %s", strings.Join(all, "\n"))
	}
	if _, err := os.Stat(filepath.Dir(filepath.Join(dir, postgres.Folder(st, dropped.ID)))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a day that was dropped: %v", err)
	}
	sp, err := st.Space(t.Context(), livesLong.ID)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := sp.Items(t.Context(), job.Result, 0, job.Unlimited); err != nil || len(items) != 1 || string(items[0].Data) != "data" {
		t.Errorf("Items of a running job: %+v, %v", items, err)
	}
}

// testBlobIdentity tests that a database is opened only with its own store of blobs.
func testBlobIdentity(t *testing.T, s *pgtest.Server) {
	url, files := s.Database(t), directory(t, t.TempDir())
	early := open(t, url, nil) // began before the store of blobs was used
	j, sp := begin(t, early, "crawl")
	if err := sp.Append(t.Context(), job.Item{Data: []byte("inside")}); err != nil {
		t.Fatal(err)
	}
	st := openOutside(t, url, files)
	openOutside(t, url, files)
	for what, other := range map[string]blob.Store{"none": nil, "another": directory(t, t.TempDir())} {
		if _, err := postgres.Open(t.Context(), url, &postgres.Options{Blobs: other}); !errors.Is(err, postgres.ErrBlobs) {
			t.Errorf("Open with %s: %v, want ErrBlobs", what, err)
		}
	}
	if other := s.Database(t); true { // a second database may share the directory
		openOutside(t, other, files)
	}
	pgtest.Exec(t, url, `do $$ begin assert (select max(compatible) = max(version) filter (where name = 'blobs') from curlew.migration), 'older programs can open the database'; end $$`)

	j2, sp2 := begin(t, st, "crawl")
	if err := sp2.Append(t.Context(), job.Item{Data: []byte("outside")}); err != nil {
		t.Fatal(err)
	}
	there, err := early.Space(t.Context(), j2.ID)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := there.Items(t.Context(), job.Result, 0, job.Unlimited); !errors.Is(err, postgres.ErrBlobs) || items != nil {
		t.Errorf("a process without blobs: %+v, %v", items, err)
	}
	here, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := here.Items(t.Context(), job.Result, 0, job.Unlimited); err != nil || len(items) != 1 || string(items[0].Data) != "inside" {
		t.Errorf("an item in the database: %+v, %v", items, err)
	}
}

// testInspectBlobs inspects stores of blobs that are whole, damaged, down, and of another
// database. Nothing stays in them.
func testInspectBlobs(t *testing.T, s *pgtest.Server) {
	dir, url := t.TempDir(), s.Database(t)
	files := &failing{Store: directory(t, dir)}
	look := func(store blob.Store, want ...string) *postgres.BlobReport {
		t.Helper()
		r, err := postgres.Inspect(t.Context(), url)
		if err == nil {
			err = r.InspectBlobs(t.Context(), url, store)
		}
		if err != nil {
			t.Fatal(err)
		}
		compareFindings(t, r, want...)
		return r.Blobs
	}
	look(files, "migrations are pending")
	if err := open(t, url, nil).Close(); err != nil {
		t.Fatal(err)
	}
	look(nil)
	look(files, "no process has opened the database with a store of blobs")
	st := openOutside(t, url, files)
	if b := look(files); b == nil || !b.Checked || b.Sampled != 0 {
		t.Errorf("without jobs: %+v", b)
	}
	j, sp := begin(t, st, "crawl")
	if err := sp.Append(t.Context(), job.Item{Data: noise(2000)}, job.Item{Kind: job.Failure, Data: noise(3000)}); err != nil {
		t.Fatal(err)
	}
	before := objects(t, dir)
	if b := look(files); b == nil || !b.Checked || b.Sampled != 2 || b.Unreadable != 0 {
		t.Errorf("whole: %+v", b)
	}
	if after := objects(t, dir); !slices.Equal(before, after) {
		t.Errorf("the store had %v, and has %v", before, after)
	}
	look(nil, "not checked without --blobs")
	look(directory(t, t.TempDir()), "!is not the one of the database")
	files.puts.Store(1)
	if b := look(files, "!store an object: "+errDown.Error()); b == nil || b.Checked {
		t.Errorf("a store that cannot be written to: %+v", b)
	}
	files.reads.Store(1)
	look(files, "!the store of blobs: read: "+errDown.Error())
	object := objects(t, filepath.Join(dir, postgres.Folder(st, j.ID)))[0]
	if err := os.Truncate(object, 2500); err != nil {
		t.Fatal(err)
	}
	if b := look(files, "!of 2 items that were tried, the data of 1 cannot be read"); b == nil || b.Unreadable != 1 {
		t.Errorf("a damaged object: %+v", b)
	}
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	if b := look(files, "!item 0 of kind 0 of job "+j.ID); b == nil || b.Unreadable != 2 {
		t.Errorf("a missing object: %+v", b)
	}
	pgtest.Exec(t, url, `update curlew.item set part = '\xff'`)
	if b := look(files, "!the data of 2 cannot be read"); b == nil || b.Unreadable != 2 {
		t.Errorf("damaged references: %+v", b)
	}
}
