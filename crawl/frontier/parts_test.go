// SPDX-License-Identifier: Apache-2.0

package frontier_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/test/cputest"
)

// TestTable compares the table with a map. Zero and one have the same
// fingerprint.
func TestTable(t *testing.T) {
	var table frontier.Table
	known := map[uint64]bool{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		f := r.Uint64()
		switch r.IntN(50) {
		case 0:
			f = r.Uint64N(3)
		case 1:
			f >>= 40 // all in one shard
		}
		if f == 0 {
			f = 1
		}
		if table.Has(f) != known[f] {
			t.Fatalf("Has(%d) = %v, want %v", f, table.Has(f), known[f])
		}
		table.Add(f)
		known[f] = true
	}
	if table.Len() != len(known) {
		t.Errorf("Len = %d, want %d", table.Len(), len(known))
	}
	if n := 8 * float64(table.Slots()) / float64(len(known)); n > 12 {
		t.Errorf("%.1f bytes a fingerprint, want at most 12", n)
	}
	table.Add(0)
	if !table.Has(0) || !table.Has(1) {
		t.Errorf("zero is not one")
	}
}

// TestDatedTable compares a table with numbers to a map. In one run the keys
// count upwards.
func TestDatedTable(t *testing.T) {
	for _, counting := range []bool{false, true} {
		table := frontier.NewDated()
		known := map[uint64]uint32{}
		r := rand.New(rand.NewPCG(7, 8))
		start := cputest.Used(t)
		for i := range uint32(100_000) {
			f := uint64(i)
			if !counting {
				f = r.Uint64() >> r.IntN(40)
			}
			f = max(f, 1)
			switch old, ok := table.Seq(f); {
			case ok != (known[f] != 0) || ok && old != uint64(known[f]):
				t.Fatalf("Seq(%d) = %d, %v; want %d", f, old, ok, known[f])
			case ok && r.IntN(2) == 0:
				table.Forget(f)
				delete(known, f)
				continue
			}
			table.Date(f, i+1)
			known[f] = i + 1
		}
		for f, want := range known {
			if got, ok := table.Seq(f); !ok || got != uint64(want) {
				t.Fatalf("Seq(%d) = %d, %v; want %d", f, got, ok, want)
			}
		}
		if d := cputest.Used(t) - start; d > 20*time.Second {
			t.Errorf("took %v", d)
		}
	}
}

// TestQueue checks that entries with the least depth come first, and those of
// one depth in order.
func TestQueue(t *testing.T) {
	var q frontier.Queue
	r := rand.New(rand.NewPCG(3, 4))
	waiting := map[int][]int64{}
	n := int64(0)
	for range 100_000 {
		if r.IntN(5) > 1 {
			depth := r.IntN(6)
			q.Push(depth, frontier.EntryOf(n))
			waiting[depth] = append(waiting[depth], n)
			n++
			continue
		}
		bound := r.IntN(6)
		e, ok := q.Pop(bound)
		want := int64(-1)
		for depth := 0; depth <= bound; depth++ {
			if w := waiting[depth]; len(w) > 0 {
				want, waiting[depth] = w[0], w[1:]
				break
			}
		}
		if ok != (want >= 0) || ok && e.N() != want {
			t.Fatalf("Pop(%d) = %d, %v; want %d", bound, e.N(), ok, want)
		}
	}
}

func TestAlarms(t *testing.T) {
	var a frontier.Alarms
	now := time.Now()
	for i, s := range []string{"c", "a", "b", "d", "a2"} {
		a.Set(now.Add(time.Duration([]int{3, 1, 2, 4, 1}[i])*time.Second), s)
	}
	if s, ok := a.Pop(now); ok {
		t.Errorf("%s is due early", s)
	}
	var got []string
	for {
		s, ok := a.Pop(now.Add(3 * time.Second))
		if !ok {
			break
		}
		got = append(got, s)
	}
	if !slices.Equal(got, []string{"a", "a2", "b", "c"}) {
		t.Errorf("due in the order %q", got)
	}
}

