// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
	"example.com/curlew/internal/test/golden"
)

// fakeSink stores the events that it gets. It can return errors.
type fakeSink struct {
	answer func(ctx context.Context, events []audit.Event) error

	mu     sync.Mutex
	events []audit.Event // guarded by mu
	writes int           // guarded by mu
}

func (f *fakeSink) Write(ctx context.Context, events []audit.Event) error {
	f.mu.Lock()
	f.writes++
	f.mu.Unlock()
	if f.answer != nil {
		if err := f.answer(ctx, events); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, events...)
	return nil
}

// text returns the ids of the events so far, and "gap:n" for a report of n
// dropped events.
func (f *fakeSink) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, e := range f.events {
		if e.Action == audit.EventsDropped {
			ids = append(ids, fmt.Sprintf("gap:%d", e.Dropped))
		} else {
			ids = append(ids, e.ScrapeID)
		}
	}
	return strings.Join(ids, " ")
}

func (f *fakeSink) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for i := range f.events {
		lines = append(lines, string(audit.Encoder{}.Append(nil, &f.events[i])))
	}
	return lines
}

// TestSend checks that only a sink that asks for it gets the fields that zero
// data retention forbids.
func TestSend(t *testing.T) {
	zero := events()["network"]
	zero.ZeroRetention = true
	for name, full := range map[string]bool{"plain": false, "full": true} {
		for _, queued := range []bool{false, true} {
			f := new(fakeSink)
			var s audit.Sink = f
			if full {
				s = audit.Full{Sink: f}
			}
			if queued {
				q := &audit.Queue{Sink: s}
				if err := audit.Send(t.Context(), q, events()["network"], zero); err != nil {
					t.Fatal(err)
				}
				if err := q.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else if err := audit.Send(t.Context(), s, events()["network"], zero); err != nil {
				t.Fatal(err)
			}
			if len(f.events) != 2 || f.events[0].URL == "" || f.events[0].Network == nil {
				t.Fatalf("%s, queued %v: %+v", name, queued, f.events)
			}
			if e := f.events[1]; (e.URL != "") != full || (e.Domain != "") != full || (e.Network != nil) != full {
				t.Errorf("%s, queued %v: %+v", name, queued, e)
			}
		}
	}
	if zero.URL == "" {
		t.Error("the event itself has changed")
	}
	if err := audit.Send(t.Context(), nil, zero); err != nil {
		t.Errorf("no sink: %v", err)
	}
}

func TestLog(t *testing.T) {
	audittest.Check(t, func(*testing.T) (audit.Sink, func() []string) {
		var b lockedBuffer
		return &audit.Log{Logger: slog.New(slog.NewJSONHandler(&b, nil))}, b.lines
	})
	var b bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	all := events()
	for _, name := range []string{"success", "blocked", "network", "zero", "created", "gap", "empty"} {
		if err := (&audit.Log{Logger: logger}).Write(t.Context(), []audit.Event{all[name]}); err != nil {
			t.Error(err)
		}
	}
	golden.Check(t, "testdata/log.golden", b.Bytes())
	if err := new(audit.Log).Write(t.Context(), []audit.Event{all["empty"]}); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer // guarded by mu
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lines(l.b.String())
}

// lines splits a text that consists of complete lines.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func TestHTTP(t *testing.T) {
	audittest.Check(t, func(t *testing.T) (audit.Sink, func() []string) {
		var b lockedBuffer
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			_, _ = b.Write(text)
			if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/x-ndjson" {
				t.Errorf("header %v", r.Header)
			}
			w.WriteHeader(http.StatusAccepted)
		}))
		h := &audit.HTTP{URL: server.URL + "/in?x", Header: http.Header{"authorization": {"Bearer secret"}}}
		t.Cleanup(func() {
			_ = h.Close()
			server.Close()
		})
		return h, b.lines
	})
}

