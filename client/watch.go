// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
)

// ErrJob means that a job ended without being completed.
var ErrJob = errors.New("the job was not completed")

// Watch yields the documents of a job in the order of their delivery, from the one with
// number from, until the job has ended. Each document comes once. The error of a job that
// failed or was cancelled wraps ErrJob and comes after its documents.
//
// The documents come over a WebSocket as soon as they are delivered. If the connection is lost,
// Watch opens another one and continues after the last document. It gives up if the server
// cannot be reached six times in a row, with pauses that grow from Client.Poll. If the server,
// or a proxy before it, does not support WebSockets, or if more than 10 MiB of documents before
// the wanted one would have to be read again, Watch asks for the state of the job every
// Client.Poll instead.
func (c *Client) Watch(ctx context.Context, k Kind, id string, from int) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		w := &watch{client: c, kind: k, id: id, next: from, yield: yield}
		for live, lost := true, 0; ; {
			if live {
				before := w.next
				if live = w.listen(ctx); w.done {
					return
				}
				if lost++; w.next > before {
					lost = 0
				}
				live = live && lost < maxLost
			}
			// After a lost connection too: the answer says whether the job still exists.
			if w.catchUp(ctx); w.done {
				return
			}
			if err := pause(ctx, c.poll()<<w.failures); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

const (
	maxLost     = 3        // connections in a row that bring no document; after them, Watch polls
	maxSkipped  = 10 << 20 // bytes of known documents that are read again
	maxFailures = 5        // requests in a row without an answer that are repeated
)

// watch is the state of Watch.
type watch struct {
	client *Client
	kind   Kind
	id     string
	yield  func(*Document, error) bool

	next     int  // number of the next document to yield
	done     bool // nothing more may be yielded
	reached  bool // the server has answered a request
	failures int  // requests without an answer since then
}

// fail yields an error as the last value.
func (w *watch) fail(err error) {
	w.done = true
	w.yield(nil, err)
}

// document yields the next document.
func (w *watch) document(raw json.RawMessage) {
	d := new(Document)
	if err := json.Unmarshal(raw, d); err != nil {
		w.fail(fmt.Errorf("document %d: %w", w.next, err))
		return
	}
	w.next++
	w.done = !w.yield(d, nil)
}

// end yields the error of a job that has ended, if there is one.
func (w *watch) end(s *Status) {
	if s.Status != "completed" {
		w.fail(fmt.Errorf("%w: %s %s", ErrJob, s.Status, s.Error))
	}
	w.done = true
}

// frame is a message of the WebSocket.
type frame struct {
	Type string          `json:"type"` // catchup, document, status, error
	Data json.RawMessage `json:"data"`
}

// listen yields documents from a WebSocket until it ends. It reports whether to open another
// one. Errors of the job and of the key are not yielded, because catchUp gets better ones.
func (w *watch) listen(ctx context.Context) (again bool) {
	s, err := w.client.dial(ctx, w.kind.path(w.id))
	if err != nil {
		return !errors.Is(err, errRefused)
	}
	defer s.close()
	w.reached = true
	number, skipped := 0, 0 // of documents that this connection has brought, and bytes of those that were known
	take := func(raw json.RawMessage) {
		if number++; number > w.next {
			w.document(raw)
		} else {
			skipped += len(raw)
		}
	}
	for {
		text, err := s.next()
		if err != nil {
			return true
		}
		var f frame
		if json.Unmarshal(text, &f) != nil {
			return false // this server speaks something else
		}
		switch f.Type {
		case "document":
			take(f.Data)
		case "catchup", "status":
			var now Status
			if json.Unmarshal(f.Data, &now) != nil {
				return false
			}
			// The final status repeats all documents, and catchup is the first message.
			for _, raw := range now.Data[min(number, len(now.Data)):] {
				if take(raw); w.done {
					return false
				}
			}
			if f.Type == "status" && now.Ended() && number == now.Completed {
				w.end(&now)
			}
		case "error":
			return true
		}
		if w.done || skipped > maxSkipped {
			return false
		}
	}
}

// catchUp yields all documents that the job has now, and its end if it has ended.
func (w *watch) catchUp(ctx context.Context) {
	for {
		now, err := w.client.Status(ctx, w.kind, w.id, w.next, 0)
		if _, unanswered := errors.AsType[*url.Error](err); unanswered && w.reached && ctx.Err() == nil && w.failures < maxFailures {
			w.failures++
			return
		}
		if err != nil {
			w.fail(err)
			return
		}
		w.reached, w.failures = true, 0
		for _, raw := range now.Data {
			if w.document(raw); w.done {
				return
			}
		}
		switch {
		case now.Next == "" && now.Ended():
			w.end(now)
			return
		case now.Next == "":
			return
		case len(now.Data) == 0: // Next itself is not requested, so that the key is sent only to BaseURL
			w.fail(fmt.Errorf("the server has more than %d documents, and sends none", w.next))
			return
		}
	}
}
