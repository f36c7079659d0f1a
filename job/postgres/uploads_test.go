// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

var uploadLimits = job.UploadLimits{Life: time.Hour, Most: 10, Window: 24 * time.Hour}

// uploading opens two processes with one database and one directory of blobs.
func uploading(t *testing.T, s *pgtest.Server) (url, dir string, one, other *postgres.Uploads, st *postgres.Store) {
	t.Helper()
	url, dir = s.Database(t), t.TempDir()
	st = openOutside(t, url, directory(t, dir))
	return url, dir, st.Uploads(), openOutside(t, url, directory(t, dir)).Uploads(), st
}

// add registers an upload of a team.
func add(ctx context.Context, t *testing.T, u *postgres.Uploads, team string) *job.Upload {
	t.Helper()
	up := &job.Upload{ID: job.NewID(), Team: team, Name: "a ü\x00.md", ContentType: "text/markdown"}
	if wait, err := u.Add(ctx, up, uploadLimits); err != nil || wait != 0 {
		t.Fatalf("Add: %v, %v", wait, err)
	}
	return up
}

// filesOf returns the files below dir of which the path has a part.
func filesOf(t *testing.T, dir, part string) (list []string) {
	t.Helper()
	for _, name := range objects(t, dir) {
		if strings.Contains(name, part) {
			list = append(list, name)
		}
	}
	return list
}

// testUploads uploads files to one process and reads them in the other one.
func testUploads(t *testing.T, s *pgtest.Server) {
	_, dir, one, other, _ := uploading(t, s)
	ctx := t.Context()
	first, err := one.Secret(ctx)
	second, err2 := other.Secret(ctx)
	if err != nil || err2 != nil || len(first) != 32 || !bytes.Equal(first, second) {
		t.Errorf("secrets %x, %v and %x, %v", first, err, second, err2)
	}
	source := rand.NewChaCha8([32]byte{})
	for _, size := range []int{0, 1, job.UploadPart, 2*job.UploadPart + 3} {
		data := make([]byte, size)
		_, _ = source.Read(data)
		up := add(ctx, t, one, "us")
		if _, err := other.Take(ctx, up.ID); !errors.Is(err, job.ErrNoUpload) {
			t.Errorf("Take before Fill: %v, want ErrNoUpload", err)
		}
		if err := other.Check(ctx, up.ID); err != nil {
			t.Errorf("Check before Fill: %v", err)
		}
		if err := other.Check(ctx, job.NewID()); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Check of an unknown upload: %v, want ErrNotFound", err)
		}
		if err := other.Fill(ctx, up.ID, io.LimitReader(bytes.NewReader(data), int64(size/2)), int64(size)); size > 0 && err == nil {
			t.Error("half a file was stored")
		} else if size > 0 && len(filesOf(t, dir, up.ID)) != 0 {
			t.Errorf("half a file has left %q", filesOf(t, dir, up.ID))
		}
		if size > 0 {
			if err := one.Fill(ctx, up.ID, bytes.NewReader(data), int64(size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Check(ctx, up.ID); !errors.Is(err, job.ErrUploaded) {
			t.Errorf("Check after Fill: %v, want ErrUploaded", err)
		}
		if err := other.Fill(ctx, up.ID, bytes.NewReader(data), int64(size)); !errors.Is(err, job.ErrUploaded) {
			t.Errorf("a second Fill: %v, want ErrUploaded", err)
		}
		got, err := other.Take(ctx, up.ID)
		if err != nil || got.Size != int64(size) || got.Team != "us" || got.Name != "a ü\uFFFD.md" || got.ContentType != up.ContentType {
			t.Fatalf("Take: %+v, %v", got, err)
		}
		if _, err := one.Take(ctx, up.ID); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("a second Take: %v, want ErrNotFound", err)
		}
		if err := one.Read(ctx, up.ID, io.Discard); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Read by a process that has not taken it: %v", err)
		}
		var read bytes.Buffer
		if err := other.Read(ctx, up.ID, &read); err != nil || !bytes.Equal(read.Bytes(), data) {
			t.Errorf("Read: %d bytes, %v; want %d", read.Len(), err, size)
		}
		for range 2 {
			if err := other.Remove(ctx, up.ID); err != nil {
				t.Errorf("Remove: %v", err)
			}
		}
		if _, err := one.Take(ctx, up.ID); !errors.Is(err, job.ErrNotFound) || len(filesOf(t, dir, up.ID)) != 0 {
			t.Errorf("after Remove: %v, %q", err, filesOf(t, dir, up.ID))
		}
	}
	for _, id := range []string{"", "x", "../x", job.NewID()} {
		if _, err := one.Take(ctx, id); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Take(%q): %v", id, err)
		}
		if err := one.Fill(ctx, id, strings.NewReader("x"), 1); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Fill(%q): %v", id, err)
		}
	}
}

