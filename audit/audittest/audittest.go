// SPDX-License-Identifier: Apache-2.0

// Package audittest tests implementations of audit.Sink.
package audittest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/audit"
)

// prompt is the time in which a sink must return after its ctx has ended.
const prompt = 5 * time.Second

// Check tests that the sinks that open returns fulfill the contract of
// [audit.Sink]. Each subtest calls open once, and open closes the sink by
// t.Cleanup. received returns the lines or messages that have arrived so far,
// in order. Each must contain the ScrapeID of its event. received may wait for
// writes in progress.
func Check(t *testing.T, open func(t *testing.T) (s audit.Sink, received func() []string)) {
	t.Helper()
	t.Run("order", func(t *testing.T) {
		s, received := open(t)
		var want []string
		for range 5 {
			var events []audit.Event
			for range 20 {
				id := fmt.Sprintf("id-%04d.", len(want))
				want = append(want, id)
				events = append(events, Event(id))
			}
			write(t, s, events)
		}
		compare(t, received(), want)
	})
	t.Run("nothing", func(t *testing.T) {
		s, received := open(t)
		write(t, s, nil)
		write(t, s, []audit.Event{})
		compare(t, received(), nil)
	})
	t.Run("keeps nothing", func(t *testing.T) { checkAlias(t, open) })
	t.Run("hostile", func(t *testing.T) {
		s, received := open(t)
		var events []audit.Event
		var want []string
		for i, text := range Hostile {
			e := Event(fmt.Sprintf("id-%04d.", i))
			e.URL, e.Username, e.Domain, e.Origin, e.Endpoint, e.TeamID, e.HTTPMethod = text, text, text, text, text, text, text
			e.Error = &audit.Fault{Code: text, Message: text}
			e.Threat = &audit.Threat{Rule: text, Provider: text, Categories: []string{text}}
			e.Network = &audit.Network{Address: text, Reason: text}
			events, want = append(events, e), append(want, e.ScrapeID)
		}
		write(t, s, events)
		compare(t, received(), want)
	})
	t.Run("concurrent", func(t *testing.T) { checkConcurrent(t, open) })
	t.Run("ctx", func(t *testing.T) {
		s, _ := open(t)
		why := errors.New("ended before")
		ctx, stop := context.WithCancelCause(t.Context())
		stop(why)
		start := time.Now()
		err := s.Write(ctx, []audit.Event{Event("id-late.")})
		if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended ctx: %v, want its error", err)
		}
		if took := time.Since(start); took > prompt {
			t.Errorf("with an ended ctx it took %v", took)
		}
		write(t, s, []audit.Event{Event("id-next.")}) // the sink can still be used
	})
}

// Hostile contains texts that could split a line or inject fields into it.
var Hostile = []string{
	"", "\n", "\r\n", "a\nb\rc\td", "\x00\x1b[31m\x7f", "\u0085\u2028\u2029\u202e", "\xff\xfe\xc0\x80",
	`"`, `\`, `]`, `|`, `=`, `\n`, `\"]|=`, "{}", `","x":"`, "<110>1 - - - - - -", "CEF:0|a|b|c|d|e|9|act=allowed",
	strings.Repeat("é", 20_000), "https://user:secret@a.test/x#y", "https://a.test/\n<110>1", "𝒳\ufeff\ufffd",
}

// Event returns an event with the given id.
func Event(id string) audit.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return audit.Event{
		ScrapeID: id, RequestID: "request", Endpoint: "scrape", TeamID: "team", Key: audit.Key{ID: "key", Name: "name"},
		Started: at, Completed: at.Add(time.Second), URL: "https://a.test/", Domain: "a.test", HTTPMethod: "GET", HTTPStatus: 200,
		Threat: &audit.Threat{Allowed: true, Rule: "default-allow", Provider: "p", Categories: []string{"c"}},
	}
}

func write(t *testing.T, s audit.Sink, events []audit.Event) {
	t.Helper()
	if err := s.Write(t.Context(), events); err != nil {
		t.Errorf("Write: %v", err)
	}
}

// compare checks that got contains the given ids in order.
func compare(t *testing.T, got, ids []string) {
	t.Helper()
	if len(got) != len(ids) {
		t.Errorf("%d lines have arrived, want %d", len(got), len(ids))
		return
	}
	for i, line := range got {
		if !strings.Contains(line, ids[i]) || strings.ContainsAny(line, "\r\n") {
			t.Errorf("line %d is not one line of event %s: %q", i, ids[i], line)
		}
	}
}

// checkAlias changes events after they were written. What was written must not
// change.
func checkAlias(t *testing.T, open func(t *testing.T) (audit.Sink, func() []string)) {
	s, received := open(t)
	first := Event("id-first.")
	first.Threat.Categories = []string{"\x01category"} // is replaced in the output
	events := []audit.Event{first, Event("id-second.")}
	before := reflect.ValueOf(events[0]).Interface()
	write(t, s, events)
	if !reflect.DeepEqual(events[0], before) || events[0].Threat.Categories[0] != "\x01category" {
		t.Error("Write has changed its events")
	}
	events[0] = Event("id-changed.")
	first.Threat.Categories[0], first.Threat.Rule = "changed", "changed"
	for _, line := range received() {
		if strings.Contains(line, "changed") {
			t.Errorf("a line has what came after its Write: %q", line)
		}
	}
}

// checkConcurrent writes from several goroutines. No event may be lost, and the
// events of each goroutine must stay in order.
func checkConcurrent(t *testing.T, open func(t *testing.T) (audit.Sink, func() []string)) {
	const sides, times, size = 8, 10, 3
	s, received := open(t)
	var wg sync.WaitGroup
	for side := range sides {
		wg.Go(func() {
			for i := range times {
				var events []audit.Event
				for j := range size {
					events = append(events, Event(fmt.Sprintf("id-%d-%02d.", side, i*size+j)))
				}
				write(t, s, events)
			}
		})
	}
	wg.Wait()
	lines := received()
	if len(lines) != sides*times*size {
		t.Errorf("%d lines have arrived, want %d", len(lines), sides*times*size)
	}
	next := make([]int, sides)
	for _, line := range lines {
		for side := range sides {
			if strings.Contains(line, fmt.Sprintf("id-%d-", side)) {
				if !strings.Contains(line, fmt.Sprintf("id-%d-%02d.", side, next[side])) {
					t.Errorf("line %q is out of order", line)
				}
				next[side]++
			}
		}
	}
}
