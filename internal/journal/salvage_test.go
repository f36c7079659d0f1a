// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// salvaged is a record that Salvage returns.
type salvaged struct {
	pos  int64
	head string
	tag  bool // head is a tag
	blob string
	bad  bool // the blob is damaged
}

func salvage(t *testing.T, fsys journal.FS) (list []salvaged, err error) {
	t.Helper()
	r, err := journal.Salvage(fsys, name, func(pos int64, head []byte, whole bool) error {
		list = append(list, salvaged{pos: pos, head: string(head), tag: !whole})
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for i := range list {
		blob, err := r.Blob(list[i].pos)
		if err != nil && !errors.Is(err, journal.ErrCorrupt) {
			t.Fatal(err)
		}
		list[i].blob, list[i].bad = string(blob), err != nil
		if again, err := r.Head(list[i].pos); err != nil || string(again) != list[i].head {
			t.Errorf("head at %d: %q, %v; want %q", list[i].pos, again, err, list[i].head)
		}
	}
	return list, nil
}

// TestSalvage damages 512 bytes at every possible place of both files.
// Everything that is intact must be found in order, and nothing may be wrong.
func TestSalvage(t *testing.T) {
	var sound journaltest.FS
	l := create(t, &sound, 0)
	const records = 60
	tag := func(n int) string { return fmt.Sprintf("\x20tag %d ", n) }
	blobs := map[string]string{}
	for n := range records {
		r := made(n)
		if n%2 == 0 { // the blob contains a copy of a frame of this log
			r.Blob += string(sound.Bytes(name)[72:])
		}
		blobs[tag(n)] = r.Blob
		if _, err := l.AppendTagged([]byte(tag(n)+r.Head), len(tag(n)), []byte(r.Blob)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := salvage(t, &sound)
	if err != nil || len(whole) != records {
		t.Fatalf("%d records of a sound log, %v", len(whole), err)
	}
	for _, file := range []string{name, name + ".1"} {
		size := len(sound.Bytes(file))
		for at := 0; at < size; at += 397 {
			fsys := sound.Clone()
			b := bytes.Clone(sound.Bytes(file))
			for i := at; i < min(at+512, size); i++ {
				b[i] = byte(i * 7)
			}
			fsys.Set(file, b)
			list, err := salvage(t, fsys)
			if err != nil {
				t.Fatalf("%s damaged at %d: %v", file, at, err)
			}
			if !slices.IsSortedFunc(list, func(a, b salvaged) int { return int(a.pos - b.pos) }) {
				t.Errorf("%s damaged at %d: not in their order", file, at)
			}
			for _, got := range list {
				var n int
				if _, err := fmt.Sscanf(got.head, "\x20tag %d ", &n); err != nil {
					t.Fatalf("%s damaged at %d: a head %q", file, at, got.head)
				}
				if !got.bad && got.blob != blobs[tag(n)] {
					t.Errorf("%s damaged at %d: record %d has a wrong blob", file, at, n)
				}
				if got.tag && got.head != tag(n) {
					t.Errorf("%s damaged at %d: the tag %q", file, at, got.head)
				}
			}
			// Only one file is damaged. If it is the log, all blobs in the
			// segment must be found; if it is the segment, all heads.
			found := map[string]bool{}
			for _, got := range list {
				found[got.head[:len("\x20tag 0")]] = true
			}
			for n, w := range whole {
				if stored := len(w.blob) > 1024; (file != name || stored) && !slices.ContainsFunc(list, func(s salvaged) bool { return s.pos == w.pos }) {
					t.Errorf("%s damaged at %d: record %d is lost", file, at, n)
				}
			}
		}
	}
}

// TestSalvageNothing salvages files from which the log cannot be identified.
func TestSalvageNothing(t *testing.T) {
	for _, b := range [][]byte{nil, make([]byte, 5000), bytes.Repeat([]byte("CURLEWJ1"), 500)} {
		var fsys journaltest.FS
		fsys.Set(name, b)
		if _, err := salvage(t, &fsys); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%.10q: %v", b, err)
		}
	}
}

// FuzzSalvage salvages arbitrary bytes. It must return an error, or records
// with correct checksums.
func FuzzSalvage(f *testing.F) {
	var fsys journaltest.FS
	l, err := journal.Create(&fsys, name, header)
	if err != nil {
		f.Fatal(err)
	}
	for n := range 8 {
		l.AppendTagged([]byte(made(n).Head), 3, []byte(made(n).Blob))
	}
	l.Close()
	heads, blobs := fsys.Bytes(name), fsys.Bytes(name+".1")
	f.Add(heads, blobs)
	f.Add(heads[:100], blobs)
	f.Add(heads[72:], blobs[:len(blobs)-9])
	f.Fuzz(func(t *testing.T, heads, blobs []byte) {
		var fsys journaltest.FS
		fsys.Set(name, heads)
		fsys.Set(name+".1", blobs)
		list, err := salvage(t, &fsys)
		if err != nil && !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrVersion) {
			t.Error(err)
		}
		for _, r := range list {
			if r.head == "" {
				t.Error("an empty head")
			}
		}
	})
}
