// SPDX-License-Identifier: Apache-2.0

// Package webhook sends signed events about jobs to receivers.
//
// A [Hook] names the receiver of a job's events. A Service with a [Config] delivers them:
// it tries each event up to four times within 21 minutes, continues after a restart, and
// each receiver gets each event at least once. [Config.Send] makes one attempt, for
// programs that deliver events of their own.
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
	"errors"
	"fmt"
	"maps"
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

// Check returns the first field of a hook that is not valid, such as Events[1], and the reason.
// known has the names of all events that may be sent.
func (c *Config) Check(h *Hook, known []string) (field string, err error) {
	if err := c.CheckURL(h.URL); errors.Is(err, netguard.ErrDenied) {
		return "URL", fmt.Errorf("%w (webhook.Config.Allow and Ports admit more)", err)
	} else if err != nil {
		return "URL", err
	}
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		switch {
		case ReservedHeader(name):
			return "Headers", fmt.Errorf("header %q cannot be set", name)
		case !netguard.IsToken(name), !netguard.IsFieldValue(h.Headers[name]):
			return "Headers", fmt.Errorf("header %q has characters that HTTP does not allow", name)
		}
	}
	for i, name := range h.Events {
		if !slices.Contains(known, name) {
			return fmt.Sprintf("Events[%d]", i), fmt.Errorf("%q is not one of %s", name, strings.Join(known, ", "))
		}
	}
	if h.Batch < 0 {
		return "Batch", fmt.Errorf("%d is below 0", h.Batch)
	}
	return "", nil
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

// ReservedHeader reports whether a [Hook] cannot set a header, because each event has it.
func ReservedHeader(name string) bool {
	return slices.ContainsFunc([]string{"Content-Type", headerSignature, headerTimed}, func(ours string) bool { return strings.EqualFold(name, ours) })
}

// Wants reports whether the receiver wants events of this name.
func (h *Hook) Wants(name string) bool { return len(h.Events) == 0 || slices.Contains(h.Events, name) }

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

// hookTimeout is the timeout of each attempt.
const hookTimeout = 10 * time.Second

// maxHookAnswer is how many bytes of a response are read. A connection whose
// response is longer is not reused.
const maxHookAnswer = 64 << 10
