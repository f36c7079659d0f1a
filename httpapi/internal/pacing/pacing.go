// SPDX-License-Identifier: Apache-2.0

// Package pacing disconnects clients that send the body of a request too slowly.
package pacing

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// The minimum rate of a body. A client that sends its body or reads its answer more slowly,
// after the grace at the start, is disconnected.
const (
	Rate  = 16 << 10 // bytes per second
	Grace = 10 * time.Second
)

// leftover is how long the unread rest of a body may take after the answer, so that a client
// that is still sending can receive the answer.
const leftover = 500 * time.Millisecond

// Serve calls serve for a request whose body must arrive at the minimum rate. If part of the
// body is not read, the connection ends with the answer, because net/http would otherwise
// read the rest first. A request that is paced already is served as it is.
func Serve(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request)) {
	if _, ok := r.Body.(*Body); ok || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		serve(w, r)
		return
	}
	b := &Body{ReadCloser: r.Body, control: http.NewResponseController(w), left: r.ContentLength}
	b.until(time.Now().Add(Grace))
	own := *r
	own.Body = b
	defer func() {
		if !b.ended {
			b.until(time.Now().Add(leftover))
		}
	}()
	serve(&answer{ResponseWriter: w, body: b, first: r.ProtoMajor == 1}, &own)
}

// Body extends the read deadline of its connection as bytes arrive. The deadline is
// removed only at the end of the body. From then on a read of the connection detects that
// the client has left.
type Body struct {
	io.ReadCloser
	Most time.Duration // limit for the whole body; zero means that only the rate is limited

	control *http.ResponseController
	begun   time.Time // when the first read began
	read    int64
	left    int64 // remaining bytes; negative if not known
	ended   bool
}

// Pause does not count a wait of the server as time of the client.
func (b *Body) Pause(wait time.Duration) {
	if !b.begun.IsZero() {
		b.begun = b.begun.Add(wait)
	}
}

// until sets the read deadline of the connection.
func (b *Body) until(at time.Time) { _ = b.control.SetReadDeadline(at) } // some servers have no deadlines

// Read implements [io.Reader].
func (b *Body) Read(p []byte) (int, error) {
	if b.begun.IsZero() {
		b.begun = time.Now()
	}
	if !b.ended {
		b.until(b.end())
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if errors.Is(err, io.EOF) || b.left >= 0 && b.read >= b.left {
		if !b.ended {
			b.until(time.Time{})
		}
		b.ended = true
	}
	return n, err
}

// end returns when the next byte must have arrived.
func (b *Body) end() time.Time {
	end := b.begun.Add(Grace + time.Duration(b.read)*time.Second/Rate)
	if last := b.begun.Add(b.Most); b.Most > 0 && last.Before(end) {
		return last
	}
	return end
}

// answer closes the connection if the body of the request was not read.
type answer struct {
	http.ResponseWriter
	body  *Body
	first bool // HTTP/1: a stream of HTTP/2 ends by itself
	wrote bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *answer) WriteHeader(status int) {
	if final := status >= 200 || status == http.StatusSwitchingProtocols; final && !w.wrote {
		w.wrote = true
		if !w.body.ended && w.first && status != http.StatusSwitchingProtocols {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *answer) Write(p []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach what is below.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
