// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"strconv"
	"strings"
)

// Format is how a line is written.
type Format uint8

// Formats; the first is the default.
const (
	OCSF     Format = iota // JSON of the Open Cybersecurity Schema Framework 1.7.0
	ECS                    // JSON of the Elastic Common Schema
	CEF                    // Common Event Format of ArcSight
	RFC5424                // syslog; its message is the envelope
	Envelope               // JSON as Event.MarshalJSON writes it
)

// Encoder makes a line of an event. The zero value writes OCSF. Every event is
// one line of valid UTF-8, whatever is in it.
type Encoder struct {
	Format  Format
	Version string // of the product, as lines name it; empty means "0"
	Host    string // of RFC 5424: who sends; empty means "-", none
}

// product is the vendor's name too.
const product = "curlew"

func (c Encoder) version() string { return cmp.Or(text(c.Version, maxID), "0") }

// Append appends the line of e to dst, without a line end. A format that there
// is not writes OCSF.
func (c Encoder) Append(dst []byte, e *Event) []byte {
	clean := e.clean()
	if c.Format == RFC5424 {
		c.Format = Envelope
		return c.appendSyslog(dst, &clean)
	}
	return c.append(dst, &clean)
}

// append appends the line of a clean event in any format but RFC 5424.
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

// rule returns what decided, empty where nothing did.
func (e *Event) rule() string {
	if e.Threat == nil {
		return ""
	}
	return e.Threat.Rule
}

// allowed reports whether e was let through; false only where a policy refused
// it.
func (e *Event) allowed() bool { return e.Result != Blocked }

// cefHeader and cefValue escape (ArcSight CEF Implementation Standard, "Character
// encoding"); a header has no escape for a line end.
var (
	cefHeader = strings.NewReplacer(`\`, `\\`, `|`, `\|`, "\r", " ", "\n", " ")
	cefValue  = strings.NewReplacer(`\`, `\\`, `=`, `\=`, "\r", `\r`, "\n", `\n`)
)

// appendCEF appends a line of CEF. What is empty is left out.
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

// Priorities of RFC 5424: facility 13, log audit, with severity notice and
// informational.
const (
	priorityBlocked = 13*8 + 5
	priority        = 13*8 + 6
)

// appendSyslog appends a message of RFC 5424 whose MSG is the line of e in
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

// sdValue escapes a PARAM-VALUE (RFC 5424 6.3.3). A line end may stand in one,
// but would make two lines of an event.
var sdValue = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `]`, `\]`, "\r", " ", "\n", " ")

// printable returns s as a field of the header: at most limit characters
// between ! and ~, or "-" where there is none.
func printable(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, s)
	return cmp.Or(s[:min(len(s), limit)], "-")
}
