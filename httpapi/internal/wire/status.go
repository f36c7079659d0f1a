// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"example.com/curlew/internal/jsonenc"
)

// Failure is the body of an error. Success nil is absent: some bodies of the
// contract have no such member.
type Failure struct {
	Success *bool   `json:"success,omitempty"`
	Code    string  `json:"code,omitempty"`
	Error   string  `json:"error"`
	Details []Fault `json:"details,omitempty"`
}

// Started answers the start of a job.
type Started struct {
	Success     bool     `json:"success"`
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	InvalidURLs []string `json:"invalidURLs,omitempty"`

	// Of a crawl with a prompt: what the planner made of it, and what holds.
	PromptGeneratedOptions json.RawMessage `json:"promptGeneratedOptions,omitempty"`
	FinalCrawlerOptions    json.RawMessage `json:"finalCrawlerOptions,omitempty"`
}

// Data answers with one document.
type Data struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
}

// Status is where a crawl or batch stands (contract.md 4.2).
type Status struct {
	Success     bool              `json:"success"`
	ID          string            `json:"id"`
	Status      string            `json:"status"` // scraping, completed, failed, cancelled
	Completed   int               `json:"completed"`
	Total       int               `json:"total"`
	CreditsUsed int               `json:"creditsUsed"`
	ExpiresAt   jsonenc.Time      `json:"expiresAt"`
	CreatedAt   jsonenc.Time      `json:"createdAt"`
	CompletedAt *jsonenc.Time     `json:"completedAt,omitempty"`
	Duration    float64           `json:"duration"` // seconds
	Next        string            `json:"next,omitempty"`
	Data        []json.RawMessage `json:"data"`
	Warning     string            `json:"warning,omitempty"`
	Error       string            `json:"error,omitempty"`

	Webhook *WebhookStatus `json:"webhook,omitempty"`
	Changes *Changes       `json:"changes,omitempty"`

	// With stats=true, of a crawl.
	Stats        *CrawlStats   `json:"stats,omitempty"`
	Hosts        []HostWait    `json:"hosts,omitempty"`        // that it has to wait for at present; at most 10
	WaitingUntil *jsonenc.Time `json:"waitingUntil,omitempty"` // while all that is left must wait
}

// Changes counts the pages of a crawl by how they stand against the crawl that it
// was compared with; ours.
type Changes struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"` // not delivered
}

// WebhookStatus says what a job's receiver has not taken yet; ours.
type WebhookStatus struct {
	Backlog        int           `json:"backlog"`                  // pages and other events
	FailedAttempts int           `json:"failedAttempts,omitempty"` // at the event that waits for its next one
	NextAttempt    *jsonenc.Time `json:"nextAttempt,omitempty"`
}

// Append appends s as JSON to b. The documents are taken as they are, which
// saves a pass over them.
func (s Status) Append(b []byte) ([]byte, error) {
	documents, size := s.Data, 0
	for _, d := range documents {
		size += len(d) + 1
	}
	s.Data = []json.RawMessage{}
	shell, err := jsonenc.Encode(s)
	if err != nil {
		return nil, err
	}
	// The first `"data":[` is the member's: before it stand names, figures,
	// instants, the id, and a URL, in which a quote is escaped.
	const mark = `"data":[`
	at := bytes.Index(shell, []byte(mark)) + len(mark)
	b = append(slices.Grow(b, len(shell)+size), shell[:at]...)
	for i, d := range documents {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, d...)
	}
	return append(b, shell[at:]...), nil
}

// Errors answers what went wrong in a job.
type Errors struct {
	Errors             []json.RawMessage `json:"errors"`
	RobotsBlocked      []string          `json:"robotsBlocked"`
	ErrorsTotal        int               `json:"errorsTotal"`
	RobotsBlockedTotal int               `json:"robotsBlockedTotal"`

	Gone []string `json:"gone,omitempty"` // of a crawl with since: pages that are no more
}

// Active answers which crawls run.
type Active struct {
	Success bool          `json:"success"`
	Crawls  []ActiveCrawl `json:"crawls"`
}

// ActiveCrawl is one crawl that runs. Options is its request without the URL.
type ActiveCrawl struct {
	ID        string          `json:"id"`
	TeamID    string          `json:"teamId"`
	URL       string          `json:"url"`
	CreatedAt jsonenc.Time    `json:"created_at"`
	Options   json.RawMessage `json:"options"`
}

