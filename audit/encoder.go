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
	reason, act := "", string(e.Action)
	if e.Error != nil {
		reason = strings.TrimSuffix(e.Error.Code+": "+e.Error.Message, ": ")
	}
	switch {
	case act != "":
	case e.allowed():
		act = "allowed"
	default:
		act = "denied"
	}
	first := true
	for _, field := range [...]struct{ key, label, value string }{ // a loop, because a call for each field makes much code
		{"rt", "", strconv.FormatInt(e.Completed.UnixMilli(), 10)},
		{"start", "", strconv.FormatInt(e.Started.UnixMilli(), 10)},
		{"end", "", strconv.FormatInt(e.Completed.UnixMilli(), 10)},
		{"request", "", e.URL},
		{"requestMethod", "", e.HTTPMethod},
		{"dhost", "", e.Domain},
		{"suser", "", e.Username},
		{"outcome", "", outcome(e.Result)},
		{"reason", "", reason},
		{"act", "", act},
		{"externalId", "", e.ScrapeID},
		{"cs1", "rule", e.rule()},
		{"cs2", "team", e.TeamID},
		{"cs3", "requestId", e.RequestID},
		{"cs4", "endpoint", e.Endpoint},
		{"cs5", "apiKey", e.Key.ID},
		{"cn1", "httpStatus", positive(e.HTTPStatus)},
		{"cn2", "dropped", positive(e.Dropped)},
	} {
		if field.value == "" {
			continue
		}
		if !first {
			dst = append(dst, ' ')
		}
		first = false
		dst = append(append(append(dst, field.key...), '='), cefValue.Replace(field.value)...)
		if field.label != "" {
			dst = append(append(append(append(dst, ' '), field.key...), "Label="...), field.label...)
		}
	}
	return dst
}

// positive returns n in digits, or "" if it is zero.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

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
	for _, param := range [...][2]string{
		{"scrape_id", e.ScrapeID},
		{"request_id", e.RequestID},
		{"endpoint", e.Endpoint},
		{"team_id", e.TeamID},
		{"username", e.Username},
		{"result", string(e.Result)},
		{"rule", e.rule()},
		{"action", string(e.Action)},
	} {
		if param[1] != "" {
			dst = append(append(append(append(dst, ' '), param[0]...), `="`...), sdValue.Replace(param[1])...)
			dst = append(dst, '"')
		}
	}
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
