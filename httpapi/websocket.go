// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// Close codes besides those of RFC 6455. In IANA's registry, 3000 means
// "unauthorized".
const closeUnauthorized websocket.StatusCode = 3000

const (
	pingEvery    = 30 * time.Second
	pingPatience = 10 * time.Second
	frameTime    = time.Minute // for sending one frame
)

// upgrades reports whether r asks for a WebSocket.
func upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && hasToken(r.Header, "Connection", "upgrade") && hasToken(r.Header, "Upgrade", "websocket")
}

func hasToken(h http.Header, name, token string) bool {
	for _, t := range tokens(h, name) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

// tokens returns the elements of the lists in a header.
func tokens(h http.Header, name string) []string {
	var list []string
	for _, line := range h.Values(name) {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimSpace(t); t != "" {
				list = append(list, t)
			}
		}
	}
	return list
}

// subprotocols returns the subprotocols that a client offers. The first may be its key.
func subprotocols(r *http.Request) []string { return tokens(r.Header, "Sec-Websocket-Protocol") }

// handshake reports whether the upgrade is well formed. The library would answer a malformed
// one in plain text.
func handshake(r *http.Request) bool {
	keys := r.Header.Values("Sec-Websocket-Key")
	if len(keys) != 1 || r.Header.Get("Sec-Websocket-Version") != "13" || !r.ProtoAtLeast(1, 1) {
		return false
	}
	nonce, err := base64.StdEncoding.DecodeString(strings.TrimSpace(keys[0]))
	return err == nil && len(nonce) == 16
}

// watchJob serves a WebSocket on a job. Errors are sent after the upgrade,
// because clients crash if the upgrade is refused.
func watchJob(ctx context.Context, h *Handler, c *call) {
	if !handshake(c.r) {
		c.w.Header().Set("Sec-WebSocket-Version", "13")
		h.fail(ctx, c, refuse(curlew.ErrRequest, "Invalid WebSocket handshake"), anywhere)
		return
	}
	team, err := h.authenticate(c.r, true)
	c.team = team
	if err != nil {
		h.keyRefused(ctx, c)
	} else {
		known(ctx)
		err = h.admit(ctx, c.w, &c.team, c.route.class)
	}
	leaves := stays(ctx)
	defer leaves()
	conn, failed := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{
		Subprotocols: subprotocols(c.r),
		// Keys are not cookies, so a page of another origin has none to send. Without
		// CORS other origins may not watch either.
		InsecureSkipVerify: !h.options.NoCORS,
	})
	if failed != nil {
		h.logger().DebugContext(ctx, "upgrade failed", "request", c.id, "err", failed)
		return
	}
	c.w.wrote = true
	defer conn.CloseNow() //nolint:errcheck // it is already closed, or cannot be closed

	s := &socket{conn: conn, handler: h, call: c}
	s.run(ctx, err)
}

// socket is one client that watches a job.
type socket struct {
	conn    *websocket.Conn
	handler *Handler
	call    *call
}

// run watches until the job ends or the client disconnects. refused is the
// error of the authentication.
func (s *socket) run(ctx context.Context, refused error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop(nil)
	// Reads pongs and the close frame. Clients send nothing else.
	ctx = s.conn.CloseRead(ctx)
	wg.Go(func() { s.ping(ctx, stop) })

	err := refused
	if err == nil {
		err = s.follow(ctx)
	} else if !is401(err) && find(err, anywhere).status < http.StatusInternalServerError { // an error of the server says nothing about the job
		s.end(ctx, websocket.StatusPolicyViolation, err)
		return
	}
	switch {
	case err == nil:
		_ = s.conn.Close(websocket.StatusNormalClosure, `{"type":"done"}`)
	case errors.Is(context.Cause(ctx), errStalled), errors.Is(err, errStalled):
		_ = s.conn.Close(websocket.StatusTryAgainLater, "")
	case ctx.Err() != nil:
		// The client has disconnected.
	case is401(err):
		s.end(ctx, closeUnauthorized, err)
	case errors.Is(err, errJobID), errors.Is(err, job.ErrNotFound):
		s.end(ctx, websocket.StatusPolicyViolation, err)
	case errors.Is(err, job.ErrShutdown): // the client connects again, and the job continues in the next process
		s.end(ctx, websocket.StatusInternalError, err)
	default:
		s.handler.logger().ErrorContext(ctx, "watch failed", "request", s.call.id, "team", s.call.team.ID, "err", err)
		s.end(ctx, websocket.StatusInternalError, err)
	}
}

