// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Sink takes events to where they are kept. Implementations are safe for
// concurrent use and return when ctx ends. When Write returns nil, all events
// have been taken over, in their order; when it returns an error, some may have
// been, and the caller may write all of them again. An error that wraps
// [ErrRefused] says that this would not help. A Sink keeps neither the slice nor
// what it points to, and changes neither.
// [example.com/curlew/audit/audittest] checks one.
type Sink interface {
	Write(ctx context.Context, events []Event) error
}

// Keeper is what a [Sink] may be besides: one that wants all of an event under
// zero data retention.
type Keeper interface {
	KeepsURLs() bool
}

// Full makes a [Sink] of an organisation's own get URL, domain and network of
// events under zero data retention too.
type Full struct{ Sink }

// KeepsURLs implements [Keeper].
func (Full) KeepsURLs() bool { return true }

// Why a write fails.
var (
	ErrRefused = errors.New("events are refused") // for good
	ErrClosed  = errors.New("sink is closed")
	ErrStatus  = errors.New("collector answers with an error")
)

// Error says which sink failed.
type Error struct {
	Sink string // queue, file, syslog or http
	Err  error
}

// Error returns "audit <sink>: <cause>".
func (e *Error) Error() string { return "audit " + e.Sink + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Send writes events to s, each as zero data retention allows it. A nil Sink
// takes none. It is how to write to a Sink: the sinks themselves write what they
// are given.
func Send(ctx context.Context, s Sink, events ...Event) error {
	if s == nil || len(events) == 0 {
		return nil
	}
	return s.Write(ctx, allowedFor(s, events))
}

// allowedFor returns what s may get of events: the same slice where that is all.
func allowedFor(s Sink, events []Event) []Event {
	if k, ok := s.(Keeper); ok && k.KeepsURLs() {
		return events
	}
	var stripped []Event
	for i := range events {
		if !events[i].ZeroRetention {
			continue
		}
		if stripped == nil {
			stripped = append(stripped, events...)
		}
		stripped[i] = events[i].Stripped()
	}
	if stripped == nil {
		return events
	}
	return stripped
}

// Log is a [Sink] that writes events to a slog.Logger, each as a record "audit"
// at level Info, blocked ones at Warn, with the members of the envelope as
// attributes. The zero value is silent.
type Log struct {
	Logger *slog.Logger // nil is silent
}

// Write implements [Sink]. It fails only where ctx has ended.
func (l *Log) Write(ctx context.Context, events []Event) error {
	if ctx.Err() != nil {
		return &Error{"log", context.Cause(ctx)}
	}
	if l.Logger == nil {
		return nil
	}
	for i := range events {
		e := events[i].clean()
		level := slog.LevelInfo
		if !e.allowed() {
			level = slog.LevelWarn
		}
		if l.Logger.Enabled(ctx, level) {
			l.Logger.LogAttrs(ctx, level, "audit", attributes(&e)...)
		}
	}
	return nil
}

// attributes returns the members of a clean event's envelope; what is empty is
// left out.
func attributes(e *Event) []slog.Attr {
	var list []slog.Attr
	add := func(name, value string) {
		if value != "" {
			list = append(list, slog.String(name, value))
		}
	}
	list = append(list, slog.Int("schema_version", schemaVersion))
	add("event_type", string(e.Type))
	add("scrape_id", e.ScrapeID)
	add("request_id", e.RequestID)
	add("endpoint", e.Endpoint)
	add("team_id", e.TeamID)
	add("org_id", e.OrgID)
	list = append(list, slog.Group("api_key", "id", e.Key.ID, "name", e.Key.Name))
	if e.Username != "" {
		list = append(list, slog.Group("audit_metadata", "username", e.Username))
	}
	list = append(list, slog.Time("started_at", e.Started), slog.Time("completed_at", e.Completed))
	add("url", e.URL)
	add("domain", e.Domain)
	add("http_method", e.HTTPMethod)
	if e.HTTPStatus != 0 {
		list = append(list, slog.Int("http_status", e.HTTPStatus))
	}
	add("result", string(e.Result))
	if e.Error != nil {
		list = append(list, slog.Group("error", "code", e.Error.Code, "message", e.Error.Message))
	}
	add("origin", e.Origin)
	add("integration", e.Integration)
	list = append(list, slog.Bool("zero_data_retention", e.ZeroRetention))
	if t := e.Threat; t != nil {
		list = append(list, slog.Group("threat", "decision", decision(t), "rule", t.Rule, "provider", t.Provider, "categories", t.Categories))
	}
	if e.Network != nil {
		list = append(list, slog.Group("network", "address", e.Network.Address, "reason", e.Network.Reason))
	}
	add("action", string(e.Action))
	if e.Dropped != 0 {
		list = append(list, slog.Int("dropped", e.Dropped))
	}
	return list
}

// fault names the sink of an error; ctx's cause stands for what it brought
// about.
func fault(ctx context.Context, sink string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", cmp.Or(context.Cause(ctx), ctx.Err()), err)
	}
	return &Error{sink, err}
}
