// SPDX-License-Identifier: Apache-2.0

// Package webhook delivers the events of jobs to receivers: signed, retried, and
// resumed after a restart.
//
// A [Sender] does the work of a job that tells of another job. What there is to
// tell it asks of a [Source]; how far it has come it stores as a [Position], before
// anything further happens. A receiver gets each event at least once.
//
// # Security
//
// Receivers are named by clients, so only public addresses are asked unless
// [Config] opens others. Redirects are not followed.
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

// Config says how events are delivered (contract.md 11). The zero value delivers
// unsigned, to public addresses, on the ports 80, 443, 8080 and 8443.
type Config struct {
	Allow []netip.Prefix // addresses besides the public ones, at any port
	Ports []int          // besides those four
	Roots *x509.CertPool // nil: the system's

	// Client sends the events in place of one that is made of Allow, Ports and
	// Roots. Then it alone decides which addresses are reached. Nil: one is made.
	Client *http.Client

	// Secret returns what a team's deliveries are signed with; empty means
	// unsigned. It is asked at each attempt, and its answer kept nowhere.
	Secret func(ctx context.Context, team string) (string, error)

	// Undelivered is told of each event that is given up after its last
	// attempt, but those of jobs with zero data retention. Nil: it is logged.
	Undelivered func(ctx context.Context, e Undelivered)
}

// Undelivered is an event of a job that its receiver has not taken.
type Undelivered struct {
	Team, Job string
	URL       string
	Body      []byte // the envelope
	Err       error  // of the last attempt
}

func (c *Config) policy() netguard.Policy { return netguard.Policy{Ports: c.Ports, Allow: c.Allow} }

// CheckURL returns why no event may be sent to a URL; nil if it may be. Names are
// not looked up: their addresses are judged when an event is sent.
func (c *Config) CheckURL(url string) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	return c.policy().CheckURL(u)
}

// NewClient returns Client, or one made of Allow, Ports and Roots.
func (c *Config) NewClient() *http.Client {
	if c.Client != nil {
		return c.Client
	}
	return c.policy().Client(netguard.ClientOptions{Roots: c.Roots})
}

// Hook says where the events of a job go.
type Hook struct {
	URL      string
	Headers  map[string]string `json:",omitempty"` // besides ours; see [ReservedHeader]
	Metadata map[string]string // stands in each event
	Events   []string          `json:",omitempty"` // names such as page and completed; none: all

	Batch     int  `json:",omitzero"` // most delivered pages of one event; zero: one
	Unordered bool `json:",omitzero"` // several events may be on their way
}

// ReservedHeader reports whether a [Hook] cannot set a header, since the Sender
// does.
func ReservedHeader(name string) bool {
	return slices.ContainsFunc([]string{"Content-Type", headerSignature, headerTimed}, func(ours string) bool { return strings.EqualFold(name, ours) })
}

// Wants reports whether the receiver has asked for events of a name.
func (h *Hook) Wants(name string) bool { return len(h.Events) == 0 || slices.Contains(h.Events, name) }

// Delivery is the specification of the job that delivers the events of another.
type Delivery struct {
	Hook
	Job      string // whose events
	Retained bool   // zero data retention: no dead letters
}

// Event is one message of a job.
type Event struct {
	Name    string // without the job's kind, such as page
	Index   int    // among the events of its name
	Pages   int    // that it tells of
	Success bool
	Data    []json.RawMessage
	Err     string
}

// envelope is what a receiver gets.
type envelope struct {
	Success   bool              `json:"success"`
	Type      string            `json:"type"` // crawl.page
	ID        string            `json:"id"`   // of the job
	WebhookID string            `json:"webhookId"`
	Data      []json.RawMessage `json:"data"`
	Error     string            `json:"error,omitempty"`
	Metadata  map[string]string `json:"metadata"`
}

// Position is how far a delivery has come. It is kept after each step, as a note
// of the delivery's job. Of an event that is on its way it is where that begins,
// and Tries to Failed are the event's.
type Position struct {
	Started  bool      `json:",omitzero"`
	Pages    int       `json:",omitzero"` // results that are behind; of an agent its events
	Failures int       `json:",omitzero"`
	Ended    bool      `json:",omitzero"`
	Dead     bool      `json:",omitzero"` // the event before was given up
	Tries    int       `json:",omitzero"` // failed attempts at the next event
	Next     time.Time `json:",omitzero"` // of the next attempt at it
	Size     int       `json:",omitzero"` // pages of the next event, once it is fixed
	Failed   bool      `json:",omitzero"` // the next event tells of a failed page

	// Open are the events before this position that were not taken yet, where
	// several may be on their way.
	Open []Position `json:",omitempty"`
}

// Source yields the events of a job, in their order. It is used by one goroutine.
type Source interface {
	// Look takes notice of what the job has done so far. The channel is closed when
	// there is more; nil means that nobody tells, and the Sender looks again after
	// a second. An error that wraps [example.com/curlew/job.ErrNotFound] ends the
	// delivery: the job is gone.
	Look(ctx context.Context) (more <-chan struct{}, err error)

	// Next returns the event that follows from, and the position after it. If there
	// is none yet, the event is nil and the position skips unwanted events. The
	// same position gives the same event, also after a restart: from.Size says how
	// many pages it had when it was attempted first.
	Next(ctx context.Context, from Position) (*Event, Position, error)

	// Kind returns the kind of the job, with which the types of its events begin.
	Kind() string
}

// Attempts at one event: each within hookTimeout, further ones after these
// pauses.
const hookTimeout = 10 * time.Second

func hookPauses() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
}

// maxHookAnswer is how much of a receiver's answer is read, in bytes: so much
// keeps the connection usable.
const maxHookAnswer = 64 << 10

// Backlog is what a delivery at work still has to tell.
type Backlog struct {
	At    Position  // behind the last event that was taken up
	Pages bool      // events of pages are wanted
	Open  int       // events on their way, pages of one each
	Tries int       // failed attempts at the event on its way that has most
	Next  time.Time // of the next attempt at that; zero: there is none
}
