// SPDX-License-Identifier: Apache-2.0

// Package webhook delivers the events of jobs to receivers. Events are signed,
// retried, and resumed after a restart.
//
// A [Sender] runs a job that delivers the events of another job. It gets the
// events from a [Source] and stores its progress as a [Position] before each
// further step. A receiver gets each event at least once.
//
// # Security
//
// Clients choose the receivers, so only public addresses are reached unless
// [Config] admits others. Redirects are not followed.
package webhook

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// Config configures the delivery of events. The zero value
// sends unsigned events to public addresses on the ports 80, 443, 8080 and
// 8443.
type Config struct {
	Allow []netip.Prefix // additional addresses, on any port
	Ports []int          // additional ports
	Roots *x509.CertPool // nil means the system's

	// Client replaces the client that is made from Allow, Ports and Roots. It
	// then decides which addresses are reached. Nil means that one is made.
	Client *http.Client

	// Secret returns the key that signs the events of a team. An empty key
	// means unsigned events. It is called for each attempt, and its result is
	// not stored.
	Secret func(ctx context.Context, team string) (string, error)

	// Undelivered is called for each event that is given up after its last
	// attempt, except for jobs with zero data retention. If it is nil, the
	// event is logged.
	Undelivered func(ctx context.Context, e Undelivered)
}

// Undelivered is an event that could not be delivered.
type Undelivered struct {
	Team, Job string
	URL       string
	Body      []byte // the JSON body
	Err       error  // the error of the last attempt
}

func (c *Config) policy() netguard.Policy { return netguard.Policy{Ports: c.Ports, Allow: c.Allow} }

// CheckURL returns why events may not be sent to a URL, or nil. It does not
// look up names: their addresses are checked when an event is sent.
func (c *Config) CheckURL(url string) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	return c.policy().CheckURL(u)
}

// NewClient returns Client, or a client made from Allow, Ports and Roots.
func (c *Config) NewClient() *http.Client {
	if c.Client != nil {
		return c.Client
	}
	return c.policy().Client(netguard.ClientOptions{Roots: c.Roots})
}

// Hook says where and how the events of a job are sent.
type Hook struct {
	URL      string
	Headers  map[string]string `json:",omitempty"` // additional headers, see [ReservedHeader]
	Metadata map[string]string // included in each event
	Events   []string          `json:",omitempty"` // names such as page and completed; none means all

	Batch     int  `json:",omitzero"` // maximum number of delivered pages in one event; zero means one
	Unordered bool `json:",omitzero"` // several events may be sent concurrently
}

// ReservedHeader reports whether a [Hook] cannot set a header, because the
// Sender sets it.
func ReservedHeader(name string) bool {
	return slices.ContainsFunc([]string{"Content-Type", headerSignature, headerTimed}, func(ours string) bool { return strings.EqualFold(name, ours) })
}

// Wants reports whether the receiver wants events of this name.
func (h *Hook) Wants(name string) bool { return len(h.Events) == 0 || slices.Contains(h.Events, name) }

// Delivery is the specification of a job that delivers the events of another.
type Delivery struct {
	Hook
	Job      string // job whose events are delivered
	Retained bool   // the job has zero data retention, so undelivered events are not reported
}

// Event is one event of a job.
type Event struct {
	Name    string // without the kind of the job, such as page
	Index   int    // among the events of this name
	Pages   int    // number of pages in the event
	Success bool
	Data    []json.RawMessage
	Err     string
}

// envelope is the JSON body that a receiver gets.
type envelope struct {
	Success   bool              `json:"success"`
	Type      string            `json:"type"` // such as crawl.page
	ID        string            `json:"id"`   // ID of the job
	WebhookID string            `json:"webhookId"`
	Data      []json.RawMessage `json:"data"`
	Error     string            `json:"error,omitempty"`
	Metadata  map[string]string `json:"metadata"`
}

// Position is the progress of a delivery. It is stored as a note of the
// delivery's job after each step. For an event in progress, it is where the
// event begins, and the fields from Tries to Failed describe the event.
type Position struct {
	Started  bool      `json:",omitzero"`
	Pages    int       `json:",omitzero"` // number of handled results, or events for an agent
	Failures int       `json:",omitzero"`
	Ended    bool      `json:",omitzero"`
	Dead     bool      `json:",omitzero"` // the previous event was given up
	Tries    int       `json:",omitzero"` // failed attempts at the next event
	Next     time.Time `json:",omitzero"` // when the next attempt is due
	Size     int       `json:",omitzero"` // pages of the next event, once it has been tried
	Failed   bool      `json:",omitzero"` // the next event reports a failed page

	// Open contains the events before this position that are not delivered yet,
	// if several may be in progress.
	Open []Position `json:",omitempty"`
}

// Source returns the events of a job in order. It is used by a single
// goroutine.
type Source interface {
	// Look loads what the job has done so far. The channel is closed when there
	// is more. If it is nil, the Sender looks again after a second. An error
	// that wraps [example.com/curlew/job.ErrNotFound] ends the delivery,
	// because the job no longer exists.
	Look(ctx context.Context) (more <-chan struct{}, err error)

	// Next returns the event that follows from and the position after it. If
	// there is none yet, the event is nil and the position skips unwanted
	// events. The same position must return the same event, also after a
	// restart: from.Size is the number of pages that the event had at the first
	// attempt.
	Next(ctx context.Context, from Position) (*Event, Position, error)

	// Kind returns the kind of the job. The types of its events start with it.
	Kind() string
}

// hookTimeout is the timeout of each attempt. hookPauses are the pauses between
// attempts at one event.
const hookTimeout = 10 * time.Second

func hookPauses() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
}

// maxHookAnswer is how many bytes of a response are read. A connection whose
// response is longer is not reused.
const maxHookAnswer = 64 << 10

// Backlog describes the events that a running delivery still has to send.
type Backlog struct {
	At    Position  // position after the last event that was started
	Pages bool      // the receiver wants events about pages
	Open  int       // events in progress, with one page each
	Tries int       // highest number of failed attempts at an event in progress
	Next  time.Time // when the next attempt at that event is due; zero if none is
}
