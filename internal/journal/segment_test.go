// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// TestSegments fills many segments, with restarts and power failures.
func TestSegments(t *testing.T) {
	var fsys journaltest.FS
	l := create(t, &fsys, 0)
	r := rand.New(rand.NewPCG(7, 7))
	for n := 0; n < 300; {
		l.SetSegment(4000)
		for range 30 {
			rec := made(n)
			pos, err := l.Append([]byte(rec.Head), []byte(rec.Blob))
			if err != nil {
				t.Fatal(err)
			}
			if blob, err := l.Blob(pos); err != nil || string(blob) != rec.Blob {
				t.Fatalf("record %d: %.9q, %v", n, blob, err)
			}
			n++
			if r.IntN(9) == 0 {
				if err := l.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if r.IntN(2) == 0 {
			fsys.Cut(r)
		}
		l.Close()
		var err error
		if l, err = journal.Open(&fsys, name); err != nil {
			t.Fatal(err)
		}
		got := read(t, l)
		if diff := cmp.Diff(want(len(got)), got); diff != "" {
			t.Fatal(diff)
		}
		n = len(got)
	}
	defer l.Close()
	if len(fsys.Bytes(name+".10")) == 0 {
		t.Error("fewer than ten segments")
	}
	for n := 1; ; n++ {
		b := fsys.Bytes(fmt.Sprint(name, ".", n))
		if b == nil {
			break
		}
		if len(b) > 4000 {
			t.Errorf("segment %d has %d bytes", n, len(b))
		}
	}
	if bytes.Contains(fsys.Bytes(name), []byte(made(3).Blob)) {
		t.Error("a blob stands in the file of heads")
	}
}
