// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/internal/weburl"
)

// Type says which kind of activity an event describes.
type Type string

// Types of events; empty means ScrapeActivity.
const (
	ScrapeActivity Type = "scrape_activity" // a URL was fetched or refused
	AdminActivity  Type = "admin_activity"  // an administrative action, or a refused key
)

// Action says what an administrator did, in an AdminActivity.
type Action string

// Actions.
const (
	KeyCreated    Action = "key_created"
	KeyRevoked    Action = "key_revoked"
	KeyRefused    Action = "key_refused"
	PolicyChanged Action = "policy_changed"
	EventsDropped Action = "events_dropped" // by a full Queue
)

// Result is the outcome of the activity that an event describes.
type Result string

// Results; empty means Success.
const (
	Success   Result = "success"
	Failure   Result = "failure"
	Blocked   Result = "blocked" // refused by threat protection, a blocklist or the network policy
	Cancelled Result = "cancelled"
)

// Event is one entry of the audit log. Every field except the times may be
// empty. Texts are truncated when they are written; the comments state the
// maximum length in bytes.
type Event struct {
	Type      Type
	ScrapeID  string // identifies the fetch of this URL; 128 bytes, like all ids and names except Username
	RequestID string // ID of the request or job to which the event belongs
	Endpoint  string // scrape, crawl, batch, map, parse, agent
	TeamID    string
	OrgID     string
	Key       Key
	Username  string // auditMetadata.username of the request; 1024 bytes

	Started, Completed time.Time

	URL        string // absolute; 8192 bytes; written without userinfo and fragment
	Domain     string // host of the URL
	HTTPMethod string
	HTTPStatus int // zero if there was no response
	Result     Result
	Error      *Fault // nil if there was no error

	Origin        string // as stated in the request
	Integration   string // as stated in the request
	ZeroRetention bool   // the job has zero data retention

	Threat  *Threat  // decision of threat protection; nil if it was not asked
	Network *Network // set if the network policy refused the request

	Action  Action // set for an AdminActivity
	Dropped int    // number of lost events, for EventsDropped
}

// Key identifies the API key that was used.
type Key struct{ ID, Name string }

// Fault says why something failed.
type Fault struct {
	Code    string // error code as in API responses
	Message string // 2048 bytes
}

// Threat describes a decision of threat protection about a URL.
type Threat struct {
	Allowed    bool
	Rule       string   // such as whitelist, blacklist, blocked-tld, risk-score, provider-failure, default-allow
	Provider   string   // provider of the verdict; empty if there is none
	Categories []string // categories of the verdict; at most 16 are written
}

// Network describes why the network policy refused a request. It reveals details of
// the operator's network, so only operators may see it.
type Network struct{ Address, Reason string }

// Stripped returns e without the fields that zero data retention forbids: URL,
// domain, network, and the texts that may quote them.
func (e Event) Stripped() Event {
	e.URL, e.Domain, e.Network = "", "", nil
	if e.Error != nil {
		e.Error = &Fault{Code: e.Error.Code}
	}
	return e
}

// Limits in bytes.
const (
	maxID       = 128
	maxUsername = 1024
	maxMessage  = 2048
	maxURL      = 8192
	maxNames    = 16 // number of categories
)

// clean returns e as it is written: with defaults, truncated and valid texts,
// and times in UTC and whole milliseconds. It does not modify what e refers to.
func (e Event) clean() Event {
	if e.Type == "" {
		e.Type = ScrapeActivity
	}
	if e.Result == "" {
		e.Result = Success
	}
	e.Type, e.Action, e.Result = Type(text(string(e.Type), maxID)), Action(text(string(e.Action), maxID)), Result(text(string(e.Result), maxID))
	for _, s := range []*string{
		&e.ScrapeID, &e.RequestID, &e.Endpoint, &e.TeamID, &e.OrgID, &e.Key.ID, &e.Key.Name, &e.HTTPMethod, &e.Origin, &e.Integration,
	} {
		*s = text(*s, maxID)
	}
	e.Username = text(e.Username, maxUsername)
	e.Domain = text(e.Domain, maxID*2) // a domain name has at most 253 bytes
	e.URL = text(cleanURL(e.URL), maxURL)
	if e.Completed.IsZero() {
		e.Completed = e.Started
	}
	if e.Started.IsZero() {
		e.Started = e.Completed
	}
	e.Started, e.Completed = e.Started.UTC().Truncate(time.Millisecond), e.Completed.UTC().Truncate(time.Millisecond)
	if e.Error != nil {
		e.Error = &Fault{text(e.Error.Code, maxID), text(e.Error.Message, maxMessage)}
	}
	if e.Network != nil {
		e.Network = &Network{text(e.Network.Address, maxID*2), text(e.Network.Reason, maxID)}
	}
	if e.Threat != nil {
		t := *e.Threat
		t.Rule, t.Provider = text(t.Rule, maxID), text(t.Provider, maxID)
		t.Categories = make([]string, 0, min(len(t.Categories), maxNames))
		for _, c := range e.Threat.Categories[:min(len(e.Threat.Categories), maxNames)] {
			t.Categories = append(t.Categories, text(c, maxID))
		}
		e.Threat = &t
	}
	return e
}

// cleanURL removes userinfo and fragment, even if raw is not a valid URL,
// because the event may be about exactly that.
func cleanURL(raw string) string {
	if u, err := weburl.Parse(raw); err == nil {
		return u.WithoutUser().WithoutFragment().String()
	}
	raw, _, _ = strings.Cut(raw, "#")
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok {
		scheme, rest = "", raw
	} else {
		scheme += ":"
	}
	slashes := rest[:len(rest)-len(strings.TrimLeft(rest, `/\`))]
	rest = rest[len(slashes):]
	end := len(rest)
	if i := strings.IndexAny(rest, `/\?`); i >= 0 {
		end = i
	}
	return scheme + slashes + rest[strings.LastIndexByte(rest[:end], '@')+1:]
}

// text returns at most limit bytes of s. It replaces invalid UTF-8 and control
// characters other than tab and line breaks by U+FFFD.
func text(s string, limit int) string {
	if len(s) > limit {
		end := limit
		for i := 0; i < utf8.UTFMax && end > 0 && !utf8.RuneStart(s[end]); i++ {
			end--
		}
		s = s[:end]
	}
	if strings.IndexFunc(s, isUnfit) < 0 && utf8.ValidString(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if isUnfit(r) {
			return utf8.RuneError
		}
		return r
	}, s)
	if len(s) > limit { // the replacement character has three bytes, so s may have grown
		return text(s, limit)
	}
	return s
}

// isUnfit reports whether r must not appear in a line. A terminal could
// interpret it, and some readers end a line at U+0085, U+2028 and U+2029.
// Unterminated bidirectional controls (U+202A to U+202E, U+2066 to U+2069)
// would change how the line is displayed.
func isUnfit(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < ' ' || 0x7f <= r && r < 0xa0:
		return true
	}
	return 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0xfeff
}