func TestHTTPStatus(t *testing.T) {
	for code, want := range map[int]struct{ failed, refused bool }{
		200: {false, false}, 204: {false, false}, 302: {true, true}, 400: {true, true}, 401: {true, true}, 404: {true, true},
		408: {true, false}, 413: {true, true}, 429: {true, false}, 500: {true, false}, 503: {true, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(code)
		}))
		h := &audit.HTTP{URL: server.URL + "/secret?secret", Header: http.Header{"Authorization": {"secret"}}}
		err := h.Write(t.Context(), []audit.Event{audittest.Event("id")})
		if (err != nil) != want.failed || errors.Is(err, audit.ErrRefused) != want.refused || want.failed && !errors.Is(err, audit.ErrStatus) {
			t.Errorf("%d: %v, want an error %v, for good %v", code, err, want.failed, want.refused)
		}
		_ = h.Close()
		server.Close()
		if err = h.Write(t.Context(), []audit.Event{audittest.Event("id")}); err == nil || errors.Is(err, audit.ErrRefused) || strings.Contains(err.Error(), "secret") {
			t.Errorf("nobody listens: %v", err)
		}
		_ = h.Close()
	}
	for _, url := range []string{"", "x", "ftp://a.test/secret", "http://[secret/"} {
		h := &audit.HTTP{URL: url}
		if err := h.Write(t.Context(), []audit.Event{audittest.Event("id")}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("URL %q: %v", url, err)
		}
	}
}

func id(n int) audit.Event { return audittest.Event(fmt.Sprint(n)) }

func TestQueue(t *testing.T) {
	for _, overflow := range []audit.Overflow{audit.Drop, audit.Block} {
		audittest.Check(t, func(t *testing.T) (audit.Sink, func() []string) {
			f := new(fakeSink)
			q := &audit.Queue{Sink: f, Overflow: overflow}
			t.Cleanup(func() { _ = q.Close(context.WithoutCancel(t.Context())) })
			return q, func() []string {
				if err := q.Close(t.Context()); err != nil {
					t.Error(err)
				}
				return f.lines()
			}
		})
	}
}

// TestQueueDrop checks that a full queue reports the number of dropped events
// at the position where they are missing.
func TestQueueDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		f := &fakeSink{answer: func(context.Context, []audit.Event) error { <-open; return nil }}
		q := &audit.Queue{Sink: f, Size: 3}
		send := func(n int) {
			if err := q.Write(t.Context(), []audit.Event{id(n)}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		start := time.Now()
		for n := range 4 { // one is at the sink, three are queued
			send(n)
		}
		time.Sleep(time.Second)
		send(4)
		time.Sleep(time.Second)
		send(5)
		open <- struct{}{} // the first event is written; then the sink gets the rest and the report
		synctest.Wait()
		send(6)
		close(open)
		synctest.Wait()
		send(7)
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got, want := f.text(), "0 1 2 3 gap:2 6 7"; got != want {
			t.Errorf("the sink got %q, want %q", got, want)
		}
		gap := f.events[4]
		if gap.Type != audit.AdminActivity || !gap.Started.Equal(start.Add(time.Second)) || !gap.Completed.Equal(start.Add(2*time.Second)) {
			t.Errorf("gap %+v", gap)
		}
	})
}

