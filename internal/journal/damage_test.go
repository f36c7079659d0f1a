// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/journal/journaltest"
)

// tail is how much of the log's end TestTorn damages: 4 KiB in a plain run,
// 64 KiB before a release.
var tail = flag.Int("tail", 4<<10, "bytes at the end of the log that TestTorn damages one by one")

// TestTorn cuts the log at every byte of its tail, and flips each: it opens,
// what is lost is a tail, and no record is wrong.
func TestTorn(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 20+*tail/150)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	records, ends := read2(t, whole)
	check := func(what string, at int, b []byte) {
		t.Helper()
		var fsys journaltest.FS
		fsys.Set(name, b)
		l, err := journal.Open(&fsys, name)
		if err != nil {
			t.Errorf("%s at %d: %v", what, at, err)
			return
		}
		defer l.Close()
		var got int
		err = l.Replay(func(pos int64, head []byte) error {
			blob, err := l.Blob(pos)
			r := record{string(head), string(blob)}
			switch {
			case err == nil && r != records[got]:
				return fmt.Errorf("record %d is %q, want %q", got, r, records[got])
			case err != nil && !errors.Is(err, journal.ErrCorrupt):
				return err
			}
			got++
			return nil
		})
		if err != nil {
			t.Errorf("%s at %d: %v", what, at, err)
		}
		// A record that ends before the damage is not lost.
		if before, _ := slices.BinarySearch(ends, int64(at)+1); got < before {
			t.Errorf("%s at %d: %d records left, want at least %d", what, at, got, before)
		}
	}
	for at := len(whole) - *tail; at < len(whole); at++ {
		check("cut", at, whole[:at])
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		check("flip", at, flipped)
	}
}

// read2 returns the records that a log of these bytes holds, and where each
// ends.
func read2(t *testing.T, b []byte) (records []record, ends []int64) {
	t.Helper()
	var fsys journaltest.FS
	fsys.Set(name, b)
	l, err := journal.Open(&fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	records = read(t, l)
	n := 0
	if err := l.Replay(func(pos int64, _ []byte) error {
		ends = append(ends, pos+16+int64(len(records[n].Head)+len(records[n].Blob)))
		n++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return records, ends
}

// TestDamage flips bytes far from the tail: that is no torn write.
func TestDamage(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 0)
	big := bytes.Repeat([]byte("x"), 100_000)
	var at []int64
	for n := range 40 {
		pos, err := l.Append(fmt.Appendf(nil, "head %d", n), big)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, pos)
		if err := l.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	for _, off := range []int64{0, 4, 8, 16} { // lengths, sum, head
		b := bytes.Clone(whole)
		b[at[3]+off] ^= 0x80
		fsys.Set(name, b)
		if _, err := journal.Open(&fsys, name); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a flip at %d of an early frame: %v", off, err)
		}
	}
	b := bytes.Clone(whole)
	b[at[3]+1000] ^= 1 // in its blob
	fsys.Set(name, b)
	l, err := journal.Open(&fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Blob(at[3]); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("the damaged blob: %v", err)
	}
	if _, err := l.Blob(at[4]); err != nil {
		t.Errorf("the blob behind it: %v", err)
	}
	for _, b := range [][]byte{nil, []byte("CURLEWJ1"), bytes.Repeat([]byte{0}, 64), append([]byte("CURLEWJ2"), whole[8:64]...)} {
		fsys.Set(name, b)
		if _, err := journal.Open(&fsys, name); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a header %.8q: %v", b, err)
		}
	}
}

// TestDamageZeros has zeros where the search for a mark ends a step: what looks
// like the begin of a frame ends with the file.
func TestDamageZeros(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 1)
	if _, err := l.Append([]byte("h"), make([]byte, 3<<19)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	for _, cut := range []int{0, 1, 9, 10, 16, 25, 26, 27, 40} {
		b := bytes.Clone(whole[:len(whole)-cut])
		b[64+8] ^= 1 // the first frame's sum
		fsys.Set(name, b)
		l, err := journal.Open(&fsys, name)
		if err == nil {
			l.Close()
		} else if !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%d bytes cut off: %v", cut, err)
		}
	}
}

// TestLongTorn tears a head longer than the tail that may be torn.
func TestLongTorn(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 10)
	if _, err := l.Append(bytes.Repeat([]byte("h"), 3<<20), nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b := fsys.Bytes(name)
	fsys.Set(name, b[:len(b)-(1<<20)])
	l, err := journal.Open(&fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if diff := cmp.Diff(want(10), read(t, l)); diff != "" {
		t.Error(diff)
	}
	if l.Cut() < 1<<20 {
		t.Errorf("cut %d bytes", l.Cut())
	}
}
