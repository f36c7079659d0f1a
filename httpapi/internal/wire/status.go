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

// Failure is the body of an error. If Success is nil, the member is absent, as
// the contract requires for some bodies.
type Failure struct {
	Success *bool   `json:"success,omitempty"`
	Code    string  `json:"code,omitempty"`
	Error   string  `json:"error"`
	Details []Fault `json:"details,omitempty"`
}

// Started is the answer to the start of a job.
type Started struct {
	Success     bool     `json:"success"`
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	InvalidURLs []string `json:"invalidURLs,omitempty"`

	// Only for a crawl with a prompt: the options of the planner and the final
	// ones.
	PromptGeneratedOptions json.RawMessage `json:"promptGeneratedOptions,omitempty"`
	FinalCrawlerOptions    json.RawMessage `json:"finalCrawlerOptions,omitempty"`
}

// Data is an answer with one document.
type Data struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
}

// Previewed is the answer to a request for the options of a crawl.
type Previewed struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Warning string          `json:"warning,omitempty"`
}

// Status is the status of a crawl or batch.
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

	// Only for a crawl, with stats=true.
	Stats        *CrawlStats   `json:"stats,omitempty"`
	Hosts        []HostWait    `json:"hosts,omitempty"`        // hosts that it currently waits for; at most 10
	WaitingUntil *jsonenc.Time `json:"waitingUntil,omitempty"` // set while everything that is left must wait
}

// Changes counts the pages of a crawl by their change since an earlier crawl.
// It is an addition to the contract.
type Changes struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"` // pages that no longer exist; not delivered
}

// WebhookStatus describes the events that a job's receiver has not accepted. It is an addition to the contract.
type WebhookStatus struct {
	Backlog        int           `json:"backlog"`                  // number of pages and other events
	FailedAttempts int           `json:"failedAttempts,omitempty"` // failed attempts of the event that will be retried
	GivenUp        int           `json:"givenUp,omitempty"`        // events that will not be delivered
	NextAttempt    *jsonenc.Time `json:"nextAttempt,omitempty"`
}

// Append appends s as JSON to b. It copies the documents unchanged, which saves
// a pass over them.
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
	// The first `"data":[` belongs to the member. Only names, numbers, times,
	// the ID and a URL precede it, and quotes in a URL are escaped.
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

// Errors lists the errors of a job.
type Errors struct {
	Errors             []json.RawMessage `json:"errors"`
	RobotsBlocked      []string          `json:"robotsBlocked"`
	ErrorsTotal        int               `json:"errorsTotal"`
	RobotsBlockedTotal int               `json:"robotsBlockedTotal"`

	Gone []string `json:"gone,omitempty"` // only for a crawl with since: pages that no longer exist
}

// Active lists the running crawls.
type Active struct {
	Success bool          `json:"success"`
	Crawls  []ActiveCrawl `json:"crawls"`
}

// ActiveCrawl is one running crawl. Options is its request without the URL.
type ActiveCrawl struct {
	ID        string          `json:"id"`
	TeamID    string          `json:"teamId"`
	URL       string          `json:"url"`
	CreatedAt jsonenc.Time    `json:"created_at"`
	Options   json.RawMessage `json:"options"`
}

// Frame is one message of a WebSocket.
type Frame struct {
	Type  string          `json:"type"` // catchup, document, status, error
	Data  json.RawMessage `json:"data,omitempty"`
	Error string          `json:"error,omitempty"`
}

// LostJob is the status of a job that can no longer be watched.
type LostJob struct {
	Success   bool     `json:"success"`
	Status    string   `json:"status"`
	Completed int      `json:"completed"`
	Total     int      `json:"total"`
	Data      []string `json:"data"`
	Error     string   `json:"error"`
}

// Mapped is the answer to a map.
type Mapped struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
	Links   []Link `json:"links"`
	Warning string `json:"warning,omitempty"`

	// StartPageError says why the start page could not be read completely. The warning
	// contains it. It is an addition to the contract.
	StartPageError string `json:"startPageError,omitempty"`
}

// Link is one URL of a site.
type Link struct {
	URL         string `json:"url"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// Usage contains the remaining credits or tokens of a team. Its members occur
// both inside data and beside it, because some clients read the one and some
// the other.
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

// Queue contains the amount of waiting work.
type Queue struct {
	Success           bool          `json:"success"`
	Jobs              int           `json:"jobsInQueue"`
	Active            int           `json:"activeJobsInQueue"`
	Waiting           int           `json:"waitingJobsInQueue"`
	MaxConcurrency    int           `json:"maxConcurrency"`
	MostRecentSuccess *jsonenc.Time `json:"mostRecentSuccess"`
}

// Concurrency contains the number of pages in progress.
type Concurrency struct {
	Success        bool `json:"success"`
	Concurrency    int  `json:"concurrency"`
	MaxConcurrency int  `json:"maxConcurrency"`
}

// Paging selects a part of a result.
type Paging struct {
	Skip  int
	Limit int  // number of documents; 100 if none was sent
	Sent  bool // a limit was sent and must be repeated in next
	Stats bool // counters of a crawl were requested, which next must repeat
}

// ErrPaging means that the query of a status request is invalid.
var ErrPaging = errors.New("Invalid pagination: skip must be an integer >= 0, limit an integer from 1 to 1000, each at most once") //nolint:staticcheck // the wire's text

// DecodeQuery parses a query. Like a duplicate key of a body, a name that is given more than
// once is an error, unless it is unknown and not in names.
func DecodeQuery(query string, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(query)
	for _, name := range names {
		if err == nil && len(q[name]) > 1 {
			err = errTwice
		}
	}
	return q, err
}

var errTwice = errors.New("a parameter is given more than once")

// DecodePaging decodes the query of a status request and ignores unknown names.
// Its error is ErrPaging.
func DecodePaging(query string) (Paging, error) {
	p := Paging{Limit: 100}
	q, err := DecodeQuery(query, "skip", "limit", "stats")
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

// Query returns the query for p.
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

// IsUUID reports whether s has the form 8-4-4-4-12 in hexadecimal digits.
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
