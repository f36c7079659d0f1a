// SPDX-License-Identifier: Apache-2.0

package uuid_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/uuid"
)

func TestNewRises(t *testing.T) {
	const each = 2000
	var wg sync.WaitGroup
	lists := make([][]string, 4)
	for i := range lists {
		wg.Go(func() {
			for range each {
				lists[i] = append(lists[i], uuid.New())
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, list := range lists {
		if !slices.IsSorted(list) {
			t.Error("ids of one goroutine do not rise")
		}
		for _, id := range list {
			if !uuid.Valid(id) {
				t.Fatalf("New() = %q, which is no valid id", id)
			}
			if seen[id] {
				t.Fatalf("New() = %q twice", id)
			}
			seen[id] = true
		}
	}
}

// TestNewClockSetBack checks that ids increase although the clock of a synctest
// bubble does not advance and is years behind the clock of the process.
func TestNewClockSetBack(t *testing.T) {
	before := uuid.New()
	synctest.Test(t, func(t *testing.T) {
		for range 10_000 {
			id := uuid.New()
			if id <= before {
				t.Fatalf("%q follows %q", id, before)
			}
			before = id
		}
	})
}

func TestNewTime(t *testing.T) {
	id := uuid.New()
	var ms int64
	for _, c := range strings.ReplaceAll(id[:13], "-", "") {
		ms = ms<<4 | int64(strings.IndexRune("0123456789abcdef", c))
	}
	if off := time.Since(time.UnixMilli(ms)); off < -time.Minute || off > time.Minute {
		t.Errorf("the time in %q is %v off", id, off)
	}
}

func TestValid(t *testing.T) {
	for id, want := range map[string]bool{
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f": true, // RFC 9562, A.6
		"017F22E2-79B0-7CC3-98C4-DC0C0C07398F": false,
		"017f22e2-79b0-4cc3-98c4-dc0c0c07398f": false, // version 4
		"017f22e2-79b0-7cc3-c8c4-dc0c0c07398f": false, // another variant
		"017f22e279b07cc398c4dc0c0c07398f":     false,
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398":  false,
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398g": false,
		"017f22e2-79b0-7cc3-98c4_dc0c0c07398f": false,
		"../../../../../../../etc/passwd-----": false,
		"":                                     false,
	} {
		if got := uuid.Valid(id); got != want {
			t.Errorf("Valid(%q) = %v, want %v", id, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	f.Add("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	f.Fuzz(func(t *testing.T, id string) {
		if uuid.Valid(id) && (len(id) != 36 || strings.ContainsAny(id, "/\\.\x00") || id != strings.ToLower(id)) {
			t.Errorf("Valid(%q) = true", id)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		uuid.New()
	}
}

// TestTime reads the time of new ids, and of text that is not an id.
func TestTime(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	if at := uuid.Time(uuid.New()); at.Before(before) || at.After(time.Now().Add(time.Second)) {
		t.Errorf("made at %v, not after %v", at, before)
	}
	for _, id := range []string{"", "x", "f47ac10b-58cc-4372-a567-0e02b2c3d479", strings.ToUpper(uuid.New())} {
		if at := uuid.Time(id); !at.IsZero() {
			t.Errorf("%q: %v", id, at)
		}
	}
}
