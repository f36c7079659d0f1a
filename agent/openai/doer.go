// SPDX-License-Identifier: Apache-2.0

package openai

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
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Limits of requests.
const (
	maxBody      = 8 << 20
	maxErrorBody = 64 << 10
	maxTries     = 4
	maxPause     = 60 * time.Second // longest pause that a server may ask for
	firstPause   = 500 * time.Millisecond
	longestPause = 20 * time.Second
	callTime     = 120 * time.Second
)

// doer sends the requests that the client library makes. A response that it returns has
// status 200 and a complete JSON body. Any other outcome is an *Error or the cause of
// the context.
type doer struct {
	client *http.Client
	key    string
	limit  *limiter
	time   time.Duration // for one try; all tries together have twice as long
}

// errDeadline ends the tries of one request.
var errDeadline = errors.New("no reply within the deadline")

// Do sends req, and repeats it if the failure may pass.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	outer := req.Context()
	if err := d.limit.enter(outer); err != nil { // waiting for other requests does not count
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(outer, 2*d.time, errDeadline)
	defer cancel()
	for try := 1; ; try++ {
		res, pause, err := d.once(ctx, req)
		d.limit.leave()
		if err == nil {
			d.limit.succeeded()
			return res, nil
		}
		if outer.Err() != nil {
			return nil, context.Cause(outer)
		}
		err.Tries = try
		if err.Status == http.StatusTooManyRequests && err.transient() {
			d.limit.throttled(max(pause, 0))
		}
		if !err.transient() {
			err.Err = withMeaning(err.Err, err.sentinel())
			return nil, err
		}
		if pause < 0 {
			pause = rand.N(min(firstPause<<try, longestPause)) //nolint:gosec // jitter is no secret
		}
		deadline, _ := ctx.Deadline()
		if try == maxTries || time.Until(deadline) <= pause {
			err.Err = withMeaning(err.Err, err.sentinel())
			return nil, err
		}
		if wait(ctx, pause) != nil || d.limit.enter(ctx) != nil {
			if outer.Err() != nil {
				return nil, context.Cause(outer)
			}
			err.Err = withMeaning(err.Err, err.sentinel())
			return nil, err
		}
	}
}

// withMeaning returns an error that wraps means, which callers test for, and what, which
// may be nil.
func withMeaning(what, means error) error {
	if what == nil {
		return means
	}
	return fmt.Errorf("%w: %w", means, what)
}

// once sends req. pause is the time that the server asks to wait, or -1 if it does not
// ask.
func (d *doer) once(ctx context.Context, req *http.Request) (res *http.Response, pause time.Duration, fault *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.time, errDeadline)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, -1, &Error{Err: err}
		}
		again.Body = body
	}
	res, err := d.client.Do(again) //nolint:gosec // to the operator's endpoint, by the guard's client
	if err != nil {
		return nil, -1, &Error{Err: trim(ctx, err)}
	}
	defer res.Body.Close()
	good := res.StatusCode >= 200 && res.StatusCode < 300
	most := int64(maxBody)
	if !good {
		most = maxErrorBody
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	pause = retryAfter(res.Header, time.Now())
	switch {
	case !good:
		e := &Error{Status: res.StatusCode}
		_, code, words, ok := readFault(body)
		if !ok {
			words = string(body[:min(len(body), 4*maxText)])
		}
		e.Code, e.Text = plain(code, d.key), plain(words, d.key)
		switch said, ok := pauseOf(words); {
		case res.StatusCode >= 300 && res.StatusCode < 400:
			e.Text = "it redirects, which is not followed"
		case res.StatusCode == http.StatusNotFound && !e.says("model"):
			e.Text = plain("there is no "+req.URL.Path+": "+words, d.key)
		case ok:
			e.later = true
			if pause < 0 && said <= maxPause {
				pause = said
			}
		}
		return nil, pause, e
	case err != nil:
		return nil, -1, &Error{Err: withMeaning(trim(ctx, err), ErrCut)}
	case int64(len(body)) > most:
		return nil, -1, &Error{Err: ErrTooLarge}
	}
	if status, code, words, ok := readFault(body); ok {
		return nil, pause, &Error{Status: cmp.Or(status, http.StatusBadGateway), Code: plain(code, d.key), Text: plain(words, d.key)}
	}
	if !json.Valid(body) {
		return nil, -1, &Error{Err: ErrCut, Text: plain(string(body[:min(len(body), 100)]), d.key)}
	}
	res.StatusCode = http.StatusOK
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, -1, nil
}

// trim returns err without the URL that net/http puts before it. If ctx has ended, it
// returns the reason.
func trim(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if inner := errors.Unwrap(e); inner != nil && strings.Contains(e.Error(), "://") {
			err = inner
		}
	}
	return err
}

// again matches the words in which providers say how long to wait: "in 1m26.4s", "in
// 350ms", "after 30 seconds".
var again = regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (?:((?:[0-9]{1,6}(?:\.[0-9]+)?(?:h|ms|m|s))+)|([0-9]{1,6}(?:\.[0-9]+)?) (second|minute))`)

// pauseOf returns how long the words of a provider ask to wait.
func pauseOf(words string) (time.Duration, bool) {
	m := again.FindStringSubmatch(words)
	if m == nil {
		return 0, false
	}
	text := m[1]
	if text == "" {
		text = m[2] + m[3][:1] // s or m
	}
	pause, err := time.ParseDuration(strings.ToLower(text))
	return pause, err == nil
}

// retryAfter returns how long a server asks to wait. It returns -1 if the server does
// not ask, or asks for more than a minute. Retry-After contains seconds or a date (RFC
// 9110, 10.2.3), but servers also write fractions, and some have a field of their own
// for milliseconds.
func retryAfter(h http.Header, now time.Time) time.Duration {
	pause := time.Duration(-1)
	seconds := func(s string, unit time.Duration) bool {
		n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(n >= 0 && n < 1e6) {
			return false
		}
		pause = time.Duration(n * float64(unit))
		return true
	}
	if !seconds(h.Get("Retry-After-Ms"), time.Millisecond) && !seconds(h.Get("Retry-After"), time.Second) {
		if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
			pause = max(t.Sub(now), 0)
		}
	}
	if pause > maxPause {
		return -1
	}
	return pause
}