func TestBitset(t *testing.T) {
	var b frontier.Bitset
	for _, n := range []uint64{0, 63, 64, 1000} {
		b.Set(n)
		if !b.Has(n) || b.Has(n+1) {
			t.Errorf("after Set(%d): %v, %v", n, b.Has(n), b.Has(n+1))
		}
		b.Clear(n)
		if b.Has(n) {
			t.Errorf("Clear(%d) left it", n)
		}
	}
	b.Clear(math.MaxUint64)
	if b.Has(math.MaxUint64) {
		t.Errorf("the greatest number is in")
	}
}

func TestRecord(t *testing.T) {
	for _, n := range []int{0, 1, 200} {
		rec := frontier.NewRecord(n)
		head := rec.Encode()
		from, home, body, err := frontier.DecodeFrom(head)
		if err != nil || from != "http://a.test/ä" || body != 1<<62 {
			t.Errorf("named by %q, %v", from, err)
		}
		got, err := frontier.Decode(head)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, rec) {
			t.Errorf("%d links: decoded\n%+v, want\n%+v", n, got, rec)
		}
		for i, l := range rec.Links() {
			one, next, err := frontier.DecodeLink(head, l.Off(), home)
			skip, skipErr := frontier.SkipLink(head, l.Off())
			if one != l || err != nil || skipErr != nil || skip != next {
				t.Fatalf("link %d: %+v up to %d or %d, %v, %v", i, one, next, skip, err, skipErr)
			}
			if i+1 < n && int(next) != rec.Links()[i+1].Off() || i+1 == n && int(next) != len(head) {
				t.Fatalf("link %d ends at %d", i, next)
			}
		}
	}
}

// FuzzRecord checks that any bytes give ErrCorrupt or a record that encodes to
// bytes that decode to the same record.
func FuzzRecord(f *testing.F) {
	f.Add(frontier.NewRecord(3).Encode(), 40)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 9)
	f.Fuzz(func(t *testing.T, head []byte, off int) {
		rec, err := frontier.Decode(head)
		if err != nil {
			if !errors.Is(err, frontier.ErrCorrupt) {
				t.Fatal(err)
			}
		} else if again, err := frontier.Decode(rec.Encode()); err != nil || len(again.Links()) != len(rec.Links()) {
			t.Fatalf("%+v does not survive: %v", rec, err)
		}
		off = min(max(off, 0), len(head))
		_, home, _, err := frontier.DecodeFrom(head)
		if err != nil && !errors.Is(err, frontier.ErrCorrupt) {
			t.Fatal(err)
		}
		_, next, err := frontier.DecodeLink(head, off, home)
		if err != nil && !errors.Is(err, frontier.ErrCorrupt) {
			t.Fatal(err)
		}
		if skip, skipErr := frontier.SkipLink(head, off); err == nil && (skip != next || skipErr != nil) {
			t.Fatalf("the next link is at %d or %d, %v", next, skip, skipErr)
		}
	})
}

func TestMemoryLog(t *testing.T) {
	var log frontier.MemoryLog
	r := rand.New(rand.NewPCG(5, 6))
	var heads [][]byte
	var at []int64
	for i := range 500 {
		head := make([]byte, 1+r.IntN(20_000))
		if i == 250 {
			head = make([]byte, 1<<20)
		}
		head[0] = byte(i)
		pos, err := log.Append(head, []byte("payload"))
		if err != nil || len(at) > 0 && pos <= at[len(at)-1] {
			t.Fatalf("Append: %d, %v", pos, err)
		}
		log.Hold(pos, 2)
		log.Hold(pos, -1)
		heads, at = append(heads, head), append(at, pos)
	}
	for i, pos := range at {
		got, err := log.Head(pos)
		if err != nil || len(got) != len(heads[i]) || got[0] != heads[i][0] {
			t.Fatalf("Head(%d): %d bytes, %v", pos, len(got), err)
		}
	}
	for _, pos := range at[:400] {
		log.Hold(pos, -1)
	}
	for i, pos := range at {
		if got, err := log.Head(pos); err == nil && got[0] != heads[i][0] || err != nil && (i >= 400 || !errors.Is(err, frontier.ErrCorrupt)) {
			t.Fatalf("Head(%d): %d bytes, %v", pos, len(got), err)
		}
	}
	for _, pos := range []int64{-1, at[0], at[250], 1 << 40} { // the first heads have been dropped
		if _, err := log.Head(pos); !errors.Is(err, frontier.ErrCorrupt) {
			t.Errorf("Head(%d): %v", pos, err)
		}
	}
}
