// SPDX-License-Identifier: Apache-2.0

// Package audit writes down who asked for what, and what became of it: event ->
// log line.
//
// An [Event] is one URL that was fetched or refused, or one act of an operator.
// An [Encoder] makes a line of it for a log or a SIEM (OCSF, ECS, CEF, RFC 5424).
// A [Sink] takes events to where they are kept: [Log] (slog), [File], [Syslog],
// [HTTP], or one of your own. A [Queue] in front of a sink keeps the work from
// waiting for it.
//
//	file := &audit.File{Dir: "/var/log/curlew"}
//	queue := &audit.Queue{Sink: file}
//	service.Audit = queue
//	...
//	err := errors.Join(queue.Close(ctx), file.Close())
//
// Whoever writes an event does so by [Send].
//
// # Security
//
// Texts of events are foreign: URLs, names and messages of sites. Each encoder
// makes one line of an event, whatever is in it; lengths are bounded, control
// characters but tab and line ends are replaced, userinfo and fragments of URLs
// cut. Of a job under zero data retention URL, domain and network are left out,
// unless the sink asks for them ([Full]). A collector is the operator's choice,
// wherever it is; TLS is verified.
package audit