// Frame is one message of a WebSocket (contract.md 4.7).
type Frame struct {
	Type  string          `json:"type"` // catchup, document, status, error
	Data  json.RawMessage `json:"data,omitempty"`
	Error string          `json:"error,omitempty"`
}

// LostJob is the status of a job that cannot be watched.
type LostJob struct {
	Success   bool     `json:"success"`
	Status    string   `json:"status"`
	Completed int      `json:"completed"`
	Total     int      `json:"total"`
	Data      []string `json:"data"`
	Error     string   `json:"error"`
}

// Mapped answers a map.
type Mapped struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
	Links   []Link `json:"links"`
	Warning string `json:"warning,omitempty"`
}

// Link is one URL of a site.
type Link struct {
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// Usage is what a team has left of credits or tokens. Its members stand under
// data and beside it: clients read the one or the other.
type Usage struct {
	Unit            string // Credits, Tokens
	Remaining, Plan int
	Start, End      *jsonenc.Time
}

// MarshalJSON writes the envelope.
func (u Usage) MarshalJSON() ([]byte, error) {
	members := func(t *jsonenc.Time) (json.RawMessage, error) { return jsonenc.Encode(t) }
	start, err := members(u.Start)
	if err != nil {
		return nil, err
	}
	end, err := members(u.End)
	if err != nil {
		return nil, err
	}
	inner := `"remaining` + u.Unit + `":` + strconv.Itoa(u.Remaining) + `,"plan` + u.Unit + `":` + strconv.Itoa(u.Plan) +
		`,"billingPeriodStart":` + string(start) + `,"billingPeriodEnd":` + string(end)
	return []byte(`{"success":true,"data":{` + inner + `},` + inner + `}`), nil
}

// Queue answers how much work waits.
type Queue struct {
	Success           bool          `json:"success"`
	Jobs              int           `json:"jobsInQueue"`
	Active            int           `json:"activeJobsInQueue"`
	Waiting           int           `json:"waitingJobsInQueue"`
	MaxConcurrency    int           `json:"maxConcurrency"`
	MostRecentSuccess *jsonenc.Time `json:"mostRecentSuccess"`
}

// Concurrency answers how many pages are worked on.
type Concurrency struct {
	Success        bool `json:"success"`
	Concurrency    int  `json:"concurrency"`
	MaxConcurrency int  `json:"maxConcurrency"`
}

// Paging is which part of a result is asked for.
type Paging struct {
	Skip  int
	Limit int  // documents; 100 where none was sent
	Sent  bool // a limit was sent, and belongs into next
	Stats bool // a crawl's figures are asked for, and belong into next
}

// ErrPaging is the reason why a query asks for no part of a result.
var ErrPaging = errors.New("Invalid pagination: skip must be an integer >= 0, limit an integer from 1 to 1000") //nolint:staticcheck // the wire's text

// DecodePaging reads the query of a status request; names it does not know are
// ignored. Its error is ErrPaging.
func DecodePaging(query string) (Paging, error) {
	p := Paging{Limit: 100}
	q, err := url.ParseQuery(query)
	if err != nil {
		return p, ErrPaging
	}
	if q.Has("skip") {
		if p.Skip, err = strconv.Atoi(q.Get("skip")); err != nil || p.Skip < 0 || p.Skip > maxInt {
			return p, ErrPaging
		}
	}
	if q.Has("limit") {
		p.Sent = true
		if p.Limit, err = strconv.Atoi(q.Get("limit")); err != nil || p.Limit < 1 || p.Limit > 1000 {
			return p, ErrPaging
		}
	}
	p.Stats = q.Get("stats") == "true"
	return p, nil
}

// Query returns the query that asks for p.
func (p Paging) Query() string {
	q := "skip=" + strconv.Itoa(p.Skip)
	if p.Sent {
		q += "&limit=" + strconv.Itoa(p.Limit)
	}
	if p.Stats {
		q += "&stats=true"
	}
	return q
}

// IsUUID reports whether s is written 8-4-4-4-12 in hexadecimal digits.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !isHex(s[i:i+1]) {
			return false
		}
	}
	return true
}
