// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
)

// TestRecentSink checks that Recent is a sink like the others.
func TestRecentSink(t *testing.T) {
	audittest.Check(t, func(t *testing.T) (audit.Sink, func() []string) {
		r := &audit.Recent{Most: 100_000}
		return r, func() []string {
			var ids []string
			for _, team := range r.TeamIDs() {
				events, err := r.Recent(t.Context(), team, time.Time{})
				if err != nil {
					t.Error(err)
				}
				for _, e := range slices.Backward(events) {
					ids = append(ids, e.ScrapeID)
				}
			}
			slices.Sort(ids) // the order is kept within a team only
			return ids
		}
	})
}

// TestRecent checks which events are kept: the latest of each team, and those of the teams
// that have written last.
func TestRecent(t *testing.T) {
	r := &audit.Recent{Most: 3, Teams: 2}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	send := func(team string, n int) {
		t.Helper()
		e := audit.Event{TeamID: team, RequestID: fmt.Sprint(n), URL: "http://a.test/", Started: at.Add(time.Duration(n) * time.Hour), ZeroRetention: n == 9}
		if err := audit.Send(t.Context(), r, e); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(team string, since int) string {
		t.Helper()
		events, err := r.Recent(t.Context(), team, at.Add(time.Duration(since)*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range events {
			b.WriteString(e.RequestID + " ")
			if (e.URL == "") != e.ZeroRetention {
				t.Errorf("event %s has the URL %q", e.RequestID, e.URL)
			}
		}
		return strings.TrimSpace(b.String())
	}
	for i := range 3 {
		send("us", i)
	}
	if got := ids("us", 1); got != "2 1" {
		t.Errorf("since 1: %q", got)
	}
	send("us", 3)
	send("us", 9)
	if got := ids("us", 0); got != "9 3 2" {
		t.Errorf("a full ring: %q", got)
	}
	send("them", 4)
	send("us", 5)
	send("others", 6)
	if got := ids("them", 0); got != "" {
		t.Errorf("a forgotten team: %q", got)
	}
	if got := ids("us", 0) + "; " + ids("others", 0) + "; " + ids("nobody", 0); got != "5 9 3; 6; " {
		t.Errorf("%q", got)
	}
}

// TestRecentNext checks that events are passed on, and that only a sink that wants the URLs
// of zero data retention gets them.
func TestRecentNext(t *testing.T) {
	e := audit.Event{TeamID: "us", URL: "http://a.test/", Domain: "a.test", ZeroRetention: true}
	for _, keeps := range []bool{false, true} {
		next := new(lastEvent)
		r := &audit.Recent{Next: next}
		if keeps {
			r.Next = audit.Full{Sink: next}
		}
		if err := audit.Send(t.Context(), r, e); err != nil {
			t.Fatal(err)
		}
		if (next.URL != "") != keeps {
			t.Errorf("keeps %v: passed on %q", keeps, next.URL)
		}
		kept, err := r.Recent(t.Context(), "us", time.Time{})
		if err != nil || len(kept) != 1 || kept[0].URL != "" {
			t.Errorf("kept %+v, %v", kept, err)
		}
	}
	r := &audit.Recent{Next: failing{}}
	if err := audit.Send(t.Context(), r, e); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("%v", err)
	}
	if kept, _ := r.Recent(t.Context(), "us", time.Time{}); kept != nil {
		t.Error("an event that was not accepted is listed")
	}
}

// lastEvent is a sink that keeps the last event.
type lastEvent struct{ audit.Event }

func (l *lastEvent) Write(_ context.Context, events []audit.Event) error {
	l.Event = events[len(events)-1]
	return nil
}

// failing is a sink that accepts nothing.
type failing struct{}

func (failing) Write(context.Context, []audit.Event) error { return audit.ErrClosed }
