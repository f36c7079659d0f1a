// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"

	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/job"
)

// TestDamage checks that a damaged document is an error of that document only,
// and a damaged record an error of that job only. What is left of a damaged
// record can be read at its original places.
func TestDamage(t *testing.T) {
	d := new(journaltest.FS)
	f, err := job.OpenDisk(d)
	if err != nil {
		t.Fatal(err)
	}
	const pages = 40
	doc := func(i int) []byte { return bytes.Repeat([]byte{byte('A' + i)}, 5000) }
	var jobs []*job.Job
	for n := range 6 {
		j, s := newJob(t, f, func(j *job.Job) { j.Spec = bytes.Repeat([]byte("spec"), 9+n/3*300) })
		jobs = append(jobs, j)
		for i := range pages {
			// Makes the log longer than the longest torn tail.
			note := job.Item{Kind: job.Event, Data: bytes.Repeat([]byte("n"), 900)}
			items := []job.Item{{Data: doc(i), Cost: 2}}
			for range 3 {
				if err := s.Append(t.Context(), note); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Append(t.Context(), items...); err != nil {
				t.Fatal(err)
			}
		}
		if n == 1 || n == 4 {
			if err := s.End(t.Context(), job.Completed, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	spoil := func(n int, file string, at, size int) {
		name := "jobs/" + jobs[n].ID + "/" + file
		b := bytes.Clone(d.Bytes(name))
		if at < 0 {
			at = bytes.Index(b, doc(-at)) + 1000
		}
		for i := range size {
			b[at+i] ^= 0x55
		}
		d.Set(name, b)
	}
	tail := func(n, left int) {
		name := "jobs/" + jobs[n].ID + "/log"
		d.Set(name, d.Bytes(name)[:left])
	}
	half := len(d.Bytes("jobs/"+jobs[0].ID+"/log")) / 2
	spoil(0, "log.1", -7, 1)     // a document
	tail(1, half)                // of an ended job
	spoil(2, "log", 20000, 512)  // a sector in the middle of a running job's log
	spoil(3, "log.1", 72+200, 1) // its Spec
	spoil(4, "log", 20000, 512)
	spoil(4, "log.1", 100_000, 6000)
	f = openDisk(t, d)
	for n, want := range []struct {
		state     job.State
		bad, lost int // unreadable documents, and those counted as lost
		atLeast   int
	}{
		{job.Running, 1, 0, pages},
		{job.Completed, 0, 0, pages}, // documents are files of their own
		{job.Failed, 0, 0, pages},
		{job.Failed, 0, 0, pages},
		{job.Completed, 2, 0, pages},
		{job.Running, 0, 0, pages},
	} {
		what := fmt.Sprintf("job %d", n)
		j, err := f.Load(t.Context(), "team", jobs[n].ID)
		if err != nil || j.State != want.state || (want.state == job.Failed) != (j.Err == "the job's record is damaged") {
			t.Errorf("%s: %+v, %v; want it %s", what, j, err, want.state)
			continue
		}
		if !bytes.Equal(j.Spec, jobs[n].Spec) {
			t.Errorf("%s: another Spec of %d bytes", what, len(j.Spec))
		}
		s, err := f.Space(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || stats.Items[job.Result] != want.atLeast || stats.Lost != want.lost || stats.Cost != 2*pages {
			t.Errorf("%s: %+v, %v", what, stats, err)
		}
		items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
		if err != nil || len(items) != stats.Items[job.Result] {
			t.Errorf("%s: %d items, %v; counted %d", what, len(items), err, stats.Items[job.Result])
		}
		bad := 0
		for i, it := range items {
			switch {
			case it.Err == nil && !bytes.Equal(it.Data, doc(i)):
				t.Errorf("%s: item %d is a wrong one", what, i)
			case it.Err != nil && (!errors.Is(it.Err, job.ErrCorrupt) || it.Data != nil):
				t.Errorf("%s: item %d: %v", what, i, it.Err)
			case it.Err != nil:
				bad++
			}
		}
		if bad != want.bad {
			t.Errorf("%s: %d items cannot be read, want %d", what, bad, want.bad)
		}
	}
}

// TestTornEnd damages the log of a running job near its end. The job goes on without the
// results that are lost, and has a note that says so. If its last write was not complete,
// nobody has seen what it wrote, so it needs none.
func TestTornEnd(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(b []byte) []byte
		results int
		notes   int
	}{
		"intact":  {func(b []byte) []byte { return b }, 3, 0},
		"torn":    {func(b []byte) []byte { return append(b, b[len(b)-20:]...) }, 3, 0},
		"damaged": {func(b []byte) []byte { b[bytes.Index(b, []byte("two"))-1] ^= 0x55; return b }, 1, 1},
	} {
		d := new(journaltest.FS)
		f, err := job.OpenDisk(d)
		if err != nil {
			t.Fatal(err)
		}
		j, s := newJob(t, f, nil)
		for _, text := range []string{"one", "two", "three"} {
			if err := s.Append(t.Context(), job.Item{Data: []byte(text)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		log := "jobs/" + j.ID + "/log"
		d.Set(log, c.spoil(bytes.Clone(d.Bytes(log))))
		for range 2 { // the note is stored, and there is only one
			f = openDisk(t, d)
			if s, err = f.Space(t.Context(), j.ID); err != nil {
				t.Fatal(err)
			}
			stats, err := s.Stats(t.Context())
			if err != nil || stats.Items[job.Result] != c.results || stats.Items[job.Note] != c.notes {
				t.Errorf("%s: %d results, %d notes, %v; want %d, %d", name, stats.Items[job.Result], stats.Items[job.Note], err, c.results, c.notes)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDamageInline loses small results, which are only in the log. The others
// keep their places, and those lost at the end are counted.
func TestDamageInline(t *testing.T) {
	d := new(journaltest.FS)
	f, err := job.OpenDisk(d)
	if err != nil {
		t.Fatal(err)
	}
	const pages = 200
	doc := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 700) }
	j, s := newJob(t, f, nil)
	for i := range pages {
		if err := s.Append(t.Context(), job.Item{Data: doc(i), Cost: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(t.Context(), job.Cancelled, ""); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	name := "jobs/" + j.ID + "/log"
	whole := d.Bytes(name)
	for at := 0; at < len(whole)-512; at += len(whole) / 23 {
		for _, cut := range []bool{false, true} {
			d := d.Clone()
			b := bytes.Clone(whole)
			if cut {
				b = b[:at]
			} else {
				copy(b[at:], make([]byte, 512))
			}
			d.Set(name, b)
			f := openDisk(t, d)
			s, err := f.Space(t.Context(), j.ID)
			if err != nil {
				t.Fatalf("damage at %d: %v", at, err)
			}
			stats, err := s.Stats(t.Context())
			if err != nil {
				t.Fatalf("damage at %d: %v", at, err)
			}
			items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
			if err != nil || len(items) != stats.Items[job.Result] {
				t.Errorf("damage at %d: %d items, %v; counted %d", at, len(items), err, stats.Items[job.Result])
			}
			bad := pages - len(items)
			for i, it := range items {
				if it.Err != nil {
					bad++
				} else if !bytes.Equal(it.Data, doc(i)) {
					t.Errorf("damage at %d: item %d is a wrong one", at, i)
				}
			}
			// At the edge of the damage, an item may have its head but not its
			// data.
			if bad-stats.Lost < 0 || bad-stats.Lost > 1 || bad == 0 || !cut && at > 0 && bad > 2 {
				t.Errorf("damage at %d: %d items cannot be read, lost %d", at, bad, stats.Lost)
			}
			if got, err := f.Load(t.Context(), "team", j.ID); err != nil || got.State != job.Cancelled {
				t.Errorf("damage at %d: %+v, %v", at, got, err)
			}
		}
	}
}

// TestOldVersion checks that a directory of another version is refused and not
// changed.
func TestOldVersion(t *testing.T) {
	d := new(journaltest.FS)
	f, err := job.OpenDisk(d)
	if err != nil {
		t.Fatal(err)
	}
	j, _ := newJob(t, f, nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	name := "jobs/" + j.ID + "/log"
	old := append([]byte("CURLEWJ1"), 2, 0, 0, 0)
	old = append(old, make([]byte, 48)...)
	old = binary.LittleEndian.AppendUint32(old, crc32.Checksum(old, crc32.MakeTable(crc32.Castagnoli)))
	old = append(old, "frames of that version"...)
	d.Set(name, old)
	if _, err := job.OpenDisk(d); !errors.Is(err, job.ErrVersion) {
		t.Errorf("%v, want ErrVersion", err)
	}
	if !bytes.Equal(d.Bytes(name), old) {
		t.Error("it was changed")
	}
}

// TestDamagedHead flips each byte at the start of a job's log. The store must
// open, show the job as failed to its owner with the same time at each opening,
// and continue the others. If the note is damaged too, the owner is unknown,
// but the files stay on the disk.
func TestDamagedHead(t *testing.T) {
	sound := new(journaltest.FS)
	f := openDisk(t, sound)
	hurt, s := newJob(t, f, nil)
	if err := s.Append(t.Context(), job.Item{Data: []byte("page")}); err != nil {
		t.Fatal(err)
	}
	other, _ := newJob(t, f, nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	log, born := "jobs/"+hurt.ID+"/log", "jobs/"+hurt.ID+"/born"
	flip := func(d *journaltest.FS, name string, i int) {
		b := bytes.Clone(d.Bytes(name))
		b[i] ^= 1
		d.Set(name, b)
	}
	for i := range 200 { // the header and the frame of the creation
		d := sound.Clone()
		flip(d, log, i)
		first := openDisk(t, d)
		j, err := first.Load(t.Context(), "team", hurt.ID)
		if err != nil || j.State != job.Failed || j.Err != "the job's record is damaged" {
			t.Fatalf("byte %d: %+v, %v; want it failed", i, j, err)
		}
		if _, err := first.Load(t.Context(), "rival", hurt.ID); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("byte %d: a foreign job: %v", i, err)
		}
		if open, err := first.Unfinished(t.Context()); err != nil || len(open) != 1 || open[0].ID != other.ID {
			t.Errorf("byte %d: %v, %v run; want the other", i, open, err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := openDisk(t, d).Load(t.Context(), "team", hurt.ID)
		if err != nil || !again.Ended.Equal(j.Ended) {
			t.Errorf("byte %d: opened again %+v, %v; want its end at %v", i, again, err, j.Ended)
		}
	}
	d := sound.Clone()
	flip(d, log, 20)
	flip(d, born, 20)
	if _, err := openDisk(t, d).Load(t.Context(), "team", hurt.ID); !errors.Is(err, job.ErrNotFound) || d.Bytes(log) == nil {
		t.Errorf("a job of which nothing is known: %v", err)
	}
}
