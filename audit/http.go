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

var errPostTime = fmt.Errorf("no response within %v", postTime)

// HTTP is a [Sink] that posts events as lines to a collector. The events of one
// Write are sent in one request. A status from 200 to 299 means success. After
// 408, 429 and 500 to 599 the caller may try again. Any other status wraps
// [ErrRefused].
type HTTP struct {
	URL    string      // required; https, or http for a collector on the same machine or network
	Header http.Header // sent with each request, such as Authorization
	// Encoder formats the lines, each of which ends with LF. The Content-Type
	// is application/x-ndjson for JSON formats and text/plain for others.
	Encoder Encoder
	Client  *http.Client // nil means a client that reaches only the origin of the URL

	once sync.Once
	own  *http.Client
	err  error
}

// Write implements [Sink]. The error is an [*Error] that quotes no header.
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
		return &Error{"http", errors.New("invalid URL")} // the error of net/http quotes the URL
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
			err = outer.Err // the outer error quotes the URL
		}
		return fault(ctx, "http", err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be reused
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

// Close closes idle connections if the client is the sink's own. It must not be
// called before the last Write has returned.
func (h *HTTP) Close() error {
	if h.own != nil {
		h.own.CloseIdleConnections()
	}
	return nil
}