// testUploadRace fills and takes uploads from two processes at once, and registers more
// than a team may have.
func testUploadRace(t *testing.T, s *pgtest.Server) {
	_, dir, one, other, _ := uploading(t, s)
	ctx := t.Context()
	both := []*postgres.Uploads{one, other}
	var added atomic.Int64
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			wait, err := both[i%2].Add(ctx, &job.Upload{ID: job.NewID(), Team: "many"}, uploadLimits)
			switch {
			case err != nil:
				t.Errorf("Add: %v", err)
			case wait == 0:
				added.Add(1)
			case wait > uploadLimits.Window || wait < uploadLimits.Window-time.Hour:
				t.Errorf("the next upload may come after %v", wait)
			}
		})
	}
	all.Wait()
	if n := added.Load(); n != int64(uploadLimits.Most) {
		t.Errorf("%d uploads of one team, want %d", n, uploadLimits.Most)
	}
	up := add(ctx, t, one, "us")
	var filled, taken atomic.Int64
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint("the text of ", i)
			switch err := both[i%2].Fill(ctx, up.ID, strings.NewReader(text), int64(len(text))); {
			case err == nil:
				filled.Add(1)
			case !errors.Is(err, job.ErrUploaded):
				t.Errorf("Fill: %v", err)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		all.Go(func() {
			switch _, err := both[i%2].Take(ctx, up.ID); {
			case err == nil:
				taken.Add(1)
				var text strings.Builder
				if err := both[i%2].Read(ctx, up.ID, &text); err != nil || !strings.HasPrefix(text.String(), "the text of ") {
					t.Errorf("Read: %q, %v", text.String(), err)
				}
			case !errors.Is(err, job.ErrNotFound):
				t.Errorf("Take: %v", err)
			}
		})
	}
	all.Wait()
	if filled.Load() != 1 || taken.Load() != 1 || len(filesOf(t, dir, up.ID)) != 1 {
		t.Errorf("%d were stored, %d taken, objects %q; want one of each", filled.Load(), taken.Load(), filesOf(t, dir, up.ID))
	}
}

// testUploadFaults damages files, lets uploads expire, and lets their processes die.
func testUploadFaults(t *testing.T, s *pgtest.Server) {
	url, dir, one, other, st := uploading(t, s)
	ctx := t.Context()
	fill := func() string {
		t.Helper()
		up := add(ctx, t, one, "us")
		if err := one.Fill(ctx, up.ID, strings.NewReader("text"), 4); err != nil {
			t.Fatal(err)
		}
		return up.ID
	}
	take := func(u *postgres.Uploads, id string, want error) {
		t.Helper()
		if _, err := u.Take(ctx, id); !errors.Is(err, want) {
			t.Errorf("Take: %v, want %v", err, want)
		}
	}
	for what, damage := range map[string]func(name string) error{
		"changed": func(name string) error { return os.WriteFile(name, []byte("texT"), 0o600) },
		"cut":     func(name string) error { return os.WriteFile(name, []byte("tex"), 0o600) },
		"missing": os.Remove,
	} {
		id := fill()
		list := filesOf(t, dir, id)
		if len(list) != 1 {
			t.Fatalf("objects: %q", list)
		}
		if err := damage(list[0]); err != nil {
			t.Fatal(err)
		}
		take(other, id, nil)
		if err := other.Read(ctx, id, io.Discard); !errors.Is(err, job.ErrCorrupt) {
			t.Errorf("Read of a file that is %s: %v, want ErrCorrupt", what, err)
		}
	}

	expired, running, dead, waits := fill(), fill(), fill(), fill()
	take(one, running, nil)
	take(other, dead, nil)
	pgtest.Exec(t, url, `update curlew.upload set taken = gen_random_uuid() where id = $1`, dead)
	take(one, dead, nil) // its process has died
	pgtest.Exec(t, url, `update curlew.upload set taken = gen_random_uuid() where id = $1`, dead)
	pgtest.Exec(t, url, `update curlew.upload set expires = now() - interval '1 second' where id <> $1`, waits)
	take(one, expired, job.ErrNotFound)
	if err := one.Fill(ctx, expired, strings.NewReader("x"), 1); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("Fill of an expired upload: %v", err)
	}
	never := job.NewID() // was left by a process that died
	left := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(filesOf(t, dir, waits)[0]))), never, "x")
	if err := errors.Join(os.MkdirAll(left, 0o700), os.WriteFile(filepath.Join(left, "0"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	postgres.SweepBlobs(st)
	if err := postgres.Sweep(st, ctx); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{expired: 0, running: 1, dead: 0, waits: 1, never: 0} {
		if list := filesOf(t, dir, id); len(list) != want {
			t.Errorf("after the sweep: %q, want %d", list, want)
		}
	}
	var n int
	if read(t, st, `select count(*) from curlew.upload where name = '' and content_type = ''`, &n); n != 2 { // those that were damaged are still taken
		t.Errorf("%d expired uploads have lost their names, want 2", n)
	}
	pgtest.Exec(t, url, `update curlew.upload set made = made - interval '25 hours', expires = expires - interval '25 hours'`)
	if err := postgres.Sweep(st, ctx); err != nil {
		t.Fatal(err)
	}
	if read(t, st, `select count(*) from curlew.upload`, &n); n != 0 || len(filesOf(t, dir, "uploads")) != 0 {
		t.Errorf("%d uploads and the objects %q are left after a day", n, filesOf(t, dir, "uploads"))
	}
}
