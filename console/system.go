// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/audit"
	"example.com/curlew/job"
)

// system serves what the page must know before there is a key: whether one is needed,
// whether the server is ready, and which engines it has.
func (h *Handler) system(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	s := h.service
	why := ""
	switch err := s.Ready(ctx); {
	case err == nil:
	case errors.Is(err, job.ErrShutdown):
		why = "The server is shutting down."
	case errors.Is(err, curlew.ErrBusy):
		_, why = curlew.Fault(err)
	default:
		why = "The store does not answer."
	}
	h.answer(w, r, map[string]any{
		"success": true, "version": h.options.Version, "key": h.options.Authenticator != nil, "ready": why == "", "why": why,
		"uptime": int(time.Since(h.began).Seconds()),
		"engines": map[string]bool{
			"agent": s.Agent != nil, "search": s.Searcher != nil, "ocr": s.Parser.OCR != nil, "pictures": s.Parser.Render != nil,
			"store": s.Store != nil, "audit": h.options.Trail != nil, "keys": h.options.Keys != nil,
		},
	}, nil)
}

// shownKey is a key as the page lists it.
type shownKey struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	Last4   string    `json:"last4"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	Used    bool      `json:"used"` // by this request
}

// keys serves the keys of the team, without the hashes.
func (h *Handler) keys(_ http.ResponseWriter, r asked) (any, error) {
	list := []shownKey{}
	if h.options.Keys != nil {
		keys, err := h.options.Keys.List(r.Context(), r.team.ID)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			list = append(list, shownKey{k.ID, k.Name, k.Last4, k.Created, k.Expires, k.Revoked, k.ID == r.team.KeyID})
		}
	}
	return map[string]any{"success": true, "team": r.team.ID, "stored": h.options.Keys != nil, "keys": list}, nil
}

// maxTrail is the number of events that a Trail keeps.
const maxTrail = 2000

// Trail is an [audit.Sink] that keeps the newest 2,000 events in memory for the page, and
// passes all events on. The zero value is ready to use. It is safe for concurrent use.
//
// A team sees only its own events.
type Trail struct {
	Next audit.Sink // gets all events; may be nil

	mu     sync.Mutex
	events []audit.Event // a ring
	first  int           // number of the oldest event, from 0
}

// Write implements [audit.Sink].
func (t *Trail) Write(ctx context.Context, events []audit.Event) error {
	t.mu.Lock()
	for _, e := range events {
		if e.ZeroRetention {
			e = e.Stripped()
		}
		if len(t.events) < maxTrail {
			t.events = append(t.events, e)
			continue
		}
		t.events[t.first%maxTrail] = e
		t.first++
	}
	t.mu.Unlock()
	return audit.Send(ctx, t.Next, events...)
}

// KeepsURLs implements [audit.Keeper]: Next decides. The events that the Trail itself keeps
// never have the fields that zero retention forbids.
func (t *Trail) KeepsURLs() bool {
	k, ok := t.Next.(audit.Keeper)
	return ok && k.KeepsURLs()
}

// after returns the events of a team from number n on, at most most of them, the
// number to go on with, and how many events were forgotten in between.
func (t *Trail) after(team string, n, most int) (list []audit.Event, next, lost int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list = []audit.Event{}
	end := t.first + len(t.events)
	if n < 0 || n > end { // from an earlier process
		n = 0
	}
	if n < t.first {
		lost, n = t.first-n, t.first
	}
	for ; n < end && len(list) < most; n++ {
		if e := t.events[n%maxTrail]; e.TeamID == team {
			list = append(list, e)
		}
	}
	return list, n, lost
}

// audit serves the audit events of the team.
func (h *Handler) audit(_ http.ResponseWriter, r asked) (any, error) {
	if h.options.Trail == nil {
		return nil, fault{http.StatusNotImplemented, "This server does not collect audit events for the console."}
	}
	n, err := strconv.Atoi(r.FormValue("after"))
	if err != nil {
		return nil, fault{http.StatusBadRequest, "The parameter after must be a number."}
	}
	list, next, lost := h.options.Trail.after(r.team.ID, n, maxPages)
	return map[string]any{"success": true, "events": list, "next": next, "lost": lost}, nil
}
