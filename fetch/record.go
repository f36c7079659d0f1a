// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Recording is one request that a [Client] has sent, and the response as it arrived. Its
// fields must not be changed.
type Recording struct {
	URL    string    // without userinfo and fragment
	Sent   time.Time // when the request began
	Took   time.Duration
	IP     string      // address of the server, or of the proxy; empty if it is not known
	Header http.Header // headers that were sent, without Host and without those that carry secrets

	Proto    string // such as HTTP/2.0
	Status   int
	Received http.Header // the header of the response as it arrived

	// Body is the body of the response without transfer coding, but with its content
	// coding, such as gzip.
	Body []byte

	// Cut says why the end of the body is missing: length (the size limit), time,
	// disconnect, or empty if nothing is missing.
	Cut string
}

// Recorder is called for each request that got a response, before the fetch goes on. If it
// returns an error, the fetch ends with that error. It may be called by several goroutines
// at once.
type Recorder func(ctx context.Context, r *Recording) error

type recorderKey struct{}

// WithRecorder returns a context under which a [Client] passes each request and response to
// record. Fetches under it ask the site even if a cache has the page, unless they accept
// only cached pages, and do not share responses with other fetches.
func WithRecorder(ctx context.Context, record Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, record)
}

// recorder returns the Recorder of ctx, or nil.
func recorder(ctx context.Context) Recorder {
	record, _ := ctx.Value(recorderKey{}).(Recorder)
	return record
}

// tape keeps a body while it is read.
type tape struct {
	io.ReadCloser
	limit int64
	kept  bytes.Buffer
	cut   bool // the limit was reached
	end   error
}

// Read reads from the body and keeps what it has read.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	fits := min(int64(n), t.limit-int64(t.kept.Len()))
	t.kept.Write(p[:fits])
	t.cut = t.cut || fits < int64(n)
	if err != nil {
		t.end = err
	}
	return n, err
}

// secretHeaders are headers of requests that are not recorded.
var secretHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization"}

// recorded wraps the exchange with its recording. The body of resp must not have been read.
// The function that it returns passes the recording to the Recorder when the body has been
// read with an error or nil.
func recorded(ctx context.Context, url string, resp *http.Response, limit int64, began time.Time, ip string) func(err error) error {
	record := recorder(ctx)
	if record == nil {
		return func(err error) error { return err }
	}
	t := &tape{ReadCloser: resp.Body, limit: limit}
	resp.Body = t
	r := &Recording{
		URL: url, Sent: began, IP: ip, Header: resp.Request.Header.Clone(),
		Proto: resp.Proto, Status: resp.StatusCode, Received: resp.Header.Clone(),
	}
	for _, name := range secretHeaders {
		r.Header.Del(name)
	}
	return func(err error) error {
		r.Took, r.Body = time.Since(began), t.kept.Bytes()
		switch {
		case t.cut || errors.Is(err, ErrTooLarge):
			r.Cut = "length"
		case errors.Is(t.end, io.EOF), err == nil && t.end == nil: // complete; some decoders do not read the end
		case ctx.Err() != nil || errors.Is(err, ErrTimeout):
			r.Cut = "time"
		case t.end == nil: // the rest was not wanted
			r.Cut = "length"
		default:
			r.Cut = "disconnect"
		}
		return errors.Join(err, record(context.WithoutCancel(ctx), r))
	}
}
