// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// The minimum rate of a body. A client that sends its body or reads its answer more slowly,
// after the grace at the start, is disconnected.
const (
	bodyRate  = 16 << 10 // bytes per second
	bodyGrace = 10 * time.Second
)

// leftover is how long the unread rest of a body may take after the answer, so that a client
// that is still sending can receive the answer.
const leftover = 500 * time.Millisecond

// paced calls serve for a request whose body must arrive at the minimum rate. If part of the
// body is not read, the connection ends with the answer, because net/http would otherwise
// read the rest first. A request that is paced already is served as it is.
func paced(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request)) {
	if _, ok := r.Body.(*pacedBody); ok || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		serve(w, r)
		return
	}
	b := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), left: r.ContentLength}
	b.until(time.Now().Add(bodyGrace))
	own := *r
	own.Body = b
	defer func() {
		if !b.ended {
			b.until(time.Now().Add(leftover))
		}
	}()
	serve(&pacedAnswer{ResponseWriter: w, body: b, first: r.ProtoMajor == 1}, &own)
}

// pacedBody extends the read deadline of its connection as bytes arrive. The deadline is
// removed only at the end of the body. From then on a read of the connection detects that
// the client has left.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	begun   time.Time     // when the first read began
	most    time.Duration // limit for the whole body; zero means that only the rate is limited
	read    int64
	left    int64 // remaining bytes; negative if not known
	ended   bool
}

// until sets the read deadline of the connection.
func (b *pacedBody) until(at time.Time) { _ = b.control.SetReadDeadline(at) } // some servers have no deadlines

// Read implements [io.Reader].
func (b *pacedBody) Read(p []byte) (int, error) {
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
func (b *pacedBody) end() time.Time {
	end := b.begun.Add(bodyGrace + time.Duration(b.read)*time.Second/bodyRate)
	if last := b.begun.Add(b.most); b.most > 0 && last.Before(end) {
		return last
	}
	return end
}

// pacedAnswer closes the connection if the body of the request was not read.
type pacedAnswer struct {
	http.ResponseWriter
	body  *pacedBody
	first bool // HTTP/1: a stream of HTTP/2 ends by itself
	wrote bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *pacedAnswer) WriteHeader(status int) {
	if final := status >= 200 || status == http.StatusSwitchingProtocols; final && !w.wrote {
		w.wrote = true
		if !w.body.ended && w.first && status != http.StatusSwitchingProtocols {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *pacedAnswer) Write(p []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach what is below.
func (w *pacedAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
