// SPDX-License-Identifier: Apache-2.0

package stored_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/service/stored"
	"example.com/curlew/job"
)

// list is a job whose items are all of one kind.
type list struct {
	items  []job.Item
	broken int // reading this item or a later one fails; zero means none
}

var errDisk = errors.New("disk on fire")

// Items implements [stored.Items].
func (l *list) Items(_ context.Context, _ job.ItemKind, from, limit int) ([]job.Item, error) {
	if l.broken > 0 && from+limit > l.broken {
		return nil, errDisk
	}
	from = min(from, len(l.items))
	return l.items[from:min(from+limit, len(l.items))], nil
}

// of returns a job with items of these data. An empty one is damaged.
func of(data ...string) *list {
	l := new(list)
	for _, d := range data {
		it := job.Item{Data: []byte(d)}
		if d == "" {
			it.Err = job.ErrCorrupt
		}
		l.items = append(l.items, it)
	}
	return l
}

// TestAll reads all items in chunks, and stops at an error and at the end of the loop.
func TestAll(t *testing.T) {
	l := of("1", "2", "", "4", "5")
	read := func(from, chunk, most int) (all []string) {
		for it, err := range stored.All(t.Context(), l, job.Result, from, chunk) {
			if all = append(all, fmt.Sprintf("%s%v", it.Data, err)); len(all) == most {
				break
			}
		}
		return all
	}
	for _, chunk := range []int{1, 2, 5, 6} {
		if got := strings.Join(read(1, chunk, 9), " "); got != "2<nil> <nil> 4<nil> 5<nil>" {
			t.Errorf("in chunks of %d: %s", chunk, got)
		}
	}
	if got := read(0, 2, 3); len(got) != 3 {
		t.Errorf("%q, want 3", got)
	}
	if got := read(9, 2, 9); got != nil {
		t.Errorf("%q behind the end", got)
	}
	l.broken = 4
	if got := read(0, 2, 9); len(got) != 5 || got[4] != errDisk.Error() {
		t.Errorf("%q, want 4 items and an error", got)
	}
}

// TestValues reads damaged items in their places, and stops at an error of the store.
func TestValues(t *testing.T) {
	l := of("1\x00record", "", "x", "4", "5")
	l.broken = 4
	var got []string
	for v, err := range stored.Values(stored.All(t.Context(), l, job.Result, 0, 1), stored.Read[int]) {
		switch {
		case err == nil:
			got = append(got, fmt.Sprint(*v))
		case errors.Is(err, job.ErrCorrupt), errors.Is(err, errDisk):
			got = append(got, err.Error())
		default:
			got = append(got, "no JSON")
		}
	}
	if want := []string{"1", job.ErrCorrupt.Error(), "no JSON", "4", errDisk.Error()}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDocuments checks the bounds, and the document in the place of a damaged one.
func TestDocuments(t *testing.T) {
	l := of(`"1"`+"\x00record", "", `"3"`)
	damaged := string(stored.Document(l.items[1]))
	for _, c := range []struct {
		from, limit, room int
		want              []string
	}{
		{0, 9, 1000, []string{`"1"`, damaged, `"3"`}},
		{0, 2, 1000, []string{`"1"`, damaged}},
		{0, 9, 4, []string{`"1"`}},
		{0, 9, 3 + len(damaged), []string{`"1"`, damaged}},
		{1, 9, 1, []string{damaged}},
		{3, 9, 1000, nil},
	} {
		docs, err := stored.Documents(t.Context(), l, c.from, c.limit, c.room)
		got := make([]string, len(docs))
		for i, doc := range docs {
			got[i] = string(doc)
		}
		if err != nil || docs == nil || !slices.Equal(got, c.want) {
			t.Errorf("from %d, limit %d, room %d: %q, %v, want %q", c.from, c.limit, c.room, got, err, c.want)
		}
	}
	l.broken = 1
	if docs, err := stored.Documents(t.Context(), l, 0, 9, 1000); !errors.Is(err, errDisk) {
		t.Errorf("%q, %v, want %v", docs, err, errDisk)
	}
}

// TestEvents counts damaged events, but does not return them.
func TestEvents(t *testing.T) {
	l := of(`{"seq":1}`, "", "x", `{"seq":4}`)
	events, read, err := stored.Events(t.Context(), l, 0)
	if err != nil || read != 4 || len(events) != 2 {
		t.Errorf("%+v, %d, %v", events, read, err)
	}
	if _, found, err := stored.Snapshot(t.Context(), l, 2); found || err != nil {
		t.Errorf("a damaged event is found: %t, %v", found, err)
	}
	if _, found, err := stored.Snapshot(t.Context(), l, events[1].Seq); !found || err != nil {
		t.Errorf("event %d is found: %t, %v", events[1].Seq, found, err)
	}
	l.broken = 1
	if _, _, err := stored.Snapshot(t.Context(), l, 1); !errors.Is(err, errDisk) {
		t.Errorf("%v, want %v", err, errDisk)
	}
}