// errStalled means that the client has stopped reading.
var errStalled = errors.New("client does not read")

// is401 reports whether err refuses the client's key.
func is401(err error) bool { return find(err, anywhere).status == http.StatusUnauthorized }

// ping sends pings, and stops the watch if one is not answered.
func (s *socket) ping(ctx context.Context, stop context.CancelCauseFunc) {
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		ping, cancel := context.WithTimeout(ctx, pingPatience)
		err := s.conn.Ping(ping)
		cancel()
		if err != nil {
			stop(errStalled)
			return
		}
	}
}

// send writes one frame.
func (s *socket) send(ctx context.Context, f wire.Frame) error {
	raw, err := jsonenc.Encode(f)
	if err != nil {
		return err
	}
	return s.write(ctx, raw)
}

func (s *socket) write(ctx context.Context, raw []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, frameTime, errStalled)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, raw); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return nil
}

// end sends the error and closes the connection. If the key or the job is wrong, it also sends
// a failed status, which stops the polling of clients.
func (s *socket) end(ctx context.Context, code websocket.StatusCode, err error) {
	text := find(err, anywhere).text
	if s.send(ctx, wire.Frame{Type: "error", Error: text}) != nil {
		return
	}
	if code != websocket.StatusInternalError {
		lost, err := jsonenc.Encode(wire.LostJob{Status: "failed", Data: []string{}, Error: text})
		if err != nil || s.send(ctx, wire.Frame{Type: "status", Data: lost}) != nil {
			return
		}
	}
	_ = s.conn.Close(code, "")
}

// follow sends the frames of a job until its end.
func (s *socket) follow(ctx context.Context) error {
	j, err := s.handler.own(ctx, s.call, s.call.route.watch)
	if err != nil {
		return err
	}
	seen, cut, err := s.catchUp(ctx, j)
	if err != nil {
		return err
	}
	for doc, err := range j.WatchJSON(ctx, seen) {
		if err != nil {
			return err
		}
		if err := s.send(ctx, wire.Frame{Type: "document", Data: doc}); err != nil {
			return err
		}
	}
	if cut && j.State().Final() {
		return nil // the client reads once over HTTP
	}
	return s.finish(ctx, j)
}

// catchUp sends the finished documents that fit into one frame, and returns
// their number. cut means that there were more.
func (s *socket) catchUp(ctx context.Context, j *curlew.Job) (seen int, cut bool, err error) {
	st, _, err := describe(ctx, j, 0, math.MaxInt)
	if err != nil {
		return 0, false, err
	}
	if cut = len(st.Data) < st.Completed; cut {
		// After a final status the client would stop with an incomplete list.
		st.Status = "scraping"
	}
	return len(st.Data), cut, s.sendStatus(ctx, "catchup", st)
}

// finish sends the final status with all documents, if they fit.
func (s *socket) finish(ctx context.Context, j *curlew.Job) error {
	st, _, err := describe(ctx, j, 0, math.MaxInt)
	if err != nil {
		return err
	}
	if len(st.Data) < st.Completed {
		return nil
	}
	return s.sendStatus(ctx, "status", st)
}

// sendStatus sends a frame around a status.
func (s *socket) sendStatus(ctx context.Context, kind string, st wire.Status) error {
	raw, err := st.Append([]byte(`{"type":"` + kind + `","data":`))
	if err != nil {
		return err
	}
	return s.write(ctx, append(raw, '}'))
}
