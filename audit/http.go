// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"example.com/curlew/internal/netguard"
)

const postTime = 30 * time.Second

var errPostTime = fmt.Errorf("no answer within %v", postTime)

// HTTP is a [Sink] that posts events as lines to a collector, those of one Write
// in one request. Each status of 200 to 299 is consent; 408, 429 and 500 to 599
// may pass; any other refuses the events for good.
type HTTP struct {
	URL     string       // required; https, or http to a collector on the same machine or network
	Header  http.Header  // sent too, such as Authorization
	Encoder Encoder      // each line ends with LF; Content-Type is application/x-ndjson for JSON, else text/plain
	Client  *http.Client // nil: one that reaches the URL's origin and no other

	once sync.Once
	own  *http.Client
	err  error
}

// Write implements [Sink]. Errors are of type [*Error]; they name no header.
func (h *HTTP) Write(ctx context.Context, events []Event) error {
	if ctx.Err() != nil {
		return &Error{"http", context.Cause(ctx)}
	}
	if len(events) == 0 {
		return nil
	}
	client, err := h.client()
	if err != nil {
		return &Error{"http", err}
	}
	var lines []byte
	for i := range events {
		lines = append(h.Encoder.Append(lines, &events[i]), '\n')
	}
	ctx, stop := context.WithTimeoutCause(ctx, postTime, errPostTime)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(lines))
	if err != nil {
		return &Error{"http", errors.New("invalid URL")} // the error quotes it
	}
	for name, values := range h.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", h.contentType())
	}
	resp, err := client.Do(r)
	if err != nil {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err // it quotes the URL
		}
		return fault(ctx, "http", err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection serves again
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500:
		return &Error{"http", fmt.Errorf("%w: %d", ErrStatus, code)}
	default:
		return &Error{"http", fmt.Errorf("%w: %w: %d", ErrRefused, ErrStatus, code)}
	}
}

func (h *HTTP) contentType() string {
	if h.Encoder.Format == CEF || h.Encoder.Format == RFC5424 {
		return "text/plain; charset=utf-8"
	}
	return "application/x-ndjson"
}

func (h *HTTP) client() (*http.Client, error) {
	if h.Client != nil {
		return h.Client, nil
	}
	h.once.Do(func() {
		if h.own, h.err = netguard.Fixed(h.URL); h.err != nil {
			h.err = errors.New("invalid URL")
		}
	})
	return h.own, h.err
}

// Close lets idle connections go, of a client of its own. It comes after the last
// Write.
func (h *HTTP) Close() error {
	if h.own != nil {
		h.own.CloseIdleConnections()
	}
	return nil
}