// TestQueueDropLast checks that dropped events are reported even if no event
// follows.
func TestQueueDropLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		f := &fakeSink{answer: func(context.Context, []audit.Event) error { <-open; return nil }}
		q := &audit.Queue{Sink: f, Size: 1}
		for n := range 5 {
			_ = q.Write(t.Context(), []audit.Event{id(n)})
			synctest.Wait()
		}
		close(open)
		synctest.Wait()
		if got, want := f.text(), "0 1 gap:3"; got != want {
			t.Errorf("the sink got %q, want %q", got, want)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestQueueBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSink{answer: func(context.Context, []audit.Event) error { time.Sleep(time.Second); return nil }}
		q := &audit.Queue{Sink: f, Size: 1, Overflow: audit.Block}
		start := time.Now()
		var want []string
		for n := range 5 {
			if err := q.Write(t.Context(), []audit.Event{id(n)}); err != nil {
				t.Error(err)
			}
			want = append(want, fmt.Sprint(n))
			if n == 0 {
				synctest.Wait() // the sink is busy with this event, and does not take the next ones with it
			}
		}
		if time.Since(start) < time.Second {
			t.Error("nobody waited for room")
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		err := q.Write(ctx, []audit.Event{id(5), id(6), id(7)})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("full until ctx ends: %v", err)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := f.text(); !strings.HasPrefix(got, strings.Join(want, " ")) || strings.Contains(got, "7") {
			t.Errorf("the sink got %q", got)
		}
		if err := q.Write(t.Context(), []audit.Event{id(8)}); !errors.Is(err, audit.ErrClosed) {
			t.Errorf("after Close: %v, want ErrClosed", err)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

// TestQueueCloseBlocked checks that Close wakes a Write that waits for room.
func TestQueueCloseBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSink{answer: func(ctx context.Context, _ []audit.Event) error { <-ctx.Done(); return ctx.Err() }}
		q := &audit.Queue{Sink: f, Size: 1, Overflow: audit.Block}
		left := make(chan error)
		// More events than a batch and the queue can hold together.
		events := make([]audit.Event, 10_000)
		go func() { left <- q.Write(t.Context(), events) }()
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		go func() {
			if err := <-left; !errors.Is(err, audit.ErrClosed) {
				t.Errorf("the writer got %v, want ErrClosed", err)
			}
		}()
		if err := q.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(fmt.Sprint(err), "events are lost") {
			t.Errorf("Close: %v, want the deadline, and how many are lost", err)
		}
	})
}

// TestQueueRetry checks that failed events are written again in order until
// they are accepted.
func TestQueueRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		f := &fakeSink{answer: func(context.Context, []audit.Event) error {
			at = append(at, time.Since(start))
			if len(at) < 8 {
				return errors.New("down")
			}
			return nil
		}}
		q := &audit.Queue{Sink: f}
		for n := range 3 {
			_ = q.Write(t.Context(), []audit.Event{id(n)})
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := f.text(); got != "0 1 2" {
			t.Errorf("the sink got %q", got)
		}
		want := []time.Duration{0, 1, 3, 7, 15, 31, 61, 91}
		for i, w := range want {
			if at[i] != w*time.Second {
				t.Errorf("try %d after %v, want %v", i, at[i], w*time.Second)
			}
		}
	})
}

// TestQueueRefused checks that events that a sink refuses, or at which it
// panics, are reported as dropped, and that the queue continues.
func TestQueueRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeSink{answer: func(_ context.Context, events []audit.Event) error {
			for _, e := range events {
				switch e.ScrapeID {
				case "1":
					return fmt.Errorf("no: %w", audit.ErrRefused)
				case "2": // together with the report before it
					panic("no")
				}
			}
			return nil
		}}
		q := &audit.Queue{Sink: f}
		for n := range 4 {
			_ = q.Write(t.Context(), []audit.Event{id(n)})
			synctest.Wait()
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got, want := f.text(), "0 gap:2 3"; got != want {
			t.Errorf("the sink got %q, want %q", got, want)
		}
	})
}

func TestQueueZero(t *testing.T) {
	q := new(audit.Queue)
	if err := q.Write(t.Context(), []audit.Event{id(0)}); err == nil {
		t.Error("a queue without a sink takes events")
	}
	if err := q.Close(t.Context()); err != nil {
		t.Error(err)
	}
	q = &audit.Queue{Sink: new(fakeSink)}
	if err := q.Close(t.Context()); err != nil {
		t.Errorf("Close before any Write: %v", err)
	}
}
