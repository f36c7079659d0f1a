// SPDX-License-Identifier: Apache-2.0

// Package client calls the v2 contract over HTTP, with typed requests and results.
//
//	c := &client.Client{BaseURL: "http://127.0.0.1:3002", Key: key}
//	page, err := c.Scrape(ctx, &client.Page{URL: "https://example.com/"})
//	...
//	for doc, err := range c.Crawl(ctx, &client.Crawl{URL: "https://example.com/", Limit: new(100)}) {
//
// The types of the requests are copies of those that the handler decodes. A test keeps
// them equal. A member that is nil is not sent, so that the default of the server applies.
// The package imports only the standard library.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Client calls a server. The zero value calls http://127.0.0.1:3002 without a key. A
// Client is safe for concurrent use.
type Client struct {
	BaseURL string        // without /v2; empty means http://127.0.0.1:3002
	Key     string        // API key
	HTTP    *http.Client  // nil means http.DefaultClient
	Retries int           // how often a request is repeated after 429 or 503; zero means 3, negative never
	Poll    time.Duration // pause between two requests for the state of a job, and before a lost WebSocket is opened again; zero means 1 s
}

const (
	maxAnswer = 256 << 20       // bytes of one answer; a page of results has at most 10 MiB of documents
	longest   = 2 * time.Minute // longest Retry-After that is waited for
)

// errTooLarge means that an answer or a message is longer than 256 MiB.
var errTooLarge = errors.New("the answer is too large")

// Error is an answer of the server that refuses or fails a request.
type Error struct {
	Status     int           // HTTP status; 200 if the answer says that a scrape failed
	Code       string        // such as SCRAPE_TIMEOUT; may be empty
	Message    string        // text of the server
	Details    []Fault       // faults of the request
	RetryAfter time.Duration // with status 429 and 503
	RequestID  string        // id of the request in the log of the server
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d: %s", e.Status, cmp.Or(e.Message, http.StatusText(e.Status)))
	for _, d := range e.Details {
		if d.Message != "" && d.Message != e.Message {
			b.WriteString("; " + where(d.Path) + d.Message)
		}
	}
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	return b.String()
}

// where writes the path of a fault.
func where(path []any) string {
	if len(path) == 0 {
		return ""
	}
	var parts []string
	for _, step := range path {
		parts = append(parts, fmt.Sprint(step))
	}
	return strings.Join(parts, ".") + ": "
}

// Do sends in as JSON to a path such as /v2/map and decodes the answer into out. A nil in
// sends no body, and a nil out ignores the answer. After status 429 and 503 the request is
// repeated when the server says so; it has done nothing then. The error is an [*Error] if
// the server answered.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	return c.send(ctx, method, path, out, func() (io.Reader, string, error) {
		if in == nil {
			return http.NoBody, "", nil
		}
		return bytes.NewReader(body), "application/json", nil
	})
}

// send sends a request with the body that again returns each time.
func (c *Client) send(ctx context.Context, method, path string, out any, again func() (io.Reader, string, error)) error {
	for try := 0; ; try++ {
		err := c.once(ctx, method, path, out, again)
		refused, ok := errors.AsType[*Error](err)
		if !ok || refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable {
			return err
		}
		wait := cmp.Or(refused.RetryAfter, time.Second<<min(try, 5))
		if try >= cmp.Or(c.Retries, 3) || wait > longest {
			return err
		}
		if pause(ctx, wait+rand.N(wait/4+1)) != nil { //nolint:gosec // no secret
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// request returns a request with the key.
func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(cmp.Or(c.BaseURL, "http://127.0.0.1:3002"), "/")+path, body)
	if err == nil && c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	return r, err
}

// once sends a request one time.
func (c *Client) once(ctx context.Context, method, path string, out any, again func() (io.Reader, string, error)) error {
	body, kind, err := again()
	if err != nil {
		return err
	}
	r, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := cmp.Or(c.HTTP, http.DefaultClient).Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case len(answer) > maxAnswer:
		return errTooLarge
	}
	return decode(resp, answer, out)
}

// decode decodes an answer into out. If the answer is an error, it returns an [*Error].
func decode(resp *http.Response, answer []byte, out any) error {
	var failure struct {
		Success *bool   `json:"success"`
		Code    string  `json:"code"`
		Error   string  `json:"error"`
		Details []Fault `json:"details"`
		Status  string  `json:"status"` // of a job; the state of a failed job is an answer, not an error
	}
	err := json.Unmarshal(answer, &failure)
	if resp.StatusCode == http.StatusOK && err != nil {
		return fmt.Errorf("the server at %s does not answer with JSON: %w", resp.Request.URL.Host, err)
	}
	if resp.StatusCode != http.StatusOK || failure.Success != nil && !*failure.Success && failure.Status == "" {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return &Error{
			Status: resp.StatusCode, Code: failure.Code, Message: failure.Error, Details: failure.Details,
			RetryAfter: time.Duration(max(seconds, 0)) * time.Second, RequestID: resp.Header.Get("X-Request-Id"),
		}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}
