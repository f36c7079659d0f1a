// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"strconv"
	"strings"
)

// Format is the format of a line.
type Format uint8

// Formats; the first is the default.
const (
	OCSF     Format = iota // JSON of the Open Cybersecurity Schema Framework 1.7.0
	ECS                    // JSON of the Elastic Common Schema
	CEF                    // Common Event Format of ArcSight
	RFC5424                // syslog, with the envelope as its message
	Envelope               // JSON as written by [Event.MarshalJSON]
)

// Encoder formats events as lines. The zero value writes OCSF. The output is a
// single line of valid UTF-8, whatever the event contains.
type Encoder struct {
	Format  Format
	Version string // version of the product in the lines; empty means "0"
	Host    string // sending host for RFC 5424; empty means "-", which is no host
}

// product is the name of both the product and its vendor.
const product = "curlew"

func (c Encoder) version() string { return cmp.Or(text(c.Version, maxID), "0") }

// Append appends the line of e to dst, without a line break. An unknown format
// is written as OCSF.
func (c Encoder) Append(dst []byte, e *Event) []byte {
	clean := e.clean()
	if c.Format == RFC5424 {
		c.Format = Envelope
		return c.appendSyslog(dst, &clean)
	}
	return c.append(dst, &clean)
}

// append appends the line of a cleaned event in any format except RFC 5424.
func (c Encoder) append(dst []byte, e *Event) []byte {
	switch c.Format {
	case ECS:
		return appendJSON(dst, ecsOf(e))
	case CEF:
		return c.appendCEF(dst, e)
	case Envelope, RFC5424:
		return appendJSON(dst, recordOf(e))
	case OCSF:
	}
	return appendJSON(dst, ocsfOf(e, c.version()))
}

// rule returns the rule that decided, or "" if there was none.
func (e *Event) rule() string {
	if e.Threat == nil {
		return ""
	}
	return e.Threat.Rule
}

// allowed reports whether e was allowed. It is false only if a policy refused
// it.
func (e *Event) allowed() bool { return e.Result != Blocked }

// cefHeader and cefValue escape text as the ArcSight CEF Implementation
// Standard demands ("Character encoding"). The header has no escape for a line
// break.
var (
	cefHeader = strings.NewReplacer(`\`, `\\`, `|`, `\|`, "\r", " ", "\n", " ")
	cefValue  = strings.NewReplacer(`\`, `\\`, `=`, `\=`, "\r", `\r`, "\n", `\n`)
)

// appendCEF appends a line of CEF. Empty fields are omitted.
func (c Encoder) appendCEF(dst []byte, e *Event) []byte {
	severity := "3"
	if !e.allowed() {
		severity = "7"
	}
	dst = append(dst, "CEF:0"...)
	for _, s := range []string{product, product, c.version(), string(e.Result), string(e.Type), severity} {
		dst = append(append(dst, '|'), cefHeader.Replace(s)...)
	}
	dst = append(dst, '|')
	first := true
	add := func(key, value string) {
		if value == "" {
			return
		}
		if !first {
			dst = append(dst, ' ')
		}
		first = false
		dst = append(append(append(dst, key...), '='), cefValue.Replace(value)...)
	}
	add("rt", millis(e.Completed.UnixMilli()))
	add("start", millis(e.Started.UnixMilli()))
	add("end", millis(e.Completed.UnixMilli()))
	add("request", e.URL)
	add("requestMethod", e.HTTPMethod)
	add("dhost", e.Domain)
	add("suser", e.Username)
	add("outcome", outcome(e.Result))
	if e.Error != nil {
		add("reason", strings.TrimSuffix(e.Error.Code+": "+e.Error.Message, ": "))
	}
	switch {
	case e.Action != "":
		add("act", string(e.Action))
	case e.allowed():
		add("act", "allowed")
	default:
		add("act", "denied")
	}
	add("externalId", e.ScrapeID)
	custom := func(key, label, value string) {
		if value != "" {
			add(key, value)
			add(key+"Label", label)
		}
	}
	custom("cs1", "rule", e.rule())
	custom("cs2", "team", e.TeamID)
	custom("cs3", "requestId", e.RequestID)
	custom("cs4", "endpoint", e.Endpoint)
	custom("cs5", "apiKey", e.Key.ID)
	if e.HTTPStatus != 0 {
		custom("cn1", "httpStatus", strconv.Itoa(e.HTTPStatus))
	}
	if e.Dropped != 0 {
		custom("cn2", "dropped", strconv.Itoa(e.Dropped))
	}
	return dst
}

func millis(n int64) string { return strconv.FormatInt(n, 10) }

// outcome returns success or failure.
func outcome(r Result) string {
	if r == Success {
		return "success"
	}
	return "failure"
}

// Priorities of RFC 5424: facility 13 (log audit) with the severities notice
// and informational.
const (
	priorityBlocked = 13*8 + 5
	priority        = 13*8 + 6
)

// appendSyslog appends an RFC 5424 message whose MSG is the line of e in
// another format.
func (c Encoder) appendSyslog(dst []byte, e *Event) []byte {
	p := priority
	if !e.allowed() {
		p = priorityBlocked
	}
	dst = append(dst, '<')
	dst = strconv.AppendInt(dst, int64(p), 10)
	dst = append(dst, ">1 "...)
	dst = append(dst, e.Completed.Format(stamp)...)
	dst = append(append(dst, ' '), printable(c.Host, 255)...)
	dst = append(append(dst, ' '), product...)
	dst = append(append(dst, " - "...), printable(string(e.Type), 32)...)
	dst = append(dst, " [curlew@32473"...)
	add := func(name, value string) {
		if value == "" {
			return
		}
		dst = append(append(append(append(dst, ' '), name...), `="`...), sdValue.Replace(value)...)
		dst = append(dst, '"')
	}
	add("scrape_id", e.ScrapeID)
	add("request_id", e.RequestID)
	add("endpoint", e.Endpoint)
	add("team_id", e.TeamID)
	add("username", e.Username)
	add("result", string(e.Result))
	add("rule", e.rule())
	add("action", string(e.Action))
	dst = append(dst, "] \ufeff"...)
	return c.append(dst, e)
}

// sdValue escapes a PARAM-VALUE (RFC 5424 6.3.3). Line breaks would be valid,
// but would split the event into two lines.
var sdValue = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `]`, `\]`, "\r", " ", "\n", " ")

// printable returns s as a header field: at most limit characters between ! and
// ~, or "-" if none is left.
func printable(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, s)
	return cmp.Or(s[:min(len(s), limit)], "-")
}
