// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"context"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"example.com/curlew/fetch/render"
)

// Methods of the DevTools protocol that carry the messages of another session. Package cdproto
// does not have them. chromedp can also open a session for a frame, but not while the frame
// waits, and a frame that does not wait may request documents before the session is open.
const (
	sendMessage = "Target.sendMessageToTarget"
	received    = "Target.receivedMessageFromTarget"
)

// frame is the session of a frame of another site, whose documents are in a process of its own.
// It is safe for concurrent use.
type frame struct {
	target target.ID
	id     target.SessionID
	parent cdp.Session // of the tab, or of the frame around it
	gone   chan struct{}

	mu    sync.Mutex // guards the rest
	last  int64      // id of the last command
	calls map[int64]chan *cdproto.Message
}

// Call implements [cdp.Session].
func (f *frame) Call(ctx context.Context, method string, params, result any) error {
	encoded, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return err
	}
	reply := make(chan *cdproto.Message, 1)
	f.mu.Lock()
	f.last++
	id := f.last
	f.calls[id] = reply
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.calls, id)
	}()
	text, err := jsonv2.Marshal(cdproto.Message{ID: id, Method: cdproto.MethodType(method), Params: encoded}, chromedp.DefaultMarshalOptions)
	if err != nil {
		return err
	}
	carried := struct {
		Message   string           `json:"message"`
		SessionID target.SessionID `json:"sessionId"`
	}{string(text), f.id}
	if err := f.parent.Call(ctx, sendMessage, carried, nil); err != nil {
		return err
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return jsonv2.Unmarshal(m.Result, result, chromedp.DefaultUnmarshalOptions)
	case <-f.gone:
		return fmt.Errorf("the frame is gone: %w", render.ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Subscribe implements [cdp.Session]. It has no events, because the view gets them.
func (f *frame) Subscribe(string) (events <-chan jsonv2.Value, cancel func()) {
	none := make(chan jsonv2.Value)
	close(none)
	return none, func() {}
}

// listen hands the messages from frames of other sites to their sessions until ctx ends.
func (v *view) listen(ctx context.Context, messages <-chan jsonv2.Value) {
	for {
		select {
		case m, ok := <-messages:
			if !ok {
				return
			}
			v.receive(m)
		case <-ctx.Done():
			return
		}
	}
}

// receive hands a message from a frame of another site to its session.
func (v *view) receive(params jsonv2.Value) {
	var carried struct {
		Message   string           `json:"message"`
		SessionID target.SessionID `json:"sessionId"`
	}
	m := new(cdproto.Message)
	if jsonv2.Unmarshal(params, &carried, chromedp.DefaultUnmarshalOptions) != nil ||
		jsonv2.Unmarshal([]byte(carried.Message), m, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	v.mu.Lock()
	f := v.others[carried.SessionID]
	v.mu.Unlock()
	switch {
	case f == nil:
	case m.ID != 0:
		f.mu.Lock()
		defer f.mu.Unlock()
		if reply := f.calls[m.ID]; reply != nil {
			delete(f.calls, m.ID)
			reply <- m
		}
	case m.Method == received:
		v.receive(m.Params)
	default:
		if e, err := cdproto.UnmarshalMessage(m, chromedp.DefaultUnmarshalOptions); err == nil {
			v.guard(f, e)
		}
	}
}

// admit opens a session for a frame of another site, which waits, and lets it continue. The
// later documents of the frame then wait for a decision of the view, as those of the page do.
// If that fails, or if the page has too many such frames, the frame waits further, so that it
// loads nothing. parent is the session that the event came from.
func (v *view) admit(ctx context.Context, parent cdp.Session, e *target.EventAttachedToTarget) {
	f := &frame{target: e.TargetInfo.TargetID, id: e.SessionID, parent: parent, gone: make(chan struct{}), calls: map[int64]chan *cdproto.Message{}}
	v.mu.Lock()
	full := len(v.others) >= maxFrames
	if !full {
		v.others[f.id] = f
	}
	v.halted[f.id] = f.target
	v.mu.Unlock()
	if full || v.protect(ctx, f) != nil {
		return
	}
	v.mu.Lock()
	delete(v.halted, f.id)
	v.mu.Unlock()
	_, _ = callIn(ctx, callTimeout, f, runtime.RunIfWaitingForDebugger, cdp.Empty{})
}

// forget ends the session of a frame that no longer exists, or that is no longer of another
// site.
func (v *view) forget(id target.SessionID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.halted, id)
	if f := v.others[id]; f != nil {
		delete(v.others, id)
		close(f.gone)
	}
}

// other returns the session of a frame of another site, or nil if there is none.
func (v *view) other(id cdp.FrameID) *frame {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.others {
		if f.target == target.ID(id) {
			return f
		}
	}
	return nil
}

// isHalted reports whether a frame of another site may not load anything.
func (v *view) isHalted(id cdp.FrameID) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, held := range v.halted {
		if held == target.ID(id) {
			return true
		}
	}
	return false
}
