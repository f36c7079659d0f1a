// SPDX-License-Identifier: Apache-2.0

// Package audit records who requested which URL, and the outcome.
//
// An [Event] is one URL that was fetched or refused, or one administrative
// action. An [Encoder] formats it as a line for a log or a SIEM (OCSF, ECS,
// CEF, RFC 5424). A [Sink] stores or sends events: [Log] (slog), [File],
// [Syslog], [HTTP], or an implementation of your own. A [Queue] in front of a
// sink decouples the work from a slow sink.
//
//	file := &audit.File{Dir: "/var/log/curlew"}
//	queue := &audit.Queue{Sink: file}
//	service.Audit = queue
//	...
//	err := errors.Join(queue.Close(ctx), file.Close())
//
// Code that produces events passes them to [Send].
//
// # Security
//
// The texts of events are untrusted: URLs, names, and messages of sites. Each
// encoder writes an event as a single line, whatever it contains. It limits
// lengths, replaces control characters other than tab and line breaks, and
// removes userinfo and fragments of URLs. If a job has zero data retention, its
// URL, domain and network are omitted unless the sink asks for them ([Full]).
// The operator configures the address of a collector, so it may be private. TLS
// certificates are verified.
package audit
