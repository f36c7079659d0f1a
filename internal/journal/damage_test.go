// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// tail is the length of the log's end that TestTorn damages: 4 KiB in a normal
// run, 64 KiB before a release.
var tail = flag.Int("tail", 4<<10, "bytes at the end of the log that TestTorn damages one by one")

// TestTorn truncates the log at every byte of its tail, and flips each byte.
// The log must open, only a tail may be lost, and no record may be wrong.
func TestTorn(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 20+*tail/150)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	records, ends := read2(t, fsys.Clone())
	check := func(what string, at int, b []byte) {
		t.Helper()
		fsys := fsys.Clone()
		fsys.Set(name, b)
		l, err := journal.Open(fsys, name)
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
		// A record that ends before the damage must not be lost.
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

// read2 returns the records in a log, and where the head of each ends.
func read2(t *testing.T, fsys *journaltest.FS) (records []record, ends []int64) {
	t.Helper()
	l, err := journal.Open(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	records = read(t, l)
	n := 0
	if err := l.Replay(func(pos int64, _ []byte) error {
		end := pos + 32 + int64(len(records[n].Head))
		if len(records[n].Blob) <= 1024 {
			end += int64(len(records[n].Blob))
		}
		ends = append(ends, end)
		n++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return records, ends
}

// TestDamage flips bytes far from the tail, which cannot be a torn write.
func TestDamage(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 0)
	big := bytes.Repeat([]byte("x"), 100_000)
	var at []int64
	for n := range 40 {
		pos, err := l.Append(fmt.Appendf(bytes.Repeat([]byte("h"), 4<<10), "head %d", n), big)
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
	for _, off := range []int64{0, 8, 16, 24, 28, 32} { // marker, lengths, reference, sums, head
		b := bytes.Clone(whole)
		b[at[3]+off] ^= 0x80
		fsys.Set(name, b)
		if _, err := journal.Open(&fsys, name); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a flip at %d of an early frame: %v", off, err)
		}
		// Near the end the log is truncated, and reports that a synced part was
		// lost.
		b = bytes.Clone(whole)
		b[at[38]+off] ^= 0x80
		fsys.Set(name, b)
		l, err := journal.Open(&fsys, name)
		if err != nil {
			t.Errorf("a flip at %d of a late frame: %v", off, err)
			continue
		}
		if n, synced := l.Cut(); n != int64(len(whole))-at[38] || !synced {
			t.Errorf("a flip at %d of a late frame cut %d bytes, synced %v", off, n, synced)
		}
		l.Close()
	}
	for _, b := range [][]byte{nil, []byte("CURLEWJ1"), make([]byte, 72), append([]byte("CURLEWJ2"), whole[8:72]...)} {
		fsys.Set(name, b)
		if _, err := journal.Open(&fsys, name); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a header %.8q: %v", b, err)
		}
	}
}

// TestDamagedBlob damages a blob in its segment. Only reading this blob must
// fail, and the log must continue.
func TestDamagedBlob(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 0)
	var at []int64
	for n := range 4 {
		pos, err := l.Append([]byte("head"), bytes.Repeat([]byte{byte('a' + n)}, 5000))
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
	whole := fsys.Bytes(name + ".1")
	for what, damage := range map[string]func(b []byte) []byte{
		"blob":       func(b []byte) []byte { b[bytes.Index(b, []byte("bbbb"))+100] ^= 1; return b },
		"front":      func(b []byte) []byte { b[bytes.Index(b, []byte("bbbb"))-10] ^= 1; return b },
		"last front": func(b []byte) []byte { b[bytes.Index(b, []byte("dddd"))-10] ^= 1; return b },
		"last blob":  func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"cut":        func(b []byte) []byte { return b[:len(b)-5000] },
		"gone":       func([]byte) []byte { return nil },
	} {
		fsys := fsys.Clone()
		fsys.Set(name+".1", damage(bytes.Clone(whole)))
		l, err := journal.Open(fsys, name)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		extra, err := l.Append([]byte("head"), bytes.Repeat([]byte("z"), 3000))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		bad := 0
		for n, pos := range append(at, extra) {
			blob, err := l.Blob(pos)
			switch {
			case errors.Is(err, journal.ErrCorrupt):
				bad++
			case err != nil || blob[0] != "abcdz"[n]:
				t.Errorf("%s: record %d: %.3q, %v", what, n, blob, err)
			}
		}
		if want := map[string]int{"gone": 4}[what]; bad != max(1, want) {
			t.Errorf("%s: %d blobs are damaged", what, bad)
		}
		l.Close()
	}
}

// TestOldVersion opens a log that an earlier version of the package has
// written.
func TestOldVersion(t *testing.T) {
	b := append([]byte("CURLEWJ1"), 2, 0, 0, 0)
	b = append(b, make([]byte, 48)...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	for _, rest := range []int{0, 4, 8, 100} {
		var fsys journaltest.FS
		fsys.Set(name, append(bytes.Clone(b), make([]byte, rest)...))
		if _, err := journal.Open(&fsys, name); !errors.Is(err, journal.ErrVersion) {
			t.Errorf("a log of version 2 with %d bytes: %v", rest, err)
		}
		if _, err := journal.OpenReader(&fsys, name); !errors.Is(err, journal.ErrVersion) {
			t.Errorf("a log of version 2 with %d bytes: %v", rest, err)
		}
	}
}

// TestDamageZeros has zeros where the search for a mark ends a step, so that
// what looks like the start of a frame ends with the file.
func TestDamageZeros(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 1)
	if _, err := l.Append([]byte("h"), make([]byte, 1<<10)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := fsys.Bytes(name)
	for _, cut := range []int{0, 1, 9, 10, 16, 25, 26, 27, 40} {
		b := bytes.Clone(whole[:len(whole)-cut])
		b[72+28] ^= 1 // checksum of the first frame
		fsys.Set(name, b)
		l, err := journal.Open(&fsys, name)
		if err == nil {
			l.Close()
		} else if !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%d bytes cut off: %v", cut, err)
		}
	}
}

// TestLongTorn truncates a head that is longer than the tail in which
// truncation is allowed.
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
	if n, synced := l.Cut(); n < 1<<20 || synced {
		t.Errorf("cut %d bytes, synced %v", n, synced)
	}
}
