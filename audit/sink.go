// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Sink stores or sends events. Implementations are safe for concurrent use and
// return when ctx ends. If Write returns nil, the sink has accepted all events
// in their order. If it returns an error, it may have accepted some, and the
// caller may write all of them again. An error that wraps [ErrRefused] says
// that this would not help. A Sink must neither retain nor modify the slice and
// what it refers to. [example.com/curlew/audit/audittest.Check] tests an
// implementation.
type Sink interface {
	Write(ctx context.Context, events []Event) error
}

// Keeper is an optional interface of a [Sink] that wants all fields of events
// under zero data retention.
type Keeper interface {
	KeepsURLs() bool
}

// Full wraps a [Sink] that belongs to the organization itself, so that it gets
// the URL, domain and network of events under zero data retention too.
type Full struct{ Sink }

// KeepsURLs implements [Keeper].
func (Full) KeepsURLs() bool { return true }

// Reasons why a write fails.
var (
	ErrRefused = errors.New("events refused") // the sink will never accept these events
	ErrClosed  = errors.New("sink is closed")
	ErrStatus  = errors.New("collector returned an error status")
)

// Error says which sink failed and why.
type Error struct {
	Sink string // queue, file, syslog or http
	Err  error
}

// Error returns "audit <sink>: <cause>".
func (e *Error) Error() string { return "audit " + e.Sink + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Send writes events to s, without the fields that zero data retention forbids.
// A nil Sink discards them. Always write to a Sink by Send, because sinks write
// all fields that they are given.
func Send(ctx context.Context, s Sink, events ...Event) error {
	if s == nil || len(events) == 0 {
		return nil
	}
	return s.Write(ctx, allowedFor(s, events))
}

// allowedFor returns events without what s may not get. If nothing is removed,
// it returns the same slice.
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

// Log is a [Sink] that writes events to a slog.Logger. Each event is a record
// with the message "audit" and the fields of the envelope as attributes. The
// level is Warn for blocked events and Info for others. The zero value discards
// all events.
type Log struct {
	Logger *slog.Logger // nil discards all events
}

// Write implements [Sink]. It fails only if ctx has ended.
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

// attributes returns the fields of a cleaned event's envelope, without the
// empty ones.
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

// fault returns err as an [*Error] of the sink. If ctx has ended, its cause
// replaces err.
func fault(ctx context.Context, sink string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", cmp.Or(context.Cause(ctx), ctx.Err()), err)
	}
	return &Error{sink, err}
}
