// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/internal/weburl"
)

// Type is what an event is about.
type Type string

// Types of events; empty is ScrapeActivity.
const (
	ScrapeActivity Type = "scrape_activity" // a URL was fetched or refused
	AdminActivity  Type = "admin_activity"  // something was changed, or a key refused
)

// Action is what an AdminActivity was.
type Action string

// Actions.
const (
	KeyCreated    Action = "key_created"
	KeyRevoked    Action = "key_revoked"
	KeyRefused    Action = "key_refused"
	PolicyChanged Action = "policy_changed"
	EventsDropped Action = "events_dropped" // by a Queue that was full
)

// Result is how it ended.
type Result string

// Results; empty is Success.
const (
	Success   Result = "success"
	Failure   Result = "failure"
	Blocked   Result = "blocked" // by policy: threat protection, blocklist, network
	Cancelled Result = "cancelled"
)

// Event is one line of the audit log. Every field but the times may be empty;
// texts beyond the lengths given here, in bytes, are cut where it is written.
type Event struct {
	Type      Type
	ScrapeID  string // of this URL's fetch; 128 like all ids and names but the user's
	RequestID string // of the request or job that it belongs to
	Endpoint  string // scrape, crawl, batch, map, parse, agent
	TeamID    string
	OrgID     string
	Key       Key
	Username  string // auditMetadata.username of the request; 1024

	Started, Completed time.Time

	URL        string // absolute, 8192; written without userinfo and fragment
	Domain     string // its host
	HTTPMethod string
	HTTPStatus int // zero where there was no answer
	Result     Result
	Error      *Fault // nil: none

	Origin        string // as the request says
	Integration   string // as the request says
	ZeroRetention bool   // of the job

	Threat  *Threat  // what threat protection decided; nil: it was not asked
	Network *Network // a refusal of the network policy; nil: none

	Action  Action // of an AdminActivity
	Dropped int    // events that are lost, of EventsDropped
}

// Key is the API key that was used.
type Key struct{ ID, Name string }

// Fault is why something failed.
type Fault struct {
	Code    string // of the wire's table
	Message string // 2048
}

// Threat is a decision of threat protection.
type Threat struct {
	Allowed    bool
	Rule       string   // wire name: whitelist, blacklist, blocked-tld, risk-score, provider-failure, default-allow
	Provider   string   // of the verdict; empty where there is none
	Categories []string // of the verdict; at most 16 are written
}

// Network is a refusal of the network policy. It tells about our network, and is
// for operators alone.
type Network struct{ Address, Reason string }

// Stripped returns e without what zero data retention forbids: URL, domain,
// network, and the texts that may quote them.
func (e Event) Stripped() Event {
	e.URL, e.Domain, e.Network = "", "", nil
	if e.Error != nil {
		e.Error = &Fault{Code: e.Error.Code}
	}
	return e
}

// Bounds in bytes.
const (
	maxID       = 128
	maxUsername = 1024
	maxMessage  = 2048
	maxURL      = 8192
	maxNames    = 16 // categories
)

// clean returns e as it is written: defaults filled in, texts bounded and
// valid, times in UTC and whole milliseconds. It shares nothing with e that it
// changes.
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
	e.Domain = text(e.Domain, maxID*2) // a name has at most 253
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

// cleanURL cuts userinfo and fragment, of what is no URL too: it may have been
// refused for that.
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

// text returns s with U+FFFD for what is not UTF-8 and for control characters
// but tab and line ends, of at most limit bytes.
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
	if len(s) > limit { // the replacement has three bytes
		return text(s, limit)
	}
	return s
}

// isUnfit reports whether r has no place in a line: a terminal may obey it, and
// some readers end a line at U+0085, U+2028 and U+2029. Directions that are set
// and not ended (U+202A to U+202E, U+2066 to U+2069) show a line as it is not.
func isUnfit(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < ' ' || 0x7f <= r && r < 0xa0:
		return true
	}
	return 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0xfeff
}
